#!/bin/sh
# Labs with code: the solutions pass, and wrong ones lose exactly their points. Times decide nothing here.
# Usage: labs_code.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
command -v "${CC:-cc}" >/dev/null || { echo "labs_code.sh: skipped: no C compiler"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
here=$(cd "$(dirname "$0")" && pwd)
cd "$dir"
fail() {
    echo "labs_code.sh: $*"
    exit 1
}
. "$here/this_machine.sh"
this_machine machine.json
lab=$source/labs/10-own-kernels
begin() { # begin FOLDER STUDENT: predicted as the solution has it, and its code
    "$spmodel" lab start 10 --student "$2" --small --dir "$1" >/dev/null || fail "start"
    "$spmodel" lab predict 10 --dir "$1" --from "$lab/solution.json" >/dev/null || fail "predict"
    cp "$lab"/solution/*.c "$1"
}
run() { # run CODE FOLDER ARGUMENTS...
    wanted=$1 folder=$2 code=0
    shift 2
    "$spmodel" lab run 10 --dir "$folder" --machine machine.json "$@" >out 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat out; fail "run $* in $folder: $code, not $wanted"; }
}
lost() { # lost FOLDER IDS...: exactly these checks fail, of those that look at no time
    folder=$1
    shift
    "$spmodel" lab check 10 --dir "$folder" >out || true
    awk '$1 == "fail" && $2 !~ /_fast$/ { print $2 }' out | sort >is
    printf '%s\n' "$@" | sort >should
    diff should is || { cat out; fail "what $folder loses"; }
}

begin 'the right one' reference
run 0 'the right one' --only crs
shown=$(sed -n 's/^crs  *//p' out) # can be typed: the folder is one word
eval "set -- $shown"
for word; do case $word in *'/the right one/'*) break ;; esac; done
case $word in *'/the right one/'*) ;; *) fail "the command shown takes a folder's name apart: $shown" ;; esac
mv 'the right one' right
run 0 right
"$spmodel" lab check 10 --dir right >out || true
grep '^  undecided\|^  fail' out | grep -v '_fast ' && { cat out; fail "the solution does not pass"; }
for id in crs_values crs_y sell_values sell_pointers nt_read nt_written; do
    grep -q "^  pass *$id " out || { cat out; fail "the solution: $id"; }
done
"$spmodel" lab grade right >out || true
grep -q "4 simulated again, 0 flags" out || { cat out; fail "the solution is not simulated again"; }

# Rows that are not summed; values behind GET's back; a file that does not compile; a plain store.
begin wrong other
run 0 wrong --only model
sed 's/i < stop/i < stop - 1/' "$lab/solution/crs.c" >wrong/crs.c
run 6 wrong --only crs
grep -q "run 'crs': .*computes wrongly" out || { cat out; fail "a wrong result, or its run, is not named"; }
echo 'int' >>wrong/sell.c
run 6 wrong --only sell
grep -q "sell.c does not compile: " out || { cat out; fail "what does not compile is not named"; }
sed 's/PUT_NT/PUT/' "$lab/solution/nt.c" >wrong/nt.c
run 0 wrong --only nt
lost wrong crs_right crs_values crs_indices crs_y crs_volume sell_right sell_values sell_pointers sell_y nt_read
sed 's/GET(a->val\[k\])/a->val[k]/' "$lab/solution/crs.c" >wrong/crs.c
run 0 wrong --only crs
lost wrong crs_values sell_right sell_values sell_pointers sell_y nt_read
cp right/sell.c wrong/sell.c
sed -i 's/width \* CHUNK/(width + 1) * CHUNK/' wrong/sell.c # an empty column in each chunk: right, and too many bytes
run 0 wrong --only sell
lost wrong crs_values sell_values nt_read
# A run that fails counts, not the good one before it.
cp wrong/sell.c good.c
echo 'int' >>wrong/sell.c
run 6 wrong --only sell
lost wrong crs_values sell_right sell_values sell_pointers sell_y nt_read
cp good.c wrong/sell.c
run 0 wrong --only sell

# Code that was changed after its run, and code that somebody else has handed in.
echo '/* */' >>wrong/nt.c
"$spmodel" lab grade --no-simulation right wrong >out && fail "nothing is flagged"
grep -q "FLAG *edited *nt *nt.c is not the code that was run" out || { cat out; fail "changed code"; }
for who in first copied; do
    begin $who $who
    echo 'int' >$who/sell.c
    run 6 $who --only sell
done
"$spmodel" lab grade --no-simulation right ./right/ >out || true
[ "$(grep -c ', lab 10' out)" = 1 ] || { cat out; fail "a folder that is named twice is graded twice"; }
"$spmodel" lab grade --no-simulation first copied >out && fail "nothing is flagged"
grep -q "FLAG *repeated *letter by letter also in first: sell.c" out || { cat out; fail "copied code"; }

# Without a compiler the runs are skipped, which is no failure.
begin none fourth
CC=/no/compiler run 0 none
"$spmodel" lab check 10 --dir none >out || [ $? -eq 5 ] || { cat out; fail "check without a compiler"; }
grep -A1 "skipped *crs_right" out | grep -q "no C compiler" || { cat out; fail "the reason of what is skipped"; }
echo "labs_code.sh: ok"
