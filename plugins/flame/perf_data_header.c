/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: its header and the tables that this leads to. In a file the features lie behind the
 * records; where one cannot go there (a pipe, or packed) the input's window is opened so far.
 */
#include "perf_data.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
	FEATURE_MAX = 16 << 20, /* bytes of one feature that are read */
	ATTR_MAX = 4096,        /* bytes of one attribute */
	IDS_AT_ONCE = 512,
	ATTRS_MAX = 4096,
};

struct header_section {
	uint64_t offset;
	uint64_t size;
};

int perf_data_at(struct perf_data *data, uint64_t offset, void *out, size_t count)
{
	struct file_input *in = &data->file->input;
	const uint8_t *bytes;
	size_t shown;
	int err = file_input_at(in, offset, out, count);

	if (err != -ESPIPE)
		return err;
	if (count > FILE_INPUT_MAX || offset > FILE_INPUT_MAX - count)
		return -ENODATA;
	err = file_input_peek(in, (size_t)offset + count, &bytes, &shown);
	if (err)
		return err;
	if (shown < offset + count)
		return -ENODATA;
	memcpy(out, bytes + offset, count);
	return 0;
}

static int header_section(struct perf_data *data, uint64_t at, struct header_section *section)
{
	uint8_t raw[16];
	int err = perf_data_at(data, at, raw, sizeof(raw));

	if (err)
		return err;
	section->offset = perf_data_u64(data, raw);
	section->size = perf_data_u64(data, raw + 8);
	return section->size > UINT64_MAX - section->offset ? -EBADMSG : 0;
}

static int header_ids(struct perf_data *data, uint32_t place, const struct header_section *ids)
{
	uint8_t raw[IDS_AT_ONCE * 8];
	int err = 0;

	for (uint64_t done = 0; !err && done + 8 <= ids->size; done += sizeof(raw)) {
		uint64_t count = (ids->size - done) / 8;

		count = count < IDS_AT_ONCE ? count : IDS_AT_ONCE;
		err = perf_data_at(data, ids->offset + done, raw, (size_t)count * 8);
		for (uint64_t i = 0; !err && i < count; i++)
			err = perf_data_add_id(data, place, perf_data_u64(data, raw + i * 8));
	}
	return err;
}

/* One attribute and the section of its ids: `bytes` both, at `at`. */
static int header_attr(struct perf_data *data, uint64_t at, uint64_t bytes)
{
	uint8_t raw[ATTR_MAX];
	struct header_section ids = { 0 };
	uint32_t place = 0;
	int err = bytes < 16 + 64 || bytes > sizeof(raw) ? -EBADMSG : 0;

	if (!err)
		err = perf_data_at(data, at, raw, (size_t)bytes - 16);
	if (!err)
		err = perf_data_add_event(data, raw, (size_t)bytes - 16, &place);
	if (!err)
		err = header_section(data, at + bytes - 16, &ids);
	return err ? err : header_ids(data, place, &ids);
}

static int header_attrs(struct perf_data *data, const struct header_section *attrs, uint64_t bytes)
{
	int err = bytes && attrs->size / bytes <= ATTRS_MAX ? 0 : -EBADMSG;

	for (uint64_t done = 0; !err && attrs->size - done >= bytes; done += bytes)
		err = header_attr(data, attrs->offset + done, bytes);
	if (err == -EAGAIN || err == -ENOMEM)
		return err;
	if (!err && data->events.count)
		return 0;
	return weir_fail(data->ctx, -EBADMSG, "%s: its attributes of events cannot be read",
			 data->file->input.path);
}

static int header_feature(struct perf_data *data, uint32_t feature,
			  const struct header_section *section)
{
	uint8_t *bytes;
	int err = section->size > FEATURE_MAX ? -EBADMSG : 0;

	if (err || !section->size)
		return err;
	bytes = malloc((size_t)section->size);
	if (!bytes)
		return -ENOMEM;
	err = perf_data_at(data, section->offset, bytes, (size_t)section->size);
	if (!err)
		err = perf_data_feature(data, feature, bytes, (size_t)section->size);
	free(bytes);
	return err;
}

