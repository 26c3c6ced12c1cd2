/* SPDX-License-Identifier: BSD-2-Clause */
/* Source mem.edac: memory errors that ECC found, per controller and module, as EDAC counts them. */
#include <dirent.h>
#include <stdio.h>

#include <weir/plugin.h>
#include <weir/probe.h>
#include <weir/reading.h>

#define EDAC_FOLDER "sys/devices/system/edac/mc"

struct edac_conf {
	uint64_t interval;
};

static const struct weir_option edac_options[] = {
	WEIR_OPT_DURATION(struct edac_conf, interval, "0", 0, 24 * WEIR_HOUR,
			  "time between two readings; 0: one reading, then the end"),
};

struct edac_row {
	char controller[32];
	char dimm[32];
	char label[64];
	uint64_t corrected;
	uint64_t uncorrected;
	char state[48];
};

static const struct weir_field edac_fields[] = {
	WEIR_FIELD_WITH(struct edac_row, controller, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"memory controller"),
	WEIR_FIELD_WITH(struct edac_row, dimm, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"module or rank; empty: the whole controller"),
	WEIR_FIELD_WITH(struct edac_row, label, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"where it is on the board"),
	WEIR_FIELD_WITH(struct edac_row, corrected, WEIR_COUNT, WEIR_COUNTER, WEIR_OPTIONAL,
			"errors that were corrected, since the driver began to count"),
	WEIR_FIELD_WITH(struct edac_row, uncorrected, WEIR_COUNT, WEIR_COUNTER, WEIR_OPTIONAL,
			"errors that were not"),
	WEIR_FIELD(struct edac_row, state, WEIR_NONE, WEIR_GAUGE,
		   "ok, corrected errors, ERRORS, or why it is not known"),
};
WEIR_SCHEMA(edac_schema, "memory errors", struct edac_row, edac_fields);

static const struct weir_output edac_outputs[] = {
	{ "modules", "one row per controller and one per module", &edac_schema, 0, 0 },
};

struct edac_state {
	bool started;
};

static uint64_t edac_count(struct weir_ctx *ctx, const char *folder, const char *name)
{
	char path[512];
	int64_t count = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return weir_read_number(ctx, path, &count) < 0 || count < 0 ? WEIR_ABSENT_U64
								    : (uint64_t)count;
}

static const char *edac_judge(const struct edac_row *row)
{
	if (row->uncorrected == WEIR_ABSENT_U64 && row->corrected == WEIR_ABSENT_U64)
		return "not readable";
	if (row->uncorrected != WEIR_ABSENT_U64 && row->uncorrected > 0)
		return "ERRORS";
	return row->corrected != WEIR_ABSENT_U64 && row->corrected > 0 ? "corrected errors" : "ok";
}

static void edac_label(struct weir_ctx *ctx, const char *folder, const char *name,
		       struct edac_row *row)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (weir_read_file(ctx, path, &buffer) == 0)
		snprintf(row->label, sizeof(row->label), "%.*s", (int)strcspn(buffer.bytes, "\n"),
			 buffer.bytes);
	weir_buffer_release(&buffer);
}

static int edac_add(struct weir_ctx *ctx, struct weir_batch *batch, const char *folder,
		    const char *controller, const char *dimm)
{
	struct edac_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	snprintf(row->controller, sizeof(row->controller), "%.31s", controller);
	snprintf(row->dimm, sizeof(row->dimm), "%.31s", dimm);
	edac_label(ctx, folder, *dimm ? "dimm_label" : "mc_name", row);
	row->corrected = edac_count(ctx, folder, *dimm ? "dimm_ce_count" : "ce_count");
	row->uncorrected = edac_count(ctx, folder, *dimm ? "dimm_ue_count" : "ue_count");
	snprintf(row->state, sizeof(row->state), "%s", edac_judge(row));
	return 0;
}

/* NULL: there is no such folder. */
static DIR *edac_open(struct weir_ctx *ctx, const char *folder)
{
	int fd = openat(ctx->root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

/* A folder whose name begins so and goes on with a number. */
static bool edac_is(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 && name[length] >= '0' && name[length] <= '9';
}

static int edac_add_controller(struct weir_ctx *ctx, struct weir_batch *batch, const char *name)
{
	char folder[300], below[400];
	struct dirent *entry;
	DIR *stream;
	int err;

	snprintf(folder, sizeof(folder), EDAC_FOLDER "/%.200s", name);
	err = edac_add(ctx, batch, folder, name, "");
	stream = edac_open(ctx, folder);
	while (!err && stream && (entry = readdir(stream))) {
		if (!edac_is(entry->d_name, "dimm") && !edac_is(entry->d_name, "rank"))
			continue;
		snprintf(below, sizeof(below), "%s/%.64s", folder, entry->d_name);
		err = edac_add(ctx, batch, below, name, entry->d_name);
	}
	if (stream)
		closedir(stream);
	return err;
}

static int edac_add_all(struct weir_ctx *ctx, struct weir_batch *batch)
{
	DIR *stream = edac_open(ctx, EDAC_FOLDER);
	struct dirent *entry;
	struct edac_row *row;
	int err = 0;

	while (!err && stream && (entry = readdir(stream)))
		if (edac_is(entry->d_name, "mc"))
			err = edac_add_controller(ctx, batch, entry->d_name);
	if (stream)
		closedir(stream);
	if (err || batch->row_count)
		return err;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	row->corrected = row->uncorrected = WEIR_ABSENT_U64;
	snprintf(row->state, sizeof(row->state), "not available: no EDAC driver");
	return 0;
}

static int edac_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct edac_conf *conf = ctx->options;
	struct edac_state *st = ctx->state;
	struct weir_batch *batch = weir_loan_window(ctx, 0, 8, now, now);
	int err = batch ? weir_commit_filled(ctx, batch, edac_add_all(ctx, batch)) : 0;

	return err ? err : weir_read_again(ctx, &st->started, conf->interval);
}

static int edac_start(struct weir_ctx *ctx)
{
	return weir_read_at_once(ctx);
}

static void edac_probe(struct weir_ctx *ctx)
{
	if (weir_path_exists(ctx, EDAC_FOLDER "/mc0"))
		weir_need(ctx, WEIR_NEED_MET, "EDAC", "counts memory errors", "", "");
	else
		weir_need(ctx, WEIR_NEED_LIMITED, "EDAC", "no driver", "errors that ECC found",
			  "on a machine with ECC memory, modprobe its EDAC driver");
}

WEIR_COMPONENT("mem.edac", WEIR_SOURCE, .summary = "memory errors that ECC found",
	       .doc = "Counts of the EDAC drivers below /sys/devices/system/edac, per memory "
		      "controller and module.",
	       .options_size = sizeof(struct edac_conf), .state_size = sizeof(struct edac_state),
	       .options = WEIR_TABLE(edac_options), .outputs = WEIR_TABLE(edac_outputs),
	       .probe = edac_probe, .start = edac_start, .tick = edac_tick);
