/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a flame graph's file, from its first line to its script. */
#include <inttypes.h>

#include "svg.h"
#include "svg_script.h" /* made from svg.js by embed.sh */

/* Width of a letter of the monospace font. */
static const double svg_letter = 0.6;

static void svg_style(struct svg_state *state, const struct svg_conf *conf)
{
	struct writing *page = &state->page;
	const struct svg_ground *ground = svg_ground(&state->colours);

	writing_print(
		page,
		"<style>text{font-family:%s;font-size:%upx;fill:#000}"
		"#title{font-size:%upx;text-anchor:middle}#subtitle{text-anchor:middle;"
		"fill:#555}#search,#matched,#case{text-anchor:end}"
		".button{cursor:pointer;opacity:.6}.button:hover{opacity:1}"
		".off,.out{display:none}.under{opacity:.5}.gone{stroke:#36c;stroke-dasharray:3}",
		conf->font, state->font_size, conf->font_size * 3 / 2);
	writing_put(page, ".f{cursor:pointer}.f:hover rect{stroke:#000;stroke-width:.5}"
			  ".f text{pointer-events:none}");
	writing_print(page, "#light{stop-color:%s}#warm{stop-color:%s}", ground->above,
		      ground->below);
	writing_put(page,
		    "@media (prefers-color-scheme:dark){svg>text{fill:#ddd}#subtitle{fill:#aaa}"
		    "#light{stop-color:#1c1c1f}#warm{stop-color:#2a2a20}.f:hover rect{stroke:#fff}}"
		    "</style>\n");
	writing_put(page, "<defs><linearGradient id=\"ground\" y1=\"0\" y2=\"1\" x1=\"0\" x2=\"0\">"
			  "<stop id=\"light\" offset=\"5%\"/><stop id=\"warm\" offset=\"95%\"/>"
			  "</linearGradient></defs>\n"
			  "<rect width=\"100%\" height=\"100%\" fill=\"url(#ground)\"/>\n");
}

/* Weights tell something: where each sample weighs 1, its number has told that. */
static bool svg_weighs(const struct svg_state *state)
{
	const struct profile *profile = &state->profile;

	return profile->has_weight && profile->samples &&
	       (profile->tree.nodes[0].weight != profile->samples ||
		strcmp(value_type_unit(&state->type), "count") != 0);
}

/* "8.01 s in 3,993 samples": what the whole width stands for. */
static void svg_totals(struct svg_state *state)
{
	const struct profile *profile = &state->profile;

	if (svg_weighs(state)) {
		svg_amount(&state->page, profile->tree.nodes[0].weight, profile->input.unit);
		writing_put(&state->page, " in ");
	}
	svg_amount(&state->page, profile->samples, WEIR_SAMPLES);
	if (!state->differs)
		return;
	writing_put(&state->page, "; before: ");
	svg_amount(&state->page, state->base_before, profile->input.unit);
}

static const char *svg_kind(const struct svg_state *state, const struct svg_conf *conf)
{
	if (state->differs)
		return "Differential flame graph";
	if (conf->chart)
		return "Flame chart";
	return conf->inverted ? "Icicle graph" : "Flame graph";
}

static void svg_titles(struct svg_state *state, const struct svg_conf *conf)
{
	struct writing *page = &state->page;
	const char *title = conf->title[0] ? conf->title : svg_kind(state, conf);

	writing_print(page, "<text id=\"title\" x=\"50%%\" y=\"%u\">", conf->font_size * 2);
	if (conf->notes[0]) {
		writing_put(page, "<title>");
		svg_text(page, conf->notes, strlen(conf->notes), UINT32_MAX);
		writing_put(page, "</title>");
	}
	svg_text(page, title, strlen(title), UINT32_MAX);
	writing_print(page, "</text>\n<text id=\"subtitle\" x=\"50%%\" y=\"%u\">",
		      conf->font_size * 7 / 2);
	if (conf->subtitle[0])
		svg_text(page, conf->subtitle, strlen(conf->subtitle), UINT32_MAX);
	else
		svg_totals(state);
	writing_put(page, "</text>\n");
}

