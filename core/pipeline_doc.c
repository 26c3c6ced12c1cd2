/* SPDX-License-Identifier: BSD-2-Clause */
/* What a pipeline file says of itself, and the help made from its parameters. */
#include <stdlib.h>
#include <string.h>

#include "extra.h"
#include "param.h"
#include "param_declare.h"
#include "pipeline_find.h"

char *find_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t size = strlen(name);

	if (size > 5 && strcmp(name + size - 5, ".yaml") == 0)
		size -= 5;
	return strndup(name, size);
}

/* A line of the first comment: what is behind "# "; NULL: the comment has ended. */
static const char *comment_line(const char *line, size_t *size)
{
	*size = strcspn(line, "\r\n");
	if (line[0] != '#')
		return NULL;
	line++;
	(*size)--;
	if (line[0] == ' ') {
		line++;
		(*size)--;
	}
	return line;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

char *find_doc(const char *yaml)
{
	const char *line = yaml;
	const char *text;
	char *doc = NULL;
	size_t size;
	FILE *out = open_memstream(&doc, &size);

	if (!out)
		return NULL;
	while (*line && (line[0] == '\n' || strncmp(line, "# SPDX", 6) == 0))
		line = next_line(line);
	for (; (text = comment_line(line, &size)); line = next_line(line))
		fprintf(out, "%.*s\n", (int)size, text);
	if (fclose(out) != 0) {
		free(doc);
		return NULL;
	}
	return doc;
}

char *find_question(const char *doc)
{
	const char *end = strstr(doc, "\n\n");
	size_t size = end ? (size_t)(end - doc) : strlen(doc);
	const char *mark = memrchr(doc, '?', size);
	char *question = strndup(doc, mark ? (size_t)(mark - doc) + 1 : strcspn(doc, "\n"));

	for (char *p = question; p && *p; p++)
		if (*p == '\n')
			*p = ' ';
	return question;
}

/* "--min-wait DURATION" for min_wait */
static void option_name(const struct param *param, const char *before, const char *type, char *out,
			size_t size)
{
	int length = snprintf(out, size, "%s--%s", before, param->name);

	for (char *p = out; *p; p++)
		if (*p == '_')
			*p = '-';
	if (param->type != PARAM_BOOL && length > 0 && (size_t)length < size)
		snprintf(out + length, size - (size_t)length, " %s", type);
}

/* "DURATION", "disk|op" */
static void type_text(const struct param *param, char *out, size_t size)
{
	static const char *const words[][2] = { { "format", "name" },
						{ "output", "file" },
						{ "root", "dir" } };
	const char *choices = param->type == PARAM_CHOICE ? param->choices : NULL;

	snprintf(out, size, "%s", choices ? choices : param_type_name(param->type));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (param->builtin && strcmp(param->name, words[i][0]) == 0)
			snprintf(out, size, "%s", words[i][1]);
	for (char *p = out; *p; p++)
		if (!choices && *p >= 'a' && *p <= 'z')
			*p = (char)(*p - 'a' + 'A');
		else if (*p == ' ')
			*p = '|';
}

/* What is off unless given, or 0 for "no limit", needs no word about its default. */
static bool is_off(const struct param *param)
{
	if (param->type == PARAM_BOOL)
		return strcmp(param->fallback, "false") == 0;
	return param->builtin && strcmp(param->fallback, "0") == 0;
}

static void help_param(const struct param *param, FILE *out)
{
	const char *fallback = param->fallback;
	char type[512];
	char name[640];

	type_text(param, type, sizeof(type));
	option_name(param, strcmp(param->name, "output") == 0 ? "-o, " : "", type, name,
		    sizeof(name));
	fprintf(out, "  %-24s%s%s", name, param->help[0] ? " " : "", param->help);
	if (!fallback)
		fputs(" (must be given)", out);
	else if (fallback[0] && !is_off(param))
		fprintf(out, " (default %s)", fallback);
	fputc('\n', out);
}

static void help_usage(const struct pipeline *pipeline, FILE *out)
{
	fprintf(out, "usage: weir %s", pipeline->name);
	for (uint32_t i = 0; i < pipeline->param_count; i++)
		if (pipeline->params[i].positional)
			fprintf(out, pipeline->params[i].fallback ? " [%s]" : " %s",
				pipeline->params[i].name);
	fputs(" [options] [-- COMMAND]\n\n", out);
}

static void help_params(const struct pipeline *pipeline, bool builtin, const char *title, FILE *out)
{
	bool any = false;

	for (uint32_t i = 0; i < pipeline->param_count; i++) {
		if (pipeline->params[i].builtin != builtin)
			continue;
		if (!any)
			fprintf(out, "\n%s\n", title);
		any = true;
		help_param(&pipeline->params[i], out);
	}
}

void pipeline_help(const struct pipeline *pipeline, FILE *out)
{
	help_usage(pipeline, out);
	fputs(pipeline->doc, out);
	help_params(pipeline, false, "Options of this pipeline:", out);
	help_params(pipeline, true, "Options of every pipeline:", out);
	if (extras_wanted(pipeline))
		fputs("  and those of the output's format, which weir describe lists: "
		      "weir describe table\n",
		      out);
	fputs("  -- COMMAND               run this and end with it\n"
	      "\nOf an option given twice, the last holds. --name VALUE and --name=VALUE are the "
	      "same; --no-NAME switches off.\n",
	      out);
}
