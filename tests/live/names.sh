#!/bin/sh
# The right name for every function, in flame, offcpu and convert: of a program in a chroot whose namesake outside has
# other functions, in a PID namespace, deleted or replaced while it runs, of processes that live 5 ms, of C++ and Rust
# with inlining, of what lld links. Usage: names.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir
program=$tap_dir/bin/worker
root=$tap_dir/root

if [ "$(id -u)" != 0 ]; then
	skip "the right name for every function" "needs root"
	finish
fi

cat >"$tap_dir/worker.c" <<'E'
#include <stdlib.h>
#include <time.h>
#define JOIN_(name, part) name##_##part
#define JOIN(name, part) JOIN_(name, part)
volatile unsigned long sink;
__attribute__((noinline)) void JOIN(NAME, spin)(void)
{
	for (int i = 0; i < 1000000; i++) sink += i;
	__asm__ volatile("");
}
/* The C library keeps no frame pointers: who calls it is not seen, but who calls that. */
__attribute__((noinline)) int JOIN(NAME, rest)(void)
{
	struct timespec wait = { 0, 1000000 };
	int left = nanosleep(&wait, NULL);
	__asm__ volatile("");
	return left;
}
__attribute__((noinline)) int JOIN(NAME, nap)(void)
{
	int left = JOIN(NAME, rest)();
	__asm__ volatile("");
	return left;
}
int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 1000;
	do {
		JOIN(NAME, spin)();
		JOIN(NAME, nap)();
	} while (clock() < ms * (CLOCKS_PER_SEC / 1000));
	return 0;
}
E

# built PATH NAME [OPTION...]: a worker whose functions are NAME_spin and NAME_nap.
built() {
	mkdir -p "$(dirname "$1")"
	to=$1 name=$2
	shift 2
	"${CC:-cc}" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -static -Wl,--build-id -DNAME="$name" "$@" \
		-o "$to" "$tap_dir/worker.c"
}

# run TOOL COMMAND...: folded stacks of it, in x.folded.
run() {
	tool=$1
	shift
	case $tool in
	flame) "$weir" flame --frequency 997 -o "$tap_dir/x.folded" -- "$@" ;;
	convert)
		"$weir" record --frequency 997 -o "$tap_dir/x.data" -- "$@" &&
			"$weir" convert "$tap_dir/x.data" -o "$tap_dir/x.folded"
		;;
	esac >/dev/null 2>"$tap_dir/err"
}

# watched TOOL: folded stacks of the worker of $pid, which runs already.
watched() {
	tool=$1
	case $tool in
	flame) "$weir" flame --frequency 997 --pid "$pid" --duration 1s -o "$tap_dir/x.folded" ;;
	offcpu) "$weir" offcpu --interval 0s --pid "$pid" --duration 1s -o "$tap_dir/x.folded" ;;
	convert)
		"$weir" record --frequency 997 --pid "$pid" --duration 1s -o "$tap_dir/x.data" &&
			"$weir" convert "$tap_dir/x.data" -o "$tap_dir/x.folded"
		;;
	esac >/dev/null 2>"$tap_dir/err"
}

# named NAME OTHER: there is the worker's function of that name, and no name is the other's.
named() {
	part=spin
	[ "$tool" = offcpu ] && part=nap
	holds "$tap_dir/x.folded" ";$1_$part" && lacks "$tap_dir/x.folded" "$2_"
}

# begun COMMAND...: the worker, running as $pid, for which $starter may wait.
begun() {
	"$@" 600000 &
	starter=$! pid=
	until [ -n "$pid" ]; do
		for each in $starter $(cat "/proc/$starter/task/$starter/children"); do
			case $(readlink "/proc/$each/exe") in
			*/bin/worker) pid=$each ;;
			esac
		done
		sleep 0.1
	done
}

ended() {
	kill -KILL "$pid"
	wait "$starter" 2>/dev/null
}

built "$program" outside
built "$root$program" inside
for tool in flame convert; do
	run $tool "$program" 300
	check "$tool: (a program where it is)" named outside inside
	run $tool unshare -pf --mount-proc "$program" 300
	check "$tool: a program in a PID namespace" named outside inside
	run $tool sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$0" 5; done' "$program"
	check "$tool: processes that live 5 ms" named outside inside
done
run flame chroot "$root" "$program" 300
check "flame: a program in a chroot has its names, not its namesake's" named inside outside
run convert chroot "$root" "$program" 300
# A recording has the path that the process saw: of two files there, the build-id chooses.
check "convert: in a chroot, no name is the namesake's" lacks "$tap_dir/x.folded" outside_
check "convert: which is said" holds "$tap_dir/err" "what lies there now is not the file that was mapped"
"$weir" convert --root "$root" "$tap_dir/x.data" -o "$tap_dir/x.folded" 2>"$tap_dir/err"
check "convert: with --root, a program in a chroot has its names" named inside outside