static void svg_head(struct svg_state *state, const struct svg_conf *conf, uint32_t height)
{
	struct writing *page = &state->page;

	writing_put(page, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	writing_print(page,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		      "height=\"%u\" viewBox=\"0 0 %u %u\">\n",
		      conf->width, height, conf->width, height);
	if (conf->notes[0]) {
		writing_put(page, "<desc>");
		svg_text(page, conf->notes, strlen(conf->notes), UINT32_MAX);
		writing_put(page, "</desc>\n");
	}
	svg_style(state, conf);
	svg_titles(state, conf);
}

static void svg_controls(struct svg_state *state, const struct svg_conf *conf, uint32_t height)
{
	struct writing *page = &state->page;
	uint32_t size = conf->font_size;
	uint32_t line = conf->inverted ? state->top - size : height - size;

	writing_print(page,
		      "<text id=\"reset\" class=\"off\" x=\"%u\" y=\"%u\">Reset zoom</text>\n",
		      SVG_MARGIN, size * 2);
	writing_print(page,
		      "<text id=\"search\" class=\"button\" x=\"100%%\" dx=\"-%u\" "
		      "y=\"%u\">Search</text>\n",
		      SVG_MARGIN, size * 2);
	writing_print(page,
		      "<text id=\"case\" class=\"button\" x=\"100%%\" dx=\"-%u\" y=\"%u\"/>\n",
		      SVG_MARGIN, size * 7 / 2);
	writing_print(page, "<text id=\"details\" x=\"%u\" y=\"%u\"></text>\n", SVG_MARGIN, line);
	writing_print(page, "<text id=\"matched\" x=\"100%%\" dx=\"-%u\" y=\"%u\"></text>\n",
		      SVG_MARGIN, line);
}

static uint64_t svg_scaled(const struct svg_conf *conf, uint64_t value)
{
	return conf->factor == 1 ? value : (uint64_t)((double)value * conf->factor + 0.5);
}

/* "(12.3 s, 1,218 samples, 45.63 %)", in a comparison with "; +3.20 %" of the shares. */
static void svg_amounts(struct svg_state *state, const struct svg_conf *conf, uint32_t index)
{
	const struct calltree *tree = &state->profile.tree;
	const struct calltree_node *node = &tree->nodes[index];
	struct writing *page = &state->page;
	uint64_t samples = calltree_samples(tree, index);
	uint64_t value = state->layout.by_samples ? samples : node->weight;

	const bool weighs = svg_weighs(state);

	writing_put(page, " (");
	if (weighs) {
		svg_amount(page, svg_scaled(conf, node->weight), state->profile.input.unit);
		writing_put(page, ", ");
	}
	if (!weighs || state->profile.input.unit != WEIR_SAMPLES) {
		svg_amount(page, svg_scaled(conf, samples), WEIR_SAMPLES);
		writing_put(page, ", ");
	}
	svg_percent(page, value, state->base);
	if (state->differs) {
		writing_put(page, "; ");
		svg_change(page, tree->before ? tree->before[index] : 0, value, state->base);
	}
	writing_put(page, ")");
}

struct svg_label {
	const char *text;
	uint32_t length;
};

static struct svg_label svg_label(struct weir_ctx *ctx, uint32_t node)
{
	struct svg_state *state = ctx->state;
	struct svg_label label = { "all", 3 };

	if (node)
		label.text = profile_text(ctx, &state->profile,
					  calltree_name(&state->profile.tree, node), &label.length);
	return label;
}

static void svg_box(struct weir_ctx *ctx, const struct svg_box *box)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	struct writing *page = &state->page;
	const struct calltree *tree = &state->profile.tree;
	uint64_t value = box->node ? svg_value(&state->layout, tree, box->node) : state->total;
	struct svg_label label = svg_label(ctx, box->node);
	struct svg_colour colour =
		svg_colour(&state->colours, label.text, label.length, tree, box->node);
	double left = (double)box->left / (double)state->total;
	double share = (double)value / (double)state->total;
	double room = share * (conf->width - 2 * SVG_MARGIN) - 6;
	uint32_t level = conf->inverted ? box->depth : state->layout.depth - 1 - box->depth;
	bool gone = state->layout.gone && state->layout.gone[box->node] == value;

	writing_print(page,
		      "<g class=\"f\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64
		      "\" data-d=\"%u\"><title>",
		      box->left >> state->shift, value >> state->shift, box->depth);
	svg_text(page, label.text, label.length, UINT32_MAX);
	svg_amounts(state, conf, box->node);
	writing_print(page,
		      "</title><rect x=\"%.4f%%\" y=\"%u\" width=\"%.4f%%\" height=\"%u\" "
		      "fill=\"rgb(%u,%u,%u)\" rx=\"2\"%s/>",
		      left * 100, level * conf->height, share * 100, conf->height - 1, colour.red,
		      colour.green, colour.blue, gone ? " class=\"gone\"" : "");
	writing_print(page, "<text x=\"%.4f%%\" dx=\"3\" y=\"%u\">", left * 100,
		      level * conf->height + (conf->height + state->font_size) / 2 - 2);
	if (room > 0)
		svg_text(page, label.text, label.length,
			 (uint32_t)(room / (svg_letter * state->font_size)));
	writing_put(page, "</text></g>\n");
}

