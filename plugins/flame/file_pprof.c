/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of pprof profiles (profile.proto, and what was there before it), gzipped or not: samples of one
 * of their value types.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "file_pprof.h"
#include "pprof.h"

enum { PPROF_STEP = 4096 }; /* samples at a time */

/* What the first fields look like: those of a profile, each of the kind that it has there. */
static bool pprof_fits(const struct wire_field *field)
{
	if (field->is_fixed)
		return false;
	switch (field->field) {
	case PPROF_SAMPLE:
	case PPROF_MAPPING:
	case PPROF_LOCATION:
	case PPROF_FUNCTION:
	case 11: /* period type */
		return !field->is_number && field->count > 0;
	case PPROF_SAMPLE_TYPE:
	case PPROF_STRING:
		return !field->is_number;
	case 13: /* comments: numbers, packed or not */
		return true;
	default:
		return field->is_number && field->field <= 15;
	}
}

/* A message within it must be one, too: text may look like a profile's first fields. */
static bool pprof_is_message(const struct wire_field *field)
{
	struct wire_reader reader = wire_within(field);
	struct wire_field within;
	int more;

	if (field->is_number || field->field == PPROF_STRING || field->field == 13)
		return true;
	while ((more = wire_next(&reader, &within)) > 0)
		;
	return more == 0;
}

/* What is shown may end within a field; everything before it must fit. */
static bool pprof_recognise(const uint8_t *bytes, size_t count)
{
	struct wire_reader reader = { bytes, bytes + count };
	struct wire_field field;
	uint32_t fields = 0;

	while (wire_next(&reader, &field) > 0) {
		if (!pprof_fits(&field) || !pprof_is_message(&field))
			return false;
		fields++;
	}
	return fields >= 2;
}

static int pprof_open(struct file *file)
{
	file->reading = calloc(1, sizeof(struct pprof_reading));
	return file->reading ? 0 : weir_fail(file->ctx, -ENOMEM, "%s", file->input.path);
}

static bool pprof_is_type(const struct pprof_reading *reading, uint32_t type, const char *name)
{
	struct pprof_span text = pprof_text(reading, reading->types[type].type);

	return text.count == strlen(name) && memcmp(text.bytes, name, text.count) == 0;
}

/* "samples, cpu": the types that there are. */
static void pprof_list_types(const struct pprof_reading *reading, char *out, size_t size)
{
	size_t used = 0;
	uint32_t i;

	out[0] = '\0';
	for (i = 0; i < reading->type_count && used < size; i++) {
		struct pprof_span text = pprof_text(reading, reading->types[i].type);
		int length = text.count < 100 ? (int)text.count : 100;

		used += (size_t)snprintf(out + used, size - used, "%s%.*s", i ? ", " : "", length,
					 (const char *)text.bytes);
	}
}

/* The default is the profile's, else its last type, as pprof has it. */
static int pprof_choose(struct file *file)
{
	struct pprof_reading *reading = file->reading;
	const char *wanted = file->conf->event;
	char types[512];
	uint32_t i;

	pprof_list_types(reading, types, sizeof(types));
	reading->weight = reading->samples = reading->type_count;
	for (i = 0; i < reading->type_count; i++) {
		struct pprof_span unit = pprof_text(reading, reading->types[i].unit);

		if (wanted[0] ? pprof_is_type(reading, i, wanted)
			      : reading->default_type &&
					reading->types[i].type == reading->default_type)
			reading->weight = i;
		/* The number that stands nearest before the weight is of the same. */
		if (unit.count == 5 && memcmp(unit.bytes, "count", 5) == 0 &&
		    (reading->samples == reading->type_count ||
		     reading->weight == reading->type_count))
			reading->samples = i;
	}
	if (wanted[0] && reading->weight == reading->type_count)
		return weir_fail(file->ctx, -ENODATA, "%s has no values \"%s\", but: %s",
				 file->input.path, wanted, types);
	if (reading->weight == reading->type_count && reading->type_count)
		reading->weight--;
	if (reading->type_count > 1)
		weir_log(file->ctx, WEIR_LOG_INFO, "%s has %s; this is of %.*s: --event chooses",
			 file->input.path, types,
			 (int)pprof_text(reading, reading->types[reading->weight].type).count,
			 (const char *)pprof_text(reading, reading->types[reading->weight].type)
				 .bytes);
	return 0;
}

