/* SPDX-License-Identifier: BSD-2-Clause */
/* Source disk.health: what disks say about their own health, where they have something to say. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>

#include <weir/plugin.h>
#include <weir/probe.h>
#include <weir/reading.h>

#include "health_device.h"

struct health_conf {
	uint64_t interval;
	const char *disk;
};

static const struct weir_option health_options[] = {
	WEIR_OPT_DURATION(struct health_conf, interval, "0", 0, 24 * WEIR_HOUR,
			  "time between two readings; 0: one reading, then the end"),
	WEIR_OPT_TEXT(struct health_conf, disk, "", "only this disk"),
};

struct health_row {
	char disk[32];
	char kind[8];
	char state[48];
	int64_t temperature;
	double used;
	double spare;
	uint64_t media_errors;
	uint64_t error_log_entries;
	uint64_t unsafe_shutdowns;
	uint64_t reallocated;
	uint64_t pending;
	uint64_t offline_uncorrectable;
	uint64_t uncorrectable;
	uint64_t timeouts;
	uint64_t interface_errors;
	uint64_t power_on_hours;
	uint32_t critical_warning;
	uint32_t pad;
};

WEIR_DEFINE_UNIT(health_celsius, "temperature", "Cel", "C", 1, 1);
WEIR_DEFINE_UNIT(health_hours, "time", "h", "h", 3600, 1);

#define HEALTH_FIELD(member_, unit_, role_, flags_, doc_)                                          \
	WEIR_FIELD_WITH(struct health_row, member_, unit_, role_, WEIR_OPTIONAL | (flags_), doc_)
#define HEALTH_COUNT(member_, flags_, doc_)                                                        \
	HEALTH_FIELD(member_, WEIR_COUNT, WEIR_COUNTER, flags_, doc_)

static const struct weir_field health_fields[] = {
	WEIR_FIELD(struct health_row, disk, WEIR_NONE, WEIR_KEY, "block device"),
	HEALTH_FIELD(kind, WEIR_NONE, WEIR_KEY, 0, "nvme or ata"),
	WEIR_FIELD(struct health_row, state, WEIR_NONE, WEIR_GAUGE,
		   "ok, errors, FAILING: why; or why it is not known"),
	HEALTH_FIELD(temperature, &health_celsius, WEIR_GAUGE, 0, "of the disk"),
	HEALTH_FIELD(used, WEIR_RATIO, WEIR_GAUGE, 0, "nvme: of its rated life; may exceed 100 %"),
	HEALTH_FIELD(spare, WEIR_RATIO, WEIR_GAUGE, 0, "nvme: spare blocks that are left"),
	HEALTH_COUNT(media_errors, 0, "nvme: data that could not be read back right"),
	HEALTH_COUNT(error_log_entries, WEIR_QUIET, "nvme: commands that ended in an error"),
	HEALTH_COUNT(unsafe_shutdowns, WEIR_QUIET, "nvme: power lost without a warning"),
	HEALTH_COUNT(reallocated, 0, "ata 5: sectors replaced by spare ones"),
	HEALTH_COUNT(pending, 0, "ata 197: sectors that wait to be replaced"),
	HEALTH_COUNT(offline_uncorrectable, WEIR_QUIET, "ata 198: sectors that a scan found bad"),
	HEALTH_COUNT(uncorrectable, 0, "ata 187: errors that were not corrected"),
	HEALTH_COUNT(timeouts, WEIR_QUIET, "ata 188: commands that timed out"),
	HEALTH_COUNT(interface_errors, WEIR_QUIET, "ata 199: bad sums on the cable"),
	HEALTH_FIELD(power_on_hours, &health_hours, WEIR_COUNTER, WEIR_QUIET, "time it ran"),
	HEALTH_FIELD(critical_warning, WEIR_NONE, WEIR_GAUGE, WEIR_QUIET | WEIR_HEX,
		     "nvme: spare 1, temperature 2, reliability 4, read only 8, backup 10"),
};
WEIR_SCHEMA(health_schema, "disk health", struct health_row, health_fields);

static const struct weir_output health_outputs[] = {
	{ "disks", "one row per disk", &health_schema, 0, 0 },
};

struct health_state {
	struct weir_buffer buffer;
	bool started;
};

static void health_clear(struct health_row *row)
{
	row->temperature = WEIR_ABSENT_I64;
	row->used = row->spare = NAN;
	row->media_errors = row->error_log_entries = row->unsafe_shutdowns = WEIR_ABSENT_U64;
	row->reallocated = row->pending = row->offline_uncorrectable = WEIR_ABSENT_U64;
	row->uncorrectable = row->timeouts = row->interface_errors = WEIR_ABSENT_U64;
	row->power_on_hours = WEIR_ABSENT_U64;
	row->critical_warning = WEIR_ABSENT_U32;
}

static void health_say(struct health_row *row, const char *state)
{
	snprintf(row->state, sizeof(row->state), "%s", state);
}

/* The first bit of critical_warning that is set, in words. */
static void health_judge_nvme(struct health_row *row)
{
	static const char *const warnings[] = { "FAILING: spare blocks are used up",
						"FAILING: too hot or too cold",
						"FAILING: not reliable any more",
						"FAILING: read only",
						"FAILING: backup of its memory failed" };

	health_say(row, row->media_errors ? "errors" : "ok");
	for (uint32_t i = sizeof(warnings) / sizeof(warnings[0]); i-- > 0;)
		if (row->critical_warning & 1u << i)
			health_say(row, warnings[i]);
}

