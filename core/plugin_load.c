/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Judges one plugin file and loads it. The order matters: who can write the file, what it was
 * built for, what it says it is; only then is anything of it run (its constructors, by dlopen),
 * and then the component is judged before the first of its callbacks can be called.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_note.h"
#include "log.h"
#include "plugin_parts.h"

/*
 * The smallest component that can work. What lies behind is there or not by the size, as with
 * every member that will be appended.
 */
#define COMPONENT_MIN offsetof(struct weir_component, cost)

/* One file under judgement. */
struct verdict {
	const char *path;
	char *real; /* without symbolic links */
	int fd;
	struct weir_note note;
	char *error;
	size_t error_size;
};

/* Keeps the one line that says why. */
static int WEIR_PRINTF(2, 3) refuse(const struct verdict *verdict, const char *format, ...)
{
	char line[2048];
	int n = snprintf(line, sizeof(line), "%s: refused: ", verdict->path);
	va_list args;

	if (n >= 0 && (size_t)n < sizeof(line)) {
		va_start(args, format);
		vsnprintf(line + n, sizeof(line) - (size_t)n, format, args);
		va_end(args);
	}
	log_escape(line, verdict->error, verdict->error_size);
	return -ENOEXEC;
}

bool plugin_abi_accepted(uint32_t host_major, uint32_t host_minor, const struct weir_note *note)
{
	return note->abi_major == host_major && note->needs_minor <= host_minor;
}

/* A newer minor version only adds: a newer weir has what the plugin needs. */
static int refuse_abi(struct verdict *verdict)
{
	const struct weir_note *note = &verdict->note;

	if (note->abi_major == WEIR_ABI_MAJOR)
		return refuse(verdict,
			      "it needs ABI %u.%u; this weir has %u.%u: take a newer weir, or "
			      "build it with this weir's headers",
			      note->abi_major, note->needs_minor, WEIR_ABI_MAJOR, WEIR_ABI_MINOR);
	return refuse(verdict,
		      "built for ABI %u.%u; this weir accepts %u.x: build it with this weir's "
		      "headers",
		      note->abi_major, note->abi_minor, WEIR_ABI_MAJOR);
}

static int check_note(struct verdict *verdict, const char *name)
{
	const struct weir_note *note = &verdict->note;

	if (!plugin_abi_accepted(WEIR_ABI_MAJOR, WEIR_ABI_MINOR, note))
		return refuse_abi(verdict);
	if (note->kind < WEIR_SOURCE || note->kind > WEIR_PROVIDER)
		return refuse(verdict,
			      "its kind is %u; this weir knows source, transform, sink, provider",
			      note->kind);
	if (!plugin_name_ok(note->name))
		return refuse(verdict,
			      "its component's name is \"%s\"; a name is words of "
			      "[a-z][a-z0-9_]* joined by dots",
			      note->name);
	if (name && strcmp(name, note->name) != 0)
		return refuse(verdict,
			      "its component is \"%s\"; in a plugin folder the file must "
			      "be called %s.so",
			      note->name, note->name);
	return 0;
}

static int open_and_judge(struct verdict *verdict, const char *name)
{
	char why[640];

	verdict->fd = plugin_open(verdict->path, &verdict->real, why, sizeof(why));
	if (verdict->fd < 0)
		return refuse(verdict, "%s", why);
	if (elf_note_read(verdict->fd, &verdict->note, why, sizeof(why)) < 0)
		return refuse(verdict, "%s", why);
	return check_note(verdict, name);
}

static void verdict_clear(struct verdict *verdict)
{
	if (verdict->fd >= 0)
		close(verdict->fd);
	free(verdict->real);
}

/*
 * Maps the file that was judged. Loading it as /proc/self/fd/N would take its name away from
 * debuggers, break $ORIGIN, and hand out an older plugin when N comes again, for the loader
 * knows libraries by name. The path is as good: as root nobody else can have changed it since,
 * and for others a file that changes between two system calls is a build in progress.
 */
