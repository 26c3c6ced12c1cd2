/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of a cgroup as a table; see files.h. */
#include <limits.h>
#include <stdio.h>

#include <weir/number.h>

#include "files.h"

#define USEC        1000u               /* ns */
#define V1_NO_LIMIT (UINT64_C(1) << 62) /* bytes: version 1 writes "no limit" as a large number */

const char *const cgroup_controllers[CGROUP_CONTROLLERS] = {
	[CGROUP_V2] = "",           [CGROUP_CPU] = "cpu",   [CGROUP_CPUACCT] = "cpuacct",
	[CGROUP_MEMORY] = "memory", [CGROUP_PIDS] = "pids", [CGROUP_BLKIO] = "blkio",
};

/* A line "name number" of a file, and how much one of its units is. */
struct cgroup_key {
	const char *name;
	enum cgroup_value value;
	uint32_t scale;
};

struct cgroup_file;

/* False: the text is not what it should be. */
typedef bool cgroup_parse_fn(const struct cgroup_file *file, const char *text, uint64_t *value);

struct cgroup_file {
	enum cgroup_controller controller;
	const char *name;
	cgroup_parse_fn *parse;
	enum cgroup_value value; /* the first one it tells */
	uint32_t scale;
	bool limit;              /* tells what somebody set, and seldom changes */
	enum cgroup_value needs; /* not read where this limit is absent */
	const struct cgroup_key *keys;
	const char *instead; /* what older kernels have, or NULL */
};

static bool cgroup_scaled(uint64_t number, uint32_t scale, uint64_t *value)
{
	if (number > (UINT64_MAX - 1) / scale)
		return false;
	*value = number * scale;
	return true;
}

/* A number, or "max" or "-1" for none. */
static bool cgroup_take_limit(const char **at, uint32_t scale, uint64_t *value)
{
	uint64_t number;

	if (strncmp(*at, "max", 3) == 0 || strncmp(*at, "-1", 2) == 0) {
		*at += strcspn(*at, " \n");
		*value = WEIR_ABSENT_U64;
		return true;
	}
	return weir_take_number(at, &number) && cgroup_scaled(number, scale, value);
}

static bool cgroup_parse_number(const struct cgroup_file *file, const char *text, uint64_t *value)
{
	uint64_t number;

	if (!cgroup_take_limit(&text, file->scale, &number))
		return false;
	value[file->value] = number;
	return *text == '\n' || *text == '\0';
}

static bool cgroup_parse_v1_limit(const struct cgroup_file *file, const char *text, uint64_t *value)
{
	if (!cgroup_parse_number(file, text, value))
		return false;
	if (value[file->value] >= V1_NO_LIMIT)
		value[file->value] = WEIR_ABSENT_U64;
	return true;
}

/* cpu.max: "50000 100000", or "max 100000". */
static bool cgroup_parse_quota(const struct cgroup_file *file, const char *text, uint64_t *value)
{
	return cgroup_take_limit(&text, file->scale, &value[CPU_QUOTA]) &&
	       cgroup_take_limit(&text, file->scale, &value[CPU_PERIOD]);
}

static const char *cgroup_next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

static bool cgroup_parse_keyed(const struct cgroup_file *file, const char *text, uint64_t *value)
{
	for (; *text; text = cgroup_next_line(text))
		for (const struct cgroup_key *key = file->keys; key->name; key++) {
			size_t length = strlen(key->name);
			const char *at = text + length;
			uint64_t number;

			if (strncmp(text, key->name, length) != 0 || *at != ' ')
				continue;
			if (!weir_take_number(&at, &number) ||
			    !cgroup_scaled(number, key->scale, &value[key->value]))
				return false;
		}
	return true;
}

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12"; there is no line "full" of cpu before 5.13. */
static bool cgroup_parse_pressure(const struct cgroup_file *file, const char *text, uint64_t *value)
{
	for (; *text; text = cgroup_next_line(text)) {
		bool some = strncmp(text, "some ", 5) == 0;
		const char *at = strstr(text, " total=");
		uint64_t number;

		if (!some && strncmp(text, "full ", 5) != 0)
			continue;
		if (!at)
			return false;
		at += strlen(" total=");
		if (!weir_take_number(&at, &number) ||
		    !cgroup_scaled(number, file->scale, &value[file->value + !some]))
			return false;
	}
	return true;
}

