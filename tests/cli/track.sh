#!/bin/sh
# `spmodel track` and `compare`: what is put in on purpose is found and named, what cannot be compared is not.
# No verdict here hangs on a time that this machine took: bytes are simulated, times are written by vary_record.
# Usage: track.sh SPMODEL VARY_RECORD CHECK_SCHEMA SCHEMA EXAMPLES
set -eu
spmodel=$1 vary_record=$2 check_schema=$3 schema=$4 examples=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" SPMODEL_STORE="$dir/store"
unset SPMODEL_FAULT SPMODEL_COMMIT GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT || true
fail() {
    echo "track.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...: exit code, and the text on standard output or error
    wanted=$1 text=$2
    shift 2
    code=0
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || code=$?
    cat "$dir/err" >>"$dir/out"
    [ $code -eq "$wanted" ] || { cat "$dir/out"; fail "$* exited with $code, not $wanted"; }
    grep -q -- "$text" "$dir/out" || { cat "$dir/out"; fail "$*: no '$text'"; }
}
analyze() { # analyze FOLDER ARGUMENTS...
    folder=$1
    shift
    "$spmodel" analyze -q --no-plots --no-hints --budget 20ms --runs 3 --machine "$dir/machine.json" --out "$dir/$folder" "$@" \
        >"$dir/report" 2>&1 || { cat "$dir/report"; fail "analyze $*"; }
}
. "$(dirname "$0")/this_machine.sh"
as_this_machine zen4-vm-2c "$dir/machine.json"

