#!/bin/sh
# The border to plugins: recorded layout, headers that stand alone, one symbol per plugin.
# Usage: abi.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"

# abidiff says 0 for "nothing changed"; no suppressions, since they hide changed callbacks.
recorded() {
	"$source/sdk/abi/record.sh" "$tap_dir" && abidiff "$source/sdk/abi/weir.abi" "$tap_dir/weir.abi"
}

alone() {
	printf '#include <%s>\n' "${2#"$source"/sdk/include/}" >"$tap_dir/alone.$1"
	case $1 in
	c) cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wshadow -Wundef -I"$source/sdk/include" \
		-fsyntax-only "$tap_dir/alone.c" ;;
	bpf) printf '#include <linux/bpf.h>\n#include <%s>\n' "${2#"$source"/sdk/include/}" >"$tap_dir/alone.c" &&
		clang -target bpf -mcpu=v3 -std=gnu11 -Wall -Wextra -Werror -Wno-unused-function \
			-I"$source/sdk/include" -idirafter "/usr/include/$(cc -print-multiarch)" \
			-fsyntax-only "$tap_dir/alone.c" ;;
	cc) c++ -std=c++17 -Wall -Wextra -Werror -I"$source/sdk/include" -fsyntax-only "$tap_dir/alone.cc" ;;
	esac
}

one_symbol() {
	[ "$(nm -D --defined-only "$1" | awk '{print $3}')" = weir_component ] || { nm -D --defined-only "$1"; return 1; }
}

refused_by_cxx() {
	! c++ -std=c++20 -I"$source/sdk/include" -fsyntax-only "$1" 2>"$tap_dir/cxx" &&
		grep -q "static assertion failed" "$tap_dir/cxx"
}

needs_nothing() {
	! nm -D --undefined-only "$1" | grep ' weir_'
}

if command -v abidiff >/dev/null; then
	check "the ABI is what was recorded" recorded
	check "the recorded layout table is that of the record" same "$source/sdk/abi/layout.txt" "$tap_dir/layout.txt"
else
	skip "the ABI is what was recorded" "abidiff (abigail-tools) is not installed"
fi

# A source with a field of every type and a transform, both of ABI 1.0.
frozen() {
	cat >"$tap_dir/frozen.yaml" <<'END'
weir: 1
sources:
  toys: {plugin: toy.rows, rows: 7}
transforms:
  counted: {plugin: toy.count, inputs: [toys]}
sinks:
  out: {plugin: json, inputs: [counted]}
END
	"$build/weir" --plugin-path "$WEIR_TEST_PLUGINS/frozen" run "$tap_dir/frozen.yaml" >"$tap_dir/rows" &&
		grep -c '"count":7' "$tap_dir/rows" | grep -qx 1
}
check "plugins that were built from the headers of 1.0 run" frozen

# Of a member that moved, one that went, and a constant that changed.
asserted() {
	rm -rf "$tap_dir/changed" && cp -r "$source/sdk/include" "$tap_dir/changed" || return 1
	sed -i "$2" "$tap_dir/changed/weir/$1"
	cmp -s "$source/sdk/include/weir/$1" "$tap_dir/changed/weir/$1" && return 1
	! cc -std=gnu11 -D_GNU_SOURCE -I"$tap_dir/changed" -fsyntax-only "$source/sdk/abi/1.0/layout.c" 2>"$tap_dir/said" &&
		grep -q "$3" "$tap_dir/said"
}
check "a member that moves is found" asserted record.h 's/^\tuint32_t row_size;/\tuint64_t row_size;/' weir_batch.row_count
check "a member that goes is found" asserted component.h '/^\tuint64_t child;/d' child
check "a constant that changes is found" asserted schema.h 's/WEIR_DELTA = 4/WEIR_DELTA = 6/' '"WEIR_DELTA"'

# Which languages a header is for: BPF programs, C (bpftool's light skeletons are C only), or both
# C and C++. Told from what it includes, itself or through another header of the SDK.
languages() {
	case $(included "$1") in
	*bpf/bpf_*) echo bpf ;;
	*bpf/skel_internal.h*) echo c ;;
	*) echo c cc ;;
	esac
}

# included HEADER: it, and all that it includes, a line each.
included() {
	for name in $(sed -n 's/^#include [<"]\(.*\)[>"]/\1/p' "$1"); do
		echo "$name"
		for below in "$source/sdk/include/$name" "$(dirname "$1")/$name"; do
			[ -f "$below" ] && { included "$below"; break; }
		done
	done
}

for header in $(find "$source/sdk/include" -name '*.h' | sort); do
	short=${header#"$source"/sdk/include/}
	for language in $(languages "$header"); do
		check "$short compiles by itself as $language" alone "$language" "$header"
	done
done

check "a component is declared in C++ as in C" \
	c++ -std=c++20 -Wall -Wextra -Werror -Wno-missing-field-initializers \
	-I"$source/sdk/include" -fsyntax-only "$source/tests/abi/component.cc"
for wrong in 's/uint32_t b;/uint16_t b;/' 's/uint64_t at;/int64_t at;/'; do
	sed "$wrong" "$source/tests/abi/component.cc" >"$tap_dir/wrong.cc"
	check "... and $wrong does not compile" refused_by_cxx "$tap_dir/wrong.cc"
done

for plugin in "$build"/plugins/*.so; do
	check "$(basename "$plugin") exports one symbol" one_symbol "$plugin"
	check "$(basename "$plugin") needs nothing of weir" needs_nothing "$plugin"
done
finish
