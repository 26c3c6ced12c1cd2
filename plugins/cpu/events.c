/* SPDX-License-Identifier: BSD-2-Clause */
/* Source cpu.events: what can be counted, sampled or traced on this machine, and if not, why not. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>

#include <weir/perf_event.h>
#include <weir/plugin.h>
#include <weir/probe.h>

#include "perf_names.h"

enum events_kind { HARDWARE, SOFTWARE, CACHE, TRACEPOINT, PMU };

static const char *const events_kinds[] = { "hardware", "software", "cache", "tracepoint", "pmu" };

struct events_conf {
	uint32_t kind; /* mask of 1 << enum events_kind; 0: all */
	uint32_t reserved;
	const char *match;
};

static const struct weir_option events_options[] = {
	WEIR_OPT_CHOICES(struct events_conf, kind, "", "hardware software cache tracepoint pmu",
			 "only these kinds"),
	WEIR_OPT_TEXT(struct events_conf, match, "*", "only names that match this pattern"),
};

struct events_row {
	char kind[16];
	struct weir_text name;
	struct weir_text use;
	struct weir_text reason;
	bool available;
	uint8_t reserved[7];
};

static const struct weir_field events_fields[] = {
	WEIR_FIELD(struct events_row, kind, WEIR_NONE, WEIR_KEY, "what offers it"),
	WEIR_FIELD(struct events_row, name, WEIR_NONE, WEIR_KEY, "as `event` options take it"),
	WEIR_FIELD(struct events_row, available, WEIR_NONE, WEIR_GAUGE, "whether it works here"),
	WEIR_FIELD_WITH(struct events_row, use, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"what it can be used for"),
	WEIR_FIELD_WITH(struct events_row, reason, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"why it does not work"),
};
WEIR_SCHEMA(events_schema, "events", struct events_row, events_fields);

static const struct weir_output events_outputs[] = {
	{ "events", "one row per event", &events_schema, 0, 0 },
};

struct events_state {
	struct weir_batch *batch; /* while it is being filled */
};

static void events_probe(struct weir_ctx *ctx)
{
	weir_probe_hardware_pmu(ctx, "hardware and cache events cannot be counted");
	weir_probe_nmi_watchdog(ctx);
	weir_probe_paranoid(ctx, 1, "only user code of own processes can be counted and sampled");
	if (perf_tracing_folder(ctx))
		weir_need(ctx, WEIR_NEED_MET, "tracefs", perf_tracing_folder(ctx), "", "");
	else
		weir_need(ctx, WEIR_NEED_LIMITED, "tracefs", "not mounted",
			  "tracepoints cannot be listed, nor sampled by name",
			  "mount -t tracefs tracefs /sys/kernel/tracing");
}

static bool events_wanted(const struct events_conf *conf, enum events_kind kind)
{
	return !conf->kind || conf->kind & (1u << kind);
}

/* One row, if its name is asked for. `reason` NULL: available. */
static int events_add(struct weir_ctx *ctx, enum events_kind kind, const char *name,
		      const char *use, const char *reason)
{
	const struct events_conf *conf = ctx->options;
	struct events_state *state = ctx->state;
	struct weir_batch *batch = state->batch;
	struct events_row *row;

	if (conf->match[0] && fnmatch(conf->match, name, 0) != 0)
		return 0;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	snprintf(row->kind, sizeof(row->kind), "%s", events_kinds[kind]);
	row->available = !reason;
	if (weir_add_text(ctx, batch, name, strlen(name), &row->name) < 0 ||
	    weir_add_text(ctx, batch, reason ? "" : use, reason ? 0 : strlen(use), &row->use) < 0)
		return -ENOMEM;
	return reason ? weir_add_text(ctx, batch, reason, strlen(reason), &row->reason) : 0;
}