# A gate without noise: simulated bytes, with a random order put in where none was asked for; x does not fit any L2.
expect 3 "no store of records" track log
for i in 1 2; do analyze bytes --store plain --sim-llc 64KiB gen:laplace2d:300; done
"$check_schema" "$schema" "$dir"/bytes/*.json >"$dir/check" || { cat "$dir/check"; fail "schema"; }
expect 0 "2 records added" track add "$dir/bytes"
expect 0 "0 records added.*2 there already" track add "$dir/bytes"
expect 3 "No such file" track add --store "$dir/none" "$dir/misspelt.json"
[ ! -e "$dir/none" ] || fail "a store was made for no record"
# A store that cannot be written is said once, with what to do, for however many records (also for root, who may write everywhere).
# (LLVM's OpenMP runtime writes a file of 1 KiB before main.)
mkdir "$dir/full" && cp "$dir/store/spmodel-store.json" "$dir/full/"
(trap '' XFSZ && ulimit -f 4 && "$spmodel" track add --store "$dir/full" "$dir/bytes" 2>&1) | cat >"$dir/out"
[ "$(grep -c 'error: ' "$dir/out")" = 1 ] && grep -q '^  remedy: ' "$dir/out" && grep -q '^0 records added' "$dir/out" ||
    { cat "$dir/out"; fail "two records for a store that cannot be written"; }
# Nor is anything said to be saved that is not; a series without times has no picture, which is said.
(trap '' XFSZ && ulimit -f 4 && "$spmodel" track report --html "$dir/full.html" 2>&1) | cat >"$dir/out"
grep -q 'raise the limit' "$dir/out" && ! grep -q '^saved' "$dir/out" || { cat "$dir/out"; fail "a page that cannot be written"; }
if "$spmodel" --version | grep -q 'SQLITE: *[0-9]'; then
    (trap '' XFSZ && ulimit -f 4 && "$spmodel" track export --sqlite "$dir/full.db" 2>&1) | cat >"$dir/out"
    grep -q 'remedy: free some space' "$dir/out" || { cat "$dir/out"; fail "a database that cannot be written"; }
fi
printf 'series,value,unit,date,machine,origin\na,1,B,2026-01-01,m,simulated\n' >"$dir/bytes.csv"
expect 0 "1 record added" track import --store "$dir/bytes-store" "$dir/bytes.csv"
expect 0 "remark: nothing to draw: no record has a time that holds: a · imported" track plot --store "$dir/bytes-store" --out "$dir/none"
expect 0 "simulated: compared as it is" track check --metric bytes
SPMODEL_FAULT=order analyze order --store plain --sim-llc 64KiB gen:laplace2d:300
grep -q '"fault"' "$dir"/order/*.json || fail "a fault without a flag"
expect 0 "1 record added" track add "$dir/order"
expect 1 "^regressed .*gen:laplace2d:300" track check --metric bytes
expect 1 '<failure message="regressed' track check --metric bytes --junit -
expect 1 "| regressed | gen:laplace2d:300" track check --metric bytes --markdown -
expect 5 "no complete record" track check --matrix 'nothing*'
expect 5 "is flagged: faults were put in on purpose" track accept --all
expect 0 "^accepted" track accept --all --flagged
expect 0 "^forgotten" track accept --all --drop

# A thread held back is in the record; what it does to the time is checked on records with times of their own.
SPMODEL_FAULT=straggler:3 analyze fault gen:laplace2d:60
grep -q "SPMODEL_FAULT=straggler:3" "$dir"/fault/*.json || fail "a fault without a flag"
analyze one gen:laplace2d:60
one=$(ls "$dir"/one/*.json)
grep -q '"code_hash": "[0-9a-f]\{16\}"' "$one" || fail "no hash of the kernel's code"
if strip -o "$dir/stripped" "$spmodel" 2>/dev/null; then
    "$dir/stripped" analyze -q --no-plots --no-hints --budget 20ms --machine "$dir/machine.json" --json gen:laplace2d:60 >"$dir/out"
    grep -q '"code_hash":{"value":null,"why":"the symbol table' "$dir/out" || fail "the code of a stripped program"
fi
vary() { # vary FIRST COUNT CHANGES...: records from minute FIRST on, in the store
    rm -rf "$dir/varied"
    mkdir "$dir/varied"
    "$vary_record" "$one" "$dir/varied" "$@"
    expect 0 "$2 records* added" track add "$dir/varied"
}
expect_cause() { # expect_cause CODE TEXT CHANGES...: in a store of its own, eight as before and one that is not
    cause_code=$1 cause=$2
    shift 2
    SPMODEL_STORE=$(mktemp -d "$dir/causes.XXXXXX")
    vary 0 8
    vary 400 1 "$@"
    expect "$cause_code" "$cause" track check
    SPMODEL_STORE=$dir/store
}
vary 0 8
expect 0 "^ok " track check --matrix '*:60'
vary 400 1 time=1.3 lambda=1.6
expect 1 "same traffic, less bandwidth at the kernel" track check --matrix '*:60'
grep -q "busy for unequal times: max/mean 1.60" "$dir/out" || { cat "$dir/out"; fail "the straggler is not named"; }
expect 0 "saved .*history-.*gp" track plot --matrix '*:60' --term gp --out "$dir/new/folder"
mv "$dir"/new/folder/history-*.gp "$dir"
expect 2 "names the folder of the pictures" track plot --out "$dir/t.svg"
grep -q "title 'regressed'" "$dir"/history-*.gp || { cat "$dir"/history-*.gp; fail "no verdict in the history"; }
expect_cause 1 "more traffic, same speed: bytes +20.0 % (simulated)" time=1.2 bytes=1.2
expect_cause 1 "the machine drifted: the load-only roof beside the kernel" time=1.25 roof=0.8
expect_cause 1 "the machine drifted: the load-only roof .*-20.0 %, bytes" time=1.25 roof=0.8 memory=1 sentinels=0
expect_cause 8 "the machine drifted: DRAM sentinel -20.0 %, control kernel +0.0 %" time=1.25 roof=0.8 dram=0.8 memory=1
expect_cause 1 "its arrays load more slowly, not the machine: .* DRAM sentinel +0.0 %" time=1.25 roof=0.8 memory=1
expect_cause 1 "less bandwidth at the kernel: .* DRAM sentinel +0.0 %, control kernel +0.0 %" time=1.25 memory=1
expect_cause 8 "the machine drifted: control kernel -20.0 %" time=1.25 control=0.8
grep -q "control kernel alone moved (-20.0 %)" "$dir/out" || { cat "$dir/out"; fail "the clock is not named"; }
expect_cause 1 "the kernel's machine code is another" time=1.25 code=2

# A release whose simulation gives other bytes: no commit is to blame. What says no version has the first one.
SPMODEL_STORE=$(mktemp -d "$dir/versions.XXXXXX")
grep -q '"version": 1' "$one" || fail "bytes without their version"
vary 0 4 version=0
vary 400 1
expect 0 "^ok" track check --metric bytes
vary 800 1 version=2 bytes=1.02
expect 5 "^not comparable" track check --metric bytes
grep -q "what simulated bytes are has changed: version 2 here, 1 in the records before it" "$dir/out" ||
    { cat "$dir/out"; fail "the version is not named"; }
expect 0 "^ok" track check
vary 801 1 version=2 bytes=1.02
expect 0 "^ok" track check --metric bytes
set -- "$SPMODEL_STORE"/records/*/varied-0000.json "$SPMODEL_STORE"/records/*/varied-0800.json
expect 5 "^differs *metrics.bytes.version *- -> 2" compare --metric bytes "$@"
expect 5 "what simulated bytes are has changed: version 1 in A, 2 in B" compare --metric bandwidth "$@"

# Bytes of 0 have no ratio, those below it are none.
SPMODEL_STORE=$(mktemp -d "$dir/nothing.XXXXXX")
vary 0 1 bytes=0
vary 400 1
vary 800 1 bytes=-1
set -- "$SPMODEL_STORE"/records/*/varied-0[048]00.json
expect 1 "bytes up from 0 against 1 record" compare --metric bytes "$1" "$2"
expect 5 "bytes unknown in B" compare --metric bytes "$2" "$3"
grep -q "^bytes .* unknown *unknown" "$dir/out" || { cat "$dir/out"; fail "bytes below 0 are shown"; }

