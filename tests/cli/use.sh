#!/bin/sh
# The transform use: staged rows and small rules, whose answers are known.
# Usage: use.sh SOURCE BUILD
set -u
. "$1/tests/cli/staged.sh"

rows disks <<'Y'
columns: {disk: text, busy: ratio, queue: number, bytes: bytes, wait: ns, latency: histogram}
windows:
- {seconds: 1, rows: [[sda, 0.5, 1, 1000000, 5000000, "1200000*90"], [sdb, 0.9, 8, 4000000, 30000000, "1200000*50 33000000*50"]]}
- {seconds: 3, rows: [[sda, 0.1, 3, 3000000, 7000000, "1200000*10"], [sdb, 0.9, 8, 4000000, 50000000, "33000000*40"]]}
Y
rows tasks <<'Y'
columns: {pid: uint, comm: text, disk: text, bytes: bytes, wait: ns, start: time}
windows:
- seconds: 1
  rows:
  - [10, rsync, sdb, 5000000, 100000000, 2000000000]
  - [11, python3, sdb, 100000, 1100000000, 900000000000]
  - [12, quiet, sda, 10, 1, 900000000000]
- seconds: 3
  rows:
  - [10, rsync, sdb, 4700000, 100000000, 2000000000]
  - [11, python3, sdb, 200000, 1000000000, 900000000000]
Y
rules() {
	cat <<'Y'
weir-rules: 1
resources:
- resource: disk
  input: disks
  instance: disk
  figures:
    busy:  {of: busy, take: mean}
    queue: {of: queue, take: max}
    least: {of: queue, take: min}
    bytes: {of: bytes, take: rate}
    wait:  {of: wait, take: sum}
    full:  {of: busy > 80%, take: share}
    modes: {of: latency, take: modes}
    tasks: {input: tasks, match: disk, of: wait, take: sum}
    each:  {value: wait / 2}
    faults: {input: log, of: count, take: sum}
  utilization: busy
  saturation: queue
  errors: faults
  busy: busy > 15%
  unknown: {faults: nobody reads the log}
  findings:
  - kind: saturation
    when: busy > 70% && queue > 4
    because: a queue that long never empties
    cost: tasks
    summary: "BOTTLENECK disk ${instance}: [${modes}, ]${queue} queued, ${full} of the time[, ${faults} faults]"
    evidence: [queue, tasks, bytes]
    causes:
      {input: tasks, match: disk, by: bytes, take: rate, since: start, at_least: 10%,
       say: "${name} (pid ${pid}) ${value}, ${share} of the bytes, since ${age}"}
    victims:
      {input: tasks, match: disk, by: wait, others: true,
       say: "${name} (pid ${pid}) waited ${value} of ${window} for this disk"}
    next: ["weir biosnoop --disk ${instance}", "weir why ${victim_pid}", "weir x ${faults}"]
Y
}

rules | judge --format json
check "there is one row for each instance, and its figures" is \
	'[(x["instance"], round(x["utilization"], 3), x["saturation"], x["state"]) for x in r] == [("sda", 0.2, 3, "busy"), ("sdb", 0.9, 8, "SATURATED")]'
check "a figure whose input is not there is absent, with its reason" is \
	'r[0]["errors"] is None and r[0]["reason"] == "nobody reads the log"'
check "and is told as not checked" is \
	'v["not_checked"] == [{"resource": "disk", "what": "log", "reason": "this pipeline has no such input",
	  "text": "NOT CHECKED log (of disk): this pipeline has no such input", "cure": None}]'
check "one finding, about the right instance" is \
	'len(f) == 1 and (f[0]["rank"], f[0]["resource"], f[0]["instance"], f[0]["kind"]) == (1, "disk", "sdb", "saturation")'
check "its sentence has figures, and leaves out what is absent" is \
	'f[0]["summary"].startswith("BOTTLENECK disk sdb: 1.2 ms and 3") and f[0]["summary"].endswith(" ms, 8 queued, 100 % of the time")'
check "it costs what the tasks waited for this disk" is 'f[0]["cost_s"] == 2.3'
check "evidence has value, unit and spread" is \
	'[(e["metric"], e["value"], e["unit"]) for e in f[0]["evidence"]] == [("queue", 8, None), ("tasks", 2.3e9, "ns"), ("bytes", 2e6, "By/s")] and f[0]["evidence"][0]["spread"] == 0 and round(f[0]["evidence"][1]["spread"]) == 589255651'
check "the cause is who moved most, with its share of all" is \
	'[(c["pid"], c["comm"], round(c["share"], 2), c["value"]) for c in f[0]["causes"]] == [(10, "rsync", 0.97, 9.7e6 / 4)]'
check "the victim is who waited longest among the others" is \
	'[(x["pid"], x["comm"], x["wait_s"]) for x in f[0]["victims"]] == [(11, "python3", 2.1)]'