static void cgroup_add(uint64_t *sum, uint64_t number)
{
	*sum = (*sum == WEIR_ABSENT_U64 ? 0 : *sum) + number;
}

/* "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=5 dios=6": devices are added up; none is a zero. */
static bool cgroup_parse_io(const struct cgroup_file *file, const char *text, uint64_t *value)
{
	for (const struct cgroup_key *key = file->keys; key->name; key++) {
		cgroup_add(&value[key->value], 0);
		for (const char *at = text; (at = strstr(at, key->name));) {
			uint64_t number;

			at += strlen(key->name);
			if (!weir_take_number(&at, &number))
				return false;
			cgroup_add(&value[key->value], number);
		}
	}
	return true;
}

#define KEYS static const struct cgroup_key

KEYS cpu_v2[] = { { "usage_usec", CPU_USAGE, USEC },
		  { "nr_periods", PERIODS, 1 },
		  { "nr_throttled", THROTTLED, 1 },
		  { "throttled_usec", THROTTLED_TIME, USEC },
		  { 0 } };
KEYS cpu_v1[] = { { "nr_periods", PERIODS, 1 },
		  { "nr_throttled", THROTTLED, 1 },
		  { "throttled_time", THROTTLED_TIME, 1 },
		  { 0 } };
KEYS memory_v2[] = { { "high", MEMORY_HIGH_HITS, 1 },
		     { "max", MEMORY_MAX_HITS, 1 },
		     { "oom", OOMS, 1 },
		     { "oom_kill", OOM_KILLS, 1 },
		     { 0 } };
KEYS memory_v1[] = { { "oom_kill", OOM_KILLS, 1 }, { 0 } };
KEYS pids[] = { { "max", PIDS_MAX_HITS, 1 }, { 0 } };
KEYS io_v2[] = { { " rbytes=", READ_BYTES, 1 },
		 { " wbytes=", WRITTEN_BYTES, 1 },
		 { " rios=", READS, 1 },
		 { " wios=", WRITES, 1 },
		 { 0 } };
KEYS io_v1[] = { { " Read ", READ_BYTES, 1 }, { " Write ", WRITTEN_BYTES, 1 }, { 0 } };

