/* SPDX-License-Identifier: BSD-2-Clause */
/* YAML to a tree with positions, by libyaml's events. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config_check.h"

enum {
	DEPTH_MAX = 32,
	ENTRIES_MAX = 1024 /* of one list or map: checks compare each with each */
};

struct reader {
	yaml_parser_t parser;
	const struct diag_text *text;
	struct diag *diag;
	bool wrong;    /* an error was reported */
	bool unusable; /* ... that makes the tree misleading */
};

static struct place mark_place(const struct reader *reader, const yaml_mark_t *from,
			       const yaml_mark_t *to)
{
	struct place place = { reader->text, (uint32_t)from->line + 1, (uint32_t)from->column + 1,
			       1 };

	if (to->line == from->line && to->column > from->column)
		place.length = (uint32_t)(to->column - from->column);
	return place;
}

static struct place event_place(const struct reader *reader, const yaml_event_t *event)
{
	/* Of a block list or map, libyaml's end is not on the line where it begins. */
	if (event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT)
		return mark_place(reader, &event->start_mark, &event->start_mark);
	return mark_place(reader, &event->start_mark, &event->end_mark);
}

/* Reports what spoils the tree's meaning, but not the parse: more errors may follow. */
static void refuse(struct reader *reader, const yaml_event_t *event, const char *why)
{
	struct place place = event_place(reader, event);

	reader->wrong = reader->unusable = true;
	diag_error(reader->diag, &place, "%s", why);
}

/* What libyaml says, in words for somebody who does not know its states. */
static const struct {
	const char *theirs, *ours;
} syntax_errors[] = {
	{ "mapping values are not allowed in this context",
	  "a second \": \" in one value, or a line that is indented too far" },
	{ "did not find expected key", "a key is expected here: look at the indentation, and "
				       "whether quotes and brackets close" },
	{ "could not find expected ':'", "a line without \": \" where a key is expected" },
	{ "found unexpected end of stream", "a quote that is not closed" },
	{ "did not find expected ',' or ']'",
	  "a \"[\" that is not closed, a missing comma, or ${...} without quotes" },
	{ "did not find expected ',' or '}'",
	  "a \"{\" that is not closed, a missing comma, or ${...} without quotes" },
	{ "did not find expected '-' indicator",
	  "an item of the list is expected here, or less indentation" },
	{ "block sequence entries are not allowed in this context",
	  "a list cannot begin on this line: put each \"- item\" on a line of its own" },
	{ "did not find expected <document start>",
	  "something follows the end of the configuration" },
};

static int syntax_error(struct reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;
	struct place place = mark_place(reader, &parser->problem_mark, &parser->problem_mark);
	const char *problem = parser->problem ? parser->problem : "not YAML";

	if (parser->error == YAML_MEMORY_ERROR) {
		diag_error(reader->diag, &place, "no memory");
		return -ENOMEM;
	}
	if (strcmp(problem, "found character that cannot start any token") == 0)
		problem = parser->buffer.pointer[0] == '\t'
				  ? "a tab: YAML is indented by spaces"
				  : "a value cannot start with this character: put it in quotes";
	for (size_t i = 0; i < sizeof(syntax_errors) / sizeof(syntax_errors[0]); i++)
		if (strcmp(problem, syntax_errors[i].theirs) == 0)
			problem = syntax_errors[i].ours;
	return diag_error(reader->diag, &place, "%s", problem);
}

static int next_event(struct reader *reader, yaml_event_t *event)
{
	if (!yaml_parser_parse(&reader->parser, event))
		return syntax_error(reader);
	return 0;
}

static void check_properties(struct reader *reader, const yaml_event_t *event,
			     const yaml_char_t *anchor, const yaml_char_t *tag)
{
	if (anchor)
		refuse(reader, event, "anchors (&name) are not supported: write the value out");
	if (tag)
		refuse(reader, event, "tags (!name) are not supported: types come from the option");
}

static int read_value(struct reader *reader, const yaml_event_t *event, uint32_t depth,
		      struct tree **tree);

static int read_scalar(struct reader *reader, const yaml_event_t *event, struct tree **tree)
{
	struct place place = event_place(reader, event);
	const char *text = (const char *)event->data.scalar.value;

	check_properties(reader, event, event->data.scalar.anchor, event->data.scalar.tag);
	if (strlen(text) != event->data.scalar.length)
		refuse(reader, event, "a NUL character in a value");
	*tree = tree_new(TREE_SCALAR, &place, text);
	if (!*tree)
		return -ENOMEM;
	(*tree)->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	return 0;
}

static int limit_error(struct reader *reader, const yaml_event_t *event, const char *why)
{
	refuse(reader, event, why);
	return -EINVAL;
}

/* Reads the key whose event has come. *key stays NULL where it is no scalar. */
static int read_key(struct reader *reader, const yaml_event_t *event, uint32_t depth,
		    struct tree **key)
{
	int err = read_value(reader, event, depth, key);

	if (err || (*key)->kind == TREE_SCALAR)
		return err;
	refuse(reader, event, "a key is one word, not a list or a map");
	tree_free(*key);
	*key = NULL;
	return 0;
}

/* Adds an entry unless the key is wrong; takes key and item over. */
static int add_entry(struct reader *reader, struct tree *map, struct tree *key, struct tree *item)
{
	const struct tree *first = key ? tree_key(map, key->text) : NULL;

	if (key && strcmp(key->text, "<<") == 0 && !key->quoted) {
		reader->wrong = reader->unusable = true;
		diag_error(reader->diag, &key->place,
			   "merge keys (<<) are not supported: write the entries out");
	} else if (first) {
		reader->wrong = true;
		diag_error(reader->diag, &key->place, "\"%s\" stands here twice: first in line %u",
			   key->text, first->place.line);
	} else if (key) {
		return tree_add(map, key, item);
	}
	tree_free(key);
	tree_free(item);
	return 0;
}

