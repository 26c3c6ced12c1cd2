/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu.kernel: terms of a PMU, put where its format files say, and the events that are made of them. */
#include <stdio.h>
#include <stdlib.h>

#include "pmu_sysfs.h"

WEIR_DEFINE_UNIT(pmu_joules, "energy", "J", "J", 1, 1);
WEIR_DEFINE_UNIT(pmu_mib, "data", "MiBy", "MiB", 1048576, 1);
WEIR_DEFINE_UNIT(pmu_mb, "data", "MBy", "MB", 1000000, 1);

static const struct {
	const char *text; /* as files *.unit have it */
	const struct weir_unit *unit;
} pmu_units[] = {
	{ "Joules", &pmu_joules }, { "MiB", &pmu_mib }, { "MB", &pmu_mb },
	{ "Bytes", WEIR_BYTES },   { "ns", WEIR_NS },   { "%", WEIR_PERCENT },
};

/* The terms of a name, as they are worked through. */
struct pmu_parse {
	struct weir_ctx *ctx;
	const char *pmu;
	const char *given; /* all that the user wrote */
	struct weir_pmu_event *event;
};

static int pmu_read(struct weir_ctx *ctx, struct weir_buffer *buffer, const char *pmu,
		    const char *folder, const char *name)
{
	char path[512];
	int err;

	if (snprintf(path, sizeof(path), PMU_DEVICES "/%s/%s/%s", pmu, folder, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	err = weir_read_file(ctx, path, buffer);
	if (!err && buffer->bytes)
		buffer->bytes[strcspn(buffer->bytes, "\n")] = '\0';
	return err ? err : buffer->bytes ? 0 : -ENOENT;
}

bool pmu_has(struct weir_ctx *ctx, const char *pmu, const char *folder, const char *name)
{
	char path[512];

	return name[0] && !strchr(name, '/') && name[0] != '.' &&
	       snprintf(path, sizeof(path), PMU_DEVICES "/%s/%s/%s", pmu, folder, name) <
		       (int)sizeof(path) &&
	       weir_path_exists(ctx, path);
}

static uint64_t *pmu_config(struct weir_pmu_event *event, const char *word, size_t length)
{
	if (length == 6 && strncmp(word, "config", 6) == 0)
		return &event->config;
	if (length == 7 && strncmp(word, "config1", 7) == 0)
		return &event->config1;
	if (length == 7 && strncmp(word, "config2", 7) == 0)
		return &event->config2;
	return NULL;
}

/* Spreads a value over "0-7,32-35". -ERANGE: it does not fit; -EBADMSG: not of that form. */
static int pmu_spread(const char *bits, uint64_t value, uint64_t *config)
{
	while (*bits) {
		char *end;
		unsigned long low = strtoul(bits, &end, 10), high = low;

		if (end == bits)
			return -EBADMSG;
		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (high < low || high > 63 || (*end && *end != ','))
			return -EBADMSG;
		for (unsigned long bit = low; bit <= high; bit++, value >>= 1) {
			*config &= ~(UINT64_C(1) << bit);
			*config |= (value & 1) << bit;
		}
		bits = *end == ',' ? end + 1 : end;
	}
	return value ? -ERANGE : 0;
}

static int pmu_put(struct pmu_parse *parse, const char *name, uint64_t value)
{
	uint64_t *config = pmu_config(parse->event, name, strlen(name));
	struct weir_buffer format = { NULL, 0, 0 };
	const char *colon;
	int err;

	if (config) {
		*config = value;
		return 0;
	}
	if (pmu_read(parse->ctx, &format, parse->pmu, "format", name) < 0 || !format.bytes) {
		weir_buffer_release(&format);
		return weir_pmu_why(
			parse->event, pmu_reason(parse->ctx), -EINVAL,
			"%s has neither a term nor an event \"%s\"; its terms are the files "
			"of /" PMU_DEVICES "/%s/format",
			parse->pmu, name, parse->pmu);
	}
	colon = strchr(format.bytes, ':');
	config = colon ? pmu_config(parse->event, format.bytes, (size_t)(colon - format.bytes))
		       : NULL;
	err = config ? pmu_spread(colon + 1, value, config) : -EBADMSG;
	if (err == -ERANGE)
		weir_pmu_why(parse->event, pmu_reason(parse->ctx), err,
			     "%s=%#llx does not fit into %s", name, (unsigned long long)value,
			     format.bytes);
	else if (err)
		weir_pmu_why(parse->event, pmu_reason(parse->ctx), err,
			     "format of %s: cannot read \"%.60s\"", name, format.bytes);
	weir_buffer_release(&format);
	return err;
}

/* True when the user has given a term of that name a value. */
static bool pmu_given(const char *given, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = given; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return true;
	}
	return false;
}

static int pmu_term(struct pmu_parse *parse, char *term)
{
	char *equals = strchr(term, '='), *end;
	uint64_t value;

	if (!equals)
		return pmu_put(parse, term, 1);
	*equals++ = '\0';
	if (strcmp(equals, "?") == 0)
		return pmu_given(parse->given, term)
			       ? 0
			       : weir_pmu_why(parse->event, pmu_reason(parse->ctx), -EINVAL,
					      "needs parameters: %s=", term);
	errno = 0;
	value = strtoull(equals, &end, 0);
	if (errno || *end || end == equals || *equals == '-')
		return weir_pmu_why(parse->event, pmu_reason(parse->ctx), -EINVAL,
				    "%s: \"%s\" is no number", term, equals);
	return pmu_put(parse, term, value);
}

/* What else is said of an event: x.scale, x.unit. */
static void pmu_describe(struct pmu_parse *parse, const char *name)
{
	struct pmu_state *state = parse->ctx->state;
	struct weir_buffer text = { NULL, 0, 0 };
	char file[128];

	snprintf(file, sizeof(file), "%.100s.scale", name);
	if (pmu_read(parse->ctx, &text, parse->pmu, "events", file) == 0)
		parse->event->scale = strtod(text.bytes, NULL);
	weir_buffer_release(&text);
	snprintf(file, sizeof(file), "%.100s.unit", name);
	if (pmu_read(parse->ctx, &text, parse->pmu, "events", file) == 0) {
		snprintf(state->doc, sizeof(state->doc), "in %.80s", text.bytes);
		parse->event->doc = state->doc;
		for (size_t i = 0; i < sizeof(pmu_units) / sizeof(pmu_units[0]); i++)
			if (strcmp(pmu_units[i].text, text.bytes) == 0)
				parse->event->unit = pmu_units[i].unit;
	}
	weir_buffer_release(&text);
}

/* An event of the PMU's folder is made of terms itself. */
static int pmu_alias(struct pmu_parse *parse, const char *name)
{
	struct weir_buffer text = { NULL, 0, 0 };
	int err = pmu_read(parse->ctx, &text, parse->pmu, "events", name);
	char *rest = text.bytes, *term;

	while (!err && (term = strsep(&rest, ",")))
		if (*term)
			err = pmu_term(parse, term);
	weir_buffer_release(&text);
	if (!err)
		pmu_describe(parse, name);
	return err;
}

int pmu_terms(struct weir_ctx *ctx, const char *pmu, const char *terms,
	      struct weir_pmu_event *event)
{
	struct pmu_parse parse = { ctx, pmu, terms, event };
	char text[256], *rest = text, *term;
	int err = 0;

	snprintf(text, sizeof(text), "%s", terms);
	while (!err && (term = strsep(&rest, ",")))
		if (*term)
			err = !strchr(term, '=') && pmu_has(ctx, pmu, "events", term)
				      ? pmu_alias(&parse, term)
				      : pmu_term(&parse, term);
	return err;
}
