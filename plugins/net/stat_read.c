/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of /proc/net/dev; see stat_read.h. */
#include "stat_read.h"

#include <stdio.h>
#include <stdlib.h>

#include <weir/number.h>
#include <weir/probe.h>

static struct net_entry *net_add(struct net_sample *sample)
{
	uint32_t capacity = sample->capacity ? sample->capacity * 2 : 8;
	struct net_entry *entries;

	if (sample->count == sample->capacity) {
		entries = realloc(sample->entries, capacity * sizeof(*entries));
		if (!entries)
			return NULL;
		sample->entries = entries;
		sample->capacity = capacity;
	}
	memset(&sample->entries[sample->count], 0, sizeof(*sample->entries));
	return &sample->entries[sample->count++];
}

/* "  eth0: 1 2 3 ..." */
static bool net_parse(const char *line, struct net_entry *entry)
{
	const char *name = line + strspn(line, " ");
	size_t length = strcspn(name, ":\n");
	const char *at = name + length;

	if (*at != ':' || length == 0 || length >= sizeof(entry->name))
		return false;
	memcpy(entry->name, name, length);
	at++;
	for (int i = 0; i < NET_LINE_COUNTERS; i++)
		if (!weir_take_number(&at, &entry->counters[i]))
			return false;
	entry->counters[RX_MISSED] = WEIR_ABSENT_U64;
	return true;
}

/* The word that a file of the interface holds; "" where there is none. */
static void net_read_word(struct weir_ctx *ctx, const char *name, const char *file,
			  struct weir_buffer *buffer, char word[16])
{
	char path[96];

	word[0] = '\0';
	snprintf(path, sizeof(path), "sys/class/net/%s/%s", name, file);
	if (weir_read_file(ctx, path, buffer) < 0 || !buffer->bytes)
		return;
	buffer->bytes[strcspn(buffer->bytes, "\n")] = '\0';
	snprintf(word, 16, "%s", buffer->bytes);
}

static int64_t net_read_number(struct weir_ctx *ctx, const char *name, const char *file)
{
	int64_t number = -1;
	char path[96];

	snprintf(path, sizeof(path), "sys/class/net/%s/%s", name, file);
	return weir_read_number(ctx, path, &number) < 0 ? -1 : number;
}

/* A speed of -1, or one that cannot be read while the link is down, is not known. */
static void net_read_sysfs(struct weir_ctx *ctx, struct weir_buffer *buffer,
			   struct net_entry *entry)
{
	int64_t speed = net_read_number(ctx, entry->name, "speed");
	int64_t index = net_read_number(ctx, entry->name, "ifindex");
	int64_t missed = net_read_number(ctx, entry->name, "statistics/rx_missed_errors");
	char duplex[16];

	entry->speed = speed > 0 && speed < INT32_MAX ? (uint32_t)speed : 0;
	entry->index = index > 0 ? (uint32_t)index : 0;
	entry->counters[RX_MISSED] = missed >= 0 ? (uint64_t)missed : WEIR_ABSENT_U64;
	net_read_word(ctx, entry->name, "operstate", buffer, entry->state);
	net_read_word(ctx, entry->name, "duplex", buffer, duplex);
	entry->half_duplex = strcmp(duplex, "half") == 0;
}

/* Two lines of heads come first. */
static int net_read_lines(struct weir_ctx *ctx, const char *line, struct net_sample *sample)
{
	sample->count = 0;
	for (; line && *line; line = strchr(line, '\n')) {
		struct net_entry *entry;

		line += *line == '\n';
		if (!*line || strncmp(line, "Inter-|", 7) == 0 || strncmp(line, " face |", 7) == 0)
			continue;
		entry = net_add(sample);
		if (!entry)
			return weir_fail(ctx, -ENOMEM, "remember counters of interfaces");
		if (!net_parse(line, entry))
			return weir_fail(ctx, -EBADMSG, "/proc/net/dev: cannot read \"%.*s\"",
					 (int)strcspn(line, "\n"), line);
	}
	return 0;
}

int net_read(struct weir_ctx *ctx, struct net_spaces *spaces, const struct net_space *space,
	     struct weir_buffer *buffer, struct net_sample *sample)
{
	int err = net_space_read(ctx, spaces, space, "dev", buffer);

	if (err && space->pid)
		return -ESRCH;
	if (err)
		return weir_fail(ctx, err, "read /proc/net/dev");
	err = net_read_lines(ctx, buffer->bytes, sample);
	for (uint32_t i = 0; !err && space->pid == 0 && i < sample->count; i++)
		net_read_sysfs(ctx, buffer, &sample->entries[i]);
	return err;
}

const struct net_entry *net_find(const struct net_sample *sample, const char *name, uint32_t hint)
{
	if (hint < sample->count && strcmp(sample->entries[hint].name, name) == 0)
		return &sample->entries[hint];
	for (uint32_t i = 0; i < sample->count; i++)
		if (strcmp(sample->entries[i].name, name) == 0)
			return &sample->entries[i];
	return NULL;
}
