/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of a profile, line by line; see file_text.h. */
#include "file_text.h"

#include <inttypes.h>

enum { TEXT_LINE_MAX = 16 << 20, TEXT_BAD_SHOWN = 3, TEXT_SHOWN = 60 };

void file_bad_line(struct file *file, uint64_t line, const char *text, size_t length)
{
	if (file->bad++ >= TEXT_BAD_SHOWN)
		return;
	if (file->skipped && !file->before)
		file->before = file_input_lines(&file->input, file->skipped);
	weir_log(file->ctx, WEIR_LOG_WARNING, "%s:%" PRIu64 ": not understood: \"%.*s\"",
		 file->input.path, file->before + line,
		 length < TEXT_SHOWN ? (int)length : TEXT_SHOWN, text);
}

/* The next lines of a run of bytes that ends with a line's end; *at moves on. */
static uint32_t text_split(const char **at, const char *end, struct file_line *lines)
{
	uint32_t count = 0;

	while (*at < end && count < FILE_TEXT_AHEAD) {
		const char *next = memchr(*at, '\n', (size_t)(end - *at));
		const char *stop = next ? next : end;

		if (stop > *at && stop[-1] == '\r')
			stop--;
		lines[count++] = (struct file_line){ *at, (size_t)(stop - *at), 0 };
		*at = next ? next + 1 : end;
	}
	return count;
}

static int text_lines(struct file *file, struct file_text *text, const char *at, const char *end)
{
	struct file_line lines[FILE_TEXT_AHEAD];
	int err = 0;

	while (at < end && !err) {
		uint32_t count = text_split(&at, end, lines);

		if (text->ahead)
			text->ahead(file, lines, count);
		for (uint32_t i = 0; i < count && !err; i++) {
			text->line++;
			err = text->read(file, &lines[i]);
		}
	}
	return err;
}

/* The last line's end among `count` bytes, or that of the last blank line. NULL: there is none. */
static const char *text_end(const struct file_text *text, const char *bytes, size_t count)
{
	const char *last = memrchr(bytes, '\n', count), *at = last;

	while (text->paragraphs && at && at > bytes && at[-1] != '\n')
		at = memrchr(bytes, '\n', (size_t)(at - bytes));
	return at && at > bytes ? at : last;
}

/* Part of a line that is too long to be one. */
static int text_leave_out(struct file *file, struct file_text *text, const char *bytes,
			  size_t count)
{
	if (!text->too_long)
		file_bad_line(file, text->line + 1, bytes, count);
	text->too_long = true;
	file_input_skip(&file->input, count);
	return 1;
}

/* The rest of such a line. */
static int text_end_of_line(struct file *file, struct file_text *text, const char *bytes,
			    size_t count, bool last)
{
	const char *end = memchr(bytes, '\n', count);

	file_input_skip(&file->input, end ? (size_t)(end + 1 - bytes) : count);
	if (end) {
		text->too_long = false;
		text->line++;
	}
	return end || !last;
}

static int text_peek(struct file *file, size_t want, const char **bytes, size_t *count, bool *last)
{
	int err = file_input_peek(&file->input, want, (const uint8_t **)bytes, count);

	*last = !err && file_input_is_last(&file->input) && *count <= want;
	if (!err && *count > want)
		*count = want;
	return err;
}

/* The mark of UTF-8 that some put before a text. */
static bool text_is_mark(const struct file *file, const char *bytes, size_t count)
{
	static const char mark[] = "\xef\xbb\xbf";

	return file->input.at == 0 && count >= 3 && memcmp(bytes, mark, 3) == 0;
}

int file_text_step(struct file *file, struct file_text *text)
{
	size_t want = text->step ? text->step : FILE_STEP, count;
	const char *bytes, *end;
	bool last;
	int err;

	do {
		err = text_peek(file, want, &bytes, &count, &last);
		if (err)
			return err;
		if (text->too_long)
			return text_end_of_line(file, text, bytes, count, last);
		if (text_is_mark(file, bytes, count)) {
			file_input_skip(&file->input, 3);
			return 1;
		}
		end = last ? bytes + count : text_end(text, bytes, count);
		if (!end && count >= TEXT_LINE_MAX)
			return text_leave_out(file, text, bytes, count);
		want = count * 2;
	} while (!end);
	if (end < bytes + count)
		end++;
	err = text_lines(file, text, bytes, end);
	file_input_skip(&file->input, (size_t)(end - bytes));
	return err ? err : !last;
}
