/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sink flame.folded: one line per stack, "command;root;...;leaf weight", sorted bytewise. Lines come
 * out of the call tree in order, so that no text of the whole is kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "profile.h"

enum { FOLDED_WEIGHT = 0, FOLDED_SAMPLES = 1 };

struct folded_conf {
	const char *path;
	uint32_t value;
	bool annotations;
};

static const struct weir_option folded_options[] = {
	WEIR_OPT_TEXT(struct folded_conf, path, "", "file to write; what -o says, else stdout"),
	WEIR_OPT_CHOICE(struct folded_conf, value, "weight", "weight samples",
			"what the number at a line's end is"),
	WEIR_OPT_BOOL(struct folded_conf, annotations, "true",
		      "mark kernel _[k], inlined _[i] and run-time made _[j] frames"),
};

/* A text that grows. */
struct folded_text {
	char *bytes;
	size_t used;
	size_t capacity;
};

/*
 * What follows a frame in lines that have it: the rest of the line where the stack ends there, or
 * ';' and its callees. Sorted by the bytes that they begin with, they give sorted lines.
 */
struct folded_step {
	uint32_t node;
	uint32_t length;
	size_t text;  /* place in the state's texts */
	size_t base;  /* where the texts of its siblings begin */
	size_t under; /* bytes of the line before it */
	bool ends;    /* the rest of the line */
};

struct folded_state {
	struct profile profile;
	struct weir_writer *writer;
	bool terminal; /* that is where it writes to */
	struct folded_text line;
	struct folded_text texts;  /* of the steps */
	struct folded_text names;  /* of all labels of the tree, as lines have them */
	size_t *name_ends;         /* by label: where in them its own ends */
	struct folded_step *steps; /* still to be taken, the next one last */
	size_t step_count;
	size_t step_capacity;
};

static const struct weir_want folded_wants[] = { PROFILE_WANTS };
static const struct weir_slot folded_inputs[] = {
	{ "stacks", "rows with a stack", WEIR_TABLE(folded_wants), 0, 0 },
};
static const struct weir_format folded_formats[] = {
	{ "folded", ".folded" },
	{ "collapsed", ".collapsed" },
};

static int folded_bind(struct weir_ctx *ctx)
{
	const struct folded_conf *conf = ctx->options;
	struct folded_state *folded = ctx->state;

	if (conf->value == FOLDED_SAMPLES && weir_find(weir_input(ctx, 0)->schema, "before"))
		return weir_fail_option(ctx, "value", -EINVAL, "profiles are compared by weight");
	return profile_bind(ctx, &folded->profile,
			    conf->annotations ? PROFILE_BY_KIND : PROFILE_BY_LABEL);
}

static int folded_start(struct weir_ctx *ctx)
{
	const struct folded_conf *conf = ctx->options;
	struct folded_state *folded = ctx->state;

	folded->writer = ctx->host->writer_open(ctx, conf->path, WEIR_WRITE_WHOLE);
	if (!folded->writer)
		return -EIO;
	folded->terminal = ctx->host->writer_columns(folded->writer) > 0;
	return 0;
}

static int folded_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct folded_state *folded = ctx->state;

	(void)input;
	return profile_push(ctx, &folded->profile, batch);
}

static int folded_append(struct folded_text *text, const void *bytes, size_t count)
{
	if (text->capacity - text->used < count) {
		size_t capacity = text->capacity ? text->capacity * 2 : 4096;
		char *grown;

		if (capacity < text->used + count)
			capacity = text->used + count;
		grown = realloc(text->bytes, capacity);
		if (!grown)
			return -ENOMEM;
		text->bytes = grown;
		text->capacity = capacity;
	}
	if (count)
		memcpy(text->bytes + text->used, bytes, count);
	text->used += count;
	return 0;
}

/* What would break a line, or steer the terminal that it is written to. */
static bool folded_must_escape(const struct folded_state *folded, unsigned char c)
{
	return c == '\n' || c == '\r' || (folded->terminal && (c < 0x20 || c == 0x7f));
}

/* What a byte of a name is written as, where that is one byte; 0: it is escaped. */
static char folded_byte(const struct folded_state *folded, char c, bool root)
{
	if (folded_must_escape(folded, (unsigned char)c))
		return 0;
	if (c == ';')
		return ':';
	if (c == ' ' && root)
		return '_';
	return c;
}

