/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of `perf script` text: a header begins a sample, lines of frames follow. What ends a sample
 * is the next header, or a blank line, or the end.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "file_script.h"

static struct script_piece script_line(const char **at, const char *end)
{
	const char *next = memchr(*at, '\n', (size_t)(end - *at));
	struct script_piece line = { *at, (size_t)((next ? next : end) - *at) };

	*at = next ? next + 1 : end;
	if (line.length && line.text[line.length - 1] == '\r')
		line.length--;
	return line;
}

static bool script_all_blank(struct script_piece line)
{
	return script_trim(line).length == 0;
}

/* Comments alone are what perf writes of a recording without samples. */
static bool script_recognise(const uint8_t *bytes, size_t count)
{
	const char *at = (const char *)bytes, *end = at + count;
	struct script_header header;
	bool comments = false, others = false;

	if (memchr(bytes, 0, count))
		return false;
	while (at < end) {
		struct script_piece line = script_line(&at, end);

		if (script_all_blank(line))
			continue;
		if (line.text[0] == '#') {
			comments = true;
			continue;
		}
		others = true;
		if (script_header(line.text, line.length, &header) &&
		    (header.event.length || header.has_time))
			return true;
	}
	return comments && !others;
}

static int script_no_memory(struct file *file)
{
	const struct script_reading *reading = file->reading;

	return weir_fail(file->ctx, -ENOMEM, "%s:%" PRIu64, file->input.path, reading->text.line);
}

/* The frame of a sample of which nothing is known. */
static int script_add_unknown(struct file *file)
{
	struct script_reading *reading = file->reading;
	struct weir_frame frame = { .symbol = file_name(&file->profile, "[unknown]", 9) };
	uint32_t number = file_frame(&file->profile, &frame);

	return number ? script_append(&reading->stack, &number, 1) : -ENOMEM;
}

/* The sample at hand is whole. */
static int script_end_sample(struct file *file)
{
	struct script_reading *reading = file->reading;
	struct file_sample *sample = &reading->sample;

	if (!reading->open)
		return 0;
	reading->open = false;
	if (!reading->stack.count && !sample->comm && script_add_unknown(file))
		return script_no_memory(file);
	sample->frames = reading->stack.frames;
	sample->frame_count = reading->stack.count;
	reading->stack.count = 0;
	return file_push(&file->profile, sample);
}

uint32_t script_id(struct file *file, struct script_piece piece)
{
	struct script_reading *reading = file->reading;
	uint64_t hash = file_known_hash(piece.text, piece.length);
	const struct file_known_entry *entry =
		file_known_find(&reading->names, piece.text, piece.length, hash);
	uint32_t id;

	if (entry)
		return entry->numbers[0];
	id = file_name(&file->profile, piece.text, piece.length);
	if (id)
		file_known_add(&reading->names, piece.text, piece.length, hash, &id, 1);
	return id;
}

/* A process or thread; "-1" and what is not told are absent. */
static uint32_t script_process(struct script_piece piece)
{
	uint64_t number;

	if (!piece.length || piece.text[0] == '-')
		return WEIR_ABSENT_U32;
	number = script_number(piece);
	return number < WEIR_ABSENT_U32 ? (uint32_t)number : WEIR_ABSENT_U32;
}

static int script_comm(struct file *file, const struct script_header *header, uint32_t *comm)
{
	if (file->compat.on)
		return compat_comm(file, header, comm);
	*comm = script_id(file, header->comm);
	return *comm || !header->comm.length ? 0 : -ENOMEM;
}

/* Begins a sample, unless its event is another one. */
static int script_begin(struct file *file, const struct script_header *header)
{
	struct script_reading *reading = file->reading;
	struct file_sample *sample = &reading->sample;
	uint32_t event = script_id(file, header->event);

	/* What has no event that the script sees belongs to any. */
	if ((event || !file->compat.on) && !file_wants_event(&file->profile, event)) {
		file_pass_over(&file->profile, event, 1);
		reading->unwanted = !file->compat.on || !reading->open;
		return 0;
	}
	*sample = (struct file_sample){ .time = header->time,
					.weight = header->period,
					.count = 1,
					.pid = script_process(header->pid),
					.tid = script_process(header->tid),
					.cpu = header->cpu,
					.event = event ? event : file->profile.event };
	reading->threads |= !header->pid.length;
	reading->open = true;
	reading->unwanted = false;
	return script_comm(file, header, &sample->comm) ? script_no_memory(file) : 0;
}

