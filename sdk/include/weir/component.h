/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A component: data and callbacks. A plugin file holds one:
 *
 *	WEIR_COMPONENT("cpu.stat", WEIR_SOURCE,
 *		.summary = "what each CPU does",
 *		.options = WEIR_TABLE(cpu_stat_options), ...);
 *
 * The life of an instance (a node of a pipeline), in this order:
 *
 *	create   options are filled, state is zeroed memory of state_size bytes
 *	bind     inputs and their schemas are known; outputs without a schema are declared here
 *	start    attach, open, begin; when it returns 0 the node is ready. Batches may be sent from here
 *	         on: whoever reads them has started before
 *	tick     who asked weir_every() for it
 *	push     transforms and sinks: one batch of one input
 *	drain    no more input comes: hand on, or write out, everything that is left. The last place
 *	         to send a batch from
 *	stop     end what start began
 *	destroy  release everything; called exactly once after create was called, whatever failed
 *
 * create and bind need no privileges and touch nothing outside: `weir check` calls them.
 * stop follows every start that was called, also one that failed; destroy must cope with a
 * half-made instance, so that no callback needs to unwind itself. Callbacks return 0 or a
 * negative errno, and say why by weir_fail() in the same line. Any may be NULL. A source whose
 * input holds nothing (-ENODATA), or nothing that it knows (-ENOMSG), says so: it was wrongly
 * used, and weir exits with 2.
 *
 * Threads: all callbacks of a pipeline run on its one loop thread; only a sink with
 * WEIR_BLOCKS has start, push, drain and stop called on a thread of its own. No two callbacks of
 * one instance ever run at once. No callback but those of such a sink may block.
 */
#ifndef WEIR_COMPONENT_H
#define WEIR_COMPONENT_H

#include "abi.h"
#include "option.h"
#include "record.h"
#include "schema.h"

struct weir_host;

/*
 * One instance, as its callbacks see it. The host owns it; it is valid from before create()
 * until destroy() returns.
 */
struct weir_ctx {
	uint32_t size;
	uint32_t input_count; /* from bind() on: edges that lead here, all slots together */
	const struct weir_host *host;
	void *state;         /* NULL in probe() */
	const void *options; /* the filled struct of options; defaults in probe() */
	int root;            /* directory fd in place of "/": open /proc and /sys files below it */
	uint32_t reserved;
	uint64_t child; /* pid of the pipeline's `-- COMMAND`, 0: none */
};

/* A stream of rows that a component sends out. */
struct weir_output {
	const char *name;
	const char *doc;
	const struct weir_schema *schema; /* NULL: declared by bind(), see flags */
	uint32_t flags;                   /* enum weir_output_flag */
	uint32_t reserved;
};

enum weir_output_flag {
	/* Has the schema of input 0; the host sets it before bind(). */
	WEIR_SAME_AS_INPUT = 1u << 0,
};

/*
 * A column that an input must have. The host checks it before bind(). want() takes it without a size:
 * what is ever appended is announced by a flag.
 */
struct weir_want {
	const char *name;
	uint32_t type;         /* enum weir_type; WEIR_TYPE_NONE: any */
	uint32_t role;         /* enum weir_role; WEIR_ROLE_NONE: any */
	const char *dimension; /* of the unit, or NULL: any */
	uint32_t flags;        /* WEIR_OPTIONAL: it may be missing, but not be of another type */
	uint32_t reserved;
};

enum weir_slot_flag {
	WEIR_MANY = 1u << 0,     /* takes any number of inputs, at least one */
	WEIR_MAY_LACK = 1u << 1, /* takes none, too */
};

/* A named place for inputs. */
struct weir_slot {
	const char *name;
	const char *doc;
	WEIR_TABLE_OF(struct weir_want) wants;
	uint32_t flags; /* enum weir_slot_flag */
	uint32_t reserved;
};

/* An output format of a sink: `--format name`, or `-o FILE` with this extension. */
struct weir_format {
	const char *name;      /* "svg" */
	const char *extension; /* ".svg", or NULL: by name only */
};

/* What a provider offers: a named, versioned vtable. */
struct weir_service_offer {
	const char *name; /* "process" */
	uint32_t version; /* 1 in "process/1": another version is another contract */
	uint32_t reserved;
	const void *vtable; /* starts with its uint32_t size */
};

/* What the instance itself has cost, where the host cannot see it. */
struct weir_cost {
	uint32_t size;
	uint32_t reserved;
	uint64_t bpf_runs; /* runs of its BPF programs */
	uint64_t bpf_ns;   /* time they took; 0 with runs above 0: the kernel keeps no statistics */
};

