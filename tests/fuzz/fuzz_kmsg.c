/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: a log of the kernel. What is promised: a record takes bytes and lies within them;
 * facts are closed texts and numbers in their range.
 */
#include <string.h>

#include "../../plugins/kernel/log_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(bool kept)
{
	if (!kept)
		__builtin_trap();
}

static void check_record(const char *bytes, size_t taken, const struct log_record *record)
{
	struct log_facts facts;
	const struct log_rule *rule;

	promise(record->level <= 7);
	promise(record->text > bytes && record->text + record->length <= bytes + taken);
	promise(!memchr(record->text, '\n', record->length));
	rule = log_rules_match(record->text, record->length, &facts);
	promise(rule == facts.rule);
	promise(memchr(facts.instance, 0, sizeof(facts.instance)) &&
		memchr(facts.comm, 0, sizeof(facts.comm)) &&
		memchr(facts.op, 0, sizeof(facts.op)) &&
		memchr(facts.cgroup, 0, sizeof(facts.cgroup)));
	promise(facts.pid == UINT32_MAX || facts.pid <= INT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct log_record record;
	size_t taken;

	for (size_t at = 0; at < size; at += taken) {
		const char *bytes = (const char *)data + at;

		taken = log_record_parse(bytes, size - at, &record);
		promise(taken <= size - at);
		if (taken == 0)
			break;
		check_record(bytes, taken, &record);
	}
	return 0;
}
