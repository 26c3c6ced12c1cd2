/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provider process: who a pid was at a moment and what was mapped where, from the kernel's own
 * account of forks, names, mappings and exits, and from /proc for what was there before.
 */
#include <stdio.h>
#include <sys/epoll.h>

#include <weir/perf_event.h>
#include <weir/plugin.h>
#include <weir/probe.h>
#include <weir/service/process.h>

#include "process_scan.h"
#include "process_sideband.h"
#include "process_table.h"
#include "process_walk.h"

#define PROCESS_RESCAN_MIN_NS UINT64_C(1000000000)
#define PROCESS_RESCAN_MAX_NS UINT64_C(64000000000)
#define PROCESS_MAPS_MAX      65536
/* At most a part of a CPU while it lasts, and no other node of the loop waits for long. */
#define PROCESS_WALK_STEP_NS UINT64_C(4000000)
/* A task still runs a little in the kernel after its end was told. */
#define PROCESS_TAIL_NS UINT64_C(10000000)
/* How many parents a cgroup is looked for at; a shell's child of a child has the same. */
#define PROCESS_ANCESTORS 8

struct process_conf {
	uint64_t buffer;
	uint64_t keep;
};

static const struct weir_option process_options[] = {
	WEIR_OPT_SIZE(struct process_conf, buffer, "512KiB", 4096, 1 << 30,
		      "ring buffer for the kernel's records, per CPU"),
	WEIR_OPT_DURATION(struct process_conf, keep, "30s", WEIR_SECOND, WEIR_HOUR,
			  "how long to remember a process that has ended"),
};

struct process_state {
	struct process_table table;
	struct process_sideband sideband;
	struct process_walk walk;
	struct weir_numbers cpus;
	struct process_watch *everybody;
};

static void process_probe(struct weir_ctx *ctx)
{
	weir_probe_paranoid(
		ctx, 0, "only this user's own processes have names and mappings after their end");
	weir_probe_capability(ctx, CAP_SYS_PTRACE, "CAP_SYS_PTRACE", WEIR_NEED_LIMITED,
			      "mappings of other users' running processes cannot be read");
	weir_probe_cgroup(ctx, "processes have no cgroup");
}

static int process_create(struct weir_ctx *ctx)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *state = ctx->state;

	process_walk_init(&state->walk);
	if (process_table_init(&state->table, conf->keep, PROCESS_MAPS_MAX) < 0)
		return weir_fail(ctx, -ENOMEM, "table of processes");
	return 0;
}

static void process_destroy(struct weir_ctx *ctx)
{
	struct process_state *state = ctx->state;

	process_walk_clear(&state->walk);
	process_sideband_clear(&state->sideband);
	process_table_clear(&state->table);
	weir_numbers_release(&state->cpus);
}

static int process_sync(struct weir_ctx *ctx)
{
	struct process_state *state = ctx->state;
	int err = process_sideband_drain(&state->sideband, &state->table);

	if (state->sideband.lost) {
		weir_lost(ctx, "ring of process records full", state->sideband.lost,
			  "a larger `buffer` of the provider process");
		state->sideband.lost = 0;
	}
	process_table_forget(&state->table, weir_now(ctx));
	return err ? weir_fail(ctx, err, "records of processes") : 0;
}

static int process_ready(struct weir_ctx *ctx, int fd, uint32_t events)
{
	/* The tasks of this event have ended: the fd would be ready for ever. */
	if (events & (EPOLLHUP | EPOLLERR))
		ctx->host->watch(ctx, fd, 0, process_ready);
	return process_sync(ctx);
}

static void process_walk_end(struct weir_ctx *ctx)
{
	struct process_state *state = ctx->state;

	if (state->walk.timer >= 0)
		ctx->host->watch(ctx, state->walk.timer, 0, process_ready);
	process_walk_clear(&state->walk);
}

static int process_walk_on(struct weir_ctx *ctx, int fd, uint32_t events)
{
	struct process_state *state = ctx->state;
	uint64_t ticks;
	int more;

	(void)events;
	if (read(fd, &ticks, sizeof(ticks)) < 0)
		return 0;
	more = process_walk_step(ctx, &state->walk, &state->table, state->everybody != NULL,
				 weir_now(ctx) + PROCESS_WALK_STEP_NS);
	if (more <= 0)
		process_walk_end(ctx);
	return more < 0 ? weir_fail(ctx, more, "table of processes") : 0;
}

/* Before the fds are closed. */
static void process_unwatch(struct weir_ctx *ctx, struct process_watch *watch)
{
	for (uint32_t i = 0; i < watch->set.ring_count; i++)
		ctx->host->watch(ctx, watch->set.ring_fds[i], 0, process_ready);
}

static void process_stop(struct weir_ctx *ctx)
{
	struct process_state *state = ctx->state;

	process_walk_end(ctx);
	for (struct process_watch *watch = state->sideband.watches; watch; watch = watch->next)
		process_unwatch(ctx, watch);
}

