/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "function_name.h"

struct name_case {
	const char *given;
	const char *expected; /* NULL: no such name */
};

static void parameters_are_left_out_and_nothing_else(void **unused)
{
	static const struct name_case cases[] = {
		{ "f", "f" },
		{ "", "" },
		{ "ns::f(int)", "ns::f" },
		{ "f(void (*)(int))", "f" },
		{ "run<void (*)()>(void (*)())", "run<void (*)()>" },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
		{ "f(int) const [clone .isra.0]", "f" },
		{ "A::operator()(int) const", "A::operator()" },
		{ "A::operator<(A const&)", "A::operator<" },
		{ "A::operator->()", "A::operator->" },
		{ "operator new[](unsigned long)", "operator new[]" },
		{ "A::operator bool() const", "A::operator bool" },
		{ "f(int)::{lambda(int)#1}::operator()(int) const",
		  "f(int)::{lambda(int)#1}::operator()" },
		{ "A::f(int) const::{lambda()#2}::operator()()",
		  "A::f(int) const::{lambda()#2}::operator()" },
		{ "main.(*T).Read", "main.(*T).Read" },
		{ "<A as B<(C, D)>>::f", "<A as B<(C, D)>>::f" },
		{ "Script:~(anonymous) a.js:1", "Script:~(anonymous) a.js:1" },
		{ "my_operator(int)", "my_operator" },
		{ "f(", "f" },
		{ "a)b>c]", "a)b>c]" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *given = cases[i].given;
		size_t left = function_without_parameters(given, strlen(given));

		assert_int_equal(left, strlen(cases[i].expected));
		assert_memory_equal(given, cases[i].expected, left);
	}
}

static void mangled_names_are_those_of_their_sources(void **unused)
{
	static const struct name_case cases[] = {
		{ "_ZN2ns3fooEi", "ns::foo" },
		{ "_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run" },
		{ "_ZN3FooclEi", "Foo::operator()" },
		{ "_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write" },
		/* Like Rust, but for a hash that is none. */
		{ "_ZN4core3fmt5write17h0123456789abcdefEi",
		  "core::fmt::write::h0123456789abcdef" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		{ "_D3foo3barFZv", "foo.bar" },
		{ "main", NULL },
		{ "_start", NULL },
		{ "_Z", NULL },
		{ "_R", NULL },
		{ "_Dmain_of_c", NULL },
	};

	(void)unused;
#ifndef FLAME_DEMANGLE
	skip();
#endif
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *plain = function_demangle(cases[i].given);

		if (cases[i].expected)
			assert_string_equal(plain ? plain : "", cases[i].expected);
		else
			assert_null(plain);
		free(plain);
	}
}

static void what_another_demangler_left_of_rust_is_finished(void **unused)
{
	static const struct name_case cases[] = {
		{ "a::b::h0123456789abcdef", "a::b" },
		{ "a..b$LT$T$C$$u20$U$GT$::c::h0123456789abcdef", "a::b<T, U>::c" },
		{ "_$LT$a..B$u20$as$u20$c..D$GT$::e::h0123456789abcdef", "<a::B as c::D>::e" },
		{ "a::_$u7b$$u7b$closure$u7d$$u7d$::h0123456789abcdef", "a::{{closure}}" },
		{ "a::b::h0123456789abcdeg", "a::b::h0123456789abcdeg" },
		{ "a::b$LT$", "a::b$LT$" },
		{ "a$no$::h0123456789abcdef", "a$no$" },
	};
	char name[128];

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(name, sizeof(name), "%s", cases[i].given);
		assert_int_equal(function_finish_rust(name, strlen(name)),
				 strlen(cases[i].expected));
		assert_memory_equal(name, cases[i].expected, strlen(cases[i].expected));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_are_left_out_and_nothing_else),
		cmocka_unit_test(mangled_names_are_those_of_their_sources),
		cmocka_unit_test(what_another_demangler_left_of_rust_is_finished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
