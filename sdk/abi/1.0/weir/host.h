/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the host does for a component: a vtable, so that a plugin links to nothing of weir.
 * Plugins call the weir_ functions at the end of this header.
 *
 * "loop" marks a call that only the loop thread may make (callbacks of sinks with WEIR_BLOCKS
 * run elsewhere); "any" may be made from any thread. A component with threads of its own wakes the
 * loop by an eventfd that it watches, and ends them in stop().
 */
#ifndef WEIR_HOST_H
#define WEIR_HOST_H

#include <errno.h>
#include <stdarg.h>

#include "abi.h"
#include "component.h"
#include "record.h"

enum weir_log_level {
	WEIR_LOG_ERROR = 1,
	WEIR_LOG_WARNING = 2, /* a result may be wrong or incomplete */
	WEIR_LOG_INFO = 3,    /* what people want to know anyway: rates, what was chosen */
	WEIR_LOG_DEBUG = 4,
};

enum weir_need_state {
	WEIR_NEED_MET = 1,
	WEIR_NEED_LIMITED = 2, /* works in part: `effect` says what is lost */
	WEIR_NEED_MISSING = 3, /* the component cannot work */
};

/* What a component needs of the host, as found by probe(). Texts are copied. */
struct weir_need {
	uint32_t size;
	uint32_t state;     /* enum weir_need_state */
	const char *name;   /* "kernel BTF", "perf_event_paranoid": same thing, same name */
	const char *found;  /* what is there: "2", "cgroup v1 and v2", "not built" */
	const char *effect; /* what that disables, "" when met */
	const char *cure;   /* the command that enables it, or "" */
};

/* An edge that leads to this node. Lives as long as the node. */
struct weir_input {
	uint32_t size;
	uint32_t slot;    /* position in the component's inputs */
	const char *node; /* the node it comes from */
	const char *output;
	const struct weir_schema *schema;
	/*
	 * From the first push() or drain() on: why an `optional` source could not start, so that
	 * nothing will come, and the command that allows it or "". NULL: it runs. Behind a
	 * transform: set when all that it reads is absent.
	 */
	const char *absent;
	const char *cure;
};

/*
 * A provider's instance. `vtable` has the version asked for; ctx is to be handed back to it. Never
 * changes.
 */
struct weir_service {
	const void *vtable;
	struct weir_ctx *ctx;
};

/* Where text or bytes go: a file, a FIFO, or stdout. Buffered; one thread at a time. */
struct weir_writer;

enum weir_writer_flag {
	/* The file appears whole at writer_close(), or not at all. stdout is written at close. */
	WEIR_WRITE_WHOLE = 1u << 0,
};

/* A compiled expression: constant, may be evaluated on any thread. */
struct weir_expr;

/*
 * A node of a tree that was read from YAML or JSON, which is a part of YAML. Constant; lives as
 * long as the component that read it.
 */
struct weir_tree;

enum weir_tree_kind {
	WEIR_TREE_SCALAR = 1,
	WEIR_TREE_LIST = 2,
	WEIR_TREE_MAP = 3,
};

/* Never changes. */
struct weir_tree_look {
	uint32_t kind;    /* enum weir_tree_kind */
	uint32_t count;   /* LIST, MAP: entries */
	const char *text; /* SCALAR: without quotes; else NULL */
};

enum weir_tree_flag {
	/* A relative path begins at the pipeline's own folder, not at the working directory. */
	WEIR_TREE_BESIDE = 1u << 0,
};

/* A loss that some node of the pipeline has told of. The texts live until the call ends. */
struct weir_loss {
	uint32_t size;
	uint32_t reserved;
	uint64_t n;
	const char *node;
	const char *reason;
	const char *cure; /* NULL: none is known */
};

typedef void weir_loss_fn(const struct weir_loss *loss, void *arg);