# Instructions: unknown before anybody counted them, then a gate that 0.5 % moves.
SPMODEL_STORE=$(mktemp -d "$dir/counted.XXXXXX")
vary 0 2
expect 5 "instructions unknown in the newest record" track check --metric instructions
vary 400 1 instructions=100000
expect 5 "instructions unknown in the records before" track check --metric instructions
vary 800 1 instructions=100400
expect 0 "instructions +0.40 % .*measured: compared as it is" track check --metric instructions
vary 1200 1 instructions=101000 time=1.3
expect 1 "^regressed" track check --metric instructions
expect 1 "instructions an entry +0.6 % (measured)" track check
SPMODEL_STORE=$dir/store
expect 2 "instructions, not" track check --metric nonsense
# A run that beat its roof, as small ones do, has no share of 1976 %.
"$spmodel" track simulate -q --commits 2 --sessions 1 -o "$dir/beaten" 2>"$dir/err" || { cat "$dir/err"; fail "nothing was made"; }
grep -h '"end": "20' "$dir/beaten"/*.json | grep -qv 2040 && fail "a made record ends on another day than it begins"
for beaten in "$dir"/beaten/*.json; do
    sed '/"bandwidth_fraction"/,/}/ s/"value": *[0-9.e+-]*/"value": 19.76/' "$beaten" >"$dir/part" && mv "$dir/part" "$beaten"