/* What a line of a frame stands for, if it is one: added to what is known. NULL: it is none. */
static const struct file_known_entry *script_learn(struct file *file, struct file_known *known,
						   struct script_piece line, uint64_t hash,
						   int *err)
{
	struct script_reading *reading = file->reading;
	const struct file_known_entry *entry;
	struct script_frame frame;

	*err = 0;
	if (file->compat.on ? !compat_frame(line.text, line.length, &frame)
			    : !script_frame(line.text, line.length, &frame))
		return NULL;
	reading->line.count = 0;
	*err = file->compat.on ? compat_name(file, &frame) : script_name(file, &frame);
	if (*err)
		return NULL;
	entry = file_known_add(known, line.text, line.length, hash, reading->line.frames,
			       reading->line.count);
	*err = entry ? 0 : -ENOMEM;
	return entry;
}

/* A line of a frame: 1: it is one; 0: it is none; -ENOMEM. */
static int script_add_line(struct file *file, struct script_piece line, uint64_t hash)
{
	struct script_reading *reading = file->reading;
	struct file_known *known = &reading->known[reading->java];
	const struct file_known_entry *entry = file_known_find(known, line.text, line.length, hash);
	int err = 0;

	if (!entry)
		entry = script_learn(file, known, line, hash, &err);
	if (!entry)
		return err;
	err = script_append(&reading->stack, entry->numbers, entry->count);
	return err ? err : 1;
}

/* Whether the line is a frame that is known; *err tells whether there was memory for it. */
static bool script_add_known(struct file *file, struct script_piece line, uint64_t hash, int *err)
{
	struct script_reading *reading = file->reading;
	const struct file_known_entry *entry =
		file_known_find(&reading->known[0], line.text, line.length, hash);

	if (!entry)
		return false;
	if (script_append(&reading->stack, entry->numbers, entry->count))
		*err = script_no_memory(file);
	return true;
}

/* Appends ":file:line" to the name of the last frame. 0 or -ENOMEM. */
static int script_add_source(struct file *file, struct script_piece source)
{
	struct script_reading *reading = file->reading;
	uint32_t *last = &reading->stack.frames[reading->stack.count - 1], length;
	struct weir_frame frame = *file_frames_at(&file->profile.frames, *last);
	const char *name = file->ctx->host->names_text(
		file->profile.names, frame.symbol ? frame.symbol : frame.object, &length);

	if (script_name_room(reading, length + source.length + 1))
		return -ENOMEM;
	memcpy(reading->name, name, length);
	reading->name[length] = ':';
	memcpy(reading->name + length + 1, source.text, source.length);
	frame.symbol = file_name(&file->profile, reading->name, length + source.length + 1);
	*last = file_frame(&file->profile, &frame);
	return frame.symbol && *last ? 0 : -ENOMEM;
}

/* "file.c:12" is a source line; of "libc.so[27b25]" only the file says something. */
static bool script_source(struct script_piece *line)
{
	struct script_piece text = script_trim(*line);
	size_t digits = text.length, bracket = text.length;

	while (digits && script_is_digit(text.text[digits - 1]))
		digits--;
	if (digits && digits < text.length && text.text[digits - 1] == ':') {
		*line = text;
		return true;
	}
	if (!text.length || text.text[text.length - 1] != ']')
		return false;
	while (bracket && text.text[bracket - 1] != '[')
		bracket--;
	*line = (struct script_piece){ text.text, bracket ? bracket - 1 : 0 };
	return line->length > 0 && !memchr(line->text, ' ', line->length);
}

static struct script_piece script_unindent(const char *line, size_t length)
{
	size_t i = 0;

	while (i < length && script_is_blank(line[i]))
		i++;
	return (struct script_piece){ line + i, length - i };
}

static int script_frame_line(struct file *file, const struct file_line *line)
{
	struct script_reading *reading = file->reading;
	struct script_piece text = script_unindent(line->text, line->length);
	struct script_piece source = text;
	int found;

	if (reading->unwanted)
		return 0;
	found = reading->open ? script_add_line(file, text, line->hash) : 0;
	if (!found && !file->compat.on && reading->open && reading->stack.count &&
	    script_source(&source))
		found = script_add_source(file, source) ? -ENOMEM : 1;
	if (found < 0)
		return script_no_memory(file);
	if (!found)
		file_bad_line(file, reading->text.line, line->text, line->length);
	return 0;
}

static int script_header_line(struct file *file, const struct script_header *header)
{
	struct script_reading *reading = file->reading;
	struct script_frame frame;
	int err = script_end_sample(file);

	if (!err)
		err = script_begin(file, header);
	/* What a tracepoint tells is no frame, and not expected to be one. */
	if (!err && reading->open && script_frame(header->tail.text, header->tail.length, &frame) &&
	    frame.pc.length && frame.module.length &&
	    script_add_line(file, header->tail,
			    file_known_hash(header->tail.text, header->tail.length)) < 0)
		err = script_no_memory(file);
	return err;
}

