/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the reader of perf.data share. A recording is a header, attributes of events,
 * features (who recorded, which build-ids), and records: the kernel's own, and perf's. Nothing in it
 * is believed: each length is checked against what is there.
 */
#ifndef FLAME_PERF_DATA_H
#define FLAME_PERF_DATA_H

#include <weir/service/unwind.h>

#include "file_reader.h"
#include "intmap.h"
#include "perf_data_format.h"
#include "perf_data_jit.h"
#include "perf_data_process.h"
#include "perf_data_queue.h"
#include "resolve.h"
#include "walk.h"

/* The attribute of an event, as far as reading its samples needs it. */
struct perf_data_attr {
	uint32_t type;
	uint64_t config;
	uint64_t period; /* or frequency */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_type;    /* PERF_SAMPLE_BRANCH_... */
	uint64_t user_registers; /* which of them a sample has, by perf's numbers */
	uint64_t flags;          /* bit by bit in the order of the kernel's header */
	uint16_t max_stack;
	int32_t clock; /* of clock_gettime(); -1: the kernel's own */
};

#define PERF_DATA_FLAG_FREQ          (UINT64_C(1) << 10)
#define PERF_DATA_FLAG_SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define PERF_DATA_FLAG_CLOCK         (UINT64_C(1) << 25)
#define PERF_DATA_FLAG_BUILD_ID      (UINT64_C(1) << 34)

struct perf_data_event {
	struct perf_data_attr attr;
	char *name;      /* NULL: none was told */
	uint32_t id;     /* of the name, of file_name() */
	uint64_t weight; /* of a sample that tells no period */
};

/* How the records of several events are told apart. */
struct perf_data_events {
	struct perf_data_event *items;
	uint32_t count;
	uint32_t capacity;
	struct intmap ids; /* an event's ids to its place + 1 */
	uint64_t epoch;    /* of the names' ids */
	bool told;         /* a record says whose it is: at these places */
	uint32_t id_at;    /* of a sample, behind its header */
	uint32_t id_back;  /* of others, from their end */
};

/* A build-id that the recording tells for a path. */
struct perf_data_build_id {
	uint32_t path; /* id of the state's texts */
	uint32_t size;
	uint8_t bytes[PERF_DATA_BUILD_ID_MAX];
};

struct perf_data_features {
	char *arch; /* "x86_64"; this and the next two: NULL where not told */
	char *hostname;
	char *osrelease;
	struct perf_data_build_id *build_ids;
	uint32_t build_id_count;
	uint32_t build_id_capacity;
	struct intmap by_path;            /* to their place + 1 */
	struct perf_data_build_id kernel; /* size 0: not told */
};

enum perf_data_phase {
	PERF_DATA_BEGIN, /* the header, and what it leads to */
	PERF_DATA_RECORDS,
	PERF_DATA_DRAIN, /* what is still queued */
	PERF_DATA_DONE,
};

/* Whether names of kernel functions may be taken from this machine. */
enum perf_data_kernel { PERF_DATA_UNASKED, PERF_DATA_SAME, PERF_DATA_OTHER };

struct perf_data_counts {
	uint64_t samples;
	uint64_t lost;
	uint64_t lost_samples;
	uint64_t broken;   /* records whose parts do not fit into them */
	uint64_t late;     /* records that came behind ones that were let go */
	uint64_t deferred; /* chains whose user part did not come */
	uint64_t unwound;
	uint64_t short_stacks; /* that go on behind the bytes that were copied */
	uint64_t narrow;       /* stacks of 32-bit programs, which are not walked */
	uint64_t foreign;      /* those of machines that are not known */
};

struct perf_data_zstd;
struct perf_data_held;
struct perf_data_end;

enum { PERF_DATA_RECENT = 4096 };

/* A frame that was found: the cache in front of the cache. */
struct perf_data_recent {
	uint64_t address;
	uint32_t key;
	uint32_t number; /* 0: none */
};

struct perf_data {
	struct file *file;
	struct weir_ctx *ctx;
	enum perf_data_phase phase;
	bool swapped; /* of the other byte order than this machine's */
	bool big;     /* big-endian */
	bool pipe;
	uint64_t at;   /* offset of the next record */
	uint64_t end;  /* of the records; UINT64_MAX: to the end of the input */
	uint64_t skip; /* bytes that follow and are no records */
	struct perf_data_events events;
	struct perf_data_features features;
	struct perf_data_zstd *zstd; /* NULL: nothing was compressed so far */
	struct perf_data_queue queue;
	struct perf_data_processes processes;
	struct perf_data_jit jit;
	struct perf_data_counts counts;

	/* perf_data_chain.c: chains that come in parts */
	struct perf_data_chains {
		uint8_t *bytes;    /* of the one put together last, as a record has them */
		uint64_t capacity; /* addresses */
	} joined;
	struct perf_data_waiting {
		struct perf_data_held *first;
		struct perf_data_held *last;
		uint32_t count;
	} held;

