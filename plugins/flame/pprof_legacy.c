/* SPDX-License-Identifier: BSD-2-Clause */
/* Old profiles that are text: what their first line says, and their samples; see pprof_legacy.h. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "pprof_legacy.h"

#define LEGACY_JAVA_HEAP 524288 /* bytes between samples, where it is not told */

/* A form: what its first line begins with, what that means, and what a sample looks like. */
struct legacy_form {
	const char *begin;
	void (*head)(struct legacy *legacy, struct legacy_text line);
	bool (*line)(struct legacy *legacy, struct legacy_text line);
};

/* "@ 0x12 0x34": all of them stand behind calls. */
static bool form_stack(struct legacy *legacy, struct legacy_text *line)
{
	uint64_t address;

	legacy_blanks(line);
	if (!legacy_word(line, "@"))
		return false;
	for (legacy_blanks(line); legacy_hex(line, &address); legacy_blanks(line))
		legacy_address(legacy, address, true);
	if (line->at == line->end)
		return true;
	legacy->stack.count = 0;
	return false;
}

static bool form_number(struct legacy_text *line, const char *before, uint64_t *number)
{
	legacy_blanks(line);
	if (!legacy_word(line, before))
		return false;
	legacy_blanks(line);
	return legacy_number(line, number);
}

/* "1: 2097152 [ 1: 2097152]": objects and bytes in use, and all that there were. */
static bool form_objects(struct legacy_text *line, uint64_t numbers[4])
{
	if (!form_number(line, "", &numbers[0]) || !form_number(line, ":", &numbers[1]) ||
	    !form_number(line, "[", &numbers[2]) || !form_number(line, ":", &numbers[3]))
		return false;
	legacy_blanks(line);
	return legacy_word(line, "]");
}

/* What a sampled object stands for: those of its size, of which so many were passed over. */
static void heap_scale(uint64_t period, uint64_t *objects, uint64_t *bytes)
{
	double share;

	if (!*objects || !*bytes) {
		*objects = *bytes = 0;
		return;
	}
	if (period <= 1)
		return;
	share = -expm1(-((double)*bytes / (double)*objects) / (double)period);
	/* What does not fit stays as it was told. */
	if (share <= 0 || (double)*bytes / share >= 9e18 || (double)*objects / share >= 9e18)
		return;
	*objects = (uint64_t)((double)*objects / share);
	*bytes = (uint64_t)((double)*bytes / share);
}

static void heap_head(struct legacy *legacy, struct legacy_text line)
{
	uint64_t numbers[4] = { 0 };
	bool all = form_objects(&line, numbers) && ((numbers[2] && numbers[2] != numbers[0]) ||
						    (numbers[3] && numbers[3] != numbers[1]));

	legacy_blanks(&line);
	legacy_word(&line, "@");
	legacy_blanks(&line);
	if (legacy_word(&line, "heapz_v2/") || legacy_word(&line, "heap_v2/")) {
		legacy_number(&line, &legacy->period);
	} else if (legacy_word(&line, "heap/")) {
		legacy_number(&line, &legacy->period);
		legacy->period /= 2; /* Go tells twice of what it takes */
	}
	if (all) {
		legacy_type(legacy, "alloc_objects", "count");
		legacy_type(legacy, "alloc_space", "bytes");
	}
	legacy_type(legacy, all ? "inuse_objects" : "objects", "count");
	legacy_type(legacy, all ? "inuse_space" : "space", "bytes");
}

static bool heap_line(struct legacy *legacy, struct legacy_text line)
{
	uint64_t numbers[4], *value = legacy->values;

	if (!form_objects(&line, numbers) || !form_stack(legacy, &line))
		return false;
	heap_scale(legacy->period, &numbers[0], &numbers[1]);
	heap_scale(legacy->period, &numbers[2], &numbers[3]);
	if (legacy->value_count == 4) {
		*value++ = numbers[2];
		*value++ = numbers[3];
	}
	*value++ = numbers[0];
	*value = numbers[1];
	legacy_sample(legacy);
	return true;
}