static void health_fill_nvme(struct health_row *row, const struct health_answer *answer)
{
	struct health_nvme health;

	health_parse_nvme(answer->page, &health);
	row->critical_warning = health.critical_warning;
	row->temperature = health.kelvin ? (int64_t)health.kelvin - 273 : WEIR_ABSENT_I64;
	row->used = health.used / 100.0;
	row->spare = health.spare / 100.0;
	row->media_errors = health.media_errors;
	row->error_log_entries = health.error_log_entries;
	row->unsafe_shutdowns = health.unsafe_shutdowns;
	row->power_on_hours = health.power_on_hours;
	health_judge_nvme(row);
}

static bool health_any(uint64_t count)
{
	return count != WEIR_ABSENT_U64 && count > 0;
}

static void health_fill_ata(struct health_row *row, const struct health_answer *answer)
{
	uint64_t values[ATA_ATTRIBUTES];

	if (!health_parse_ata(answer->page, values)) {
		health_say(row, "not readable: the sum of its page is wrong");
		return;
	}
	row->temperature = values[ATA_TEMPERATURE] == WEIR_ABSENT_U64
				   ? WEIR_ABSENT_I64
				   : (int64_t)values[ATA_TEMPERATURE];
	row->reallocated = values[ATA_REALLOCATED];
	row->pending = values[ATA_PENDING];
	row->offline_uncorrectable = values[ATA_OFFLINE];
	row->uncorrectable = values[ATA_UNCORRECTABLE];
	row->timeouts = values[ATA_TIMEOUTS];
	row->interface_errors = values[ATA_INTERFACE_ERRORS];
	row->power_on_hours = values[ATA_POWER_ON_HOURS];
	if (health_parse_status(answer->sense, sizeof(answer->sense)) == HEALTH_FAILING)
		health_say(row, "FAILING: the disk says so");
	else if (health_any(row->reallocated) || health_any(row->pending) ||
		 health_any(row->offline_uncorrectable) || health_any(row->uncorrectable))
		health_say(row, "errors");
	else
		health_say(row, "ok");
}

/* What kinds of disks have nothing to tell, by how their names begin. */
static const struct {
	const char *prefix;
	const char *what;
} health_others[] = {
	{ "vd", "virtio" },
	{ "xvd", "Xen" },
	{ "loop", "loop device" },
	{ "zram", "zram" },
	{ "ram", "memory" },
	{ "dm-", "device mapper" },
	{ "md", "software RAID" },
	{ "nbd", "network device" },
	{ "rbd", "network device" },
	{ "sr", "optical" },
	{ "fd", "floppy" },
	{ "mmcblk", "flash card" },
	{ "pmem", "persistent memory" },
};

static const char *health_other(const char *disk)
{
	for (size_t i = 0; i < sizeof(health_others) / sizeof(health_others[0]); i++)
		if (strncmp(disk, health_others[i].prefix, strlen(health_others[i].prefix)) == 0)
			return health_others[i].what;
	return NULL;
}

static bool health_is(struct weir_ctx *ctx, const char *disk, const char *file, const char *text)
{
	struct health_state *st = ctx->state;
	char path[128];

	snprintf(path, sizeof(path), "sys/block/%.31s/%s", disk, file);
	return weir_read_file(ctx, path, &st->buffer) == 0 &&
	       strncmp(st->buffer.bytes, text, strlen(text)) == 0;
}

