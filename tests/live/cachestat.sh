#!/bin/sh
# weir cachestat over a program that asks for known pages; mincore() says what is in the cache.
# Usage: cachestat.sh SOURCE BUILD
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
. "$source/tests/ask.sh"
weir=$build/weir
file=$tap_dir/file
pages=1000

if [ "$(id -u)" != 0 ]; then
	skip "cachestat over known pages" "needs root"
	finish
fi

tidy() {
	mountpoint -q "$tap_dir/fs" && umount "$tap_dir/fs"
	rm -rf "$tap_dir"
}
trap tidy EXIT

# A file system of the test's own, of one block group: what a file system reads of its own tables
# while a program uses a file is in the cache as well, and here it is known to be there already.
own_file_system() {
	export PATH="$PATH:/usr/sbin:/sbin"
	truncate -s 64M "$tap_dir/image" && mkfs.ext4 -q -F -E lazy_itable_init=0 "$tap_dir/image" &&
		mkdir "$tap_dir/fs" && mount -o loop "$tap_dir/image" "$tap_dir/fs"
}

if own_file_system 2>"$tap_dir/err"; then
	file=$tap_dir/fs/file
elif [ "$(stat -f -c %T "$tap_dir")" = tmpfs ]; then
	skip "cachestat over known pages" "$tap_dir is a tmpfs, which has no other place than the cache"
	finish
fi

# ask ACTION...: the program under weir; one row in $tap_dir/json, what it printed in $tap_dir/said.
ask() {
	rm -f "$tap_dir/err"
	: >"$tap_dir/err"
	"$weir" cachestat --interval 0 --comm cache_asks --format json >"$tap_dir/json" 2>"$tap_dir/err" &
	pid=$!
	attached "$tap_dir/err" || return 1
	"$build/tests/cache_reader" "$file" "$@" >"$tap_dir/said"
	kill -INT $pid
	wait $pid
}

# row EXPRESSION: true of the row? `had`: what mincore said before, in this order. A fault or two
# of the program's own code may be among the hits, or among the misses where a machine short of memory has
# dropped its page.
program row <<'P'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
had = [int(line) for line in open(sys.argv[2])]
assert len(rows) == 1, rows
if not eval(sys.argv[3], dict(rows[0], had=had)):
    sys.exit(f"not so: {sys.argv[3]}: {rows[0]} {had}")
P
row() {
	ask row "$tap_dir/json" "$tap_dir/said" "$1"
}

dd if=/dev/urandom of="$file" bs=4k count=$pages 2>/dev/null
# All of the program, and of the file system's tables, is in the cache after this.
"$build/tests/cache_reader" "$file" read drop read write

ask drop resident read resident
check "a cold file is misses only" row "had == [0, $pages] and $pages <= misses <= $pages + 5"
check "what was read ahead for it is no hit" row "hits is None or hits <= 5"
check "it was dropped before" row "dropped >= $pages - 10"

ask resident read
if grep -q '"hits":null' "$tap_dir/json"; then
	skip "a warm file is hits only" "this kernel does not tell"
	check "and the table says that" holds "$tap_dir/err" "hits are not known"
	finish
fi
check "a warm file is hits only" row "had[0] <= hits <= had[0] + 5 and $pages - had[0] <= misses <= $pages - had[0] + 5"
check "their ratio is 1" row "had[0] < $pages or ratio > 0.99"
ask bytes
check "50 reads of the same page are 50 hits" row "50 <= hits <= 55 and misses <= 5"
ask drop random resident
check "reads without read-ahead are a miss each" row "had[0] == 63 <= misses <= 68 and hits <= 5"
ask random
check "and then a hit each" row "63 <= hits + misses <= 68 and misses <= 5"
ask drop read read read
check "read three times: once missed, twice hit" row "$pages <= misses <= $pages + 5 and 2 * $pages <= hits <= 2 * $pages + 5"
ask drop map resident
check "pages that are faulted in are misses" row "had[0] == $pages <= misses <= $pages + 5 and hits <= 10"
ask write
check "new pages that are written are neither" row "written == $pages and dirtied >= $pages and misses <= 5 and hits <= 5"
cached() {
	awk '/^Cached:/ {printf "%.0f\n", $2 * 1024}' /proc/meminfo
}
before=$(cached)
ask
after=$(cached)
check "who does nothing has nothing" row "misses <= 5 and dirtied == 0 and written == 0 and hits <= 5"

# A run ends a moment after its last window does.
"$weir" cachestat --interval 1s --duration 2s --format json >"$tap_dir/windows" 2>/dev/null
check "what is left of a moment is no window" python3 -c '
import json, sys
from datetime import datetime
ends = [datetime.fromisoformat(json.loads(line)["t"][:26]) for line in open(sys.argv[1])]
sys.exit(not ends or any((b - a).total_seconds() < 0.02 for a, b in zip(ends, ends[1:])))' "$tap_dir/windows"

check "the cache's size is the kernel's" row "min($before, $after) - (64 << 20) < cached < max($before, $after) + (64 << 20)"
finish
