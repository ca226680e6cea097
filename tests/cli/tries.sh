#!/bin/sh
# `spmodel analyze --try-hints`: what is predicted stands beside what is observed, whatever that is on a machine that
# nobody keeps quiet; with `full` only on matrices that do not fit the caches. Usage: tries.sh SPMODEL CHECK_RECORDS CHECK_SCHEMA SCHEMA [full]
set -eu
spmodel=$1 check=$2 check_schema=$3 schema=$4 full=${5:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
fail() {
    echo "tries.sh: $*"
    exit 1
}
analyze() { # analyze NAME ARGUMENTS...: analyse into $dir/NAME
    name=$1
    shift
    "$spmodel" analyze -v --try-hints --no-plots --machine "$dir/machine.json" --out "$dir/$name" "$@" \
        >"$dir/$name.txt" || { cat "$dir/$name.txt"; fail "analyze $* failed"; }
    "$check" "$dir/$name"/*.json >"$dir/check" || { cat "$dir/check" "$dir/$name.txt"; fail "analyze $*"; }
    "$check_schema" "$schema" "$dir/$name"/*.json >"$dir/check" || { cat "$dir/check"; fail "analyze $*"; }
    grep -q "^TRIED .* predicted  *observed" "$dir/$name.txt" || { cat "$dir/$name.txt"; fail "$*: nothing tried"; }
    grep -q "^ best  " "$dir/$name.txt" || { cat "$dir/$name.txt"; fail "$*: no best"; }
}
refused() { # refused TEXT ARGUMENTS...: exit code 2 and the text on standard error
    text=$1
    shift
    code=0
    "$spmodel" analyze --try-hints "$@" >"$dir/out" 2>"$dir/err" || code=$?
    [ $code -eq 2 ] || { cat "$dir/err"; fail "$* exited with $code, not 2"; }
    grep -q -- "$text" "$dir/err" || { cat "$dir/err"; fail "$*: no '$text'"; }
}
. "$(dirname "$0")/this_machine.sh"
this_machine "$dir/machine.json"

if [ -n "$full" ]; then
# The honest baseline of a run by rows; the arrow's first row is then no longer one thread's alone.
analyze arrow --schedule rows --budget 100ms gen:arrow:200000
grep -q "^ honest  *--schedule nnz" "$dir/arrow.txt" || { cat "$dir/arrow.txt"; fail "no honest baseline"; }
# A permuted mesh is put in order; its hint is tried, and with time left what the new order makes possible.
"$spmodel" generate -q laplace3d:60+permuted:7 -o "$dir/mesh.spm"
analyze mesh --budget 300ms "$dir/mesh.spm"
# Time that is spent at once: what was not tried says so.
analyze hurry --budget 1us "$dir/mesh.spm"
! grep -q "^ A01 " "$dir/hurry.txt" || grep -q "time for trials was spent" "$dir/hurry.txt" || fail "no word about the time"

# All of them together: how good the hints were.
"$spmodel" track hints "$dir/arrow" "$dir/mesh" "$dir/hurry" >"$dir/hints.txt" || fail "track hints failed"
grep -q "^ all  *[1-9]" "$dir/hints.txt" || { cat "$dir/hints.txt"; fail "no hint was scored"; }
echo "tries.sh: ok"
exit 0
fi

# Merge shares equally by itself; what else a careful user does is compared, and where nothing is left, it says what the run is.
analyze merge --schedule merge --pages small --no-pin --budget 10ms gen:laplace2d:60
grep -q "^ honest  *--pages huge --pin yes" "$dir/merge.txt" || { cat "$dir/merge.txt"; fail "no honest baseline of merge"; }
analyze honest --schedule merge --budget 1us gen:laplace2d:60
grep -q "pinned, with equal shares of rows and entries, on huge pages" "$dir"/honest/*.json || fail "the run is not said to be honest"
refused "exclude each other" --no-hints gen:laplace2d:20
refused "exclude each other" --device gpu gen:laplace2d:20
refused "exclude each other" --bytes replay:x.json gen:laplace2d:20
echo "tries.sh: ok"
