/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which slots of an array a BPF program may fill: new ones by number, and those that the user side
 * gives back when their thing has been silent (weir/slots.h). Shared by both. Includes nothing.
 */
#ifndef WEIR_BPF_SLOT_POOL_H
#define WEIR_BPF_SLOT_POOL_H

/* How many slots given back may wait for their next use; a power of two. */
#define WEIR_SLOTS_FREE 1024

/* Lies in the program's .bss, all zero at first. Slot 0 is never handed out. */
struct weir_slot_pool {
	unsigned long long used;  /* slots handed out for the first time; may run past the array */
	unsigned long long full;  /* events that found no slot; emptied by weir_cell_take() */
	unsigned long long taken; /* slots given back that were taken again */
	unsigned long long given; /* slots given back; taken <= given <= taken + WEIR_SLOTS_FREE */
	unsigned int free[WEIR_SLOTS_FREE];
};

#endif
