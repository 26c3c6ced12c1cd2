#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What machines can say about the text of the project: format, warnings of both compilers, two
# static analysers, shell scripts, and words that do not belong. Usage: lint.sh SOURCE BUILD, where
# BUILD is a build of all; its compile_commands.json says how each file is compiled.
set -u
source=$1 build=$2
. "$source/tests/tap.sh"
cd "$source" || exit 1
processors=$(nproc)

# The checkout may belong to another user.
tracked() {
	git -c safe.directory='*' ls-files -- "$@" | while IFS= read -r file; do
		[ -f "$file" ] && echo "$file"
	done
}

tracked >"$tap_dir/all"
if ! [ -s "$tap_dir/all" ]; then
	skip "lint" "no git, or no checkout of it: which files belong to the project is not known"
	finish
fi

# here TOOL SENTENCE: true where the tool is; else the sentence's check is skipped.
here() {
	command -v "$1" >/dev/null && return 0
	skip "$2" "$1 is not installed"
	return 1
}

formatted() {
	tracked '*.c' '*.h' | xargs clang-format --dry-run -Werror
}

# tidy FOLDER: its analyser may look at so many states of a function; LINT_STATES=225000 takes ten times as long.
tidy() {
	states="--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang"
	states="$states --extra-arg=max-nodes=${LINT_STATES:-20000}"
	tracked "$1/*.c" | grep -v '\.bpf\.c$' >"$tap_dir/files"
	while IFS= read -r file; do
		grep -q "\"file\": \".*/$file\"" "$build/compile_commands.json" && echo "$file"
	done <"$tap_dir/files" >"$tap_dir/compiled"
	[ -s "$tap_dir/compiled" ] || { echo "nothing of $1 is compiled in $build"; return 1; }
	xargs -P"$processors" -n1 sh -c '
		log=$(mktemp "$1/tidy.XXXXXX")
		clang-tidy -p "$2" --quiet $3 "$4" >"$log" 2>/dev/null && exit
		echo "clang-tidy refuses $4"
		cat "$log"
		exit 1' sh "$tap_dir" "$build" "$states" <"$tap_dir/compiled"
}

# The BPF side has a language of its own, SEC(), that cppcheck stops at.
cppchecked() {
	tracked '*.c' | grep -v '\.bpf\.c$' >"$tap_dir/files"
	cppcheck --enable=warning,performance,portability --error-exitcode=1 --quiet -j"$processors" \
		--std=c11 -D_GNU_SOURCE -D__x86_64__ -Isdk/include -Icore -Iplugins/flame \
		--suppressions-list=tests/lint/cppcheck.suppress --file-list="$tap_dir/files"
}

# The other compiler, kept for the next time: both refuse whatever they would warn of.
clang_builds() {
	[ -f "$build/clang/build.ninja" ] ||
		CC=clang meson setup "$build/clang" "$source" -Dwerror=true || return 1
	ninja -C "$build/clang" --quiet -k 0
}

scripts() {
	{
		tracked '*.sh'
		grep -lE '^#!/bin/sh' .ci/*
	} >"$tap_dir/files"
	# 1007: `a= b=` sets both empty. 1091: sourced files are checked by themselves. 2015:
	# `a && b || c` where b cannot fail. 2154: variables of tap.sh.
	xargs shellcheck -s sh -S warning -e 1007,1091,2015,2154 <"$tap_dir/files"
}

# none WHAT PATTERN PATH...: no tracked line matches. Left out are this script, which holds the
# patterns, and count.py, which knows what a TAP test says of itself.
none() {
	what=$1 pattern=$2
	shift 2
	if git -c safe.directory='*' grep -nIE "$pattern" -- "$@" ':!tests/lint/lint.sh' \
		':!tests/count.py'; then
		echo "$what"
		return 1
	fi
}

banned() {
	none "use snprintf, memcpy, strtok_r, strtol, localtime_r" \
		'\b(strcpy|strcat|strncpy|sprintf|vsprintf|strtok|atoi|atol|atof|gets|localtime|gmtime|alloca) *\(' \
		'*.c' '*.h'
}

names() {
	if grep -E '(^|/)(misc|utils?|common|helpers?|manager)(/|[._]|$)' "$tap_dir/all"; then
		echo "a name that says nothing about what is in it"
		return 1
	fi
}

places() {
	none "a path of somebody's machine" '(^|[^[:alnum:]_.])/(work|home|root|Users)/' .
}

words() {
	none "it says who wrote this or when, not what it is" \
		'\b(TODO|FIXME|XXX|HACK)\b|\b([Ss]ession|[Cc]olleague|[Ii]ssue #?[0-9]+|[Tt]his machine here)\b' .
}

here clang-format "clang-format" && check "clang-format would change nothing" formatted
for folder in core plugins sdk; do
	here clang-tidy "clang-tidy: $folder" && check "clang-tidy accepts $folder" tidy $folder
done
here cppcheck "cppcheck" && check "cppcheck finds nothing" cppchecked
here clang "clang" && check "clang builds everything without a warning" clang_builds
here shellcheck "shellcheck" && check "shellcheck accepts the scripts" scripts
check "no functions that cannot be used safely" banned
check "no folders or files for this and that" names
check "no paths of somebody's machine" places
check "no words about how the text came to be" words
finish
