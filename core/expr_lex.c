/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: characters to tokens. Numbers are read exactly wherever 64 bits allow. */
#include <stdlib.h>

#include "expr_impl.h"

/* Longer spellings before their beginnings. */
static const struct {
	const char *text;
	enum expr_op op;
} expr_spellings[] = {
	{ "||", EXPR_OR },         { "&&", EXPR_AND },
	{ "==", EXPR_EQUAL },      { "!=", EXPR_UNEQUAL },
	{ "=~", EXPR_MATCH },      { "!~", EXPR_MISMATCH },
	{ "<=", EXPR_LESS_EQUAL }, { ">=", EXPR_GREATER_EQUAL },
	{ "<", EXPR_LESS },        { ">", EXPR_GREATER },
	{ "!", EXPR_NOT },         { "?", EXPR_QUESTION },
	{ ":", EXPR_COLON },       { "(", EXPR_OPEN },
	{ ")", EXPR_CLOSE },       { ",", EXPR_COMMA },
	{ "+", EXPR_ADD },         { "-", EXPR_SUBTRACT },
	{ "*", EXPR_MULTIPLY },    { "/", EXPR_DIVIDE },
	{ "%", EXPR_MODULO },
};

#define EXPR_SPELLINGS (sizeof(expr_spellings) / sizeof(expr_spellings[0]))

/* Not ctype.h: what a letter is must not depend on the locale. */
static bool lex_is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

static bool lex_is_letter(char ch)
{
	return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || ch == '_';
}

