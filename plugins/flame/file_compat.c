/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `compat: flamegraph`: lines of `perf script` text as stackcollapse-perf.pl understands them, also
 * where that is wrong, so that its output can be reproduced to the byte. Each step here is what one
 * regular expression or condition there decides.
 */
#include <stdio.h>
#include <stdlib.h>

#include "file_script.h"

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word(char c)
{
	return c == '_' || script_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && script_is_digit(*at))
		at++;
	return at;
}

static const char *skip_spaces(const char *at, const char *end)
{
	while (at < end && is_space(*at))
		at++;
	return at;
}

/* A command of two characters at least, blanks, digits, slashes, digits, a blank. */
static bool compat_process(const char *line, const char *end, struct script_header *header)
{
	for (const char *comm_end = line + 2; comm_end < end; comm_end++) {
		const char *pid = skip_spaces(comm_end, end), *slash, *tid, *tid_end;

		if (pid == comm_end)
			continue;
		slash = skip_digits(pid, end);
		for (tid = slash; tid < end && *tid == '/';)
			tid++;
		tid_end = tid == slash ? tid : skip_digits(tid, end);
		if (slash == pid || tid_end == end || !is_space(*tid_end))
			continue;
		header->comm = (struct script_piece){ line, (size_t)(comm_end - line) };
		header->pid = (struct script_piece){ pid, (size_t)(slash - pid) };
		header->tid = (struct script_piece){ tid, (size_t)(tid_end - tid) };
		return true;
	}
	return false;
}

/* What stands at the line's end: ":", a number or none, blanks, a word, ":". */
static void compat_event(const char *line, const char *end, struct script_header *header)
{
	const char *word, *digits, *at;

	while (end > line && is_space(end[-1]))
		end--;
	if (end - line < 2 || end[-1] != ':')
		return;
	for (word = end - 1; word > line && !is_space(word[-1]);)
		word--;
	if (word == end - 1)
		return;
	for (at = word; at > line && is_space(at[-1]);)
		at--;
	for (digits = at; digits > line && script_is_digit(digits[-1]);)
		digits--;
	header->period = script_number((struct script_piece){ digits, (size_t)(at - digits) });
	for (at = digits; at > line && is_space(at[-1]);)
		at--;
	if (at == line || at[-1] != ':') {
		header->period = 0;
		return;
	}
	header->event = (struct script_piece){ word, (size_t)(end - 1 - word) };
}

bool compat_header(const char *line, size_t length, struct script_header *header)
{
	struct script_header full;

	if (length < 2 || is_space(line[0]) || !compat_process(line, line + length, header))
		return false;
	header->event = header->tail = (struct script_piece){ line, 0 };
	header->period = 0;
	header->time = 0;
	header->cpu = WEIR_ABSENT_U32;
	header->has_time = false;
	compat_event(line, line + length, header);
	header->period += !header->period;
	if (script_header(line, length, &full)) {
		header->time = full.time;
		header->cpu = full.cpu;
		header->has_time = full.has_time;
	}
	return true;
}

/* The last " (" that a ")" follows; *close is the last of those. */
static const char *compat_module(const char *from, const char *end, const char **close)
{
	*close = memrchr(from, ')', (size_t)(end - from));
	for (const char *at = *close; at && at > from + 1; at--)
		if (at[-1] == '(' && at[-2] == ' ')
			return at - 1;
	return NULL;
}

/* The longest blanks before a name that leave it one character at least. */
static bool compat_split(const char *pc_end, const char *end, struct script_frame *frame)
{
	const char *name = skip_spaces(pc_end, end);

	for (; name >= pc_end; name--) {
		const char *close, *module = compat_module(name, end, &close);

		if (!module || module - 1 <= name)
			continue;
		frame->name = (struct script_piece){ name, (size_t)(module - 1 - name) };
		frame->module = (struct script_piece){ module + 1, (size_t)(close - module) - 1 };
		return true;
	}
	return false;
}

bool compat_frame(const char *line, size_t length, struct script_frame *frame)
{
	const char *end = line + length, *pc = skip_spaces(line, end), *pc_end = pc;

	while (pc_end < end && is_word(*pc_end))
		pc_end++;
	if (pc_end == pc)
		return false;
	/* Where nothing is in between, the word's last letter is the name. */
	if (!compat_split(pc_end, end, frame) &&
	    (pc_end - pc == 1 || !compat_split(--pc_end, end, frame)))
		return false;
	frame->pc = (struct script_piece){ pc, (size_t)(pc_end - pc) };
	return true;
}

/* "[unknown]" becomes its module, and with `addrs` its address. Written to reading->name. */
static int compat_unknown(struct file *file, const struct script_frame *frame, size_t *length)
{
	struct script_reading *reading = file->reading;
	struct script_piece home = { "unknown", 7 };
	size_t room = frame->module.length + frame->pc.length + 32;

	if (!script_says(frame->module, "[unknown]")) {
		const char *slash = memrchr(frame->module.text, '/', frame->module.length);

		home = frame->module;
		if (slash) {
			home.length -= (size_t)(slash + 1 - home.text);
			home.text = slash + 1;
		}
	}
	if (script_name_room(reading, room))
		return -ENOMEM;
	if (file->compat.addrs)
		*length = (size_t)snprintf(reading->name, room, "[%.*s <%.*s>]", (int)home.length,
					   home.text, (int)frame->pc.length, frame->pc.text);
	else
		*length = (size_t)snprintf(reading->name, room, "[%.*s]", (int)home.length,
					   home.text);
	return 0;
}

