/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.pmu: opens events for threads or CPUs, those of a group behind their leader. */
#include <stdlib.h>

#include <weir/cgroup.h>

#include "pmu.h"

/* Where an event is opened. */
struct pmu_target {
	const struct weir_numbers *places; /* threads or CPUs */
	bool by_task;
	int cgroup_fd; /* -1: none */
};

struct pmu_cgroup_search {
	struct weir_ctx *ctx;
	int fd;
};

static void pmu_cgroup_look(const struct weir_cgroup_mount *mount, void *data)
{
	struct pmu_cgroup_search *search = data;
	const struct pmu_conf *conf = search->ctx->options;
	const char *below = conf->cgroup + strspn(conf->cgroup, "/");
	size_t length = strlen(mount->folder);
	char path[4096];

	if (search->fd >= 0 || (mount->version != 2 && !weir_cgroup_mount_has(mount, "perf_event")))
		return;
	if (conf->cgroup[0] == '/' && strncmp(below, mount->folder, length) == 0)
		below += length;
	if (snprintf(path, sizeof(path), "%s/%s", mount->folder, below) < (int)sizeof(path))
		search->fd = openat(search->ctx->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int pmu_cgroup_open(struct weir_ctx *ctx, int *fd)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_cgroup_search search = { ctx, -1 };
	int err;

	*fd = -1;
	if (!conf->cgroup[0])
		return 0;
	err = weir_cgroup_each_mount(ctx, pmu_cgroup_look, &search);
	*fd = search.fd;
	if (err)
		return weir_fail(ctx, err, "/proc/self/mountinfo");
	return search.fd >= 0
		       ? 0
		       : weir_fail_option(ctx, "cgroup", -ENOENT,
					  "no cgroup %s in a hierarchy that perf events can use",
					  conf->cgroup);
}

/* The leader's fd at a place: of the first of the group that could be opened. */
static int pmu_leader(const struct pmu_state *state, const struct pmu_counter *counter, uint32_t i)
{
	for (uint32_t j = 0; counter->group && j < state->count; j++) {
		const struct pmu_counter *other = &state->counters[j];

		if (other == counter)
			break;
		if (other->group == counter->group && !other->error && i < other->fd_count)
			return other->fds[i];
	}
	return -1;
}

static int pmu_open_at(struct weir_ctx *ctx, struct pmu_counter *counter,
		       const struct pmu_target *target, uint32_t i)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	struct perf_event_attr attr = counter->attr;
	int leader = counter->whole_cpu ? -1 : pmu_leader(state, counter, i);
	int place = (int)target->places->items[i], fd;
	unsigned long flags = target->cgroup_fd >= 0 ? PERF_FLAG_PID_CGROUP : 0;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader < 0;
	attr.enable_on_exec = leader < 0 && state->command;
	attr.inherit = target->by_task && !conf->no_inherit;
	if (counter->user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	fd = weir_perf_open_with(&attr, target->by_task ? place : target->cgroup_fd,
				 target->by_task ? -1 : place, leader, flags);
	if (fd >= 0 && counter->filter[0] &&
	    ioctl(fd, PERF_EVENT_IOC_SET_FILTER, counter->filter) < 0) {
		int err = -errno;

		close(fd);
		return err;
	}
	return fd;
}

/* A thread that ended, or a CPU that went offline, since they were listed is no failure. */
static int pmu_open_places(struct weir_ctx *ctx, struct pmu_counter *counter,
			   const struct pmu_target *target)
{
	uint32_t opened = 0;
	int fd = 0;

	for (uint32_t i = 0; i < target->places->count; i++) {
		fd = pmu_open_at(ctx, counter, target, i);
		if ((fd == -EACCES || fd == -EPERM) && !counter->attr.exclude_kernel &&
		    !counter->user_only && i == 0) {
			counter->user_only = true;
			fd = pmu_open_at(ctx, counter, target, i);
		}
		if (fd < 0 && fd != -ESRCH && (fd != -ENODEV || target->by_task))
			return fd;
		counter->fds[i] = fd < 0 ? -1 : fd;
		opened += fd >= 0;
	}
	return opened ? 0 : fd;
}

static int pmu_room(struct pmu_counter *counter, const struct pmu_target *target)
{
	uint32_t count = target->places->count;

	counter->fds = calloc(count + 1, sizeof(*counter->fds));
	counter->fd_cpus = calloc(count + 1, sizeof(*counter->fd_cpus));
	counter->last = calloc(count + 1, sizeof(*counter->last));
	if (!counter->fds || !counter->fd_cpus || !counter->last)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		counter->fds[i] = -1;
		counter->fd_cpus[i] = target->by_task ? 0 : target->places->items[i];
	}
	counter->fd_count = count;
	return 0;
}

void pmu_close(struct pmu_counter *counter)
{
	for (uint32_t i = 0; i < counter->fd_count; i++)
		if (counter->fds[i] >= 0)
			close(counter->fds[i]);
	free(counter->fds);
	free(counter->fd_cpus);
	free(counter->last);
	counter->fds = NULL;
	counter->fd_cpus = NULL;
	counter->last = NULL;
	counter->fd_count = 0;
}

