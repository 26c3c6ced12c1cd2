/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source kernel.timers: which units systemd's timers start, and when one last did. By files alone, so
 * that it costs nothing while nobody asks: the timers' units, and the stamps that persistent ones leave.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include <weir/plugin.h>
#include <weir/reading.h>
#include <weir/sample.h>

#define TIMERS_NAME   256 /* of a unit, its NUL included: longer ones systemd does not take */
#define TIMERS_SUFFIX ".timer"

struct timers_conf {
	uint64_t interval;
};

static const struct weir_option timers_options[] = {
	WEIR_OPT_DURATION(struct timers_conf, interval, "0", 0, 24 * WEIR_HOUR,
			  "time between two readings, besides one at the end; 0: one reading"),
};

struct timers_row {
	char timer[TIMERS_NAME];
	char unit[TIMERS_NAME];
	uint64_t fired;
};

static const struct weir_field timers_fields[] = {
	WEIR_FIELD(struct timers_row, timer, WEIR_NONE, WEIR_KEY, "a timer that is enabled"),
	WEIR_FIELD(struct timers_row, unit, WEIR_NONE, WEIR_KEY, "the unit that it starts"),
	{ "fired", "when it last did, where it leaves a stamp (Persistent=true)", WEIR_NS,
	  WEIR_TYPE_TIME, WEIR_GAUGE, WEIR_U64_OFFSET(struct timers_row, fired), 8, WEIR_OPTIONAL },
};
WEIR_SCHEMA(timers_schema, "timers", struct timers_row, timers_fields);

static const struct weir_output timers_outputs[] = {
	{ "timers", "one row per timer", &timers_schema, 0, 0 },
};

struct timers_state {
	struct weir_buffer buffer;
	bool started;
};

/* Where units are; of one name the first counts. */
static const char *const timers_folders[] = {
	"etc/systemd/system",    "run/systemd/system",     "run/systemd/transient",
	"run/systemd/generator", "usr/lib/systemd/system", "usr/local/lib/systemd/system",
	"lib/systemd/system",
};

#define TIMERS_FOLDERS (sizeof(timers_folders) / sizeof(timers_folders[0]))

/* What `key` is in that section of the buffer, the last time it is said; its length is 0: nothing. */
static const char *timers_value(const struct weir_buffer *unit, const char *section,
				const char *key, size_t *length)
{
	const char *value = "", *line = unit->bytes;
	const size_t key_length = strlen(key);
	bool inside = false;

	for (*length = 0; *line;) {
		const size_t bytes = strcspn(line, "\n");

		if (*line == '[') {
			inside = strncmp(line, section, strlen(section)) == 0;
		} else if (inside && strncmp(line, key, key_length) == 0) {
			value = line + key_length + strspn(line + key_length, " \t");
			*length = bytes - (size_t)(value - line);
		}
		line += bytes + (line[bytes] == '\n');
	}
	while (*length && isspace((unsigned char)value[*length - 1]))
		--*length;
	return value;
}

/* The unit that it names, or else the service of its own name. */
static void timers_unit(struct weir_ctx *ctx, struct timers_row *row)
{
	const struct timers_state *st = ctx->state;
	size_t length;
	const char *unit = timers_value(&st->buffer, "[Timer]", "Unit=", &length);
	const size_t stem = strlen(row->timer) - strlen(TIMERS_SUFFIX);

	if (length && length < TIMERS_NAME)
		snprintf(row->unit, TIMERS_NAME, "%.*s", (int)length, unit);
	else
		snprintf(row->unit, TIMERS_NAME, "%.*s.service", (int)(stem < 247 ? stem : 247),
			 row->timer);
}

