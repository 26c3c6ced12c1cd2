/* SPDX-License-Identifier: BSD-2-Clause */
/* Schemas: what a plugin may declare, and the words that messages use for it. */
#include "schema.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAXIMUM 4096u
#define ROW_MAXIMUM    (1u << 20)
#define LEVELS         2 /* a table, and tables in its rows */

/* What is true of all fields of one type. `bytes` 0: 1, 2, 4 or 8; 1 with `any`: any number. */
struct type_rule {
	const char *word;
	const char *phrase;
	uint32_t bytes;
	uint32_t align;
	uint32_t item_size;
	bool any;
};

static const struct type_rule type_rules[] = {
	[WEIR_TYPE_NONE] = { "none", "anything", 0, 1, 0, false },
	[WEIR_TYPE_UINT] = { "uint", "an unsigned integer", 0, 0, 0, false },
	[WEIR_TYPE_INT] = { "int", "a signed integer", 0, 0, 0, false },
	[WEIR_TYPE_DOUBLE] = { "double", "a number", 8, 8, 0, false },
	[WEIR_TYPE_BOOL] = { "bool", "a yes or no", 1, 1, 0, false },
	[WEIR_TYPE_CHARS] = { "chars", "a fixed text", 1, 1, 0, true },
	[WEIR_TYPE_TIME] = { "time", "a time", 8, 8, 0, false },
	[WEIR_TYPE_DURATION] = { "duration", "a duration", 8, 8, 0, false },
	[WEIR_TYPE_TEXT] = { "text", "a text", sizeof(struct weir_text), 4, 0, false },
	[WEIR_TYPE_NAME] = { "name", "a name", sizeof(struct weir_name), 4, 0, false },
	[WEIR_TYPE_NAMES] = { "names", "a list of names", sizeof(struct weir_names_ref), 4, 4,
			      false },
	[WEIR_TYPE_HISTOGRAM] = { "histogram", "a histogram", sizeof(struct weir_histogram_ref), 4,
				  0, false },
	[WEIR_TYPE_STACK] = { "stack", "a stack", sizeof(struct weir_stack_ref), 4,
			      sizeof(struct weir_frame), false },
	[WEIR_TYPE_ROWS] = { "rows", "a nested table", sizeof(struct weir_rows_ref), 4, 0, false },
};

#define TYPES (sizeof(type_rules) / sizeof(type_rules[0]))

static int WEIR_PRINTF(3, 4) schema_fault(char *error, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, size, format, args);
	va_end(args);
	return -EINVAL;
}

