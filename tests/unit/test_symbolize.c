/* SPDX-License-Identifier: BSD-2-Clause */
/* flame.symbolize on this very process, whose mappings stand in for those of a sampled one. */
#include <inttypes.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <weir/service/process.h>

#include "flame_host.h"

int probe_function(int x);

/* A function that is known by name, and is not tampered with. */
__attribute__((noinline, used)) int probe_function(int x)
{
	return x * 3 + 1;
}

int _ZN4test4nameEi(int x);

/* test::name(int), as C++ has it in the symbol table. */
__attribute__((noinline, used)) int _ZN4test4nameEi(int x)
{
	return x * 5 + 1;
}

/* What the fake service says of mappings. */
struct lie {
	uint64_t inode_off;
	bool dead;
	bool build_id;
	const char *path; /* in place of the true one */
};
static struct lie lie;
static char mapped_path[512];

static int fake_sync(struct weir_ctx *self)
{
	(void)self;
	return 0;
}

/* The line of /proc/self/maps that holds an address. */
static int fake_find(uint64_t address, struct weir_mapping *mapping)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[768], flags[8];
	int found = -ENOENT;

	while (found && fgets(line, sizeof(line), maps)) {
		mapped_path[0] = '\0';
		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %511[^\n]",
			   &mapping->start, &mapping->end, flags, &mapping->file_offset,
			   &mapping->device_major, &mapping->device_minor, &mapping->inode,
			   mapped_path) < 7)
			continue;
		if (address < mapping->start || address >= mapping->end)
			continue;
		mapping->executable = flags[2] == 'x';
		found = 0;
	}
	fclose(maps);
	return found;
}

static int fake_mapping(struct weir_ctx *self, uint32_t pid, uint64_t time, uint64_t address,
			struct weir_mapping *mapping)
{
	int err = fake_find(address, mapping);

	(void)self;
	(void)time;
	if (pid == 1)
		return -ESRCH;
	if (err)
		return err;
	mapping->pid = pid;
	mapping->path = lie.path && mapping->inode ? lie.path : mapped_path;
	mapping->id = mapping->inode + 1;
	mapping->alive = !lie.dead;
	mapping->inode += mapping->inode ? lie.inode_off : 0;
	if (lie.build_id) {
		mapping->build_id_size = 20;
		memset(mapping->build_id, 0x5a, 20);
	}
	return 0;
}

static const struct weir_process_v1 fake_process = {
	.size = sizeof(fake_process),
	.sync = fake_sync,
	.mapping = fake_mapping,
};

static void open_symbolize(struct flame_host *flame)
{
	assert_int_equal(flame_open(flame, NULL), 0);
	flame->service.vtable = &fake_process;
	assert_int_equal(flame_start(flame), 0);
}

static void run(struct flame_host *flame)
{
	assert_int_equal(flame_push(flame), 0);
	assert_int_equal(flame_drain(flame), 0);
	assert_int_equal(flame->out_count, 1);
}

static const struct flame_row *row(const struct flame_host *flame, uint32_t i)
{
	return weir_row(&flame->out[0]->seen, i);
}

static const struct weir_frame *frame(const struct flame_host *flame, uint32_t i)
{
	const struct weir_frame *frames =
		weir_arena(&flame->out[0]->seen, row(flame, 0)->stack.offset);

	return &frames[i];
}

static const char *symbol(const struct flame_host *flame, uint32_t i)
{
	return flame_name(&flame->out[0]->seen, frame(flame, i)->symbol);
}

static uint64_t probe_address(void)
{
	return (uint64_t)(uintptr_t)probe_function;
}

static void functions_get_names_objects_and_offsets(void **unused)
{
	uint64_t addresses[] = { probe_address() + 2 };
	struct flame_host flame;
	const char *object;

	(void)unused;
	lie = (struct lie){ 0 };
	open_symbolize(&flame);
	flame_addresses(&flame, (uint32_t)getpid(), addresses, 1, 0);
	run(&flame);
	assert_string_equal(symbol(&flame, 0), "probe_function");
	assert_int_equal(frame(&flame, 0)->symbol_offset, 2);
	object = flame_name(&flame.out[0]->seen, frame(&flame, 0)->object);
	assert_non_null(strstr(object, "test_symbolize"));
	assert_true(frame(&flame, 0)->object_offset > 0);
	assert_string_equal(flame_name(&flame.out[0]->seen, row(&flame, 0)->cgroup.id), "/slice");
	flame_close(&flame);
}

static void names_of_other_languages_are_those_of_their_sources(void **unused)
{
	static const char *const no_demangle[] = { "no_demangle=true", NULL };
	uint64_t addresses[] = { (uint64_t)(uintptr_t)_ZN4test4nameEi };
	struct flame_host flame;

	(void)unused;
	lie = (struct lie){ 0 };
#ifdef FLAME_DEMANGLE
	open_symbolize(&flame);
	flame_addresses(&flame, (uint32_t)getpid(), addresses, 1, 0);
	run(&flame);
	assert_string_equal(symbol(&flame, 0), "test::name");
	flame_close(&flame);
#endif
	assert_int_equal(flame_open(&flame, no_demangle), 0);
	flame.service.vtable = &fake_process;
	assert_int_equal(flame_start(&flame), 0);
	flame_addresses(&flame, (uint32_t)getpid(), addresses, 1, 0);
	run(&flame);
	assert_string_equal(symbol(&flame, 0), "_ZN4test4nameEi");
	flame_close(&flame);
}