/* A value of the expression language. Never changes. */
struct weir_value {
	uint32_t type;   /* enum weir_type: UINT, INT, DOUBLE, BOOL or TEXT; NONE: absent */
	uint32_t length; /* of text */
	union {
		uint64_t u;
		int64_t i;
		double d;
		const char *text; /* lives as long as the batch */
	};
};

typedef int weir_ready_fn(struct weir_ctx *ctx, int fd, uint32_t events);

struct weir_host {
	uint32_t size;
	uint16_t abi_major;
	uint16_t abi_minor;

	/* any: writes a line to stderr, with the node's name. `level`: enum weir_log_level. */
	void (*log)(struct weir_ctx *ctx, int level, const char *format, va_list args);
	/*
	 * any: keeps the reason of a failure and returns `error`, a negative errno, whose text is
	 * added. The callback then returns that.
	 */
	int (*fail)(struct weir_ctx *ctx, int error, const char *format, va_list args);
	/*
	 * any: the same for an option: `path` is "name" or "name[2]", which the host turns into
	 * file, line and column of the user's YAML.
	 */
	int (*fail_option)(struct weir_ctx *ctx, const char *path, int error, const char *format,
			   va_list args);
	/* probe() only: one thing that the component needs. */
	void (*need)(struct weir_ctx *ctx, const struct weir_need *need);
	/*
	 * any: n rows, samples or events that should have come out of this node did not. Equal
	 * reasons are added up; it ends in the ledger and in a line at exit. `cure` says what
	 * the user can do, or is NULL. Both are copied.
	 */
	void (*lost)(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure);

	/* any: CLOCK_MONOTONIC ns. Tests may run another clock. */
	uint64_t (*now)(struct weir_ctx *ctx);
	/* any: CLOCK_REALTIME ns of a CLOCK_MONOTONIC moment. */
	uint64_t (*wall)(struct weir_ctx *ctx, uint64_t monotonic);
	/* any: true once the pipeline ends, or this sink's deadline has passed: stop waiting. */
	int (*ending)(struct weir_ctx *ctx);

	/* any, from bind() on: input i, or NULL past the last. */
	const struct weir_input *(*input)(struct weir_ctx *ctx, uint32_t i);
	/*
	 * loop, bind(): a column of input i that an option named. NULL after having failed, with
	 * the option's place and both nodes' names, unless the want is WEIR_OPTIONAL.
	 */
	const struct weir_field *(*want)(struct weir_ctx *ctx, uint32_t i,
					 const struct weir_want *want, const char *option);
	/*
	 * loop, bind(): sets the schema of an output that has none. It stays the plugin's, and
	 * must stay until destroy(). 0, or a negative errno after having said why.
	 */
	int (*declare)(struct weir_ctx *ctx, uint32_t output, const struct weir_schema *schema);
	/*
	 * loop, create() to start(): the provider of service/version: "pmu" or "vendor::pmu".
	 * *service may be used until destroy() returns. 0, or a negative errno, with a reason that
	 * is told when the callback fails, too: whoever can live without may go on.
	 */
	int (*service)(struct weir_ctx *ctx, const char *name, uint32_t version,
		       struct weir_service *service);

	/*
	 * loop, start() to drain(): calls tick every period_ns from now on; 0 ends it. 0 or a
	 * negative errno: -ENOTSUP for providers and sinks with WEIR_BLOCKS, who have no tick.
	 */
	int (*every)(struct weir_ctx *ctx, uint64_t period_ns);
	/*
	 * loop, start() to drain(): calls `ready` when the fd has `events` (EPOLLIN ...), not
	 * while a full queue holds this node up. The fd stays the plugin's; events 0 ends the
	 * watch, which must come before close(). 0 or a negative errno.
	 */
	int (*watch)(struct weir_ctx *ctx, int fd, uint32_t events, weir_ready_fn *ready);

