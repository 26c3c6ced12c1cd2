# SPDX-License-Identifier: BSD-2-Clause
# Scenarios: sourced by them. Each stages a bottleneck of known cause and victim on the real kernel,
# asks for a verdict while it lasts, and checks what the verdict says of it. Other processes may use
# the machine meanwhile: their findings, too, are true.
#
#	verdict; check "a spinner is blamed" finds cpu saturation '' 'spinner' 'victim'
#
# Usage of a scenario: NAME.sh SOURCE BUILD
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

# verdict [OPTION...]: what holds the machine back in the 5 s from now on: $tap_dir/verdict.
verdict() {
	"$weir" verdict --duration 5s --format json "$@" >"$tap_dir/verdict" 2>"$tap_dir/verdict.err"
}

# verdict_begin [OPTION...]: the same in the background, once it sees what happens; verdict_end waits
# for it.
verdict_begin() {
	: >"$tap_dir/verdict.err"
	"$weir" verdict --duration 5s --format json "$@" >"$tap_dir/verdict" 2>"$tap_dir/verdict.err" &
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
print(json.dumps(v["not_checked"]))
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

# busy SECONDS: percent of the time that CPUs were not idle in the time from now on.
busy() {
	{
		head -1 /proc/stat
		sleep "$1"
		head -1 /proc/stat
	} | awk '{ idle[NR] = $5 + $6; for (i = 2; i <= 9; i++) all[NR] += $i }
		END { print int(100 - 100 * (idle[2] - idle[1]) / (all[2] - all[1])) }'
}

# until_so COMMAND...: waits, 20 s at most, until it succeeds.
until_so() {
	for _ in $(seq 400); do
		"$@" && return
		sleep 0.05
	done
	return 1
}
