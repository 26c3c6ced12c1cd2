/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: records that are packed by zstd: one stream through the whole recording, cut where it
 * pleases, so that a record may begin in one and end in the next.
 */
#include "perf_data.h"

#include <stdlib.h>
#include <zstd.h>

enum { UNPACKED = 256 << 10 }; /* more than the largest record */

struct perf_data_zstd {
	ZSTD_DStream *stream;
	size_t used; /* of bytes: a record that has not ended yet */
	bool broken;
	bool inside; /* at the records that came out: none of them may be packed again */
	uint8_t bytes[UNPACKED];
};

static struct perf_data_zstd *zstd_open(void)
{
	struct perf_data_zstd *zstd = malloc(sizeof(*zstd));

	if (!zstd)
		return NULL;
	zstd->used = 0;
	zstd->broken = zstd->inside = false;
	zstd->stream = ZSTD_createDStream();
	if (zstd->stream)
		return zstd;
	free(zstd);
	return NULL;
}

void perf_data_zstd_close(struct perf_data_zstd *zstd)
{
	if (!zstd)
		return;
	ZSTD_freeDStream(zstd->stream);
	free(zstd);
}

size_t perf_data_zstd_left(const struct perf_data_zstd *zstd)
{
	return zstd ? zstd->used : 0;
}

/* The records that are whole; the queue is emptied meanwhile, for there is no other place. */
static int zstd_take(struct perf_data *data)
{
	struct perf_data_zstd *zstd = data->zstd;
	size_t from = 0, used;
	int err = 0;

	do {
		err = perf_data_take(data, zstd->bytes + from, zstd->used - from, &used);
		from += used;
		if (!err)
			err = perf_data_drain(data, UINT32_MAX);
		if (!err && data->skip) {
			/* Nothing has a tail in here. */
			data->skip = 0;
			err = 1;
		}
	} while (!err && used);
	memmove(zstd->bytes, zstd->bytes + from, zstd->used - from);
	zstd->used -= from;
	return err;
}

static int zstd_unpack(struct perf_data *data, ZSTD_inBuffer *in)
{
	struct perf_data_zstd *zstd = data->zstd;
	ZSTD_outBuffer out = { zstd->bytes, UNPACKED, zstd->used };
	bool full = true;
	int err = 0;

	while (!err && (in->pos < in->size || full)) {
		size_t before = in->pos, had = zstd->used;

		out.pos = zstd->used;
		if (ZSTD_isError(ZSTD_decompressStream(zstd->stream, &out, in)))
			return -EBADMSG;
		full = out.pos == out.size;
		zstd->used = out.pos;
		if (before == in->pos && had == out.pos)
			break;
		err = zstd_take(data);
	}
	return err > 0 ? -EBADMSG : err;
}

int perf_data_unpack(struct perf_data *data, const struct perf_data_record *record)
{
	ZSTD_inBuffer in = { record->body, record->bytes, 0 };
	int err;

	if (!data->zstd)
		data->zstd = zstd_open();
	if (!data->zstd)
		return -ENOMEM;
	if (data->zstd->broken || data->zstd->inside)
		return -EBADMSG;
	if (record->type == PERF_DATA_COMPRESSED2) {
		uint64_t size = record->bytes >= 8 ? perf_data_u64(data, record->body) : UINT64_MAX;

		if (size > record->bytes - 8u)
			return -EBADMSG;
		in.src = record->body + 8;
		in.size = (size_t)size;
	}
	data->zstd->inside = true;
	err = zstd_unpack(data, &in);
	data->zstd->inside = false;
	if (err == -EBADMSG)
		data->zstd->broken = true; /* what follows makes no sense without it */
	return err;
}
