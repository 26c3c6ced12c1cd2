#!/bin/sh
# An installed weir, and a stranger who builds a plugin against it with pkg-config alone.
# Usage: install.sh SOURCE BUILD
set -u
source=$1
. "$source/tests/tap.sh"
prefix=$tap_dir/prefix
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
umask 022
chmod 755 "$tap_dir"

install_weir() {
	meson setup "$tap_dir/build" "$source" --prefix="$prefix" --libdir=lib -Dtests=false &&
		meson install -C "$tap_dir/build"
}

template() {
	cp -r "$prefix/share/weir/sdk/template" "$tap_dir/mine" && make -C "$tap_dir/mine"
}

# moved: the same tree at another place.
moved() {
	mv "$prefix" "$tap_dir/elsewhere" && "$tap_dir/elsewhere/bin/weir" free | grep -q memory
	status=$?
	mv "$tap_dir/elsewhere" "$prefix"
	return $status
}

check "weir is installed into a prefix" install_weir
weir=$prefix/bin/weir
check "the installed weir finds its pipelines" sh -c "'$weir' list | grep -q biolatency"
check "the installed weir finds its plugins" sh -c "'$weir' free | grep -q memory"
check "an installed tree may be moved" moved

check "the template builds with pkg-config only" template
mine=$tap_dir/mine
check "the template's plugin is listed" sh -c "'$weir' plugins --plugin-path '$mine' | grep -q 'example.load .*1\\.0'"
check "it runs in a pipeline that names it by path" sh -c "'$weir' run '$mine/load.yaml' --interval 20ms --count 3 --format json | grep -c load1 | grep -qx 3"
check "it is described by path" sh -c "'$weir' describe '$mine/example.load.so' | grep -q threshold"
check "it passes the conformance kit" make -C "$mine" check

# A vendor's PMU, with nothing but the SDK, dropped into a folder of plugins.
vendor() {
	cp -r "$prefix/share/weir/sdk/examples/vendor-pmu" "$tap_dir/acme" && make -C "$tap_dir/acme"
}
acme=$tap_dir/acme
check "the vendor's PMU builds with pkg-config only" vendor
check "it passes the conformance kit, too" make -C "$acme" check
check "its events are listed" sh -c "'$weir' --plugin-path '$acme' events | grep -q '^pmu *PAGES '"
check "one of them is counted" sh -c \
	"'$weir' --plugin-path '$acme' stat --events acme::PAGES --format json -- true | grep '\"event\":\"acme::PAGES\".*\"count\":[1-9]'"
check "its set of metrics is there by name" sh -c \
	"'$weir' --plugin-path '$acme' stat --metrics acme --format json -- true | grep '\"metric\":\"page_rate\",\"value\":\"[1-9]'"
check "an event of it can be sampled" sh -c \
	"'$weir' --plugin-path '$acme' profile --event acme::PAGES --period 1 --format json -- ls / 2>&1 | grep 'samples of PAGES'"
check "without it the name is unknown" sh -c \
	"! '$weir' stat --events acme::PAGES -- true 2>'$tap_dir/said' && grep -q 'no event \"acme::PAGES\"' '$tap_dir/said'"

# A user to whom nothing is granted: the command that the verdict tells is carried out, to the letter.
nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
cure() {
	$nobody "$weir" verdict --duration 100ms --format json 2>/dev/null | python3 -c '
import json, sys
rows = json.load(sys.stdin)["not_checked"]
print(next(x["cure"].split("or ", 1)[1] for x in rows if x["what"] == "waits"))' >"$tap_dir/cure"
	cat "$tap_dir/cure"
	PATH=$PATH:/usr/sbin:/sbin sh "$tap_dir/cure"
}
allowed() {
	$nobody "$weir" verdict --duration 100ms --format json 2>"$tap_dir/said" >"$tap_dir/verdict"
	cat "$tap_dir/said" "$tap_dir/verdict"
	python3 -c '
import json, sys
sys.exit(json.load(open(sys.argv[1]))["not_checked"] != [])' "$tap_dir/verdict"
}
own_plugin() {
	$nobody "$weir" describe "$tap_dir/own/example.load.so" >"$tap_dir/said" 2>&1
}
refused() {
	! own_plugin && holds "$tap_dir/said" "with capabilities"
}
if [ "$(id -u)" = 0 ] && $nobody test -x "$weir" 2>/dev/null && ! $nobody "$weir" cachestat --count 1 --interval 10ms 2>/dev/null &&
	PATH=$PATH:/usr/sbin:/sbin command -v setcap >/dev/null; then
	mkdir -m 777 "$tap_dir/own"
	cp "$mine/example.load.so" "$tap_dir/own"
	check "an ordinary user's own plugin is taken" own_plugin
	check "the command that the verdict names to an ordinary user can be run" cure
	check "and allows all that was not looked at" allowed
	check "a weir with capabilities takes no plugin that others can write" refused
else
	skip "the command that the verdict names to an ordinary user can be run" "needs root, setcap, and that others may run weir here"
fi

sed 's/    interval: \${interval}/    interval: ${interval}\n    threshold: many/' "$mine/load.yaml" >"$mine/broken.yaml"
"$weir" check "$mine/broken.yaml" >"$tap_dir/said" 2>&1
check "its option errors point into the user's YAML" holds "$tap_dir/said" "broken.yaml:9:16: error:"
check "and name the option" holds "$tap_dir/said" "threshold"
finish