begun chroot "$root" "$program"
watched offcpu
check "offcpu: a program in a chroot has its names, not its namesake's" named inside outside
ended
begun unshare -pf --mount-proc "$program"
watched offcpu
check "offcpu: a program in a PID namespace" named outside inside
ended

begun "$program"
rm "$program"
for tool in flame offcpu; do
	watched $tool
	check "$tool: a program that was deleted while it runs" named outside inside
done
watched convert
check "convert: of a program that was deleted no name is made up" lacks "$tap_dir/x.folded" "outside_"
check "convert: and it is said" grep -q "are in $program and have no name: it could not be opened any more" "$tap_dir/err"
ended

built "$program" outside
begun "$program"
built "$program.new" inside
mv "$program.new" "$program"
for tool in flame offcpu; do
	watched $tool
	check "$tool: a program that was replaced while it runs" named outside inside
done
watched convert
check "convert: no name is of the program that took its place" lacks "$tap_dir/x.folded" "inside_"
check "convert: and it is said" grep -q "are in $program and have no name: what lies there now is not the file that was mapped" "$tap_dir/err"
ended

if command -v clang >/dev/null && command -v ld.lld >/dev/null; then
	CC=clang built "$program" linked -fuse-ld=lld
	readelf -lW "$program" >"$tap_dir/segments"
	check "(lld's code has another offset than address)" python3 -c '
import sys
loads = [line.split() for line in open(sys.argv[1]) if line.split()[:1] == ["LOAD"]]
code = [load for load in loads if "E" in load[6:8]]
base = int(loads[0][2], 16) - int(loads[0][1], 16)
assert code and all(int(load[1], 16) + base != int(load[2], 16) for load in code), loads' "$tap_dir/segments"
	for tool in flame convert; do
		run $tool "$program" 300
		check "$tool: a program that lld linked" named linked outside
	done
	begun "$program"
	watched offcpu
	check "offcpu: a program that lld linked" named linked outside
	ended
else
	skip "a program that lld linked" "needs clang and lld"
fi

# inlined LANGUAGE PATTERN: in flame and convert, with --inline.
inlined() {
	"$weir" flame --inline --frequency 997 -o "$tap_dir/x.folded" -- "$program" >/dev/null 2>"$tap_dir/err"
	check "flame: $1, with what was inlined" grep -q "$2" "$tap_dir/x.folded"
	"$weir" record --frequency 997 -o "$tap_dir/x.data" -- "$program" >/dev/null 2>"$tap_dir/err"
	"$weir" convert --inline "$tap_dir/x.data" -o "$tap_dir/x.folded" 2>"$tap_dir/err"
	check "convert: $1, with what was inlined" grep -q "$2" "$tap_dir/x.folded"
}

if ! [ -e "$build/plugins/dwarf.so" ]; then
	skip "C++ and Rust, with what was inlined" "built without libdw"
	finish
fi
if command -v g++ >/dev/null; then
	cat >"$tap_dir/worker.cc" <<'E'
#include <ctime>
volatile unsigned long sink;
namespace deep {
template <class T> struct adder {
	[[gnu::always_inline]] inline void add(T most) { for (T i = 0; i < most; i++) sink += i; }
};
[[gnu::noinline]] void outer(int most) { adder<long>().add(most); asm volatile(""); }
}
int main() { while (clock() < CLOCKS_PER_SEC / 2) deep::outer(1000000); }
E
	g++ -g -O1 -fno-omit-frame-pointer -o "$program" "$tap_dir/worker.cc"
	inlined "C++" ";deep::outer;.*add_\[i\] "
else
	skip "C++, with what was inlined" "there is no g++"
fi
cat >"$tap_dir/worker.rs" <<'E'
mod deep {
    #[inline(always)]
    fn add(most: u64) -> u64 { let mut s = 0u64; for i in 0..most { s = std::hint::black_box(s + i); } s }
    #[inline(never)]
    pub fn outer(most: u64) -> u64 { std::hint::black_box(add(std::hint::black_box(most))) }
}
fn main() {
    let begin = std::time::Instant::now();
    while begin.elapsed().as_millis() < 1000 { std::hint::black_box(deep::outer(1000000)); }
}
E
if command -v rustc >/dev/null &&
	rustc -g -O -C force-frame-pointers=yes --crate-name worker -o "$program" "$tap_dir/worker.rs" 2>"$tap_dir/err"; then
	inlined "Rust" ";worker::deep::outer;.*add_\[i\]"
else
	skip "Rust, with what was inlined" "there is no rustc that can"
fi
finish