/* perf indents headers where it prints no stacks, or no command; frames tell no time. */
static bool script_is_header(const char *line, size_t length, struct script_header *header)
{
	return script_header(line, length, header) &&
	       (header->has_time || !script_is_blank(line[0]));
}

static int script_plain_line(struct file *file, const struct file_line *line)
{
	struct script_reading *reading = file->reading;
	struct script_header header;
	struct script_piece text = script_unindent(line->text, line->length);
	int err = 0;

	if (!text.length) {
		/* A header alone may be followed by a blank line, and then by its frames. */
		return reading->stack.count ? script_end_sample(file) : 0;
	}
	if (line->text[0] == '#')
		return 0;
	/* Most lines are frames that were seen before. */
	if (reading->open && text.text > line->text &&
	    script_add_known(file, text, line->hash, &err))
		return err;
	if (script_is_header(line->text, line->length, &header))
		return script_header_line(file, &header);
	return script_frame_line(file, line);
}

static int script_compat_line(struct file *file, const struct file_line *line)
{
	struct script_header header;

	if (line->length == 0)
		return script_end_sample(file);
	if (line->text[0] == '#')
		return 0;
	return compat_header(line->text, line->length, &header) ? script_begin(file, &header)
								: script_frame_line(file, line);
}

/* The script forgets a sample that no blank line ends: it is told. */
static int script_end(struct file *file)
{
	struct script_reading *reading = file->reading;

	if (reading->threads && file->profile.filter.pid_count && !file->skipped)
		weir_log(file->ctx, WEIR_LOG_WARNING,
			 "%s tells threads, not processes: pid was compared with them",
			 file->input.path);
	if (!file->compat.on)
		return script_end_sample(file);
	weir_lost(file->ctx, "samples without a blank line behind them", reading->open,
		  "leave out compat");
	return 0;
}

/* What is known lies far apart in memory: it is fetched while other lines are read. */
static void script_ahead(struct file *file, struct file_line *lines, uint32_t count)
{
	const struct script_reading *reading = file->reading;
	const struct file_known *known = &reading->known[0];

	for (uint32_t i = 0; i < count; i++) {
		struct script_piece text = script_unindent(lines[i].text, lines[i].length);

		lines[i].hash = file_known_hash(text.text, text.length);
		file_known_fetch_slot(known, lines[i].hash);
	}
	for (uint32_t i = 0; i < count; i++)
		file_known_fetch_entry(known, lines[i].hash);
}

static int script_open(struct file *file)
{
	struct script_reading *reading = calloc(1, sizeof(*reading));

	file->reading = reading;
	if (!reading)
		return weir_fail(file->ctx, -ENOMEM, "%s", file->input.path);
	reading->text.paragraphs = true;
	reading->text.ahead = script_ahead;
	reading->text.read = file->compat.on ? script_compat_line : script_plain_line;
	return 0;
}

static int script_step(struct file *file)
{
	struct script_reading *reading = file->reading;
	int more, err;

	if (reading->epoch != file->profile.epoch) {
		file_known_reset(&reading->known[0]);
		file_known_reset(&reading->known[1]);
		file_known_reset(&reading->names);
		reading->epoch = file->profile.epoch;
	}
	more = file_text_step(file, &reading->text);
	err = more == 0 ? script_end(file) : 0;
	file->profile.held = reading->open;
	return err ? err : more;
}

static void script_close(struct file *file)
{
	struct script_reading *reading = file->reading;

	if (!reading)
		return;
	file_known_clear(&reading->known[0]);
	file_known_clear(&reading->known[1]);
	file_known_clear(&reading->names);
	free(reading->stack.frames);
	free(reading->line.frames);
	free(reading->name);
	free(reading);
	file->reading = NULL;
}

/* Behind a blank line, with a header: what a reading before it would have ended there, too. */
static size_t script_boundary(const char *bytes, size_t count)
{
	const char *at = bytes, *end = bytes + count;
	struct script_header header;

	while ((at = memmem(at, (size_t)(end - at), "\n\n", 2))) {
		const char *next = at += 2;
		struct script_piece line = script_line(&next, end);

		if (next < end && line.length && !script_is_blank(line.text[0]) &&
		    script_header(line.text, line.length, &header) && header.event.length)
			return (size_t)(at - bytes);
	}
	return 0;
}

const struct file_reader file_script = { "perf script text", script_recognise, script_open,
					 script_step,        script_close,     script_boundary };
