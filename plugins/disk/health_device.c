/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks a disk for its health pages: NVMe by an admin command, ATA by pass-through (SAT). */
#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "health_device.h"

enum { TIMEOUT_MS = 5000 };

/* 1: it is a recording and was read; 0: it is a device; or a negative errno. */
static int health_recorded(int fd, struct health_answer *answer)
{
	struct stat status;
	ssize_t n;

	memset(answer, 0, sizeof(*answer));
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return 0;
	n = read(fd, answer, sizeof(*answer));
	if (n < 0)
		return -errno;
	return n >= HEALTH_PAGE_SIZE ? 1 : -EBADMSG;
}

int health_ask_nvme(int fd, struct health_answer *answer)
{
	/* Get Log Page, of the controller, 02h, 128 words of 4 bytes. */
	struct nvme_admin_cmd command = {
		.opcode = 0x02,
		.nsid = 0xffffffff,
		.addr = (uint64_t)(uintptr_t)answer->page,
		.data_len = HEALTH_PAGE_SIZE,
		.cdw10 = (HEALTH_PAGE_SIZE / 4 - 1) << 16 | 0x02,
		.timeout_ms = TIMEOUT_MS,
	};
	int err = health_recorded(fd, answer);

	if (err)
		return err < 0 ? err : 0;
	err = ioctl(fd, NVME_IOCTL_ADMIN_CMD, &command);
	if (err < 0)
		return errno == ENOTTY ? -ENOTSUP : -errno;
	return err ? -EIO : 0;
}

/* SMART by ATA PASS-THROUGH (16): reads the page, or else has the registers told in sense data. */
static int health_smart(int fd, uint8_t feature, bool page, struct health_answer *answer)
{
	uint8_t refusal[HEALTH_SENSE_SIZE];
	uint8_t command[16] = {
		[0] = 0x85,
		[1] = page ? 4 << 1 : 3 << 1, /* PIO data-in, or no data */
		[2] = page ? 0x0e : 0x20,     /* one block from the disk, or its registers */
		[4] = feature,
		[6] = page ? 1 : 0,
		[10] = 0x4f, /* the key of SMART */
		[12] = 0xc2,
		[14] = 0xb0,
	};
	struct sg_io_hdr header = {
		.interface_id = 'S',
		.dxfer_direction = page ? SG_DXFER_FROM_DEV : SG_DXFER_NONE,
		.cmd_len = sizeof(command),
		.mx_sb_len = HEALTH_SENSE_SIZE,
		.dxfer_len = page ? HEALTH_PAGE_SIZE : 0,
		.dxferp = answer->page,
		.cmdp = command,
		.sbp = page ? refusal : answer->sense,
		.timeout = TIMEOUT_MS,
	};

	if (ioctl(fd, SG_IO, &header) < 0)
		return errno == ENOTTY || errno == EINVAL ? -ENOTSUP : -errno;
	if (header.host_status)
		return -EIO;
	/* With a page, sense data says that the disk refused: it has no SMART, or it is off. */
	return page && header.status ? -ENOTSUP : 0;
}

int health_ask_ata(int fd, struct health_answer *answer)
{
	int err = health_recorded(fd, answer);

	if (err)
		return err < 0 ? err : 0;
	err = health_smart(fd, 0xd0, true, answer);
	if (err)
		return err;
	/* Some bridges pass no registers: then the disk's own verdict is not known. */
	if (health_smart(fd, 0xda, false, answer) < 0)
		memset(answer->sense, 0, sizeof(answer->sense));
	return 0;
}
