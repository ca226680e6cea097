#!/bin/sh
# `spmodel lab`: every reference solution passes its own checks on small matrices; a wrong prediction fails, a late
# one does not count, another student's record, edited numbers and edited bytes are flagged, noise decides nothing.
# No verdict here hangs on a time that this machine took. The first two labs stand for all; with `full` only the other
# labs are run and graded. Usage: labs.sh SPMODEL SOURCE [full]
set -eu
spmodel=$1 source=$2 full=${3:-}
labs=$(ls -d "$source"/labs/0[01]-*)
[ -z "$full" ] || labs=$(ls -d "$source"/labs/[0-9]* | grep -v '/0[01]-[^/]*$')
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 # lab 9 starts mpirun
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
    its=$(echo "$source"/labs/$(printf %02d "$1")-*)
    "$spmodel" lab predict "$1" --dir "$3" --from "$its/solution.json" >/dev/null || fail "predict $1"
    [ ! -d "$its/solution" ] || cp "$its"/solution/*.c "$3" # code of the reference
}
. "$here/this_machine.sh"
this_machine machine.json
run() { "$spmodel" lab run "$1" --dir "$2" --machine "$dir/machine.json" >"$dir/ran" 2>&1 || { cat "$dir/ran"; fail "run $1"; }; }

# What a sheet tells a student to type; measurements as short as can be. Spread over a shared machine they may be undecided.
typed() { # typed N LINE
    case $2 in
    "lab run"* | "lab check"* | "lab predict"* | "lab start"* | "machine measure"*) return 0 ;;
    analyze*) set -- "$1" "$2 --budget 20ms --samples 5 --no-plots --no-hints --machine $dir/machine.json --out $dir/typed" ;;
    esac
    code=0
    eval "\"\$spmodel\" $2" >"$dir/out" 2>&1 </dev/null || code=$?
    [ $code -eq 0 ] || [ $code -eq 5 ] || { cat "$dir/out"; fail "sheet $1: spmodel $2: exit code $code"; }
    [ -s "$dir/out" ] || fail "sheet $1: spmodel $2 prints nothing"
}

# Every lab: nothing fails; what stays undecided is what the lab leaves open on a machine that is shared.
mkdir reference && cd reference
cp ../machine.json here.json # what the sheets have measured by then
for lab in $labs; do
    n=$(basename "$lab" | sed 's/^0*\([0-9][0-9]*\)-.*/\1/')
    begin "$n" reference "lab-$n"
    grep -q '{{' "lab-$n/sheet.md" && fail "sheet $n has open places"
    minutes=$(sed -n 's/^## .*(\([0-9]*\) min)$/\1/p' "$lab/sheet.md" | awk '{ sum += $1 } END { print sum }')
    grep -q "\"minutes\": $minutes," "$lab/lab.json" || fail "lab $n: its sheet takes $minutes minutes, lab.json says otherwise"
    run "$n" "lab-$n"
    code=0
    "$spmodel" lab check "$n" >"$dir/out" || code=$?
    [ $code -le 1 ] || [ $code -eq 5 ] || { cat "$dir/out"; fail "check $n: $code"; }
    for id in $(awk '$1 == "undecided" { print $2 }' "$dir/out"); do
        grep -A1 "\"id\": \"$id\"" "$lab/lab.json" | grep -q '"otherwise"\|"timed": true\|"interval"\|:losses\.' || { cat "$dir/out"; fail "check $n: $id is undecided"; }
    done
    for id in $(awk '$1 == "fail" { print $2 }' "$dir/out"); do # a time that was foretold, or that one's own code takes
        grep "\"id\": \"$id\"" "$lab/lab.json" | grep -v '"otherwise"' | grep -q 'time_s\|"timed": true\|"interval"' || { cat "$dir/out"; fail "check $n: $id fails"; }
    done
    [ "$(grep -c '^  pass' "$dir/out")" -ge 10 ] || { cat "$dir/out"; fail "check $n: too few checks"; }
    cp "$dir/out" "$dir/check-$n"
    expect 0 "report.md" report "$n"
    grep -q '^## Why' "lab-$n/report.md" || fail "report $n"
    grep '^| .*within [0-9.]* %[^ ]*  *[^| ]' "lab-$n/report.md" && fail "report $n: a unit behind the tolerance"
    awk -f "$here/commands.awk" "lab-$n/sheet.md" | sed -n 's/^[0-9]*\t\(line\|code\)\tspmodel //p' >"$dir/lines"
    [ -s "$dir/lines" ] || fail "sheet $n has no commands"
    while read -r line; do typed "$n" "$line"; done <"$dir/lines"
