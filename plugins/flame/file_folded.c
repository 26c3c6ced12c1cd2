/* SPDX-License-Identifier: BSD-2-Clause */
/* Reader of folded stacks: a line is "root;...;leaf weight", or "... before after" in a comparison. */
#include <inttypes.h>
#include <stdlib.h>

#include "file_known.h"
#include "file_text.h"

/* Each line is a row, of some five times its bytes: a batch of them is to stay in a CPU's cache. */
enum { FOLDED_STEP = 32 << 10 };

/*
 * The stack of the line at hand, root first, with the text that it came of: sorted lines begin as
 * the one before did, and so far nothing need be looked up again.
 */
struct folded_stack {
	struct folded_part {
		uint64_t hash;  /* of its name */
		uint32_t begin; /* of it in the line */
		uint32_t end;
		uint32_t frame;
	} * parts;
	uint32_t *frames; /* leaf first, as they are handed on */
	uint32_t count;
	uint32_t capacity;
	uint32_t shared; /* the first so many are those of the line before */
	char *line;
	size_t length;
	size_t room;
};

struct folded_reading {
	struct file_text text;
	struct file_known known; /* frames by their text */
	struct folded_stack stack;
	uint64_t epoch;
	bool two;           /* each line ends with two numbers */
	double carry;       /* what rounding has left over so far */
	uint64_t fractions; /* lines with one */
};

/* A number at the end of a line. */
struct folded_number {
	uint64_t whole;
	double fraction;
	bool has_fraction;
};

static bool folded_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool folded_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits and points at the line's end, behind a blank: where they begin and end. */
static bool folded_last_word(const char *line, size_t length, size_t *begin, size_t *end)
{
	while (length && folded_blank(line[length - 1]))
		length--;
	*end = length;
	while (length && (folded_digit(line[length - 1]) || line[length - 1] == '.'))
		length--;
	*begin = length;
	return *begin<*end && * begin> 0 && folded_blank(line[*begin - 1]);
}

/* Takes "text 12.5" apart; *length becomes that of "text". */
static bool folded_number(const char *line, size_t *length, struct folded_number *number)
{
	size_t at, end, begin;
	double place = 0.1;

	if (!folded_last_word(line, *length, &begin, &end))
		return false;
	*length = begin - 1;
	*number = (struct folded_number){ 0, 0, false };
	for (at = begin; at < end && line[at] != '.'; at++)
		if (__builtin_mul_overflow(number->whole, 10u, &number->whole) ||
		    __builtin_add_overflow(number->whole, (uint64_t)(line[at] - '0'),
					   &number->whole))
			return false;
	if (at == begin)
		return false;
	for (at += at < end; at < end && line[at] != '.'; at++, place /= 10) {
		number->fraction += (line[at] - '0') * place;
		number->has_fraction |= line[at] != '0';
	}
	return at == end;
}

static bool folded_is_blank(const char *line, size_t length)
{
	size_t i = 0;

	while (i < length && folded_blank(line[i]))
		i++;
	return i == length || line[0] == '#';
}

/* Of some lines: how many there are, how many end with a number, and with two. */
struct folded_look {
	uint32_t lines;
	uint32_t one;
	uint32_t two;
};

static void folded_look_at(const char *line, size_t length, struct folded_look *look)
{
	struct folded_number number;

	if (length && line[length - 1] == '\r')
		length--;
	if (folded_is_blank(line, length))
		return;
	look->lines++;
	if (!folded_number(line, &length, &number))
		return;
	look->one++;
	look->two += folded_number(line, &length, &number);
}

/* The last line may be cut by the end of what is shown. */
static struct folded_look folded_look(const char *text, size_t count)
{
	struct folded_look look = { 0 };
	const char *at = text, *end = text + count, *next;

	for (; at < end && (next = memchr(at, '\n', (size_t)(end - at))); at = next + 1)
		folded_look_at(at, (size_t)(next - at), &look);
	if (at == text)
		folded_look_at(at, (size_t)(end - at), &look);
	return look;
}

/* Half of the lines may be damaged: each of those is told. */
static bool folded_recognise(const uint8_t *bytes, size_t count)
{
	struct folded_look look = folded_look((const char *)bytes, count);

	return look.one && look.one * 2 >= look.lines && !memchr(bytes, 0, count);
}

