/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of /proc/stat; see stat_read.h. */
#include <weir/keyed.h>

#include "stat_read.h"

#include <stdio.h>

static const char *const stat_names[STAT_NUMBERS] = {
	[SWITCHES] = "ctxt",         [INTERRUPTS] = "intr",       [FORKS] = "processes",
	[RUNNING] = "procs_running", [BLOCKED] = "procs_blocked",
};

static struct stat_cpu *stat_add_cpu(struct stat_sample *sample)
{
	uint32_t capacity = sample->capacity ? sample->capacity * 2 : 16;
	struct stat_cpu *cpus;

	if (sample->count < sample->capacity)
		return &sample->cpus[sample->count++];
	cpus = realloc(sample->cpus, capacity * sizeof(*cpus));
	if (!cpus)
		return NULL;
	sample->cpus = cpus;
	sample->capacity = capacity;
	return &cpus[sample->count++];
}

static int stat_unreadable(struct weir_ctx *ctx, const char *line)
{
	return weir_fail(ctx, -EBADMSG, "/proc/stat: cannot read \"%.*s\"",
			 (int)strcspn(line, "\n"), line);
}

/* "cpu3 1 2 3 ...": old kernels have fewer columns, which then are 0; newer ones may have more. */
static int stat_parse_cpu(struct weir_ctx *ctx, struct stat_sample *sample, const char *line)
{
	struct stat_cpu *cpu = stat_add_cpu(sample);
	const char *at = line + 3;
	uint64_t number;
	int n = 0;

	if (!cpu)
		return weir_fail(ctx, -ENOMEM, "remember CPU counters");
	memset(cpu, 0, sizeof(*cpu));
	cpu->wait = WEIR_ABSENT_U64;
	if (*at == ' ' || !weir_take_number(&at, &number) || number > INT32_MAX)
		return stat_unreadable(ctx, line);
	cpu->number = (uint32_t)number;
	while (n < STATES && weir_take_number(&at, &cpu->ticks[n]))
		n++;
	if (n <= IDLE || (n < STATES && at[strspn(at, " ")] != '\n'))
		return stat_unreadable(ctx, line);
	return 0;
}

/* A number of the machine, where the line has one. */
static int stat_parse_number(struct weir_ctx *ctx, struct stat_sample *sample, const char *line)
{
	for (int i = 0; i < STAT_NUMBERS; i++) {
		size_t length = strlen(stat_names[i]);
		const char *at = line + length;

		if (strncmp(line, stat_names[i], length) != 0 || *at != ' ')
			continue;
		sample->has |= 1u << i;
		return weir_take_number(&at, &sample->numbers[i]) ? 0 : stat_unreadable(ctx, line);
	}
	return 0;
}

static int stat_parse_line(struct weir_ctx *ctx, struct stat_sample *sample, const char *line)
{
	if (strncmp(line, "cpu", 3) != 0)
		return stat_parse_number(ctx, sample, line);
	return line[3] == ' ' ? 0 : stat_parse_cpu(ctx, sample, line);
}

static int stat_read_stat(struct weir_ctx *ctx, struct weir_buffer *buffer,
			  struct stat_sample *sample)
{
	int err = weir_read_file(ctx, "proc/stat", buffer);

	if (err)
		return weir_fail(ctx, err, "read /proc/stat");
	sample->count = 0;
	sample->has = 0;
	for (const char *line = buffer->bytes; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		err = stat_parse_line(ctx, sample, line);
		if (err)
			return err;
	}
	if (sample->count == 0)
		return weir_fail(ctx, -EBADMSG, "/proc/stat: no line of a CPU");
	for (int i = 0; i < STAT_NUMBERS; i++)
		if (!(sample->has & 1u << i))
			return weir_fail(ctx, -EBADMSG, "/proc/stat: no line %s", stat_names[i]);
	return 0;
}

/*
 * "cpu0 0 0 1 2 3 4 RUN WAIT SLICES" of /proc/schedstat: ns that tasks waited for this CPU. Not
 * there without CONFIG_SCHEDSTATS.
 */
static void stat_read_waits(struct weir_ctx *ctx, struct weir_buffer *buffer,
			    struct stat_sample *sample)
{
	enum { WAIT_COLUMN = 8 };

	if (weir_read_file(ctx, "proc/schedstat", buffer) < 0)
		return;
	for (uint32_t i = 0; i < sample->count; i++) {
		char name[24];
		const char *at;
		uint64_t value;
		int n = 0;

		snprintf(name, sizeof(name), "cpu%u", sample->cpus[i].number);
		at = weir_keyed_find(buffer->bytes, name);
		while (at && n < WAIT_COLUMN && weir_take_number(&at, &value))
			n++;
		if (n == WAIT_COLUMN)
			sample->cpus[i].wait = value;
	}
}

static void stat_read_pages(struct weir_ctx *ctx, struct weir_buffer *buffer,
			    struct stat_sample *sample)
{
	static const char *const names[STAT_PAGES] = {
		[PAGE_IN] = "pgpgin",
		[PAGE_OUT] = "pgpgout",
		[SWAP_IN] = "pswpin",
		[SWAP_OUT] = "pswpout",
	};
	bool there = weir_read_file(ctx, "proc/vmstat", buffer) == 0;

	for (int i = 0; i < STAT_PAGES; i++)
		sample->pages[i] =
			there ? weir_keyed_number(buffer->bytes, names[i]) : WEIR_ABSENT_U64;
}

int stat_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct stat_sample *sample)
{
	int err = stat_read_stat(ctx, buffer, sample);

	if (err)
		return err;
	stat_read_waits(ctx, buffer, sample);
	stat_read_pages(ctx, buffer, sample);
	weir_pressure_read(ctx, "cpu", buffer, &sample->cpu_pressure);
	weir_pressure_read(ctx, "irq", buffer, &sample->irq_pressure);
	return 0;
}

const struct stat_cpu *stat_find(const struct stat_sample *sample, uint32_t number)
{
	for (uint32_t i = 0; i < sample->count; i++)
		if (sample->cpus[i].number == number)
			return &sample->cpus[i];
	return NULL;
}

bool stat_delta(const struct stat_cpu *old, const struct stat_cpu *new, uint64_t delta[STATES])
{
	const uint64_t restart = 3 * (uint64_t)sysconf(_SC_CLK_TCK);

	for (int i = 0; i < STATES; i++) {
		if (old->ticks[i] > new->ticks[i] + restart)
			return false;
		delta[i] = new->ticks[i] > old->ticks[i] ? new->ticks[i] - old->ticks[i] : 0;
	}
	/* The kernel counts guest time in user and nice too. */
	delta[USER] -= delta[GUEST] < delta[USER] ? delta[GUEST] : delta[USER];
	delta[NICE] -= delta[GUEST_NICE] < delta[NICE] ? delta[GUEST_NICE] : delta[NICE];
	return true;
}
