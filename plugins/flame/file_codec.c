/* SPDX-License-Identifier: BSD-2-Clause */
/* What profiles are packed in: gzip, zstd, and UTF-16, which some shells write. */
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "file_input.h"

static uint8_t *window_at(const struct file_window *window)
{
	return window->bytes + window->begin;
}

static size_t window_left(const struct file_window *window)
{
	return window->end - window->begin;
}

static size_t window_room(const struct file_window *window)
{
	return window->capacity - window->end;
}

static bool gzip_recognise(const uint8_t *bytes, size_t count)
{
	return count >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

struct gzip {
	z_stream stream;
	bool between; /* members: an end here is a proper one */
};

static void *gzip_open(void)
{
	struct gzip *gzip = calloc(1, sizeof(*gzip));

	if (gzip && inflateInit2(&gzip->stream, 16 + MAX_WBITS) != Z_OK) {
		free(gzip);
		return NULL;
	}
	return gzip;
}

static void gzip_close(void *state)
{
	struct gzip *gzip = state;

	inflateEnd(&gzip->stream);
	free(gzip);
}

/* A file may be several gzip members; what follows the last one, if it is none, is padding. */
static int gzip_step(void *state, struct file_window *in, struct file_window *out)
{
	struct gzip *gzip = state;
	size_t left = window_left(in), room = window_room(out);
	uInt given = left < UINT32_MAX ? (uInt)left : UINT32_MAX;
	uInt free_room = room < UINT32_MAX ? (uInt)room : UINT32_MAX;
	int result;

	if (!left)
		return !in->ended ? 0 : gzip->between ? 1 : -ENODATA;
	if (gzip->between && !gzip_recognise(window_at(in), left))
		return left >= 3 || in->ended;
	gzip->stream.next_in = window_at(in);
	gzip->stream.avail_in = given;
	gzip->stream.next_out = out->bytes + out->end;
	gzip->stream.avail_out = free_room;
	result = inflate(&gzip->stream, Z_NO_FLUSH);
	in->begin += given - gzip->stream.avail_in;
	out->end += free_room - gzip->stream.avail_out;
	gzip->between = result == Z_STREAM_END;
	if (gzip->between)
		inflateReset(&gzip->stream);
	if (result == Z_MEM_ERROR)
		return -ENOMEM;
	return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR ? 0 : -EBADMSG;
}

static bool zstd_recognise(const uint8_t *bytes, size_t count)
{
	return count >= 4 && bytes[0] == 0x28 && bytes[1] == 0xb5 && bytes[2] == 0x2f &&
	       bytes[3] == 0xfd;
}

struct zstd {
	ZSTD_DStream *stream;
	bool within; /* a frame: an end here cuts it off */
};

static void *zstd_open(void)
{
	struct zstd *zstd = calloc(1, sizeof(*zstd));

	if (!zstd)
		return NULL;
	zstd->stream = ZSTD_createDStream();
	if (zstd->stream)
		return zstd;
	free(zstd);
	return NULL;
}

static void zstd_close(void *state)
{
	struct zstd *zstd = state;

	ZSTD_freeDStream(zstd->stream);
	free(zstd);
}

static int zstd_step(void *state, struct file_window *in, struct file_window *out)
{
	struct zstd *zstd = state;
	ZSTD_inBuffer from = { window_at(in), window_left(in), 0 };
	ZSTD_outBuffer to = { out->bytes + out->end, window_room(out), 0 };
	size_t result;

	if (!from.size && in->ended && !zstd->within)
		return 1;
	result = ZSTD_decompressStream(zstd->stream, &to, &from);
	in->begin += from.pos;
	out->end += to.pos;
	if (ZSTD_isError(result))
		return -EBADMSG;
	zstd->within = result != 0;
	return zstd->within && !from.size && in->ended && !to.pos ? -ENODATA : 0;
}

static bool utf16_recognise(const uint8_t *bytes, size_t count)
{
	return count >= 2 &&
	       ((bytes[0] == 0xff && bytes[1] == 0xfe) || (bytes[0] == 0xfe && bytes[1] == 0xff));
}

struct utf16 {
	bool begun;
	bool big;
};

static void *utf16_open(void)
{
	return calloc(1, sizeof(struct utf16));
}

static uint32_t utf16_unit(const struct utf16 *utf16, const uint8_t *bytes)
{
	return utf16->big ? (uint32_t)bytes[0] << 8 | bytes[1] : (uint32_t)bytes[1] << 8 | bytes[0];
}

static uint32_t utf16_put(uint8_t *out, uint32_t code)
{
	if (code < 0x80) {
		out[0] = (uint8_t)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (uint8_t)(0xc0 | code >> 6);
		out[1] = (uint8_t)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (uint8_t)(0xe0 | code >> 12);
		out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | code >> 18);
	out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (code & 0x3f));
	return 4;
}

/* The bytes that a character takes, 0: its second half has not come yet. Lone halves: U+FFFD. */
static size_t utf16_take(const struct utf16 *utf16, const struct file_window *in, uint32_t *code)
{
	uint32_t low;

	*code = utf16_unit(utf16, window_at(in));
	if (*code < 0xd800 || *code > 0xdfff)
		return 2;
	if (*code < 0xdc00 && window_left(in) < 4 && !in->ended)
		return 0;
	low = window_left(in) < 4 ? 0 : utf16_unit(utf16, window_at(in) + 2);
	if (*code >= 0xdc00 || low < 0xdc00 || low > 0xdfff) {
		*code = 0xfffd;
		return 2;
	}
	*code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
	return 4;
}

static int utf16_step(void *state, struct file_window *in, struct file_window *out)
{
	struct utf16 *utf16 = state;

	if (!utf16->begun) {
		utf16->begun = true;
		utf16->big = window_at(in)[0] == 0xfe;
		in->begin += 2;
	}
	while (window_left(in) >= 2 && window_room(out) >= 4) {
		uint32_t code;
		size_t taken = utf16_take(utf16, in, &code);

		if (!taken)
			break;
		in->begin += taken;
		out->end += utf16_put(out->bytes + out->end, code);
	}
	if (!in->ended || window_left(in) >= 2)
		return 0;
	return window_left(in) ? -ENODATA : 1;
}

const struct file_codec file_codecs[] = {
	{ "gzip", gzip_recognise, gzip_open, gzip_step, gzip_close },
	{ "zstd", zstd_recognise, zstd_open, zstd_step, zstd_close },
	{ "UTF-16", utf16_recognise, utf16_open, utf16_step, free },
};
const size_t file_codec_count = sizeof(file_codecs) / sizeof(file_codecs[0]);