	/* perf_data_unwind.c: copies of stacks */
	struct weir_ctx
		unwind_self; /* of the service that the walker asks: the state is this one */
	uint64_t walker;     /* 0: not opened */
	const struct perf_data_space *unwind_space; /* what it is asked about */
	struct weir_unwind_frame *unwound;

	/* perf_data_stack.c, perf_data_names.c: from addresses to frames */
	struct resolve *resolve;
	struct weir_ctx self; /* of the service that resolve asks: the state is this one */
	const struct perf_data_space *space; /* what it is asked about */
	const struct perf_data_map *map;
	struct perf_data_recent recent[PERF_DATA_RECENT];
	struct intmap cache;    /* (address, version of the space and kind) to frame */
	struct intmap in_files; /* (offset, object and kind) to frame */
	struct intmap comms;    /* text to id of file_name() */
	uint64_t epoch;         /* that the caches are of */
	uint32_t *stack;        /* of the sample at hand */
	uint32_t stack_capacity;
	uint32_t *chains; /* frames with what was inlined into them: how many, innermost first */
	uint32_t chain_used;
	uint32_t chain_capacity;
	struct perf_data_end *ends; /* of user stacks, judged when all are there */
	uint32_t end_count;
	uint32_t end_capacity;
	struct intmap end_places; /* (outermost frame, how it ended) to place in ends + 1 */
	uint64_t *seen;           /* how often, by number of a frame */
	uint32_t seen_capacity;
	enum perf_data_kernel kernel;
	const char *kernel_reason; /* why it is another; NULL: nobody asked */
};

/* How user stacks ended. */
struct perf_data_end {
	uint32_t symbol; /* texts of the processes' */
	uint32_t object;
	bool caller;
	bool truncated;
	bool too_deep;
	bool nameless;
	bool unwound;
	uint64_t stacks;
};

/* Whether addresses matter: where they do not, all of one function is one frame. */
static inline bool perf_data_merges(const struct perf_data *data)
{
	return !(data->file->profile.by & FILE_BY_TIME) && !data->file->compat.addrs;
}

static inline uint64_t perf_data_u64(const struct perf_data *data, const void *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return data->swapped ? __builtin_bswap64(value) : value;
}

static inline uint32_t perf_data_u32(const struct perf_data *data, const void *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return data->swapped ? __builtin_bswap32(value) : value;
}

static inline uint16_t perf_data_u16(const struct perf_data *data, const void *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return data->swapped ? __builtin_bswap16(value) : value;
}

/* A record, cut out of what is there. */
struct perf_data_record {
	const uint8_t *body; /* behind the header */
	uint32_t bytes;      /* of the body */
	uint32_t type;
	uint16_t misc;
};

/* perf_data_header.c: 0 with everything before the records read; -EAGAIN; or failed. */
int perf_data_begin(struct perf_data *data);
/* Bytes of anywhere before, or behind, the records. 0, -ENODATA (not there), -EAGAIN, or failed. */
int perf_data_at(struct perf_data *data, uint64_t offset, void *out, size_t count);

/* perf_data_attr.c: attributes and their ids. 0, -EBADMSG (cannot be) or -ENOMEM. */
int perf_data_add_event(struct perf_data *data, const uint8_t *attr, size_t bytes, uint32_t *place);
int perf_data_add_id(struct perf_data *data, uint32_t place, uint64_t id);
int perf_data_name_event(struct perf_data *data, uint32_t place, const char *name, size_t length);
/* The place of the event with that id, or events.count. */
uint32_t perf_data_event_of_id(const struct perf_data *data, uint64_t id);
/* When all are there: how records tell whose they are. */
void perf_data_seal_events(struct perf_data *data);
void perf_data_clear_events(struct perf_data *data);
/* Whose a record is; NULL: nobody's. */
struct perf_data_event *perf_data_event_of(struct perf_data *data,
					   const struct perf_data_record *record);
/* The id of its name, of file_name(). */
uint32_t perf_data_event_name(struct perf_data *data, struct perf_data_event *event);

/* perf_data_feature.c: what a feature tells. 0, -EBADMSG or -ENOMEM. */
int perf_data_feature(struct perf_data *data, uint32_t feature, const uint8_t *bytes, size_t count);
/* One build-id, from behind the header of its record. */
int perf_data_add_build_id(struct perf_data *data, const struct perf_data_record *record);
const struct perf_data_build_id *perf_data_build_id_of(const struct perf_data *data, uint32_t path);
void perf_data_clear_features(struct perf_data *data);

/*
 * perf_data_record.c: takes the whole records of `bytes`; *used tells how many bytes they were. 0;
 * 1: what follows cannot be records; or a negative errno, after having failed.
 */
int perf_data_take(struct perf_data *data, const uint8_t *bytes, size_t count, size_t *used);
/* A record in its turn. 0 or -ENOMEM. */
int perf_data_apply(struct perf_data *data, const uint8_t *bytes);

/* perf_data.c: applies what the queue lets go, at most about `most` records. 0 or -ENOMEM. */
int perf_data_drain(struct perf_data *data, uint32_t most);

