/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink flame.svg: an interactive flame graph in one SVG file. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "svg.h"

/* Samples below which shares are rough. */
enum { SVG_FEW = 100 };

/* JavaScript's numbers are exact up to here. */
#define SVG_EXACT (UINT64_C(1) << 53)

static const struct weir_option svg_options[] = {
	WEIR_OPT_TEXT(struct svg_conf, path, "", "file to write; what -o says, else stdout"),
	WEIR_OPT_TEXT(struct svg_conf, title, "", "title; empty: what kind of graph it is"),
	WEIR_OPT_TEXT(struct svg_conf, subtitle, "", "a line below the title; empty: the totals"),
	WEIR_OPT_TEXT(struct svg_conf, notes, "", "a remark within the file, shown with the title"),
	WEIR_OPT_UINT(struct svg_conf, width, "1200", 200, 30000,
		      "pixels where the window does not decide"),
	WEIR_OPT_UINT(struct svg_conf, height, "16", 8, 200, "pixels of a frame"),
	WEIR_OPT_TEXT(struct svg_conf, font, "monospace", "font family"),
	WEIR_OPT_UINT(struct svg_conf, font_size, "12", 4, 100, "pixels of a letter's height"),
	WEIR_OPT_TEXT(
		struct svg_conf, min_width, "0.1",
		"leave out frames of fewer pixels at that width, or of less than such a share: 1%"),
	WEIR_OPT_CHOICE(struct svg_conf, palette, "hot", SVG_PALETTES,
			"colours: warm ones, others, by kind of code (kind), by language, by "
			"change (diff)"),
	WEIR_OPT_TEXT(struct svg_conf, palette_file, "",
		      "file of colours, a line each: NAME->rgb(R,G,B)"),
	WEIR_OPT_CHOICE(struct svg_conf, value, "weight", "weight samples",
			"what makes a frame wide"),
	WEIR_OPT_UINT(
		struct svg_conf, total, "0", 0, 0,
		"the whole that widths are shares of, where it is more than the sum; 0: the sum"),
	WEIR_OPT_DOUBLE(struct svg_conf, factor, "1", 0, INT64_MAX,
			"multiply the numbers that are shown by this"),
	WEIR_OPT_BOOL(struct svg_conf, inverted, "false", "stacks grow downwards: an icicle graph"),
	WEIR_OPT_BOOL(struct svg_conf, reverse, "false",
		      "stand the stacks on their ends: what ran, and below whom"),
	WEIR_OPT_BOOL(struct svg_conf, chart, "false",
		      "a flame chart: samples in order of time, merged with their neighbours only"),
	WEIR_OPT_BOOL(struct svg_conf, negate, "false", "swap the colours of more and less"),
};

static const struct weir_want svg_wants[] = { PROFILE_WANTS };
static const struct weir_slot svg_inputs[] = {
	{ "stacks", "rows with a stack", WEIR_TABLE(svg_wants), 0, 0 },
};
static const struct weir_format svg_formats[] = { { "svg", ".svg" } };

/* "0.1" or "0.5%". */
static int svg_read_min_width(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	char *end;
	double value = strtod(conf->min_width, &end);
	bool share = strcmp(end, "%") == 0;

	if (end == conf->min_width || (*end && !share) || !(value >= 0 && value <= 100))
		return weir_fail_option(ctx, "min_width", -EINVAL,
					"\"%s\" is no number of pixels, 0 to 100, and no share",
					conf->min_width);
	state->min_width = share ? -value / 100 : value;
	return 0;
}

/* The name of a font becomes part of a style sheet. */
static int svg_check_font(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	const char *at;

	for (at = conf->font; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr(" ,-_", *at))
			return weir_fail_option(ctx, "font", -EINVAL, "\"%s\" is no name of a font",
						conf->font);
	return 0;
}

static int svg_create(struct weir_ctx *ctx)
{
	int err = svg_read_min_width(ctx);

	return err ? err : svg_check_font(ctx);
}

static int svg_bind(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	int err;

	state->profile.leaf_first = conf->reverse;
	err = profile_bind(ctx, &state->profile, PROFILE_BY_KIND);
	if (err)
		return err;
	value_type_bind(ctx, &state->type);
	state->differs = state->profile.input.before != NULL;
	if (state->differs && conf->value == SVG_SAMPLES)
		return weir_fail_option(ctx, "value", -EINVAL, "profiles are compared by weight");
	if (state->differs && conf->chart)
		return weir_fail_option(ctx, "chart", -EINVAL, "profiles are compared as a whole");
	if (conf->chart && !state->profile.input.time)
		return weir_fail_option(
			ctx, "chart", -EINVAL,
			"the samples were merged, and tell no time: `weir "
			"flamechart`, or `weir convert --by comm,time`, keeps them apart");
	if (conf->palette == SVG_DIFF && !state->differs)
		return weir_fail_option(ctx, "palette", -EINVAL,
					"there is nothing to compare with");
	return 0;
}

