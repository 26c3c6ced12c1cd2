/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provider debug_file.debuginfod: the service "debug_file/1" from the servers that DEBUGINFOD_URLS names, with
 * libdebuginfod, which nothing else of weir links. It is asked for only where that variable is set.
 */
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

struct debuginfod_state {
	debuginfod_client *client;
	uint64_t waited; /* ns, in all questions */
	uint64_t until;  /* of the question at hand */
	bool gave_up;
	char id[2 * WEIR_BUILD_ID_MAX + 1]; /* of the question at hand */
};

static uint64_t debuginfod_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Called while it waits; not 0: no longer. */
static int debuginfod_goes_on(debuginfod_client *client, long part, long whole)
{
	const struct debuginfod_state *state = debuginfod_get_user_data(client);

	(void)part;
	(void)whole;
	return debuginfod_now() >= state->until;
}

static int debuginfod_start(struct weir_ctx *ctx)
{
	struct debuginfod_state *state = ctx->state;

	state->client = debuginfod_begin();
	if (!state->client)
		return weir_fail(ctx, -ENOMEM, "debuginfod client");
	debuginfod_set_user_data(state->client, state);
	debuginfod_set_progressfn(state->client, debuginfod_goes_on);
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
	fd = debuginfod_find_debuginfo(state->client, id, (int)size, NULL);
	state->waited += debuginfod_now() - begin;
	if (state->waited > DEBUGINFOD_PATIENCE)
		state->waited = DEBUGINFOD_PATIENCE;
	return fd >= 0 ? debuginfod_proven(self, fd, id, size) : debuginfod_answer(self, fd);
}

static void debuginfod_destroy(struct weir_ctx *ctx)
{
	struct debuginfod_state *state = ctx->state;

	if (state->client)
		debuginfod_end(state->client);
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