static int process_open(struct weir_ctx *ctx, const struct weir_perf_target *target,
			struct process_watch **watch)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *state = ctx->state;
	int err;

	if (state->cpus.count == 0) {
		err = weir_perf_cpus(ctx, &state->cpus);
		if (err)
			return weir_fail(ctx, err, "/sys/devices/system/cpu/online");
	}
	err = process_sideband_open(&state->sideband, target, &state->cpus, conf->buffer, watch);
	for (uint32_t i = 0; !err && *watch && i < (*watch)->set.ring_count; i++)
		err = ctx->host->watch(ctx, (*watch)->set.ring_fds[i], EPOLLIN, process_ready);
	return err;
}

static int process_watch_everybody(struct weir_ctx *ctx)
{
	struct weir_perf_target target = { NULL, 0, -1 };
	struct process_state *state = ctx->state;
	int err, walks;

	if (state->everybody || state->walk.dir)
		return 0;
	err = process_open(ctx, &target, &state->everybody);
	/* First the rings, then /proc: so that nothing falls between. */
	walks = process_walk_begin(ctx, &state->walk);
	if (!walks)
		walks = ctx->host->watch(ctx, state->walk.timer, EPOLLIN, process_walk_on);
	return err ? err : walks;
}

static int process_watch_pids(struct weir_ctx *ctx, const struct weir_process_scope *scope)
{
	struct process_state *state = ctx->state;
	struct weir_numbers tids = { NULL, 0, 0 };
	struct process_watch *watch;
	int err = weir_perf_threads_of(ctx, scope->pids, scope->pid_count, &tids, NULL);

	if (!err && tids.count == 0)
		err = -ESRCH;
	if (!err) {
		struct weir_perf_target target = { tids.items, tids.count, -1 };

		err = process_open(ctx, &target, &watch);
	}
	for (uint32_t i = 0; i < scope->pid_count; i++)
		process_scan(ctx, &state->table, scope->pids[i], !err);
	weir_numbers_release(&tids);
	return err;
}

/*
 * A cgroup's processes come and go by being moved, of which the kernel's records say nothing; so
 * everybody is watched, which asks for the same privilege.
 */
static int process_watch_scope(struct weir_ctx *ctx, const struct weir_process_scope *scope)
{
	struct process_state *state = ctx->state;

	if (state->everybody)
		return 0;
	return scope->pid_count ? process_watch_pids(ctx, scope) : process_watch_everybody(ctx);
}

/* Counts what was known once and is asked for too late. */
static int process_unknown(struct weir_ctx *ctx, uint32_t pid, uint64_t time)
{
	struct process_state *state = ctx->state;

	if (process_table_forgot(&state->table, pid, time))
		weir_lost(ctx, "look-up of a process that was forgotten", 1,
			  "a longer `keep` of the provider process");
	return -ESRCH;
}

/*
 * Whether the pid may be somebody else's than the table says, since records were lost: of this
 * one's end, or of the next one's birth.
 */
static bool process_doubtful(struct weir_ctx *ctx, struct process *process, uint64_t time)
{
	struct process_state *state = ctx->state;
	uint64_t lost_at = state->table.lost_at;

	if (process->end)
		return lost_at > process->end && time > process->end + PROCESS_TAIL_NS;
	if (!process->start || lost_at <= process->start || lost_at <= process->verified)
		return false;
	process->verified = weir_now(ctx);
	if (process_scan_alive(ctx, process))
		return false;
	process_table_end(&state->table, process, lost_at);
	return time > lost_at;
}

/* The process, from /proc if the kernel has not told of it. NULL: not known. */
static struct process *process_look_up(struct weir_ctx *ctx, uint32_t pid, uint64_t time)
{
	struct process_state *state = ctx->state;
	struct process *process = process_table_find(&state->table, pid, time);
	bool doubtful = process && process_doubtful(ctx, process, time);
	bool unread = process && !process->start && !process->end;

	if ((process && !doubtful && !unread) || pid > INT32_MAX)
		return process;
	if (process_scan(ctx, &state->table, pid, state->everybody != NULL) == -ESRCH)
		return unread ? process : NULL;
	process = process_table_find(&state->table, pid, time);
	return process && process->end && doubtful ? NULL : process;
}

/* Looks into /proc again if something may have been missed, and not too often. */
static bool process_look_again(struct weir_ctx *ctx, struct process *process, uint64_t time)
{
	struct process_state *state = ctx->state;
	struct process_space *space = process_space_at(process, time);
	uint64_t now;

	if (process->end || (space && space->checked > state->table.lost_at))
		return false;
	now = weir_now(ctx);
	if (now < process->rescan)
		return false;
	process->rescan_pause =
		process->rescan_pause ? process->rescan_pause * 2 : PROCESS_RESCAN_MIN_NS;
	if (process->rescan_pause > PROCESS_RESCAN_MAX_NS)
		process->rescan_pause = PROCESS_RESCAN_MAX_NS;
	process->rescan = now + process->rescan_pause;
	if (process_scan(ctx, &state->table, process->pid, state->everybody != NULL) != -ESRCH)
		return true;
	process_table_end(&state->table, process, now);
	return false;
}

