/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: call chains whose user part is told elsewhere: by the calls that the processor kept (last
 * branch records), or by a record that comes when the thread returns to user code (Linux 6.19).
 */
#include "perf_data.h"

#include <stdlib.h>

enum {
	CHAIN_HELD_MAX = 4096, /* samples that wait: threads that sleep in the kernel */
	CHAIN_BRANCH = 24,     /* bytes of a branch: from, to, flags */
	CHAIN_COOKIE = 8,
};

/* A sample that waits for the user part of its chain. */
struct perf_data_held {
	struct perf_data_held *next;
	uint64_t cookie;
	uint32_t event; /* place */
	struct perf_data_sample sample;
	uint8_t chain[];
};

static uint64_t chain_at(const struct perf_data *data, const struct perf_data_sample *sample,
			 uint64_t i)
{
	return perf_data_u64(data, sample->chain + i * 8);
}

uint8_t *perf_data_chain_room(struct perf_data *data, uint64_t count)
{
	struct perf_data_chains *chains = &data->joined;
	void *grown;

	if (count <= chains->capacity)
		return chains->bytes;
	grown = reallocarray(chains->bytes, (size_t)count, 2 * 8);
	if (!grown)
		return NULL;
	chains->bytes = grown;
	chains->capacity = count * 2;
	return grown;
}

/*
 * What the kernel found of the user part ends where frame pointers do, but its first address is where
 * the thread was. Below it stand the calls: addresses of call instructions, not behind them.
 */
int perf_data_chain_calls(struct perf_data *data, struct perf_data_sample *sample)
{
	uint64_t kept = 0, count = sample->branch_count;
	uint8_t *joined;

	while (kept < sample->chain_count && chain_at(data, sample, kept) != PERF_DATA_CHAIN_USER)
		kept++;
	if (!count || kept == sample->chain_count)
		return 0;
	kept++;
	joined = perf_data_chain_room(data, kept + 1 + count);
	if (!joined)
		return -ENOMEM;
	memcpy(joined, sample->chain, kept * 8);
	/* Without that address: where the latest call led to. */
	memcpy(joined + kept * 8,
	       kept < sample->chain_count ? sample->chain + kept * 8 : sample->branches + 8, 8);
	kept++;
	for (uint64_t i = 0; i < count; i++)
		memcpy(joined + (kept + i) * 8, sample->branches + i * CHAIN_BRANCH, 8);
	sample->chain = joined;
	sample->chain_count = kept + count;
	sample->calls_at = kept;
	return 0;
}

bool perf_data_is_deferred(const struct perf_data *data, const struct perf_data_sample *sample)
{
	return sample->chain_count >= 2 &&
	       chain_at(data, sample, sample->chain_count - 2) == PERF_DATA_CHAIN_DEFERRED;
}

/* Gives the first of them to the profile, with what is known of its chain. */
static int held_push(struct perf_data *data)
{
	struct perf_data_held *held = data->held.first;
	int err = perf_data_push(data, &data->events.items[held->event], &held->sample);

	data->held.first = held->next;
	if (!data->held.first)
		data->held.last = NULL;
	data->held.count--;
	free(held);
	return err;
}

int perf_data_defer(struct perf_data *data, const struct perf_data_event *event,
		    const struct perf_data_sample *sample)
{
	size_t bytes = (size_t)sample->chain_count * 8;
	struct perf_data_held *held = malloc(sizeof(*held) + bytes);

	if (!held)
		return -ENOMEM;
	*held = (struct perf_data_held){
		.cookie = chain_at(data, sample, sample->chain_count - 1),
		.event = (uint32_t)(event - data->events.items),
		.sample = *sample,
	};
	memcpy(held->chain, sample->chain, bytes);
	held->sample.chain = held->chain;
	if (data->held.last)
		data->held.last->next = held;
	else
		data->held.first = held;
	data->held.last = held;
	return ++data->held.count > CHAIN_HELD_MAX ? held_push(data) : 0;
}

/* The sample's own chain without mark and cookie, then the user part. */
static int held_join(struct perf_data *data, const struct perf_data_held *held,
		     const uint8_t *addresses, uint64_t count)
{
	struct perf_data_sample whole = held->sample;
	uint64_t own = whole.chain_count - 2;
	uint8_t *joined = perf_data_chain_room(data, own + count + 1);

	if (!joined)
		return -ENOMEM;
	memcpy(joined, whole.chain, own * 8);
	memcpy(joined + own * 8, addresses, count * 8);
	whole.chain = joined;
	whole.chain_count = own + count;
	return perf_data_push(data, &data->events.items[held->event], &whole);
}

int perf_data_deferred(struct perf_data *data, const struct perf_data_record *record)
{
	struct perf_data_held **link = &data->held.first, *held, *before = NULL;
	uint64_t cookie, count;
	int err = 0;

	if (record->bytes < 2 * CHAIN_COOKIE)
		return -EBADMSG;
	cookie = perf_data_u64(data, record->body);
	count = perf_data_u64(data, record->body + CHAIN_COOKIE);
	if (count > (record->bytes - 2 * CHAIN_COOKIE) / 8)
		return -EBADMSG;
	/* One return to user code may end the chains of several samples. */
	while (!err && (held = *link)) {
		if (held->cookie != cookie) {
			before = held;
			link = &held->next;
			continue;
		}
		err = held_join(data, held, record->body + 2 * CHAIN_COOKIE, count);
		*link = held->next;
		if (data->held.last == held)
			data->held.last = before;
		data->held.count--;
		free(held);
	}
	return err;
}

int perf_data_chain_end(struct perf_data *data)
{
	int err = 0;

	while (!err && data->held.first)
		err = held_push(data);
	return err;
}

void perf_data_chain_clear(struct perf_data *data)
{
	while (data->held.first) {
		struct perf_data_held *held = data->held.first;

		data->held.first = held->next;
		free(held);
	}
	free(data->joined.bytes);
}
