#!/bin/sh
# Beside two processes that spin, README's command ends with 0, and either gives a verdict that can be, or says why
# there is none: no share of the roof above 110 %, no bottleneck and no losses in doubt. Usage: busy.sh SPMODEL MATRIX CHECK_RECORDS
set -eu
spmodel=$1 matrix=$2 check=$3
unset SPMODEL_ASSUME OMP_WAIT_POLICY
dir=$(mktemp -d)
spinners=''
# shellcheck disable=SC2086 # a list of processes
finish() { kill $spinners 2>/dev/null || true; rm -rf "$dir"; }
trap finish EXIT
trap 'exit 1' INT TERM
fail() { echo "busy.sh: $*"; exit 1; }

cd "$dir"
for i in 1 2; do
    timeout 300 sh -c 'while :; do :; done' & # also where this test is killed
    spinners="$spinners $!"
done
n_verdicts=0
for i in 1 2 3; do
    "$spmodel" analyze "$matrix" --no-plots --json=$i.json >"$i.txt" 2>"$i.err" || fail "run $i ended with $?: $(cat "$i.err")"
    head -n 1 "$i.txt" | grep -E '(clean|busy|unusable): ' || fail "run $i does not say in what state the machine was"
    [ "$(head -n 6 "$i.txt" | cut -d ' ' -f 1 | tail -n 5 | tr '\n' ' ')" = "possible reached lost do trust " ] || fail "run $i has no six lines"
    if grep -q '^do  *not known: spmodel' "$i.txt"; then
        ! grep -Eq 'WHERE THE TIME GOES|^HINTS' "$i.txt" || fail "run $i explains what it doubts"
        code=0
        "$spmodel" analyze "$matrix" --no-plots -q --budget 100ms --fail-below bandwidth:0.01 --require-clean >/dev/null 2>&1 || code=$?
        [ $code = 0 ] || [ $code = 5 ] || fail "gates ended with $code, not with 0 or 5"
    else
        n_verdicts=$((n_verdicts + 1))
        grep -Eq 'WHERE THE TIME GOES|^lost  *not known: parts' "$i.txt" || fail "run $i neither explains nor doubts"
    fi
    tr -d ' \n' <"$i.json" | grep -Eo '"(bandwidth|model)_fraction":\{"value":[0-9.e+-]+' | sed 's/.*://' |
        awk '$1 > 1.1 { bad = 1; print "a share of " $1 } END { exit bad }' || fail "run $i is above its roof"
done
"$check" [123].json
echo "$n_verdicts of 3 runs beside two spinning processes gave a verdict"
