/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions as people read them. */
#ifndef FLAME_FUNCTION_NAME_H
#define FLAME_FUNCTION_NAME_H

#include <stddef.h>

/*
 * The name that the source of a C++, Rust or D function has, without parameters and hashes; the
 * caller frees it. NULL: it is no such name, or there is no memory, or no demangler was built in.
 */
char *function_demangle(const char *name);

/*
 * What a demangler that does not know Rust has left of a name, in place: "a::f$LT$T$GT$::h0123..."
 * becomes "a::f<T>". The new length; names without such a hash stay.
 */
size_t function_finish_rust(char *name, size_t length);

/*
 * How much of a name is left without the parameter list that ends it, and what follows that. Brackets
 * that belong to the name stay: "operator()", "(anonymous namespace)::f", "run<void (*)()>",
 * "main::{lambda(int)#1}", Go's "net.(*conn).Read".
 */
size_t function_without_parameters(const char *name, size_t length);

#endif
