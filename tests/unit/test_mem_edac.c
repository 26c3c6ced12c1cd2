/* SPDX-License-Identifier: BSD-2-Clause */
/* mem.edac over trees of sysfs as Documentation/ABI/testing/sysfs-devices-edac describes them. */
#include "source_host.h"

#define MC "sys/devices/system/edac/mc/"

static void counts_are_told_per_controller_and_module(void **state)
{
	struct source_host source;
	uint32_t row;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, MC "mc0/mc_name", "Skylake Socket#0 IMC#0\n");
	source_file(&source, MC "mc0/ce_count", "12\n");
	source_file(&source, MC "mc0/ue_count", "0\n");
	source_file(&source, MC "mc0/dimm3/dimm_label", "CPU_SrcID#0_DIMM#3\n");
	source_file(&source, MC "mc0/dimm3/dimm_ce_count", "12\n");
	source_file(&source, MC "mc0/dimm3/dimm_ue_count", "0\n");
	source_file(&source, MC "mc1/ce_count", "0\n");
	source_file(&source, MC "mc1/ue_count", "1\n");
	source_file(&source, MC "mc1/rank0/dimm_ce_count", "0\n");
	source_file(&source, MC "mc1/rank0/dimm_ue_count", "many\n");
	source_file(&source, MC "power/control", "auto\n");
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_true(source.finished);
	assert_int_equal(source_rows(&source, 0), 4);
	row = source_find(&source, 0, "dimm", "dimm3");
	assert_string_equal(source_text(&source, 0, row, "controller"), "mc0");
	assert_string_equal(source_text(&source, 0, row, "label"), "CPU_SrcID#0_DIMM#3");
	assert_int_equal(source_uint(&source, 0, row, "corrected"), 12);
	assert_int_equal(source_uint(&source, 0, row, "uncorrected"), 0);
	assert_string_equal(source_text(&source, 0, row, "state"), "corrected errors");
	row = source_find(&source, 0, "state", "ERRORS");
	assert_string_equal(source_text(&source, 0, row, "controller"), "mc1");
	assert_int_equal(source_uint(&source, 0, row, "uncorrected"), 1);
	row = source_find(&source, 0, "dimm", "rank0");
	assert_true(source_uint(&source, 0, row, "uncorrected") == WEIR_ABSENT_U64);
	assert_string_equal(source_text(&source, 0, row, "state"), "ok");
	source_close(&source);
}

static void without_a_driver_there_is_a_reason_and_no_zero(void **state)
{
	struct source_host source;

	(void)state;
	source_open(&source, NULL);
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_int_equal(source_rows(&source, 0), 1);
	assert_string_equal(source_text(&source, 0, 0, "state"), "not available: no EDAC driver");
	assert_true(source_uint(&source, 0, 0, "corrected") == WEIR_ABSENT_U64);
	source_probe(&source);
	assert_non_null(strstr(source.needs, "EDAC: no driver"));
	source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_told_per_controller_and_module),
		cmocka_unit_test(without_a_driver_there_is_a_reason_and_no_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