/* An older profile becomes one of today's. 0 or a negative errno. */
static int pprof_convert(struct pprof_reading *reading)
{
	int err;

	if (!legacy_recognise(reading->all.bytes, reading->all.count))
		return 0;
	err = legacy_convert(&reading->legacy, reading->all.bytes, reading->all.count);
	reading->all = (struct pprof_span){ reading->legacy.out.bytes, reading->legacy.out.used };
	return err;
}

/* Strings and functions stand behind the samples: all of it is needed at once. */
static int pprof_begin(struct file *file)
{
	struct pprof_reading *reading = file->reading;
	int err = file_input_peek(&file->input, FILE_INPUT_MAX, &reading->all.bytes,
				  &reading->all.count);

	if (err)
		return err;
	if (!file_input_is_last(&file->input))
		return weir_fail(file->ctx, -EFBIG, "%s: more than %zu bytes of pprof",
				 file->input.path, FILE_INPUT_MAX);
	err = pprof_convert(reading);
	if (!err)
		err = pprof_load(reading);
	if (err)
		return weir_fail(file->ctx, err, "%s is damaged", file->input.path);
	reading->left = pprof_reader(&reading->all);
	reading->loaded = true;
	return pprof_choose(file);
}

static int pprof_read_locations(struct file *file, const struct wire_field *field)
{
	struct wire_list list = { 0 };
	uint64_t id;
	int more, err = 0;

	while (!err && (more = wire_list_next(field, &list, &id)) != 0)
		err = more < 0 ? more : pprof_add_location(file, id);
	return err;
}

/* Values as they are numbered, over all fields that hold some. */
static int pprof_read_values(const struct pprof_reading *reading, const struct wire_field *field,
			     uint32_t *at, struct file_sample *sample)
{
	struct wire_list list = { 0 };
	uint64_t value;
	int more;

	while ((more = wire_list_next(field, &list, &value)) > 0) {
		if (*at == reading->weight)
			sample->weight = value;
		if (*at == reading->samples)
			sample->count = value;
		(*at)++;
	}
	return more;
}

static bool pprof_text_is(const struct pprof_span *text, const char *word)
{
	return text->count == strlen(word) && memcmp(text->bytes, word, text->count) == 0;
}

/* What is known by a label's name. */
static int pprof_read_label(struct file *file, const struct wire_field *field,
			    struct file_sample *sample)
{
	const struct pprof_reading *reading = file->reading;
	struct wire_reader reader = wire_within(field);
	struct pprof_span key, text;
	struct wire_field part;
	uint64_t numbers[4] = { 0 };
	uint32_t value;
	int more;

	while ((more = wire_next(&reader, &part)) > 0)
		if (part.is_number && part.field <= PPROF_LABEL_NUMBER)
			numbers[part.field] = part.number;
	if (more < 0)
		return more;
	key = pprof_text(reading, numbers[PPROF_LABEL_KEY]);
	text = pprof_text(reading, numbers[PPROF_LABEL_TEXT]);
	value = numbers[PPROF_LABEL_NUMBER] < WEIR_ABSENT_U32 && !numbers[PPROF_LABEL_TEXT]
			? (uint32_t)numbers[PPROF_LABEL_NUMBER]
			: WEIR_ABSENT_U32;
	if (pprof_text_is(&key, "comm"))
		sample->comm = file_name(&file->profile, (const char *)text.bytes, text.count);
	else if (pprof_text_is(&key, "pid"))
		sample->pid = value;
	else if (pprof_text_is(&key, "tid"))
		sample->tid = value;
	else if (pprof_text_is(&key, "cpu"))
		sample->cpu = value;
	return 0;
}

