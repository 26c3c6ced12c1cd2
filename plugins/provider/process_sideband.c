/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel tells of processes, by perf's sideband records. */
#include "process_sideband.h"

#include <time.h>

struct process_record {
	uint64_t time;
	size_t offset;
	uint32_t sequence; /* keeps the ring's order among equals */
	uint32_t reserved;
};

/* The bodies of the records, behind the header. */
struct record_task { /* FORK, EXIT */
	uint32_t pid;
	uint32_t ppid;
	uint32_t tid;
	uint32_t ptid;
	uint64_t time;
};

struct record_comm {
	uint32_t pid;
	uint32_t tid;
	char comm[];
};

struct record_lost {
	uint64_t id;
	uint64_t lost;
};

/* What sample_id_all appends to each record. */
struct record_trailer {
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
};

static void sideband_attr(struct perf_event_attr *attr, bool everybody, uint64_t ring_bytes)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr->sample_id_all = 1;
	attr->sample_period = 1;
	attr->exclude_kernel = 1; /* there are no samples; unprivileged users must say so */
	attr->exclude_hv = 1;
	attr->mmap = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->build_id = 1;
	attr->inherit = !everybody;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	attr->wakeup_watermark = (uint32_t)(ring_bytes / 2);
}

int process_sideband_open(struct process_sideband *sideband, const struct weir_perf_target *target,
			  const struct weir_numbers *cpus, uint64_t ring_bytes,
			  struct process_watch **watch)
{
	struct process_watch *opened = calloc(1, sizeof(*opened));
	struct perf_event_attr attr;
	int err;

	if (!opened)
		return -ENOMEM;
	sideband_attr(&attr, target->tid_count == 0, ring_bytes);
	err = weir_perf_set_open(&opened->set, &attr, target, cpus, ring_bytes);
	if (err == -EINVAL) { /* before Linux 5.12 */
		attr.build_id = 0;
		err = weir_perf_set_open(&opened->set, &attr, target, cpus, ring_bytes);
	}
	if (err) {
		free(opened);
		return err;
	}
	opened->next = sideband->watches;
	sideband->watches = opened;
	*watch = opened;
	return 0;
}

void process_sideband_close(struct process_sideband *sideband, struct process_watch *watch)
{
	struct process_watch **link = &sideband->watches;

	while (*link != watch)
		link = &(*link)->next;
	*link = watch->next;
	weir_perf_set_close(&watch->set);
	free(watch);
}

void process_sideband_clear(struct process_sideband *sideband)
{
	while (sideband->watches)
		process_sideband_close(sideband, sideband->watches);
	free(sideband->bytes);
	free(sideband->records);
	memset(sideband, 0, sizeof(*sideband));
}

