/* SPDX-License-Identifier: BSD-2-Clause */
/* What samples of a pprof profile refer to; see pprof_parts.h. */
#include "pprof_parts.h"
#include "pprof.h"

static int pprof_set_init(struct weir_ctx *ctx, struct pprof_set *set)
{
	set->names = ctx->host->names_new(ctx);
	return set->names ? 0 : -ENOMEM;
}

int pprof_parts_init(struct weir_ctx *ctx, struct pprof_parts *parts)
{
	if (pprof_set_init(ctx, &parts->strings) || pprof_set_init(ctx, &parts->mappings) ||
	    pprof_set_init(ctx, &parts->functions) || pprof_set_init(ctx, &parts->locations))
		return weir_fail(ctx, -ENOMEM, "names");
	return 0;
}

void pprof_parts_clear(struct weir_ctx *ctx, struct pprof_parts *parts)
{
	ctx->host->names_release(parts->strings.names);
	ctx->host->names_release(parts->mappings.names);
	ctx->host->names_release(parts->functions.names);
	ctx->host->names_release(parts->locations.names);
	wire_clear(&parts->scratch);
	memset(parts, 0, sizeof(*parts));
}

static uint32_t pprof_intern(struct weir_ctx *ctx, struct pprof_set *set, const void *bytes,
			     size_t count)
{
	uint32_t number = ctx->host->names_intern(set->names, bytes, count);

	if (number > set->last)
		set->last = number;
	return number;
}

/* Part `number`; NULL: there is none of that number. */
static const void *pprof_part(struct weir_ctx *ctx, const struct pprof_set *set, uint32_t number,
			      uint32_t *count)
{
	const char *bytes = ctx->host->names_text(set->names, number, count);

	return *count ? bytes : NULL;
}

uint32_t pprof_string(struct weir_ctx *ctx, struct pprof_parts *parts, const char *text,
		      size_t length)
{
	return pprof_intern(ctx, &parts->strings, text, length);
}

static bool pprof_is_library(const char *path, size_t length)
{
	return length == 0 || path[0] != '/' || memmem(path, length, ".so", 3);
}

/* Where code lies, by its binary, else by its kind. *mapping 0: nothing is known. False: no memory. */
static bool pprof_mapping(struct weir_ctx *ctx, struct pprof_parts *parts,
			  const struct weir_batch *batch, const struct weir_frame *frame,
			  uint32_t *mapping)
{
	const char *path = "";
	uint32_t length = 0, file;

	if (frame->object && batch->names)
		path = ctx->host->names_text(batch->names, frame->object, &length);
	if (!length && frame->flags & (WEIR_FRAME_KERNEL | WEIR_FRAME_JIT)) {
		path = frame->flags & WEIR_FRAME_KERNEL ? PPROF_KERNEL : PPROF_JIT;
		length = (uint32_t)strlen(path);
	}
	*mapping = 0;
	if (!length)
		return true;
	file = pprof_string(ctx, parts, path, length);
	*mapping = file ? pprof_intern(ctx, &parts->mappings, &file, sizeof(file)) : 0;
	if (!parts->main && !pprof_is_library(path, length))
		parts->main = *mapping;
	return *mapping != 0;
}

static uint32_t pprof_function(struct weir_ctx *ctx, struct pprof_parts *parts, uint32_t name,
			       const char *file, size_t file_length)
{
	struct pprof_function function = { name, 0 };

	if (!name)
		return 0;
	if (file_length) {
		function.file = pprof_string(ctx, parts, file, file_length);
		if (!function.file)
			return 0;
	}
	return pprof_intern(ctx, &parts->functions, &function, sizeof(function));
}

static bool pprof_add_line(struct weir_ctx *ctx, struct pprof_parts *parts, struct profile *profile,
			   const struct weir_batch *batch, const struct weir_frame *frame)
{
	struct pprof_line line = { 0, frame->line };
	struct profile_label label;
	const char *text, *file = "";
	uint32_t length, file_length = 0;

	if (profile_label(ctx, profile, batch, frame, &label))
		return false;
	text = profile_text(ctx, profile, label.label, &length);
	if (frame->source && batch->names)
		file = ctx->host->names_text(batch->names, frame->source, &file_length);
	line.function = pprof_function(ctx, parts, pprof_string(ctx, parts, text, length), file,
				       file_length);
	wire_append(&parts->scratch, &line, sizeof(line));
	return line.function != 0;
}

static uint32_t pprof_take_location(struct weir_ctx *ctx, struct pprof_parts *parts,
				    struct pprof_location *location)
{
	if (parts->scratch.failed)
		return 0;
	memcpy(parts->scratch.bytes, location, sizeof(*location));
	return pprof_intern(ctx, &parts->locations, parts->scratch.bytes, parts->scratch.used);
}

uint32_t pprof_location(struct weir_ctx *ctx, struct pprof_parts *parts, struct profile *profile,
			const struct weir_batch *batch, struct pprof_run *run)
{
	struct pprof_location location = { 0 };
	const struct weir_frame *frame;

	parts->scratch.used = 0;
	wire_append(&parts->scratch, &location, sizeof(location));
	do {
		frame = &run->frames[location.count++];
		if (!pprof_add_line(ctx, parts, profile, batch, frame))
			return 0;
	} while (frame->flags & WEIR_FRAME_INLINED && location.count < run->count &&
		 !(frame->flags & WEIR_FRAME_TRUNCATED));
	run->frames += location.count;
	run->count -= location.count;
	if (!frame->symbol)
		location.address = frame->address;
	if (!pprof_mapping(ctx, parts, batch, frame, &location.mapping))
		return 0;
	return pprof_take_location(ctx, parts, &location);
}

