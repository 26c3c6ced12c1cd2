#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What `perf script` writes, and what each rule makes of it: headers in all their forms, names,
# modules, marks, events. The inputs are made up here, one for each rule.
# Usage: convert_script.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"

# gives INPUT EXPECTED OPTIONS...: \n and \t in both; messages to tap_dir/said
gives() {
	printf '%b' "$1" >"$tap_dir/in"
	printf '%b' "$2" >"$tap_dir/expected"
	shift 2
	"$build/weir" convert "$tap_dir/in" "$@" 2>"$tap_dir/said" >"$tap_dir/got" ||
		{ cat "$tap_dir/said"; return 1; }
	diff -u "$tap_dir/expected" "$tap_dir/got"
}

said() {
	holds "$tap_dir/said" "$1"
}

leaf='\t 10 leaf+0x1 (/bin/a)\n\t 20 main+0x2 (/bin/a)\n'

check "a command may have blanks and numbers" gives \
	"Web 2 work 7 31 [001] 5.000001: 40 cycles: \n$leaf\n" 'Web_2_work_7;main;leaf 40\n'
check "process and thread, with CPU, state and time" gives \
	"app 31/32 [001] d..2. 5.000001: 40 cycles:u: \n$leaf\n" 'app-31/32@cpu1;main;leaf 40\n' \
	--by comm,pid,tid,cpu
check "a thread alone is no process" gives \
	"app 31 5.000001: 40 cycles: \n$leaf\n" 'app-?/31;main;leaf 40\n' --by comm,pid,tid
check "neither time nor period: it weighs 1" gives "app 31 cycles: \n$leaf\n" 'app;main;leaf 1\n'
check "no command" gives " 31 5.1: 40 cycles: \n$leaf\n" 'main;leaf 40\n'
check "no event" gives "app 31 [001] 5.1: \n$leaf\n" 'app;main;leaf 1\n'
check "commands of threads that are gone" gives \
	":-1 -1 [000] 5.1: 3 cycles: \n$leaf\n:9 9 [000] 5.1: 4 cycles: \n$leaf\n" \
	':-1;main;leaf 3\n:9;main;leaf 4\n'
check "a header ends the sample before it" gives \
	"app 31 5.1: 4 cycles: \n$leaf""app 31 5.2: 5 cycles: \n$leaf" 'app;main;leaf 9\n'
check "a blank line between a header and its frames" gives \
	"app 31 5.1: 4 cycles: \n\n$leaf\n" 'app;main;leaf 4\n'
check "one frame behind the header" gives \
	"  app 31 5.1: 4 cycles:  10 leaf (/bin/a)\n  app 31 5.2: 5 cycles:  20 main (/bin/a)\n" \
	'app;leaf 4\napp;main 5\n'
check "what a tracepoint tells is no frame" gives \
	"app 31 5.1: 4 block:rq: 8,0 WS (bytes 20) of a (5)\napp 31 5.2: 5 block:rq: 8,0 R ()\n" \
	'app 9\n'
check "comments are left out" gives "# cmdline : perf record\n#\napp 31 1 cycles: \n$leaf" \
	'app;main;leaf 1\n'

check "samples of the first event" gives \
	"app 31 5.1: 4 cycles:P: \n$leaf\napp 31 5.2: 9 faults: \n$leaf\n" 'app;main;leaf 4\n'
check "others are told" said '1 of others are left out, such as faults: --event chooses'
check "an event that was asked for, without its modifier" gives \
	"app 31 5.1: 4 cycles:P: \n$leaf\napp 31 5.2: 9 faults:u: \n$leaf\n" 'app;main;leaf 9\n' \
	--event faults
check "events with slashes, and what is not wanted without a stack" gives \
	"app 31 5.1: 4 clock/freq=9/: \n$leaf\napp 31 5.2: 1 b:rq/x=no/: 8,0 () [a]\napp 31 5.3: 4 clock/freq=9/: \n$leaf" \
	'app;main;leaf 8\n'
