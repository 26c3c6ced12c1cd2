/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink flame.svg: an interactive flame graph in one SVG file. */
#include <inttypes.h>

#include "svg_colour.h"
#include "svg_layout.h"
#include "svg_page.h"
#include "svg_script.h" /* made from svg.js by embed.sh */

enum { SVG_WEIGHT = 0, SVG_SAMPLES = 1 };

enum {
	SVG_FONT = 12,   /* pixels */
	SVG_MARGIN = 10, /* left and right of the frames */
	SVG_FEW = 100,   /* samples below which shares are rough */
	SVG_EMPTY_HEIGHT = 120,
};

/* Width of a letter of the monospace font. */
static const double svg_letter = 0.6;

/* JavaScript's numbers are exact up to here. */
#define SVG_EXACT (UINT64_C(1) << 53)

struct svg_conf {
	const char *path;
	const char *title;
	const char *subtitle;
	double min_width;
	uint32_t width;
	uint32_t height;
	uint32_t palette;
	uint32_t value;
	bool inverted;
};

static const struct weir_option svg_options[] = {
	WEIR_OPT_TEXT(struct svg_conf, path, "", "file to write; what -o says, else stdout"),
	WEIR_OPT_TEXT(struct svg_conf, title, "", "title; empty: \"Flame graph\""),
	WEIR_OPT_TEXT(struct svg_conf, subtitle, "", "a line below the title; empty: the totals"),
	WEIR_OPT_UINT(struct svg_conf, width, "1200", 200, 30000,
		      "pixels where the window does not decide"),
	WEIR_OPT_UINT(struct svg_conf, height, "16", 8, 200, "pixels of a frame"),
	WEIR_OPT_DOUBLE(struct svg_conf, min_width, "0.1", 0, 100,
			"leave out frames of fewer pixels at that width"),
	WEIR_OPT_CHOICE(struct svg_conf, palette, "hot", "hot kind",
			"colours: warm ones, or by kind of code (kernel, user, run-time made)"),
	WEIR_OPT_CHOICE(struct svg_conf, value, "weight", "weight samples",
			"what makes a frame wide"),
	WEIR_OPT_BOOL(struct svg_conf, inverted, "false", "stacks grow downwards"),
};

struct svg_state {
	struct profile profile;
	struct svg_layout layout;
	struct svg_page page;
	uint64_t total; /* the width of all, in the value's unit */
	uint32_t shift; /* of values, so that a browser can compute with them */
	uint32_t top;   /* pixels above the frames */
	uint32_t bottom;
};

static const struct weir_want svg_wants[] = { PROFILE_WANTS };
static const struct weir_slot svg_inputs[] = {
	{ "stacks", "rows with a stack", WEIR_TABLE(svg_wants), 0, 0 },
};
static const struct weir_format svg_formats[] = { { "svg", ".svg" } };

static int svg_bind(struct weir_ctx *ctx)
{
	struct svg_state *state = ctx->state;

	return profile_bind(ctx, &state->profile, PROFILE_BY_KIND);
}

static int svg_start(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;

	state->page.host = ctx->host;
	state->page.writer = ctx->host->writer_open(ctx, conf->path, WEIR_WRITE_WHOLE);
	return state->page.writer ? 0 : -EIO;
}

static int svg_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct svg_state *state = ctx->state;

	(void)input;
	return profile_push(ctx, &state->profile, batch);
}

static uint32_t svg_font(const struct svg_conf *conf)
{
	return conf->height < SVG_FONT + 4 ? conf->height * 3 / 4 : SVG_FONT;
}

static uint32_t svg_height(const struct svg_conf *conf, const struct svg_state *state)
{
	return state->top + state->layout.depth * conf->height + state->bottom;
}

/* "8.01 s in 3,993 samples": what the whole width stands for. */
static void svg_totals(struct svg_state *state)
{
	const struct profile *profile = &state->profile;

	if (profile->has_weight && profile->samples) {
		svg_amount(&state->page, profile->tree.nodes[0].weight, profile->input.unit);
		svg_put(&state->page, " in ");
	}
	svg_amount(&state->page, profile->samples, WEIR_SAMPLES);
}

