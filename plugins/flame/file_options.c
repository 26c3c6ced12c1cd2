/* SPDX-License-Identifier: BSD-2-Clause */
/* What the options of flame.file say beyond what their table can check. */
#include <stdio.h>
#include <stdlib.h>

#include "file_reader.h"

static int compat_word(struct weir_ctx *ctx, struct file_compat *compat, const char *word,
		       size_t length)
{
	const struct {
		const char *word;
		bool *flags[2];
	} words[] = {
		{ "pid", { &compat->pid, NULL } },
		{ "tid", { &compat->tid, NULL } },
		{ "kernel", { &compat->kernel, NULL } },
		{ "jit", { &compat->jit, NULL } },
		{ "all", { &compat->kernel, &compat->jit } },
		{ "addrs", { &compat->addrs, NULL } },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) != length || memcmp(words[i].word, word, length) != 0)
			continue;
		*words[i].flags[0] = true;
		if (words[i].flags[1])
			*words[i].flags[1] = true;
		return 0;
	}
	return weir_fail_option(ctx, "compat", -EINVAL,
				"\"%.*s\" is none of pid, tid, kernel, jit, all, addrs",
				(int)length, word);
}

static int compat_read(struct weir_ctx *ctx, struct file_compat *compat, const char *text)
{
	static const char name[] = "flamegraph";
	int err = 0;

	if (text[0] == '\0')
		return 0;
	if (strncmp(text, name, sizeof(name) - 1) != 0 || !strchr(":", text[sizeof(name) - 1]))
		return weir_fail_option(ctx, "compat", -EINVAL,
					"\"%s\" is not flamegraph, nor flamegraph:OPTION,...",
					text);
	compat->on = true;
	text += sizeof(name) - 1;
	while (!err && *text) {
		size_t length = strcspn(++text, ",");

		err = compat_word(ctx, compat, text, length);
		text += length;
	}
	return err;
}

/* The numbers that an option lists; "" and 0 are what a parameter says that was not given. */
static int numbers_read(struct weir_ctx *ctx, const char *option, const struct weir_texts *texts,
			const uint32_t **numbers, uint32_t *count)
{
	uint32_t *list = calloc(texts->count + 1, sizeof(*list));
	char path[32], *end;

	*numbers = list;
	if (!list)
		return weir_fail(ctx, -ENOMEM, "option %s", option);
	for (uint32_t i = 0; i < texts->count; i++) {
		const char *text = texts->items[i];
		unsigned long number;

		if (text[0] == '\0')
			continue;
		errno = 0;
		number = strtoul(text, &end, 10);
		snprintf(path, sizeof(path), "%s[%u]", option, i);
		if (text[0] < '0' || text[0] > '9' || *end || errno || number >= WEIR_ABSENT_U32)
			return weir_fail_option(ctx, path, -EINVAL, "\"%s\" is no number of a %s",
						text, option);
		if (number)
			list[(*count)++] = (uint32_t)number;
	}
	return 0;
}

int file_options_read(struct file *file)
{
	const struct file_conf *conf = file->conf;
	struct file_filter *filter = &file->profile.filter;
	struct weir_ctx *ctx = file->ctx;
	int err;

	if (conf->only_kernel && conf->only_user)
		return weir_fail_option(ctx, "only_user", -EINVAL,
					"with only_kernel, nothing is left of a stack");
	if (conf->to && conf->to <= conf->from)
		return weir_fail_option(ctx, "to", -EINVAL, "it is not after \"from\"");
	filter->event = conf->event;
	filter->comm = conf->comm;
	filter->from = conf->from;
	filter->to = conf->to;
	filter->kernel = !conf->only_user;
	filter->user = !conf->only_kernel;
	file->profile.by = conf->by;
	file->profile.count_samples = conf->weight == FILE_WEIGHT_SAMPLES;
	err = compat_read(ctx, &file->compat, conf->compat);
	if (!err)
		err = numbers_read(ctx, "pid", &conf->pid, &filter->pids, &filter->pid_count);
	if (!err)
		err = numbers_read(ctx, "tid", &conf->tid, &filter->tids, &filter->tid_count);
	return err;
}