static struct process *process_parent(struct process_state *state, const struct process *of,
				      uint64_t time)
{
	if (!of->ppid)
		return NULL;
	return process_table_find(&state->table, of->ppid, of->start ? of->start : time);
}

/* Its own, or while it cannot be read any more the nearest ancestor's, where it was born. */
static void process_find_cgroup(struct weir_ctx *ctx, struct process *process, uint64_t time)
{
	struct process_state *state = ctx->state;
	struct process *of = process;

	for (int i = 0; of && !of->cgroup && i < PROCESS_ANCESTORS; i++) {
		if (!of->end && process_scan_cgroup(ctx, of) == 0)
			break;
		of = process_parent(state, of, time);
	}
	if (process->cgroup)
		return;
	process->cgroup = strdup(of && of->cgroup ? of->cgroup : "");
	process->container = strdup(of && of->container ? of->container : "");
	process->cgroups = strdup(of && of->cgroups ? of->cgroups : "");
}

static const char *process_comm(struct weir_ctx *ctx, struct process *process, uint32_t tid,
				uint64_t time)
{
	const struct process_thread *thread = process_thread_at(process, tid, time);

	if (!thread && !process->end && process_scan_thread(ctx, process, tid) == 0)
		thread = process_thread_at(process, tid, time);
	if (!thread)
		thread = process_thread_at(process, process->pid, time);
	return thread ? thread->comm : "";
}

static int process_info(struct weir_ctx *ctx, uint32_t pid, uint32_t tid, uint64_t time,
			struct weir_process_info *info)
{
	struct weir_process_info found = {
		.pid = pid, .tid = tid, .cgroup = "", .container = "", .cgroups = ""
	};
	struct process *process;

	if (pid == 0) {
		found.comm = "swapper";
		weir_give(info, &found, sizeof(found));
		return 0;
	}
	process = process_look_up(ctx, pid, time);
	if (!process)
		return process_unknown(ctx, pid, time);
	if (!process->cgroup)
		process_find_cgroup(ctx, process, time);
	found.ppid = process->ppid;
	found.start = process->start;
	found.end = process->end;
	found.comm = process_comm(ctx, process, tid, time);
	found.cgroup = process->cgroup ? process->cgroup : "";
	found.container = process->container ? process->container : "";
	found.cgroups = process->cgroups ? process->cgroups : "";
	weir_give(info, &found, sizeof(found));
	return 0;
}

static void process_describe(const struct process *process, const struct process_map *map,
			     struct weir_mapping *mapping)
{
	const struct process_file *file = map->file;
	struct weir_mapping found = {
		.pid = process->pid,
		.id = file->id,
		.start = map->start,
		.end = map->end,
		.file_offset = map->offset,
		.path = file->path,
		.inode = file->inode,
		.device_major = file->device_major,
		.device_minor = file->device_minor,
		.build_id_size = file->build_id_size,
		.executable = 1,
		.alive = process->end == 0,
	};

	memcpy(found.build_id, file->build_id, sizeof(found.build_id));
	weir_give(mapping, &found, sizeof(found));
}

static int process_mapping(struct weir_ctx *ctx, uint32_t pid, uint64_t time, uint64_t address,
			   struct weir_mapping *mapping)
{
	struct process *process = pid ? process_look_up(ctx, pid, time) : NULL;
	const struct process_map *map;

	if (!process)
		return process_unknown(ctx, pid, time);
	map = process_map_at(process, time, address);
	if (!map && process_look_again(ctx, process, time))
		map = process_map_at(process, time, address);
	if (!map)
		return -ENOENT;
	process_describe(process, map, mapping);
	return 0;
}

struct process_show {
	const struct process *process;
	weir_mapping_fn *see;
	void *with;
};

static int process_show_map(const struct process_map *map, void *with)
{
	const struct process_show *show = with;
	struct weir_mapping mapping = { .size = sizeof(mapping) };

	process_describe(show->process, map, &mapping);
	return show->see(&mapping, show->with);
}

static int process_mappings(struct weir_ctx *ctx, uint32_t pid, uint64_t time, weir_mapping_fn *see,
			    void *with)
{
	struct process *process = pid ? process_look_up(ctx, pid, time) : NULL;
	struct process_show show = { process, see, with };

	if (!process)
		return process_unknown(ctx, pid, time);
	return process_space_each(process_space_at(process, time), time, process_show_map, &show);
}

static const struct weir_process_v1 process_service = {
	.size = sizeof(struct weir_process_v1),
	.watch = process_watch_scope,
	.sync = process_sync,
	.info = process_info,
	.mapping = process_mapping,
	.mappings = process_mappings,
};

static const struct weir_service_offer process_offers[] = {
	{ WEIR_PROCESS_SERVICE, WEIR_PROCESS_VERSION, 0, &process_service },
};

WEIR_COMPONENT("process", WEIR_PROVIDER,
	       .summary = "names and mappings of processes, also of those that are gone",
	       .options_size = sizeof(struct process_conf),
	       .state_size = sizeof(struct process_state), .options = WEIR_TABLE(process_options),
	       .offers = WEIR_TABLE(process_offers), .probe = process_probe,
	       .create = process_create, .stop = process_stop, .destroy = process_destroy);