static void *map_file(struct verdict *verdict)
{
	struct stat judged, there;
	const char *reason;
	void *handle;

	if (fstat(verdict->fd, &judged) < 0 || lstat(verdict->real, &there) < 0 ||
	    judged.st_dev != there.st_dev || judged.st_ino != there.st_ino) {
		refuse(verdict, "it was replaced while weir looked at it; try again");
		return NULL;
	}
	handle = dlopen(verdict->real, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		return handle;
	reason = dlerror();
	if (strncmp(reason, verdict->real, strlen(verdict->real)) == 0)
		reason += strlen(verdict->real) + strspn(reason + strlen(verdict->real), ": ");
	refuse(verdict, "the dynamic loader says: %s", reason);
	return NULL;
}

/* The plugin's symbol, with as many bytes as the file says; NULL when it has none of its own. */
static const struct weir_component *find_symbol(void *handle, size_t *bytes)
{
	const struct weir_component *component = dlsym(handle, WEIR_SYMBOL);
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!component || !dladdr1(component, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
	    info.dli_saddr != component)
		return NULL;
	*bytes = symbol->st_size;
	return component;
}

static int check_size(struct verdict *verdict, const struct weir_component *component,
		      size_t symbol_size)
{
	if (symbol_size < COMPONENT_MIN)
		return refuse(verdict,
			      "its " WEIR_SYMBOL " has %zu bytes; ABI %u.%u needs %zu: define it "
			      "by WEIR_COMPONENT()",
			      symbol_size, WEIR_ABI_MAJOR, WEIR_ABI_MINOR, COMPONENT_MIN);
	if (component->size < COMPONENT_MIN || component->size > symbol_size)
		return refuse(verdict,
			      "its " WEIR_SYMBOL
			      " says it has %u bytes, where %zu to %zu are right: "
			      "define it by WEIR_COMPONENT()",
			      component->size, COMPONENT_MIN, symbol_size);
	return 0;
}

static int check_agreement(struct verdict *verdict, const struct weir_component *component)
{
	const struct weir_note *note = &verdict->note;

	if (!component->name || strcmp(component->name, note->name) != 0)
		return refuse(verdict,
			      "its note is of \"%s\", its component of \"%s\": define "
			      "both by WEIR_COMPONENT()",
			      note->name, component->name ? component->name : "");
	if (component->kind != note->kind || component->abi_major != note->abi_major ||
	    component->abi_minor != note->abi_minor)
		return refuse(verdict, "its note and its component differ in kind or ABI: define "
				       "both by WEIR_COMPONENT()");
	return 0;
}

/* Keeps the first fault for the message, and their number. */
struct faults {
	uint32_t count;
	char first[256];
};

static void keep_fault(void *arg, const char *line)
{
	struct faults *faults = arg;

	if (faults->count++ == 0)
		snprintf(faults->first, sizeof(faults->first), "%s", line);
}

static int check_content(struct verdict *verdict, const struct plugin *plugin)
{
	struct faults faults = { 0 };

	plugin_lint(&plugin->component, keep_fault, &faults);
	if (faults.count == 1)
		return refuse(verdict, "%s", faults.first);
	if (faults.count > 1)
		return refuse(verdict, "%s (and %u more faults: weir-conform lists them)",
			      faults.first, faults.count - 1);
	return 0;
}

/* The handle is kept by the dynamic loader alone: plugins are never unloaded. */
static int take_component(struct verdict *verdict, struct plugin *plugin)
{
	void *handle = map_file(verdict);
	const struct weir_component *component;
	size_t bytes = 0;
	char why[256];
	int err;

	if (!handle)
		return -ENOEXEC;
	component = find_symbol(handle, &bytes);
	if (!component)
		return refuse(verdict, "it exports no data symbol " WEIR_SYMBOL
				       ": define it by WEIR_COMPONENT()");
	err = check_size(verdict, component, bytes);
	if (err == 0)
		err = check_agreement(verdict, component);
	if (err < 0)
		return err;
	bytes = component->size < sizeof(*component) ? component->size : sizeof(*component);
	memcpy(&plugin->component, component, bytes);
	if (plugin_tables_convert(&plugin->component, &plugin->tables, why, sizeof(why)) < 0)
		return refuse(verdict, "%s", why);
	return 0;
}

static void verdict_init(struct verdict *verdict, const char *path, char *error, size_t error_size)
{
	*verdict = (struct verdict){ .path = path, .fd = -1 };
	verdict->error = error;
	verdict->error_size = error_size;
}

static int judge_and_load(struct verdict *verdict, const char *name, bool linted,
			  struct plugin *plugin)
{
	int err = open_and_judge(verdict, name);

	if (err < 0)
		return err;
	plugin->note = verdict->note;
	plugin->path = strdup(verdict->path);
	if (!plugin->path)
		return refuse(verdict, "%s", strerror(ENOMEM));
	err = take_component(verdict, plugin);
	return err < 0 || !linted ? err : check_content(verdict, plugin);
}

static int load(struct verdict *verdict, const char *name, bool linted, struct plugin **plugin)
{
	struct plugin *made = calloc(1, sizeof(*made));
	int err = made ? judge_and_load(verdict, name, linted, made)
		       : refuse(verdict, "%s", strerror(ENOMEM));

	verdict_clear(verdict);
	if (err < 0) {
		plugin_free(made);
		return err;
	}
	*plugin = made;
	return 0;
}

int plugin_load(const char *path, const char *name, struct plugin **plugin, char *error,
		size_t error_size)
{
	struct verdict verdict;

	verdict_init(&verdict, path, error, error_size);
	return load(&verdict, name, true, plugin);
}

int plugin_load_unlinted(const char *path, struct plugin **plugin, char *error, size_t error_size)
{
	struct verdict verdict;

	verdict_init(&verdict, path, error, error_size);
	return load(&verdict, NULL, false, plugin);
}

int plugin_read_note(const char *path, const char *name, struct weir_note *note, char *error,
		     size_t error_size)
{
	struct verdict verdict;
	int err;

	verdict_init(&verdict, path, error, error_size);
	err = open_and_judge(&verdict, name);
	*note = verdict.note;
	verdict_clear(&verdict);
	return err;
}

struct plugin *plugin_of_component(const struct weir_component *component)
{
	struct plugin *plugin = calloc(1, sizeof(*plugin));

	if (!plugin)
		return NULL;
	plugin->path = strdup("");
	plugin->component = *component;
	plugin->note = (struct weir_note){
		.magic = WEIR_NOTE_MAGIC,
		.abi_major = component->abi_major,
		.abi_minor = component->abi_minor,
		.kind = component->kind,
	};
	snprintf(plugin->note.name, sizeof(plugin->note.name), "%s", component->name);
	if (!plugin->path) {
		plugin_free(plugin);
		return NULL;
	}
	return plugin;
}

void plugin_free(struct plugin *plugin)
{
	if (!plugin)
		return;
	plugin_tables_free(plugin->tables);
	free(plugin->path);
	free(plugin);
}
