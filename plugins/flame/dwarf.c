/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provider dwarf: the service "dwarf/1", with libdw, which nothing else of weir links. Files that
 * several askers open are read once by each: they ask for different files.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <weir/plugin.h>
#include <weir/service/dwarf.h>

#include "dwarf_module.h"

struct dwarf_entry {
	struct dwarf_module module;
	char *path;
};

struct dwarf_state {
	struct weir_service store;
	struct dwarf_entry **entries; /* NULL where one was closed; a handle is the place + 1 */
	uint32_t count;
	uint32_t capacity;
};

static void entry_free(struct weir_ctx *ctx, struct dwarf_entry *entry)
{
	if (!entry)
		return;
	if (entry->module.broken)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "%s: its debug information is broken: frames may lack inlined functions "
			 "and lines",
			 entry->path);
	dwarf_module_clear(&entry->module);
	free(entry->path);
	free(entry);
}

static int dwarf_say(struct weir_ctx *ctx, const char *path, int err)
{
	if (err == -EFBIG)
		weir_log(ctx, WEIR_LOG_WARNING, "%s: its debug information is too large to be read",
			 path);
	else if (err == -EBADMSG)
		weir_log(ctx, WEIR_LOG_WARNING, "%s: its debug information cannot be read: %s",
			 path, dwarf_errmsg(-1));
	else if (err == -ENOLINK)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "%s: the part of its debug information that several files share (dwz) is "
			 "not there: install all of its package of debug symbols",
			 path);
	return err == -ENOLINK ? -ENOENT : err;
}

static int dwarf_open(struct weir_ctx *self, const struct weir_dwarf_file *file, uint64_t *module)
{
	struct dwarf_state *state = self->state;
	struct dwarf_entry **entries = dwarf_grow(state->entries, state->count, &state->capacity,
						  sizeof(struct dwarf_entry *));
	struct dwarf_entry *entry = calloc(1, sizeof(*entry));
	int err = -ENOMEM;

	*module = 0;
	if (entries)
		state->entries = entries;
	if (entry) {
		entry->module.main.fd = entry->module.alternate.fd = -1;
		entry->path = strdup(file->path);
	}
	if (entries && entry && entry->path)
		err = dwarf_module_open(&entry->module, self->root, &state->store, file);
	if (err) {
		entry_free(self, entry);
		return dwarf_say(self, file->path, err);
	}
	if (entry->module.split_left_out)
		weir_log(self, WEIR_LOG_WARNING,
			 "%s: the split debug files (.dwo) of %u units are not there, or could be "
			 "changed by others than root and you: no inlined functions of them",
			 file->path, entry->module.split_left_out);
	state->entries[state->count++] = entry;
	*module = state->count;
	return 0;
}

static int dwarf_find(struct weir_ctx *self, uint64_t module, uint64_t address, weir_dwarf_fn *see,
		      void *with)
{
	struct dwarf_state *state = self->state;
	const struct weir_dwarf_frame *frames;
	uint32_t count, i;
	int err;

	if (module == 0 || module > state->count || !state->entries[module - 1])
		return -ENOENT;
	err = dwarf_module_find(&state->entries[module - 1]->module, address, &frames, &count);
	for (i = 0; !err && i < count; i++)
		err = see(&frames[i], with);
	return err;
}

static void dwarf_close(struct weir_ctx *self, uint64_t module)
{
	struct dwarf_state *state = self->state;

	if (module == 0 || module > state->count)
		return;
	entry_free(self, state->entries[module - 1]);
	state->entries[module - 1] = NULL;
}

static int dwarf_start(struct weir_ctx *ctx)
{
	struct dwarf_state *state = ctx->state;

	object_debug_store(ctx, &state->store);
	return 0;
}

static void dwarf_destroy(struct weir_ctx *ctx)
{
	struct dwarf_state *state = ctx->state;

	for (uint32_t i = 0; i < state->count; i++)
		entry_free(ctx, state->entries[i]);
	free(state->entries);
}

static const struct weir_dwarf_v1 dwarf_service = {
	.size = sizeof(dwarf_service),
	.open = dwarf_open,
	.find = dwarf_find,
	.close = dwarf_close,
};

static const struct weir_service_offer dwarf_offers[] = {
	{ WEIR_DWARF_SERVICE, WEIR_DWARF_VERSION, 0, &dwarf_service },
};

WEIR_COMPONENT(
	"dwarf", WEIR_PROVIDER,
	.summary = "inlined functions and source lines, from debug information",
	.doc = "Reads DWARF 2 to 5 of programs and libraries, or of the separate debug file that\n"
	       "belongs to them: found by build-id below /usr/lib/debug or by .gnu_debuglink,\n"
	       "proven by build-id or CRC, with what dwz took out of it. Split DWARF (.dwo) is\n"
	       "read where only root and the user can have put it.",
	.state_size = sizeof(struct dwarf_state), .offers = WEIR_TABLE(dwarf_offers),
	.start = dwarf_start, .destroy = dwarf_destroy);