static void svg_script_element(struct writing *page)
{
	writing_put(page, "<script><![CDATA[\n");
	writing_bytes(page, svg_script, sizeof(svg_script));
	writing_put(page, "]]></script>\n</svg>\n");
}

/* Where the frames stand follows from the font, so that nothing lies upon something else. */
static uint32_t svg_place(struct svg_state *state, const struct svg_conf *conf)
{
	uint32_t size = conf->font_size;

	state->font_size = conf->height < size + 4 ? conf->height * 3 / 4 : size;
	state->top = (5 + (conf->inverted ? 2 : 0)) * size;
	state->bottom = (conf->inverted ? 1 : 3) * size;
	return state->top + state->layout.depth * conf->height + state->bottom;
}

void svg_draw(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;
	struct writing *page = &state->page;
	uint32_t height = svg_place(state, conf), i;

	svg_head(state, conf, height);
	writing_print(page,
		      "<!-- %u frames; %u narrower than %s%s are left out, with %" PRIu64
		      " of %" PRIu64 " -->\n",
		      state->layout.count, state->layout.pruned, conf->min_width,
		      state->min_width < 0 ? "" : " pixels", state->layout.pruned_value,
		      state->total);
	svg_controls(state, conf, height);
	writing_print(page, "<svg id=\"frames\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\">\n",
		      SVG_MARGIN, state->top, conf->width - 2 * SVG_MARGIN,
		      state->layout.depth * conf->height);
	for (i = 0; i < state->layout.count && !page->err; i++)
		svg_box(ctx, &state->layout.boxes[i]);
	writing_put(page, "</svg>\n");
	svg_script_element(page);
}

void svg_draw_nothing(struct weir_ctx *ctx)
{
	const struct svg_conf *conf = ctx->options;
	struct svg_state *state = ctx->state;

	weir_log(ctx, WEIR_LOG_WARNING, "no samples: the graph is empty");
	svg_place(state, conf);
	svg_head(state, conf, conf->font_size * SVG_EMPTY_LINES);
	writing_print(&state->page,
		      "<text x=\"50%%\" y=\"%u\" text-anchor=\"middle\">no samples</text>\n",
		      conf->font_size * 6);
	writing_put(&state->page, "</svg>\n");
}