static int pmu_open_counter(struct weir_ctx *ctx, struct pmu_counter *counter,
			    const struct pmu_target *usual)
{
	struct pmu_target target = *usual;
	int err;

	if (counter->whole_cpu && (target.by_task || target.cgroup_fd >= 0)) {
		pmu_refused(ctx, counter, -EXDEV);
		return 0;
	}
	if (counter->whole_cpu && counter->cpus.count)
		target.places = &counter->cpus;
	if (pmu_room(counter, &target) < 0)
		return weir_fail(ctx, -ENOMEM, "event %s", counter->name);
	err = pmu_open_places(ctx, counter, &target);
	if (err == -ESRCH)
		return weir_fail_option(ctx, "pid", err, "the process has ended");
	if (!err)
		return 0;
	pmu_refused(ctx, counter, err);
	pmu_close(counter);
	return 0;
}

/* A descriptor that tells of a process's end. */
static int pmu_follow(struct weir_ctx *ctx, uint32_t pid)
{
	struct pmu_state *state = ctx->state;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), err;

	if (fd < 0)
		return errno == ENOSYS ? 0
				       : weir_fail_option(ctx, "pid", -errno, "process %u", pid);
	err = weir_numbers_add(&state->ends, (uint32_t)fd);
	if (err)
		close(fd);
	return err ? weir_fail(ctx, err, "process %u", pid) : 0;
}

static int pmu_find_places(struct weir_ctx *ctx)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	uint32_t pid = 0;
	int err = 0;

	if (state->pids.count)
		err = weir_perf_threads_of(ctx, state->pids.items, state->pids.count, &state->tids,
					   &pid);
	if (err == -ESRCH)
		return weir_fail_option(ctx, "pid", err, "no process %u", pid);
	for (uint32_t i = 0; !err && !state->command && i < state->pids.count; i++) {
		err = pmu_follow(ctx, state->pids.items[i]);
		if (err)
			return err;
	}
	if (err || state->by_task)
		return err ? weir_fail(ctx, err, "threads of process %u", pid) : 0;
	if (conf->cpu[0] && weir_numbers_parse(&state->cpus, conf->cpu) < 0)
		return weir_fail_option(ctx, "cpu", -EINVAL, "\"%s\" is no list of CPUs",
					conf->cpu);
	if (!conf->cpu[0])
		err = weir_perf_cpus(ctx, &state->cpus);
	return err ? weir_fail(ctx, err, "/sys/devices/system/cpu/online") : 0;
}

static int pmu_open_counters(struct weir_ctx *ctx, const struct pmu_target *target)
{
	struct pmu_state *state = ctx->state;
	int err = 0;

	for (uint32_t i = 0; !err && i < state->count; i++)
		if (state->counters[i].known && !state->counters[i].error)
			err = pmu_open_counter(ctx, &state->counters[i], target);
	return err;
}

int pmu_open_again(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;
	const struct pmu_target target = { &state->tids, true, -1 };
	int err;

	for (uint32_t i = 0; i < state->count; i++)
		pmu_close(&state->counters[i]);
	state->pids.items[0] = (uint32_t)ctx->child;
	state->tids.count = 0;
	err = pmu_find_places(ctx);
	return err ? err : pmu_open_counters(ctx, &target);
}

int pmu_open(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;
	struct pmu_target target = { &state->cpus, state->by_task, -1 };
	uint32_t opened = 0;
	int err = pmu_encode(ctx);

	if (!err)
		err = pmu_find_places(ctx);
	if (!err)
		err = pmu_cgroup_open(ctx, &target.cgroup_fd);
	if (state->by_task)
		target.places = &state->tids;
	state->has_pmu = weir_has_hardware_pmu(ctx);
	weir_read_number(ctx, "proc/sys/kernel/perf_event_paranoid", &state->paranoid);
	if (!err)
		err = pmu_open_counters(ctx, &target);
	for (uint32_t i = 0; i < state->count; i++)
		opened += !state->counters[i].error;
	if (target.cgroup_fd >= 0)
		close(target.cgroup_fd);
	if (!err && !opened && state->count)
		return weir_fail(ctx, -EOPNOTSUPP, "none of these events can be counted: %s: %s",
				 state->counters[0].name, state->counters[0].why);
	return err;
}

/* A command's events begin with its exec; those of a group with their leader. */
void pmu_enable(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;

	for (uint32_t i = 0; !state->command && i < state->count; i++)
		for (uint32_t j = 0; j < state->counters[i].fd_count; j++)
			if (state->counters[i].fds[j] >= 0)
				ioctl(state->counters[i].fds[j], PERF_EVENT_IOC_ENABLE, 0);
}

bool pmu_over(struct weir_ctx *ctx)
{
	const struct pmu_state *state = ctx->state;
	char path[32];

	for (uint32_t i = 0; i < state->ends.count; i++) {
		struct pollfd one = { (int)state->ends.items[i], POLLIN, 0 };

		if (poll(&one, 1, 0) <= 0)
			return false;
	}
	for (uint32_t i = 0; !state->ends.count && i < state->tids.count; i++) {
		snprintf(path, sizeof(path), "proc/%u", state->tids.items[i]);
		if (weir_path_exists(ctx, path))
			return false;
	}
	return true;
}
