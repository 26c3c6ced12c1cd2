/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of /proc/stat; see stat_read.h. */
#include <weir/number.h>

#include "stat_read.h"

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

int stat_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct stat_sample *sample)
{
	int err = weir_read_file(ctx, "proc/stat", buffer);

	if (err)
		return weir_fail(ctx, err, "read /proc/stat");
	sample->time = weir_now(ctx);
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