static int svg_start(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	int err;

	state->colours.palette = conf->palette;
	if (state->differs && conf->palette == SVG_HOT)
		state->colours.palette = SVG_DIFF;
	state->colours.negate = conf->negate;
	err = svg_colours_read(ctx, &state->colours, conf->palette_file);
	if (err)
		return err;
	return writing_open(ctx, &state->page, conf->path);
}

static int svg_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;

	(void)input;
	value_type_note(ctx, &state->type, batch);
	return conf->chart ? moments_push(ctx, &state->moments, &state->profile, batch)
			   : profile_push(ctx, &state->profile, batch);
}

/* A whole that is larger than the sum leaves room at the right. */
static void svg_set_total(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;

	state->total = svg_value(&state->layout, &state->profile.tree, 0);
	state->base = state->total - (state->layout.gone ? state->layout.gone[0] : 0);
	if (conf->total && conf->total < state->total)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "total %" PRIu64 " is less than the sum, %" PRIu64 ": left aside",
			 conf->total, state->total);
	if (state->total && conf->total > state->total)
		state->total = state->base = conf->total;
}

/* Weights that are only numbers have the unit that their event tells. */
static void svg_set_unit(struct svg_state *state)
{
	const char *word = value_type_unit(&state->type);

	if (value_type_is_known(&state->type))
		return;
	if (strcmp(word, "nanoseconds") == 0)
		state->profile.input.unit = WEIR_NS;
	else if (strcmp(word, "bytes") == 0)
		state->profile.input.unit = WEIR_BYTES;
}

static int svg_gather(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	int err = 0;

	if (conf->chart)
		err = moments_chart(&state->moments, &state->profile);
	if (!err) {
		calltree_sum(&state->profile.tree);
		err = svg_layout_gone(&state->layout, &state->profile.tree);
	}
	if (err)
		return weir_fail(ctx, err, "%u frames", state->profile.tree.count);
	state->layout.by_samples = conf->value == SVG_SAMPLES;
	state->layout.in_order = conf->chart;
	svg_set_total(ctx);
	if (state->profile.tree.before)
		state->base_before = state->profile.tree.before[0];
	svg_colours_compare(&state->colours, &state->profile.tree);
	svg_set_unit(state);
	return 0;
}

static void svg_set_minimum(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	double share = state->min_width < 0 ? -state->min_width
					    : state->min_width / (conf->width - 2 * SVG_MARGIN);
	double minimum = share * (double)state->total;

	state->layout.minimum = minimum < 1 ? 1 : (uint64_t)minimum;
}

static int svg_prepare(struct weir_ctx *ctx)
{
	struct svg_state *state = ctx->state;
	int err;

	svg_set_minimum(ctx);
	while (state->total >> state->shift >= SVG_EXACT)
		state->shift++;
	if (state->profile.samples < SVG_FEW)
		weir_log(ctx, WEIR_LOG_WARNING, "%" PRIu64 " sample%s only: shares are rough",
			 state->profile.samples, state->profile.samples == 1 ? "" : "s");
	err = svg_layout(ctx, &state->profile, &state->layout);
	return err ? weir_fail(ctx, err, "layout of %u frames", state->layout.count) : 0;
}

static int svg_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct svg_state *state = ctx->state;
	int err = svg_gather(ctx);

	(void)deadline;
	if (!err && state->total) {
		err = svg_prepare(ctx);
		if (!err)
			svg_draw(ctx);
	} else if (!err) {
		svg_draw_nothing(ctx);
	}
	return err ? err : writing_close(ctx, &state->page, "the graph");
}

static void svg_stop(struct weir_ctx *ctx)
{
	struct svg_state *state = ctx->state;

	writing_stop(&state->page);
}

static void svg_destroy(struct weir_ctx *ctx)
{
	struct svg_state *state = ctx->state;

	profile_clear(ctx, &state->profile);
	moments_clear(&state->moments);
	svg_layout_clear(&state->layout);
	svg_colours_clear(&state->colours);
}

WEIR_COMPONENT(
	"flame.svg", WEIR_SINK, .summary = "draws an interactive flame graph",
	.doc = "One SVG file without any reference to others. In a browser: a click zooms, "
	       "Ctrl-F or\nthe button searches by regular expression, the line at the foot "
	       "tells what the pointer is\non; the address keeps zoom and search. A frame's colour "
	       "depends on its name only, so that\ngraphs can be compared; grey is what is not "
	       "known.\n\n"
	       "Where rows have a column `before` (flame.diff), colours tell what became more "
	       "(red) "
	       "or less\n(blue), with all that a frame called; stacks that are there no more keep "
	       "the width that they\nhad.\n\n"
	       "A chart needs samples that were not merged: option `by: time` of flame.file, no "
	       "flame.fold.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct svg_conf),
	.state_size = sizeof(struct svg_state), .options = WEIR_TABLE(svg_options),
	.inputs = WEIR_TABLE(svg_inputs), .formats = WEIR_TABLE(svg_formats), .create = svg_create,
	.bind = svg_bind, .start = svg_start, .push = svg_push, .drain = svg_drain,
	.stop = svg_stop, .destroy = svg_destroy);