	/*
	 * loop, start() to drain(): an empty batch for an output, with room for that many rows
	 * and arena bytes.
	 * NULL: a queue behind is full and may block: stop reading, the node is called again when
	 * there is room; or no memory. Whoever cannot wait says weir_lost().
	 */
	struct weir_batch *(*loan)(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
				   uint32_t arena_bytes);
	/*
	 * loop: makes room for more rows and arena bytes. Pointers into the batch change. 0 or
	 * -ENOMEM, the batch then being as it was.
	 */
	int (*reserve)(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t rows,
		       uint32_t arena_bytes);
	/*
	 * loop: sends the batch on its way; it is the host's from here on. The window must be
	 * set. An empty batch is sent too: it says that nothing happened in its window. 0, or a
	 * negative errno when its counts exceed its memory.
	 */
	int (*commit)(struct weir_ctx *ctx, struct weir_batch *batch);
	/* loop: gives a loan back unused. NULL is allowed. */
	void (*discard)(struct weir_ctx *ctx, struct weir_batch *batch);

	/*
	 * Names. A table belongs to its maker, who alone interns, on one thread. Batches refer to
	 * it and hold it by reference counts, so it may be released at any time; ids mean
	 * something with their own table only. Make a new one when names_bytes() says that it has
	 * grown too large.
	 */
	struct weir_names *(*names_new)(struct weir_ctx *ctx); /* any; NULL: no memory */
	void (*names_release)(struct weir_names *names);       /* any; NULL is allowed */
	uint32_t (*names_intern)(struct weir_names *names, const char *text,
				 size_t length); /* 0: no memory, or an empty text */
	/* any: never NULL; "" for an id that is 0 or unknown, or no table. `length` may be NULL. */
	const char *(*names_text)(const struct weir_names *names, uint32_t id, uint32_t *length);
	size_t (*names_bytes)(const struct weir_names *names);

	/*
	 * The expression language. expr_compile (loop, bind()): against a schema, which must stay;
	 * NULL after having failed with a caret under the option's text. expr_type: what it
	 * yields. expr_eval (any): 0, or a negative errno. expr_free: NULL is allowed.
	 */
	struct weir_expr *(*expr_compile)(struct weir_ctx *ctx, const char *text,
					  const struct weir_schema *schema, const char *option);
	uint32_t (*expr_type)(const struct weir_expr *expr);
	int (*expr_eval)(const struct weir_expr *expr, const struct weir_batch *batch,
			 const void *row, struct weir_value *value);
	void (*expr_free)(struct weir_expr *expr);

	/*
	 * Output of sinks (any, on the sink's thread). path "": what `-o` said, else stdout.
	 * writer_open may block, and returns NULL after having failed. writer_write and
	 * writer_flush return 0 or a negative errno, and keep returning it. writer_close: with
	 * keep 0 a WEIR_WRITE_WHOLE file is thrown away; returns the first error; NULL is allowed.
	 * writer_columns: width of the terminal, 0 when it is none. writer_color: colour wanted.
	 */
	struct weir_writer *(*writer_open)(struct weir_ctx *ctx, const char *path, uint32_t flags);
	int (*writer_write)(struct weir_writer *writer, const void *bytes, size_t count);
	int (*writer_flush)(struct weir_writer *writer);
	int (*writer_close)(struct weir_writer *writer, int keep);
	uint32_t (*writer_columns)(const struct weir_writer *writer);
	int (*writer_color)(const struct weir_writer *writer);

	/*
	 * loop, start() to drain(): this source has nothing more to say. When all sources have, the
	 * pipeline drains and ends.
	 */
	void (*finished)(struct weir_ctx *ctx);

	/* any: the unit of the number that an expression yields, or NULL; lives as long as it. */
	const struct weir_unit *(*expr_unit)(const struct weir_expr *expr);