static int sideband_room(struct process_sideband *sideband, size_t bytes)
{
	if (sideband->capacity - sideband->size < bytes) {
		size_t capacity = sideband->capacity ? sideband->capacity * 2 : 65536;
		uint8_t *grown;

		while (capacity - sideband->size < bytes)
			capacity *= 2;
		grown = realloc(sideband->bytes, capacity);
		if (!grown)
			return -ENOMEM;
		sideband->bytes = grown;
		sideband->capacity = capacity;
	}
	if (sideband->count == sideband->record_capacity) {
		uint32_t capacity = sideband->record_capacity ? sideband->record_capacity * 2 : 256;
		struct process_record *grown;

		grown = realloc(sideband->records, capacity * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		sideband->records = grown;
		sideband->record_capacity = capacity;
	}
	return 0;
}

static int sideband_copy(struct process_sideband *sideband, const struct perf_event_header *record)
{
	struct record_trailer trailer;
	struct process_record *at;

	if (record->size < sizeof(*record) + sizeof(trailer))
		return 0;
	if (sideband_room(sideband, record->size) < 0)
		return -ENOMEM;
	memcpy(&trailer, (const uint8_t *)record + record->size - sizeof(trailer), sizeof(trailer));
	at = &sideband->records[sideband->count];
	at->time = trailer.time;
	at->offset = sideband->size;
	at->sequence = sideband->count++;
	memcpy(sideband->bytes + sideband->size, record, record->size);
	sideband->size += record->size;
	return 0;
}

static int sideband_read_ring(struct process_sideband *sideband, struct weir_perf_ring *ring)
{
	const struct perf_event_header *record;
	int err = 0;

	weir_perf_ring_begin(ring);
	while (!err && (record = weir_perf_ring_next(ring)))
		err = sideband_copy(sideband, record);
	weir_perf_ring_end(ring);
	if (ring->broken) {
		sideband->lost++;
		ring->broken = 0;
	}
	return err;
}

static int sideband_order(const void *left, const void *right)
{
	const struct process_record *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static int sideband_apply_map(struct process_table *table, const struct perf_event_header *record,
			      uint64_t time, size_t body)
{
	const struct weir_perf_map *map = (const void *)(record + 1);
	const char *path = (const char *)(map + 1);
	struct process_mapped mapped = { .time = time };

	if (body <= sizeof(*map) || !memchr(path, '\0', body - sizeof(*map)))
		return 0;
	mapped.start = map->start;
	mapped.end = map->start + map->length;
	mapped.offset = map->offset;
	mapped.path = path;
	if (record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		mapped.build_id_size = map->identity.build_id.size;
		if (mapped.build_id_size > sizeof(mapped.build_id))
			mapped.build_id_size = sizeof(mapped.build_id);
		memcpy(mapped.build_id, map->identity.build_id.bytes, mapped.build_id_size);
	} else {
		mapped.device_major = map->identity.inode.device_major;
		mapped.device_minor = map->identity.inode.device_minor;
		mapped.inode = map->identity.inode.number;
	}
	return process_table_map(table, map->pid, &mapped);
}

static int sideband_apply_comm(struct process_table *table, const struct perf_event_header *record,
			       uint64_t time, size_t body)
{
	const struct record_comm *comm = (const void *)(record + 1);
	bool exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;

	if (body <= sizeof(*comm) || !memchr(comm->comm, '\0', body - sizeof(*comm)))
		return 0;
	return process_table_comm(table, time, comm->pid, comm->tid, comm->comm, exec);
}

static int sideband_apply_task(struct process_table *table, const struct perf_event_header *record,
			       size_t body)
{
	const struct record_task *task = (const void *)(record + 1);

	if (body < sizeof(*task))
		return 0;
	if (record->type == PERF_RECORD_EXIT)
		return process_table_exit(table, task->time, task->pid, task->tid);
	return process_table_fork(table, task->time, task->pid, task->ppid, task->tid, task->ptid);
}

int process_sideband_apply(struct process_sideband *sideband, struct process_table *table,
			   const struct perf_event_header *record, uint64_t time)
{
	size_t body = record->size - sizeof(*record) - sizeof(struct record_trailer);
	const struct record_lost *lost = (const void *)(record + 1);

	switch (record->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return sideband_apply_task(table, record, body);
	case PERF_RECORD_COMM:
		return sideband_apply_comm(table, record, time, body);
	case PERF_RECORD_MMAP2:
		return sideband_apply_map(table, record, time, body);
	case PERF_RECORD_LOST:
		if (body >= sizeof(*lost))
			sideband->lost += lost->lost;
		table->lost_at = time;
		return 0;
	default:
		return 0;
	}
}

int process_sideband_drain(struct process_sideband *sideband, struct process_table *table)
{
	int err = 0;

	sideband->size = 0;
	sideband->count = 0;
	for (struct process_watch *watch = sideband->watches; watch; watch = watch->next)
		for (uint32_t i = 0; !err && i < watch->set.ring_count; i++)
			err = sideband_read_ring(sideband, &watch->set.rings[i]);
	if (sideband->count > 1)
		qsort(sideband->records, sideband->count, sizeof(*sideband->records),
		      sideband_order);
	for (uint32_t i = 0; !err && i < sideband->count; i++) {
		const struct process_record *at = &sideband->records[i];

		err = process_sideband_apply(
			sideband, table, (const void *)(sideband->bytes + at->offset), at->time);
	}
	return err;
}
