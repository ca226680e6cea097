#!/bin/sh
# Runs of others, explained: by their time alone, on a machine that is described.
# Usage: import.sh SPMODEL CHECK_RECORDS CHECK_SCHEMA SCHEMA
set -u
spmodel=$1 check_records=$2 check_schema=$3 schema=$4
golden=$(cd "$(dirname "$0")/../golden" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "import: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
export XDG_CACHE_HOME="$dir/cache"
. "$(dirname "$0")/this_machine.sh"
this_machine
there="--machine ivb-e5-2660v2 --no-plots --out $dir"
grid=gen:laplace2d:1000

run() { # run CODE ARGUMENTS...: exits with CODE?
    want=$1
    shift
    "$spmodel" import "$@" >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = "$want" ] || fail "spmodel import $* exits with $code, not $want"
}
says() { # says FILE WORDS
    tr -s ' \n' '  ' <"$dir/$1" | grep -q -e "$2" || fail "does not say '$2'"
}
same() { # same NAME: exact output, all but the names of files
    grep -v -e '^saved' -e '^next' "$dir/out" >"$dir/$1"
    [ -z "${SP_UPDATE_GOLDEN:-}" ] || cp "$dir/$1" "$golden/$1"
    diff "$golden/$1" "$dir/$1" || fail "the report differs from $golden/$1"
}
record() { # record NAME: it keeps its promises and obeys the schema
    "$check_records" "$dir/$1" || fail "$1 breaks its promises"
    "$check_schema" "$schema" "$dir/$1" || fail "$1 does not obey the schema"
}

# A time alone.
run 0 --time 4.1ms,4ms,3.9ms --threads 10 $grid $there --no-hints --json="$dir/time.json"
same import-time.txt
record time.json
printf '# three of them\n4.1 ms\n4ms\n3900us\n' >"$dir/times.txt"
run 0 --time "$dir/times.txt" --threads 10 $grid $there --no-hints
same import-time.txt
run 0 --time 410ms,400ms,390ms --executions 100 --threads 10 $grid $there --no-hints
same import-time.txt
# What was recorded so is replayed so.
"$spmodel" analyze $grid --bytes replay:"$dir/time.json" $there --no-hints >"$dir/out" 2>"$dir/err" || fail "its record cannot be replayed"
same import-time.txt
run 0 --time 9ms --threads 10 --rhs 4 --precision f32 $grid $there -v
says out "SpMMV CRS f32/i32 r = 4 static rows"
says out "Q30 the time is stated"
says out "simulated only the time was given"
run 0 --time 500us --threads 2 gen:laplace2d:300 --cold --no-plots --no-hints --out "$dir"
says out "time stated; bytes simulated (nothing was counted)"

# What does not fit is named.
run 0 --time 0.4ms --threads 10 $grid $there -v
says out "the time does not fit this matrix and machine"
says out "Q31 400 us is less than the [0-9.]* ms that its bytes take at the roof"
head -n 6 "$dir/out" | grep -q '^do .*look at the time and its unit' || fail "nothing is said to be done"
run 0 --time 4s --threads 10 $grid $there -v
says out "Q31 4.00 s is [0-9]* times the .* of several products (--executions)"
run 2 --time 4ms --threads 4000 $grid --no-plots
says err "this machine runs at most"
says err "remedy: --machine NAME of where it ran"
run 2 --time 4ms --threads 40 $grid $there
says err "it had 40 threads, and ivb-e5-2660v2 runs at most"

# What is refused.
run 2 --time 4ms $grid
says err "how many threads"
run 2 --threads 4 "$dir/times.txt" $grid
says err "--threads goes with --time"
run 2 --time 4ms --threads 2
run 2 --time 4ms --threads 2 "$dir/times.txt" $grid
run 2 --time 4ms --threads 2 --region spmv $grid
run 2 --time 4ms --threads 2 --rhs 2,4 $grid
says err "one run: 2 widths"
run 2 --time 0s --threads 2 $grid
says err "'0s' is no time"
run 2 --time 4,1ms --threads 2 $grid
says err "a comma stands between times"
run 3 --time "$dir/none.txt" --threads 2 $grid
echo '4ms slow' >"$dir/slow.txt"
run 3 --time "$dir/slow.txt" --threads 2 $grid
says err "slow.txt:1: 'slow' is no time"
exit 0
