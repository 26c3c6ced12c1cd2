/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks behind tests/golden/flame: names of all kinds, hostile ones among them. */
#ifndef FLAME_STACKS_H
#define FLAME_STACKS_H

#include "flame_host.h"

static inline void flame_stacks(struct flame_host *flame)
{
	flame_sample(flame, "work", 4000000,
		     "hot@/bin/work;alpha@/bin/work#c;main@/bin/work#c;_start@/bin/work#c");
	flame_sample(flame, "work", 2000000,
		     "hot@/bin/work;beta@/bin/work#c;main@/bin/work#c;_start@/bin/work#c");
	flame_sample(flame, "work", 1000000,
		     "hot@/bin/work;alpha@/bin/work#c;main@/bin/work#c;_start@/bin/work#c");
	flame_sample(flame, "work", 500000,
		     "ext4_read@[ext4]#k;vfs_read@[kernel]#k;read@/lib/libc.so.6;main@/bin/work#c");
	flame_sample(flame, "a;b 7", 100000, "main");
	flame_sample(flame, "w 12 [001] 9.1:", 90000, "main");
	flame_sample(
		flame, "Web Content", 80000,
		"std::function<long (long)>::operator()(long) const;operator<<(X&, char);main");
	flame_sample(flame, "java", 70000,
		     "Lcom/x/Y\1::run#j;Interpreter#j;a->b#i;start_thread@/lib/libc.so.6");
	flame_sample(flame, "gone", 60000, "@/lib/libphp5.so (x);@[vdso];#;main");
	flame_sample(flame, "cut", 50000, "malloc@/lib/libc.so.6;g@/bin/cut#ct");
	flame_sample(flame, "bad", 40000,
		     "\x1b[31mred;by\xadte;line\nbreak;\xed\xa0\x80;a&b<c>\"d'");
	flame_sample(flame, "f", 30000, "f");
	flame_sample(flame, "f", 20000, "g;f");
	flame_sample(flame, "f", 10000, "f-g");
	flame_sample(flame, "f", 10000, "f g");
	flame_sample(flame, "", 9000, "no command;of any name");
	flame_sample(flame, "idle", 8000, "");
}

#endif
