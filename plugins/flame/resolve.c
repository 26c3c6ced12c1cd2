/* SPDX-License-Identifier: BSD-2-Clause */
/* From addresses to functions; see resolve.h. */
#include "resolve.h"

#include <stdlib.h>

#include "function_name.h"

#define RESOLVE_NAMES_MAX   ((size_t)16 << 20)  /* then a new table of names is begun */
#define RESOLVE_OBJECTS_MAX ((size_t)256 << 20) /* then all files are read anew */

int resolve_ask_lines(struct weir_ctx *ctx, bool inlined, bool lines, struct weir_service *dwarf)
{
	if (!inlined && !lines)
		return 0;
	if (weir_service(ctx, WEIR_DWARF_SERVICE, WEIR_DWARF_VERSION, dwarf) < 0)
		return weir_fail(ctx, -EOPNOTSUPP,
				 "%s cannot be had: this weir was built without libdw",
				 inlined ? "inlined functions" : "source lines");
	return 0;
}

int resolve_init(struct weir_ctx *ctx, struct resolve *resolve)
{
	resolve->names = ctx->host->names_new(ctx);
	return resolve->names ? 0 : -ENOMEM;
}

void resolve_clear(struct weir_ctx *ctx, struct resolve *resolve)
{
	ctx->host->names_release(resolve->names);
	resolve->names = NULL;
	kallsyms_clear(&resolve->kallsyms);
	objects_clear(&resolve->objects);
}

int resolve_begin(struct weir_ctx *ctx, struct resolve *resolve)
{
	bool many_names = ctx->host->names_bytes(resolve->names) > RESOLVE_NAMES_MAX;
	bool many_symbols = resolve->objects.bytes > RESOLVE_OBJECTS_MAX;

	if (many_symbols)
		objects_clear(&resolve->objects);
	if (many_names) {
		ctx->host->names_release(resolve->names);
		resolve->names = ctx->host->names_new(ctx);
	}
	if (many_names || many_symbols)
		memset(resolve->cache, 0, sizeof(resolve->cache));
	return resolve->names ? 0 : -ENOMEM;
}

/* The id of a text that stays where it is. 0: no memory. */
static uint32_t resolve_name(struct weir_ctx *ctx, struct resolve *resolve, const char *text)
{
	struct resolve_name *entry =
		&resolve->cache[intmap_hash((uintptr_t)text, 0) % RESOLVE_CACHE];
	const char *name = text;
	char *plain = NULL;

	if (entry->text == text)
		return entry->id;
	if (!resolve->no_demangle)
		plain = function_demangle(text);
	if (plain)
		name = plain;
	entry->id = ctx->host->names_intern(resolve->names, name, strlen(name));
	entry->text = entry->id ? text : NULL;
	free(plain);
	return entry->id;
}

static uint64_t resolve_lookup(const struct weir_frame *frame)
{
	return frame->address - (frame->flags & WEIR_FRAME_CALLER ? 1 : 0);
}

void resolve_read_kernel(struct weir_ctx *ctx, struct resolve *resolve)
{
	if (resolve->kernel_read)
		return;
	resolve->kernel_read = true;
	resolve->kernel_error = kallsyms_read(&resolve->kallsyms, ctx->root);
	if (resolve->kernel_error)
		weir_log(ctx, WEIR_LOG_WARNING, "no names of kernel functions: /proc/kallsyms: %s",
			 strerror(-resolve->kernel_error));
	else if (resolve->kallsyms.hidden)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "no names of kernel functions: the kernel hides their addresses; "
			 "run as root with: sysctl -w kernel.kptr_restrict=1");
}

int resolve_kernel(struct weir_ctx *ctx, struct resolve *resolve, struct weir_frame *frame)
{
	uint64_t lookup = resolve_lookup(frame);
	const struct symbol *symbol;
	const char *object;

	resolve_read_kernel(ctx, resolve);
	symbol = kallsyms_find(&resolve->kallsyms, lookup, &object);
	frame->object = resolve_name(ctx, resolve, object);
	if (!frame->object)
		return -ENOMEM;
	if (!symbol)
		return RESOLVE_DONE;
	frame->symbol_offset = (uint32_t)(frame->address - symbol->address);
	frame->symbol = resolve_name(ctx, resolve, resolve->kallsyms.symbols.names + symbol->name);
	return frame->symbol ? RESOLVE_DONE : -ENOMEM;
}

