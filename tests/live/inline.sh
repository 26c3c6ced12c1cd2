#!/bin/sh
# weir flame --inline --lines on programs whose inlined functions and lines are known from their source,
# with the debug information in the program, in a debug file, and split; and beside addr2line.
# Usage: inline.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
program=$tap_dir/inlined
code=$tap_dir/inlined.c

if ! [ -x "$build/tests/dwarf_lines" ]; then
	skip "inlined functions and lines" "built without libdw"
	finish
fi
if [ "$(id -u)" != 0 ]; then
	skip "inlined functions and lines" "needs root"
	finish
fi

cat >"$code" <<'END'
#include <time.h>
volatile unsigned long sink;
static inline __attribute__((always_inline)) void innermost(void)
{
	for (unsigned long i = 0; i < 100000; i++) sink += i; /* innermost */
}
static inline __attribute__((always_inline)) void middle(void)
{
	innermost(); /* middle */
}
__attribute__((noinline)) void outer(void)
{
	middle(); /* outer */
	__asm__ volatile("");
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 2) {
		outer();
		__asm__ volatile("");
	}
}
END

# line FUNCTION: "FUNCTION:inlined.c:N", the line that is marked so.
line() {
	echo "$1:inlined.c:$(grep -n "/\* $1 \*/" "$code" | cut -d: -f1)"
}

# built COMPILER OPTION...: $program.
built() {
	compiler=$1
	shift
	(cd "$tap_dir" && "$compiler" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls "$@" -o "$program" inlined.c)
}

# flame OPTION...: folded stacks of the program.
flame() {
	"$weir" flame "$@" --frequency 997 -o "$tap_dir/x.folded" -- "$program" >/dev/null 2>"$tap_dir/err"
}

chain=";outer;middle_[i];innermost_[i] "
lines=";$(line outer);$(line middle)_[i];$(line innermost)_[i] "

built cc -g
flame
check "without --inline there are the functions of the symbol table" holds "$tap_dir/x.folded" ";outer "
flame --inline
check "inlined functions stand above the function that they are in" holds "$tap_dir/x.folded" "$chain"
flame --inline --lines
check "every one has the line that the source has it on" holds "$tap_dir/x.folded" "$lines"
flame --lines
check "lines alone are those of the functions themselves" holds "$tap_dir/x.folded" ";$(line outer) "
check "and nothing is inlined then" lacks "$tap_dir/x.folded" "innermost"

objcopy --only-keep-debug "$program" "$tap_dir/inlined.debug"
objcopy --strip-all --add-gnu-debuglink="$tap_dir/inlined.debug" "$program"
flame --inline --lines
check "the same from a separate debug file" holds "$tap_dir/x.folded" "$lines"
rm "$tap_dir/inlined.debug"
flame --inline
check "without debug information it is said what would help" \
	grep -q "user frames are in $program and have no lines and no inlined functions: .* -g" "$tap_dir/err"

built cc -g -gsplit-dwarf
flame --inline --lines
check "the same from split DWARF" holds "$tap_dir/x.folded" "$lines"
chmod 666 "$tap_dir"/*.dwo
flame --inline --lines
check "a .dwo file that others may write is not opened" lacks "$tap_dir/x.folded" "innermost"
check "which is said" grep -q "split debug files (.dwo) of 1 units are not there, or could be changed" "$tap_dir/err"
rm "$tap_dir"/*.dwo

built cc -g -gz
flame --inline --lines
check "the same from compressed sections" holds "$tap_dir/x.folded" "$lines"
if command -v clang >/dev/null; then
	built clang -g -gdwarf-5
	flame --inline --lines
	check "the same as clang writes it, without .debug_aranges" holds "$tap_dir/x.folded" "$lines"
else
	skip "the same as clang writes it" "there is no clang"
fi

if command -v dwz >/dev/null; then
	built cc -g -gdwarf-4
	cp "$program" "$tap_dir/other"
	dwz -m "$tap_dir/common" "$program" "$tap_dir/other"
	flame --inline --lines
	check "the same after dwz took out what two programs share" holds "$tap_dir/x.folded" "$lines"
	rm "$tap_dir/common"
	flame --inline --lines
	check "without that part nothing is inlined" lacks "$tap_dir/x.folded" "innermost"
	check "which is said" holds "$tap_dir/err" "that several files share (dwz) is not there"
else
	skip "the same after dwz" "there is no dwz"
fi

# Functions' addresses, every seventh byte of them, 3000 at most.
addresses() {
	nm --defined-only -S "$1" | awk 'NF == 4 && $3 ~ /[tTwW]/ { print $1, $2 }' | sort | python3 -c '
import sys
addresses = []
for line in sys.stdin:
    start, size = (int(text, 16) for text in line.split())
    addresses += map(hex, range(start, start + size, 7))
print("\n".join(addresses[:3000]))'
}

# chains FILE: of each address the functions and lines, without the folders of files and discriminators.
# What has no debug information, as what the C library has added, addr2line names by the symbol table.
chains() {
	sed 's| (discriminator .*||; s|^/.*/||; s|^\.\./.*/||; s|:?$|:0|' "$1" | awk '
		/^0x/ { if (all !~ /\?\?:0/) printf "%s", all; all = "" }
		{ all = all $0 "\n" }
		END { if (all !~ /\?\?:0/) printf "%s", all }'
}

# What clang writes as DWARF 5, addr2line of binutils 2.40 does not read wholly; and of a build that is not
# optimized, where headers' functions are not inlined, it tells another file.
if command -v addr2line >/dev/null && command -v python3 >/dev/null &&
	! readelf -p .comment "$build/weir" | grep -q clang && ! nm "$build/weir" | grep -q __asan_init; then
	addresses "$build/weir" >"$tap_dir/addresses"
	"$build/tests/dwarf_lines" "$(realpath "$build/weir")" <"$tap_dir/addresses" >"$tap_dir/ours"
	addr2line -a -f -i -e "$build/weir" <"$tap_dir/addresses" >"$tap_dir/theirs"
	chains "$tap_dir/ours" >"$tap_dir/ours.chains"
	chains "$tap_dir/theirs" >"$tap_dir/theirs.chains"
	check "(there are inlined functions among 3000 addresses)" \
		test "$(wc -l <"$tap_dir/theirs.chains")" -gt 9500
	check "functions and lines at 3000 addresses of weir itself are those of addr2line" \
		same "$tap_dir/theirs.chains" "$tap_dir/ours.chains"
else
	skip "the functions are those of addr2line" "needs binutils, python3 and an optimized weir that gcc built"
fi
finish
