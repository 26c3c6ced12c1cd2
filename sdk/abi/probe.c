/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Uses every type of the public headers, so that abidw sees them all: what a plugin exports,
 * what the host hands out, and what services offer.
 */
#include <weir/plugin.h>
#include <weir/service/debug_file.h>
#include <weir/service/dwarf.h>
#include <weir/service/pmu.h>
#include <weir/service/process.h>
#include <weir/service/unwind.h>

WEIR_EXPORT extern const struct weir_component weir_component;
WEIR_EXPORT extern const struct weir_host weir_host;
WEIR_EXPORT extern const struct weir_note_section weir_note_section;
WEIR_EXPORT extern const struct weir_debug_file_v1 weir_debug_file_v1;
WEIR_EXPORT extern const struct weir_dwarf_v1 weir_dwarf_v1;
WEIR_EXPORT extern const struct weir_pmu_v1 weir_pmu_v1;
WEIR_EXPORT extern const struct weir_process_v1 weir_process_v1;
WEIR_EXPORT extern const struct weir_unwind_v1 weir_unwind_v1;
WEIR_EXPORT extern const struct weir_batch weir_batch;
WEIR_EXPORT extern const struct weir_histogram_ref weir_histogram_ref;
WEIR_EXPORT extern const struct weir_stack_ref weir_stack_ref;
WEIR_EXPORT extern const struct weir_names_ref weir_names_ref;
WEIR_EXPORT extern const struct weir_rows_ref weir_rows_ref;
WEIR_EXPORT extern const struct weir_text weir_text;
WEIR_EXPORT extern const struct weir_name weir_name;
WEIR_EXPORT extern const struct weir_frame weir_frame;
WEIR_EXPORT extern const struct weir_texts weir_texts;

const struct weir_component weir_component = { 0 };
const struct weir_host weir_host = { 0 };
const struct weir_note_section weir_note_section = { 0 };
const struct weir_debug_file_v1 weir_debug_file_v1 = { 0 };
const struct weir_dwarf_v1 weir_dwarf_v1 = { 0 };
const struct weir_pmu_v1 weir_pmu_v1 = { 0 };
const struct weir_process_v1 weir_process_v1 = { 0 };
const struct weir_unwind_v1 weir_unwind_v1 = { 0 };
const struct weir_batch weir_batch = { 0 };
const struct weir_histogram_ref weir_histogram_ref = { 0 };
const struct weir_stack_ref weir_stack_ref = { 0 };
const struct weir_names_ref weir_names_ref = { 0 };
const struct weir_rows_ref weir_rows_ref = { 0 };
const struct weir_text weir_text = { 0 };
const struct weir_name weir_name = { 0 };
const struct weir_frame weir_frame = { 0 };
const struct weir_texts weir_texts = { 0 };

/* A struct with a flexible array is seen through a pointer. */
WEIR_EXPORT const struct weir_histogram *weir_histogram_probe(const struct weir_histogram *h);

const struct weir_histogram *weir_histogram_probe(const struct weir_histogram *h)
{
	return h;
}