static void svg_head(struct svg_state *state, const struct svg_conf *conf, uint32_t height)
{
	struct svg_page *page = &state->page;

	svg_put(page, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	svg_print(page,
		  "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		  "height=\"%u\" viewBox=\"0 0 %u %u\">\n",
		  conf->width, height, conf->width, height);
	svg_print(page,
		  "<style>text{font-family:monospace;font-size:%upx;fill:#000}"
		  "#title{font-size:%upx;text-anchor:middle}#subtitle{text-anchor:middle;"
		  "fill:#555}#search,#matched,#case{text-anchor:end}"
		  ".button{cursor:pointer;opacity:.6}.button:hover{opacity:1}"
		  ".off,.out{display:none}.under{opacity:.5}",
		  svg_font(conf), SVG_FONT * 3 / 2);
	svg_put(page,
		".f{cursor:pointer}.f:hover rect{stroke:#000;stroke-width:.5}"
		".f text{pointer-events:none}#light{stop-color:#eeeeee}#warm{stop-color:#eeeeb0}"
		"@media (prefers-color-scheme:dark){svg>text{fill:#ddd}#subtitle{fill:#aaa}"
		"#light{stop-color:#1c1c1f}#warm{stop-color:#2a2a20}.f:hover rect{stroke:#fff}}"
		"</style>\n");
	svg_put(page, "<defs><linearGradient id=\"ground\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">"
		      "<stop id=\"light\" offset=\"5%\"/><stop id=\"warm\" offset=\"95%\"/>"
		      "</linearGradient></defs>\n"
		      "<rect width=\"100%\" height=\"100%\" fill=\"url(#ground)\"/>\n");
	svg_print(page, "<text id=\"title\" x=\"50%%\" y=\"%u\">", SVG_FONT * 2);
	if (conf->title[0])
		svg_text(page, conf->title, strlen(conf->title), UINT32_MAX);
	else
		svg_put(page, "Flame graph");
	svg_put(page, "</text>\n");
	svg_print(page, "<text id=\"subtitle\" x=\"50%%\" y=\"%u\">", SVG_FONT * 7 / 2);
	if (conf->subtitle[0])
		svg_text(page, conf->subtitle, strlen(conf->subtitle), UINT32_MAX);
	else
		svg_totals(state);
	svg_put(page, "</text>\n");
}

static void svg_controls(struct svg_state *state, const struct svg_conf *conf, uint32_t height)
{
	struct svg_page *page = &state->page;
	uint32_t line = conf->inverted ? state->top - SVG_FONT : height - SVG_FONT;

	svg_print(page, "<text id=\"reset\" class=\"off\" x=\"%u\" y=\"%u\">Reset zoom</text>\n",
		  SVG_MARGIN, SVG_FONT * 2);
	svg_print(page,
		  "<text id=\"search\" class=\"button\" x=\"100%%\" dx=\"-%u\" "
		  "y=\"%u\">Search</text>\n",
		  SVG_MARGIN, SVG_FONT * 2);
	svg_print(page, "<text id=\"case\" class=\"button\" x=\"100%%\" dx=\"-%u\" y=\"%u\"/>\n",
		  SVG_MARGIN, SVG_FONT * 7 / 2);
	svg_print(page, "<text id=\"details\" x=\"%u\" y=\"%u\"></text>\n", SVG_MARGIN, line);
	svg_print(page, "<text id=\"matched\" x=\"100%%\" dx=\"-%u\" y=\"%u\"></text>\n",
		  SVG_MARGIN, line);
}

/* "(12.3 s, 1,218 samples, 45.63 %)" */
static void svg_amounts(struct svg_state *state, const struct calltree_node *node)
{
	const struct profile_input *input = &state->profile.input;
	struct svg_page *page = &state->page;

	svg_put(page, " (");
	if (state->profile.has_weight) {
		svg_amount(page, node->weight, input->unit);
		svg_put(page, ", ");
	}
	svg_amount(page, node->samples, WEIR_SAMPLES);
	svg_put(page, ", ");
	svg_percent(page, svg_value(&state->layout, node), state->total);
	svg_put(page, ")");
}

struct svg_label {
	const char *text;
	uint32_t length;
};

static struct svg_label svg_label(struct weir_ctx *ctx, const struct svg_box *box)
{
	struct svg_state *state = ctx->state;
	struct svg_label label = { "all", 3 };

	if (box->node)
		label.text = profile_text(ctx, &state->profile,
					  state->profile.tree.nodes[box->node].name, &label.length);
	return label;
}

static void svg_box(struct weir_ctx *ctx, const struct svg_box *box)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	struct svg_page *page = &state->page;
	const struct calltree_node *node = &state->profile.tree.nodes[box->node];
	uint64_t value = svg_value(&state->layout, node);
	struct svg_label label = svg_label(ctx, box);
	struct svg_colour colour = svg_colour((enum svg_palette)conf->palette, label.text,
					      label.length, box->node ? node->tag : PROFILE_ROOT);
	double left = (double)box->left / (double)state->total;
	double share = (double)value / (double)state->total;
	double room = share * (conf->width - 2 * SVG_MARGIN) - 6;
	uint32_t level = conf->inverted ? box->depth : state->layout.depth - 1 - box->depth;

	svg_print(page,
		  "<g class=\"f\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64
		  "\" data-d=\"%u\"><title>",
		  box->left >> state->shift, value >> state->shift, box->depth);
	svg_text(page, label.text, label.length, UINT32_MAX);
	svg_amounts(state, node);
	svg_print(page,
		  "</title><rect x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%u\" "
		  "fill=\"rgb(%u,%u,%u)\" rx=\"2\"/>",
		  left * 100, level * conf->height, share * 100, conf->height - 1, colour.red,
		  colour.green, colour.blue);
	svg_print(page, "<text x=\"%.4f%%\" dx=\"3\" y=\"%u\">", left * 100,
		  level * conf->height + (conf->height + svg_font(conf)) / 2 - 2);
	if (room > 0)
		svg_text(page, label.text, label.length,
			 (uint32_t)(room / (svg_letter * svg_font(conf))));
	svg_put(page, "</text></g>\n");
}

