/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of /proc/diskstats; see stat_read.h. */
#include <linux/magic.h>
#include <linux/major.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <weir/number.h>
#include <weir/probe.h>

#include "stat_read.h"

/* What is read of sysfs for each line. */
struct disk_sysfs {
	int folder; /* sys/block; -1: there is none */
	bool live;
};

static struct disk_sysfs disk_open_sysfs(struct weir_ctx *ctx)
{
	struct disk_sysfs sysfs = { -1, false };
	struct statfs fs;

	sysfs.folder = openat(ctx->root, "sys/block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	sysfs.live =
		sysfs.folder >= 0 && fstatfs(sysfs.folder, &fs) == 0 && fs.f_type == SYSFS_MAGIC;
	return sysfs;
}

static struct disk_entry *disk_add(struct disk_sample *sample)
{
	uint32_t capacity = sample->capacity ? sample->capacity * 2 : 16;
	struct disk_entry *disks;

	if (sample->count < sample->capacity)
		return &sample->disks[sample->count++];
	disks = realloc(sample->disks, capacity * sizeof(*disks));
	if (!disks)
		return NULL;
	sample->disks = disks;
	sample->capacity = capacity;
	return &disks[sample->count++];
}

/* The word after the blanks at *at; false when it is none, or too long. */
static bool disk_take_name(const char **at, char *name, size_t size)
{
	const char *word = *at + strspn(*at, " ");
	size_t length = strcspn(word, " \n");

	if (length == 0 || length >= size)
		return false;
	memcpy(name, word, length);
	name[length] = '\0';
	*at = word + length;
	return true;
}

/* 11, 15 or 17 counters; later kernels may have more. */
static bool disk_parse(const char *line, struct disk_entry *disk)
{
	uint64_t major, minor;
	int n = 0;

	if (!weir_take_number(&line, &major) || !weir_take_number(&line, &minor) ||
	    !disk_take_name(&line, disk->name, sizeof(disk->name)) || major > UINT32_MAX ||
	    minor > UINT32_MAX)
		return false;
	disk->major = (uint32_t)major;
	disk->minor = (uint32_t)minor;
	while (n < DISK_COUNTERS && weir_take_number(&line, &disk->counters[n]))
		n++;
	if (n != DISCARDS && n != FLUSHES && n != DISK_COUNTERS)
		return false;
	if (n < DISK_COUNTERS && line[strspn(line, " ")] != '\n')
		return false;
	for (; n < DISK_COUNTERS; n++)
		disk->counters[n] = WEIR_ABSENT_U64;
	return true;
}

void disk_folder_name(const char *name, char folder[DISK_NAME])
{
	snprintf(folder, DISK_NAME, "%s", name);
	for (char *at = folder; *at; at++)
		if (*at == '/')
			*at = '!';
}

/* What is no folder of sys/block is a partition; without a sysfs, all are taken for disks. */
static void disk_identify(struct weir_ctx *ctx, const struct disk_sysfs *sysfs,
			  struct disk_entry *disk)
{
	char folder[DISK_NAME], path[96];
	struct stat status;
	int64_t sequence = 0;

	disk->sequence = disk->object = 0;
	disk->partition = false;
	if (sysfs->folder < 0)
		return;
	disk_folder_name(disk->name, folder);
	if (fstatat(sysfs->folder, folder, &status, 0) == 0) {
		disk->object = sysfs->live ? status.st_ino : 0;
		snprintf(path, sizeof(path), "sys/block/%s/diskseq", folder);
	} else {
		disk->partition = true;
		snprintf(path, sizeof(path), "sys/class/block/%s/../diskseq", folder);
	}
	if (weir_read_number(ctx, path, &sequence) == 0 && sequence > 0)
		disk->sequence = (uint64_t)sequence;
}

static int disk_read_lines(struct weir_ctx *ctx, const char *line, const struct disk_sysfs *sysfs,
			   struct disk_sample *sample)
{
	sample->count = 0;
	for (; line && *line; line = strchr(line, '\n')) {
		struct disk_entry *disk;

		line += *line == '\n';
		if (!*line)
			break;
		disk = disk_add(sample);
		if (!disk)
			return weir_fail(ctx, -ENOMEM, "remember counters of disks");
		if (!disk_parse(line, disk))
			return weir_fail(ctx, -EBADMSG, "/proc/diskstats: cannot read \"%.*s\"",
					 (int)strcspn(line, "\n"), line);
		disk_identify(ctx, sysfs, disk);
	}
	return 0;
}

int disk_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct disk_sample *sample)
{
	struct disk_sysfs sysfs;
	int err = weir_read_file(ctx, "proc/diskstats", buffer);

	if (err)
		return weir_fail(ctx, err, "read /proc/diskstats");
	sysfs = disk_open_sysfs(ctx);
	err = disk_read_lines(ctx, buffer->bytes, &sysfs, sample);
	if (sysfs.folder >= 0)
		close(sysfs.folder);
	return err;
}

const struct disk_entry *disk_find(const struct disk_sample *sample, const char *name,
				   uint32_t hint)
{
	if (hint < sample->count && strcmp(sample->disks[hint].name, name) == 0)
		return &sample->disks[hint];
	for (uint32_t i = 0; i < sample->count; i++)
		if (strcmp(sample->disks[i].name, name) == 0)
			return &sample->disks[i];
	return NULL;
}

/*
 * Another diskseq is another device, or another medium in the same one, whose counters go on: the
 * folder's inode tells in a live sysfs. A recorded one has none that means anything; there loop
 * devices and CD drives, which outlive their media, are known by their numbers.
 */
enum disk_change disk_compare(const struct disk_entry *old, const struct disk_entry *new)
{
	bool stays = new->major == LOOP_MAJOR || new->major == SCSI_CDROM_MAJOR;

	if (old->major != new->major || old->minor != new->minor)
		return DISK_REPLACED;
	if (old->object && new->object)
		stays = old->object == new->object;
	if (old->object != new->object && !stays)
		return DISK_REPLACED;
	if (old->sequence == new->sequence || !old->sequence || !new->sequence)
		return DISK_SAME;
	return stays ? DISK_MEDIUM : DISK_REPLACED;
}