enum weir_component_flag {
	/* Sink: writes where writing can block, so it runs on a thread of its own. */
	WEIR_BLOCKS = 1u << 0,
	/* Source: can wait without losing data (it reads a file), so full queues hold it up. */
	WEIR_PATIENT = 1u << 1,
};

struct weir_component {
	uint32_t size;
	uint16_t abi_major;
	uint16_t abi_minor;
	uint32_t kind; /* enum weir_kind */
	uint32_t reserved;
	const char *name;
	const char *summary;   /* one line for `weir plugins` */
	const char *doc;       /* paragraphs for `weir describe`, or NULL */
	uint32_t flags;        /* enum weir_component_flag */
	uint32_t options_size; /* bytes of the structs that the host provides */
	uint64_t state_size;
	WEIR_TABLE_OF(struct weir_option) options;
	WEIR_TABLE_OF(struct weir_output) outputs;       /* sources, transforms */
	WEIR_TABLE_OF(struct weir_slot) inputs;          /* transforms, sinks */
	WEIR_TABLE_OF(struct weir_format) formats;       /* sinks */
	WEIR_TABLE_OF(struct weir_service_offer) offers; /* providers */

	/*
	 * Says what this host lacks, by weir_need(). Called outside of a life: ctx->state is NULL,
	 * and of the host's calls only log, need, now and wall mean something. Must be cheap.
	 */
	void (*probe)(struct weir_ctx *ctx);
	int (*create)(struct weir_ctx *ctx);
	int (*bind)(struct weir_ctx *ctx);
	int (*start)(struct weir_ctx *ctx);
	/* `now`: CLOCK_MONOTONIC ns. Late ticks are not repeated: use real elapsed time. */
	int (*tick)(struct weir_ctx *ctx, uint64_t now);
	/* `input` counts from 0 to ctx->input_count - 1: see weir_input(). */
	int (*push)(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch);
	/* What is not done by `deadline` (CLOCK_MONOTONIC ns) is to be counted by weir_lost(). */
	int (*drain)(struct weir_ctx *ctx, uint64_t deadline);
	void (*stop)(struct weir_ctx *ctx);
	void (*destroy)(struct weir_ctx *ctx);
	/*
	 * Adds what the instance cost so far. Called when somebody wants to know: right after a
	 * start that went well, so that measuring can begin, and again before stop.
	 */
	void (*cost)(struct weir_ctx *ctx, struct weir_cost *cost);
	/*
	 * Source: the pipeline's command has ended; /proc still has it. Not called when the run
	 * ends for another reason. host->command_again() starts it once more; where no source does
	 * that, the run ends.
	 */
	int (*command_ended)(struct weir_ctx *ctx);
};

/*
 * Defines a plugin: its note and its one symbol. With WEIR_STATIC defined
 * the component is linked into weir itself instead.
 */
#define WEIR_COMPONENT(name_, kind_, ...)                                                          \
	WEIR_COMPONENT_NOTE(name_, kind_)                                                          \
	WEIR_COMPONENT_SYMBOL = { .size = sizeof(struct weir_component),                           \
				  .abi_major = WEIR_ABI_MAJOR,                                     \
				  .abi_minor = WEIR_ABI_MINOR,                                     \
				  .kind = kind_,                                                   \
				  .name = name_,                                                   \
				  __VA_ARGS__ };                                                   \
	WEIR_COMPONENT_LIST

#ifndef WEIR_STATIC

#define WEIR_COMPONENT_NOTE(name_, kind_)                                                          \
	static const struct weir_note_section weir_note                                            \
		__attribute__((section(".note.weir"), used,                                        \
			       aligned(4))) = { sizeof(WEIR_NOTE_OWNER),                           \
						sizeof(struct weir_note),                          \
						WEIR_NOTE_TYPE,                                    \
						WEIR_NOTE_OWNER,                                   \
						{ WEIR_NOTE_MAGIC, WEIR_ABI_MAJOR, WEIR_ABI_MINOR, \
						  kind_, WEIR_ABI_NEEDS, name_ } };
#define WEIR_COMPONENT_SYMBOL                                                                      \
	WEIR_EXTERN_C WEIR_EXPORT const struct weir_component weir_component;                      \
	const struct weir_component weir_component __attribute__((used))
#define WEIR_COMPONENT_LIST struct weir_component_end

#else

#define WEIR_COMPONENT_NOTE(name_, kind_)
#define WEIR_COMPONENT_SYMBOL static const struct weir_component weir_component
#define WEIR_COMPONENT_LIST                                                                        \
	static const struct weir_component *const weir_component_entry                             \
		__attribute__((section("weir_components"), used)) = &weir_component

#endif

#endif