	/*
	 * Files of a component: rules, earlier results. They are read with the care that pipelines
	 * are: size, owner, duplicate keys. tree_read (loop, create()) returns the file's map, or
	 * NULL after having failed; `flags`: enum weir_tree_flag. tree_look and tree_item (any):
	 * what a node is; entry i of a list or map (*key, which may be NULL, is NULL in a list), or
	 * NULL past the last. tree_fail (loop, create() and bind()): fails with the node's file,
	 * line and column; returns as fail does. tree_expr (loop, bind()): expr_compile() of a
	 * SCALAR's text.
	 */
	const struct weir_tree *(*tree_read)(struct weir_ctx *ctx, const char *path,
					     uint32_t flags);
	void (*tree_look)(const struct weir_tree *tree, struct weir_tree_look *look);
	const struct weir_tree *(*tree_item)(const struct weir_tree *tree, uint32_t i,
					     const char **key);
	int (*tree_fail)(struct weir_ctx *ctx, const struct weir_tree *tree, int error,
			 const char *format, va_list args);
	struct weir_expr *(*tree_expr)(struct weir_ctx *ctx, const struct weir_tree *tree,
				       const struct weir_schema *schema);

	/* any: what the nodes of this pipeline have told by weir_lost() so far. */
	void (*losses)(struct weir_ctx *ctx, weir_loss_fn *seen, void *arg);

	/*
	 * any: one more reference, for names_release(): who keeps something by a batch's ids sees by
	 * the table's address whether they still mean the same. Returns `names`; NULL is allowed.
	 */
	struct weir_names *(*names_hold)(struct weir_names *names);

	/* any: height of the writer's terminal, 0 when it is none, or one whose cursor cannot move. */
	uint32_t (*writer_rows)(const struct weir_writer *writer);

	/*
	 * any, on the sink's thread: writes over bytes that were written before, as a header that
	 * tells what followed. 0; -ESPIPE, which is no failure: this output (stdout, a pipe) cannot
	 * do that; or an error of writing. With count 0 it tells only whether it can.
	 */
	int (*writer_patch)(struct weir_writer *writer, uint64_t offset, const void *bytes,
			    size_t count);

	/*
	 * loop, create() to start(): provider i of service/version where all of them are asked, in the
	 * order of their names: "pmu" has pmu and each pmu.x. *provider, the component's name, lives
	 * as long as the service. 0; -ENOENT past the last; another negative errno when this one
	 * cannot serve, with a reason as for service(): the next one may.
	 */
	int (*service_at)(struct weir_ctx *ctx, const char *name, uint32_t version, uint32_t i,
			  struct weir_service *service, const char **provider);
	/*
	 * loop, create(): a file's map as tree_read() gives it, of a text that a provider holds.
	 * `name` is what errors call it.
	 */
	const struct weir_tree *(*tree_text)(struct weir_ctx *ctx, const char *name,
					     const char *text);
	/*
	 * loop, command_ended(): starts the pipeline's command once more. It is held, as at the start,
	 * until that callback returns; ctx->child is its pid. 0, or a negative errno after having
	 * failed.
	 */
	int (*command_again)(struct weir_ctx *ctx);
};

/* The calls as plugins make them. */

static inline void WEIR_PRINTF(3, 4)
	weir_log(struct weir_ctx *ctx, int level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	ctx->host->log(ctx, level, format, args);
	va_end(args);
}

static inline int WEIR_PRINTF(3, 4)
	weir_fail(struct weir_ctx *ctx, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error = ctx->host->fail(ctx, error, format, args);
	va_end(args);
	return error;
}

static inline int WEIR_PRINTF(4, 5)
	weir_fail_option(struct weir_ctx *ctx, const char *path, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error = ctx->host->fail_option(ctx, path, error, format, args);
	va_end(args);
	return error;
}

static inline void weir_need(struct weir_ctx *ctx, uint32_t state, const char *name,
			     const char *found, const char *effect, const char *cure)
{
	struct weir_need need = { sizeof(need), state, name, found, effect, cure };

	ctx->host->need(ctx, &need);
}

static inline void weir_lost(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure)
{
	if (n)
		ctx->host->lost(ctx, reason, n, cure);
}

static inline uint64_t weir_now(struct weir_ctx *ctx)
{
	return ctx->host->now(ctx);
}

