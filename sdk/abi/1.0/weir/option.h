/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options: a table over a C struct. The host parses the user's YAML or command line, checks
 * type and range, and fills the struct before create(); `weir describe` prints the same table.
 */
#ifndef WEIR_OPTION_H
#define WEIR_OPTION_H

#include "abi.h"
#include "schema.h"

enum weir_option_type {
	WEIR_OPTION_BOOL = 1,     /* bool */
	WEIR_OPTION_UINT = 2,     /* uint32_t or uint64_t */
	WEIR_OPTION_INT = 3,      /* int32_t or int64_t */
	WEIR_OPTION_DOUBLE = 4,   /* double */
	WEIR_OPTION_TEXT = 5,     /* const char *, never NULL */
	WEIR_OPTION_DURATION = 6, /* uint64_t ns; text like 250ms: ns us ms s m h d */
	WEIR_OPTION_SIZE = 7,   /* uint64_t bytes; text like 64MiB: B KiB MiB GiB TiB kB MB GB TB */
	WEIR_OPTION_CHOICE = 8, /* uint32_t: position in choices */
	WEIR_OPTION_CHOICES =
		9,              /* uint32_t: bit mask over choices; YAML list, or a,b on the line */
	WEIR_OPTION_TEXTS = 10, /* struct weir_texts: YAML list, or a,b on the line */
	WEIR_OPTION_RATIO = 11, /* double; text like 1% or 0.01 */
};

/* A list of texts. The host owns it until the node is destroyed. */
struct weir_texts {
	const char *const *items;
	uint32_t count;
	uint32_t reserved;
};

/* One option. All pointers are constant for the plugin's life. */
struct weir_option {
	const char *name;     /* [a-z][a-z0-9_]*, unique */
	const char *doc;      /* one line */
	const char *fallback; /* default as text, in the syntax of the type; NULL: required */
	const char *choices;  /* CHOICE, CHOICES: words separated by blanks */
	const struct weir_unit *unit; /* of a number; NULL: none */
	uint32_t type;                /* enum weir_option_type */
	uint32_t offset;
	uint32_t bytes;  /* of the member */
	uint32_t flags;  /* reserved: 0 */
	int64_t minimum; /* numbers, durations (ns), sizes (bytes): inclusive; both 0: no limits */
	int64_t maximum;
};

#ifdef __cplusplus

#include <type_traits>

namespace weir
{
template <class T> constexpr bool option_fits(uint32_t kind)
{
	return kind == WEIR_OPTION_BOOL ? std::is_same<T, bool>::value
	       : kind == WEIR_OPTION_UINT
		       ? std::is_integral<T>::value && std::is_unsigned<T>::value && sizeof(T) >= 4
	       : kind == WEIR_OPTION_INT
		       ? std::is_integral<T>::value && std::is_signed<T>::value && sizeof(T) >= 4
	       : kind == WEIR_OPTION_TEXT ? std::is_same<T, const char *>::value
	       : kind == WEIR_OPTION_DURATION || kind == WEIR_OPTION_SIZE
		       ? std::is_integral<T>::value && std::is_unsigned<T>::value && sizeof(T) == 8
	       : kind == WEIR_OPTION_CHOICE || kind == WEIR_OPTION_CHOICES
		       ? std::is_same<T, unsigned int>::value
	       : kind == WEIR_OPTION_TEXTS ? std::is_same<T, weir_texts>::value
					   : std::is_same<T, double>::value;
}
template <bool fits> struct option_member {
	static_assert(fits, "option and member types differ");
	static const uint32_t extra = 0;
};
} // namespace weir

#define WEIR_OPTION_OFFSET(type_, member_, kind_, ...)                                             \
	((uint32_t)offsetof(type_, member_) +                                                      \
	 weir::option_member<weir::option_fits<decltype(((type_ *)0)->member_)>(kind_)>::extra)
#else
/* offsetof(), but the build fails if the member is none of the types listed. */
#define WEIR_OPTION_OFFSET(type_, member_, kind_, ...)                                             \
	((uint32_t)(offsetof(type_, member_) +                                                     \
		    0 * sizeof(struct {                                                            \
			    _Static_assert(                                                        \
				    _Generic(((type_ *)0)->member_, __VA_ARGS__, default : 0),     \
				    #member_ ": option and member types differ");                  \
			    char unused;                                                           \
		    })))
#endif

#define WEIR_OPTION_ITEM(type_, member_, kind_, default_, choices_, unit_, min_, max_, doc_, ...)  \
	{                                                                                          \
#member_, doc_, default_, choices_, unit_, kind_,                                  \
			WEIR_OPTION_OFFSET(type_, member_, kind_, __VA_ARGS__),                    \
			WEIR_MEMBER_SIZE(type_, member_), 0, min_, max_                            \
	}

#define WEIR_OPT_BOOL(type_, member_, default_, doc_)                                              \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_BOOL, default_, NULL, NULL, 0, 0, doc_,       \
			 _Bool : 1)
#define WEIR_OPT_UINT(type_, member_, default_, min_, max_, doc_)                                  \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_UINT, default_, NULL, NULL, min_, max_, doc_, \
			 unsigned int : 1, unsigned long : 1, unsigned long long : 1)
#define WEIR_OPT_INT(type_, member_, default_, min_, max_, doc_)                                   \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_INT, default_, NULL, NULL, min_, max_, doc_,  \
			 int : 1, long : 1, long long : 1)
#define WEIR_OPT_DOUBLE(type_, member_, default_, min_, max_, doc_)                                \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_DOUBLE, default_, NULL, NULL, min_, max_,     \
			 doc_, double : 1)
#define WEIR_OPT_TEXT(type_, member_, default_, doc_)                                              \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_TEXT, default_, NULL, NULL, 0, 0, doc_,       \
			 const char * : 1)
#define WEIR_OPT_DURATION(type_, member_, default_, min_, max_, doc_)                              \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_DURATION, default_, NULL, WEIR_NS, min_,      \
			 max_, doc_, unsigned long : 1, unsigned long long : 1)
#define WEIR_OPT_SIZE(type_, member_, default_, min_, max_, doc_)                                  \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_SIZE, default_, NULL, WEIR_BYTES, min_, max_, \
			 doc_, unsigned long : 1, unsigned long long : 1)
#define WEIR_OPT_CHOICE(type_, member_, default_, choices_, doc_)                                  \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_CHOICE, default_, choices_, NULL, 0, 0, doc_, \
			 unsigned int : 1)
#define WEIR_OPT_CHOICES(type_, member_, default_, choices_, doc_)                                 \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_CHOICES, default_, choices_, NULL, 0, 0,      \
			 doc_, unsigned int : 1)
#define WEIR_OPT_TEXTS(type_, member_, default_, doc_)                                             \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_TEXTS, default_, NULL, NULL, 0, 0, doc_,      \
			 struct weir_texts : 1)
#define WEIR_OPT_RATIO(type_, member_, default_, doc_)                                             \
	WEIR_OPTION_ITEM(type_, member_, WEIR_OPTION_RATIO, default_, NULL, WEIR_RATIO, 0, 0,      \
			 doc_, double : 1)

#define WEIR_SECOND INT64_C(1000000000)
#define WEIR_HOUR   (3600 * WEIR_SECOND)

#endif