static bool timers_is_there(struct weir_ctx *ctx, const char *path, struct stat *status)
{
	/* A link below another root leads nowhere; that it is there is what counts. */
	return fstatat(ctx->root, path, status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* When it last started its unit, by the stamp that it then leaves. */
static uint64_t timers_fired(struct weir_ctx *ctx, const char *timer)
{
	char path[TIMERS_NAME + 64];
	struct timespec wall;
	struct stat status;
	const uint64_t now = weir_now(ctx);
	int64_t ago;

	snprintf(path, sizeof(path), "var/lib/systemd/timers/stamp-%s", timer);
	if (!timers_is_there(ctx, path, &status) || clock_gettime(CLOCK_REALTIME, &wall) < 0)
		return WEIR_ABSENT_U64;
	ago = (wall.tv_sec - status.st_mtim.tv_sec) * 1000000000 + wall.tv_nsec -
	      status.st_mtim.tv_nsec;
	/* Before this boot, or by a clock that was put back since: not on this clock. */
	return ago >= 0 && (uint64_t)ago < now ? now - (uint64_t)ago : WEIR_ABSENT_U64;
}

/* One that nobody has enabled starts nothing; what was made for now (systemd-run) is. */
static bool timers_is_enabled(struct weir_ctx *ctx, const char *folder, const char *timer)
{
	char path[TIMERS_NAME + 96];
	struct stat status;

	if (strcmp(folder, "run/systemd/transient") == 0)
		return true;
	for (size_t i = 0; i < TIMERS_FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s/timers.target.wants/%s", timers_folders[i], timer);
		if (timers_is_there(ctx, path, &status))
			return true;
	}
	return false;
}

/* A folder before that one has it. */
static bool timers_is_hidden(struct weir_ctx *ctx, const char *folder, const char *timer)
{
	char path[TIMERS_NAME + 64];
	struct stat status;

	for (size_t i = 0; timers_folders[i] != folder; i++) {
		snprintf(path, sizeof(path), "%s/%s", timers_folders[i], timer);
		if (timers_is_there(ctx, path, &status))
			return true;
	}
	return false;
}

/* A masked one is empty. */
static int timers_add(struct weir_ctx *ctx, struct weir_batch *batch, const char *folder,
		      const char *timer)
{
	struct timers_state *st = ctx->state;
	char path[TIMERS_NAME + 64];
	struct timers_row *row;

	if (timers_is_hidden(ctx, folder, timer) || !timers_is_enabled(ctx, folder, timer))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", folder, timer);
	if (weir_read_file(ctx, path, &st->buffer) < 0 || !st->buffer.size)
		return 0;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	snprintf(row->timer, TIMERS_NAME, "%s", timer);
	timers_unit(ctx, row);
	row->fired = timers_fired(ctx, timer);
	return 0;
}

static bool timers_is_name(const char *name)
{
	const size_t length = strlen(name), suffix = strlen(TIMERS_SUFFIX);

	return length > suffix && length < TIMERS_NAME &&
	       strcmp(name + length - suffix, TIMERS_SUFFIX) == 0;
}

static int timers_add_folder(struct weir_ctx *ctx, struct weir_batch *batch, const char *folder)
{
	int fd = openat(ctx->root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!stream) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while (!err && (entry = readdir(stream)))
		if (timers_is_name(entry->d_name))
			err = timers_add(ctx, batch, folder, entry->d_name);
	closedir(stream);
	return err;
}

static int timers_add_all(struct weir_ctx *ctx, struct weir_batch *batch)
{
	int err = 0;

	for (size_t i = 0; i < TIMERS_FOLDERS && !err; i++)
		err = timers_add_folder(ctx, batch, timers_folders[i]);
	return err;
}

static int timers_send(struct weir_ctx *ctx, uint64_t now)
{
	struct weir_batch *batch = weir_loan_window(ctx, 0, 16, now, now);

	return batch ? weir_commit_filled(ctx, batch, timers_add_all(ctx, batch)) : 0;
}

static int timers_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct timers_conf *conf = ctx->options;
	struct timers_state *st = ctx->state;
	int err = timers_send(ctx, now);

	return err ? err : weir_read_again(ctx, &st->started, conf->interval);
}

static int timers_start(struct weir_ctx *ctx)
{
	return weir_read_at_once(ctx);
}

/* What has started something since the last reading is what is asked for. */
static int timers_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct timers_conf *conf = ctx->options;

	(void)deadline;
	return conf->interval ? timers_send(ctx, weir_now(ctx)) : 0;
}

static void timers_destroy(struct weir_ctx *ctx)
{
	struct timers_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
}

WEIR_COMPONENT(
	"kernel.timers", WEIR_SOURCE, .summary = "timers of systemd, and what they start",
	.doc = "Timers that are enabled, or were made by systemd-run, with the unit that each "
	       "starts, and when it\nlast did, where it leaves a stamp. Drop-in files and "
	       "instances of templates are not looked at.",
	.options_size = sizeof(struct timers_conf), .state_size = sizeof(struct timers_state),
	.options = WEIR_TABLE(timers_options), .outputs = WEIR_TABLE(timers_outputs),
	.start = timers_start, .tick = timers_tick, .drain = timers_drain,
	.destroy = timers_destroy);