/* A frame's name as a line can hold it: no ';'; no blank in a command. */
static int folded_append_name(struct folded_state *folded, const char *name, uint32_t length,
			      bool root)
{
	struct folded_text *text = &folded->names;
	uint32_t i = 0;
	int err = 0;

	while (i < length && !err) {
		uint32_t same = i;
		char escaped[8];

		while (same < length && name[same] &&
		       folded_byte(folded, name[same], root) == name[same])
			same++;
		err = folded_append(text, name + i, same - i);
		i = same;
		if (err || i == length)
			break;
		escaped[0] = folded_byte(folded, name[i], root);
		if (!escaped[0])
			snprintf(escaped, sizeof(escaped), "\\x%02x", (unsigned char)name[i]);
		err = folded_append(text, escaped, escaped[0] == '\\' ? 4 : 1);
		i++;
	}
	return err;
}

static const char *folded_suffix(uint32_t tag)
{
	if (tag & PROFILE_ROOT)
		return "";
	if (tag & WEIR_FRAME_KERNEL)
		return "_[k]";
	if (tag & WEIR_FRAME_INLINED)
		return "_[i]";
	return tag & WEIR_FRAME_JIT ? "_[j]" : "";
}

static int folded_add_step(struct folded_state *folded, const struct folded_step *step)
{
	if (folded->step_count == folded->step_capacity) {
		size_t capacity = folded->step_capacity ? folded->step_capacity * 2 : 256;
		struct folded_step *steps =
			reallocarray(folded->steps, capacity, sizeof(*folded->steps));

		if (!steps)
			return -ENOMEM;
		folded->steps = steps;
		folded->step_capacity = capacity;
	}
	folded->steps[folded->step_count++] = *step;
	return 0;
}

/* Nodes share few labels: each is made into text once. */
static int folded_make_names(struct weir_ctx *ctx)
{
	struct folded_state *folded = ctx->state;
	const struct calltree *tree = &folded->profile.tree;
	int err = 0;

	folded->name_ends = calloc((size_t)tree->label_count + 1, sizeof(*folded->name_ends));
	if (!folded->name_ends)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->label_count && !err; i++) {
		uint32_t tag = tree->labels[i].tag, length;
		const char *suffix = folded_suffix(tag);
		const char *name =
			profile_text(ctx, &folded->profile, tree->labels[i].name, &length);

		err = folded_append_name(folded, name, length, tag & PROFILE_ROOT);
		if (!err)
			err = folded_append(&folded->names, suffix, strlen(suffix));
		folded->name_ends[i] = folded->names.used;
	}
	return err;
}

/* The node's name. */
static int folded_append_label(struct folded_state *folded, struct folded_text *text, uint32_t node)
{
	uint32_t label = folded->profile.tree.nodes[node].label;
	size_t begin = label ? folded->name_ends[label - 1] : 0;

	return folded_append(text, folded->names.bytes + begin, folded->name_ends[label] - begin);
}

/* What a node has itself; before calltree_sum() that is what the tree holds. */
struct folded_self {
	uint64_t value;
	uint64_t before; /* in the profile to compare with */
};

static bool folded_has_self(const struct folded_self *self)
{
	return self->value || self->before;
}

static int folded_append_self(struct folded_state *folded, const struct folded_self *self)
{
	char numbers[64];
	int length;

	if (folded->profile.input.before)
		length = snprintf(numbers, sizeof(numbers), " %" PRIu64 " %" PRIu64, self->before,
				  self->value);
	else
		length = snprintf(numbers, sizeof(numbers), " %" PRIu64, self->value);
	return folded_append(&folded->texts, numbers, (size_t)length);
}

/* `self` NULL: the way down to the node's children. */
static int folded_step_to(struct weir_ctx *ctx, uint32_t node, const struct folded_step *above,
			  const struct folded_self *self)
{
	struct folded_state *folded = ctx->state;
	struct folded_step step = { .node = node,
				    .under = above->under,
				    .base = above->base,
				    .text = folded->texts.used,
				    .ends = self != NULL };
	int err = folded_append_label(folded, &folded->texts, node);

	if (!err)
		err = self ? folded_append_self(folded, self)
			   : folded_append(&folded->texts, ";", 1);
	step.length = (uint32_t)(folded->texts.used - step.text);
	return err ? err : folded_add_step(folded, &step);
}

static struct folded_self folded_self(const struct weir_ctx *ctx, uint32_t node)
{
	const struct folded_conf *conf = ctx->options;
	const struct folded_state *folded = ctx->state;
	const struct calltree *tree = &folded->profile.tree;
	struct folded_self self = { tree->nodes[node].weight, 0 };

	if (conf->value == FOLDED_SAMPLES)
		self.value = calltree_samples(tree, node);
	if (tree->before)
		self.before = tree->before[node];
	return self;
}

/* The next step is the last of the list: descending order. */
static int folded_compare(const void *left, const void *right, void *arg)
{
	const struct folded_step *a = left, *b = right;
	const char *texts = arg;
	uint32_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(texts + b->text, texts + a->text, shorter);

	return order ? order : (a->length < b->length) - (a->length > b->length);
}