static bool schema_name_valid(const char *name)
{
	if (!name || name[0] < 'a' || name[0] > 'z')
		return false;
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static bool schema_size_valid(const struct type_rule *rule, uint32_t bytes)
{
	if (rule->any)
		return bytes > 0;
	if (rule->bytes)
		return bytes == rule->bytes;
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* What a head tells is of the field's own dimension; time that passed in a second is a ratio. */
static bool schema_head_fits(const struct weir_unit *head, const struct weir_unit *field,
			     bool per_second)
{
	if (strcmp(head->dimension, field->dimension) == 0)
		return true;
	return per_second && strcmp(field->dimension, "time") == 0 &&
	       strcmp(head->dimension, "ratio") == 0;
}

static bool schema_head_valid(const struct weir_field *field)
{
	const struct weir_head *head = field->head;
	bool per_second = head && head->flags & WEIR_PER_SECOND;

	if (!head)
		return true;
	/* Of what is no number, it is a label. */
	if (!head->unit && !head->flags && (field->type == WEIR_TYPE_ROWS || !field->unit))
		return head->size >= sizeof(*head) && head->text && *head->text;
	if (field->type != WEIR_TYPE_UINT && field->type != WEIR_TYPE_INT &&
	    field->type != WEIR_TYPE_DOUBLE && field->type != WEIR_TYPE_DURATION)
		return false;
	return head->size >= sizeof(*head) && head->text && *head->text && head->unit &&
	       head->unit->denominator && head->unit->numerator && field->unit &&
	       schema_head_fits(head->unit, field->unit, per_second) &&
	       (!per_second || field->role == WEIR_DELTA);
}

static int schema_lint_field(const struct weir_schema *schema, uint32_t i, char *error, size_t size)
{
	const struct weir_field *field = &schema->fields.items[i];
	const struct type_rule *rule;
	uint32_t align;

	if (!schema_name_valid(field->name))
		return schema_fault(error, size, "column %u: bad name \"%s\"", i + 1,
				    field->name ? field->name : "");
	if (weir_find(schema, field->name) != field)
		return schema_fault(error, size, "column \"%s\" is there twice", field->name);
	if (field->type == WEIR_TYPE_NONE || field->type >= TYPES || field->role > WEIR_EVENT)
		return schema_fault(error, size, "column \"%s\": unknown type or role",
				    field->name);
	rule = &type_rules[field->type];
	align = rule->align ? rule->align : field->bytes;
	if (!schema_size_valid(rule, field->bytes))
		return schema_fault(error, size, "column \"%s\": %s of %u bytes", field->name,
				    rule->phrase, field->bytes);
	if (field->offset % align || field->offset > schema->row_size ||
	    field->bytes > schema->row_size - field->offset)
		return schema_fault(error, size, "column \"%s\": offset %u does not fit the row",
				    field->name, field->offset);
	if (field->item_size < rule->item_size)
		return schema_fault(error, size, "column \"%s\": items of %u bytes", field->name,
				    field->item_size);
	if (field->unit && (!field->unit->dimension || !field->unit->denominator))
		return schema_fault(error, size, "column \"%s\": its unit is not whole",
				    field->name);
	if (!schema_head_valid(field))
		return schema_fault(error, size,
				    "column \"%s\": its head does not fit its type, unit or role",
				    field->name);
	return 0;
}

/* What is to be a map has a name, and something that it names. */
static bool schema_keyed_valid(const struct weir_field *field)
{
	const struct weir_field *key;

	if (!(field->flags & WEIR_KEYED))
		return true;
	if (field->rows->fields.count < 2)
		return false;
	key = &field->rows->fields.items[0];
	return key->type == WEIR_TYPE_TEXT || key->type == WEIR_TYPE_CHARS ||
	       key->type == WEIR_TYPE_NAME;
}

static int schema_lint_level(const struct weir_schema *schema, int level, char *error, size_t size)
{
	if (!schema || !schema->fields.count || schema->fields.count > FIELDS_MAXIMUM)
		return schema_fault(error, size, "a schema without columns, or with too many");
	if (!schema->row_size || schema->row_size % 8 || schema->row_size > ROW_MAXIMUM)
		return schema_fault(error, size, "row size %u: not a multiple of 8, or too large",
				    schema->row_size);
	for (uint32_t i = 0; i < schema->fields.count; i++) {
		const struct weir_field *field = &schema->fields.items[i];
		int err = schema_lint_field(schema, i, error, size);

		if (err)
			return err;
		if (field->type != WEIR_TYPE_ROWS)
			continue;
		if (level == LEVELS)
			return schema_fault(error, size, "column \"%s\": tables nest too deeply",
					    field->name);
		err = schema_lint_level(field->rows, level + 1, error, size);
		if (err)
			return err;
		if (!schema_keyed_valid(field))
			return schema_fault(error, size,
					    "column \"%s\": a map needs a text and another column",
					    field->name);
	}
	return 0;
}

int schema_lint(const struct weir_schema *schema, char *error, size_t error_size)
{
	return schema_lint_level(schema, 0, error, error_size);
}

const char *schema_type_text(const struct weir_field *field)
{
	static const char *const unsigned_words[] = { "uint8", "uint16", "uint32", "uint64" };
	static const char *const signed_words[] = { "int8", "int16", "int32", "int64" };
	uint32_t power = field->bytes ? (uint32_t)__builtin_ctz(field->bytes) & 3u : 0;

	if (field->type == WEIR_TYPE_UINT)
		return unsigned_words[power];
	if (field->type == WEIR_TYPE_INT)
		return signed_words[power];
	return field->type < TYPES ? type_rules[field->type].word : "unknown";
}

const char *schema_type_phrase(uint32_t type)
{
	return type < TYPES ? type_rules[type].phrase : "something newer than this weir";
}

const char *schema_role_text(uint32_t role)
{
	static const char *const words[] = { "", "key", "gauge", "counter", "delta", "event" };

	return role < sizeof(words) / sizeof(words[0]) ? words[role] : "unknown";
}

enum schema_match schema_want(const struct weir_schema *schema, const struct weir_want *want,
			      const struct weir_field **field)
{
	*field = weir_find(schema, want->name);
	if (!*field)
		return want->flags & WEIR_OPTIONAL ? SCHEMA_GOES_WITHOUT : SCHEMA_LACKS;
	if (want->type != WEIR_TYPE_NONE && want->type != (*field)->type)
		return SCHEMA_DIFFERS;
	if (want->role != WEIR_ROLE_NONE && want->role != (*field)->role)
		return SCHEMA_DIFFERS;
	if (want->dimension &&
	    (!(*field)->unit || strcmp((*field)->unit->dimension, want->dimension) != 0))
		return SCHEMA_DIFFERS;
	return SCHEMA_FITS;
}

void schema_want_text(const struct weir_want *want, char *out, size_t size)
{
	bool any = want->type == WEIR_TYPE_NONE;

	snprintf(out, size, "\"%s\"%s%s%s%s%s%s", want->name, any ? "" : ", ",
		 any ? "" : schema_type_phrase(want->type), want->dimension ? " of " : "",
		 want->dimension ? want->dimension : "", want->role ? ", " : "",
		 schema_role_text(want->role));
}

void schema_columns_text(const struct weir_schema *schema, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < schema->fields.count && used < size; i++) {
		int wrote = snprintf(out + used, size - used, "%s%s", i ? ", " : "",
				     schema->fields.items[i].name);

		used += wrote > 0 ? (size_t)wrote : 0;
	}
	if (used >= size && size > 4)
		memcpy(out + size - 4, "...", 4);
}
