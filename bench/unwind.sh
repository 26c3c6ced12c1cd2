#!/bin/sh
# Walking copied stacks, beside perf: CPU time and memory for the same recording, with and without inlined
# functions; and what copies cost a program that is sampled. As root. Usage: unwind.sh BUILD [ROUNDS]
set -eu

build=$(realpath "$1") rounds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >program.cc <<'END'
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>
int main(int, char **arguments)
{
	std::mt19937 random(1);
	std::map<std::string, std::vector<int>> all;
	double sum = 0;
	unsigned rounds = 0;
	for (; clock() < atoi(arguments[1]) * CLOCKS_PER_SEC; rounds++) {
		std::vector<int> values(2000);
		std::generate(values.begin(), values.end(), [&] { return (int)(random() % 5000); });
		std::sort(values.begin(), values.end());
		for (int value : values)
			all["key " + std::to_string(value)].push_back(value);
		for (auto &[key, list] : all)
			sum += std::accumulate(list.begin(), list.end(), 0.0, [](double a, int b) { return a + b; });
		if (rounds % 10 == 9)
			all.clear();
	}
	fprintf(stderr, "%u rounds of the program%s\n", rounds, sum < 0 ? "!" : "");
}
END
c++ -std=c++17 -O2 -g -fomit-frame-pointer -o program program.cc

# cost NAME COMMAND...: its CPU time and memory.
cost() {
	name=$1
	shift
	/usr/bin/time -o cost -f "%U %S %M" "$@" >/dev/null 2>said
	awk -v name="$name" '{printf "%-32s %6.2f s %6.1f MiB\n", name, $1 + $2, $3 / 1024}' cost
}

fields=comm,pid,time,period,event,ip,sym,dso
perf record -q -e cpu-clock -F 499 --call-graph dwarf,16384 -o recording ./program 6 2>said
printf '%.0f MiB recorded\n' "$(($(stat -c %s recording) / 1048576))"
for round in $(seq "$rounds"); do
	cost "$round: weir convert" "$build/weir" convert recording -o folded
	cost "$round: perf script --no-inline" perf script --no-inline -i recording -F "$fields"
	cost "$round: weir convert --inline" "$build/weir" convert --inline recording -o folded
	cost "$round: perf script --inline" perf script --inline -i recording -F "$fields"
done

for round in $(seq "$rounds"); do
	echo "$round: not sampled: $(./program 3 2>&1)"
	for how in fp dwarf; do
		cost "$round: flame --unwind $how, 3 s program" "$build/weir" flame --unwind "$how" --frequency 999 -o folded -- ./program 3
		grep "of the program" said
	done
done
