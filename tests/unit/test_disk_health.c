/* SPDX-License-Identifier: BSD-2-Clause */
/* disk.health over recorded trees, whose devices are files that hold what the disk answered. */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "health_device.h"
#include "source_host.h"

static void write_answer(struct source_host *source, const char *path, const void *bytes,
			 size_t size)
{
	int fd;

	source_file(source, path, "");
	fd = openat(source->ctx.root, path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void each_disk_tells_its_health_or_why_not(void **state)
{
	struct health_answer nvme = { .page = { 0x08, 0x2c, 0x01, 90, 10, 35 } };
	struct health_answer ata = { .page = { [2] = 5, [7] = 9 }, .sense = { 0x70 } };
	struct source_host source;
	uint32_t row;

	(void)state;
	nvme.page[160] = 2;
	ata.page[511] = (uint8_t) - (5 + 9);
	ata.sense[10] = 0xf4, ata.sense[11] = 0x2c;
	source_open(&source, NULL);
	source_file(&source, "sys/block/nvme0n1/size", "1000\n");
	write_answer(&source, "dev/nvme0n1", &nvme, HEALTH_PAGE_SIZE);
	source_file(&source, "sys/block/sda/size", "1000\n");
	source_file(&source, "sys/block/sda/device/vendor", "ATA     \n");
	write_answer(&source, "dev/sda", &ata, sizeof(ata));
	source_file(&source, "sys/block/sdb/size", "1000\n");
	source_file(&source, "sys/block/sdb/device/vendor", "SEAGATE \n");
	source_file(&source, "sys/block/sdc/size", "1000\n");
	source_file(&source, "sys/block/sdc/device/vendor", "ATA     \n");
	source_file(&source, "dev/sdc", "short");
	source_file(&source, "sys/block/vda/size", "1000\n");
	source_file(&source, "sys/block/loop0/size", "0\n");
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_int_equal(source_rows(&source, 0), 5);
	row = source_find(&source, 0, "disk", "nvme0n1");
	assert_string_equal(source_text(&source, 0, row, "state"), "FAILING: read only");
	assert_int_equal(source_uint(&source, 0, row, "temperature"), 300 - 273);
	assert_true(source_double(&source, 0, row, "used") == 0.35);
	assert_int_equal(source_uint(&source, 0, row, "media_errors"), 2);
	assert_true(source_uint(&source, 0, row, "reallocated") == WEIR_ABSENT_U64);
	row = source_find(&source, 0, "disk", "sda");
	assert_string_equal(source_text(&source, 0, row, "state"), "FAILING: the disk says so");
	assert_int_equal(source_uint(&source, 0, row, "reallocated"), 9);
	assert_true(isnan(source_double(&source, 0, row, "used")));
	row = source_find(&source, 0, "disk", "sdb");
	assert_string_equal(source_text(&source, 0, row, "state"),
			    "not applicable: neither NVMe nor ATA");
	row = source_find(&source, 0, "disk", "sdc");
	assert_string_equal(source_text(&source, 0, row, "state"), "not readable: Bad message");
	assert_true(source_uint(&source, 0, row, "reallocated") == WEIR_ABSENT_U64);
	row = source_find(&source, 0, "disk", "vda");
	assert_string_equal(source_text(&source, 0, row, "state"), "not applicable: virtio");
	source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_disk_tells_its_health_or_why_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