static const struct cgroup_file cgroup_files[] = {
	{ CGROUP_V2, "cpu.stat", cgroup_parse_keyed, .keys = cpu_v2 },
	{ CGROUP_V2, "cpu.max", cgroup_parse_quota, CPU_QUOTA, USEC, .limit = true },
	{ CGROUP_V2, "memory.current", cgroup_parse_number, MEMORY, 1 },
	{ CGROUP_V2, "memory.max", cgroup_parse_number, MEMORY_MAX, 1, .limit = true },
	{ CGROUP_V2, "memory.high", cgroup_parse_number, MEMORY_HIGH, 1, .limit = true },
	{ CGROUP_V2, "memory.swap.current", cgroup_parse_number, SWAP, 1 },
	{ CGROUP_V2, "memory.swap.max", cgroup_parse_number, SWAP_MAX, 1, .limit = true },
	{ CGROUP_V2, "memory.events", cgroup_parse_keyed, .keys = memory_v2 },
	{ CGROUP_V2, "pids.current", cgroup_parse_number, PIDS, 1 },
	{ CGROUP_V2, "pids.max", cgroup_parse_number, PIDS_MAX, 1, .limit = true },
	{ CGROUP_V2, "pids.events", cgroup_parse_keyed, .needs = PIDS_MAX, .keys = pids },
	{ CGROUP_V2, "cpu.pressure", cgroup_parse_pressure, CPU_SOME, USEC },
	{ CGROUP_V2, "memory.pressure", cgroup_parse_pressure, MEMORY_SOME, USEC },
	{ CGROUP_V2, "io.pressure", cgroup_parse_pressure, IO_SOME, USEC },
	{ CGROUP_V2, "io.stat", cgroup_parse_io, .keys = io_v2 },
	{ CGROUP_CPU, "cpu.cfs_quota_us", cgroup_parse_number, CPU_QUOTA, USEC, .limit = true },
	{ CGROUP_CPU, "cpu.cfs_period_us", cgroup_parse_number, CPU_PERIOD, USEC, .limit = true,
	  .needs = CPU_QUOTA },
	{ CGROUP_CPU, "cpu.stat", cgroup_parse_keyed, .needs = CPU_QUOTA, .keys = cpu_v1 },
	{ CGROUP_CPUACCT, "cpuacct.usage", cgroup_parse_number, CPU_USAGE, 1 },
	{ CGROUP_MEMORY, "memory.usage_in_bytes", cgroup_parse_number, MEMORY, 1 },
	{ CGROUP_MEMORY, "memory.limit_in_bytes", cgroup_parse_v1_limit, MEMORY_MAX, 1,
	  .limit = true },
	{ CGROUP_MEMORY, "memory.failcnt", cgroup_parse_number, MEMORY_MAX_HITS, 1,
	  .needs = MEMORY_MAX },
	{ CGROUP_MEMORY, "memory.memsw.usage_in_bytes", cgroup_parse_number, MEMORY_SWAP, 1 },
	{ CGROUP_MEMORY, "memory.memsw.limit_in_bytes", cgroup_parse_v1_limit, MEMORY_SWAP_MAX, 1,
	  .limit = true, .needs = MEMORY_MAX },
	{ CGROUP_MEMORY, "memory.oom_control", cgroup_parse_keyed, .keys = memory_v1 },
	{ CGROUP_PIDS, "pids.current", cgroup_parse_number, PIDS, 1 },
	{ CGROUP_PIDS, "pids.max", cgroup_parse_number, PIDS_MAX, 1, .limit = true },
	{ CGROUP_PIDS, "pids.events", cgroup_parse_keyed, .needs = PIDS_MAX, .keys = pids },
	{ CGROUP_BLKIO, "blkio.throttle.io_service_bytes_recursive", cgroup_parse_io, .keys = io_v1,
	  .instead = "blkio.throttle.io_service_bytes" },
};

enum { CGROUP_FILES = sizeof(cgroup_files) / sizeof(cgroup_files[0]) };

_Static_assert(CGROUP_FILES <= 32, "cgroup_values: a file is a bit of `missing`");

void cgroup_values_clear(struct cgroup_values *values)
{
	memset(values, 0, sizeof(*values));
	for (uint32_t i = 0; i < CGROUP_VALUES; i++)
		values->value[i] = WEIR_ABSENT_U64;
}

/* 0 when the file was understood; -ENOENT: it is not there; another negative errno. */
static int cgroup_file_read(const struct cgroup_place *place, const struct cgroup_file *file,
			    struct weir_buffer *buffer, uint64_t *value)
{
	char path[NAME_MAX + 64];
	int err;

	snprintf(path, sizeof(path), "%s/%s", place->name, file->name);
	err = weir_read_at(place->parent, path, buffer);
	if (err == -ENOENT && file->instead) {
		snprintf(path, sizeof(path), "%s/%s", place->name, file->instead);
		err = weir_read_at(place->parent, path, buffer);
	}
	if (err)
		return err;
	return file->parse(file, buffer->bytes, value) ? 0 : -EBADMSG;
}