done
if [ -n "$full" ] && [ ! -e /dev/nvidiactl ]; then
    for id in gpu_result gpu_faster; do
        grep -A2 "skipped *$id" "$dir/check-6" | grep -qi "gpu\|cuda" || { cat "$dir/check-6"; fail "lab 6: $id is not skipped with its reason"; }
    done
fi
code=0
"$spmodel" lab grade lab-* --csv=grades.csv >"$dir/out" || code=$?
[ $code -le 1 ] || [ $code -eq 5 ] || { cat "$dir/out"; fail "grade: $code"; }
grep -q FLAG "$dir/out" && { cat "$dir/out"; fail "a reference solution is flagged"; }
[ "$(wc -l <grades.csv)" -eq "$(echo "$labs" | wc -l | awk '{ print $1 + 1 }')" ] || fail "grades.csv"
if [ -n "$full" ]; then
    echo "labs.sh: ok"
    exit 0
fi
for line in '| balance of the triad a[i] = b[i] + s c[i] in doubles, plain stores | 16 B/flop | 16 B/flop | pass |' \
    '| highest speed of DLR1 (6.10 B/flop) at 46.6 GB/s | 7.64 Gflop/s | 7.639 Gflop/s, within 0.5 % | pass |' \
    '| that is 20 B/flop | 20 B/flop | equal to 20 B/flop, within 0.2 % | pass |'; do
    grep -qxF "$line" lab-0/report.md || { cat lab-0/report.md; fail "report 0: no line '$line'"; }
done
grep -qxF '             predicted 7.64 Gflop/s; found 7.639 Gflop/s, within 0.5 %' "$dir/check-0" || { cat "$dir/check-0"; fail "check 0: units"; }
# The ceilings that the first sheet has printed are those that its runs use.
for line in 'machine measure --quick -o here.json' 'lab run 0 --machine here.json'; do
    grep -qx "    spmodel $line" lab-0/sheet.md || fail "sheet 0 does not say: spmodel $line"
done
sed 's/"name": *"machine"/"name": "as-printed"/' "$dir/machine.json" >here.json
"$spmodel" lab run 0 --machine here.json --only warm >"$dir/ran" 2>&1 || { cat "$dir/ran"; fail "lab 0 with here.json"; }
grep -q 'as-printed' lab-0/records/warm.json || fail "lab 0 was run with other ceilings than those of here.json"
for id in held broken; do # on caches that are invented, the same everywhere
    grep -q "pass *$id " "$dir/check-1" || { cat "$dir/check-1"; fail "the layer condition: $id"; }
done
grep -q '"lab-1","reference",01-crs-balance,small,7,0,0,0,' grades.csv || { cat grades.csv; fail "the row of lab 1"; }
cd ..

# A folder of the current directory adds labs; it takes no place of those that came with the program.
mkdir labs
cp -r "$source"/labs/01-* labs/
sed -i.old 's/"title": ".*"/"title": "not the one that came with the program"/' labs/01-*/lab.json
expect 0 "Code balance of CRS" list
! grep -q "not the one" "$dir/out" || fail "./labs replaces a lab"
rm -r labs