/* "cycles/second = 3201000000" and its like, in front of the samples. */
static bool form_setting(struct legacy *legacy, struct legacy_text line)
{
	const char *equals = memchr(line.at, '=', (size_t)(line.end - line.at));
	struct legacy_text value = { equals ? equals + 1 : line.end, line.end };

	if (!equals || legacy->samples)
		return false;
	legacy_blanks(&value);
	if (legacy_word(&line, "cycles/second"))
		return legacy_number(&value, &legacy->frequency);
	if (legacy_word(&line, "sampling period"))
		return legacy_number(&value, &legacy->period);
	if (legacy_word(&line, "format"))
		legacy->java = legacy_word(&value, "java");
	return true;
}

static void wait_head(struct legacy *legacy, struct legacy_text line)
{
	struct legacy_text left = legacy->left, setting;
	bool micro = false;

	(void)line;
	/* The unit of the type is told by a later line. */
	while (legacy_line(&left, &setting) &&
	       memchr(setting.at, '=', (size_t)(setting.end - setting.at)))
		micro |= legacy_word(&setting, "resolution = microseconds");
	legacy_type(legacy, "contentions", "count");
	legacy_type(legacy, "delay", micro ? "microseconds" : "nanoseconds");
}

static void java_heap_head(struct legacy *legacy, struct legacy_text line)
{
	(void)line;
	legacy->heap = true;
	legacy->period = LEGACY_JAVA_HEAP;
	legacy_type(legacy, "inuse_objects", "count");
	legacy_type(legacy, "inuse_space", "bytes");
}

/* "19490304 27 @ 0x12 0x34": how long or much, and how often. */
static bool wait_line(struct legacy *legacy, struct legacy_text line)
{
	uint64_t amount, times, period = legacy->period ? legacy->period : 1;
	double scaled;

	if (form_setting(legacy, line))
		return true;
	if (!form_number(&line, "", &amount) || !form_number(&line, "", &times) ||
	    !form_stack(legacy, &line))
		return false;
	if (legacy->heap) {
		heap_scale(period, &times, &amount);
		period = 1;
	}
	if (__builtin_mul_overflow(times, period, &legacy->values[0])) {
		legacy->stack.count = 0;
		return false;
	}
	scaled = (double)amount * (double)period;
	if (legacy->frequency)
		scaled = scaled / ((double)legacy->frequency / 1e9);
	else if (!legacy->java)
		scaled = (double)amount;
	legacy->values[1] = scaled < 9e18 ? (uint64_t)scaled : 0;
	legacy->bad += scaled >= 9e18;
	legacy_sample(legacy);
	return true;
}

static void thread_head(struct legacy *legacy, struct legacy_text line)
{
	(void)line;
	legacy_type(legacy, "thread", "count");
	legacy->values[0] = 1;
}

/* Addresses of a thread, alone or with a name each: "PC: 0x12: main(int)". */
static void thread_addresses(struct legacy *legacy, struct legacy_text line)
{
	uint64_t address;

	while (line.at < line.end) {
		if (!legacy_word(&line, "0x") || !legacy_hex(&line, &address)) {
			line.at++;
			continue;
		}
		address = legacy_address(legacy, address, legacy->stack.count);
		if (!legacy_word(&line, ": "))
			continue;
		legacy_name(legacy, address, &line, NULL, 0);
		return;
	}
}

/* Threads begin with a line of their own; the mappings are no thread. */
static bool thread_line(struct legacy *legacy, struct legacy_text line)
{
	struct legacy_text rest = line;

	if (legacy_word(&rest, "---")) {
		if (legacy->stack.count)
			legacy_sample(legacy);
		return true;
	}
	legacy_blanks(&rest);
	if (legacy_word(&rest, "[same as previous thread")) {
		legacy_again(legacy);
		return true;
	}
	if (!memmem(line.at, (size_t)(line.end - line.at), "0x", 2) &&
	    !legacy_word(&rest, "creator:"))
		return false;
	thread_addresses(legacy, line);
	return true;
}