static void cgroup_take_over(struct cgroup_values *values, const uint64_t *value, uint8_t mount)
{
	for (uint32_t i = NOTHING + 1; i < CGROUP_VALUES; i++)
		if (value[i] != WEIR_ABSENT_U64) {
			values->value[i] = value[i];
			values->mount[i] = mount;
		}
}

static void cgroup_limits_take_over(struct cgroup_values *values, uint8_t mount,
				    const struct cgroup_values *known)
{
	static const enum cgroup_value limits[] = { CPU_QUOTA,   CPU_PERIOD, MEMORY_MAX,
						    MEMORY_HIGH, SWAP_MAX,   MEMORY_SWAP_MAX,
						    PIDS_MAX };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (known->mount[limits[i]] == mount) {
			values->value[limits[i]] = known->value[limits[i]];
			values->mount[limits[i]] = mount;
		}
}

/* No counter that this mount tells has another value than before. */
static bool cgroup_is_quiet(const struct cgroup_values *known, const struct cgroup_values *values,
			    uint8_t mount)
{
	for (uint32_t i = CPU_USAGE; i < CGROUP_VALUES; i++)
		if (values->mount[i] == mount && values->value[i] != known->value[i])
			return false;
	return true;
}

/* A task that waits for long counts in the pressure until it has run again: then it was not quiet. */
static bool cgroup_is_still(const struct cgroup_values *known, const struct cgroup_values *values)
{
	return known && known->quiet && values->value[CPU_USAGE] != WEIR_ABSENT_U64 &&
	       values->value[CPU_USAGE] == known->value[CPU_USAGE];
}

/* Nothing of what this mount tells has changed. */
static void cgroup_stay(struct cgroup_values *values, uint8_t mount,
			const struct cgroup_values *known)
{
	for (uint32_t i = NOTHING + 1; i < CGROUP_VALUES; i++)
		if (known->mount[i] == mount) {
			values->value[i] = known->value[i];
			values->mount[i] = mount;
		}
	values->missing |= known->missing;
	values->quiet = true;
}

static bool cgroup_file_wanted(const struct cgroup_place *place, uint32_t file,
			       const struct cgroup_values *values)
{
	const enum cgroup_value needs = cgroup_files[file].needs;

	if (!(place->controllers & 1u << cgroup_files[file].controller))
		return false;
	if (!place->limits && (cgroup_files[file].limit || values->missing & 1u << file))
		return false;
	return !needs || values->value[needs] != WEIR_ABSENT_U64;
}

/* False: it could not be understood. A cgroup may be gone, or pressure switched off. */
static bool cgroup_file_take(const struct cgroup_place *place, uint32_t file,
			     struct weir_buffer *buffer, struct cgroup_values *values)
{
	struct cgroup_values told;
	int err;

	cgroup_values_clear(&told);
	err = cgroup_file_read(place, &cgroup_files[file], buffer, told.value);
	if (!err)
		cgroup_take_over(values, told.value, place->mount);
	if (err == -ENOENT)
		values->missing |= 1u << file;
	return !err || err == -ENOENT || err == -ENODEV || err == -EOPNOTSUPP;
}

uint32_t cgroup_files_read(const struct cgroup_place *place, const struct cgroup_values *known,
			   struct weir_buffer *buffer, struct cgroup_values *values)
{
	const bool version_2 = place->controllers & 1u << CGROUP_V2;
	uint32_t unreadable = 0;

	if (known && !place->limits) {
		cgroup_limits_take_over(values, place->mount, known);
		values->missing |= known->missing;
	}
	for (uint32_t i = 0; i < CGROUP_FILES; i++) {
		if (!cgroup_file_wanted(place, i, values))
			continue;
		unreadable += !cgroup_file_take(place, i, buffer, values);
		if (version_2 && !place->limits && cgroup_is_still(known, values)) {
			cgroup_stay(values, place->mount, known);
			return unreadable;
		}
	}
	if (version_2 && known)
		values->quiet = !unreadable && cgroup_is_quiet(known, values, place->mount);
	return unreadable;
}