static inline int weir_every(struct weir_ctx *ctx, uint64_t period_ns)
{
	return ctx->host->every(ctx, period_ns);
}

static inline const struct weir_input *weir_input(struct weir_ctx *ctx, uint32_t i)
{
	return ctx->host->input(ctx, i);
}

static inline struct weir_batch *weir_loan(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
					   uint32_t arena_bytes)
{
	return ctx->host->loan(ctx, output, rows, arena_bytes);
}

static inline int weir_commit(struct weir_ctx *ctx, struct weir_batch *batch)
{
	return ctx->host->commit(ctx, batch);
}

static inline void weir_discard(struct weir_ctx *ctx, struct weir_batch *batch)
{
	ctx->host->discard(ctx, batch);
}

/* A new zeroed row at the batch's end, or NULL: no memory. Earlier row pointers may change. */
static inline void *weir_add_row(struct weir_ctx *ctx, struct weir_batch *batch)
{
	void *row;

	if (batch->row_count == batch->row_capacity && ctx->host->reserve(ctx, batch, 1, 0) < 0)
		return NULL;
	row = batch->rows + (size_t)batch->row_count++ * batch->row_size;
	memset(row, 0, batch->row_size);
	return row;
}

/*
 * Room for `bytes` bytes in the arena, aligned to 8, with anything in it: the caller fills all, up to
 * the next multiple of 8. *offset tells where it is. NULL: no memory. Earlier pointers into the arena,
 * not into rows, may change.
 */
static inline void *weir_add_room(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t bytes,
				  uint32_t *offset)
{
	uint32_t padded = (bytes + 7u) & ~7u;
	void *room;

	if (padded < bytes)
		return NULL;
	if (batch->arena_capacity - batch->arena_used < padded &&
	    ctx->host->reserve(ctx, batch, 0, padded) < 0)
		return NULL;
	*offset = batch->arena_used;
	room = batch->arena + batch->arena_used;
	batch->arena_used += padded;
	return room;
}

/* The same, zeroed. */
static inline void *weir_add_bytes(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t bytes,
				   uint32_t *offset)
{
	void *room = weir_add_room(ctx, batch, bytes, offset);

	if (room)
		memset(room, 0, batch->arena_used - *offset);
	return room;
}

/* Copies a text into the arena. 0 or -ENOMEM. */
static inline int weir_add_text(struct weir_ctx *ctx, struct weir_batch *batch, const char *text,
				size_t length, struct weir_text *out)
{
	uint32_t offset;
	void *room;

	out->offset = out->length = 0;
	if (length == 0)
		return 0;
	if (length > UINT32_MAX / 2)
		return -ENOMEM;
	room = weir_add_bytes(ctx, batch, (uint32_t)length + 1, &offset);
	if (!room)
		return -ENOMEM;
	memcpy(room, text, length);
	out->offset = offset;
	out->length = (uint32_t)length;
	return 0;
}

static inline int WEIR_PRINTF(4, 5)
	weir_tree_fail(struct weir_ctx *ctx, const struct weir_tree *tree, int error,
		       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error = ctx->host->tree_fail(ctx, tree, error, format, args);
	va_end(args);
	return error;
}

/* The value of a map's key, or NULL. `map` may be NULL. */
static inline const struct weir_tree *weir_tree_get(struct weir_ctx *ctx,
						    const struct weir_tree *map, const char *key)
{
	const struct weir_tree *item;
	const char *name;

	for (uint32_t i = 0; map && (item = ctx->host->tree_item(map, i, &name)); i++)
		if (name && strcmp(name, key) == 0)
			return item;
	return NULL;
}

static inline void weir_finished(struct weir_ctx *ctx)
{
	ctx->host->finished(ctx);
}

static inline int weir_service(struct weir_ctx *ctx, const char *name, uint32_t version,
			       struct weir_service *service)
{
	return ctx->host->service(ctx, name, version, service);
}

#endif
