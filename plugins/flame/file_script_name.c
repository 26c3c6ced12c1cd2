/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of frames in `perf script` text: without offsets and parameters, calls that a run-time
 * compiler has inlined one by one, and what kind of code it is.
 */
#include <stdlib.h>

#include "file_script.h"
#include "function_name.h"

/* What perf says of what it does not know. */
static const char script_unknown[] = "[unknown]";

int script_append(struct script_stack *stack, const uint32_t *frames, uint32_t count)
{
	if (count == 0)
		return 0;
	if (stack->capacity - stack->count < count) {
		uint32_t capacity = stack->capacity ? stack->capacity : 256;
		uint32_t *grown;

		while (capacity - stack->count < count)
			capacity *= 2;
		grown = reallocarray(stack->frames, capacity, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		stack->frames = grown;
		stack->capacity = capacity;
	}
	memcpy(stack->frames + stack->count, frames, count * sizeof(*frames));
	stack->count += count;
	return 0;
}

int script_name_room(struct script_reading *reading, size_t bytes)
{
	char *grown;

	if (reading->name_capacity >= bytes)
		return 0;
	grown = realloc(reading->name, bytes * 2);
	if (!grown)
		return -ENOMEM;
	reading->name = grown;
	reading->name_capacity = bytes * 2;
	return 0;
}

int script_add_frame(struct file *file, struct weir_frame *frame, const char *name, size_t length)
{
	struct script_reading *reading = file->reading;
	uint32_t number;

	if (!length && !frame->object) {
		name = script_unknown;
		length = sizeof(script_unknown) - 1;
	}
	if (length)
		frame->symbol = file_name(&file->profile, name, length);
	if (length && !frame->symbol)
		return -ENOMEM;
	number = file_frame(&file->profile, frame);
	return number ? script_append(&reading->line, &number, 1) : -ENOMEM;
}

struct script_piece script_without_offset(struct script_piece name)
{
	size_t at = name.length;

	while (at && (script_is_digit(name.text[at - 1]) ||
		      (name.text[at - 1] >= 'a' && name.text[at - 1] <= 'f')))
		at--;
	if (at < name.length && at >= 3 && memcmp(name.text + at - 3, "+0x", 3) == 0)
		name.length = at - 3;
	return name;
}

static struct script_piece base_name(struct script_piece path)
{
	const char *slash = memrchr(path.text, '/', path.length);

	if (slash) {
		path.length -= (size_t)(slash + 1 - path.text);
		path.text = slash + 1;
	}
	return path;
}

static bool ends_with(struct script_piece piece, const char *text)
{
	size_t length = strlen(text);

	return piece.length >= length &&
	       memcmp(piece.text + piece.length - length, text, length) == 0;
}

/* Code made at run time: a perf map, or what `perf inject` has made of a dump. */
static bool is_jit(struct script_piece module)
{
	struct script_piece base = base_name(module);

	return (script_begins(base, "perf-") && ends_with(base, ".map")) ||
	       (script_begins(base, "jitted-") && ends_with(base, ".so"));
}

/* The upper half of the addresses is the kernel's; "-F -ip" leaves only the module to tell. */
static bool is_kernel(const struct script_frame *frame)
{
	static const char *const user[] = { "[vdso]",  "[vdso32]", "[vsyscall]", "[unknown]",
					    "[stack]", "[heap]",   "[anon]",     "[uprobes]" };
	struct script_piece base = base_name(frame->module);

	if (frame->pc.length == 16 && frame->pc.text[0] >= '8')
		return !script_says(frame->module, "[unknown]");
	if (script_begins(frame->module, "[")) {
		for (size_t i = 0; i < sizeof(user) / sizeof(user[0]); i++)
			if (script_says(frame->module, user[i]))
				return false;
		return true;
	}
	return script_begins(base, "vmlinux") || script_begins(base, "bpf_prog_") ||
	       ends_with(base, ".ko") || ends_with(base, ".ko.xz") || ends_with(base, ".ko.gz") ||
	       ends_with(base, ".ko.zst");
}

/* reading->name as its source has it. */
static int name_demangle(struct script_reading *reading, size_t *length)
{
	char *plain = function_demangle(reading->name);
	int err;

	if (!plain) {
		*length = function_finish_rust(reading->name, *length);
		return 0;
	}
	*length = strlen(plain);
	err = script_name_room(reading, *length + 1);
	if (!err)
		memcpy(reading->name, plain, *length + 1);
	free(plain);
	return err;
}

/* One name of a line; `part` is it as it is written. */
static int name_part(struct file *file, struct script_piece part, struct weir_frame *frame)
{
	struct script_reading *reading = file->reading;
	size_t length = part.length;
	int err = script_name_room(reading, length + 1);

	if (err)
		return err;
	memcpy(reading->name, part.text, length);
	reading->name[length] = '\0';
	if (!file->conf->no_demangle)
		err = name_demangle(reading, &length);
	if (err)
		return err;
	length = function_without_parameters(reading->name, length);
	/* ';' parts frames in folded text. */
	for (size_t i = 0; i < length; i++)
		if (reading->name[i] == ';')
			reading->name[i] = ':';
	return script_add_frame(file, frame, reading->name, length);
}

/* "Lorg/x/A;::get" is how a Java class is written within a type; "LazyCompile:*f /a.js" is not. */
static struct script_piece without_type_mark(struct script_piece name)
{
	size_t i = 1;

	if (name.length < 2 || name.text[0] != 'L')
		return name;
	while (i < name.length && (script_is_digit(name.text[i]) || name.text[i] == '_' ||
				   ((name.text[i] | 0x20) >= 'a' && (name.text[i] | 0x20) <= 'z')))
		i++;
	if (i < name.length && name.text[i] == '/') {
		name.text++;
		name.length--;
	}
	return name;
}

static const char *find_arrow(const char *at, const char *end)
{
	return memmem(at, (size_t)(end - at), "->", 2);
}

/* "outermost->inlined->inlined": the last one is the leaf. */
static int name_chain(struct file *file, struct script_piece name, const struct weir_frame *frame)
{
	struct script_reading *reading = file->reading;
	const char *at = name.text, *end = name.text + name.length;
	uint32_t first = reading->line.count;
	int err = 0;

	while (!err && at < end) {
		const char *arrow = find_arrow(at, end), *stop = arrow ? arrow : end;
		struct script_piece part = { at, (size_t)(stop - at) };
		struct weir_frame called = *frame;

		if (reading->line.count > first)
			called.flags =
				(frame->flags & ~(uint32_t)WEIR_FRAME_JIT) | WEIR_FRAME_INLINED;
		if (part.length)
			err = name_part(file, without_type_mark(part), &called);
		at = arrow ? arrow + 2 : end;
	}
	for (uint32_t i = first, j = reading->line.count; i + 1 < j; i++) {
		uint32_t number = reading->line.frames[i];

		reading->line.frames[i] = reading->line.frames[--j];
		reading->line.frames[j] = number;
	}
	return err;
}

int script_name(struct file *file, const struct script_frame *given)
{
	struct script_piece name = script_without_offset(given->name);
	bool nameless = !name.length || script_says(name, script_unknown);
	bool homeless = !given->module.length || script_says(given->module, script_unknown);
	bool inlined = script_says(given->module, "inlined");
	struct weir_frame frame = { 0 };

	if (is_kernel(given))
		frame.flags |= WEIR_FRAME_KERNEL;
	if (inlined)
		frame.flags |= WEIR_FRAME_INLINED;
	else if (!homeless)
		frame.object = script_id(file, given->module);
	if (!homeless && !inlined && !frame.object)
		return -ENOMEM;
	if (is_jit(given->module))
		frame.flags |= WEIR_FRAME_JIT;
	if (nameless)
		return script_add_frame(file, &frame, "", 0);
	return frame.flags & WEIR_FRAME_JIT ? name_chain(file, name, &frame)
					    : name_part(file, name, &frame);
}