static int pprof_read_part(struct file *file, const struct wire_field *field, uint32_t *values,
			   struct file_sample *sample)
{
	switch (field->field) {
	case PPROF_SAMPLE_LOCATION:
		return pprof_read_locations(file, field);
	case PPROF_SAMPLE_VALUE:
		return pprof_read_values(file->reading, field, values, sample);
	case PPROF_SAMPLE_LABEL:
		return field->is_number ? -EBADMSG : pprof_read_label(file, field, sample);
	default:
		return 0;
	}
}

/* What weighs nothing, such as memory that was given back, is no sample of this type. */
static int pprof_push_sample(struct file *file, struct file_sample *sample)
{
	struct pprof_reading *reading = file->reading;
	struct pprof_span type;

	if ((int64_t)sample->weight < 0) {
		reading->negative++;
		return 0;
	}
	if (!sample->weight)
		return 0;
	if (reading->samples == reading->type_count || !sample->count)
		sample->count = 1;
	type = pprof_text(reading, reading->types[reading->weight].type);
	sample->event = file_name(&file->profile, (const char *)type.bytes, type.count);
	sample->frames = reading->stack.items;
	sample->frame_count = reading->stack.count;
	return file_push(&file->profile, sample);
}

static int pprof_sample(struct file *file, const struct wire_field *field)
{
	struct pprof_reading *reading = file->reading;
	struct wire_reader reader = wire_within(field);
	struct file_sample sample = { .pid = WEIR_ABSENT_U32,
				      .tid = WEIR_ABSENT_U32,
				      .cpu = WEIR_ABSENT_U32 };
	struct wire_field part;
	uint32_t values = 0;
	int more, err = 0;

	reading->stack.count = 0;
	while (!err && (more = wire_next(&reader, &part)) != 0)
		err = more < 0 ? more : pprof_read_part(file, &part, &values, &sample);
	if (!err && values != reading->type_count)
		err = -EBADMSG;
	if (err)
		return weir_fail(file->ctx, err, "%s: sample at byte %zu", file->input.path,
				 (size_t)(field->bytes - reading->all.bytes));
	return reading->type_count ? pprof_push_sample(file, &sample) : 0;
}

/* New name tables: what is known of locations is of the old ones. */
static void pprof_forget(struct pprof_reading *reading, uint64_t epoch)
{
	if (reading->epoch == epoch)
		return;
	memset(reading->known, 0, reading->locations.count * sizeof(*reading->known));
	reading->frames.count = 0;
	pprof_names_forget(reading);
	reading->epoch = epoch;
}

static int pprof_step(struct file *file)
{
	struct pprof_reading *reading = file->reading;
	struct wire_field field;
	uint32_t samples = 0;
	int more = 1, err = reading->loaded ? 0 : pprof_begin(file);

	if (err)
		return err;
	pprof_forget(reading, file->profile.epoch);
	while (samples < PPROF_STEP && (more = wire_next(&reading->left, &field)) > 0) {
		if (field.field != PPROF_SAMPLE || field.is_number)
			continue;
		samples++;
		err = pprof_sample(file, &field);
		if (err)
			return err;
	}
	if (more < 0)
		return weir_fail(file->ctx, more, "%s is damaged", file->input.path);
	if (more > 0)
		return 1;
	weir_lost(file->ctx, "lines or samples that cannot be read", reading->legacy.bad, NULL);
	weir_lost(file->ctx, "samples of less than nothing", reading->negative,
		  "the profile is a difference of two: compare those by weir flamediff");
	pprof_names_report(file, reading);
	return 0;
}

static void pprof_close(struct file *file)
{
	if (!file->reading)
		return;
	pprof_names_close(file, file->reading);
	pprof_unload(file->reading);
	free(file->reading);
	file->reading = NULL;
}

const struct file_reader file_pprof_legacy = { "old pprof profile", legacy_recognise, pprof_open,
					       pprof_step, pprof_close };

const struct file_reader file_pprof = { "pprof", pprof_recognise, pprof_open, pprof_step,
					pprof_close };
