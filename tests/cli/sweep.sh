#!/bin/sh
# `spmodel sweep`: everything asked for is measured or left out with a reason; the best command is one that runs.
# Usage: sweep.sh SPMODEL CHECK_SCHEMA SCHEMA
set -eu
spmodel=$1 check_schema=$2 schema=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
fail() {
    echo "sweep.sh: $*"
    exit 1
}
sweep() { # sweep NAME ARGUMENTS...: scan into $dir/NAME
    name=$1
    shift
    "$spmodel" sweep -q --point 3ms --machine "$dir/machine.json" --out "$dir/$name" "$@" >"$dir/$name.txt" ||
        { cat "$dir/$name.txt"; fail "sweep $* failed"; }
    "$check_schema" "$schema" "$dir/$name"/*.json >"$dir/check" || { cat "$dir/check"; fail "sweep $*"; }
}
refused() { # refused CODE TEXT ARGUMENTS...: exit code and the text on standard error
    wanted=$1 text=$2
    shift 2
    code=0
    "$spmodel" sweep --machine "$dir/machine.json" "$@" >"$dir/out" 2>"$dir/err" || code=$?
    [ $code -eq "$wanted" ] || { cat "$dir/err"; fail "$* exited with $code, not $wanted"; }
    grep -q -- "$text" "$dir/err" || { cat "$dir/err"; fail "$*: no '$text'"; }
}
. "$(dirname "$0")/this_machine.sh"
this_machine "$dir/machine.json"

sweep all --exhaustive --index i32 --format crs,sell:8,1 --reorder none,rcm --schedule nnz,merge --threads 2 gen:laplace2d:30
grep -q "^SWEEP  gen:laplace2d:30, 8 combinations" "$dir/all.txt" || { cat "$dir/all.txt"; fail "not 8 combinations"; }
grep -q "^assumed: [0-9]* samples" "$dir/all.txt" || { cat "$dir/all.txt"; fail "the state of the machine is not at the top"; }
grep -q "^ 2 left out: they do not go together" "$dir/all.txt" || { cat "$dir/all.txt"; fail "merge took chunks"; }
# Points with a figure, and those whose cores changed their speed too often for one.
points=$(sed '/left out: they do not go/,$d; /the run itself has no row/d' "$dir/all.txt" | grep -Ec "^ +([1-6].? +)?(--|the run)")
[ "$points" -eq 6 ] || { cat "$dir/all.txt"; fail "$points points, not 6"; }
best=$(sed -n 's/^best  spmodel //p' "$dir/all.txt")
eval "\"\$spmodel\" $best -q --no-plots --budget 10ms --machine \"\$dir/machine.json\" --out \"\$dir/best\"" >/dev/null ||
    fail "the best command does not run: $best"

sweep map --index i32 --chunk 4,8 --sigma 1,64 --format crs --reorder none --threads 1 --schedule nnz --exhaustive --csv gen:powerlaw:10:8
[ "$(wc -l <"$dir/map.txt")" -eq 6 ] || { cat "$dir/map.txt"; fail "not 5 points in CSV"; }
sweep file --index i32 --chunk 4,8 --sigma 1,64 --format crs --reorder none --threads 1 --schedule nnz --exhaustive --csv="$dir/file.csv" gen:powerlaw:10:8
[ "$(wc -l <"$dir/file.csv")" -eq 6 ] || { cat "$dir/file.csv"; fail "not 5 points in the file of --csv"; }
grep -q "^SELL-C-sigma: least time in .*s, with any other options; C down, sigma across$" "$dir/file.txt" || fail "no map of C and sigma"
[ "$(head -n 1 "$dir/file.csv")" = "$(head -n 1 "$dir/map.txt")" ] || fail "the file of --csv has other columns"
awk -F'"' 'NR > 1 && (split($3, f, ",") != 11 || f[11] == "") {exit 1}' "$dir/map.txt" || { cat "$dir/map.txt"; fail "columns of the CSV"; }
sweep vectors --rhs 1,4 --threads 1 --reorder none --schedule nnz --format crs gen:laplace2d:30
grep -q -- "--rhs 4" "$dir/vectors.txt" || { cat "$dir/vectors.txt"; fail "no --rhs 4"; }
# However short the budget, it is shared among the rows: the table is never empty.
sweep short --budget 1us --threads 1 --format crs,sell:8,1 --reorder none --schedule nnz --index i32 gen:laplace2d:30
grep -Eq "^  [12].? " "$dir/short.txt" || { cat "$dir/short.txt"; fail "no rows"; }
! grep -q "left out: the time" "$dir/short.txt" || { cat "$dir/short.txt"; fail "a row was left out for lack of time"; }
# Whichever order comes first is the run, and every other one, none included, is measured beside it.
sweep orders --exhaustive --reorder rcm,none,reversed --format crs --index i32 --schedule nnz --threads 1 --csv gen:laplace2d:30
[ "$(grep -c ',measured,' "$dir/orders.txt")" -eq 3 ] || { cat "$dir/orders.txt"; fail "not every order was measured"; }
grep -q -- '--reorder none",measured' "$dir/orders.txt" || { cat "$dir/orders.txt"; fail "no order beside rcm"; }
sweep complex --precision c128 --format crs gen:laplace2d:30
awk 'BEGIN { print "%%MatrixMarket matrix coordinate pattern general\n40 90 120"
    for (k = 0; k < 120; k++) print k % 40 + 1, (7 * k) % 90 + 1 }' >"$dir/wide.mtx"
sweep wide --threads 1 "$dir/wide.mtx"
! grep -q -- "--reorder" "$dir/wide.txt" || fail "a rectangular matrix was reordered unasked"

refused 2 "say crs, sell:C,SIGMA" --format crs,cell gen:laplace2d:20
refused 2 "single commas" --threads 1,,2 gen:laplace2d:20
refused 2 "cannot be tried" --threads none gen:laplace2d:20
refused 2 "cannot be tried" --threads 1,100000 gen:laplace2d:20 # more than analyze takes
refused 2 "goes with --chunk" --sigma 64 gen:laplace2d:20
refused 2 "no SIGMA of 12,20 goes with a C" --chunk 8 --sigma 12,20 gen:laplace2d:20
refused 2 "give a matrix" --budget 1s
refused 2 "no reordering" --reorder sorted gen:laplace2d:20
refused 2 "no reordering" --reorder none,rcm,sorted gen:laplace2d:20
refused 2 "the reordering is written" --reorder none,rcm:many gen:laplace2d:20
refused 3 "" /nonexistent/matrix.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n10 10 0\n' >"$dir/none.mtx"
refused 3 "matrix none has no entries" "$dir/none.mtx"
echo "sweep.sh: ok"