done
expect 0 "2 records added" track add --store "$dir/over" "$dir/beaten"
expect 0 " >100 % of roof" track log --store "$dir/over"
expect 0 "| >100 %" track export --store "$dir/over" --markdown -
! grep -q 1976 "$dir/out" || fail "a share above 100 %"
expect 0 "gen:laplace2d:60 .* series" track log --what crs --last 1
[ "$(grep -c "[35] runs" "$dir/out")" -eq 2 ] || { cat "$dir/out"; fail "not the last of each of two series"; }
expect 0 "accepted .*gen:laplace2d:60" track accept --matrix '*:60'
expect 0 "it is the accepted baseline itself" track check --matrix '*:60'
grep -q "^ *time change not known$" "$dir/out" || { cat "$dir/out"; fail "not compared, but a change"; }
"$vary_record" "$one" "$dir/varied" 399 1
mkdir "$dir/drifted"
for record in "$dir"/varied/*-0399.json; do
    sed 's/"assumed"/"clean"/; s/"flags": \[ *$/&{"code": "Q28", "text": "it drifted"},/; s/"flags": \[\]/"flags": [{"code": "Q28", "text": "it drifted"}]/' "$record" >"$dir/drifted/one.json"
done
drifted=$(mktemp -d "$dir/drifting.XXXXXX")
expect 0 "1 record added" track add --store "$drifted" "$dir/drifted"
expect 5 "is flagged: it drifted" track accept --store "$drifted" --all
unusable=$(mktemp -d "$dir/unusable.XXXXXX")
sed 's/"assumed"/"unusable"/' "$record" >"$dir/drifted/one.json"
expect 0 "1 record added" track add --store "$unusable" "$dir/drifted"
expect 5 "has no times" track accept --store "$unusable" --all --flagged
expect 0 "2 records added" track add --store "$unusable" "$dir/beaten"
expect 5 "^accepted " track accept --store "$unusable" --all --flagged
grep -q "has no times" "$dir/out" || { cat "$dir/out"; fail "what is not accepted is not named"; }
vary 401 1 time=1.5
expect 1 "against the accepted baseline" track check --matrix '*:60'
expect 0 "forgotten" track accept --drop --matrix '*:60'
expect 0 "too few sessions" track locate --matrix '*:300'
vary 800 8 time=1.5
expect 0 "time +3[0-9].. %, worse" track locate --matrix '*:60'
expect 0 "matrix,configuration" track export --csv

# Two machines in one store: each has its own baseline, its own changes and its own picture; simulated bytes do not.
SPMODEL_STORE=$(mktemp -d "$dir/machines.XXXXXX")
vary 0 8
vary 100 8 env=feedfacefeedface time=2
vary 200 8 env=feedfacefeedface time=3
expect 0 "accepted .*(environment feedface)" track accept --all
[ "$(grep -c ^accepted "$dir/out")" -eq 2 ] || { cat "$dir/out"; fail "not one baseline a machine"; }
expect 0 "(environment feedface)  series .*, 16 sessions" track locate
[ "$(grep -c 'time +[45][0-9]\.. %' "$dir/out")" -eq 1 ] || { cat "$dir/out"; fail "not the change of one machine"; }
expect 0 "saved .*history-.*-feedface.gp" track plot --term gp --out "$dir"
[ "$(grep -c ^saved "$dir/out")" -eq 2 ] || { cat "$dir/out"; fail "not one picture a machine"; }
vary 300 1 env=0ddba110ddba1100 bytes=1.02
expect 5 "^not comparable" track check
expect 1 "against the accepted baseline\|^regressed" track check --metric bytes
expect 0 "^accepted" track accept --matrix '*:60' --since 2040-01-01T05:00:00Z
vary 301 1 bytes=1.02
expect 0 "^ok" track check --metric bytes
# Where the records of one machine's baseline are gone, the others' baselines hold.
dangling=$SPMODEL_STORE/pins/$("$spmodel" track log --json | sed -n '1s/.*"series":"\([0-9a-f]*\)".*/\1/p')-0000000000000000.json
echo '{"schema": "spmodel.pin/1", "records": ["gone"]}' >"$dangling"
vary 302 1 bytes=1.04
expect 3 " +2.0 % against the accepted baseline" track check --metric bytes
grep -q "names the record 'gone'" "$dir/out" || { cat "$dir/out"; fail "a damaged baseline is not named"; }
rm "$dangling"
expect 1 "^regressed" track check --metric bytes
expect 2 "say which records" track accept --drop
expect 2 "not with --drop" track accept --all --drop --records 2
expect 2 "not with --drop" track accept --all --drop --why release
expect 2 "unrecognized option '--last'" track accept --all --last 2
expect 0 "^accepted .* (environment feedface)  series [0-9a-f]*: 3 records up to 2040-01-01T03:27:00Z$" track accept --since 2040-01-01T03 --records 3
expect 0 "^accepted .*: 1 record of " track accept --machine '*'
expect 0 "^forgotten" track accept --all --drop
[ "$(grep -c ^forgotten "$dir/out")" -eq 3 ] || { cat "$dir/out"; fail "not every machine's baseline"; }
SPMODEL_STORE=$dir/store

