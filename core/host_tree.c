/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's calls for files of a component: rules and earlier results, as trees with places. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_parts.h"

/* For plugins, a tree of the core is a weir_tree. */
static const struct tree *tree_of(const struct weir_tree *tree)
{
	return (const struct tree *)tree;
}

static const struct weir_tree *tree_seen(const struct tree *tree)
{
	return (const struct weir_tree *)tree;
}

/* Takes the tree over. */
static int tree_keep(struct node *node, struct tree *tree)
{
	struct tree **trees =
		reallocarray(node->trees, node->tree_count + 1, sizeof(struct tree *));

	if (!trees) {
		tree_free(tree);
		return -ENOMEM;
	}
	node->trees = trees;
	trees[node->tree_count++] = tree;
	return 0;
}

/* malloc'd; NULL: no memory. */
static char *tree_path(const struct node *node, const char *path, uint32_t flags)
{
	const char *pipeline = node->graph->pipeline->path;
	const char *slash = pipeline ? strrchr(pipeline, '/') : NULL;
	char *whole;

	if (path[0] == '/' || !(flags & WEIR_TREE_BESIDE) || !slash)
		return strdup(path);
	if (asprintf(&whole, "%.*s/%s", (int)(slash - pipeline), pipeline, path) < 0)
		return NULL;
	return whole;
}

static int WEIR_PRINTF(3, 4) tree_say(struct node *node, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	err = node_fail(node, err, format, args);
	va_end(args);
	return err;
}

static bool tree_may_read(struct node *node, const char *name)
{
	if (node->graph->diag && node->written)
		return true;
	tree_say(node, -EBUSY, "%s can be read by create() only", name);
	return false;
}

/* `err`: of reading the text. */
static const struct weir_tree *tree_parse(struct node *node, const char *name, int err,
					  const struct diag_text *text)
{
	struct tree *tree = NULL;

	if (!err)
		err = config_parse(text, node->graph->diag, &tree);
	if (!err)
		err = tree_keep(node, tree);
	else
		tree_free(tree);
	if (!err)
		return tree_seen(tree);
	tree_say(node, err, "read %s", name);
	/* What is wrong with the text has been told, with its place. */
	node->broken = err == -EINVAL;
	return NULL;
}

const struct weir_tree *host_tree_read(struct weir_ctx *ctx, const char *path, uint32_t flags)
{
	struct node *node = node_of(ctx);
	const struct diag_text *text = NULL;
	char *whole;
	int err;

	if (!tree_may_read(node, path))
		return NULL;
	whole = tree_path(node, path, flags);
	err = whole ? config_read(whole, node->graph->diag, &text) : -ENOMEM;
	free(whole);
	return tree_parse(node, path, err, text);
}

const struct weir_tree *host_tree_text(struct weir_ctx *ctx, const char *name, const char *text)
{
	struct node *node = node_of(ctx);
	const struct diag_text *kept = NULL;
	char *copy;

	if (!tree_may_read(node, name))
		return NULL;
	copy = strdup(text);
	if (copy)
		kept = diag_add_text(node->graph->diag, name, copy, strlen(copy));
	return tree_parse(node, name, kept ? 0 : -ENOMEM, kept);
}

void host_tree_look(const struct weir_tree *tree, struct weir_tree_look *look)
{
	const struct tree *node = tree_of(tree);

	look->kind = node->kind;
	look->count = node->kind == TREE_SCALAR ? 0 : node->count;
	look->text = node->kind == TREE_SCALAR ? node->text : NULL;
}

const struct weir_tree *host_tree_item(const struct weir_tree *tree, uint32_t i, const char **key)
{
	const struct tree *node = tree_of(tree);
	bool there = node->kind != TREE_SCALAR && i < node->count;

	if (key)
		*key = there && node->kind == TREE_MAP ? node->keys[i]->text : NULL;
	return there ? tree_seen(node->items[i]) : NULL;
}

int host_tree_fail(struct weir_ctx *ctx, const struct weir_tree *tree, int error,
		   const char *format, va_list args)
{
	struct node *node = node_of(ctx);
	char title[NODE_TEXT_SIZE], reason[NODE_TEXT_SIZE];

	vsnprintf(reason, sizeof(reason), format, args);
	tree_say(node, error, "%s", reason);
	if (!node->graph->diag)
		return error;
	node_title(node, title, sizeof(title));
	diag_error(node->graph->diag, &tree_of(tree)->place, "%s: %s", title, reason);
	node->broken = true;
	return error;
}

struct weir_expr *host_tree_expr(struct weir_ctx *ctx, const struct weir_tree *tree,
				 const struct weir_schema *schema)
{
	const struct tree *node = tree_of(tree);

	return host_expr_at(ctx, node->kind == TREE_SCALAR ? node->text : "", schema, &node->place);
}
