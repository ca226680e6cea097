#!/bin/sh
# A program that sends known numbers of messages and bytes by every kind of call: they are counted one by one.
# Usage: messages.sh SPMODEL PMPI_LIBRARY APP MPIEXEC
set -u
spmodel=$1 pmpi=$2 app=$3 mpiexec=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "messages: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
export XDG_CACHE_HOME="$dir/cache"
"$mpiexec" -n 2 true >"$dir/out" 2>"$dir/err" || { echo "SKIPPED: no processes can be started with $mpiexec here"; cat "$dir/err"; exit 77; }

# Under attach, with all numbers as they follow from the program's text, for four ranks.
mkdir "$dir/records"
"$spmodel" attach --mpi --machine ivb-e5-2660v2 -o "$dir/records" -- "$mpiexec" -n 4 "$app" >"$dir/out" 2>"$dir/err" || fail "attach --mpi exits with $?"
grep -q "^MESSAGES messages_app   4 ranks on 1 node " "$dir/out" || fail "the report does not say how many ranks there were"
grep -q "; 1 call of other collectives, whose" "$dir/out" || fail "one call is not one call"
record=$dir/records/messages_app.messages.json
[ -f "$record" ] || fail "no record of the job"
"$spmodel" attach --messages "$record" --json >"$dir/shown.json" 2>"$dir/err" || fail "the record cannot be shown"
python3 - "$dir/shown.json" 4 <<'END' || fail "the counts are not those of the program"
import json, sys
job, n = json.load(open(sys.argv[1])), int(sys.argv[2])
want = {}
def add(phase, frm, to, kind, messages, size):
    old = want.get((phase, frm, to, kind), (0, 0))
    want[phase, frm, to, kind] = (old[0] + messages, old[1] + size)
for r in range(n):
    nxt, before = (r + 1) % n, (r - 1) % n
    add(1, r, nxt, "message", 8 + 2, 8 * 10 * 8 + 7 * 4 + 3 * 4)
    add(2, r, before, "persistent", 10, 10 * 4 * 8)
    add(3, r, nxt, "neighbour", 3, 2 + 3 + 3)
    add(3, r, before, "neighbour", 3, 2 + 4 + 4)
    for there in (r - 1, r + 1):
        if 0 <= there < n:
            add(3, r, there, "neighbour", 1, 4)
    add(4, r, nxt, "one-sided", 3, 8 * (5 + 2 + 1))
    add(4, nxt, r, "one-sided", 2, 8 * (3 + 1))
got = {(p["phase"], q["from"], q["to"], q["kind"]): (q["messages"], q["bytes"]) for p in job["phases"] for q in p["pairs"]}
for key in sorted(set(want) | set(got)):
    if want.get(key) != got.get(key):
        print(key, "want", want.get(key), "got", got.get(key))
calls = {p["phase"]: p["collective_calls"] for p in job["phases"]}
sys.exit(want != got or calls != {1: 0, 2: 0, 3: 0, 4: 0, 5: 1} or job["ranks"] != n or job["ranks_incomplete"] != 0)
END

# Preloaded by hand, into a file that the user names; the same counts.
(cd "$dir" && SPMODEL_MESSAGES="$dir/by_hand.json" LD_PRELOAD="$pmpi" "$mpiexec" -n 4 "$app") >"$dir/out" 2>"$dir/err" || fail "the program fails with the library in front"
"$spmodel" attach --messages "$dir/by_hand.json" --json 2>/dev/null | grep -v '"begun"' >"$dir/second.json"
grep -v '"begun"' "$dir/shown.json" | cmp - "$dir/second.json" || fail "two ways, two counts"

# A rank that dies: its end is the command's, and nothing is claimed.
"$spmodel" attach --mpi --machine ivb-e5-2660v2 -o "$dir/records" -- "$mpiexec" -n 4 "$app" die >"$dir/out" 2>"$dir/err" && fail "a rank died, and all is well"
grep -q "MESSAGES not known" "$dir/out" || fail "the report does not say that nothing is known"

# What cannot be.
wrong() { # wrong CODE WORDS ARGUMENTS...
    code=$1 words=$2
    shift 2
    "$spmodel" attach "$@" >"$dir/out" 2>"$dir/err"
    [ $? = "$code" ] || fail "attach $* does not exit with $code"
    grep -q -e "$words" "$dir/err" || fail "attach $* does not say '$words'"
}
wrong 3 "No such file" --messages "$dir/none.json"
sed 's/"from": 0/"from": 4/' "$record" >"$dir/bad.json"
wrong 3 "a pair of ranks is not as it should be" --messages "$dir/bad.json"
sed 's/messages.1/messages.9/' "$record" >"$dir/bad.json"
wrong 3 "schema" --messages "$dir/bad.json"
wrong 2 "leave the rest out" --messages "$record" --mpi
wrong 2 "counts while a program runs" --mpi --capture "$dir"
OMPI_COMM_WORLD_SIZE=2 wrong 2 "put mpirun behind" --mpi -- true
echo "messages: ok"
