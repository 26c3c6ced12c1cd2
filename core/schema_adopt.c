/* SPDX-License-Identifier: BSD-2-Clause */
/* Schemas of plugins that were built with other struct sizes: a copy of this host's sizes. */
#include <stdlib.h>
#include <string.h>

#include "schema.h"

#define FIELDS_MAXIMUM 4096u
#define LEVELS         3 /* of schemas: two levels of tables in rows, as schema_lint allows */

static bool schema_is_native(const struct weir_schema *schema, int level)
{
	if (schema->size != sizeof(*schema) ||
	    schema->fields.item_size != sizeof(struct weir_field))
		return false;
	for (uint32_t i = 0; level < LEVELS && i < schema->fields.count; i++)
		if (schema->fields.items[i].rows &&
		    !schema_is_native(schema->fields.items[i].rows, level + 1))
			return false;
	return true;
}

/* Memory that all copied schemas of one tree share: measured first, then filled. */
struct adoption {
	unsigned char *memory; /* NULL while measuring */
	size_t used;
	bool refused;
};

static void *adoption_take(struct adoption *adoption, size_t size)
{
	void *room = adoption->memory ? adoption->memory + adoption->used : NULL;

	adoption->used += (size + 15) & ~(size_t)15;
	return room;
}

static void copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
	memset(to, 0, to_size);
	memcpy(to, from, from_size < to_size ? from_size : to_size);
}

static const struct weir_schema *adoption_copy(struct adoption *adoption,
					       const struct weir_schema *schema, int level)
{
	struct weir_schema *copy = adoption_take(adoption, sizeof(*copy));
	uint32_t item_size = schema->fields.item_size, count = schema->fields.count;
	struct weir_field *fields;

	if (level > LEVELS || count > FIELDS_MAXIMUM || (count && item_size < 8)) {
		adoption->refused = true;
		return NULL;
	}
	fields = adoption_take(adoption, count * sizeof(*fields));
	for (uint32_t i = 0; i < count; i++) {
		const char *item = (const char *)schema->fields.items + (size_t)i * item_size;
		struct weir_field field;

		copy_sized(&field, sizeof(field), item, item_size);
		if (field.rows)
			field.rows = adoption_copy(adoption, field.rows, level + 1);
		if (fields)
			fields[i] = field;
	}
	if (!copy)
		return NULL;
	copy_sized(copy, sizeof(*copy), schema, schema->size);
	copy->size = sizeof(*copy);
	copy->fields.items = fields;
	copy->fields.item_size = sizeof(*fields);
	return copy;
}

const struct weir_schema *schema_adopt(const struct weir_schema *schema, void **owned)
{
	struct adoption adoption = { 0 };

	*owned = NULL;
	if (schema_is_native(schema, 1))
		return schema;
	adoption_copy(&adoption, schema, 1);
	if (adoption.refused)
		return NULL;
	adoption.memory = *owned = calloc(1, adoption.used);
	adoption.used = 0;
	return *owned ? adoption_copy(&adoption, schema, 1) : NULL;
}
