/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns that are asked for: see columns.h. */
#include "columns.h"

#include <stdio.h>
#include <stdlib.h>

const struct weir_field *columns_find(const struct weir_schema *schema, const char *word)
{
	const struct weir_field *field = weir_find(schema, word);

	for (uint32_t i = 0; i < schema->fields.count && !field; i++) {
		const struct weir_head *head = weir_field_at(schema, i)->head;

		if (head && strcmp(head->text, word) == 0)
			field = weir_field_at(schema, i);
	}
	return field;
}

int columns_check(struct weir_ctx *ctx, const struct weir_texts *columns)
{
	char option[32];

	for (uint32_t c = 0; c < columns->count; c++) {
		struct weir_want want = { .name = columns->items[c] };
		bool found = ctx->input_count == 0;

		for (uint32_t i = 0; i < ctx->input_count && !found; i++)
			found = columns_find(weir_input(ctx, i)->schema, want.name) != NULL;
		snprintf(option, sizeof(option), "columns[%u]", c);
		if (!found && !ctx->host->want(ctx, 0, &want, option))
			return -EINVAL;
	}
	return 0;
}

int columns_choose(struct columns *chosen, const struct weir_texts *columns,
		   const struct weir_schema *schema)
{
	const uint32_t most = columns->count + schema->fields.count;

	chosen->count = 0;
	chosen->fields = calloc(most + 1, sizeof(struct weir_field *));
	if (!chosen->fields)
		return -ENOMEM;
	for (uint32_t i = 0; i < columns->count; i++) {
		const struct weir_field *field = columns_find(schema, columns->items[i]);

		if (field)
			chosen->fields[chosen->count++] = field;
	}
	if (chosen->count)
		return 0;
	for (uint32_t i = 0; i < schema->fields.count; i++)
		chosen->fields[chosen->count++] = weir_field_at(schema, i);
	return 0;
}