# Predictions: before the run, all of them, and right.
expect 2 "there is no lab '77'" start 77
expect 2 "no lab was started here" check 6
expect 0 "sheet " start 6 --student grace --small
expect 2 "was started in it before" start 6 --student grace
echo >ada.txt
expect 4 "ada.txt/records: cannot make the folder: Not a directory" start 6 --dir ada.txt
expect 2 "--dir takes the name of a folder" start 6 --dir ""
expect 5 "not predicted yet" check 6
expect 2 "no prediction for crs_values" run 6
expect 2 "has no question" predict 6 nothing=1
expect 2 "is a number" predict 6 crs_values=many
expect 0 "crs_values *17" predict 6 --from "$source"/labs/06-gpu-coalescing/solution.json crs_values=17
run 6 lab-6
expect 1 "fail *crs_values" check 6
grep -q "predicted 17 sectors; found 32 sectors" "$dir/out" || fail "a wrong prediction beside the result"
expect 0 "is late" predict 6 crs_values=32
expect 1 "fail *crs_values" check 6
expect 2 "small matrices\|large matrices\|another folder" start 6 --dir lab-6

# Right in another unit; and what a check lets pass is told.
begin 4 units units
"$spmodel" lab predict 4 --dir units balance=8680 example=56.25 >/dev/null
"$spmodel" lab run 4 --dir units --only arrows >/dev/null
expect 1 "this is 1000 times the right value: it is asked for in B/flop" check 4 --dir units
grep -q "this is 100 times the right value: it is asked for in plain numbers" "$dir/out" || { cat "$dir/out"; fail "a percentage"; }
begin 5 tolerance tolerance
"$spmodel" lab run 5 --dir tolerance --only kkt >/dev/null
expect 5 "7.977 B/flop, should be equal to 7.98 B/flop, within 0.1 %$" check 5 --dir tolerance

begin 12 rounded rounded # three digits of 64/58
"$spmodel" lab predict 12 --dir rounded least=1.10 >/dev/null
"$spmodel" lab run 12 --dir rounded --only eco >/dev/null
expect 5 "pass *least" check 12 --dir rounded

# Lab 11's reference takes the bandwidth that the sheet has measured.
expect 0 "sheet " start 11 --student lecturer --small
solution=$(echo "$source"/labs/11-*/solution.json)
expect 3 "here.json: cannot open" predict 11 --from "$solution"
echo '{"ceilings": [{"name": "load", "value": 1e9}]}' >here.json
expect 3 "here.json: it has no number 'ceilings.name=load_mix.hi'" predict 11 --from "$solution"
echo '{"ceilings": [{"name": "load", "value": 1}, {"name": "load_mix", "hi": 1e12}]}' >here.json
expect 0 "own_time" predict 11 --from "$solution"
awk '$1 == "volume" { v = $2 } $1 == "own_time" { split($2, t, /\.\.\./) } END { exit !(v > 0 && t[1]*1200/v > 0.999 && t[1]*1200/v < 1.001 && t[2] > 1.999*t[1]) }' "$dir/out" ||
    { cat "$dir/out"; fail "lab 11's reference"; }

# A run that fails may have printed what was asked for: predictions are closed from its beginning.
begin 1 eve eve
expect 4 "the run 'cold' ended with exit code" run 1 --dir eve --only cold --machine none.json
expect 0 "is late" predict 1 --dir eve alpha=0.2

# Another student's record; a number that was changed; the same with its digest mended; bytes that were made up.
begin 1 ada ada
run 1 ada
# A mistyped option loses nothing of what was measured.
cp ada/records/cold.json "$dir/cold.kept"
cp ada/records/cold.txt "$dir/cold.kept.txt"
expect 4 "the run 'cold' ended with exit code" run 1 --dir ada --only cold --machine none.json
cmp -s ada/records/cold.json "$dir/cold.kept" || fail "a run that failed took the record of an earlier one"
cmp -s ada/records/cold.txt "$dir/cold.kept.txt" || fail "a run that failed took the report of an earlier one"
[ ! -e ada/records/cold.json.before ] || fail "a copy of the record stays"
cp -r ada swapped
cp reference/lab-1/records/cold.json swapped/records/cold.json
expect 1 "FLAG *matrix *cold" grade --no-simulation swapped
expect 1 "FLAG *repeated *5 of 6 records are also in ada: model, warm, held, broken, nt; both were first run at " grade --no-simulation ada swapped
cp -r ada third # two share all, with a third one five
expect 1 "^SHARED   ada, third share all 6 records$" grade --no-simulation ada swapped third
grep -q "^SHARED   ada, swapped, third share 5 of 6 records: model, warm, held, broken, nt$" "$dir/out" && [ "$(grep -c ^SHARED "$dir/out")" -eq 2 ] ||
    { cat "$dir/out"; fail "groups of copies"; }
