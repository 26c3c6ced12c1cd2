/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A workload whose instructions are known: TIMES ten million rounds of two instructions, 60 % of
 * them in north, 30 in east, 10 in west. It needs no library, so that nothing else runs.
 */
	.text

	.macro	branch name, rounds
	.globl	\name
	.type	\name, %function
\name:
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	ldr	x0, =\rounds * TIMES
1:	subs	x0, x0, #1
	b.ne	1b
	ldp	x29, x30, [sp], #16
	ret
	.size	\name, . - \name
	.endm

	branch	north, 6000000
	branch	east, 3000000
	branch	west, 1000000

	.globl	_start
	.type	_start, %function
_start:
	mov	x29, #0
	bl	north
	bl	east
	bl	west
	mov	x0, #0
	mov	x8, #93 /* exit */
	svc	#0
	.size	_start, . - _start

	.section .note.GNU-stack, "", %progbits