check "who began lately is the reason why it is now" is 'f[0]["why_now"] == "rsync (pid 10) began 2 s ago"'
check "what to run next is filled in, or left out" is \
	'f[0]["next"] == ["weir biosnoop --disk sdb", "weir why 11"]'

rules | judge
cat >"$tap_dir/want" <<'T'
BOTTLENECK disk sdb: 8 queued
  cause    rsync (pid 10) 2.4 MB/s, 97 % of the bytes, since 2 s
  victim   python3 (pid 11) waited 2.1 s of 4 s for this disk
  why now  rsync (pid 10) began 2 s ago
  next     weir biosnoop --disk sdb   weir why 11
T
grep -A4 BOTTLENECK "$tap_dir/answer" | sed 's/: .*8 queued.*/: 8 queued/' >"$tap_dir/told"
check "people read sentences" same "$tap_dir/want" "$tap_dir/told"
check "and what was not checked" holds "$tap_dir/answer" "this pipeline has no such input"

{
	rules
	rules | sed '1,2d'
} | judge --format json
check "what several resources of one name ask is told once" is \
	'[(x["resource"], x["what"]) for x in v["not_checked"]] == [("disk", "log")]'
{
	rules
	rules | sed '1,2d; s/^- resource: disk/- resource: other/'
} | judge --format json
check "what several resources ask is told once, with the names of all" is \
	'[(x["resource"], x["what"]) for x in v["not_checked"]] == [("disk, other", "log")]'

# Two resources: ranks by cost; one that explains another.
two() {
	cat <<Y
weir-rules: 1
resources:
- resource: a
  input: disks
  figures: {wait: {of: wait, take: sum, where: disk == "sda"}}
  findings:
  - {kind: saturation, when: wait > 1ms, because: x, cost: wait, summary: a}
- resource: b
  input: disks
  figures: {wait: {of: wait, take: sum, where: disk == "sdb"}}
  findings:
  - {kind: $1, when: wait > 1ms, because: x, cost: wait, summary: b$2}
Y
}
two saturation "" | judge --format json
check "findings are ranked by what they cost" is '[x["summary"] for x in f] == ["b", "a"] and [x["rank"] for x in f] == [1, 2]'
two saturation ", unless: [a]" | judge --format json
check "a finding that another explains is left out" is '[x["summary"] for x in f] == ["a"]'
check "though its resource keeps its state" is '[x["state"] for x in r] == ["SATURATED", "SATURATED"]'
two errors ", unless: [a/errors]" | judge --format json
check "but only by one of the kind that it names" is '[x["summary"] for x in f] == ["b", "a"]'
check "errors are a state of their own" is '[x["state"] for x in r] == ["SATURATED", "ERRORS"]'

# Faults in rules have their place.
rows tasks </dev/null
rm "$tap_dir/tasks.rows"
# faulty SENTENCE SED WHERE TEXT: rules that sed has changed are refused there, with that text.
faulty() {
	rules | sed "$2" | judge --format json
	check "$1" holds "$tap_dir/err" "$3"
	check "with its reason" holds "$tap_dir/err" "$4"
}
faulty "an unknown column is refused in its place" 's/of: busy,/of: bussy,/' "rules.yaml:7:17: error" \
	'unknown column "bussy"'
faulty "an unknown figure, too" 's/evidence: \[queue/evidence: [quue/' "rules.yaml:28:16: error" \
	"the name of a figure is expected here"
faulty "an unknown word in a sentence, too" 's/{queue} queued/{quue} queued/' "rules.yaml:27:14: error" \
	'${quue} is no figure'
faulty "an unknown key, too" 's/    because/    becuse/' "rules.yaml:25:13: error" '"becuse" means nothing here'
faulty "a kind that nobody knows, too" 's/kind: saturation/kind: slowness/' "rules.yaml:23:11: error" "kind is one of saturation"
faulty "a condition that is none, too" 's/when: .*/when: busy/' "rules.yaml:24:11: error" "when takes a condition"
faulty "an unknown way to take a figure, too" 's/take: max/take: most/' "rules.yaml:8:30: error" "take is one of mean, sum"
faulty "a length of time that is none, too" 's/^weir-rules: 1/&\nwhy_now: {lately: 60%}/' "rules.yaml:2:19: error" \
	"a number in units of time is expected here"
faulty "who starts a unit has a name" 's/^weir-rules: 1/&\nwhy_now: {lately: 60s, input: disks, of: disk}/' \
	"rules.yaml:2:10: error" '"match" and "of" are names'
rm "$tap_dir"/*.rows
rows disks <<'Y'
columns: {disk: text, busy: ratio, queue: number, bytes: bytes, wait: ns, latency: histogram}
windows: []
Y
rules | judge --format json
check "without rows there is nothing to find" is 'f == [] and r == [] and v["summary"].startswith("nothing holds")'
finish
