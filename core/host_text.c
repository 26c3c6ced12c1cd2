/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's calls that meet the user's texts: expressions, and where output goes. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "host_parts.h"
#include "writer.h"

/* Moves the place of an option's whole text to the stretch of it that is wrong. */
static void host_point_into(struct place *place, const char *text, const struct expr_error *error)
{
	uint32_t quotes = place->length == strlen(text) + 2 ? 1 : 0;

	/* Parameters may have been put in: then only the whole is known. */
	if (!quotes && place->length != strlen(text))
		return;
	place->column += error->column - 1 + quotes;
	place->length = error->length ? error->length : 1;
}

static void WEIR_PRINTF(3, 4)
	expr_fail(struct weir_ctx *ctx, const char *option, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	host_fail_option(ctx, option, -EINVAL, format, args);
	va_end(args);
}

/* NULL with the reason in *error. */
static struct weir_expr *expr_new(const char *text, const struct weir_schema *schema,
				  struct expr_error *error)
{
	struct weir_expr *expr = NULL;

	*error = (struct expr_error){ .column = 1, .length = 1 };
	if (expr_compile(text, schema, &expr, error) == 0)
		return expr;
	if (!error->message[0])
		snprintf(error->message, sizeof(error->message), "no memory");
	return NULL;
}

struct weir_expr *host_expr_compile(struct weir_ctx *ctx, const char *text,
				    const struct weir_schema *schema, const char *option)
{
	struct node *node = node_of(ctx);
	struct expr_error error;
	struct weir_expr *expr = expr_new(text, schema, &error);
	char title[NODE_TEXT_SIZE];
	struct place place;

	if (expr)
		return expr;
	if (!node->graph->diag || !node->written) {
		expr_fail(ctx, option, "%s", error.message);
		return NULL;
	}
	place = option_place(node->written->options, option, &node->written->place);
	host_point_into(&place, text, &error);
	node_title(node, title, sizeof(title));
	diag_error(node->graph->diag, &place, "%s: option \"%s\": %s", title, option,
		   error.message);
	node->broken = true;
	return NULL;
}

struct weir_expr *host_expr_at(struct weir_ctx *ctx, const char *text,
			       const struct weir_schema *schema, const struct place *place)
{
	struct node *node = node_of(ctx);
	struct expr_error error;
	struct weir_expr *expr = expr_new(text, schema, &error);
	struct place part = *place;
	char title[NODE_TEXT_SIZE];

	if (expr || !node->graph->diag)
		return expr;
	host_point_into(&part, text, &error);
	node_title(node, title, sizeof(title));
	diag_error(node->graph->diag, &part, "%s: %s", title, error.message);
	node->broken = true;
	return NULL;
}

static void WEIR_PRINTF(3, 4) output_fail(struct node *node, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	node_fail(node, error, format, args);
	va_end(args);
}

static void output_failed(void *arg, int error, bool closed, const char *text)
{
	struct node *node = arg;

	if (closed)
		atomic_store(&node->output_closed, true);
	output_fail(node, error, "%s", text);
}

static bool output_give_up(void *arg)
{
	struct node *node = arg;

	return atomic_load(&node->hurry);
}

struct weir_writer *host_writer_open(struct weir_ctx *ctx, const char *path, uint32_t flags)
{
	struct node *node = node_of(ctx);
	const char *output = node->graph->pipeline->run.output;
	struct writer_owner owner = { node, output_failed, output_give_up };

	if (!path || !path[0])
		path = node->written && node->written->by_format && output ? output : "-";
	return writer_open(path, flags, &owner);
}