/* Whether the kernel opens it; else why not. NULL: it does. */
static const char *events_try(struct weir_ctx *ctx, uint32_t type, uint64_t config, bool *sampled)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = type;
	attr.config = config;
	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	fd = weir_perf_open(&attr, 0, -1, 0);
	if (fd < 0 && type >= PERF_TYPE_MAX) { /* a PMU of the whole CPU */
		attr.exclude_kernel = attr.exclude_hv = 0;
		fd = weir_perf_open(&attr, -1, 0, 0);
	}
	if (fd < 0) {
		if (fd == -EACCES || fd == -EPERM)
			return "not permitted: kernel.perf_event_paranoid";
		if (type >= PERF_TYPE_MAX)
			return "the kernel refuses it";
		return weir_has_hardware_pmu(ctx) ? "this CPU does not have it"
						  : "no hardware PMU here";
	}
	close(fd);
	attr.sample_period = 1000000;
	fd = weir_perf_open(&attr, 0, -1, 0);
	*sampled = fd >= 0;
	if (fd >= 0)
		close(fd);
	return NULL;
}

static int events_try_add(struct weir_ctx *ctx, enum events_kind kind, const char *name,
			  uint32_t type, uint64_t config)
{
	bool sampled = false;
	const char *reason = events_try(ctx, type, config, &sampled);

	return events_add(ctx, kind, name, sampled ? "count, sample" : "count", reason);
}

static int events_add_generic(struct weir_ctx *ctx, enum events_kind kind)
{
	uint32_t type = kind == HARDWARE ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	const struct weir_perf_name *name;
	int err = 0;

	for (uint32_t i = 0; !err && (name = weir_perf_name_at(i)); i++)
		if (name->type == type)
			err = events_try_add(ctx, kind, name->name, type, name->config);
	return err;
}

static int events_add_caches(struct weir_ctx *ctx)
{
	char name[64];
	uint64_t config;
	int err = 0;

	for (uint32_t i = 0; !err && weir_perf_cache_name_at(i, name, sizeof(name), &config); i++)
		err = events_try_add(ctx, CACHE, name, PERF_TYPE_HW_CACHE, config);
	return err;
}

