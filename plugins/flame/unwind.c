/* SPDX-License-Identifier: BSD-2-Clause */
/* Provider unwind: the service "unwind/1". */
#include <stdlib.h>

#include <weir/plugin.h>

#include "unwind_walk.h"

struct unwind_state_walkers {
	struct unwind_walker **items; /* NULL where one was closed; a handle is the place + 1 */
	uint32_t count;
};

static int unwind_open(struct weir_ctx *self, const struct weir_service *process, uint64_t *walker)
{
	struct unwind_state_walkers *walkers = self->state;
	struct unwind_walker **items = reallocarray(walkers->items, walkers->count + (size_t)1,
						    sizeof(struct unwind_walker *));
	struct unwind_walker *opened = calloc(1, sizeof(*opened));

	*walker = 0;
	if (items)
		walkers->items = items;
	if (!items || !opened) {
		free(opened);
		return -ENOMEM;
	}
	opened->process = *process;
	items[walkers->count++] = opened;
	*walker = walkers->count;
	return 0;
}

static struct unwind_walker *unwind_walker_of(const struct weir_ctx *self, uint64_t walker)
{
	const struct unwind_state_walkers *walkers = self->state;

	return walker && walker <= walkers->count ? walkers->items[walker - 1] : NULL;
}

static int unwind_service_walk(struct weir_ctx *self, uint64_t walker,
			       struct weir_unwind_stack *stack)
{
	struct unwind_walker *opened = unwind_walker_of(self, walker);

	return opened ? unwind_walk(opened, self->root, stack) : -EINVAL;
}

static int unwind_service_judge(struct weir_ctx *self, uint64_t walker, uint32_t pid, uint64_t time,
				struct weir_unwind_frame *frames, uint32_t count)
{
	struct unwind_walker *opened = unwind_walker_of(self, walker);

	return opened ? unwind_judge(opened, self->root, pid, time, frames, count) : -EINVAL;
}

static void unwind_close(struct weir_ctx *self, uint64_t walker)
{
	struct unwind_state_walkers *walkers = self->state;
	struct unwind_walker *opened = unwind_walker_of(self, walker);

	if (!opened)
		return;
	unwind_modules_clear(&opened->modules);
	free(opened);
	walkers->items[walker - 1] = NULL;
}

static void unwind_destroy(struct weir_ctx *ctx)
{
	struct unwind_state_walkers *walkers = ctx->state;

	for (uint32_t i = 0; i < walkers->count; i++)
		unwind_close(ctx, i + 1);
	free(walkers->items);
}

static const struct weir_unwind_v1 unwind_service = {
	.size = sizeof(unwind_service),
	.open = unwind_open,
	.walk = unwind_service_walk,
	.judge = unwind_service_judge,
	.close = unwind_close,
};

static const struct weir_service_offer unwind_offers[] = {
	{ WEIR_UNWIND_SERVICE, WEIR_UNWIND_VERSION, 0, &unwind_service },
};

WEIR_COMPONENT(
	"unwind", WEIR_PROVIDER, .summary = "who called whom, from a copy of the stack",
	.doc = "Walks the copies of user stacks that perf events take, by the tables of .eh_frame\n"
	       "and .debug_frame, of x86-64 and arm64; and by frame pointers where there is no\n"
	       "table, as in code that was made at run time. Hostile files and stacks make a walk\n"
	       "end, and nothing else: all they say is bounded.",
	.state_size = sizeof(struct unwind_state_walkers), .offers = WEIR_TABLE(unwind_offers),
	.destroy = unwind_destroy);
