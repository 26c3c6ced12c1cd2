# SPDX-License-Identifier: BSD-2-Clause
# Scenarios: sourced by them. Each stages a bottleneck of known cause and victim on the real kernel,
# asks for a verdict while it lasts, and checks what the verdict says of it. Other processes may use
# the machine meanwhile: their findings, too, are true.
#
#	verdict; check "a spinner is blamed" finds cpu saturation '' 'spinner' 'victim'
#
# Usage of a scenario: NAME.sh SOURCE BUILD
# WEIR_REPEAT in the environment: so often, as one TAP.
if [ "${WEIR_REPEAT:-1}" -gt 1 ]; then
	for _ in $(seq "$WEIR_REPEAT"); do
		WEIR_REPEAT=1 sh "$0" "$@"
	done | awk -v turns="$WEIR_REPEAT" '
		/^(not )?ok / { sub(/ok [0-9]+/, "ok " ++count); bad += /^not/ }
		/^1\.\./ { plans++; next }
		{ print; fflush() }
		END { print "1.." count; exit bad > 0 || plans != turns }'
	exit
fi
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

# verdict [OPTION...]: what holds the machine back in the $window from now on: $tap_dir/verdict.
# $user: who asks, as a command's beginning; nothing: who runs the test.
window=5s user=
verdict() {
	$user "$weir" verdict --duration $window --format json "$@" >"$tap_dir/verdict" 2>"$tap_dir/verdict.err"
}

# verdict_begin [OPTION...]: the same in the background, once it sees what happens; verdict_end waits
# for it.
verdict_begin() {
	: >"$tap_dir/verdict.err"
	"$weir" verdict --duration $window --format json "$@" >"$tap_dir/verdict" 2>"$tap_dir/verdict.err" &
	verdict_pid=$!
	attached "$tap_dir/verdict.err"
}

verdict_end() {
	wait "$verdict_pid"
}

# judged PYTHON [NAME=VALUE...]: an expression over the verdict v, its findings f and resources r is
# true. has(NAME-REGEX, LIST) is true of causes or victims of which one has such a name.
judged() {
	python3 - "$tap_dir/verdict" "$@" <<'P' && return
import json, re, sys

def has(regex, people):
    return not regex or any(re.fullmatch(regex, p["comm"] or "") for p in people)

try:
    v = json.loads(open(sys.argv[1]).read())
except ValueError as e:
    sys.exit(f"no verdict: {e}")
names = dict(a.split("=", 1) for a in sys.argv[3:])
names.update(v=v, f=v["findings"], r=v["resources"], has=has, re=re)
if eval(sys.argv[2], names):
    sys.exit(0)
print("not so:", sys.argv[2], sys.argv[3:])
for x in v["findings"]:
    print(json.dumps(x, indent=1))
for x in v["resources"]:
    print(json.dumps(x))
print(json.dumps(v["not_checked"]), json.dumps(v["changes"]))
sys.exit(1)
P
	cat "$tap_dir/verdict.err"
	return 1
}

# finds RESOURCE KIND INSTANCE CAUSE VICTIM [first]: there is such a finding; the last three are
# regular expressions of a whole name, and '' is any or none. first: it is the first of all.
finds() {
	judged 'any(x["resource"] == resource and x["kind"] == kind
		and re.fullmatch(instance or ".*", x["instance"] or "")
		and has(cause, x["causes"]) and has(victim, x["victims"])
		and (not first or x["rank"] == 1) for x in f)' \
		resource="$1" kind="$2" instance="$3" cause="$4" victim="$5" first="${6-}"
}

# finds_no RESOURCE [KIND [INSTANCE]]: there is no such finding.
finds_no() {
	judged 'not any(x["resource"] == resource and (not kind or x["kind"] == kind)
		and re.fullmatch(instance or ".*", x["instance"] or "") for x in f)' \
		resource="$1" kind="${2-}" instance="${3-}"
}

finds_nothing() {
	judged 'not f'
}

# cpu_time: ticks so far: that CPUs were idle, with nothing to wait for, and all.
cpu_time() {
	awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; printf "%s %.0f\n", $5, all }' /proc/stat
}

# calm PERCENT COMMAND...: runs it again, 5 times at most, until CPUs were not busier than that
# meanwhile: what else runs here is no part of a scenario that needs the machine for itself. $busy is
# how busy they were.
calm() {
	busy_most=$1
	shift
	for _ in $(seq 5); do
		before=$(cpu_time)
		"$@"
		busy=$(echo "$before $(cpu_time)" | awk '{ print int(100 - 100 * ($3 - $1) / ($4 - $2)) }')
		[ "$busy" -le "$busy_most" ] && return
	done
	return 1
}

# until_so COMMAND...: waits, 20 s at most, until it succeeds.
until_so() {
	for _ in $(seq 400); do
		"$@" && return
		sleep 0.05
	done
	return 1
}
