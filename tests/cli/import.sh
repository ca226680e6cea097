#!/bin/sh
# Runs of others, explained, by their time alone or what perf stat or ncu counted, on a machine that is described. likwid-perfctr: bytes.sh.
# With `full` only what ncu counted of 20 million entries in every other way.
# Usage: import.sh SPMODEL CHECK_RECORDS CHECK_SCHEMA SCHEMA [full]
set -u
spmodel=$1 check_records=$2 check_schema=$3 schema=$4 full=${5:-}
golden=$(cd "$(dirname "$0")/../golden" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "import: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
export XDG_CACHE_HOME="$dir/cache"
. "$(dirname "$0")/this_machine.sh"
this_machine
there="--machine ivb-e5-2660v2 --no-plots --out $dir"
grid="gen:laplace2d:300 --cold" # cold, so that bytes are those of memory

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

data=$(cd "$(dirname "$0")/../data" && pwd)
sheet="gen:laplace2d:2000 --precision f32 --no-plots --out $dir"
if [ -n "$full" ]; then
    sed 's/"usecond"/"nsecond"/' "$data/ncu-raw.csv" >"$dir/short.csv"
    run 0 --ncu "$data/ncu-details.csv" --region csrmv --machine a100-sxm4-40gb $sheet --no-hints -v
    says out "kernel constructed_csrmv_v3 and others, 3 products"
    says out "measured 200 208.0 ncu"
    run 0 --ncu "$data/ncu-raw.csv" --region csr_vector --time 170us $sheet --no-hints -v
    says out "time stated; bytes constructed by ncu"
    run 0 --ncu "$dir/short.csv" --region csr_vector $sheet --no-hints -v
    says out "possible not known: the roof is in doubt"
    exit 0
fi

# A time alone.
run 0 --time 410us,0.4ms,390us --threads 10 $grid $there --no-hints --json="$dir/time.json"
same import-time.txt
record time.json
printf '# three of them\n0.41 ms\n0.4ms\n390us\n' >"$dir/times.txt"
run 0 --time "$dir/times.txt" --threads 10 $grid $there --no-hints
same import-time.txt
run 0 --time 41ms,40ms,39ms --executions 100 --threads 10 $grid $there --no-hints
same import-time.txt
# What was recorded so is replayed so.
"$spmodel" analyze $grid --bytes replay:"$dir/time.json" $there --no-hints >"$dir/out" 2>"$dir/err" || fail "its record cannot be replayed"
same import-time.txt
run 0 --time 0.9ms --threads 10 --rhs 4 --precision f32 $grid $there -v
says out "SpMMV CRS f32/i32 r = 4 static rows"
says out "Q30 the time is stated"
says out "simulated only the time was given"
run 0 --time 2ms --threads 2 gen:laplace2d:300 --cold $there --no-hints
says out "time stated; bytes simulated (nothing was counted)"

# perf stat.
run 0 --perf "$data/perf-imc.csv" --executions 100 --threads 10 $grid $there --no-hints --json="$dir/perf.json"
same import-perf.txt
record perf.json
run 0 --perf "$data/perf-sockets.csv" --executions 100 --threads 10 $grid $there --no-hints -v
says out "in memory domains: 0: 5.190 MB, 1: 2.715 MB"
says out "Q25 multiplexed: counters were on for 62 % of the time"
run 0 --perf "$data/perf-imc.csv" --executions 100 --threads 10 --time 350us $grid $there --no-hints
says out "reached 2.56 Gflop/s"
sed 's/^685.29,MiB,[^,]*/11228000,,LLC-load-misses/; /cas_count_write/d' "$data/perf-imc.csv" >"$dir/misses.csv"
run 0 --perf "$dir/misses.csv" --executions 100 --threads 10 $grid $there --no-hints -v
says out "misses (LLC-load-misses) times 64 B"
says out "Q32 misses of the last-level cache"
says out "Q27 writes are not counted"
# On AMD and Arm the kernel's cache-misses are those of an inner cache.
sed 's/LLC-load-misses/cache-misses/' "$dir/misses.csv" >"$dir/generic.csv"
run 0 --perf "$dir/generic.csv" --executions 100 --threads 10 $grid $there --no-hints
run 2 --perf "$dir/generic.csv" --executions 100 --threads 10 $grid --machine zen4-epyc-9654 --no-hints --no-plots --out "$dir"
says err "it counted cache-misses of Intel, and this machine is AMD EPYC 9654"
run 2 --perf "$dir/generic.csv" --executions 100 --threads 10 $grid --machine grace --no-hints --no-plots --out "$dir"
run 0 --perf "$dir/misses.csv" --executions 100 --threads 10 $grid --machine zen4-epyc-9654 --no-hints --no-plots --out "$dir"
run 0 --perf "$data/perf-imc.csv" --executions 1000 --threads 10 $grid $there --no-hints -v
says out "Q29 0.79[0-9]* MB of memory traffic were counted .* and at least [0-9.]* MB must move: another matrix, fewer products"
run 0 --perf "$data/perf-imc.csv" --executions 10 --threads 10 $grid $there --no-hints -v
says out "Q29 79.0[0-9]* MB of memory traffic were counted .* this matrix moves [0-9.]* MB where caches keep nothing"
"$spmodel" doctor 2>/dev/null | grep -q Intel ||
    { run 2 --perf "$data/perf-imc.csv" --executions 100 --threads 1 $grid; says err "memory controllers of Intel, and this machine is"; }
run 2 --perf "$data/perf-imc.csv" --threads 10 $grid $there
says err "with --executions how many products"
run 2 --perf "$data/perf-imc.csv" --executions 100 $grid $there
echo '<not supported>,,uncore_imc/cas_count_read/,0,100.00,,' >"$dir/none.csv"
run 3 --perf "$dir/none.csv" --executions 100 --threads 10 $grid $there
says err "none.csv:1: uncore_imc/cas_count_read/: <not supported>"

# ncu.
run 0 --ncu "$data/ncu-raw.csv" --region csr_vector $sheet --no-hints --json="$dir/ncu.json"
same import-ncu.txt
record ncu.json
grep -q '"CRS keep"' "$dir/ncu.json" && fail "hints of loads are modelled that nobody has seen in the kernel"
run 0 --ncu "$data/ncu-raw.csv" --region csr_vector gen:laplace2d:700 --precision f32 --no-plots --out "$dir" --no-hints -v
says out "Q29 208 MB of memory traffic were counted in each product, this matrix moves"
run 2 --ncu "$data/ncu-raw.csv" $sheet
says err "several kernels are in it: constructed_csr_vector, constructed_dot"
run 2 --ncu "$data/ncu-details.csv" --region csrmv $sheet
says err "it does not say which GPU it is of remedy: --machine NAME of a GPU"
run 2 --ncu "$data/ncu-raw.csv" --region csr_vector --machine zen4-vm-2c $sheet
run 2 --ncu "$data/ncu-raw.csv" --threads 4 $sheet
run 2 --ncu "$data/ncu-raw.csv" --perf "$data/perf-imc.csv" $sheet

# What does not fit is named.
run 0 --time 40us --threads 10 $grid $there -v
says out "the time does not fit this matrix and machine"
says out "possible not known: the time is in doubt"
says out "Q31 40.0 us is less than the [0-9.]* us that its bytes take at the roof"
head -n 6 "$dir/out" | grep -q '^do .*look at the time and its unit' || fail "nothing is said to be done"
run 0 --time 4s --threads 10 $grid $there -v
says out "Q31 4.00 s is [0-9]* times the .* of several products (--executions)"
run 2 --time 4ms --threads 4000 $grid --no-plots
says err "this machine runs at most"
says err "remedy: --machine NAME of where it ran"
run 2 --time 4ms --threads 40 $grid $there
says err "it had 40 threads, and ivb-e5-2660v2 runs at most"
# Memory's ceiling is none of a cache that the machine does not describe.
run 0 --time 500us --threads 72 gen:laplace3d:60 --machine icx-8360y --no-plots --no-hints --out "$dir" -v --json="$dir/cache.json"
says out "possible not known: no bandwidth of its cache is known; [0-9.]* MB must move"
says out "ROOFS L[23] load unknown (the machine does not describe the bandwidth of the cache that holds the data)"
says out "DRAM load 356 GB/s stated"
head -n 6 "$dir/out" | grep -q '^do .*spmodel machine measure there' || fail "nothing is said to be done"
! grep -q -e 'L[23] load 356' -e 'model, x once' -e '^ Q31' "$dir/out" || fail "the bandwidth of memory is given to a cache"
record cache.json
# Domains with unequal parts of the data: the last level holds those of most.
run 0 --time 500us --threads 48 gen:powerlaw:17:16 --machine a64fx --schedule rows --format crs --no-plots --no-hints --out "$dir" -v
says out "in the mean, but not in that of every domain: [0-9.]* MB"
head -n 6 "$dir/out" | grep -q '^trust .*; validated' || fail "a64fx is not said to be validated"

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