/* perf_data_zstd.c: the records that are packed in one. As perf_data_take(). */
int perf_data_unpack(struct perf_data *data, const struct perf_data_record *record);
void perf_data_zstd_close(struct perf_data_zstd *zstd);
/* Bytes of a record whose rest did not come. */
size_t perf_data_zstd_left(const struct perf_data_zstd *zstd);

/* perf_data_sample.c */
struct perf_data_sample {
	uint64_t ip;
	uint64_t time;
	uint64_t period;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	const uint8_t *chain; /* NULL: none */
	uint64_t chain_count;
	uint64_t calls_at; /* from here on, addresses are of calls, not behind them */
	const uint8_t *branches;
	uint64_t branch_count;    /* 0: they are not those of the stack */
	const uint8_t *registers; /* of the user thread; NULL: none */
	uint64_t register_abi;    /* enum perf_sample_regs_abi */
	const uint8_t *copy;      /* of its stack; NULL: none */
	uint64_t copy_bytes;
	uint16_t misc;
	bool unwound;  /* the user part comes from the copy */
	bool is_short; /* it goes on, but not here */
};

/* 0 or -EBADMSG. */
int perf_data_decode(const struct perf_data *data, const struct perf_data_event *event,
		     const struct perf_data_record *record, struct perf_data_sample *sample);
/* When a record happened. False: it does not tell. */
bool perf_data_time(const struct perf_data *data, const struct perf_data_event *event,
		    const struct perf_data_record *record, uint64_t *time);

/* perf_data_chain.c: 0 or -ENOMEM. The chain is continued by the calls that the processor kept. */
int perf_data_chain_calls(struct perf_data *data, struct perf_data_sample *sample);
/* Whether the user part of the chain comes later: then the sample waits for it. */
bool perf_data_is_deferred(const struct perf_data *data, const struct perf_data_sample *sample);
int perf_data_defer(struct perf_data *data, const struct perf_data_event *event,
		    const struct perf_data_sample *sample);
/* The record that tells it. As perf_data_push(), or -EBADMSG. */
int perf_data_deferred(struct perf_data *data, const struct perf_data_record *record);
/* No more will come: gives those that wait to the profile as they are. As perf_data_push(). */
int perf_data_chain_end(struct perf_data *data);
void perf_data_chain_clear(struct perf_data *data);

/* Room for a chain of so many addresses. NULL: no memory. */
uint8_t *perf_data_chain_room(struct perf_data *data, uint64_t count);

/* perf_data_unwind.c: the user part of the chain becomes what the copy of the stack tells. 0 or -ENOMEM. */
int perf_data_unwind(struct perf_data *data, const struct perf_data_event *event,
		     struct perf_data_sample *sample);
void perf_data_unwind_report(struct perf_data *data);
void perf_data_unwind_close(struct perf_data *data);

/* perf_data_stack.c: gives a sample to the profile. 0 or a negative errno. */
int perf_data_push(struct perf_data *data, struct perf_data_event *event,
		   const struct perf_data_sample *sample);
int perf_data_stack_open(struct perf_data *data);
void perf_data_stack_close(struct perf_data *data);
/* At the end: how good the stacks were, and what has no names. */
void perf_data_stack_report(struct perf_data *data);

/* perf_data_seen.c: counts a frame of user code. 0 or -ENOMEM. */
int perf_data_seen(struct perf_data *data, uint32_t number);
/* Gives what was counted to the files, at the end. */
void perf_data_seen_add_up(struct perf_data *data);
/* Numbers of frames have become others: what was counted of the old ones is a part that is left out. */
void perf_data_seen_forget(struct perf_data *data);

/* perf_data_names.c: fills the names of a frame. RESOLVE_DONE, RESOLVE_OUTSIDE or -ENOMEM. */
int perf_data_name_user(struct perf_data *data, const struct perf_data_space *space,
			struct weir_frame *frame);
int perf_data_name_kernel(struct perf_data *data, const struct perf_data_space *space,
			  struct weir_frame *frame);
/* What is known of a mapping. Its texts live as long as the recording is read. */
void perf_data_mapping(struct perf_data *data, const struct perf_data_map *map, uint32_t pid,
		       struct weir_mapping *mapping);
/* The kernel's own code for user space: the same only with the same kernel. */
bool perf_data_is_foreign_vdso(struct perf_data *data, const struct perf_data_map *map);
/* The id of a thread's name, of file_name(). */
uint32_t perf_data_comm(struct perf_data *data, uint32_t tid);
/* Whether it lies on the machine that recorded it, as perf wrote it. */
bool perf_data_is_from_here(const struct perf_data *data);
const char *perf_data_text(const struct perf_data *data, uint32_t text);

/* perf_data_kernel.c: whether the kernel of the recording is this one, at the same addresses. */
bool perf_data_kernel_is_here(struct perf_data *data);
/* Whether a module lies where it did. `name`: "[ext4]". */
bool perf_data_module_is_here(struct perf_data *data, const char *name, uint64_t start);

#endif
