/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of frames in `perf script` text: an address, a name, a module, each of which may be missing. */
#include "file_script.h"

static bool is_hex(char c)
{
	return script_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Where the last (...) begins whose brackets pair; modules may hold some: "(/opt/x (deleted))". */
static const char *module_begin(const char *line, const char *end)
{
	size_t depth = 0;

	for (const char *at = end; at > line; at--) {
		if (at[-1] == ')')
			depth++;
		else if (at[-1] == '(' && --depth == 0)
			return at - 1 == line || script_is_blank(at[-2]) ? at - 1 : NULL;
	}
	return NULL;
}

/* Where the last " (" is: of a module with brackets that do not pair. */
static const char *last_bracket(const char *line, const char *end)
{
	for (const char *at = end; at > line + 1; at--)
		if (at[-1] == '(' && script_is_blank(at[-2]))
			return at - 1;
	return NULL;
}

/* Takes the module off the line's end. */
static void split_module(struct script_piece *line, struct script_piece *module)
{
	const char *end = line->text + line->length, *begin;

	*module = (struct script_piece){ end, 0 };
	if (!line->length || end[-1] != ')')
		return;
	begin = module_begin(line->text, end);
	if (!begin)
		begin = last_bracket(line->text, end);
	if (!begin)
		return;
	*module = (struct script_piece){ begin + 1, (size_t)(end - begin) - 2 };
	line->length = (size_t)(begin - line->text);
	*line = script_trim(*line);
}

/* Takes the address off the line's begin; without one, the line is a name and a module. */
static void split_address(struct script_piece *line, struct script_piece *pc)
{
	size_t n = 0;

	while (n < line->length && is_hex(line->text[n]))
		n++;
	if (n < line->length && !script_is_blank(line->text[n]))
		n = 0;
	*pc = (struct script_piece){ line->text, n };
	while (n < line->length && script_is_blank(line->text[n]))
		n++;
	*line = (struct script_piece){ line->text + n, line->length - n };
}

bool script_frame(const char *line, size_t length, struct script_frame *frame)
{
	struct script_piece rest = { line, length };

	while (rest.length && script_is_blank(*rest.text)) {
		rest.text++;
		rest.length--;
	}
	rest = script_trim(rest);
	split_module(&rest, &frame->module);
	split_address(&rest, &frame->pc);
	frame->name = rest;
	/* A function that is called "add" looks like an address. */
	if (!frame->name.length && frame->module.length) {
		frame->name = frame->pc;
		frame->pc.length = 0;
	}
	return frame->pc.length || (frame->name.length && frame->module.length);
}