cp -r ada twice # one run handed in as another one
cp twice/records/cold.json twice/records/nt.json
expect 1 "FLAG *command *nt" grade --no-simulation twice
grep -q "FLAG *repeated *nt .*under another name" "$dir/out" || { cat "$dir/out"; fail "one record under two names"; }
cp -r ada sizes # a model of other sizes
sed -i 's/"rows":[0-9]*/"rows":7/' sizes/records/model.json
expect 1 "FLAG *matrix *model" grade --no-simulation sizes
cp -r ada skips # a run that fails one's prediction, declared impossible
rm skips/records/cold.json
sed -i '/"cold": {/s/{/{"skipped": "no time",/' skips/state.json
expect 1 "FLAG *skipped *cold .*no time" grade --no-simulation skips
# A folder that is none, and one that is damaged: rows of their own, and the one after them is graded.
mkdir empty && cp -r ada damaged && echo '{' >damaged/state.json
expect 3 "there is no state.json" grade --no-simulation --csv=some.csv empty damaged ada
[ "$(wc -l <some.csv)" -eq 4 ] || { cat some.csv; fail "a folder without a row"; }
grep -q '^"empty",,,,,,,,,,,,,,1,"folder : no lab was started' some.csv || { cat some.csv; fail "the row of an empty folder"; }
awk -F, '/^"ada"/{ found = 1 } END { exit !found }' some.csv || { cat some.csv; fail "the folder after them"; }
# A record that was cut off costs its own points: the row is there, and what needs no record is judged.
cp -r ada cut && head -c 500 ada/records/cold.json >cut/records/cold.json
expect 1 "FLAG *edited *cold *records/cold.json cannot be read" grade --no-simulation cut
grep -q "predictions  7 right" "$dir/out" || { cat "$dir/out"; fail "a record that was cut off costs predictions"; }

# Four students: one honest, one who looks before answering, one who edits answers afterwards, one who copies a folder.
mkdir four && cd four && cp -r ../ada honest
"$spmodel" lab start 1 --student peter --small --dir peeking >/dev/null
expect 0 "lab check" run 1 --dir peeking --unpredicted --only model --machine "$dir/machine.json"
expect 0 "is late" predict 1 --dir peeking --from "$source"/labs/01-*/solution.json
expect 1 "given up with --unpredicted: its answer is not told" check 1 --dir peeking
grep -q "found" "$dir/out" && { cat "$dir/out"; fail "an answer that was given up is told"; }
grep -A1 "formula " "$dir/out" | grep -q "should be" && { cat "$dir/out"; fail "a check tells an answer that was given up"; }
cp -r ../ada editing
sed -i '0,/"value": [0-9.e-]*/s//"value": 0.25/' editing/predictions.json
expect 1 "changed after the run, when it was 0.14" check 1 --dir editing
cp -r ../ada copying
sed -i 's/"student": "ada"/"student": "carl"/' copying/state.json
expect 0 "report.md" report 1 --dir honest
expect 1 "CLASS" grade --no-simulation --json=grades.json --csv=grades.csv honest peeking copying
grep -q "^SHARED   honest, copying share all 6 records$" "$dir/out" || { cat "$dir/out"; fail "the group of copies"; }
awk '/^[a-z]/ { who = $1 } $1 == "FLAG" { print who, $2 }' "$dir/out" | sort -u >flags
printf '%s\n' 'copying matrix' 'copying repeated' 'honest repeated' 'peeking peeked' | diff - flags || { cat "$dir/out"; fail "who is flagged"; }
grep -q "FLAG *repeated *all 6 records are also in honest; both were first run at 20" "$dir/out" &&
    grep -q "FLAG *repeated *all 6 records are also in copying; both were first run at 20" "$dir/out" || { cat "$dir/out"; fail "copies are not grouped"; }
