/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provider debug_file.debuginfod: the service "debug_file/1" from the servers that DEBUGINFOD_URLS names, with
 * libdebuginfod, which nothing else of weir uses. It is asked for only where that variable is set, and the
 * library, which brings TLS and Kerberos along, is loaded only then.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <elfutils/debuginfod.h>

#include <weir/plugin.h>
#include <weir/service/debug_file.h>

#include "elf_file.h"

#define DEBUGINFOD_PATIENCE (30 * (uint64_t)WEIR_SECOND) /* for all files of a run together */

#define DEBUGINFOD_LIBRARY "libdebuginfod.so.1"

/* What is used of the library. */
struct debuginfod_calls {
	__typeof__(&debuginfod_begin) begin;
	__typeof__(&debuginfod_end) end;
	__typeof__(&debuginfod_find_debuginfo) find;
	__typeof__(&debuginfod_set_progressfn) set_progress;
	__typeof__(&debuginfod_set_user_data) set_user_data;
};

struct debuginfod_state {
	struct debuginfod_calls calls;
	debuginfod_client *client; /* NULL: the library is not there */
	uint64_t waited;           /* ns, in all questions */
	uint64_t until;            /* of the question at hand */
	bool gave_up;
	char id[2 * WEIR_BUILD_ID_MAX + 1]; /* of the question at hand */
};

static uint64_t debuginfod_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Sets *call, a pointer to a function. False: it is not there. */
static bool debuginfod_find_call(void *library, const char *name, void *call)
{
	void *found = library ? dlsym(library, name) : NULL;

	memcpy(call, &found, sizeof(found));
	return found != NULL;
}

/* Called while it waits; not 0: no longer. */
static int debuginfod_goes_on(debuginfod_client *client, long part, long whole)
{
	void *library = dlopen(DEBUGINFOD_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
	__typeof__(&debuginfod_get_user_data) get_user_data;
	const struct debuginfod_state *state = NULL;

	(void)part;
	(void)whole;
	if (debuginfod_find_call(library, "debuginfod_get_user_data", &get_user_data))
		state = get_user_data(client);
	if (library)
		dlclose(library); /* the reference that the line above took */
	return !state || debuginfod_now() >= state->until;
}

/* Not closed again: what it brings along does not expect that. */
static bool debuginfod_load(struct debuginfod_calls *calls)
{
	void *library = dlopen(DEBUGINFOD_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	return debuginfod_find_call(library, "debuginfod_begin", &calls->begin) &&
	       debuginfod_find_call(library, "debuginfod_end", &calls->end) &&
	       debuginfod_find_call(library, "debuginfod_find_debuginfo", &calls->find) &&
	       debuginfod_find_call(library, "debuginfod_set_progressfn", &calls->set_progress) &&
	       debuginfod_find_call(library, "debuginfod_set_user_data", &calls->set_user_data);
}

static int debuginfod_start(struct weir_ctx *ctx)
{
	struct debuginfod_state *state = ctx->state;

	if (!debuginfod_load(&state->calls)) {
		weir_log(ctx, WEIR_LOG_WARNING, "no server is asked for debug files: %s",
			 dlerror());
		return 0;
	}
	state->client = state->calls.begin();
	if (!state->client)
		return weir_fail(ctx, -ENOMEM, "debuginfod client");
	state->calls.set_user_data(state->client, state);
	state->calls.set_progress(state->client, debuginfod_goes_on);
	return 0;
}

/* A server may send anything. */
static int debuginfod_proven(struct weir_ctx *self, int fd, const uint8_t *id, uint32_t size)
{
	const struct debuginfod_state *state = self->state;
	struct elf_source source = { fd, NULL, 0 };
	struct stat status;
	bool same = false;
	struct elf elf;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		source.size = (uint64_t)status.st_size;
		if (elf_open(&elf, &source) == 0) {
			same = elf.build_id_size == size && memcmp(elf.build_id, id, size) == 0;
			elf_clear(&elf);
		}
	}
	if (same)
		return fd;
	close(fd);
	weir_log(self, WEIR_LOG_WARNING,
		 "the debug file that came for build-id %s is another one: it is not used",
		 state->id);
	return -ENOENT;
}

static int debuginfod_answer(struct weir_ctx *self, int fd)
{
	struct debuginfod_state *state = self->state;

	if (fd >= 0 || fd == -ENOENT)
		return fd;
	if (state->waited >= DEBUGINFOD_PATIENCE) {
		state->gave_up = true;
		weir_log(self, WEIR_LOG_WARNING,
			 "no further debug files: the servers of DEBUGINFOD_URLS took 30 s "
			 "altogether");
	} else {
		weir_log(self, WEIR_LOG_WARNING,
			 "no debug file with build-id %s: DEBUGINFOD_URLS: %s", state->id,
			 strerror(-fd));
	}
	return fd;
}

static int debuginfod_open(struct weir_ctx *self, const uint8_t *id, uint32_t size)
{
	struct debuginfod_state *state = self->state;
	uint64_t begin = debuginfod_now();
	int fd;

	if (state->gave_up || !state->client || size == 0 || size > WEIR_BUILD_ID_MAX)
		return -ENOENT;
	for (uint32_t i = 0; i < size; i++)
		snprintf(state->id + (size_t)i * 2, 3, "%02x", id[i]);
	state->until = begin + (DEBUGINFOD_PATIENCE - state->waited);
	weir_log(self, WEIR_LOG_DEBUG, "asking for build-id %s", state->id);
	fd = state->calls.find(state->client, id, (int)size, NULL);
	state->waited += debuginfod_now() - begin;
	if (state->waited > DEBUGINFOD_PATIENCE)
		state->waited = DEBUGINFOD_PATIENCE;
	return fd >= 0 ? debuginfod_proven(self, fd, id, size) : debuginfod_answer(self, fd);
}

static void debuginfod_destroy(struct weir_ctx *ctx)
{
	struct debuginfod_state *state = ctx->state;

	if (state->client)
		state->calls.end(state->client);
}

static const struct weir_debug_file_v1 debuginfod_service = {
	.size = sizeof(debuginfod_service),
	.open = debuginfod_open,
};

static const struct weir_service_offer debuginfod_offers[] = {
	{ WEIR_DEBUG_FILE_SERVICE, WEIR_DEBUG_FILE_VERSION, 0, &debuginfod_service },
};

WEIR_COMPONENT(
	"debug_file.debuginfod", WEIR_PROVIDER,
	.summary = "debug files from the servers of DEBUGINFOD_URLS",
	.doc = "Where that variable is not set, no server is asked. What a server sends is kept "
	       "below\n"
	       "~/.cache/debuginfod_client, as other tools do, and used only when it has the\n"
	       "build-id that was asked for.",
	.state_size = sizeof(struct debuginfod_state), .offers = WEIR_TABLE(debuginfod_offers),
	.start = debuginfod_start, .destroy = debuginfod_destroy);
