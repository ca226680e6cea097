#!/bin/sh
# The gain that a report prints of a hint is the last line of `spmodel explain HINT RECORD`, which derives it from the
# record; no promise passes its floor (check_records); the record obeys its schema.
# SP_TEST_SMALL=1, as under sanitizers: two of the largest matrices have a quarter of the rows.
# Usage: hint_gains.sh SPMODEL CHECK_RECORDS CHECK_SCHEMA SCHEMA [STAND_IN]: the folder of the stand-in of the GPU module.
set -eu
spmodel=$1 check_records=$2 check_schema=$3 schema=$4 stand_in=${5:-}
dir=$(mktemp -d)
machine=$dir/described.json
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C.UTF-8 COLUMNS=120
unset NO_COLOR SPMODEL_MACHINE_DIR
fail() {
    echo "hint_gains.sh: $*"
    exit 1
}
. "$(dirname "$0")/this_machine.sh"
as_this_machine zen4-vm-2c "$machine"

: >"$dir/seen"
quarter=$((${SP_TEST_SMALL:-0} ? 4 : 1))
look_at() { # look_at ARGUMENTS...: every hint of an analysis
    rm -rf "$dir/out"
    "$spmodel" analyze --machine "$machine" --budget 20ms --no-plots --out "$dir/out" -v "$@" >"$dir/report" ||
        { cat "$dir/report"; fail "analyze $* failed"; }
    record=$(ls "$dir"/out/*.json)
    "$check_schema" "$schema" "$record" >"$dir/checked" || { cat "$dir/checked"; fail "$*: the record breaks its schema"; }
    "$check_records" "$record" >"$dir/checked" || { cat "$dir/checked"; fail "$*: the record does not hold together"; }
    sed -n 's/^ \([A-Z][0-9][0-9]\) .*  *\(time [−u].* %[ a-z]*\)  *confidence.*/\1 \2/p' "$dir/report" >"$dir/hints"
    while read -r id gain; do
        "$spmodel" explain "$id" "$record" >"$dir/explained" || fail "explain $id failed"
        grep -q "its gain    line by line:" "$dir/explained" || { cat "$dir/explained"; fail "$*: $id is not derived"; }
        last=$(tail -n 1 "$dir/explained" | sed 's/^ *promises *//')
        gain=$(echo "$gain" | sed 's/ *$//')
        [ "$last" = "$gain" ] || { cat "$dir/explained"; fail "$*: $id is printed as '$gain' and explained as '$last'"; }
        echo "$id" >>"$dir/seen"
    done <"$dir/hints"
    if grep -q "not available" "$dir/report"; then
        fail "$*: a hint that cannot be tried"
    fi
}

look_at gen:laplace3d:30 --threads 2
look_at gen:laplace3d:30+permuted:7 --threads 2
look_at gen:random:$((60000 / quarter)):6 --threads 2
look_at gen:random:$((100000 / quarter)):4 --threads 1 --cold
look_at gen:powerlaw:15:8:3 --threads 2 --schedule rows
look_at gen:block:3000:4:6:1 --threads 1 --format sell:32,1
look_at gen:laplace2d:200 --threads 2 --index i64
look_at gen:laplace3d:20 --threads 1 --op spmmv --rhs 2
look_at gen:anderson:24 --threads 2 --pages small --store plain
# A last level that can be divided: its ways are simulated, and a hint on them is as good as any.
whole=$machine
sed 's/{"level":3,/{"level":3,"partition":"matrix",/' "$machine" >"$dir/divisible.json"
machine=$dir/divisible.json
look_at gen:random:60000:8 --threads 2 --sim-llc 1MiB
grep -q '^ *divide  ' "$dir/report" || { cat "$dir/report"; fail "ways of the last level are not looked at"; }
machine=$whole
[ "$(wc -l <"$dir/seen")" -ge 3 ] || fail "only $(wc -l <"$dir/seen") hints were looked at"
[ "$(sort -u "$dir/seen" | wc -l)" -ge 2 ] || fail "only the rules $(sort -u "$dir/seen" | tr '\n' ' ')were looked at"
if [ -n "$stand_in" ]; then # how many hints there are hangs on what it measures
    LD_LIBRARY_PATH=$stand_in machine=$dir/stand-in.json
    export LD_LIBRARY_PATH
    "$spmodel" machine measure --device gpu --quick --size 4MiB -o "$machine" >"$dir/measured" 2>&1 ||
        { cat "$dir/measured"; fail "the stand-in cannot be measured"; }
    look_at gen:laplace2d:60+permuted:3 --device gpu --samples 4
    look_at gen:random:6000:8 --device gpu --samples 4 --format sell:32,1
else
    echo "not looked at: hints for GPUs need the stand-in of the GPU module, which needs a C++ compiler"
fi
echo "$(wc -l <"$dir/seen") hints of $(sort -u "$dir/seen" | tr '\n' ' ')"
