/* SPDX-License-Identifier: BSD-2-Clause */
/* Losses by reason. A plugin that invents reasons without end fills one last, common item. */
#include "ledger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

void ledger_init(struct ledger *ledger)
{
	*ledger = (struct ledger){ 0 };
	pthread_mutex_init(&ledger->lock, NULL);
}

void ledger_clear(struct ledger *ledger)
{
	for (uint32_t i = 0; i < ledger->count; i++) {
		free(ledger->items[i].reason);
		free(ledger->items[i].cure);
	}
	free(ledger->items);
	pthread_mutex_destroy(&ledger->lock);
}

static struct ledger_item *ledger_find(struct ledger *ledger, const char *reason)
{
	for (uint32_t i = 0; i < ledger->count; i++)
		if (strcmp(ledger->items[i].reason, reason) == 0)
			return &ledger->items[i];
	return NULL;
}

/* A new item, or NULL: no memory, or too many reasons. */
static struct ledger_item *ledger_append(struct ledger *ledger, const char *reason,
					 const char *cure)
{
	struct ledger_item *items, item = { 0 };

	if (ledger->count == LEDGER_REASONS)
		return NULL;
	items = realloc(ledger->items, (ledger->count + 1) * sizeof(*items));
	if (!items)
		return NULL;
	ledger->items = items;
	item.reason = strdup(reason);
	if (!item.reason)
		return NULL;
	item.cure = cure && cure[0] ? strdup(cure) : NULL;
	items[ledger->count] = item;
	return &items[ledger->count++];
}

void ledger_add(struct ledger *ledger, const char *reason, uint64_t n, const char *cure)
{
	struct ledger_item *item;

	pthread_mutex_lock(&ledger->lock);
	item = ledger_find(ledger, reason);
	if (!item)
		item = ledger_append(ledger, reason, cure);
	if (item)
		item->n += n;
	else
		ledger->unnamed += n;
	pthread_mutex_unlock(&ledger->lock);
}

uint64_t ledger_total(struct ledger *ledger)
{
	uint64_t total;

	pthread_mutex_lock(&ledger->lock);
	total = ledger->unnamed;
	for (uint32_t i = 0; i < ledger->count; i++)
		total += ledger->items[i].n;
	pthread_mutex_unlock(&ledger->lock);
	return total;
}

void ledger_each(struct ledger *ledger, ledger_seen_fn *seen, void *arg)
{
	struct ledger_item rest = { .reason = (char[]){ "other reasons" } };

	pthread_mutex_lock(&ledger->lock);
	rest.n = ledger->unnamed;
	for (uint32_t i = 0; i < ledger->count; i++)
		if (ledger->items[i].n)
			seen(&ledger->items[i], arg);
	if (rest.n)
		seen(&rest, arg);
	pthread_mutex_unlock(&ledger->lock);
}

void ledger_print(struct ledger *ledger, const char *who)
{
	pthread_mutex_lock(&ledger->lock);
	for (uint32_t i = 0; i < ledger->count; i++) {
		const struct ledger_item *item = &ledger->items[i];

		if (item->n)
			log_line(who, "lost %" PRIu64 " rows: %s%s%s%s", item->n, item->reason,
				 item->cure ? " (cure: " : "", item->cure ? item->cure : "",
				 item->cure ? ")" : "");
	}
	if (ledger->unnamed)
		log_line(who, "lost %" PRIu64 " rows for other reasons", ledger->unnamed);
	pthread_mutex_unlock(&ledger->lock);
}
