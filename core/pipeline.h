/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pipeline as written: the YAML file and the command line, brought together and checked as far
 * as that goes without its plugins. graph.h makes it run.
 */
#ifndef CORE_PIPELINE_H
#define CORE_PIPELINE_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/abi.h>

#include "config.h"

enum queue_policy {
	QUEUE_DEFAULT = 0, /* block behind patient sources, drop_newest behind the others */
	QUEUE_BLOCK,
	QUEUE_DROP_NEWEST,
	QUEUE_DROP_OLDEST,
};

struct queue_limits {
	uint64_t rows;  /* 0: the default */
	uint64_t bytes; /* 0: the default */
	enum queue_policy when_full;
};

/* One entry of `inputs`: "node" or "node.output", or a map {from, slot, queue}. */
struct pipeline_input {
	char *node;
	char *output; /* NULL: the first */
	char *slot;   /* NULL: the first */
	struct queue_limits queue;
	struct place place;
};

struct pipeline_node {
	char *name;
	enum weir_kind kind; /* by the section it stands in */
	char *plugin;        /* component name, or a path that ends in .so */
	/*
	 * A sink that ${format} placed: -o is for it, and `plugin` holds a format's name, the
	 * pipeline's default where run.format is NULL.
	 */
	bool by_format;
	/* A source without which the rest goes on where the host does not allow it. */
	bool optional;
	bool plugin_refused; /* `plugin` is no name or path: reported, not worth a search */
	struct place place;
	struct place plugin_place;
	/*
	 * MAP of what is left after plugin and inputs; values substituted. Part of the pipeline's
	 * tree. A value that the command line gave has its place there.
	 */
	struct tree *options;
	struct pipeline_input *inputs;
	uint32_t input_count;
};

struct child;

enum param_type {
	PARAM_TEXT = 1, /* "string" */
	PARAM_BOOL,
	PARAM_INT,
	PARAM_NUMBER,
	PARAM_DURATION,
	PARAM_SIZE,
	PARAM_CHOICE,
	PARAM_PID,
	PARAM_TEXTS, /* "strings" */
};

/*
 * A parameter: declared in YAML, given as --name value, --name=value or by position. What every
 * pipeline has (param.c lists it) is here too, behind those that are declared; of it, format,
 * output, duration and count may be declared to set their default and help, the rest not at all.
 * `pid` gets the command's pid after `--`.
 */
struct param {
	char *name;
	char *help;
	enum param_type type;
	char *fallback; /* NULL: an error where it is used without ${name:-default} and not given */
	char *choices;  /* CHOICE: separated by blanks */
	bool positional;
	bool builtin;
	bool used;      /* something refers to it */
	char *value;    /* what the command line said, or NULL */
	char *stand_in; /* used by pipeline_look(), where neither value nor default was there */
	struct place place;
	struct place value_place; /* of the value in the command line */
};

/* An option of the command line that is no parameter: of the sink that ${format} placed, perhaps. */
struct extra {
	char *name;
	char *value;
	struct place place;
	struct place value_place;
	bool taken; /* by graph_new(): a sink has it */
};

/* What every pipeline understands. */
struct pipeline_run {
	uint64_t duration_ns; /* 0: until interrupted, or the sources' or the command's end */
	uint64_t count;       /* 0: no limit */
	char *output;         /* -o; NULL: stdout */
	char *format;         /* --format; NULL: by -o's extension, else as by_format says */
	char *root;           /* --root; "/" */
	char **command;       /* after --, in the caller's argv; NULL: none; ends with NULL */
	uint64_t child;       /* its pid, as given to pipeline_read(); 0: none */
	struct child *held;   /* it, from child_start(); main sets it for graph_run(); NULL: none */
	bool help;            /* --help: nothing else was checked, pipeline_help() is wanted */
	bool stats;
	bool quiet;           /* no INFO lines */
	bool verbose;         /* DEBUG lines */
	uint64_t deadline_ns; /* for the drain; 5 s unless told otherwise */
};

struct pipeline {
	char *name; /* "biolatency" */
	char *path;
	char *question; /* the first comment of the file: the question it answers, one line */
	char *doc;      /* the whole first comment */
	bool looked_at; /* by pipeline_look(): it is not to run */
	bool faulty;    /* errors were reported: main tells graph_new() to look at nodes alone */
	struct param *params;
	uint32_t param_count;
	struct extra *extras;
	uint32_t extra_count;
	struct pipeline_node *nodes; /* in the order of the file: sources, transforms, sinks */
	uint32_t node_count;
	struct pipeline_run run;
	struct tree *tree; /* owned: places point into its text */
};

/* Finds "biolatency" in the pipeline folders, or takes a path. malloc'd, or NULL with an error in diag. */
char *pipeline_locate(const char *name, struct diag *diag);

/* Every pipeline that can be given by name, sorted by name. 0 or -ENOMEM. */
typedef void pipeline_seen_fn(const char *name, const char *path, const char *question, void *arg);
int pipelines_each(pipeline_seen_fn *seen, void *arg);

/*
 * Reads a pipeline and applies arguments (what follows the pipeline's name on the command line;
 * may be none; must outlive the pipeline). `child`: pid of the process that will become the command
 * after `--`, 0 if there is none: it is the value of ${pid}. All errors go to `diag`. 0 or a
 * negative errno. *pipeline is set also on failure where there is something to free.
 */
int pipeline_read(const char *path, int argc, char **argv, uint64_t child, struct diag *diag,
		  struct pipeline **pipeline);

/*
 * The same without arguments, for who only looks at it: a parameter that must be given gets a
 * stand-in of its type.
 */
int pipeline_look(const char *path, struct diag *diag, struct pipeline **pipeline);

/* pipeline_read() from a text of `diag`; its name is the path. */
int pipeline_parse(const struct diag_text *text, int argc, char **argv, uint64_t child,
		   struct diag *diag, struct pipeline **pipeline);

void pipeline_free(struct pipeline *pipeline); /* NULL is allowed */

/* Where "--" stands, so that a command can be forked before its pid is needed; argc: nowhere. */
int pipeline_command(int argc, char **argv);

/* `weir NAME --help`: made from the params. */
void pipeline_help(const struct pipeline *pipeline, FILE *out);

#endif
