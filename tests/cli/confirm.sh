#!/bin/sh
# `spmodel track check --confirm`: measures again what regressed, and says why where it cannot. Bytes are simulated: no
# verdict hangs on a time.
# Usage: confirm.sh SPMODEL MACHINES
set -eu
spmodel=$1 machines=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp"
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" SPMODEL_STORE="$dir/store" TMPDIR="$dir/tmp"
unset SPMODEL_FAULT SPMODEL_COMMIT GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT || true
cd "$dir"
fail() {
    echo "confirm.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...: exit code, and the text on standard output or error
    wanted=$1 text=$2 code=0
    shift 2
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || code=$?
    cat "$dir/err" >>"$dir/out"
    [ $code -eq "$wanted" ] || { cat "$dir/out"; fail "$* exited with $code, not $wanted"; }
    grep -q -- "$text" "$dir/out" || { cat "$dir/out"; fail "$*: no '$text'"; }
}
cp "$machines/zen4-vm-2c.json" "machine 1.json"
"$spmodel" generate -q laplace2d:150 -o "a matrix.mtx"
measure() { # measure MATRIX: into the store
    rm -rf new
    "$spmodel" analyze -q --no-plots --no-hints --budget 20ms --samples 5 --store plain --sim-llc 64KiB --machine "machine 1.json" \
        --out new "$1" >report 2>&1 || { cat report; fail "analyze $1"; }
    expect 0 "1 record added" track add new
}
records() { find "$SPMODEL_STORE/records" -name '*.json' | wc -l; }

# Nothing to confirm; then a regression, with the command that would confirm it.
for i in 1 2; do measure "a matrix.mtx"; done
expect 0 "^ok " track check --metric bytes --confirm
[ "$(records)" -eq 2 ] || fail "something was measured again although all is well"
SPMODEL_FAULT=order measure "a matrix.mtx"
expect 1 "not confirmed yet: spmodel track check --confirm --series [0-9a-f]* --metric bytes$" track check --metric bytes
command=$(sed -n 's/.*not confirmed yet: spmodel //p' out)

# Where the fault persists it is confirmed, also for a check that comes later.
cp -r store faulty
SPMODEL_STORE="$dir/faulty"
SPMODEL_FAULT=order expect 1 "confirmed by a second session (+[0-9.]* % by itself)" $command
grep -q '^regressed ' out || { cat out; fail "not regressed"; }
grep -q "analyze a matrix.mtx --store plain --sim-llc 65536 --machine machine 1.json .*--samples 5 --budget 0.02 .*--bytes sim" out ||
    { cat out; fail "not what the record asked for"; }
[ "$(records)" -eq 4 ] || fail "the confirmation is not in the store"
expect 1 "confirmed by a second session" track check --metric bytes --confirm
[ "$(records)" -eq 4 ] || fail "what is confirmed was measured again"
expect 1 '"confirmed":true' track check --metric bytes --json
expect 1 "confirmed by a second session" track check --metric bytes --junit -
SPMODEL_STORE="$dir/store"

# Where it does not, it is not, and one round is enough.
expect 0 "regressed was not confirmed by a second session" track check --metric bytes --confirm=3
grep -q '^ok ' out || { cat out; fail "not ok"; }
[ "$(records)" -eq 4 ] || fail "not one record more"
expect 0 "^verdict: ok$" track check --metric bytes --lines
grep -q "^change: 0.000000000e+00 1 (simulated)$" out || { cat out; fail "no line of the change"; }
[ -z "$(ls tmp)" ] || fail "something is left in the folder of temporary files"

# Why not: another place, another matrix under the name, another commit, another machine; no exit code but the verdict's.
SPMODEL_FAULT=order measure "a matrix.mtx"
mkdir elsewhere
cd elsewhere
expect 1 "cannot be confirmed here: its matrix 'a matrix.mtx' is not here" track check --metric bytes --confirm
cd ..
for variable in SPMODEL_COMMIT GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT; do # as records take the commit from
    (
        export $variable=other
        expect 1 "cannot be confirmed here: it was measured at no named commit, and $variable says other" \
            track check --metric bytes --confirm
    )
done
mv "a matrix.mtx" kept
"$spmodel" generate -q laplace2d:20 -o "a matrix.mtx"
expect 1 "cannot be confirmed here: .* another series" track check --metric bytes --confirm
[ "$(records)" -eq 5 ] || fail "a record of another matrix is in the store"
mv kept "a matrix.mtx"
mv "machine 1.json" kept
expect 1 "cannot be confirmed here: measuring it again failed (exit code [234])" track check --metric bytes --confirm
mv kept "machine 1.json"
sed -e 's/"id": "[^"]*"/"id": "elsewhere"/' -e 's/"governor": "[^"]*"/"governor": "of another machine"/' \
    -e 's/"machine": "machine 1.json"/"machine": null/' -e 's/"start": "[^"]*"/"start": "2099-01-01T00:00:00Z"/' \
    new/*.json >elsewhere/record.json
SPMODEL_STORE="$dir/other" expect 0 "added" track add $(ls store/records/*/*.json | head -n 2) elsewhere/record.json
SPMODEL_STORE="$dir/other" expect 1 "this is not the machine it ran on: governor is .*, was of another machine" \
    track check --metric bytes --confirm

# A store that takes no record of this month (nor of another one of these years) costs no verdict.
cp -r store full
mv full/records full/kept
mkdir full/records
mv full/kept full/records/kept
year=$(date -u +%Y)
for month in 01 02 03 04 05 06 07 08 09 10 11 12; do : >"full/records/$year-$month" >"full/records/$((year + 1))-$month"; done
SPMODEL_STORE="$dir/full" expect 1 "cannot be confirmed here: the store takes no record: " track check --metric bytes --confirm
grep -q '^regressed ' out || { cat out; fail "no verdict"; }

# Where two records were measured.
set -- store/records/*/*.json
expect 0 "the same environment" machine diff "$1" "$2"
expect 2 "is a record and" machine diff "$1" zen4-vm-2c
sed 's/"key": "[0-9a-f]*"/"key": "0123456789abcdef"/' elsewhere/record.json >elsewhere/other.json
expect 5 "^differs *governor .* -> \"of another machine\"" machine diff "$1" elsewhere/other.json
grep -q "1 fact differs: not comparable" out || { cat out; fail "not one fact"; }

# Without names there is nothing to measure again.
"$spmodel" track export -q --anonymous --records shared new 2>/dev/null
SPMODEL_STORE="$dir/third" expect 0 "added" track add $(ls store/records/*/*.json | head -n 2) shared
SPMODEL_STORE="$dir/third" expect 1 "the record is anonymous" track check --metric bytes --confirm
expect 2 "whole number from 1 to 10" track check --confirm=0
expect 2 "whole number from 1 to 10" track check --confirm=many
echo "confirm.sh: confirmed, not confirmed, and why it cannot be"
