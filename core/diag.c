/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagnostics: keeping them, and guessing what a word was meant to be. diag_print.c shows them. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "diag_list.h"

struct diag *diag_new(void)
{
	return calloc(1, sizeof(struct diag));
}

void diag_free(struct diag *diag)
{
	if (!diag)
		return;
	for (uint32_t i = 0; i < diag->kept; i++)
		free(diag->items[i].message);
	while (diag->texts) {
		struct diag_text *text = diag->texts;

		diag->texts = text->next;
		free(text->name);
		free(text->bytes);
		free(text);
	}
	free(diag);
}

const struct diag_text *diag_add_text(struct diag *diag, const char *name, char *bytes, size_t size)
{
	struct diag_text *text = calloc(1, sizeof(*text));
	struct diag_text **end = &diag->texts;

	if (text)
		text->name = strdup(name);
	if (!text || !text->name) {
		free(text);
		free(bytes);
		return NULL;
	}
	text->bytes = bytes;
	text->size = size;
	while (*end)
		end = &(*end)->next;
	*end = text;
	return text;
}

/* Texts count from 1 in the order they came; 0: no text. */
static uint32_t text_rank(const struct diag *diag, const struct diag_text *wanted)
{
	uint32_t rank = 1;

	if (!wanted)
		return 0;
	for (const struct diag_text *text = diag->texts; text && text != wanted; text = text->next)
		rank++;
	return rank;
}

int diag_verror(struct diag *diag, const struct place *place, const char *format, va_list args)
{
	struct diag_item *item = &diag->items[diag->kept];

	diag->count++;
	if (diag->kept == DIAG_KEPT_MAX)
		return -EINVAL;
	if (vasprintf(&item->message, format, args) < 0) {
		item->message = NULL;
		return -EINVAL;
	}
	if (place)
		item->place = *place;
	item->rank = text_rank(diag, item->place.text);
	item->order = diag->kept++;
	return -EINVAL;
}

int diag_error(struct diag *diag, const struct place *place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_verror(diag, place, format, args);
	va_end(args);
	return -EINVAL;
}

uint32_t diag_count(const struct diag *diag)
{
	return diag->count;
}

enum { WORD_MAX = 64 };

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many letters to insert, delete, replace or swap; both words are shorter than WORD_MAX. */
static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t rows[3][WORD_MAX];
	size_t *older = rows[0], *old = rows[1], *now = rows[2];

	for (size_t j = 0; j <= b_size; j++)
		old[j] = older[j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t *oldest = older;

		now[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			now[j] = least(old[j], now[j - 1]) + 1;
			now[j] = least(now[j], old[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], older[j - 2] + 1);
		}
		older = old;
		old = now;
		now = oldest;
	}
	return old[b_size];
}

const char *diag_nearest(const char *word, const char *const *words, size_t count)
{
	size_t word_size = strlen(word);
	size_t best = word_size / 3 + 1;
	const char *nearest = NULL;

	if (word_size >= WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(words[i]);
		size_t differ;

		if (size >= WORD_MAX)
			continue;
		differ = distance(word, word_size, words[i], size);
		if (differ < best) {
			best = differ;
			nearest = words[i];
		}
	}
	return nearest;
}
