/* SPDX-License-Identifier: BSD-2-Clause */
/* Several providers of events side by side: who is asked, who answers, and what they disagree about. */
#include <weir/pmu_events.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Knows "both" and "same", refuses "bad"; `config` tells one provider from the other. */
static int encode(uint64_t config, const char *name, struct weir_pmu_event *event)
{
	event->name = name;
	event->config = config;
	if (strcmp(name, "same") == 0)
		event->config = 7;
	else if (strcmp(name, "bad") == 0)
		event->why = "a bad mask";
	else if (strcmp(name, "both") != 0)
		event->like = config == 1 ? "both" : NULL;
	return strcmp(name, "bad") == 0 ? -EINVAL : event->like ? -ENOENT : 0;
}

static int encode_one(struct weir_ctx *self, const char *name, struct weir_pmu_event *event)
{
	(void)self;
	return encode(1, name, event);
}

static int encode_two(struct weir_ctx *self, const char *name, struct weir_pmu_event *event)
{
	(void)self;
	if (strcmp(name, "x::only") == 0) {
		event->config = 9;
		return 0;
	}
	return strcmp(name, "both") && strcmp(name, "same") ? -ENOENT : encode(2, name, event);
}

static const struct weir_pmu_v1 calls_one = { .size = sizeof(calls_one), .encode = encode_one };
static const struct weir_pmu_v1 calls_two = { .size = sizeof(calls_two), .encode = encode_two };

static void each_name_has_one_meaning(void **unused)
{
	static const struct {
		const char *name;
		int error;
		uint64_t config;
		const char *why;
	} cases[] = {
		{ "same", 0, 7, "" },
		{ "one::both", 0, 1, "" },
		{ "two::both", 0, 2, "" },
		{ "x::only", 0, 9,
		  "" }, /* no provider of that name: a word of the other one's own */
		{ "both", -ENOTUNIQ, 0,
		  "both is known to pmu.one and to pmu.two, differently; write one::both or "
		  "two::both" },
		{ "bad", -EINVAL, 0, "bad: a bad mask" },
		{ "two::bad", -ENOENT, 0, "there is no event \"bad\"" },
		{ "bohh", -ENOENT, 0, "there is no event \"bohh\"; did you mean \"both\"?" },
	};
	struct weir_pmu_provider providers[] = { { "pmu.one", &calls_one, NULL },
						 { "pmu.two", &calls_two, NULL } };
	const struct weir_pmus pmus = { providers, 2, 0 };

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_pmu_event event = { .size = sizeof(event) };
		char why[256];
		int err = weir_pmus_encode(&pmus, cases[i].name, &event, why, sizeof(why));

		print_message("# %s: %s\n", cases[i].name, why);
		assert_int_equal(err, cases[i].error);
		assert_memory_equal(why, cases[i].why, strlen(cases[i].why));
		if (!err)
			assert_int_equal(event.config, cases[i].config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_name_has_one_meaning) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
