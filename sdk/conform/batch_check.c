/* SPDX-License-Identifier: BSD-2-Clause */
/* What a committed batch must be: whole windows, and references that stay inside of it. */
#include "mock_host.h"

#include "../../core/names.h"

struct view {
	const struct weir_batch *batch;
	const char *fault; /* the first */
};

static bool inside(const struct view *view, uint32_t offset, uint64_t bytes)
{
	return offset % 8 == 0 && (uint64_t)offset + bytes <= view->batch->arena_used;
}

static bool name_known(const struct view *view, uint32_t id)
{
	uint32_t length = 0;

	if (id != 0)
		names_text(view->batch->names, id, &length);
	return id == 0 || length > 0;
}

static void check_text(struct view *view, const uint8_t *member)
{
	struct weir_text text;

	memcpy(&text, member, sizeof(text));
	if (text.length == 0)
		return;
	if (!inside(view, text.offset, (uint64_t)text.length + 1))
		view->fault = "a text lies outside of the arena";
	else if (view->batch->arena[text.offset + text.length] != '\0')
		view->fault = "a text is not closed by NUL";
}

static void check_name(struct view *view, const uint8_t *member)
{
	struct weir_name name;

	memcpy(&name, member, sizeof(name));
	if (!name_known(view, name.id))
		view->fault = "a name's id is not in the batch's table";
}

static void check_names(struct view *view, const uint8_t *member)
{
	struct weir_names_ref ref;

	memcpy(&ref, member, sizeof(ref));
	if (!inside(view, ref.offset, (uint64_t)ref.count * sizeof(uint32_t))) {
		view->fault = "a list of names lies outside of the arena";
		return;
	}
	for (uint32_t i = 0; i < ref.count; i++) {
		uint32_t id;

		memcpy(&id, view->batch->arena + ref.offset + i * sizeof(id), sizeof(id));
		if (!name_known(view, id))
			view->fault = "a name's id is not in the batch's table";
	}
}

static void check_histogram(struct view *view, const uint8_t *member)
{
	struct weir_histogram_ref ref;
	struct weir_histogram histogram;
	uint64_t sum;

	memcpy(&ref, member, sizeof(ref));
	if (ref.bytes == 0)
		return;
	if (ref.bytes < sizeof(histogram) || !inside(view, ref.offset, ref.bytes)) {
		view->fault = "a histogram lies outside of the arena";
		return;
	}
	memcpy(&histogram, view->batch->arena + ref.offset, sizeof(histogram));
	if ((ref.bytes - sizeof(histogram)) / sizeof(uint64_t) < histogram.buckets) {
		view->fault = "a histogram has more buckets than bytes";
		return;
	}
	sum = histogram.underflow + histogram.overflow;
	for (uint32_t i = 0; i < histogram.buckets; i++) {
		uint64_t count;

		memcpy(&count,
		       view->batch->arena + ref.offset + sizeof(histogram) + i * sizeof(count),
		       sizeof(count));
		sum += count;
	}
	if (sum != histogram.count)
		view->fault = "a histogram's count is not the sum of its buckets";
}

static void check_stack(struct view *view, const struct weir_field *field, const uint8_t *member)
{
	struct weir_stack_ref ref;

	memcpy(&ref, member, sizeof(ref));
	if (!inside(view, ref.offset, (uint64_t)ref.count * field->item_size)) {
		view->fault = "a stack lies outside of the arena";
		return;
	}
	for (uint32_t i = 0; i < ref.count; i++) {
		struct weir_frame frame;

		memcpy(&frame, view->batch->arena + ref.offset + (size_t)i * field->item_size,
		       sizeof(frame));
		if (!name_known(view, frame.symbol) || !name_known(view, frame.object) ||
		    !name_known(view, frame.source))
			view->fault = "a frame's id is not in the batch's table";
	}
}

static void check_row(struct view *view, const struct weir_schema *schema, const uint8_t *row);

static void check_rows(struct view *view, const struct weir_schema *schema, const uint8_t *member)
{
	struct weir_rows_ref ref;

	memcpy(&ref, member, sizeof(ref));
	if (!inside(view, ref.offset, (uint64_t)ref.count * schema->row_size)) {
		view->fault = "nested rows lie outside of the arena";
		return;
	}
	for (uint32_t i = 0; i < ref.count; i++)
		check_row(view, schema,
			  view->batch->arena + ref.offset + (size_t)i * schema->row_size);
}

static void check_member(struct view *view, const struct weir_field *field, const uint8_t *member)
{
	switch (field->type) {
	case WEIR_TYPE_BOOL:
		if (*member > 1)
			view->fault = "a bool is neither 0 nor 1";
		break;
	case WEIR_TYPE_TEXT:
		check_text(view, member);
		break;
	case WEIR_TYPE_NAME:
		check_name(view, member);
		break;
	case WEIR_TYPE_NAMES:
		check_names(view, member);
		break;
	case WEIR_TYPE_HISTOGRAM:
		check_histogram(view, member);
		break;
	case WEIR_TYPE_STACK:
		check_stack(view, field, member);
		break;
	case WEIR_TYPE_ROWS:
		check_rows(view, field->rows, member);
		break;
	default:
		break;
	}
}

static void check_row(struct view *view, const struct weir_schema *schema, const uint8_t *row)
{
	for (uint32_t i = 0; i < schema->fields.count && !view->fault; i++)
		check_member(view, &schema->fields.items[i], row + schema->fields.items[i].offset);
}

void batch_check(struct mock *mock, uint32_t output, const struct weir_batch *batch)
{
	const struct weir_schema *schema = mock->outputs[output];
	struct view view = { batch, NULL };

	if (batch->end < batch->start || batch->end == 0)
		subject_fault(mock->subject, "output %u: the batch's window is not set", output);
	for (uint32_t i = 0; i < batch->row_count && !view.fault; i++)
		check_row(&view, schema, batch->rows + (size_t)i * batch->row_size);
	if (view.fault)
		subject_fault(mock->subject, "output %u: %s", output, view.fault);
}