static int lex_hex(char ch)
{
	if (lex_is_digit(ch))
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

/* A decimal: digits * 10^exponent. */
struct decimal {
	uint64_t digits;
	int exponent;
};

static bool lex_too_large(struct expr_compiler *c, const char *end)
{
	expr_fail(c, (struct expr_span){ c->token.span.start, (uint32_t)(end - c->text) },
		  "the number has more digits than 64 bits hold");
	return false;
}

static bool lex_digit(struct decimal *decimal, uint32_t base, int digit)
{
	return !__builtin_mul_overflow(decimal->digits, (uint64_t)base, &decimal->digits) &&
	       !__builtin_add_overflow(decimal->digits, (uint64_t)digit, &decimal->digits);
}

static const char *lex_hexadecimal(struct expr_compiler *c, const char *at, struct decimal *decimal)
{
	for (; lex_hex(*at) >= 0; at++)
		if (!lex_digit(decimal, 16, lex_hex(*at))) {
			lex_too_large(c, at + 1);
			return NULL;
		}
	return at;
}

/* "e9", "e-3", if it stands there. */
static const char *lex_exponent(const char *at, struct decimal *decimal)
{
	const char *digit = at + 1;
	const bool negative = *at && *digit == '-';
	int exponent = 0;

	if (*at != 'e' && *at != 'E')
		return at;
	if (*digit == '-' || *digit == '+')
		digit++;
	if (!lex_is_digit(*digit))
		return at;
	for (; lex_is_digit(*digit); digit++)
		if (exponent < 10000)
			exponent = exponent * 10 + (*digit - '0');
	decimal->exponent += negative ? -exponent : exponent;
	return digit;
}

static const char *lex_decimal(struct expr_compiler *c, const char *at, struct decimal *decimal)
{
	bool fraction = false;

	for (; lex_is_digit(*at) || (*at == '.' && !fraction); at++) {
		if (*at == '.') {
			fraction = true;
			continue;
		}
		if (!lex_digit(decimal, 10, *at - '0')) {
			lex_too_large(c, at + 1);
			return NULL;
		}
		decimal->exponent -= fraction;
	}
	return lex_exponent(at, decimal);
}

/* digits * factor * 10^exponent as a whole number, if it is one and fits. */
static bool lex_whole(struct decimal decimal, uint64_t factor, uint64_t *whole)
{
	uint64_t value;

	if (__builtin_mul_overflow(decimal.digits, factor, &value))
		return false;
	for (; value && decimal.exponent < 0; decimal.exponent++, value /= 10)
		if (value % 10)
			return false;
	for (; value && decimal.exponent > 0; decimal.exponent--)
		if (__builtin_mul_overflow(value, (uint64_t)10, &value))
			return false;
	*whole = value;
	return true;
}

static bool lex_value(struct expr_compiler *c, struct decimal decimal, uint64_t factor)
{
	struct weir_value *value = &c->token.value;
	double power = 1;

	value->type = WEIR_TYPE_UINT;
	if (lex_whole(decimal, factor, &value->u))
		return true;
	for (int i = abs(decimal.exponent); i > 0; i--)
		power *= 10;
	value->type = WEIR_TYPE_DOUBLE;
	value->d = (double)decimal.digits * (double)factor;
	value->d = decimal.exponent < 0 ? value->d / power : value->d * power;
	if (value->d > 0 && __builtin_isfinite(value->d))
		return true;
	expr_fail(c, c->token.span, "the number is out of range");
	return false;
}

/*
 * Where a unit written together with the number ends. In "5%2" and "5%n" the sign is the operator:
 * an operand follows.
 */
static const char *lex_suffix(const char *at)
{
	if (*at == '%')
		return lex_is_letter(at[1]) || lex_is_digit(at[1]) ||
				       (at[1] && strchr("(.'\"", at[1]))
			       ? at
			       : at + 1;
	while (lex_is_letter(*at) || lex_is_digit(*at))
		at++;
	return at;
}

static bool lex_number(struct expr_compiler *c, const char *at)
{
	const bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && lex_hex(at[2]) >= 0;
	struct decimal decimal = { 0, 0 };
	struct expr_span suffix;
	uint64_t factor = 1;

	at = hex ? lex_hexadecimal(c, at + 2, &decimal) : lex_decimal(c, at, &decimal);
	if (!at)
		return false;
	suffix.start = (uint32_t)(at - c->text);
	suffix.end = (uint32_t)(lex_suffix(at) - c->text);
	c->token.op = EXPR_NUMBER;
	c->token.span.end = suffix.end;
	if (suffix.end > suffix.start && !expr_suffix(c, suffix, &c->token.unit, &factor))
		return false;
	return lex_value(c, decimal, factor);
}

static bool lex_text(struct expr_compiler *c, const char *at)
{
	const char quote = *at++;

	while (*at && *at != quote)
		at += *at == '\\' && at[1] ? 2 : 1;
	c->token.op = EXPR_TEXT;
	c->token.span.end = (uint32_t)(at - c->text) + (*at != '\0');
	if (*at)
		return true;
	expr_fail(c, c->token.span, "the text has no closing %c", quote);
	return false;
}

static bool lex_word(struct expr_compiler *c, const char *at)
{
	while (lex_is_letter(*at) || lex_is_digit(*at))
		at++;
	c->token.op = EXPR_WORD;
	c->token.span.end = (uint32_t)(at - c->text);
	if (c->token.span.end - c->token.span.start == 2 &&
	    memcmp(c->text + c->token.span.start, "in", 2) == 0)
		c->token.op = EXPR_IN;
	return true;
}

static bool lex_operator(struct expr_compiler *c, const char *at)
{
	for (size_t i = 0; i < EXPR_SPELLINGS; i++) {
		const size_t length = strlen(expr_spellings[i].text);

		if (strncmp(at, expr_spellings[i].text, length) == 0) {
			c->token.op = expr_spellings[i].op;
			c->token.span.end += (uint32_t)length;
			return true;
		}
	}
	c->token.span.end++;
	if (*at == '=' || *at == '&' || *at == '|')
		expr_fail(c, c->token.span, "unknown operator \"%c\"; did you mean \"%c%c\"?", *at,
			  *at, *at);
	else if (*at > ' ' && *at < 0x7f)
		expr_fail(c, c->token.span, "unexpected \"%c\"", *at);
	else
		expr_fail(c, c->token.span, "unexpected byte 0x%02x", (unsigned char)*at);
	return false;
}

bool expr_next(struct expr_compiler *c)
{
	uint32_t start = c->token.span.end;

	while (c->text[start] && strchr(" \t\r\n", c->text[start]))
		start++;
	c->token = (struct expr_token){ .op = EXPR_END, .span = { start, start } };
	if (start == c->size)
		return true;
	if (lex_is_digit(c->text[start]) ||
	    (c->text[start] == '.' && lex_is_digit(c->text[start + 1])))
		return lex_number(c, c->text + start);
	if (lex_is_letter(c->text[start]))
		return lex_word(c, c->text + start);
	if (c->text[start] == '"' || c->text[start] == '\'')
		return lex_text(c, c->text + start);
	return lex_operator(c, c->text + start);
}

/*
 * What the escape after a backslash means, and in *used how many characters it takes; -1: none, so
 * that the backslash stands for itself, as regular expressions want it.
 */
static int lex_escape(const char *at, const char *end, uint32_t *used)
{
	static const char letters[] = "ntr\\'\"";
	static const char meanings[] = "\n\t\r\\'\"";
	const char *letter = strchr(letters, *at);

	*used = 1;
	if (letter)
		return meanings[letter - letters];
	if (*at != 'x' || end - at < 3 || lex_hex(at[1]) < 0 || lex_hex(at[2]) < 0)
		return -1;
	*used = 3;
	return lex_hex(at[1]) * 16 + lex_hex(at[2]);
}

char *expr_unquote(struct expr_compiler *c, struct expr_span span, uint32_t *length)
{
	const char *at = c->text + span.start + 1;
	const char *end = c->text + span.end - 1;
	char *text = malloc((size_t)(end - at) + 1);
	uint32_t used;

	if (!text)
		return expr_fail_memory(c);
	for (*length = 0; at < end; at += used) {
		const int meaning = *at == '\\' ? lex_escape(at + 1, end, &used) : -1;

		if (meaning == 0) {
			free(text);
			return expr_fail(c, span, "a text cannot hold a NUL byte");
		}
		used = meaning < 0 ? 1 : used + 1;
		text[*length] = *at;
		if (meaning > 0)
			text[*length] = (char)meaning;
		++*length;
	}
	text[*length] = '\0';
	return text;
}