static bool folded_marked(const char *text, size_t length, char mark)
{
	return length > 4 && text[length - 4] == '_' && text[length - 3] == '[' &&
	       text[length - 2] == mark && text[length - 1] == ']';
}

/* The frame of a name that may be marked _[k], _[i] or _[j]. 0: no memory. */
static uint32_t folded_frame(struct file *file, const char *text, size_t length)
{
	static const struct {
		char mark;
		uint32_t flag;
	} marks[] = { { 'k', WEIR_FRAME_KERNEL },
		      { 'i', WEIR_FRAME_INLINED },
		      { 'j', WEIR_FRAME_JIT } };
	struct weir_frame frame = { 0 };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (!folded_marked(text, length, marks[i].mark))
			continue;
		frame.flags = marks[i].flag;
		length -= 4;
		break;
	}
	frame.symbol = file_name(&file->profile, text, length);
	return frame.symbol ? file_frame(&file->profile, &frame) : 0;
}

static int folded_room(struct folded_stack *stack)
{
	uint32_t capacity = stack->capacity ? stack->capacity * 2 : 256;
	struct folded_part *parts;
	uint32_t *frames;

	if (stack->count < stack->capacity)
		return 0;
	parts = reallocarray(stack->parts, capacity, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	stack->parts = parts;
	frames = reallocarray(stack->frames, capacity, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	stack->frames = frames;
	stack->capacity = capacity;
	return 0;
}

/* The frame of a part of the line. 0 or -ENOMEM. */
static int folded_name_part(struct file *file, const char *line, struct folded_part *part)
{
	struct folded_reading *reading = file->reading;
	const char *text = line + part->begin;
	size_t length = part->end - part->begin;
	const struct file_known_entry *entry =
		file_known_find(&reading->known, text, length, part->hash);

	if (!entry) {
		uint32_t frame = folded_frame(file, text, length);

		entry = frame ? file_known_add(&reading->known, text, length, part->hash, &frame, 1)
			      : NULL;
		if (!entry)
			return -ENOMEM;
	}
	part->frame = entry->numbers[0];
	__builtin_prefetch(file_frames_at(&file->profile.frames, part->frame));
	return 0;
}

/* How many bytes two texts have in common from their start on. */
static size_t folded_common(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t length = a_length < b_length ? a_length : b_length, at = 0;
	uint64_t word_a, word_b;

	for (; at + sizeof(word_a) <= length; at += sizeof(word_a)) {
		memcpy(&word_a, a + at, sizeof(word_a));
		memcpy(&word_b, b + at, sizeof(word_b));
		if (word_a != word_b)
			break;
	}
	while (at < length && a[at] == b[at])
		at++;
	return at;
}

/* Keeps a line of which so many bytes are kept already. */
static int folded_keep(struct folded_stack *stack, const char *line, size_t length, size_t common)
{
	if (length > stack->room) {
		char *grown = realloc(stack->line, length * 2);

		if (!grown)
			return -ENOMEM;
		stack->line = grown;
		stack->room = length * 2;
	}
	if (length > common)
		memcpy(stack->line + common, line + common, length - common);
	stack->length = length;
	return 0;
}

/* Cuts the line into parts from `at` on. Without a name, as in "a;;b", there is none. */
static int folded_cut(struct folded_reading *reading, const char *line, const char *at,
		      const char *end)
{
	struct folded_stack *stack = &reading->stack;

	while (at < end) {
		const char *next = memchr(at, ';', (size_t)(end - at));
		const char *stop = next ? next : end;
		struct folded_part *part;

		if (stop > at) {
			if (folded_room(stack))
				return -ENOMEM;
			part = &stack->parts[stack->count++];
			part->hash = file_known_hash(at, (size_t)(stop - at));
			part->begin = (uint32_t)(at - line);
			part->end = (uint32_t)(stop - line);
			file_known_fetch_slot(&reading->known, part->hash);
		}
		at = stop + 1;
	}
	return 0;
}

static int folded_split(struct file *file, const char *line, size_t length)
{
	struct folded_reading *reading = file->reading;
	struct folded_stack *stack = &reading->stack;
	size_t common = folded_common(stack->line, stack->length, line, length);
	const char *at = line;
	uint32_t first;
	int err = length > UINT32_MAX ? -ENOMEM : folded_keep(stack, line, length, common);

	while (stack->count && stack->parts[stack->count - 1].end >= common)
		stack->count--;
	first = stack->shared = stack->count;
	if (first)
		at = line + stack->parts[first - 1].end + 1;
	if (!err)
		err = folded_cut(reading, line, at, line + length);
	/* Names lie far apart in memory: all are asked for before one is needed. */
	for (uint32_t i = first; i < stack->count; i++)
		file_known_fetch_entry(&reading->known, stack->parts[i].hash);
	for (uint32_t i = first; i < stack->count && !err; i++)
		err = folded_name_part(file, line, &stack->parts[i]);
	return err;
}

static void folded_turn(struct folded_stack *stack)
{
	for (uint32_t i = 0; i < stack->count; i++)
		stack->frames[i] = stack->parts[stack->count - 1 - i].frame;
}

/* Nothing of the line before is left. */
static void folded_forget(struct folded_stack *stack)
{
	stack->count = 0;
	stack->length = 0;
}

/* Rows have whole weights: what one line loses by rounding, the next ones get. */
static uint64_t folded_weight(struct folded_reading *reading, const struct folded_number *number)
{
	uint64_t weight = number->whole;

	if (!number->has_fraction)
		return weight;
	reading->fractions++;
	reading->carry += number->fraction;
	if (reading->carry >= 0.5 && weight < UINT64_MAX) {
		weight++;
		reading->carry -= 1;
	}
	return weight;
}

static int folded_line(struct file *file, const struct file_line *given)
{
	struct folded_reading *reading = file->reading;
	const char *line = given->text;
	size_t length = given->length;
	struct folded_number number, before;
	struct file_sample sample;

	if (folded_is_blank(line, length))
		return 0;
	if (!folded_number(line, &length, &number) ||
	    (reading->two && !folded_number(line, &length, &before))) {
		file_bad_line(file, reading->text.line, line, given->length);
		return 0;
	}
	if (folded_split(file, line, length))
		return weir_fail(file->ctx, -ENOMEM, "%s:%" PRIu64, file->input.path,
				 reading->text.line);
	folded_turn(&reading->stack);
	sample = (struct file_sample){ .weight = folded_weight(reading, &number),
				       .pid = WEIR_ABSENT_U32,
				       .tid = WEIR_ABSENT_U32,
				       .cpu = WEIR_ABSENT_U32,
				       .frames = reading->stack.frames,
				       .frame_count = reading->stack.count,
				       .shared = reading->stack.shared };
	sample.count = sample.weight;
	return file_push(&file->profile, &sample);
}

static int folded_open(struct file *file)
{
	struct folded_reading *reading = calloc(1, sizeof(*reading));
	struct folded_look look;
	const uint8_t *bytes;
	size_t count;
	int err;

	file->reading = reading;
	if (!reading)
		return weir_fail(file->ctx, -ENOMEM, "%s", file->input.path);
	reading->text.read = folded_line;
	reading->text.step = FOLDED_STEP;
	/* The lines are merged already: each is a row. */
	file->profile.by |= FILE_BY_TIME;
	err = file_input_peek(&file->input, 1, &bytes, &count);
	if (err)
		return err;
	/* One number may be the end of a name: "Thread 7". */
	look = folded_look((const char *)bytes, count);
	reading->two = look.two == look.one;
	if (reading->two)
		weir_log(file->ctx, WEIR_LOG_INFO,
			 "%s compares two profiles: the second is read, what came after",
			 file->input.path);
	return 0;
}

static int folded_step(struct file *file)
{
	struct folded_reading *reading = file->reading;
	int more;

	if (reading->epoch != file->profile.epoch) {
		file_known_reset(&reading->known);
		folded_forget(&reading->stack);
		reading->epoch = file->profile.epoch;
	}
	more = file_text_step(file, &reading->text);
	if (more == 0 && reading->fractions)
		weir_log(file->ctx, WEIR_LOG_INFO,
			 "%s: %" PRIu64 " weights have fractions: they are rounded so that the "
			 "total stays",
			 file->input.path, reading->fractions);
	return more;
}

static void folded_close(struct file *file)
{
	struct folded_reading *reading = file->reading;

	if (!reading)
		return;
	file_known_clear(&reading->known);
	free(reading->stack.frames);
	free(reading->stack.parts);
	free(reading->stack.line);
	free(reading);
	file->reading = NULL;
}

const struct file_reader file_folded = { "folded stacks", folded_recognise, folded_open,
					 folded_step, folded_close };