/* Reads the value that comes next. */
static int read_next(struct reader *reader, uint32_t depth, struct tree **tree)
{
	yaml_event_t event;
	int err = next_event(reader, &event);

	if (err)
		return err;
	err = read_value(reader, &event, depth, tree);
	yaml_event_delete(&event);
	return err;
}

/* Reads one entry of a list or map, whose first event has come. */
static int read_entry(struct reader *reader, const yaml_event_t *event, uint32_t depth,
		      struct tree *tree)
{
	struct tree *key = NULL;
	struct tree *item = NULL;
	int err;

	if (tree->count == ENTRIES_MAX)
		return limit_error(reader, event, "more than 1024 entries in one place");
	if (tree->kind == TREE_LIST) {
		err = read_value(reader, event, depth, &item);
		return err ? err : tree_add(tree, NULL, item);
	}
	err = read_key(reader, event, depth, &key);
	if (!err)
		err = read_next(reader, depth, &item);
	if (!err)
		return add_entry(reader, tree, key, item);
	tree_free(key);
	return err;
}

/* Reads what follows a start event into `tree`, up to the end event. */
static int read_entries(struct reader *reader, uint32_t depth, struct tree *tree)
{
	yaml_event_t event;
	bool ended = false;
	int err = 0;

	while (!err && !ended) {
		err = next_event(reader, &event);
		if (err)
			return err;
		ended = event.type == YAML_MAPPING_END_EVENT ||
			event.type == YAML_SEQUENCE_END_EVENT;
		if (!ended)
			err = read_entry(reader, &event, depth, tree);
		yaml_event_delete(&event);
	}
	return err;
}

static int read_nested(struct reader *reader, const yaml_event_t *event, uint32_t depth,
		       struct tree **tree)
{
	struct place place = event_place(reader, event);
	bool map = event->type == YAML_MAPPING_START_EVENT;
	int err;

	if (map)
		check_properties(reader, event, event->data.mapping_start.anchor,
				 event->data.mapping_start.tag);
	else
		check_properties(reader, event, event->data.sequence_start.anchor,
				 event->data.sequence_start.tag);
	if (depth == DEPTH_MAX)
		return limit_error(reader, event, "nested more than 32 deep");
	*tree = tree_new(map ? TREE_MAP : TREE_LIST, &place, NULL);
	if (!*tree)
		return -ENOMEM;
	err = read_entries(reader, depth + 1, *tree);
	if (err) {
		tree_free(*tree);
		*tree = NULL;
	}
	return err;
}

/* Reads the value whose first event has come. */
static int read_value(struct reader *reader, const yaml_event_t *event, uint32_t depth,
		      struct tree **tree)
{
	struct place place = event_place(reader, event);

	if (event->type == YAML_SCALAR_EVENT)
		return read_scalar(reader, event, tree);
	if (event->type != YAML_ALIAS_EVENT)
		return read_nested(reader, event, depth, tree);
	refuse(reader, event, "aliases (*name) are not supported: write the value out");
	*tree = tree_new(TREE_SCALAR, &place, "");
	return *tree ? 0 : -ENOMEM;
}

/* Takes each event of the stream in turn; the first document is the tree. */
static int read_stream(struct reader *reader, struct tree **tree)
{
	uint32_t documents = 0;
	bool ended = false;
	int err = 0;

	while (!err && !ended) {
		yaml_event_t event;

		err = next_event(reader, &event);
		if (err)
			return err;
		ended = event.type == YAML_STREAM_END_EVENT;
		if (event.type == YAML_DOCUMENT_START_EVENT && ++documents > 1)
			err = limit_error(reader, &event,
					  "a second document (---): one file is one pipeline");
		else if (event.type == YAML_SCALAR_EVENT || event.type == YAML_ALIAS_EVENT ||
			 event.type == YAML_SEQUENCE_START_EVENT ||
			 event.type == YAML_MAPPING_START_EVENT)
			err = read_value(reader, &event, 0, tree);
		yaml_event_delete(&event);
	}
	return err;
}

/* A configuration is a map. */
static int check_root(const struct reader *reader, const struct tree *tree)
{
	struct place start = { reader->text, 1, 1, 1 };

	if (!tree || tree_is_null(tree))
		return diag_error(reader->diag, &start, "nothing is written here");
	if (tree->kind != TREE_MAP)
		return diag_error(reader->diag, &tree->place, "\"key: value\" lines are expected");
	return 0;
}

int config_parse(const struct diag_text *text, struct diag *diag, struct tree **tree)
{
	struct reader reader = { .text = text, .diag = diag };
	int err = config_check(text, diag);

	*tree = NULL;
	if (err)
		return err;
	if (!yaml_parser_initialize(&reader.parser)) {
		diag_error(diag, NULL, "%s: no memory", text->name);
		return -ENOMEM;
	}
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.parser, (const unsigned char *)text->bytes,
				     text->size);
	err = read_stream(&reader, tree);
	if (err == -ENOMEM && diag_count(diag) == 0)
		diag_error(diag, NULL, "%s: no memory", text->name);
	if (!err && !reader.unusable)
		err = check_root(&reader, *tree);
	yaml_parser_delete(&reader.parser);
	if (err || reader.unusable) {
		tree_free(*tree);
		*tree = NULL;
	}
	return err ? err : reader.wrong ? -EINVAL : 0;
}