struct health_way {
	const char *kind;
	int (*ask)(int fd, struct health_answer *answer);
	void (*fill)(struct health_row *row, const struct health_answer *answer);
};

/* NULL: no way to ask it, which the row then says. */
static const struct health_way *health_way(struct weir_ctx *ctx, struct health_row *row)
{
	static const struct health_way nvme = { "nvme", health_ask_nvme, health_fill_nvme };
	static const struct health_way ata = { "ata", health_ask_ata, health_fill_ata };
	const char *other = health_other(row->disk);

	if (strncmp(row->disk, "nvme", 4) == 0)
		return &nvme;
	if (health_is(ctx, row->disk, "device/vendor", "ATA "))
		return &ata;
	snprintf(row->state, sizeof(row->state), "not applicable: %s",
		 other ? other : "neither NVMe nor ATA");
	return NULL;
}

static void health_refused(struct health_row *row, int err)
{
	if (err == -EACCES || err == -EPERM)
		health_say(row, "no permission: run as root");
	else if (err == -ENOTSUP)
		health_say(row, "not applicable: it has no SMART");
	else
		snprintf(row->state, sizeof(row->state), "not readable: %s", strerror(-err));
}

static void health_fill(struct weir_ctx *ctx, struct health_row *row)
{
	const struct health_way *way = health_way(ctx, row);
	struct health_answer answer;
	char path[64];
	int fd, err;

	if (!way)
		return;
	snprintf(row->kind, sizeof(row->kind), "%s", way->kind);
	snprintf(path, sizeof(path), "dev/%s", row->disk);
	fd = openat(ctx->root, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	err = fd < 0 ? -errno : way->ask(fd, &answer);
	if (fd >= 0)
		close(fd);
	if (err)
		health_refused(row, err);
	else
		way->fill(row, &answer);
}

/* Devices of size 0 are names without a disk: free loop devices, empty drives. */
static int health_add(struct weir_ctx *ctx, struct weir_batch *batch, const char *disk)
{
	const struct health_conf *conf = ctx->options;
	struct health_row *row;

	if (disk[0] == '.' || (conf->disk[0] && strcmp(conf->disk, disk) != 0) ||
	    health_is(ctx, disk, "size", "0\n"))
		return 0;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	snprintf(row->disk, sizeof(row->disk), "%.31s", disk);
	health_clear(row);
	health_fill(ctx, row);
	return 0;
}

static int health_add_all(struct weir_ctx *ctx, struct weir_batch *batch)
{
	int fd = openat(ctx->root, "sys/block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!stream) {
		err = weir_fail(ctx, -errno, "list /sys/block");
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(stream)))
		err = health_add(ctx, batch, entry->d_name);
	closedir(stream);
	return err;
}

static int health_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct health_conf *conf = ctx->options;
	struct health_state *st = ctx->state;
	struct weir_batch *batch = weir_loan_window(ctx, 0, 8, now, now);
	int err = batch ? weir_commit_filled(ctx, batch, health_add_all(ctx, batch)) : 0;

	return err ? err : weir_read_again(ctx, &st->started, conf->interval);
}

static int health_start(struct weir_ctx *ctx)
{
	return weir_read_at_once(ctx);
}

static void health_destroy(struct weir_ctx *ctx)
{
	struct health_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
}

static void health_probe(struct weir_ctx *ctx)
{
	weir_probe_capability(ctx, CAP_SYS_ADMIN, "CAP_SYS_ADMIN", WEIR_NEED_LIMITED,
			      "what NVMe disks say about their health");
	weir_probe_capability(ctx, CAP_SYS_RAWIO, "CAP_SYS_RAWIO", WEIR_NEED_LIMITED,
			      "what ATA disks say about their health");
}

WEIR_COMPONENT("disk.health", WEIR_SOURCE, .summary = "what disks say about their own health",
	       .doc = "NVMe's page of SMART and ATA's SMART attributes. A disk that has no such "
		      "thing (virtio, loop,\nzram ...) has a row that says so.",
	       .options_size = sizeof(struct health_conf),
	       .state_size = sizeof(struct health_state), .options = WEIR_TABLE(health_options),
	       .outputs = WEIR_TABLE(health_outputs), .probe = health_probe, .start = health_start,
	       .tick = health_tick, .destroy = health_destroy);