check "samples instead of periods" gives \
	"app 31 5.1: 4 cycles: \n$leaf\napp 31 5.2: 5 cycles: \n$leaf\n" 'app;main;leaf 2\n' \
	--weight samples
check "a span of time, counted from the first sample" gives \
	"a 1 5.0: 1 c: \n$leaf\na 1 5.5: 2 c: \n$leaf\na 1 6.0: 4 c: \n$leaf\n" 'a;main;leaf 2\n' \
	--from 100ms --to 1s
check "one process" gives "a 1/2 5.0: 1 c: \n$leaf\na 3/2 5.5: 2 c: \n$leaf\n" 'a;main;leaf 2\n' \
	--pid 3
check "one thread" gives "a 1/2 5.0: 1 c: \n$leaf\na 1/4 5.5: 2 c: \n$leaf\n" 'a;main;leaf 2\n' \
	--tid 4
check "one command" gives "a b 1 5.0: 1 c: \n$leaf\na 1 5.5: 2 c: \n$leaf\n" 'a_b;main;leaf 1\n' \
	--comm 'a b'

# named NAME MODULE EXPECTED OPTIONS...: how a frame comes out, as the only one of a sample
named() {
	name=$1 module=$2 expected=$3
	shift 3
	gives "app 31 5.1: 1 cycles: \n\t ${pc:-7f10} $name+0x1f ($module)\n" "app;$expected 1\n" "$@"
}

check "parameters are left out" named 'ns::f(int, char const*) const' /bin/a 'ns::f'
check "those of a template's arguments stay" named \
	'void run<int (*)(), void ()>(int (*)())' /bin/a 'void run<int (*)(), void ()>'
check "operator() keeps its brackets" named 'F<int (int)>::operator()(int) const' /bin/a \
	'F<int (int)>::operator()'
check "operators of signs that are brackets elsewhere" named 'ns::operator->*(X, int)' /bin/a \
	'ns::operator->*'
check "operator<< of a template" named 'X& operator<< <char>(X&, char)' /bin/a \
	'X& operator<< <char>'
check "anonymous namespaces and lambdas stay" named \
	'(anonymous namespace)::g(int)::{lambda(int)#2}::operator()(int)' /bin/a \
	'(anonymous namespace)::g(int)::{lambda(int)#2}::operator()'
check "methods of Go stay" named 'net/http.(*conn).serve.func1' /bin/a 'net/http.(*conn).serve.func1'
check "a C++ name is told as its source has it" named _ZN2ns3fooEi /bin/a ns::foo
check "as it is, if that is wished" named _ZN2ns3fooEi /bin/a _ZN2ns3fooEi --no-demangle
check "an anonymous namespace of C++ is nothing of Rust" named _ZN12_GLOBAL__N_14funcEv /bin/a \
	'(anonymous namespace)::func'
check "Rust, as it was before 1.37" named _ZN5alloc3vec4push17h0123456789abcdefE /bin/a \
	alloc::vec::push
check "Rust, v0" named _RNvCs1234_7mycrate3foo /bin/a mycrate::foo
check "Rust, half undone as a C++ name" named \
	'core..x::Y$LT$T$GT$::_$u7b$$u7b$closure$u7d$$u7d$::h0123456789abcdef' /bin/a \
	'core::x::Y<T>::{{closure}}'
check "D" named _D3foo3barFZv /bin/a foo.bar
check "no name: its module's" named '[unknown]' /opt/x/libphp5.so '[libphp5.so]'
check "no name of a file that was deleted" named '[unknown]' '/opt/my x/srv (deleted)' \
	'[srv (deleted)]'