# Several verdicts on one series say whose they are, in every form, and the command that confirms one means that one.
SPMODEL_STORE=$(mktemp -d "$dir/judged.XXXXXX")
vary 0 8
vary 100 8 env=feedfacefeedface machine=other
vary 700 1 env=feedfacefeedface machine=other time=1.5
vary 701 1 time=1.5
expect 1 "^regressed .* on other (environment feedface)  series" track check
grep -q "^2 verdicts on 1 series: 2 regressed$" "$dir/out" || { cat "$dir/out"; fail "two verdicts are not two series"; }
[ "$(grep -c '^regressed .* on .* (environment ' "$dir/out")" -eq 2 ] || { cat "$dir/out"; fail "not both places"; }
[ "$(grep -c -- "--confirm --series [0-9a-f]* --machine 'other'$" "$dir/out")" -eq 1 ] || { cat "$dir/out"; fail "which one?"; }
expect 1 "<testcase" track check --junit -
[ "$(grep -o '<testcase[^>]*>' "$dir/out" | sort -u | wc -l)" -eq 2 ] || { cat "$dir/out"; fail "two machines, one name"; }
expect 1 "| .* on other (environment feedface) series" track check --markdown -
expect 1 ",machine,env$" track check --csv
grep -q ",.other.,feedfacefeedface$" "$dir/out" || { cat "$dir/out"; fail "no machine in CSV"; }
expect 1 '"machine":"other","env":"feedfacefeedface"' track check --json
expect 1 "^env: feedfacefeedface" track check --lines
grep -q "^machine: other" "$dir/out" || { cat "$dir/out"; fail "no machine in lines"; }
expect 1 "^1 series: 1 regressed" track check --confirm=1 --machine other
grep -q "threads*  series" "$dir/out" || { cat "$dir/out"; fail "a place in the title of the only one"; }
grep -q "cannot be confirmed: .* another environment" "$dir/out" || { cat "$dir/out"; fail "what was confirmed?"; }
[ "$(find "$SPMODEL_STORE/records" -name '*.json' | wc -l)" -eq 19 ] || fail "more was measured again than what was chosen"

# locate goes by what check compares: simulated bytes belong to the caches, wherever they were simulated; measured ones do not.
SPMODEL_STORE=$(mktemp -d "$dir/strands.XXXXXX")
for i in 0 1 2 3; do vary $i 1 env=000000000000000$i; done
for i in 4 5 6 7; do vary $i 1 env=000000000000000$i bytes=1.05; done
expect 0 "threads*  series .*, 8 sessions" track locate --metric bytes
grep -q "bytes +5.0 %" "$dir/out" || { cat "$dir/out"; fail "the change of bytes is not found"; }
expect 0 "(environment 00000000)  series .*, 1 session$" track locate
[ "$(grep -c "too few sessions" "$dir/out")" -eq 8 ] || { cat "$dir/out"; fail "times of several environments together"; }
vary 100 8 env=0000000000000001 origin=measured bytes=2
vary 200 8 machine=bigger caches=2 bytes=0.5
expect 0 "on bigger (simulated caches [0-9a-f]*)  series .*, 8 sessions" track locate --metric bytes
grep -q "(environment 00000000)  series .*, 8 sessions" "$dir/out" || { cat "$dir/out"; fail "measured bytes have no strand"; }
[ "$(grep -c "bytes [+-]" "$dir/out")" -eq 1 ] || { cat "$dir/out"; fail "what cannot be compared is taken together"; }