/* Without them a recording can be read: names of events and build-ids are missing. */
static void header_features_lack(const struct perf_data *data, int err)
{
	weir_log(data->ctx, WEIR_LOG_WARNING,
		 "%s: who recorded it, and which files were mapped, cannot be read (%s): functions "
		 "of files without a build-id in their mapping have no names",
		 data->file->input.path,
		 err == -ENODATA ? "it ends before, or lies too far behind" : strerror(-err));
}

static int header_features(struct perf_data *data, const uint8_t *bits)
{
	uint64_t at = data->end;
	int err = 0;

	for (uint32_t bit = 0; !err && bit < PERF_DATA_FEATURES; bit++) {
		struct header_section section;
		uint64_t word = perf_data_u64(data, bits + bit / 64 * 8);

		if (!(word >> bit % 64 & 1))
			continue;
		err = header_section(data, at, &section);
		if (!err)
			err = header_feature(data, bit, &section);
		at += sizeof(section);
	}
	if (err == -EAGAIN || err == -ENOMEM)
		return err;
	if (err)
		header_features_lack(data, err);
	return 0;
}

/* Magic, own size, size of an attribute, then the sections of attributes and records. */
static int header_file(struct perf_data *data, const uint8_t *raw)
{
	static const uint8_t none[PERF_DATA_FEATURES / 8];
	uint64_t header_bytes = perf_data_u64(data, raw + 8);
	uint64_t attr_bytes = perf_data_u64(data, raw + 16);
	struct header_section attrs = { perf_data_u64(data, raw + 24),
					perf_data_u64(data, raw + 32) };
	struct header_section records = { perf_data_u64(data, raw + 40),
					  perf_data_u64(data, raw + 48) };
	int err;

	if (attrs.size > UINT64_MAX - attrs.offset || records.size > UINT64_MAX - records.offset)
		return weir_fail(data->ctx, -EBADMSG, "%s: its header cannot be",
				 data->file->input.path);
	data->at = records.offset;
	data->end = records.size ? records.offset + records.size : UINT64_MAX;
	if (!records.size)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s was not finished: it is read as far as it goes",
			 data->file->input.path);
	err = header_attrs(data, &attrs, attr_bytes);
	if (!err && records.size)
		err = header_features(data, header_bytes >= PERF_DATA_HEADER ? raw + 72 : none);
	return err;
}

int perf_data_begin(struct perf_data *data)
{
	struct file_input *in = &data->file->input;
	const uint8_t *bytes;
	uint8_t raw[PERF_DATA_HEADER] = { 0 };
	uint64_t magic, size;
	size_t shown;
	int err = file_input_peek(in, sizeof(raw), &bytes, &shown);

	if (err)
		return err;
	if (shown < PERF_DATA_PIPE)
		return weir_fail(data->ctx, -EBADMSG, "%s ends within its header", in->path);
	memcpy(raw, bytes, shown < sizeof(raw) ? shown : sizeof(raw));
	memcpy(&magic, raw, sizeof(magic));
	data->swapped = magic != PERF_DATA_FILE && magic != PERF_DATA_FILE_1;
	data->big = data->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	size = perf_data_u64(data, raw + 8);
	data->pipe = size == PERF_DATA_PIPE;
	data->at = PERF_DATA_PIPE;
	data->end = UINT64_MAX;
	perf_data_clear_events(data);
	perf_data_clear_features(data);
	if (!data->pipe && shown < sizeof(raw))
		return weir_fail(data->ctx, -EBADMSG, "%s ends within its header", in->path);
	err = data->pipe ? 0 : header_file(data, raw);
	if (!err)
		perf_data_seal_events(data);
	return err;
}
