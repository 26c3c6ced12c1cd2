/* SPDX-License-Identifier: BSD-2-Clause */
/* What the verdict knows nothing of, and why: inputs that said nothing, and what sources lost. */
#include <math.h>
#include <stdio.h>

#include "use_row.h"

/* The reason why nothing came of an input: NULL when something may have. */
static const char *row_absent(struct weir_ctx *ctx, const struct use_ask *ask, const char **cure)
{
	const struct weir_input *input =
		ask->input == USE_NONE ? NULL : weir_input(ctx, ask->input);

	*cure = "";
	if (!input)
		return "this pipeline has no such input";
	*cure = input->cure ? input->cure : "";
	return input->absent;
}

/* A resource before it has the same name and the same input. */
static bool row_is_repeated(const struct use_state *st, const struct use_resource *resource)
{
	for (const struct use_resource *other = st->resources; other < resource; other++)
		if (strcmp(other->name, resource->name) == 0 &&
		    strcmp(other->ask.name, resource->ask.name) == 0)
			return true;
	return false;
}

uint32_t row_add_unchecked_resource(struct row_maker *maker, struct weir_rows_ref rows, uint32_t at,
				    const struct use_resource *resource)
{
	const char *cure, *reason = row_absent(maker->ctx, &resource->ask, &cure);
	struct resource_row row = { .utilization = NAN, .saturation = NAN, .errors = NAN };

	if (!reason || row_is_repeated(maker->ctx->state, resource))
		return at;
	row.resource = row_text(maker, resource->name);
	row.state = row_text(maker, "not checked");
	row.reason = row_text(maker, reason);
	row_put(maker, rows, at, &row, sizeof(row));
	return at + 1;
}

/* True when this resource, by its own input or by one of these figures, asks that input. */
static bool row_asks(const struct use_resource *resource, uint32_t figures, const char *name)
{
	if (strcmp(resource->ask.name, name) == 0)
		return true;
	for (uint32_t i = 0; i < figures; i++)
		if (resource->figures[i].ask.name &&
		    strcmp(resource->figures[i].ask.name, name) == 0)
			return true;
	return false;
}

/* The same of what was told before this figure: an input is told once. */
static bool row_is_told(const struct use_state *st, uint32_t resource, uint32_t figure,
			const char *name)
{
	for (uint32_t i = 0; i < resource; i++)
		if (row_asks(&st->resources[i], st->resources[i].figure_count, name))
			return true;
	return figure != USE_NONE && row_asks(&st->resources[resource], figure, name);
}

/* True when a resource of that name, before this one, asks the input. */
static bool row_is_named(const struct use_state *st, uint32_t resource, const char *name)
{
	for (uint32_t i = 0; i < resource; i++)
		if (strcmp(st->resources[i].name, st->resources[resource].name) == 0 &&
		    row_asks(&st->resources[i], st->resources[i].figure_count, name))
			return true;
	return false;
}

/* "cpu, disk": all that ask it. */
static void row_asking(const struct use_state *st, const char *name, char *asking, size_t size)
{
	size_t used = 0;

	asking[0] = '\0';
	for (uint32_t i = 0; i < st->resource_count && used < size; i++) {
		const struct use_resource *resource = &st->resources[i];

		if (row_asks(resource, resource->figure_count, name) && !row_is_named(st, i, name))
			used += (size_t)snprintf(asking + used, size - used, "%s%s",
						 used ? ", " : "", resource->name);
	}
}

static void row_unchecked(struct row_maker *maker, uint32_t number, uint32_t figure,
			  struct weir_rows_ref *rows)
{
	const struct use_state *st = maker->ctx->state;
	const struct use_resource *resource = &st->resources[number];
	const struct use_ask *ask =
		figure == USE_NONE ? &resource->ask : &resource->figures[figure].ask;
	const char *cure, *reason;
	struct unchecked_row row;
	char text[USE_TEXT], asking[USE_TEXT / 2];

	if (!ask->name || row_is_told(st, number, figure, ask->name))
		return;
	reason = row_absent(maker->ctx, ask, &cure);
	if (!reason)
		return;
	row_asking(st, ask->name, asking, sizeof(asking));
	snprintf(text, sizeof(text), "NOT CHECKED %s (of %s): %s", ask->name, asking, reason);
	row.resource = row_text(maker, asking);
	row.what = row_text(maker, ask->name);
	row.reason = row_text(maker, reason);
	row.text = row_text(maker, text);
	row.cure = row_text(maker, cure);
	row_put(maker, *rows, rows->count++, &row, sizeof(row));
}

struct weir_rows_ref row_not_checked(struct row_maker *maker)
{
	const struct use_state *st = maker->ctx->state;
	struct weir_rows_ref rows;
	uint32_t most = 0;

	for (uint32_t i = 0; i < st->resource_count; i++)
		most += 1 + st->resources[i].figure_count;
	rows = row_table(maker, most, sizeof(struct unchecked_row));
	rows.count = 0;
	for (uint32_t i = 0; i < st->resource_count; i++) {
		row_unchecked(maker, i, USE_NONE, &rows);
		for (uint32_t f = 0; f < st->resources[i].figure_count; f++)
			row_unchecked(maker, i, f, &rows);
	}
	return rows;
}

struct row_losses {
	struct row_maker *maker;
	struct weir_rows_ref rows;
	uint32_t room;
};

static void row_loss(const struct weir_loss *loss, void *arg)
{
	struct row_losses *losses = arg;
	struct lost_row row;
	char what[USE_TEXT];

	if (losses->rows.count >= losses->room)
		return;
	snprintf(what, sizeof(what), "%s: %s", loss->node, loss->reason);
	row.what = row_text(losses->maker, what);
	row.count = loss->n;
	row_put(losses->maker, losses->rows, losses->rows.count++, &row, sizeof(row));
}

static void row_count_loss(const struct weir_loss *loss, void *arg)
{
	(void)loss;
	++*(uint32_t *)arg;
}

/* Losses that come between both looks are told by the ledger at exit. */
struct weir_rows_ref row_lost(struct row_maker *maker)
{
	struct row_losses losses = { .maker = maker };

	maker->ctx->host->losses(maker->ctx, row_count_loss, &losses.room);
	losses.rows = row_table(maker, losses.room, sizeof(struct lost_row));
	losses.rows.count = 0;
	maker->ctx->host->losses(maker->ctx, row_loss, &losses);
	return losses.rows;
}