/* ".(...)." : a method of Go, whose brackets stay. */
static bool compat_is_go(const char *name, size_t length)
{
	const char *begin = memmem(name, length, ".(", 2);
	size_t left = begin ? length - (size_t)(begin + 2 - name) : 0;

	return begin && memmem(begin + 2, left, ").", 2);
}

/* The first bracket that is not of an anonymous namespace. */
static size_t compat_without_parameters(const char *name, size_t length)
{
	static const char anonymous[] = "(anonymous namespace)";

	for (size_t i = 0; i < length; i++)
		if (name[i] == '(' && (length - i < sizeof(anonymous) - 1 ||
				       memcmp(name + i, anonymous, sizeof(anonymous) - 1) != 0))
			return i;
	return length;
}

static size_t compat_tidy(struct script_reading *reading, size_t length)
{
	char *name = reading->name;
	size_t kept = 0;

	for (size_t i = 0; i < length; i++)
		if (name[i] == ';')
			name[i] = ':';
	if (!compat_is_go(name, length))
		length = compat_without_parameters(name, length);
	for (size_t i = 0; i < length; i++)
		if (name[i] != '"' && name[i] != '\'')
			name[kept++] = name[i];
	if (reading->java && kept && name[0] == 'L' && memchr(name, '/', kept))
		memmove(name, name + 1, --kept);
	return kept;
}

/* "/tmp/perf-123.map", anywhere */
static bool compat_is_jit(struct script_piece module)
{
	static const char begin[] = "/tmp/perf-", last[] = ".map";
	const char *at = module.text, *end = module.text + module.length, *digits;

	while ((at = memmem(at, (size_t)(end - at), begin, sizeof(begin) - 1))) {
		digits = at + sizeof(begin) - 1;
		at = skip_digits(digits, end);
		if (at > digits && (size_t)(end - at) >= sizeof(last) - 1 &&
		    memcmp(at, last, sizeof(last) - 1) == 0)
			return true;
	}
	return false;
}

static bool compat_is_kernel(struct script_piece module)
{
	static const char image[] = "vmlinux";
	size_t length = sizeof(image) - 1;
	bool is_image = module.length >= length &&
			memcmp(module.text + module.length - length, image, length) == 0;

	return (script_begins(module, "[") || is_image) &&
	       !memmem(module.text, module.length, "unknown", 7);
}

static const char *compat_mark(const struct file *file, struct script_piece module, bool inlined)
{
	if (inlined)
		return "_[i]";
	if (file->compat.kernel && compat_is_kernel(module))
		return "_[k]";
	return file->compat.jit && compat_is_jit(module) ? "_[j]" : "";
}

/* One name between "->". */
static int compat_part(struct file *file, const struct script_frame *frame,
		       struct script_piece part, bool inlined)
{
	struct script_reading *reading = file->reading;
	const char *mark = compat_mark(file, frame->module, inlined);
	struct weir_frame made = { 0 };
	size_t length = part.length;
	int err = script_name_room(reading, length + 8);

	if (err)
		return err;
	if (script_says(part, "[unknown]"))
		err = compat_unknown(file, frame, &length);
	else
		memcpy(reading->name, part.text, length);
	if (err)
		return err;
	length = compat_tidy(reading, length);
	err = script_name_room(reading, length + 8);
	if (err)
		return err;
	/* A mark that is there already is not made twice, except the kernel's. */
	if (mark[0] && (mark[2] == 'k' || !memmem(reading->name, length, mark, 4))) {
		memcpy(reading->name + length, mark, 4);
		length += 4;
	}
	return script_add_frame(file, &made, reading->name, length);
}

int compat_name(struct file *file, const struct script_frame *frame)
{
	struct script_reading *reading = file->reading;
	struct script_piece name = script_without_offset(frame->name);
	const char *at = name.text, *end = name.text + name.length;
	uint32_t first = reading->line.count;
	int err = 0;

	if (script_begins(name, "("))
		return 0;
	while (!err && at < end) {
		const char *arrow = memmem(at, (size_t)(end - at), "->", 2);
		const char *stop = arrow ? arrow : end;

		err = compat_part(file, frame, (struct script_piece){ at, (size_t)(stop - at) },
				  reading->line.count > first);
		at = arrow ? arrow + 2 : end;
	}
	for (uint32_t i = first, j = reading->line.count; i + 1 < j; i++) {
		uint32_t number = reading->line.frames[i];

		reading->line.frames[i] = reading->line.frames[--j];
		reading->line.frames[j] = number;
	}
	return err;
}

int compat_comm(struct file *file, const struct script_header *header, uint32_t *comm)
{
	struct script_reading *reading = file->reading;
	struct script_piece pid = header->pid, tid = header->tid;
	size_t room = header->comm.length + pid.length + tid.length + 8;
	int length;

	if (!tid.length || script_says(tid, "0")) {
		tid = pid;
		pid = (struct script_piece){ "?", 1 };
	}
	if (script_name_room(reading, room))
		return -ENOMEM;
	length = snprintf(reading->name, room, "%.*s", (int)header->comm.length, header->comm.text);
	if (file->compat.tid)
		length += snprintf(reading->name + length, room - (size_t)length, "-%.*s/%.*s",
				   (int)pid.length, pid.text, (int)tid.length, tid.text);
	else if (file->compat.pid)
		length += snprintf(reading->name + length, room - (size_t)length, "-%.*s",
				   (int)pid.length, pid.text);
	for (int i = 0; i < length; i++)
		if (reading->name[i] == ' ')
			reading->name[i] = '_';
	reading->java = length >= 4 && memcmp(reading->name, "java", 4) == 0;
	*comm = file_name(&file->profile, reading->name, (size_t)length);
	return *comm ? 0 : -ENOMEM;
}
