/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading /proc/kallsyms: two hundred thousand lines, so a parser of its own. The lines of the
 * kernel come sorted; those of modules, ftrace and BPF follow, each run sorted by itself or not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hex.h"
#include "kallsyms.h"

enum {
	KALLSYMS_BLOCK = 1 << 16,
	KALLSYMS_NAME_MAX = 512,
	KALLSYMS_MODULES_MAX = 65535,
	KALLSYMS_LINES_MAX = 1 << 24,
};

/* Code after the last known function belongs to it no further than this. */
#define KALLSYMS_LAST_SIZE 65536u

/* A name of "" marks the end of what precedes: data follows. */
struct kallsyms_draft {
	uint64_t address;
	uint32_t name;
	uint16_t module;
	uint8_t type;
	uint8_t reserved;
};

struct kallsyms_reading {
	struct kallsyms *out;
	struct kallsyms_draft *drafts;
	uint32_t count;
	uint32_t capacity;
	char *names;
	uint32_t names_used;
	uint32_t names_capacity;
	bool any_address;
};

struct kallsyms_line {
	uint64_t address;
	const char *name;
	const char *module; /* with its brackets, or NULL */
	size_t name_length;
	size_t module_length;
	char type;
};

/* "ffffffff81000000 T _stext", "ffffffffc0000000 t init\t[ext4]". False: not of that form. */
static bool kallsyms_parse(const char *at, const char *end, struct kallsyms_line *line)
{
	const char *stop;
	int digit;

	line->address = 0;
	for (; at < end && (digit = hex_digit(*at)) >= 0; at++)
		line->address = line->address << 4 | (unsigned int)digit;
	if (end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return false;
	line->type = at[1];
	line->name = at + 3;
	stop = memchr(line->name, '\t', (size_t)(end - line->name));
	line->name_length = (size_t)((stop ? stop : end) - line->name);
	line->module = stop ? stop + 1 : NULL;
	line->module_length = stop ? (size_t)(end - stop - 1) : 0;
	/* Modules of Arm bring the assembler's marks along: $x is no function. */
	return line->name_length > 0 && line->name_length < KALLSYMS_NAME_MAX &&
	       line->name[0] != '$';
}

static bool kallsyms_is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

static char *kallsyms_module_name(const struct kallsyms_line *line)
{
	static const char ftrace[] = "[__builtin__ftrace]", kernel[] = "[kernel]";

	/* Trampolines of the kernel's own. */
	if (line->module_length == sizeof(ftrace) - 1 &&
	    memcmp(line->module, ftrace, sizeof(ftrace) - 1) == 0)
		return strdup(kernel);
	return strndup(line->module, line->module_length);
}

/* The place of a line's module in the list. Lines of one module follow each other. */
static int kallsyms_module(struct kallsyms *out, const struct kallsyms_line *line, uint16_t *module)
{
	const char *last = out->module_names[out->module_count - 1];
	char **names;

	*module = 0;
	if (!line->module || out->module_count == KALLSYMS_MODULES_MAX)
		return 0;
	*module = (uint16_t)(out->module_count - 1);
	if (out->module_count > 1 && strlen(last) == line->module_length &&
	    memcmp(last, line->module, line->module_length) == 0)
		return 0;
	names = reallocarray(out->module_names, out->module_count + 1, sizeof(*names));
	if (!names)
		return -ENOMEM;
	out->module_names = names;
	names[out->module_count] = kallsyms_module_name(line);
	if (!names[out->module_count])
		return -ENOMEM;
	*module = (uint16_t)out->module_count++;
	return 0;
}

static int kallsyms_make_room(struct kallsyms_reading *reading)
{
	if (reading->count == reading->capacity) {
		uint32_t capacity = reading->capacity ? reading->capacity * 2 : 1 << 16;
		void *drafts = reallocarray(reading->drafts, capacity, sizeof(*reading->drafts));

		if (!drafts)
			return -ENOMEM;
		reading->drafts = drafts;
		reading->capacity = capacity;
	}
	if (reading->names_capacity - reading->names_used <= KALLSYMS_NAME_MAX) {
		uint32_t capacity = reading->names_capacity ? reading->names_capacity * 2 : 1 << 20;
		char *names = realloc(reading->names, capacity);

		if (!names)
			return -ENOMEM;
		if (reading->names_used == 0)
			names[reading->names_used++] = '\0';
		reading->names = names;
		reading->names_capacity = capacity;
	}
	return 0;
}

static int kallsyms_add(struct kallsyms_reading *reading, const struct kallsyms_line *line)
{
	struct kallsyms_draft *draft;
	bool code = kallsyms_is_code(line->type);
	int err;

	reading->any_address |= line->address != 0;
	/* Of a run of data only the first is needed: where the code before it ends. */
	if (!code && (reading->count == 0 || !reading->drafts[reading->count - 1].name))
		return 0;
	if (line->address == 0 || reading->count >= KALLSYMS_LINES_MAX)
		return 0;
	err = kallsyms_make_room(reading);
	if (err)
		return err;
	draft = &reading->drafts[reading->count];
	*draft = (struct kallsyms_draft){ .address = line->address, .type = (uint8_t)line->type };
	if (code) {
		err = kallsyms_module(reading->out, line, &draft->module);
		if (err)
			return err;
		draft->name = reading->names_used;
		memcpy(reading->names + reading->names_used, line->name, line->name_length);
		reading->names_used += (uint32_t)line->name_length;
		reading->names[reading->names_used++] = '\0';
	}
	reading->count++;
	return 0;
}

/* Takes the whole lines of a block; *left tells how many bytes of a part line remain at its end. */
static int kallsyms_take(struct kallsyms_reading *reading, const char *block, size_t bytes,
			 size_t *left)
{
	const char *at = block, *end = block + bytes, *newline;
	struct kallsyms_line line;
	int err = 0;

	while (!err && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		if (kallsyms_parse(at, newline, &line))
			err = kallsyms_add(reading, &line);
		at = newline + 1;
	}
	*left = (size_t)(end - at);
	return err;
}

static int kallsyms_read_all(struct kallsyms_reading *reading, int fd)
{
	char *block = malloc(KALLSYMS_BLOCK);
	size_t used = 0, left;
	ssize_t got;
	int err = block ? 0 : -ENOMEM;

	while (!err) {
		got = read(fd, block + used, KALLSYMS_BLOCK - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			err = got < 0 ? -errno : 0;
			break;
		}
		used += (size_t)got;
		err = kallsyms_take(reading, block, used, &left);
		memmove(block, block + used - left, left);
		used = left < KALLSYMS_BLOCK ? left : 0; /* a line as long as that is none */
	}
	free(block);
	return err;
}

static int kallsyms_compare(const void *left, const void *right)
{
	const struct kallsyms_draft *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	/* Marks behind names, so that a name wins its address. */
	return (a->name == 0) - (b->name == 0);
}

/* Where the first run of sorted lines ends: mostly that of the kernel itself. */
static uint32_t kallsyms_sorted(const struct kallsyms_reading *reading)
{
	uint32_t i = 1;

	while (i < reading->count && reading->drafts[i - 1].address <= reading->drafts[i].address)
		i++;
	return i < reading->count ? i : reading->count;
}

/* Sorts the rest, and everything only where the rest does not simply follow. */
static void kallsyms_sort(struct kallsyms_reading *reading)
{
	uint32_t sorted = kallsyms_sorted(reading);
	struct kallsyms_draft *rest = reading->drafts + sorted;

	if (sorted == reading->count)
		return;
	qsort(rest, reading->count - sorted, sizeof(*rest), kallsyms_compare);
	if (rest[-1].address > rest[0].address)
		qsort(reading->drafts, reading->count, sizeof(*rest), kallsyms_compare);
}

/* One per address: a name before a mark, a global one before a local one. */
static void kallsyms_drop_aliases(struct kallsyms_reading *reading)
{
	uint32_t i, kept = 0;

	for (i = 0; i < reading->count; i++) {
		const struct kallsyms_draft *draft = &reading->drafts[i];
		struct kallsyms_draft *last = kept ? &reading->drafts[kept - 1] : NULL;

		if (!last || last->address != draft->address)
			reading->drafts[kept++] = *draft;
		else if (draft->name && (!last->name || (last->type == 't' && draft->type != 't') ||
					 (last->type == draft->type &&
					  symbols_prefer(reading->names + draft->name,
							 reading->names + last->name))))
			*last = *draft;
	}
	reading->count = kept;
}

static int kallsyms_fill(struct kallsyms_reading *reading)
{
	struct kallsyms *out = reading->out;
	struct symbols *symbols = &out->symbols;
	char *names = realloc(reading->names, reading->names_used);
	uint32_t i;

	symbols->items = malloc((reading->count + 1) * sizeof(*symbols->items));
	out->modules = malloc((reading->count + 1) * sizeof(*out->modules));
	symbols->names = names ? names : reading->names;
	symbols->names_size = reading->names_used;
	reading->names = NULL;
	if (!symbols->items || !out->modules)
		return -ENOMEM;
	for (i = 0; i < reading->count; i++) {
		const struct kallsyms_draft *draft = &reading->drafts[i];
		uint64_t size = i + 1 < reading->count ? draft[1].address - draft->address
						       : KALLSYMS_LAST_SIZE;

		if (!draft->name)
			continue;
		out->modules[symbols->count] = draft->module;
		symbols->items[symbols->count++] = (struct symbol){
			draft->address, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX, draft->name
		};
	}
	return 0;
}

static int kallsyms_start(struct kallsyms *kallsyms)
{
	memset(kallsyms, 0, sizeof(*kallsyms));
	kallsyms->module_names = calloc(1, sizeof(*kallsyms->module_names));
	if (!kallsyms->module_names)
		return -ENOMEM;
	kallsyms->module_names[0] = strdup("[kernel]");
	kallsyms->module_count = kallsyms->module_names[0] ? 1 : 0;
	return kallsyms->module_count ? 0 : -ENOMEM;
}

int kallsyms_read(struct kallsyms *kallsyms, int root)
{
	struct kallsyms_reading reading = { .out = kallsyms };
	int err = kallsyms_start(kallsyms);
	int fd = -1;

	if (!err) {
		fd = openat(root, "proc/kallsyms", O_RDONLY | O_CLOEXEC);
		err = fd < 0 ? -errno : kallsyms_read_all(&reading, fd);
	}
	if (!err && reading.count) {
		kallsyms_sort(&reading);
		kallsyms_drop_aliases(&reading);
		err = kallsyms_fill(&reading);
	}
	kallsyms->hidden = !err && !reading.any_address;
	if (fd >= 0)
		close(fd);
	free(reading.drafts);
	free(reading.names);
	if (err)
		kallsyms_clear(kallsyms);
	return err;
}

void kallsyms_clear(struct kallsyms *kallsyms)
{
	symbols_clear(&kallsyms->symbols);
	free(kallsyms->modules);
	while (kallsyms->module_count)
		free(kallsyms->module_names[--kallsyms->module_count]);
	free(kallsyms->module_names);
	memset(kallsyms, 0, sizeof(*kallsyms));
}

const struct symbol *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address,
				   const char **object)
{
	const struct symbol *symbol = symbols_find(&kallsyms->symbols, address);

	*object = "[kernel]";
	if (symbol)
		*object =
			kallsyms->module_names[kallsyms->modules[symbol - kallsyms->symbols.items]];
	return symbol;
}