# Series that differ in one option only have other titles and other cases of JUnit.
for option in "--pages small" "--pages huge"; do
    # shellcheck disable=SC2086 # two words
    analyze alike $option gen:laplace2d:40
done
SPMODEL_STORE=$dir/alike-store
expect 0 "2 records added" track add "$dir/alike"
expect 5 "gen:laplace2d:40 .*threads* pages=small  series [0-9a-f]\{8\}$" track check
expect 5 "<testcase" track check --junit -
grep -o '<testcase[^>]*>' "$dir/out" >"$dir/cases"
grep -q 'name=".* time series [0-9a-f]\{8\}"' "$dir/cases" || { cat "$dir/cases"; fail "no series in a test's name"; }
[ "$(sort -u "$dir/cases" | wc -l)" -eq 2 ] || { cat "$dir/cases"; fail "two series, one name"; }
expect 5 "| gen:laplace2d:40 | .*pages=small series [0-9a-f]* | " track check --markdown -
expect 0 "| gen:laplace2d:40 | .*pages=small | [0-9a-f]* | .* (measured) |" track export --markdown -
expect 0 'name="[^"]*pages=small series [^"]*" time="[0-9.e-]*"><system-out>time .* s (measured)' track export --junit -
[ "$(grep -o 'name="spmv[^"]*"' "$dir/out" | sort -u | wc -l)" -eq 2 ] || { cat "$dir/out"; fail "two records, one name"; }

# What is added: one record a line, too; nothing that was not measured to its end, nothing into a folder of other things.
SPMODEL_STORE=$dir/lines-store
"$spmodel" analyze -q --no-plots --no-hints --budget 10ms --machine "$dir/machine.json" --json="$dir/all.jsonl" --rhs 1,2 gen:laplace2d:40 >/dev/null
expect 0 "2 records added" track add "$dir/all.jsonl"
expect 0 "0 records added.*2 there already" track add "$dir/all.jsonl"
{
    head -n 1 "$dir/all.jsonl"
    echo '{"schema": "spmodel.rec'
} >"$dir/hurt.jsonl"
expect 3 "hurt.jsonl:2" track add "$dir/hurt.jsonl"
sed 's/"status": "complete"/"status": "interrupted"/' "$one" >"$dir/stopped.json"
expect 3 "not complete: its status is 'interrupted'" track add "$dir/stopped.json"
mkdir "$dir/other-things"
touch "$dir/other-things/file"
expect 3 "other things, such as 'file'" track add --store "$dir/other-things" "$one"
SPMODEL_STORE=$dir/store

# Another machine's record.
mkdir "$dir/elsewhere"
sed -e 's/"key": "[0-9a-f]*"/"key": "0123456789abcdef"/' -e 's/"id": "[^"]*"/"id": "elsewhere"/' \
    -e 's/"governor": "[^"]*"/"governor": "elsewhere"/' \
    -e 's/"start": "[^"]*"/"start": "2099-01-01T00:00:00Z"/' "$one" >"$dir/elsewhere/record.json"
expect 0 "1 record added" track add "$dir/elsewhere"
[ "$(grep -c . "$dir/elsewhere/record.json")" -gt 10 ] || fail "the record of another machine is empty"
expect 5 "not comparable" track check --matrix '*:60'
expect 5 'in another environment before: .* governor was ".*", is "elsewhere"' track check --matrix '*:60'

# compare goes by the same rule: times belong to the environment, simulated bytes to the caches, on any machine.
elsewhere=$dir/elsewhere/record.json
expect 5 "env.identity.governor differs" compare "$one" "$elsewhere"
expect 0 "simulated: compared as it is" compare --metric bytes "$one" "$elsewhere"
# Of digests compare shows the first digits.
digests() { # digests DIGIT: the record with a digest of 64 such digits
    sed "s/\"sha256\": [^,]*/\"sha256\": \"$(printf '%064d' 0 | tr 0 "$1")\"/" "$one" >"$dir/digest-$1.json"
    grep -q "\"$(printf '%064d' 0 | tr 0 "$1")\"" "$dir/digest-$1.json" || fail "the record has no digest"
}
digests 1
digests a
expect 5 '^differs *problem.sha256 *"111111111111" -> "aaaaaaaaaaaa"$' compare "$dir/digest-1.json" "$dir/digest-a.json"
sed '/"bytes": {/,/}/s/"origin": "simulated"/"origin": "measured"/' "$one" >"$dir/counted.json"
expect 5 "bytes of A are simulated, those of B measured" compare --metric bytes "$one" "$dir/counted.json"
expect 5 "^bytes *measured .* %   A simulated$" compare --metric bytes "$one" "$dir/counted.json"

# Damage is named, the others are used.
echo '{"schema": "spmodel.rec' >"$dir/store/records/2099-01/damaged.json"
expect 3 "damaged.json" track log
grep -q "gen:laplace2d:300" "$dir/out" || fail "a damaged record hides the others"

# The gate of examples/ci: nothing before it, then as before, then worse.
gate() { # gate CODE
    code=0
    (cd "$dir" && SPMODEL_STORE="$dir/gate" SPMODEL="$spmodel" sh "$examples/ci/gate.sh" gen:laplace2d:330) >"$dir/out" 2>&1 || code=$?
    [ $code -eq "$1" ] || { cat "$dir/out"; fail "the gate exited with $code, not $1"; }
}
gate 5
gate 0
grep -q 'failures="0"' "$dir/spmodel.xml" || fail "no JUnit file of the gate"
SPMODEL_FAULT=order gate 1

# A database replaces neither a pipe nor a link, as other outputs do not either.
if "$spmodel" --version | grep -q 'SQLITE: *[0-9]'; then
    mkfifo "$dir/pipe"
    ln -s linked.db "$dir/link.db"
    expect 4 "a database is a file" track export --sqlite "$dir/pipe"
    [ -p "$dir/pipe" ] || fail "the pipe was replaced by a database"
    expect 4 "a database is a file" track export --sqlite -
    expect 3 "the others are used" track export --sqlite "$dir/link.db" # one record was damaged above
    [ -L "$dir/link.db" ] && [ -s "$dir/linked.db" ] || fail "the link was replaced by a database"
fi

# Two records, two commands.
analyze other --format sell:8,1 gen:laplace2d:60
expect 5 "differs *request.format" compare "$one" "$(ls "$dir"/other/*.json)"
sed -E 's/"threads": [0-9]+,/"threads": 1,/' "$one" >"$dir/alone.json"
"$spmodel" compare "$dir/alone.json" "$dir/alone.json" >"$dir/out" 2>&1 || true # the spread of its runs decides how alike they are
grep -q " 1 thread .*series " "$dir/out" || { cat "$dir/out"; fail "one thread, and no name of its series"; }
sed -E 's/^( *"threads": )null/\14.0/' "$one" >"$dir/asked.json"
expect 5 "differs *request.threads *null -> 4$" compare "$one" "$dir/asked.json"
expect 0 "no change" compare --ab --rounds 3 --floor 90 'sleep 0.05' 'sleep 0.05'
expect 1 "B is slower" compare --ab --rounds 5 'sleep 0.02' 'sleep 0.4'
expect 3 "failed (exit code 1)" compare --ab --rounds 3 true false
expect 3 "was ended by signal 9" compare --ab --rounds 3 'kill -9 $$' true
expect 2 "the command B is empty" compare --ab --rounds 3 true ' '
# What ends it ends the command and what that has started: it would disturb what is measured next.
for signal in TERM INT; do
    rm -f "$dir/ab.pid"
    "$spmodel" compare --ab --rounds 3 "sleep 60 & echo \$! >'$dir/ab.pid'; wait; echo" true >/dev/null 2>"$dir/err" &
    ab=$! code=0
    while [ ! -s "$dir/ab.pid" ]; do sleep 0.05; done
    kill -$signal $ab
    wait $ab || code=$?
    [ $code -eq 143 ] || [ $signal$code = INT130 ] || fail "compare --ab ended with $code after SIG$signal"
    sleeper=$(cat "$dir/ab.pid")
    runs() { case $(sed 's/.*) //; s/ .*//' "/proc/$sleeper/stat" 2>/dev/null) in '' | Z) false ;; esac; }
    for _ in 1 2 3 4 5 6 7 8 9 10; do ! runs || sleep 0.2; done
    ! runs || { kill "$sleeper"; fail "a command of compare --ab goes on after SIG$signal"; }
done
# Several records have no one time: a slowdown in the second would go unseen.
expect 0 "time of the records" compare --ab --rounds 3 --floor 90 "cat '$one'" "cat '$one'"
# Records without a time, for the machine was too busy, are none of the commands' times.
sed 's/"state": *"assumed"/"state": "unusable"/' "$one" >"$dir/busy.json"
grep -q '"unusable"' "$dir/busy.json" || fail "no busy record"
expect 5 "time unknown in B" compare "$one" "$dir/busy.json" # more runs of what has none decide nothing
expect 5 "time unknown in A" compare "$dir/busy.json" "$one"
expect 5 '"change":null,"lo":null,"hi":null,' compare "$dir/busy.json" "$one" --json
# What an execution was resolved to is named to the last member, as its value alone.
sed -E '/"huge_share"/,/}/ s/("value": *)[0-9.]+/\10.25/' "$one" >"$dir/pages.json"
cmp -s "$one" "$dir/pages.json" && fail "no record with other pages"
expect 0 "resolved *placement.pages.huge_share [0-9.]* -> 0.25$" compare --metric bytes "$one" "$dir/pages.json"
expect 5 "undecided: 3 of 3 runs of A and 0 of B gave time, and it takes 3" compare --ab --rounds 3 "cat '$one'" "cat '$dir/busy.json'"
sed '/"time": {$/,/}/ s/"value": [0-9][0-9.e-]*/"value": 9/' "$one" >"$dir/nine.json"
expect 1 ", p < 0.001, 3 rounds in turn" compare --ab --rounds 3 "cat '$one'" "cat '$dir/nine.json'"
sed '/"time": {$/,/}/ s/"value": [0-9][0-9.e-]*/"value": 0/' "$one" >"$dir/zero.json"
expect 5 "0 of B gave time, and it takes 3: .* or their time is 0" compare --ab --rounds 3 "cat '$one'" "cat '$dir/zero.json'"
expect 5 "| undecided: .* | time | .* | not known | 3 rounds in turn, of which 0 of A and 0 of B count |" compare --ab --rounds 3 --markdown - "cat '$dir/busy.json'" "cat '$dir/busy.json'"
printf 'n=$(cat "$1" 2>/dev/null || echo 0); echo $((n + 1)) >"$1"; [ $((n %% 2)) = 0 ] && cat "$2" || cat "$3"' >"$dir/alternate.sh"
expect 0 "8 rounds in turn, of which 4 of A and 8 of B count" compare --ab --rounds 8 --floor 90 "sh '$dir/alternate.sh' '$dir/n' '$one' '$dir/busy.json'" "cat '$one'"
expect 3 "no run of A told bytes" compare --ab --rounds 3 --metric bytes true true
expect 3 "only some of the runs wrote a record" compare --ab --rounds 3 "cat '$one'" true
expect 3 "wrote 2 records" compare --ab --rounds 3 "cat '$one'" "cat '$one' '$one'"

expect 0 "the gate works" track selftest --trials 200
expect 1 "missed" track selftest --trials 100 --quick --session 3
expect 2 "no verb" track nonsense
expect 2 "goes with --ab" compare --rounds 3 "$one" "$one"
SPMODEL_FAULT=page expect 2 "no fault" analyze gen:laplace2d:20
echo "track.sh: store, verdicts, faults, damage"