static void a_return_address_belongs_to_the_call_before_it(void **unused)
{
	/* Just behind a function's end: after a call that never returns. */
	uint64_t addresses[] = { probe_address(), probe_address() };
	struct flame_host flame;

	(void)unused;
	lie = (struct lie){ 0 };
	open_symbolize(&flame);
	flame_addresses(&flame, (uint32_t)getpid(), addresses, 2, 0);
	run(&flame);
	assert_string_equal(symbol(&flame, 0), "probe_function");
	assert_string_not_equal(symbol(&flame, 1), "probe_function");
	flame_close(&flame);
}

/* Expects an object without a function. */
static void expect_no_name(const struct lie *told, uint32_t pid)
{
	uint64_t addresses[] = { probe_address() };
	struct flame_host flame;

	lie = *told;
	open_symbolize(&flame);
	flame_addresses(&flame, pid, addresses, 1, 0);
	run(&flame);
	assert_int_equal(row(&flame, 0)->stack.count, 1);
	assert_int_equal(frame(&flame, 0)->symbol, 0);
	flame_close(&flame);
}

static void another_file_gives_no_names_rather_than_wrong_ones(void **unused)
{
	(void)unused;
	expect_no_name(&(struct lie){ .inode_off = 1, .dead = true }, (uint32_t)getpid());
	expect_no_name(&(struct lie){ .build_id = true }, (uint32_t)getpid());
	expect_no_name(&(struct lie){ .path = "/bin/sh", .dead = true }, (uint32_t)getpid());
	expect_no_name(&(struct lie){ .path = "/nowhere", .dead = true }, (uint32_t)getpid());
	expect_no_name(&(struct lie){ 0 }, 1);
}

static void a_deleted_file_is_read_through_its_process(void **unused)
{
	uint64_t addresses[] = { probe_address() };
	struct flame_host flame;

	(void)unused;
	lie = (struct lie){ .path = "/gone/test (deleted)" };
	open_symbolize(&flame);
	flame_addresses(&flame, (uint32_t)getpid(), addresses, 1, 0);
	run(&flame);
	assert_string_equal(symbol(&flame, 0), "probe_function");
	assert_string_equal(flame_name(&flame.out[0]->seen, frame(&flame, 0)->object),
			    "/gone/test");
	flame_close(&flame);
}

static void a_walk_gone_wrong_is_cut_and_reported(void **unused)
{
	uint64_t addresses[] = { probe_address(), probe_address() + 3, 0x6669002100207c20,
				 probe_address() };
	struct flame_host flame;

	(void)unused;
	lie = (struct lie){ 0 };
	open_symbolize(&flame);
	flame_addresses(&flame, (uint32_t)getpid(), addresses, 4, 0);
	run(&flame);
	assert_int_equal(row(&flame, 0)->stack.count, 2);
	assert_true(frame(&flame, 1)->flags & WEIR_FRAME_TRUNCATED);
	assert_non_null(strstr(flame.said, "0.0 % of 1 user stacks complete; cut short for lack of "
					   "frame pointers: test_symbolize"));
	flame_close(&flame);
}

static void a_stack_that_ends_in_main_is_complete(void **unused)
{
	uint64_t addresses[3] = { probe_address(), 0, 0 };
	struct flame_host flame;
	int main(void);

	(void)unused;
	lie = (struct lie){ 0 };
	addresses[1] = (uint64_t)(uintptr_t)main + 8;
	open_symbolize(&flame);
	flame_addresses(&flame, (uint32_t)getpid(), addresses, 2, 0);
	run(&flame);
	assert_string_equal(symbol(&flame, 1), "main");
	assert_non_null(strstr(flame.said, "100.0 % of 1 user stacks complete"));
	assert_non_null(strstr(flame.said, "2 frames: 100.0 % with a function"));
	flame_close(&flame);
}

static void the_vdso_has_names(void **unused)
{
	uint64_t base = getauxval(AT_SYSINFO_EHDR), address, found = 0;
	struct flame_host flame;
	uint32_t i;

	(void)unused;
	if (!base) {
		print_message("skipped: this process has no vDSO, as under valgrind\n");
		skip();
	}
	lie = (struct lie){ 0 };
	open_symbolize(&flame);
	/* Wherever its functions lie: one of these is within one. */
	for (address = base + 0x400; address < base + 0x1000; address += 16)
		flame_addresses(&flame, (uint32_t)getpid(), &address, 1, 0);
	run(&flame);
	for (i = 0; i < flame.out[0]->seen.row_count; i++) {
		const struct weir_frame *at =
			weir_arena(&flame.out[0]->seen, row(&flame, i)->stack.offset);

		found += at->symbol != 0;
		assert_string_equal(flame_name(&flame.out[0]->seen, at->object), "[vdso]");
	}
	assert_true(found > 0);
	flame_close(&flame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_get_names_objects_and_offsets),
		cmocka_unit_test(names_of_other_languages_are_those_of_their_sources),
		cmocka_unit_test(a_return_address_belongs_to_the_call_before_it),
		cmocka_unit_test(another_file_gives_no_names_rather_than_wrong_ones),
		cmocka_unit_test(a_deleted_file_is_read_through_its_process),
		cmocka_unit_test(a_walk_gone_wrong_is_cut_and_reported),
		cmocka_unit_test(a_stack_that_ends_in_main_is_complete),
		cmocka_unit_test(the_vdso_has_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
