# Shell tests that hold weir against a peer tool: both read a tree of files made by hand, the peer in a
# chroot of it and weir by --root, and the files change between their two samples. Sourced after
# tap.sh. The trees: $tap_dir/one and $tap_dir/two; what both see: $tap_dir/root.

peer_root=$tap_dir/root

# peer_program PROGRAM...: with the libraries that they need. Fails where one is not installed.
peer_program() {
	for program; do
		path=$(command -v "$program") || return 1
		mkdir -p "$peer_root$(dirname "$path")"
		cp -L "$path" "$peer_root$path"
		for library in $(ldd "$path" | grep -o '/[^ ]*'); do
			mkdir -p "$peer_root$(dirname "$library")"
			[ -e "$peer_root$library" ] || cp -L "$library" "$peer_root$library"
		done
	done
}

# tree_file TREE PATH: what comes on stdin becomes that file of the tree one or two.
tree_file() {
	mkdir -p "$(dirname "$tap_dir/$1/$2")"
	cat >"$tap_dir/$1/$2"
}

# tree_show TREE: the files of the tree take the place of those that were there, each by a rename,
# and the clock last: who reads the clock first sees counters that are as new, or no new time.
tree_show() {
	(cd "$tap_dir/$1" && find . -type f ! -path ./proc/uptime; echo ./proc/uptime) |
		while read -r file; do
			mkdir -p "$peer_root/$(dirname "$file")"
			cp "$tap_dir/$1/$file" "$peer_root/.new"
			mv "$peer_root/.new" "$peer_root/$file"
		done
	(cd "$peer_root" && find proc sys -type f) | while read -r file; do
		[ -e "$tap_dir/$1/$file" ] || rm "$peer_root/$file"
	done
}

# peer_settled PID: it sleeps, and has done nothing for a while: it waits for its interval to pass.
peer_settled() {
	calm=0 before=
	for _ in $(seq 600); do
		now=$(grep -sE '^(State|voluntary_ctxt_switches|nonvoluntary)' "/proc/$1/status") || return 1
		case $now in
		*sleeping*) [ "$now" = "$before" ] && calm=$((calm + 1)) || calm=0 ;;
		*) calm=0 ;;
		esac
		[ $calm -ge 4 ] && return
		before=$now
		sleep 0.05
	done
	return 1
}

# peer_run OUTPUT COMMAND...: the peer with its first sample of tree one and its second of two. Its
# interval must be long: an alarm ends it early. A peer's child that samples for it gets the alarm.
peer_run() {
	output=$1
	shift
	tree_show one
	env LC_ALL=C S_COLORS=never S_TIME_FORMAT=ISO chroot "$peer_root" "$@" >"$output" 2>&1 &
	peer=$!
	peer_settled $peer || { cat "$output"; return 1; }
	sampler=$(cat "/proc/$peer/task/$peer/children" 2>/dev/null)
	sampler=${sampler%% *}
	[ -z "$sampler" ] || peer_settled "$sampler" || return 1
	tree_show two
	kill -ALRM "${sampler:-$peer}"
	wait $peer
}

# weir_run OUTPUT PIPELINE ARGUMENTS...: the rows of the one window between the trees, as JSON.
weir_run() {
	output=$1 pipeline=$2
	shift 2
	tree_show one
	: >"$tap_dir/weir.err"
	timeout 200 "$weir" "$pipeline" --root "$peer_root" --interval 50ms --count 1 --format json "$@" \
		>"$output" 2>"$tap_dir/weir.err" &
	runs=$!
	attached "$tap_dir/weir.err" || return 1
	tree_show two
	wait $runs || { cat "$tap_dir/weir.err"; return 1; }
}
