# SPDX-License-Identifier: BSD-2-Clause
# Scenarios: sourced by them. Each stages a bottleneck of known cause and victim on the real kernel,
# asks for verdicts while it lasts, and checks what the verdict says of it. Other processes may use
# the machine meanwhile: their findings, too, are true.
#
#	verdict; check "a spinner is blamed" finds cpu saturation '' 'spinner' 'victim'
#
# Usage of a scenario: NAME.sh SOURCE BUILD
# WEIR_REPEAT in the environment: so many verdicts are asked for while it lasts. Each must be right.
turns=${WEIR_REPEAT:-1}
source=$1 build=$2
. "$source/tests/tap.sh"
weir=$build/weir

# cpu_time: ticks so far, that CPUs were idle, and all; then the nanoseconds on a CPU of the process
# $watched, where there is one.
watched=
cpu_time() {
	awk '/^cpu / { for (i = 2; i <= 9; i++) all += $i; printf "%.0f %.0f ", $5 + $6, all }' /proc/stat
	if [ -n "$watched" ]; then cut -d ' ' -f 1 "/proc/$watched/schedstat"; else echo 0; fi
}

# verdict [OPTION...]: what holds the machine back in the $window from now on, $turns times:
# $tap_dir/verdict-1.json and so on. $user: who asks, as a command's beginning; nothing: who runs the
# test.
window=3s user=
verdict() {
	rm -f "$tap_dir"/verdict-*
	for turn in $(seq "$turns"); do
		cpu_time >"$tap_dir/verdict-$turn.cpu"
		$user "$weir" verdict --duration $window --format json "$@" >"$tap_dir/verdict-$turn.json" \
			2>"$tap_dir/verdict-$turn.err"
		cpu_time >>"$tap_dir/verdict-$turn.cpu"
	done
}

# verdict_begin [OPTION...]: that of one $turn in the background, once it sees what happens;
# verdict_end waits for it.
verdict_begin() {
	: >"$tap_dir/verdict-$turn.err"
	"$weir" verdict --duration $window --format json "$@" >"$tap_dir/verdict-$turn.json" \
		2>"$tap_dir/verdict-$turn.err" &
	verdict_pid=$!
	attached "$tap_dir/verdict-$turn.err"
}

verdict_end() {
	wait "$verdict_pid"
}

# judged PYTHON [NAME=VALUE...]: of each turn, an expression is true over the verdict v, its findings
# f, its resources r, and what the kernel counted meanwhile: the shares of CPU time that was not idle,
# `busy`, and of the time that $watched was on a CPU, `ran`; `turn` counts from 0. has(NAME-REGEX,
# LIST) is true of causes or victims of which one has such a name.
judged() {
	python3 - "$tap_dir" "$turns" "$@" <<'P'
import json, os, re, sys

folder, turns, expression, *rest = sys.argv[1:]
told = dict(a.split("=", 1) for a in rest)

def has(regex, people):
    return not regex or any(re.fullmatch(regex, p["comm"] or "") for p in people)

def shares(turn):
    path = f"{folder}/verdict-{turn}.cpu"
    if not os.path.exists(path):
        return {}
    before, after = ([int(x) for x in line.split()] for line in open(path))
    idle, ticks, ns = (b - a for a, b in zip(before, after))
    seconds = ticks / os.sysconf("SC_CLK_TCK") / os.cpu_count()
    return {"busy": 1 - idle / ticks, "ran": ns / 1e9 / seconds}

def wrong(turn):
    path = f"{folder}/verdict-{turn}"
    try:
        v = json.loads(open(path + ".json").read())
    except ValueError as e:
        return f"no verdict: {e}\n{open(path + '.err').read()}"
    names = {**told, **shares(turn), "v": v, "f": v["findings"], "r": v["resources"], "has": has,
             "re": re, "turn": turn - 1}
    if eval(expression, names):
        return None
    rows = [*v["resources"], v["not_checked"], v["changes"], shares(turn)]
    return "\n".join([f"not so: {expression} {rest}", *(json.dumps(x, indent=1) for x in v["findings"]),
                      *map(json.dumps, rows), open(path + ".err").read()])

faults = [f"verdict {turn} of {turns}: {text}" for turn in range(1, int(turns) + 1) if (text := wrong(turn))]
sys.exit("\n".join(faults) or 0)
P
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

# until_so COMMAND...: waits, 20 s at most, until it succeeds.
until_so() {
	for _ in $(seq 400); do
		"$@" && return
		sleep 0.05
	done
	return 1
}