/* "goroutine profile: total 7": the type is the first word. */
static void count_head(struct legacy *legacy, struct legacy_text line)
{
	char type[64];
	const char *end = memmem(line.at, (size_t)(line.end - line.at), " profile: total ", 16);
	size_t length = end ? (size_t)(end - line.at) : 0;

	length = length < sizeof(type) ? length : sizeof(type) - 1;
	memcpy(type, line.at, length);
	type[length] = '\0';
	legacy_type(legacy, type, "count");
}

static bool count_line(struct legacy *legacy, struct legacy_text line)
{
	if (!form_number(&line, "", &legacy->values[0]) || !form_stack(legacy, &line))
		return false;
	legacy_sample(legacy);
	return true;
}

static const struct legacy_form legacy_forms[] = {
	{ "heap profile:", heap_head, heap_line },    { "--- heapz ", java_heap_head, wait_line },
	{ "--- contentionz ", wait_head, wait_line }, { "--- contention:", wait_head, wait_line },
	{ "--- mutex:", wait_head, wait_line },       { "--- threadz ", thread_head, thread_line },
	{ "--- Thread ", thread_head, thread_line },  { "", count_head, count_line },
};

/* The form of a first line, of which the beginning is taken. NULL: none. */
static const struct legacy_form *legacy_form(struct legacy_text *line)
{
	const struct legacy_form *form = legacy_forms;

	while (!legacy_word(line, form->begin))
		form++;
	if (!form->begin[0] &&
	    !memmem(line->at, (size_t)(line->end - line->at), " profile: total ", 16))
		return NULL;
	return form;
}

/* The first line that says something. */
static bool legacy_first(struct legacy_text *text, struct legacy_text *line)
{
	do
		if (!legacy_line(text, line))
			return false;
	while (line->at == line->end);
	return true;
}

bool legacy_recognise(const uint8_t *bytes, size_t count)
{
	struct legacy_text text = { (const char *)bytes, (const char *)bytes + count }, line;

	if (legacy_cpu_recognise(bytes, count))
		return true;
	return legacy_first(&text, &line) && line.end - line.at < 256 && legacy_form(&line);
}

static int legacy_text_read(struct legacy *legacy, const struct legacy_form *form)
{
	struct legacy_text line;
	bool samples = true;

	while (legacy_line(&legacy->left, &line) && !legacy->failed) {
		struct legacy_text rest = line;

		legacy_blanks(&rest);
		/* A thread's line may look like those of the tail. */
		samples &=
			!legacy_word(&rest, "--- Memory map") && !legacy_word(&rest, "MAPPED_LIB");
		if (samples && form && form->line(legacy, line))
			continue;
		legacy->bad += !legacy_tail(legacy, line);
	}
	if (legacy->stack.count)
		legacy_sample(legacy);
	return 0;
}

int legacy_convert(struct legacy *legacy, const uint8_t *bytes, size_t count)
{
	const struct legacy_form *form = NULL;
	struct legacy_text line;
	int err = 0;

	legacy->left = (struct legacy_text){ (const char *)bytes, (const char *)bytes + count };
	if (legacy_cpu_recognise(bytes, count)) {
		err = legacy_cpu_read(legacy, bytes, count);
	} else {
		if (!legacy_first(&legacy->left, &line))
			return -EBADMSG;
		form = legacy_form(&line);
		if (!form)
			return -EBADMSG;
		form->head(legacy, line);
	}
	if (!err)
		err = legacy_text_read(legacy, form);
	legacy_finish(legacy);
	return legacy->failed ? -ENOMEM : err;
}
