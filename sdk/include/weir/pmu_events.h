/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks all providers of events by name: one of them has to know it, or all in the same way. */
#ifndef WEIR_PMU_EVENTS_H
#define WEIR_PMU_EVENTS_H

#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "service/pmu.h"

#define WEIR_PMU_PROVIDERS 64 /* more are not asked */

struct weir_pmu_provider {
	const char *name; /* "pmu.kernel" */
	const struct weir_pmu_v1 *calls;
	struct weir_ctx *ctx;
};

/* All providers that can serve. Starts zeroed. */
struct weir_pmus {
	struct weir_pmu_provider *items;
	uint32_t count;
	uint32_t reserved;
};

static inline void weir_pmus_close(struct weir_pmus *pmus)
{
	free(pmus->items);
	memset(pmus, 0, sizeof(*pmus));
}

static inline int weir_pmus_add(struct weir_pmus *pmus, const char *name,
				const struct weir_service *service)
{
	struct weir_pmu_provider *items = (struct weir_pmu_provider *)realloc(
		pmus->items, (pmus->count + 1) * sizeof(*items));

	if (!items)
		return -ENOMEM;
	pmus->items = items;
	items[pmus->count].name = name;
	items[pmus->count].calls = (const struct weir_pmu_v1 *)service->vtable;
	items[pmus->count++].ctx = service->ctx;
	return 0;
}

/*
 * create(): finds them. 0, or failed. One that cannot serve is left out, which is told when a name is
 * not known.
 */
static inline int weir_pmus_open(struct weir_ctx *ctx, struct weir_pmus *pmus)
{
	const char *name = "";
	int err = 0;

	for (uint32_t i = 0; err != -ENOENT && i < WEIR_PMU_PROVIDERS; i++) {
		struct weir_service service;

		err = ctx->host->service_at(ctx, WEIR_PMU_SERVICE, WEIR_PMU_VERSION, i, &service,
					    &name);
		if (!err && weir_pmus_add(pmus, name, &service) < 0)
			return weir_fail(ctx, -ENOMEM, "providers of events");
	}
	/* The first of all tells best why there is none. */
	return pmus->count ? 0
			   : weir_fail(ctx, -ENODEV, "no provider of events (pmu.kernel) is there");
}

/* "kernel" of "pmu.kernel" */
static inline const char *weir_pmu_own_name(const char *provider)
{
	const char *dot = strrchr(provider, '.');

	return dot ? dot + 1 : provider;
}

static inline int weir_pmu_is_vendor(const struct weir_pmu_provider *provider, const char *vendor,
				     size_t length)
{
	const char *own = weir_pmu_own_name(provider->name);

	return length == 0 || (strlen(own) == length && strncmp(own, vendor, length) == 0);
}

/*
 * The part behind "vendor::", with the vendor's length; the whole name, and 0, where no provider has
 * that name: such a word may mean something to one of them ("skx::INST_RETIRED").
 */
static inline const char *weir_pmu_vendor(const struct weir_pmus *pmus, const char *name,
					  size_t *length)
{
	const char *colons = strstr(name, "::");

	*length = 0;
	if (!colons || colons == name || memchr(name, '/', (size_t)(colons - name)))
		return name;
	for (uint32_t i = 0; i < pmus->count; i++)
		if (weir_pmu_is_vendor(&pmus->items[i], name, (size_t)(colons - name))) {
			*length = (size_t)(colons - name);
			return colons + 2;
		}
	return name;
}

static inline int weir_pmu_same(const struct weir_pmu_event *a, const struct weir_pmu_event *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 &&
	       a->config2 == b->config2;
}

/* What is known of a name while providers are asked. */
struct weir_pmu_search {
	const char *name;
	size_t vendor_length;
	const char *provider; /* who knows it; NULL: nobody yet */
	int error;
	char like[80];
	char *why;
	size_t size;
};

/* Where nobody knows it. */
static inline int weir_pmu_unknown(const struct weir_pmu_search *search)
{
	if (search->like[0])
		snprintf(search->why, search->size,
			 "there is no event \"%s\"; did you mean \"%s\"? `weir events` lists what "
			 "there is",
			 search->name, search->like);
	else
		snprintf(search->why, search->size,
			 "there is no event \"%s\"; `weir events` lists what there is",
			 search->name);
	return -ENOENT;
}

/* Takes in that a provider has no answer: the first reason is kept, that it is unknown is none. */
static inline void weir_pmu_no_answer(struct weir_pmu_search *search, int err,
				      const struct weir_pmu_event *found)
{
	if (err == -ENOENT && found->like && !search->like[0])
		snprintf(search->like, sizeof(search->like), "%s", found->like);
	if (err == -ENOENT || search->error != -ENOENT)
		return;
	search->error = err;
	snprintf(search->why, search->size, "%s: %s", search->name,
		 found->why ? found->why : strerror(-err));
}

/* Takes in what one provider says. 0, or -ENOTUNIQ. */
static inline int weir_pmu_answer(struct weir_pmu_search *search, const char *provider,
				  const struct weir_pmu_event *found, struct weir_pmu_event *event)
{
	if (!search->provider) {
		*event = *found;
		search->provider = provider;
	}
	if (weir_pmu_same(event, found))
		return 0;
	snprintf(search->why, search->size,
		 "%s is known to %s and to %s, differently; write %s::%s or %s::%s", search->name,
		 search->provider, provider, weir_pmu_own_name(search->provider), search->name,
		 weir_pmu_own_name(provider), search->name);
	return -ENOTUNIQ;
}

/*
 * What a name stands for. 0, with *event, whose texts live until the next call; -ENOENT: no provider
 * knows it; -ENOTUNIQ: two know it differently; or what the provider said. `why` gets the reason, "" or
 * a sentence that names the event.
 */
static inline int weir_pmus_encode(const struct weir_pmus *pmus, const char *asked,
				   struct weir_pmu_event *event, char *why, size_t size)
{
	struct weir_pmu_search search = { NULL, 0, NULL, -ENOENT, "", why, size };

	why[0] = '\0';
	search.name = weir_pmu_vendor(pmus, asked, &search.vendor_length);
	for (uint32_t i = 0; i < pmus->count; i++) {
		const struct weir_pmu_provider *one = &pmus->items[i];
		struct weir_pmu_event found;
		int err;

		if (!weir_pmu_is_vendor(one, asked, search.vendor_length))
			continue;
		memset(&found, 0, sizeof(found));
		found.size = sizeof(found);
		err = one->calls->encode(one->ctx, search.name, &found);
		if (err)
			weir_pmu_no_answer(&search, err, &found);
		else if (weir_pmu_answer(&search, one->name, &found, event) < 0)
			return -ENOTUNIQ;
	}
	if (search.provider)
		why[0] = '\0';
	if (search.provider || search.error != -ENOENT)
		return search.provider ? 0 : search.error;
	return weir_pmu_unknown(&search);
}

#endif