expect 1 "FLAG *matrix *[0-9] records are of other matrices: .*cold" grade copying
[ "$(grep -c "FLAG *matrix" "$dir/out")" -eq 1 ] || { cat "$dir/out"; fail "one cause, several flags"; }
expect 1 "FLAG *edited *predictions.json is not what lab run has bound: 1 changed, for example 'alpha'" grade --no-simulation editing
[ "$(grep -c FLAG "$dir/out")" -eq 1 ] || { cat "$dir/out"; fail "more than the edit is flagged"; }
sed -i '/"bound": {/,/"given_up"/s/"sha256": "[0-9a-f]*",//' editing/state.json
sed -i '/"bound": {/,/"given_up"/s/"alpha": [0-9.e-]*/"alpha": 0.25/' editing/state.json
expect 1 "FLAG *edited *state.json does not say which predictions lab run has bound" grade --no-simulation editing
grep -q '"points_of": 2[0-9]' grades.json && grep -q '"flag": "peeked"' grades.json && grep -q '"classes"' grades.json || { cat grades.json; fail "grades.json"; }
cd ..
# The typical wrong value of a class is named.
for i in 1 2 3; do
    "$spmodel" lab start 1 --student "wrong $i" --small --dir "class$i" >/dev/null
    "$spmodel" lab predict 1 --dir "class$i" --from "$source"/labs/01-*/solution.json >shown
    "$spmodel" lab predict 1 --dir "class$i" balance="$(awk '$1 == "balance_nt" { print $2 }' shown)" >/dev/null
    "$spmodel" lab run 1 --dir "class$i" --only model --machine "$dir/machine.json" >/dev/null
done
expect 1 "balance *0 right *3 wrong *3 x the balance without the write-allocate" grade --no-simulation class1 class2 class3
expect 1 "this is the balance without the write-allocate" check 1 --dir class1
"$spmodel" lab start 4 --student "inverse" --small --dir inverse >/dev/null
"$spmodel" lab predict 4 --dir inverse --from "$source"/labs/04-*/solution.json >/dev/null
"$spmodel" lab predict 4 --dir inverse example=1.7778 >/dev/null
"$spmodel" lab run 4 --dir inverse --only chunks >/dev/null
expect 1 "this is the inverse, stored over nonzeros" check 4 --dir inverse
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
    cat >"$dir/change.py" <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
if len(sys.argv) > 2: # what no machine has
    r["config"]["threads"] = 1e9
    r["machine"]["caches"][0]["size_B"] = 1e300
    json.dump(r, open(sys.argv[1], "w"))
    sys.exit()
level = r["levels"][-1]
extra = level["arrays"]["x"]["read_B"]
level["arrays"]["x"]["read_B"] += extra
level["read_B"] += extra
json.dump(r, open(sys.argv[1], "w"))
P
    "$python" "$dir/change.py" invented/records/cold.json
    mend invented cold
    expect 1 "FLAG *bytes *cold *simulated again" grade invented
    "$python" "$dir/change.py" invented/records/cold.json huge
    mend invented cold
    expect 1 "FLAG *bytes *cold *.*nothing that could have been run" grade invented
else
    echo "labs.sh: left out, no python3: bytes that were made up, sizes that nothing has"
fi

# Noise: with a spread written into the record times decide nothing.
sed -i '/"spread": {/,/}/s/"value": [0-9.e+-]*/"value": 50/' ada/records/warm.json
expect 5 "noise: the samples of 'warm' spread by 5000 %" check 1 --dir ada
expect 5 '"verdict": "undecided"' check 1 --dir ada --json
echo "labs.sh: ok"