static int resolve_symbol(struct weir_ctx *ctx, struct resolve *resolve, struct object *object,
			  uint64_t offset, struct weir_frame *frame)
{
	uint64_t address;
	const struct symbol *symbol = object_find(object, offset, &address);

	resolve->objects.looked++;
	resolve->objects.frames += !resolve->once;
	if (!symbol) {
		object->nameless += !resolve->once;
		return RESOLVE_DONE;
	}
	frame->symbol = resolve_name(ctx, resolve, object->symbols.names + symbol->name);
	frame->symbol_offset =
		(uint32_t)(address - symbol->address) + (frame->flags & WEIR_FRAME_CALLER ? 1 : 0);
	return frame->symbol ? RESOLVE_DONE : -ENOMEM;
}

/* A frame to which its inlined functions and its line are still to be added. */
struct resolve_lines {
	struct weir_ctx *ctx;
	struct resolve *resolve;
	struct weir_frame *frame;
};

/* The name of the source, but that of the file's symbols for what is no inlined function. */
static int resolve_line_name(const struct resolve_lines *lines,
			     const struct weir_dwarf_frame *found, struct weir_frame *frame)
{
	const char *name = found->linkage ? found->linkage : found->name;

	if (frame->symbol || !name)
		return 0;
	frame->symbol = resolve_name(lines->ctx, lines->resolve, name);
	return frame->symbol ? 0 : -ENOMEM;
}

static int resolve_line_place(const struct resolve_lines *lines,
			      const struct weir_dwarf_frame *found, struct weir_frame *frame)
{
	struct resolve *resolve = lines->resolve;

	if (!resolve->lines || !found->source)
		return 0;
	frame->source = lines->ctx->host->names_intern(resolve->names, found->source,
						       strlen(found->source));
	frame->line = found->line;
	frame->flags |= WEIR_FRAME_LINE;
	return frame->source ? 0 : -ENOMEM;
}

static int resolve_see(const struct weir_dwarf_frame *found, void *with)
{
	const struct resolve_lines *lines = with;
	struct resolve *resolve = lines->resolve;
	struct weir_frame *frame = lines->frame;
	int err;

	if (found->flags & WEIR_DWARF_INLINED) {
		if (!resolve->inlined)
			return 0;
		if (resolve->chain_count == RESOLVE_INLINED_MAX) {
			weir_lost(lines->ctx, "inlined functions beyond 128 at one address", 1,
				  NULL);
			return 0;
		}
		frame = &resolve->chain[resolve->chain_count++];
		*frame = *lines->frame;
		frame->flags |= WEIR_FRAME_INLINED;
		frame->symbol = frame->symbol_offset = 0;
	}
	err = resolve_line_name(lines, found, frame);
	return err ? err : resolve_line_place(lines, found, frame);
}

/* Where the debug information knows nothing, the frame stays as it is. */
static int resolve_add_lines(struct weir_ctx *ctx, struct resolve *resolve, struct object *object,
			     uint64_t offset, struct weir_frame *frame)
{
	const struct weir_service *dwarf = &resolve->objects.dwarf;
	const struct weir_dwarf_v1 *service = dwarf->vtable;
	struct resolve_lines lines = { ctx, resolve, frame };
	uint64_t address;
	int err = -ENOENT;

	if (!service)
		return RESOLVE_DONE;
	if (object->module && object_address(object, offset, &address))
		err = service->find(dwarf->ctx, object->module, address, resolve_see, &lines);
	if (err != -ENOENT)
		return err;
	object->lineless++;
	return RESOLVE_DONE;
}

int resolve_user(struct weir_ctx *ctx, struct resolve *resolve, const struct resolve_moment *moment,
		 struct weir_frame *frame, const struct object **object)
{
	const struct weir_process_v1 *process = resolve->process.vtable;
	struct weir_mapping mapping = { .size = sizeof(mapping) };
	uint64_t lookup = resolve_lookup(frame), offset;
	struct object *found;
	int err;

	*object = NULL;
	resolve->chain_count = 0;
	if (!process)
		return RESOLVE_DONE;
	err = process->mapping(resolve->process.ctx, moment->pid, moment->time, lookup, &mapping);
	if (err == -ENOENT || (!err && !mapping.executable))
		return RESOLVE_OUTSIDE;
	if (err) /* nothing is known of the process */
		return RESOLVE_DONE;
	found = objects_get(&resolve->objects, ctx->root, &mapping);
	if (!found)
		return -ENOMEM;
	*object = found;
	offset = lookup - mapping.start;
	if (found->path[0] == '/' && found->path[1] != '/')
		offset += mapping.file_offset;
	if (object_is_made(found))
		frame->flags |= WEIR_FRAME_JIT;
	frame->object_offset = offset + (frame->address - lookup);
	frame->object = resolve_name(ctx, resolve, found->path);
	err = frame->object ? resolve_symbol(ctx, resolve, found, offset, frame) : -ENOMEM;
	return err ? err : resolve_add_lines(ctx, resolve, found, offset, frame);
}