check "a module with brackets does not touch the name" named work '/opt/my x/srv (deleted)' work
check "neither name nor module" named '[unknown]' '[unknown]' '[unknown]'
check "kernel code, by its address" eval 'pc=ffffffff81000000 named f "[mod]" "f_[k]"'
kernel_modules() {
	for m in '[kernel.kallsyms]' '[nf_nat]' /boot/vmlinux-6.1 /lib/modules/6/x.ko.xz bpf_prog_1_x; do
		named f "$m" 'f_[k]' || return 1
	done
}
check "kernel code, by its module, without a whole address" kernel_modules
check "the vdso is user code" named f '[vdso]' f
check "code made at run time" eval \
	'named JS:f /tmp/perf-7.map "JS:f_[j]" && named JS:f /x/jitted-7-8.so "JS:f_[j]"'
check "Java: types, and calls inlined one into the other" named \
	'Lcom/a/B;::get->Ljava/M;::put->hash' /tmp/perf-7.map \
	'com/a/B:::get_[j];java/M:::put_[i];hash_[i]'
check "a JavaScript name that begins with L keeps it" named 'LazyCompile:*f /srv/a.js:1' \
	/tmp/perf-7.map 'LazyCompile:*f /srv/a.js:1_[j]'
check "an arrow of C++ is none of Java" named 'p::operator->()' /bin/a 'p::operator->'
check "frames that perf found to be inlined" gives \
	'a 1 5.0: 1 c: \n\t 10 leaf (inlined)\n\t 10 main+0x1 (/bin/a)\n' 'a;main;leaf_[i] 1\n'
check "lines of the source" gives \
	'a 1 5.0: 1 c: \n\t 10 leaf+0x1 (/bin/a)\n  a.c:7\n\t 20 main+0x2 (/bin/a)\n  a[27b25]\n' \
	'a;main:a;leaf:a.c:7 1\n'
check "names without a module, addresses without a name" gives \
	'a 1 5.0: 1 c: \n\t 10 leaf\n\t 20\n' 'a;[unknown];leaf 1\n'

check "a line that nobody understands is told with its number" gives \
	"a 1 5.0: 1 c: \n$leaf  ???\n\n" 'a;main;leaf 1\n'
check "what it is" said 'in:4: not understood: "  ???"'

check "what compat leaves to be desired: a sample without a blank line behind it" gives \
	"app 31 5.1: 4 c: \n$leaf\napp 31 5.2: 5 c: \n$leaf" 'app;main;leaf 4\n' --compat flamegraph
check "is told" said 'lost 1 rows: samples without a blank line behind them'

# Large enough for four threads; an odd line in the last part.
large() {
	awk 'BEGIN {
		for (i = 0; i < 300000; i++) {
			printf "app%d %d/%d 5.%06d: %d cycles:P: \n", i % 7, i % 7, i, i, i % 13
			printf "\t 10 f%d+0x1 (/bin/a)\n\t 20 g%d+0x%x (/bin/b)\n", i % 11, i % 3, i
			printf "\t ffffffff81000000 h%d+0x2 ([kernel.kallsyms])\n", i % 17
			if (i == 299990) print "  ???"
			print ""
		}
		print "other 1 9.0: 7 faults: \n\t 10 f (/bin/a)\n"
	}' >"$tap_dir/large"
	for threads in 1 2 4; do
		"$build/weir" convert "$tap_dir/large" --threads $threads --by comm,pid \
			>"$tap_dir/threads.$threads" 2>"$tap_dir/said.$threads" || return 1
	done
	cmp "$tap_dir/threads.1" "$tap_dir/threads.2" && cmp "$tap_dir/threads.1" "$tap_dir/threads.4"
}
check "threads read the same as one does" large
check "nothing is lost: the sum of all periods" eval \
	'[ "$(awk "{n += \$NF} END {printf \"%.0f\", n}" "$tap_dir/threads.4")" = 1799994 ]'
check "the line that one of them did not understand has its number" \
	holds "$tap_dir/said.4" "large:$((299991 * 5)): not understood"
check "what was left out of all parts is told once" \
	holds "$tap_dir/said.4" 'only 300000 samples of event cycles:P; 1 of others'

finish