/* Calls `one` with each name in a folder that does not start with a dot. */
static int events_each(struct weir_ctx *ctx, const char *folder, const char *name,
		       int (*one)(struct weir_ctx *ctx, const char *folder, const char *name))
{
	char path[512];
	struct dirent *entry;
	DIR *dir;
	int fd, err = 0;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return 0;
	fd = openat(ctx->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* a plain file, or gone */
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			err = one(ctx, path, entry->d_name);
	closedir(dir);
	return err;
}

/* `folder` ends with the group. Plain files of the folder, "enable" and "filter", are no events. */
static int events_add_tracepoint(struct weir_ctx *ctx, const char *folder, const char *name)
{
	char path[512], full[256];

	if (snprintf(path, sizeof(path), "%s/%s/id", folder, name) >= (int)sizeof(path) ||
	    !weir_path_exists(ctx, path))
		return 0;
	snprintf(full, sizeof(full), "%s:%s", strrchr(folder, '/') + 1, name);
	return events_add(ctx, TRACEPOINT, full, "count, sample, trace", NULL);
}

static int events_add_group(struct weir_ctx *ctx, const char *folder, const char *name)
{
	return events_each(ctx, folder, name, events_add_tracepoint);
}

static int events_add_tracepoints(struct weir_ctx *ctx)
{
	const char *folder = perf_tracing_folder(ctx);

	if (!folder)
		return events_add(ctx, TRACEPOINT, "*", "",
				  "tracefs is not mounted: mount -t tracefs tracefs "
				  "/sys/kernel/tracing");
	return events_each(ctx, folder, "events", events_add_group);
}

/* One term "umask=0x1" of a PMU's event, put where its format file says: "config:8-15". */
static bool events_term(struct weir_ctx *ctx, const char *pmu, const char *term, uint64_t *config)
{
	struct weir_buffer format = { NULL, 0, 0 };
	char path[512];
	unsigned int low = 0;
	const char *equals = strchr(term, '=');
	size_t length = equals ? (size_t)(equals - term) : strlen(term);
	bool ok;

	ok = snprintf(path, sizeof(path), "%s/format/%.*s", pmu, (int)length, term) <
		     (int)sizeof(path) &&
	     weir_read_file(ctx, path, &format) == 0 &&
	     sscanf(format.bytes, "config:%u", &low) == 1 && low < 64;
	if (ok)
		*config |= (equals ? strtoull(equals + 1, NULL, 0) : 1) << low;
	weir_buffer_release(&format);
	return ok;
}

/* `folder` is the PMU's "events". Files like "x.unit" and "x.scale" only describe x. */
static int events_add_pmu_event(struct weir_ctx *ctx, const char *folder, const char *name)
{
	struct weir_buffer text = { NULL, 0, 0 };
	char pmu[512], path[768], full[320];
	const char *term, *reason = NULL;
	char *rest;
	int64_t type = 0;
	uint64_t config = 0;
	int err;

	if (strchr(name, '.'))
		return 0;
	snprintf(pmu, sizeof(pmu), "%.*s", (int)(strrchr(folder, '/') - folder), folder);
	snprintf(full, sizeof(full), "%.60s/%s/", strrchr(pmu, '/') + 1, name);
	snprintf(path, sizeof(path), "%s/type", pmu);
	if (weir_read_number(ctx, path, &type) < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (weir_read_file(ctx, path, &text) < 0)
		return 0;
	rest = text.bytes;
	while (!reason && (term = strsep(&rest, ",\n")))
		if (*term && (strchr(term, '?') || !events_term(ctx, pmu, term, &config)))
			reason = "needs parameters";
	err = reason ? events_add(ctx, PMU, full, "", reason)
		     : events_try_add(ctx, PMU, full, (uint32_t)type, config);
	weir_buffer_release(&text);
	return err;
}

static int events_add_pmu(struct weir_ctx *ctx, const char *folder, const char *name)
{
	char path[512];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return 0;
	return events_each(ctx, path, "events", events_add_pmu_event);
}

static int events_fill(struct weir_ctx *ctx)
{
	const struct events_conf *conf = ctx->options;
	int err = 0;

	if (events_wanted(conf, HARDWARE))
		err = events_add_generic(ctx, HARDWARE);
	if (!err && events_wanted(conf, SOFTWARE))
		err = events_add_generic(ctx, SOFTWARE);
	if (!err && events_wanted(conf, CACHE))
		err = events_add_caches(ctx);
	if (!err && events_wanted(conf, TRACEPOINT))
		err = events_add_tracepoints(ctx);
	if (!err && events_wanted(conf, PMU))
		err = events_each(ctx, "sys/bus/event_source", "devices", events_add_pmu);
	return err;
}

static int events_start(struct weir_ctx *ctx)
{
	return weir_every(ctx, 1000000);
}

static int events_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct events_conf *conf = ctx->options;
	struct events_state *state = ctx->state;
	int err;

	state->batch = weir_loan(ctx, 0, 256, 16384);
	if (!state->batch)
		return 0; /* the next tick tries again */
	state->batch->start = state->batch->end = now;
	err = events_fill(ctx);
	if (err) {
		weir_discard(ctx, state->batch);
		return weir_fail(ctx, err, "list of events");
	}
	if (state->batch->row_count == 0)
		weir_log(ctx, WEIR_LOG_WARNING, "no event has a name like \"%s\"", conf->match);
	weir_every(ctx, 0);
	err = weir_commit(ctx, state->batch);
	weir_finished(ctx);
	return err;
}

WEIR_COMPONENT("cpu.events", WEIR_SOURCE,
	       .summary = "what can be counted, sampled or traced on this machine",
	       .options_size = sizeof(struct events_conf),
	       .state_size = sizeof(struct events_state), .options = WEIR_TABLE(events_options),
	       .outputs = WEIR_TABLE(events_outputs), .probe = events_probe, .start = events_start,
	       .tick = events_tick);
