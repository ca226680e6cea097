#!/bin/sh
# `spmodel lab`: every reference solution passes its own checks on small matrices; a wrong prediction fails, a late
# one does not count, another student's record, edited numbers and edited bytes are flagged, noise decides nothing.
# No verdict here hangs on a time that this machine took. Usage: labs.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
cd "$dir"
fail() {
    echo "labs.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...
    wanted=$1 text=$2
    shift 2
    code=0
    "$spmodel" lab "$@" >"$dir/out" 2>"$dir/err" || code=$?
    cat "$dir/err" >>"$dir/out"
    [ $code -eq "$wanted" ] || { cat "$dir/out"; fail "lab $* exited with $code, not $wanted"; }
    grep -q -- "$text" "$dir/out" || { cat "$dir/out"; fail "lab $*: no '$text'"; }
}
begin() { # begin N STUDENT FOLDER: predicted as the solution has it
    "$spmodel" lab start "$1" --student "$2" --small --dir "$3" >/dev/null || fail "start $1"
    "$spmodel" lab predict "$1" --dir "$3" --from "$source"/labs/0"$1"-*/solution.json >/dev/null || fail "predict $1"
}
"$spmodel" machine measure --quick -q -o machine.json >/dev/null
run() { "$spmodel" lab run "$1" --dir "$2" --machine "$dir/machine.json" >"$dir/ran" 2>&1 || { cat "$dir/ran"; fail "run $1"; }; }

# Every lab: nothing fails; what stays undecided is what the lab leaves open on a machine that is shared.
for lab in "$source"/labs/[0-9]*; do
    n=$(basename "$lab" | sed 's/^0*\([0-9]\).*/\1/')
    begin "$n" reference "ref$n"
    grep -q '{{' "ref$n/sheet.md" && fail "sheet $n has open places"
    run "$n" "ref$n"
    code=0
    "$spmodel" lab check "$n" --dir "ref$n" >"$dir/out" || code=$?
    [ $code -eq 0 ] || [ $code -eq 5 ] || { cat "$dir/out"; fail "check $n: $code"; }
    for id in $(awk '$1 == "undecided" { print $2 }' "$dir/out"); do
        grep "\"id\": \"$id\"" "$lab/lab.json" | grep -q '"otherwise"' || { cat "$dir/out"; fail "check $n: $id is undecided"; }
    done
    [ "$(grep -c '^  pass' "$dir/out")" -ge 10 ] || { cat "$dir/out"; fail "check $n: too few checks"; }
    expect 0 "report.md" report "$n" --dir "ref$n"
    grep -q '^## Why' "ref$n/report.md" || fail "report $n"
    sed -n 's/^    spmodel explain \([^ ]*\)$/\1/p' "$lab/sheet.md" | while read -r term; do
        "$spmodel" explain "$term" >/dev/null || fail "sheet $n: explain $term"
    done
done
code=0
"$spmodel" lab grade ref* --csv=grades.csv >"$dir/out" || code=$?
[ $code -eq 0 ] || [ $code -eq 5 ] || { cat "$dir/out"; fail "grade: $code"; }
grep -q FLAG "$dir/out" && { cat "$dir/out"; fail "a reference solution is flagged"; }
[ "$(wc -l <grades.csv)" -eq "$(ls -d "$source"/labs/[0-9]* | wc -l | awk '{ print $1 + 1 }')" ] || fail "grades.csv"
grep -q '"ref1","reference",01-crs-balance,small,7,0,0,0,' grades.csv || { cat grades.csv; fail "the row of lab 1"; }

# Predictions: before the run, all of them, and right.
expect 2 "there is no lab '77'" start 77
expect 2 "no lab was started here" check 6
expect 0 "sheet " start 6 --student grace --small
expect 2 "was started in it before" start 6 --student grace
expect 5 "not predicted yet" check 6
expect 2 "no prediction for crs_values" run 6
expect 2 "has no question" predict 6 nothing=1
expect 2 "is a number" predict 6 crs_values=many
expect 0 "crs_values *17" predict 6 --from "$source"/labs/06-gpu-coalescing/solution.json crs_values=17
run 6 lab-6
expect 1 "fail *crs_values" check 6
grep -q "predicted 17; found 32" "$dir/out" || fail "a wrong prediction beside the result"
expect 0 "is late" predict 6 crs_values=32
expect 1 "fail *crs_values" check 6
expect 2 "small matrices\|large matrices\|another folder" start 6 --dir lab-6

# Another student's record; a number that was changed; the same with its digest mended; bytes that were made up.
begin 1 ada ada
run 1 ada
cp -r ada swapped
cp ref1/records/cold.json swapped/records/cold.json
expect 1 "FLAG *matrix *cold" grade --no-simulation swapped
expect 1 "FLAG *repeated *warm *the same record is in ada" grade --no-simulation ada swapped
mend() { # mend FOLDER RUN: state.json takes the digest that the file has now
    old=$(grep -A6 "\"$2\"" "$1/state.json" | sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' | head -1)
    sed -i "s/$old/$(sha256sum <"$1/records/$2.json" | cut -d' ' -f1)/" "$1/state.json"
}
cp -r ada edited
sed -i '/"performance": {/,/}/s/"value": \([0-9]\)/"value": 9\1/' edited/records/warm.json
expect 1 "FLAG *edited *warm" grade --no-simulation edited
mend edited warm
expect 1 "FLAG *arithmetic *warm *time x performance" grade --no-simulation edited
grep -q "FLAG *edited" "$dir/out" && fail "the digest was mended"
cp -r ada invented # a level's bytes, consistently doubled in x
python=$(command -v python3 || true)
if [ -n "$python" ]; then
    "$python" - invented/records/cold.json <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
level = r["levels"][-1]
extra = level["arrays"]["x"]["read_B"]
level["arrays"]["x"]["read_B"] += extra
level["read_B"] += extra
json.dump(r, open(sys.argv[1], "w"))
P
    mend invented cold
    expect 1 "FLAG *bytes *cold *simulated again" grade invented
fi

# Noise: with a spread written into the record times decide nothing.
sed -i '/"spread": {/,/}/s/"value": [0-9.e+-]*/"value": 0.5/' ada/records/warm.json
expect 5 "noise: the samples of 'warm' spread by 50 %" check 1 --dir ada
expect 5 '"verdict": "undecided"' check 1 --dir ada --json
echo "labs.sh: ok"
