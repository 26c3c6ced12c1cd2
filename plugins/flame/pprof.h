/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of a pprof profile (profile.proto), for who writes and who reads one. */
#ifndef FLAME_PPROF_H
#define FLAME_PPROF_H

enum pprof_profile_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_MAPPING = 3,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_DURATION = 10,
	PPROF_DEFAULT_TYPE = 14,
};

enum pprof_value_type_field { PPROF_TYPE_TYPE = 1, PPROF_TYPE_UNIT = 2 };

enum pprof_sample_field {
	PPROF_SAMPLE_LOCATION = 1, /* leaf first */
	PPROF_SAMPLE_VALUE = 2,
	PPROF_SAMPLE_LABEL = 3,
};

enum pprof_label_field { PPROF_LABEL_KEY = 1, PPROF_LABEL_TEXT = 2, PPROF_LABEL_NUMBER = 3 };

enum pprof_mapping_field {
	PPROF_MAPPING_ID = 1,
	PPROF_MAPPING_START = 2,
	PPROF_MAPPING_END = 3,
	PPROF_MAPPING_OFFSET = 4,
	PPROF_MAPPING_FILE = 5,
	PPROF_MAPPING_BUILD_ID = 6,
	PPROF_MAPPING_HAS_FUNCTIONS = 7,
};

enum pprof_location_field {
	PPROF_LOCATION_ID = 1,
	PPROF_LOCATION_MAPPING = 2,
	PPROF_LOCATION_ADDRESS = 3,
	PPROF_LOCATION_LINE = 4, /* several: inlined ones first, the last is their caller */
};

enum pprof_line_field { PPROF_LINE_FUNCTION = 1, PPROF_LINE_LINE = 2 };

enum pprof_function_field {
	PPROF_FUNCTION_ID = 1,
	PPROF_FUNCTION_NAME = 2,
	PPROF_FUNCTION_SYSTEM_NAME = 3,
	PPROF_FUNCTION_FILE = 4,
};

/* Mappings that stand for kinds of code where no binary is known. */
#define PPROF_KERNEL "[kernel]"
#define PPROF_JIT    "[jit]"

#endif
