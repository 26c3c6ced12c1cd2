/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code made at run time, by address and time; see jit_code.h. The sorted part is a balanced tree
 * by its middles, each node with the largest end below it: ranges may overlap in any way.
 */
#include "jit_code.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	CODES_UNSORTED = 512,     /* looked through one by one, until they are sorted in */
	CODES_VISITED_MAX = 65536 /* a look-up in a table made to be slow ends without an answer */
};

static int codes_grow(struct jit_codes *codes)
{
	uint32_t capacity = codes->capacity ? codes->capacity * 2 : 256;
	struct jit_code *items = realloc(codes->items, capacity * sizeof(*items));
	uint64_t *reach;

	if (!items)
		return -ENOMEM;
	codes->items = items;
	reach = realloc(codes->reach, capacity * sizeof(*reach));
	if (!reach)
		return -ENOMEM;
	codes->reach = reach;
	codes->capacity = capacity;
	return 0;
}

static int codes_keep_name(struct jit_codes *codes, const char *name, size_t length, uint32_t *at)
{
	size_t needed = codes->names_used + length + 1;

	if (needed > codes->names_capacity) {
		size_t capacity = codes->names_capacity ? codes->names_capacity : 4096;
		char *names;

		while (capacity < needed)
			capacity *= 2;
		names = realloc(codes->names, capacity);
		if (!names)
			return -ENOMEM;
		codes->names = names;
		codes->names_capacity = (uint32_t)capacity;
	}
	memcpy(codes->names + codes->names_used, name, length);
	codes->names[codes->names_used + length] = '\0';
	*at = codes->names_used;
	codes->names_used = (uint32_t)needed;
	return 0;
}

int jit_codes_add(struct jit_codes *codes, const struct jit_code *code, const char *name,
		  size_t length)
{
	struct jit_code added = *code;
	int err;

	if (codes->count >= JIT_CODES_MAX || length >= JIT_NAMES_MAX - codes->names_used)
		return -E2BIG;
	if (codes->count == codes->capacity && codes_grow(codes) < 0)
		return -ENOMEM;
	err = codes_keep_name(codes, name, length, &added.name);
	if (err)
		return err;
	added.order = codes->count;
	codes->items[codes->count++] = added;
	return 0;
}

static int code_compare(const void *a, const void *b)
{
	const struct jit_code *one = a, *other = b;

	if (one->start != other->start)
		return one->start < other->start ? -1 : 1;
	return one->order < other->order ? -1 : one->order > other->order;
}

/* Fills `reach` of the nodes in [low, high); returns the largest end in it. */
static uint64_t codes_reach(struct jit_codes *codes, uint32_t low, uint32_t high)
{
	uint32_t middle = low + (high - low) / 2;
	uint64_t reach, other;

	if (low == high)
		return 0;
	reach = codes->items[middle].end;
	other = codes_reach(codes, low, middle);
	if (other > reach)
		reach = other;
	other = codes_reach(codes, middle + 1, high);
	if (other > reach)
		reach = other;
	codes->reach[middle] = reach;
	return reach;
}

static void codes_sort(struct jit_codes *codes)
{
	qsort(codes->items, codes->count, sizeof(codes->items[0]), code_compare);
	codes_reach(codes, 0, codes->count);
	codes->sorted = codes->count;
}

struct code_question {
	uint64_t address;
	uint64_t time;
	uint32_t visited;
	const struct jit_code *best;
};

static void code_consider(struct code_question *question, const struct jit_code *code)
{
	const struct jit_code *best = question->best;

	if (question->address < code->start || question->address >= code->end ||
	    code->time > question->time)
		return;
	if (!best || code->time > best->time ||
	    (code->time == best->time && code->order > best->order))
		question->best = code;
}

static void codes_ask(const struct jit_codes *codes, uint32_t low, uint32_t high,
		      struct code_question *question)
{
	while (low < high && question->visited < CODES_VISITED_MAX) {
		uint32_t middle = low + (high - low) / 2;

		if (codes->reach[middle] <= question->address)
			return;
		question->visited++;
		codes_ask(codes, low, middle, question);
		if (codes->items[middle].start > question->address)
			return;
		code_consider(question, &codes->items[middle]);
		low = middle + 1;
	}
}

const struct jit_code *jit_codes_find(struct jit_codes *codes, uint64_t address, uint64_t time)
{
	struct code_question question = { .address = address, .time = time };

	if (codes->count - codes->sorted > CODES_UNSORTED)
		codes_sort(codes);
	codes_ask(codes, 0, codes->sorted, &question);
	if (question.visited >= CODES_VISITED_MAX)
		return NULL;
	for (uint32_t i = codes->sorted; i < codes->count; i++)
		code_consider(&question, &codes->items[i]);
	return question.best;
}

void jit_codes_clear(struct jit_codes *codes)
{
	free(codes->items);
	free(codes->reach);
	free(codes->names);
	memset(codes, 0, sizeof(*codes));
}
