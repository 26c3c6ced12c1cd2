/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: a pipeline's text and its substitution. What is promised: an error is said or
 * there is none; what is accepted leads from sources to sinks without gaps or cycles; what is said
 * steers no terminal.
 */
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"
#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
	if (!kept)
		__builtin_trap();
}

static const struct pipeline_node *find(const struct pipeline *pipeline, const char *name)
{
	for (uint32_t i = 0; i < pipeline->node_count; i++)
		if (strcmp(pipeline->nodes[i].name, name) == 0)
			return &pipeline->nodes[i];
	return NULL;
}

static void check_node(const struct pipeline *pipeline, const struct pipeline_node *node)
{
	promise(find(pipeline, node->name) == node);
	promise(node->plugin && node->plugin[0]);
	promise(node->options && node->options->kind == TREE_MAP);
	promise((node->kind == WEIR_SOURCE) == (node->input_count == 0));
	for (uint32_t i = 0; i < node->input_count; i++) {
		const struct pipeline_node *from = find(pipeline, node->inputs[i].node);

		promise(from && from != node && from->kind != WEIR_SINK);
	}
}

/* As many rounds as there are nodes reach every node that no cycle holds back. */
static void check_order(const struct pipeline *pipeline)
{
	bool *ready = calloc(pipeline->node_count + 1, sizeof(*ready));
	uint32_t count = 0;

	for (uint32_t round = 0; round < pipeline->node_count; round++) {
		for (uint32_t i = 0; i < pipeline->node_count; i++) {
			const struct pipeline_node *node = &pipeline->nodes[i];
			bool all = !ready[i];

			for (uint32_t j = 0; all && j < node->input_count; j++)
				all = ready[find(pipeline, node->inputs[j].node) - pipeline->nodes];
			ready[i] = ready[i] || all;
			count += all;
		}
	}
	promise(count == pipeline->node_count);
	free(ready);
}

static void check_accepted(const struct pipeline *pipeline, const struct diag *diag)
{
	uint32_t kinds[WEIR_PROVIDER + 1] = { 0 };

	promise(diag_count(diag) == 0);
	promise(pipeline->run.root && pipeline->name && pipeline->question);
	for (uint32_t i = 0; i < pipeline->node_count; i++) {
		check_node(pipeline, &pipeline->nodes[i]);
		kinds[pipeline->nodes[i].kind]++;
	}
	promise(kinds[WEIR_SOURCE] > 0 && kinds[WEIR_SINK] > 0);
	check_order(pipeline);
}

/* Each line is readable text, and no longer than the window and what escapes make of it. */
static void check_printed(const struct diag *diag)
{
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);
	uint32_t code;

	diag_print(diag, file);
	fclose(file);
	for (size_t at = 0; at < size;) {
		size_t length = weir_utf8_next(out + at, size - at, &code);

		promise(length > 0 && (code == '\n' || !utf8_hidden(code)));
		at += length;
	}
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char stats[] = "--stats", disk[] = "--disk=a,b", command[] = "ls", dashes[] = "--";
	char *argv[] = { stats, disk, dashes, command, NULL };
	struct diag *diag = diag_new();
	char *bytes = calloc(1, size + 1);
	const struct diag_text *text;
	struct pipeline *pipeline = NULL;
	int argc = size % 2 ? 4 : 0;
	int err;

	memcpy(bytes, data, size);
	text = diag_add_text(diag, "x.yaml", bytes, size);
	err = pipeline_parse(text, argc, argv, argc ? 42 : 0, diag, &pipeline);
	if (err == 0)
		check_accepted(pipeline, diag);
	else
		promise(err < 0 && diag_count(diag) > 0);
	check_printed(diag);
	pipeline_free(pipeline);
	diag_free(diag);
	return 0;
}