static int folded_steps_below(struct weir_ctx *ctx, uint32_t parent, size_t under)
{
	struct folded_state *folded = ctx->state;
	struct folded_step above = { .under = under, .base = folded->texts.used };
	size_t first = folded->step_count;
	uint32_t child;
	int err = 0;

	for (child = folded->profile.tree.nodes[parent].child; child && !err;
	     child = folded->profile.tree.nodes[child].next) {
		const struct calltree_node *node = &folded->profile.tree.nodes[child];
		struct folded_self self = folded_self(ctx, child);

		if (folded_has_self(&self))
			err = folded_step_to(ctx, child, &above, &self);
		if (!err && node->child)
			err = folded_step_to(ctx, child, &above, NULL);
	}
	if (!err && folded->step_count > first + 1)
		qsort_r(folded->steps + first, folded->step_count - first, sizeof(*folded->steps),
			folded_compare, folded->texts.bytes);
	return err;
}

/* Goes down while there is but one way: its line is that of all below. 0 or -ENOMEM. */
static int folded_go_down(const struct weir_ctx *ctx, uint32_t *node)
{
	struct folded_state *folded = ctx->state;
	const struct calltree_node *nodes = folded->profile.tree.nodes;
	int err = 0;

	while (!err) {
		uint32_t child = nodes[*node].child;
		struct folded_self self = folded_self(ctx, child);

		if (nodes[child].next || !nodes[child].child || folded_has_self(&self))
			break;
		err = folded_append_label(folded, &folded->line, child);
		if (!err)
			err = folded_append(&folded->line, ";", 1);
		*node = child;
	}
	return err;
}

/* Takes the next step: writes a line, or goes down. */
static int folded_take_step(struct weir_ctx *ctx)
{
	struct folded_state *folded = ctx->state;
	struct folded_step step = folded->steps[--folded->step_count];
	int err;

	folded->line.used = step.under;
	err = folded_append(&folded->line, folded->texts.bytes + step.text, step.length);
	if (err)
		return err;
	/* The last of its siblings: their texts are not needed any more. */
	if (folded->step_count == 0 || folded->steps[folded->step_count - 1].base != step.base)
		folded->texts.used = step.base;
	if (!step.ends) {
		err = folded_go_down(ctx, &step.node);
		return err ? err : folded_steps_below(ctx, step.node, folded->line.used);
	}
	err = folded_append(&folded->line, "\n", 1);
	return err ? err
		   : ctx->host->writer_write(folded->writer, folded->line.bytes, folded->line.used);
}

static int folded_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct folded_state *folded = ctx->state;
	int err;

	(void)deadline;
	if (folded->profile.samples == 0 && !folded->profile.tree.before)
		weir_log(ctx, WEIR_LOG_WARNING, "no samples: the output is empty");
	err = folded_make_names(ctx);
	if (!err)
		err = folded_steps_below(ctx, 0, 0);
	while (!err && folded->step_count)
		err = folded_take_step(ctx);
	if (!err) {
		err = ctx->host->writer_close(folded->writer, 1);
		folded->writer = NULL;
	}
	return err ? weir_fail(ctx, err, "writing folded stacks") : 0;
}

/* What drain did not finish is thrown away. */
static void folded_stop(struct weir_ctx *ctx)
{
	struct folded_state *folded = ctx->state;

	ctx->host->writer_close(folded->writer, 0);
	folded->writer = NULL;
}

static void folded_destroy(struct weir_ctx *ctx)
{
	struct folded_state *folded = ctx->state;

	profile_clear(ctx, &folded->profile);
	free(folded->line.bytes);
	free(folded->texts.bytes);
	free(folded->names.bytes);
	free(folded->name_ends);
	free(folded->steps);
}

WEIR_COMPONENT(
	"flame.folded", WEIR_SINK, .summary = "writes stacks as folded text",
	.doc = "One line per stack, sorted: command;outermost;...;innermost weight. The number "
	       "is in\nthe unit of the input's weight. ';' within a name is written ':', "
	       "blanks of a command\n'_', a line's end, and on a terminal all that steers it, "
	       "\\xNN; all other "
	       "bytes stay.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct folded_conf),
	.state_size = sizeof(struct folded_state), .options = WEIR_TABLE(folded_options),
	.inputs = WEIR_TABLE(folded_inputs), .formats = WEIR_TABLE(folded_formats),
	.bind = folded_bind, .start = folded_start, .push = folded_push, .drain = folded_drain,
	.stop = folded_stop, .destroy = folded_destroy);