static void svg_script_element(struct svg_page *page)
{
	svg_put(page, "<script><![CDATA[\n");
	if (!page->err)
		page->err = page->host->writer_write(page->writer, svg_script, sizeof(svg_script));
	svg_put(page, "]]></script>\n</svg>\n");
}

static void svg_graph(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	struct svg_page *page = &state->page;
	uint32_t height = svg_height(conf, state), i;

	svg_head(state, conf, height);
	svg_print(page,
		  "<!-- %u frames; %u narrower than %g pixels are left out, with %" PRIu64
		  " of %" PRIu64 " -->\n",
		  state->layout.count, state->layout.pruned, conf->min_width,
		  state->layout.pruned_value, state->total);
	svg_controls(state, conf, height);
	svg_print(page, "<svg id=\"frames\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\">\n",
		  SVG_MARGIN, state->top, conf->width - 2 * SVG_MARGIN,
		  state->layout.depth * conf->height);
	for (i = 0; i < state->layout.count && !page->err; i++)
		svg_box(ctx, &state->layout.boxes[i]);
	svg_put(page, "</svg>\n");
	svg_script_element(page);
}

static void svg_nothing(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;

	weir_log(ctx, WEIR_LOG_WARNING, "no samples: the graph is empty");
	svg_head(state, conf, SVG_EMPTY_HEIGHT);
	svg_print(&state->page,
		  "<text x=\"50%%\" y=\"%u\" text-anchor=\"middle\">no samples</text>\n",
		  SVG_FONT * 6);
	svg_put(&state->page, "</svg>\n");
}

static int svg_prepare(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	uint32_t lines = 5 + (conf->inverted ? 2 : 0);

	state->top = lines * SVG_FONT;
	state->bottom = (conf->inverted ? 1 : 3) * SVG_FONT;
	state->layout.minimum =
		(uint64_t)(conf->min_width * (double)state->total / (conf->width - 2 * SVG_MARGIN));
	if (state->layout.minimum == 0)
		state->layout.minimum = 1;
	while (state->total >> state->shift >= SVG_EXACT)
		state->shift++;
	if (state->profile.samples < SVG_FEW)
		weir_log(ctx, WEIR_LOG_WARNING, "%" PRIu64 " samples only: shares are rough",
			 state->profile.samples);
	return svg_layout(ctx, &state->profile, &state->layout);
}

static int svg_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	int err;

	(void)deadline;
	calltree_sum(&state->profile.tree);
	state->layout.by_samples = conf->value == SVG_SAMPLES;
	state->total = svg_value(&state->layout, &state->profile.tree.nodes[0]);
	if (state->total) {
		err = svg_prepare(ctx);
		if (err)
			return weir_fail(ctx, err, "layout of %u frames", state->layout.count);
		svg_graph(ctx);
	} else {
		svg_nothing(ctx);
	}
	err = state->page.err;
	if (!err) {
		err = ctx->host->writer_close(state->page.writer, 1);
		state->page.writer = NULL;
	}
	return err ? weir_fail(ctx, err, "writing the graph") : 0;
}

/* What drain did not finish is thrown away. */
static void svg_stop(struct weir_ctx *ctx)
{
	struct svg_state *state = ctx->state;

	ctx->host->writer_close(state->page.writer, 0);
	state->page.writer = NULL;
}

static void svg_destroy(struct weir_ctx *ctx)
{
	struct svg_state *state = ctx->state;

	profile_clear(ctx, &state->profile);
	svg_layout_clear(&state->layout);
}

WEIR_COMPONENT(
	"flame.svg", WEIR_SINK, .summary = "draws an interactive flame graph",
	.doc = "One SVG file without any reference to others. In a browser: a click zooms, "
	       "Ctrl-F or\nthe button searches by regular expression, the line at the foot "
	       "tells what the pointer is\non; the address keeps zoom and search. A frame's colour "
	       "depends on its name only, so that\ngraphs can be compared; grey is what is not "
	       "known.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct svg_conf),
	.state_size = sizeof(struct svg_state), .options = WEIR_TABLE(svg_options),
	.inputs = WEIR_TABLE(svg_inputs), .formats = WEIR_TABLE(svg_formats), .bind = svg_bind,
	.start = svg_start, .push = svg_push, .drain = svg_drain, .stop = svg_stop,
	.destroy = svg_destroy);
