/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of events to perf_event_attr, as the kernel's headers, format files that x86 and arm64 kernels
 * have, and Intel's and Arm's manuals define them.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "pmu_kernel.h"

#include <cmocka.h>

extern const struct weir_component weir_component;

static const struct {
	const char *path, *text;
} files[] = {
#define CPU  "sys/bus/event_source/devices/cpu/"
#define ARM  "sys/bus/event_source/devices/armv8_pmuv3_0/"
#define RAPL "sys/bus/event_source/devices/power/"
	{ CPU "type", "4" },
	{ CPU "format/event", "config:0-7" },
	{ CPU "format/umask", "config:8-15" },
	{ CPU "format/edge", "config:18" },
	{ CPU "format/inv", "config:23" },
	{ CPU "format/cmask", "config:24-31" },
	{ CPU "format/ldlat", "config1:0-15" },
	{ CPU "format/amd", "config:0-7,32-35" },
	{ CPU "format/broken", "config:0-99" },
	{ CPU "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
	{ CPU "events/asks", "event=?,umask=0x2" },
	{ ARM "type", "8" },
	{ ARM "format/event", "config:0-15" },
	{ ARM "events/l1d_cache_refill", "event=0x0003" },
	{ RAPL "type", "12" },
	{ RAPL "cpumask", "0,16" },
	{ RAPL "format/event", "config:0-7" },
	{ RAPL "events/energy-pkg", "event=0x02" },
	{ RAPL "events/energy-pkg.scale", "2.3283064365386962890625e-10" },
	{ RAPL "events/energy-pkg.unit", "Joules" },
	{ "sys/kernel/tracing/events/sched/sched_switch/id", "316" },
	{ "sys/kernel/tracing/events/odd/k/id", "17" },
};

struct scene {
	struct weir_ctx ctx;
	struct pmu_state state;
	char folder[64];
};

static void make(const char *folder, const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", folder, path);
	for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

static int setup(void **out)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	assert_non_null(scene);
	snprintf(scene->folder, sizeof(scene->folder), "/tmp/weir-pmu-XXXXXX");
	assert_non_null(mkdtemp(scene->folder));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make(scene->folder, files[i].path, files[i].text);
	scene->ctx.root = open(scene->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scene->ctx.state = &scene->state;
	*out = scene;
	return 0;
}

static int teardown(void **out)
{
	struct scene *scene = *out;
	char command[128];

	weir_component.destroy(&scene->ctx);
	close(scene->ctx.root);
	snprintf(command, sizeof(command), "rm -r %s", scene->folder);
	assert_int_equal(system(command), 0);
	free(scene);
	return 0;
}

static const struct weir_pmu_v1 *calls(void)
{
	return weir_component.offers.items[0].vtable;
}

static void names_are_what_the_kernel_takes(void **state)
{
#define KERNEL_ONLY (WEIR_PMU_NO_USER | WEIR_PMU_NO_HYPERVISOR)
	static const struct {
		const char *name;
		int error;
		uint32_t type;
		uint64_t config, config1;
		uint32_t flags, precise;
		const char *why;
	} cases[] = {
		{ "cycles", 0, 0, 0, 0, 0, 0, NULL },
		{ "cpu-cycles", 0, 0, 0, 0, 0, 0, NULL },
		{ "branch-misses:u", 0, 0, 5, 0, WEIR_PMU_NO_KERNEL | WEIR_PMU_NO_HYPERVISOR, 0,
		  NULL },
		{ "instructions:kpp", 0, 0, 1, 0, KERNEL_ONLY, 2, NULL },
		{ "cycles:H", 0, 0, 0, 0, WEIR_PMU_NO_GUEST, 0, NULL },
		{ "LLC-load-misses", 0, 3, 0x10002, 0, 0, 0, NULL },
		{ "dTLB-stores", 0, 3, 0x103, 0, 0, 0, NULL },
		{ "task-clock", 0, 1, 1, 0, 0, 0, NULL },
		{ "faults", 0, 1, 2, 0, 0, 0, NULL },
		{ "r1a8", 0, 4, 0x1a8, 0, 0, 0, NULL },
		{ "rC0:u", 0, 4, 0xc0, 0, WEIR_PMU_NO_KERNEL | WEIR_PMU_NO_HYPERVISOR, 0, NULL },
		{ "sched:sched_switch", 0, 2, 316, 0, 0, 0, NULL },
		{ "sched:sched_switch:k", 0, 2, 316, 0, KERNEL_ONLY, 0, NULL },
		{ "odd:k", 0, 2, 17, 0, 0, 0, NULL },
		{ "voluntary-switches", 0, 2, 316, 0, 0, 0, NULL },
		{ "cpu/event=0x3c/", 0, 4, 0x3c, 0, 0, 0, NULL },
		{ "cpu/event=0xa8,umask=0x1,cmask=1,edge,inv=1/", 0, 4, 0x18401a8, 0, 0, 0, NULL },
		{ "cpu/event=0xc0/kp", 0, 4, 0xc0, 0, KERNEL_ONLY, 1, NULL },
		{ "cpu/config=0x1234,config1=7/", 0, 4, 0x1234, 7, 0, 0, NULL },
		{ "cpu/amd=0x1c1/", 0, 4, 0x1000000c1, 0, 0, 0, NULL },
		{ "cpu/mem-loads/", 0, 4, 0x1cd, 3, 0, 0, NULL },
		{ "cpu/mem-loads,ldlat=30/", 0, 4, 0x1cd, 30, 0, 0, NULL },
		{ "mem-loads:u", 0, 4, 0x1cd, 3, WEIR_PMU_NO_KERNEL | WEIR_PMU_NO_HYPERVISOR, 0,
		  NULL },
		{ "cpu/asks,event=9/", 0, 4, 0x209, 0, 0, 0, NULL },
		{ "l1d_cache_refill", 0, 8, 3, 0, 0, 0, NULL },
		{ "cpu/asks/", -EINVAL, 0, 0, 0, 0, 0, "needs parameters: event=" },
		{ "cpu/nosuch/", -EINVAL, 0, 0, 0, 0, 0, "neither a term nor an event \"nosuch\"" },
		{ "cpu/umask=0x100/", -ERANGE, 0, 0, 0, 0, 0, "umask=0x100 does not fit into" },
		{ "cpu/umask=many/", -EINVAL, 0, 0, 0, 0, 0, "\"many\" is no number" },
		{ "cpu/broken=1/", -EBADMSG, 0, 0, 0, 0, 0, "cannot read" },
		{ "gpu/event=1/", -ENOENT, 0, 0, 0, 0, 0, NULL },
		{ "../cpu/event=1/", -ENOENT, 0, 0, 0, 0, 0, NULL },
		{ "sched:nosuch", -ENOENT, 0, 0, 0, 0, 0, NULL },
		{ "cycles:ux", -ENOENT, 0, 0, 0, 0, 0, NULL },
		{ "r", -ENOENT, 0, 0, 0, 0, 0, NULL },
		{ "", -ENOENT, 0, 0, 0, 0, 0, NULL },
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_pmu_event event = { .size = sizeof(event) };
		int err = calls()->encode(&scene->ctx, cases[i].name, &event);

		print_message("# %s\n", cases[i].name);
		assert_int_equal(err, cases[i].error);
		if (cases[i].why)
			assert_non_null(strstr(event.why, cases[i].why));
		if (err)
			continue;
		assert_int_equal(event.type, cases[i].type);
		assert_int_equal(event.config, cases[i].config);
		assert_int_equal(event.config1, cases[i].config1);
		assert_int_equal(event.flags & ~(uint32_t)WEIR_PMU_ENCODED, cases[i].flags);
		assert_int_equal(event.precise, cases[i].precise);
	}
}

static void a_counter_of_a_socket_says_where_and_in_what_unit(void **state)
{
	struct scene *scene = *state;
	struct weir_pmu_event event = { .size = sizeof(event) };

	assert_int_equal(calls()->encode(&scene->ctx, "power/energy-pkg/", &event), 0);
	assert_int_equal(event.type, 12);
	assert_int_equal(event.config, 2);
	assert_true(event.flags & WEIR_PMU_WHOLE_CPU);
	assert_string_equal(event.cpus, "0,16");
	assert_true(event.scale == 2.3283064365386962890625e-10);
	assert_string_equal(event.unit->ucum, "J");
}

static void a_name_that_is_nearly_one_has_a_neighbour(void **state)
{
	struct scene *scene = *state;
	struct weir_pmu_event event = { .size = sizeof(event) };

	assert_int_equal(calls()->encode(&scene->ctx, "cache-mises", &event), -ENOENT);
	assert_string_equal(event.like, "cache-misses");
}

static int count(const struct weir_pmu_event *event, void *with)
{
	uint32_t *counts = with;

	counts[0]++;
	counts[1] += strcmp(event->name, "power/energy-pkg/") == 0;
	counts[2] += event->why && strstr(event->why, "needs parameters: event=");
	return 0;
}

static void what_sysfs_has_is_listed(void **state)
{
	struct scene *scene = *state;
	uint32_t counts[3] = { 0 };

	assert_int_equal(calls()->list(&scene->ctx, "pmu", count, counts), 0);
	assert_int_equal(counts[0], 4); /* files of units and scales are no events */
	assert_int_equal(counts[1], 1);
	assert_int_equal(counts[2], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_what_the_kernel_takes),
		cmocka_unit_test(a_counter_of_a_socket_says_where_and_in_what_unit),
		cmocka_unit_test(a_name_that_is_nearly_one_has_a_neighbour),
		cmocka_unit_test(what_sysfs_has_is_listed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
