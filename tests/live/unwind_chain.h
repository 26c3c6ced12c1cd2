/* SPDX-License-Identifier: BSD-2-Clause */
/* A chain of calls that is known: first, second, third, burn. Each adds after its call: none jumps. */
#ifndef UNWIND_CHAIN_H
#define UNWIND_CHAIN_H

void burn(void);
void third(void);
void second(void);
void first(void);

static volatile unsigned sink;

__attribute__((noinline)) void burn(void)
{
	for (unsigned i = 0; i < 200000; i++)
		sink += i;
}

__attribute__((noinline)) void third(void)
{
	burn();
	sink++;
}

__attribute__((noinline)) void second(void)
{
	third();
	sink++;
}

__attribute__((noinline)) void first(void)
{
	second();
	sink++;
}

#endif
