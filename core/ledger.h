/* SPDX-License-Identifier: BSD-2-Clause */
/* What a node says that it has lost: rows or samples by reason, each with its cure. */
#ifndef CORE_LEDGER_H
#define CORE_LEDGER_H

#include <pthread.h>
#include <stdint.h>

#define LEDGER_REASONS 32u /* further ones are added up in the last */

struct ledger_item {
	char *reason;
	char *cure; /* NULL: none is known */
	uint64_t n;
};

struct ledger {
	pthread_mutex_t lock;
	struct ledger_item *items;
	uint32_t count;
	uint64_t unnamed; /* lost without memory to keep the reason */
};

void ledger_init(struct ledger *ledger);
void ledger_clear(struct ledger *ledger);

/* Any thread. Equal reasons are added up. The texts are copied. */
void ledger_add(struct ledger *ledger, const char *reason, uint64_t n, const char *cure);
uint64_t ledger_total(struct ledger *ledger);

/* Any thread. Hands on each reason and its number; `seen` must not touch the ledger. */
typedef void ledger_seen_fn(const struct ledger_item *item, void *arg);
void ledger_each(struct ledger *ledger, ledger_seen_fn *seen, void *arg);

/* One line on stderr for each reason: "weir: io: lost 120 rows: ring buffer full (cure: ...)". */
void ledger_print(struct ledger *ledger, const char *who);

#endif
