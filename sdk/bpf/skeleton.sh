#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Turns NAME.bpf.c into a light skeleton, a C header which carries the program and loads it:
#
#     skeleton.sh INPUT.bpf.c OUTPUT.skel.h DEPFILE [CLANG-ARGUMENT...]
#
# Needs clang and bpftool (CLANG, BPFTOOL override), no BTF of a kernel and no vmlinux.h. The
# output depends on the sources and the tools only, not on where they lie.
set -eu

if [ $# -lt 3 ]; then
	echo "usage: skeleton.sh INPUT.bpf.c OUTPUT.skel.h DEPFILE [CLANG-ARGUMENT...]" >&2
	exit 2
fi
input=$1 output=$2 depfile=$3
shift 3

clang=${CLANG:-clang}
bpftool=${BPFTOOL:-$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool || echo bpftool)}
sdk=$(cd "$(dirname "$0")/../include" 2>/dev/null && pwd) || sdk=.
name=$(basename "$input" .bpf.c)_bpf
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The target bpf has no system headers of its own: <linux/types.h> comes from the host's.
host_includes=$("$clang" -E -v -x c /dev/null 2>&1 |
	sed -n '/^#include </,/^End of search/s,^ \(/.*\),-idirafter \1,p')

# clang notes file and line of each instruction, for the verifier's log, and copies the line too if
# it finds the file. Paths are cut and put under a directory that is not there: no path of this
# machine, no copies (a third of the object), the same output wherever the sources lie.
# BPF_PROG() names a parameter that few programs use.
# shellcheck disable=SC2086 # the list of directories is meant to be split
"$clang" -target bpf -mcpu=v3 -O2 -g -std=gnu11 \
	-Wall -Wextra -Wshadow -Wstrict-prototypes -Wundef -Wformat=2 -Wvla -Wpointer-arith \
	-Wwrite-strings -Wimplicit-fallthrough -Wno-unused-parameter -Werror \
	-fdebug-compilation-dir=/weir -fdebug-prefix-map="$(dirname "$input")/=" \
	-fdebug-prefix-map="$sdk/=" \
	-MD -MF "$depfile" -MT "$output" \
	-I "$sdk" "$@" $host_includes -c "$input" -o "$work/$name.o"

# `gen object` leaves out the DWARF sections, so that no strip for bpf is needed.
"$bpftool" gen object "$work/$name.linked.o" "$work/$name.o"
"$bpftool" gen skeleton -L "$work/$name.linked.o" name "$name" >"$work/skeleton"

# bpftool's text is not ours to mend: the linter and the warnings it fails under are told so.
# Its loader program runs here and not in the kernel, see <weir/bpf/interpret.h>; what was
# attempted as a load or an attach failed is kept behind what the loader program reads.
# What the programs attach to is added, so that a failed load can say what this kernel lacks.
{
	printf '/* Made by skeleton.sh from %s; do not edit. */\n' "$(basename "$input")"
	printf '/* NOLINTBEGIN */\n#ifndef %s__TARGETS\n#define %s__TARGETS\n' "$name" "$name"
	printf '#include <errno.h>\n#pragma GCC diagnostic push\n'
	for warning in cast-qual pointer-arith; do
		printf '#pragma GCC diagnostic ignored "-W%s"\n' $warning
	done
	sed 's/\<bpf_load_and_run(&opts)/weir_bpf_load_and_run(\&opts, \&skel->attempt)/
		s/\<skel_raw_tracepoint_open(/weir_bpf_attach_to(\&skel->attempt, /
		s/^\t} links;$/&\n\tstruct weir_bpf_attempt attempt;/
		s,^#include <bpf/skel_internal.h>,#include <weir/bpf/interpret.h>,' "$work/skeleton"
	printf '\nstatic const char *const %s__targets[] __attribute__((unused)) = {\n' "$name"
	grep -aoE '(raw_tp|tp_btf|fentry|fexit|iter)/[A-Za-z0-9_]+' "$work/$name.o" | LC_ALL=C sort -u |
		sed 's/.*/\t"&",/'
	printf '\t0,\n};\n#pragma GCC diagnostic pop\n#endif\n/* NOLINTEND */\n'
} >"$work/header"
mv "$work/header" "$output"
