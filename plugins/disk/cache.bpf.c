/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts what the page cache had and what it had not.
 *
 * A page that is added is a miss, unless it is added for a write. A page that is asked for is a hit
 * unless it was added for the same run of reading: so each task's last run of added pages is
 * remembered until they are asked for, and reading a cold file from end to end has no hits, however
 * far the kernel reads ahead.
 */
#define WEIR_CGROUP_ALONE

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/kernel_page.h>
#include <weir/bpf/task.h>

#include "cache_event.h"

#define READERS_LOG 11
#define PAGE_LOG    12

/* What a task does with the file that it used last. Pages are numbered from the file's start. */
struct reader {
	__u64 task;
	__u64 mapping;
	__u64 begin; /* pages added and not yet asked for: [begin, end) */
	__u64 end;
	__u64 asked; /* the first page that the read under way asked for last */
	__u64 last;  /* the last one it asks for */
	__u64 fault; /* 1 + the page a fault counted as a hit asked for; 0: none */
	__u64 pad;
};

struct cache_counts counts[CACHE_CPUS] = {};

/*
 * A task's place is found by its address alone: should two share one, the later takes it over, and
 * what the earlier has read ahead counts as hits.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << READERS_LOG);
	__type(key, __u32);
	__type(value, struct reader);
} readers SEC(".maps");

static __always_inline struct cache_counts *cpu_counts(void)
{
	return &counts[bpf_get_smp_processor_id() & (CACHE_CPUS - 1)];
}

/* The current task's place, for this file. */
static __always_inline struct reader *reader_of(__u64 mapping)
{
	__u64 task = bpf_get_current_task();
	__u32 place = (__u32)(task * 0x9e3779b97f4a7c15ULL >> (64 - READERS_LOG));
	struct reader *reader = bpf_map_lookup_elem(&readers, &place);

	if (!reader || (reader->task == task && reader->mapping == mapping))
		return reader;
	*reader = (struct reader){ .task = task, .mapping = mapping };
	return reader;
}

SEC("raw_tp/mm_filemap_add_to_page_cache")
int BPF_PROG(page_added, struct folio *folio)
{
	struct cache_counts *count = cpu_counts();
	struct reader *reader;
	__u64 index;
	__u64 pages;

	if (!weir_current_wanted())
		return 0;
	pages = weir_folio_pages(folio);
	__sync_fetch_and_add(&count->added, pages);

	reader = reader_of((__u64)BPF_CORE_READ(folio, mapping));
	if (!reader)
		return 0;
	index = BPF_CORE_READ(folio, index);
	if (index != reader->end)
		reader->begin = index;
	reader->end = index + pages;
	if (reader->fault > index && reader->fault <= index + pages) {
		__sync_fetch_and_add(&count->hits, -1ULL);
		reader->fault = 0;
	}
	return 0;
}

SEC("raw_tp/mm_filemap_delete_from_page_cache")
int BPF_PROG(page_dropped, struct folio *folio)
{
	if (weir_current_wanted())
		__sync_fetch_and_add(&cpu_counts()->dropped, weir_folio_pages(folio));
	return 0;
}

/* A page that its adder dirties before anybody asked for it was added for a write. */
SEC("raw_tp/writeback_dirty_folio")
int BPF_PROG(page_dirtied, struct folio *folio, struct address_space *mapping)
{
	struct cache_counts *count = cpu_counts();
	struct reader *reader;
	__u64 index;
	__u64 pages;

	if (!weir_current_wanted())
		return 0;
	pages = weir_folio_pages(folio);
	__sync_fetch_and_add(&count->dirtied, pages);

	reader = reader_of((__u64)mapping);
	if (!reader)
		return 0;
	index = BPF_CORE_READ(folio, index);
	if (index < reader->begin || index >= reader->end)
		return 0;
	__sync_fetch_and_add(&count->written, pages);
	reader->begin = index + pages;
	return 0;
}

/* How many of the pages [from, to) were added and not yet asked for; they now are. */
static __always_inline __u64 reader_take(struct reader *reader, __u64 from, __u64 to)
{
	__u64 begin = from > reader->begin ? from : reader->begin;
	__u64 end = to < reader->end ? to : reader->end;

	if (begin >= end)
		return 0;
	reader->begin = end;
	return end - begin;
}

/*
 * A read asks for all of its pages at once, then, as it gets some at a time, again for the rest:
 * that is told by the same last page. Then only pages that had to be added are news. The tracepoint
 * comes after them, and knows nothing of the file's end.
 */
SEC("raw_tp/mm_filemap_get_pages")
int BPF_PROG(pages_asked, struct address_space *mapping, unsigned long index, unsigned long last)
{
	struct reader *reader;
	__u64 size;
	__u64 end;
	__u64 hits;

	if (!weir_current_wanted())
		return 0;
	reader = reader_of((__u64)mapping);
	if (!reader)
		return 0;
	size = weir_mapping_size(mapping);
	end = (size + (1 << PAGE_LOG) - 1) >> PAGE_LOG;
	if (last < end)
		end = last + 1;
	if (index >= end)
		return 0;
	hits = reader->last == last && index > reader->asked ? 0 : end - index;
	hits -= reader_take(reader, index, end);
	reader->asked = index;
	reader->last = last;
	__sync_fetch_and_add(&cpu_counts()->hits, hits);
	return 0;
}

/* Comes before the page is looked for. */
SEC("raw_tp/mm_filemap_fault")
int BPF_PROG(page_faulted, struct address_space *mapping, unsigned long index)
{
	struct reader *reader;

	if (!weir_current_wanted())
		return 0;
	reader = reader_of((__u64)mapping);
	if (!reader || reader_take(reader, index, index + 1))
		return 0;
	reader->fault = index + 1;
	__sync_fetch_and_add(&cpu_counts()->hits, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