uint32_t pprof_location_named(struct weir_ctx *ctx, struct pprof_parts *parts, const char *text,
			      size_t length)
{
	struct pprof_location location = { .count = 1 };
	struct pprof_line line = { 0 };

	line.function = pprof_function(ctx, parts, pprof_string(ctx, parts, text, length), "", 0);
	if (!line.function)
		return 0;
	parts->scratch.used = 0;
	wire_append(&parts->scratch, &location, sizeof(location));
	wire_append(&parts->scratch, &line, sizeof(line));
	return pprof_take_location(ctx, parts, &location);
}

/* A message under way to `write`. */
struct pprof_out {
	pprof_write_fn *write;
	struct wire message;
	struct wire part;
	struct wire line;
	int err;
};

static void pprof_send(struct weir_ctx *ctx, struct pprof_out *out, uint32_t field)
{
	wire_message(&out->message, field, &out->part);
	if (out->message.failed || out->part.failed || out->line.failed)
		out->err = -ENOMEM;
	if (!out->err)
		out->err = out->write(ctx, &out->message);
	out->message.used = 0;
}

static void pprof_write_mapping(struct weir_ctx *ctx, const struct pprof_parts *parts,
				uint32_t number, struct pprof_out *out)
{
	uint32_t count, file;
	const void *part = pprof_part(ctx, &parts->mappings, number, &count);

	if (!part)
		return;
	memcpy(&file, part, sizeof(file));
	wire_number(&out->part, PPROF_MAPPING_ID, number);
	wire_number(&out->part, PPROF_MAPPING_FILE, file);
	wire_number(&out->part, PPROF_MAPPING_HAS_FUNCTIONS, 1);
	pprof_send(ctx, out, PPROF_MAPPING);
}

static void pprof_write_function(struct weir_ctx *ctx, const struct pprof_parts *parts,
				 uint32_t number, struct pprof_out *out)
{
	uint32_t count;
	const void *part = pprof_part(ctx, &parts->functions, number, &count);
	struct pprof_function function;

	if (!part)
		return;
	memcpy(&function, part, sizeof(function));
	wire_number(&out->part, PPROF_FUNCTION_ID, number);
	wire_number(&out->part, PPROF_FUNCTION_NAME, function.name);
	wire_number(&out->part, PPROF_FUNCTION_SYSTEM_NAME, function.name);
	wire_number(&out->part, PPROF_FUNCTION_FILE, function.file);
	pprof_send(ctx, out, PPROF_FUNCTION);
}

static void pprof_write_location(struct weir_ctx *ctx, const struct pprof_parts *parts,
				 uint32_t number, struct pprof_out *out)
{
	uint32_t count, i;
	const uint8_t *part = pprof_part(ctx, &parts->locations, number, &count);
	struct pprof_location location;

	if (!part)
		return;
	memcpy(&location, part, sizeof(location));
	wire_number(&out->part, PPROF_LOCATION_ID, number);
	wire_number(&out->part, PPROF_LOCATION_MAPPING, location.mapping);
	wire_number(&out->part, PPROF_LOCATION_ADDRESS, location.address);
	for (i = 0; i < location.count; i++) {
		struct pprof_line line;

		memcpy(&line, part + sizeof(location) + i * sizeof(line), sizeof(line));
		wire_number(&out->line, PPROF_LINE_FUNCTION, line.function);
		wire_number(&out->line, PPROF_LINE_LINE, line.line);
		wire_message(&out->part, PPROF_LOCATION_LINE, &out->line);
	}
	pprof_send(ctx, out, PPROF_LOCATION);
}

/* Number 0 is the empty string. */
static void pprof_write_string(struct weir_ctx *ctx, const struct pprof_parts *parts,
			       uint32_t number, struct pprof_out *out)
{
	uint32_t count;
	const char *text = ctx->host->names_text(parts->strings.names, number, &count);

	wire_bytes(&out->message, PPROF_STRING, text, count);
	if (out->message.failed)
		out->err = -ENOMEM;
	if (!out->err)
		out->err = out->write(ctx, &out->message);
	out->message.used = 0;
}

int pprof_parts_write(struct weir_ctx *ctx, const struct pprof_parts *parts, pprof_write_fn *write)
{
	struct pprof_out out = { .write = write };
	uint32_t i;

	/* Readers take the first one for the program itself. */
	if (parts->main)
		pprof_write_mapping(ctx, parts, parts->main, &out);
	for (i = 1; i <= parts->mappings.last && !out.err; i++)
		if (i != parts->main)
			pprof_write_mapping(ctx, parts, i, &out);
	for (i = 1; i <= parts->locations.last && !out.err; i++)
		pprof_write_location(ctx, parts, i, &out);
	for (i = 1; i <= parts->functions.last && !out.err; i++)
		pprof_write_function(ctx, parts, i, &out);
	for (i = 0; i <= parts->strings.last && !out.err; i++)
		pprof_write_string(ctx, parts, i, &out);
	wire_clear(&out.message);
	wire_clear(&out.part);
	wire_clear(&out.line);
	return out.err;
}
