#!/bin/sh
# OpenCL devices on the command line: what is said without a platform, and with the argument "all" whole analyses on the device
# that is here, PoCL in CI. Exit 77 where there is none.
# Usage: opencl.sh SPMODEL CHECK_RECORDS CHECK_SCHEMA RECORD_SCHEMA MACHINE_SCHEMA [all]
set -u
spmodel=$1 check_records=$2 check_schema=$3 schema=$4 machine_schema=$5 all=${6:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
cd "$dir" || exit 1
fail() { echo "opencl: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
has() { grep -qE -e "$1" "$dir/out" || fail "no line matches: $1"; }
exits() { # CODE WORD ARGUMENT...
    code=$1 word=$2; shift 2
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    [ $got = "$code" ] || fail "spmodel $* exits with $got, not $code"
    grep -q -e "$word" "$dir/err" || fail "spmodel $*: the error does not say '$word'"
    [ ! -s "$dir/out" ] || fail "spmodel $*: something was printed all the same"
}

if [ -z "$all" ]; then
    # What does not fit together, and no platform: the reason, the remedy, exit code 4, nothing left behind.
    exits 2 "not 'opencl:x'" analyze gen:laplace3d:8 --device opencl:x
    exits 2 "not 'openclx'" analyze gen:laplace3d:8 --device openclx
    exits 2 'threads is for CPUs, not for --device opencl' analyze gen:laplace3d:8 --device opencl --threads 2
    exits 2 'is for CPUs' analyze gen:laplace3d:8 --device opencl --isa avx2
    exits 2 'is for --device gpu' analyze gen:laplace3d:8 --device opencl --isa cuda-lanes
    exits 2 'is for --device gpu' analyze gen:laplace3d:8 --device opencl --bytes cupti
    exits 2 'add --device opencl' analyze gen:laplace3d:8 --isa opencl-thread
    exits 2 'are for CPUs' machine measure --device opencl --threads 2
    export OCL_ICD_VENDORS=/nonexistent
    exits 4 'remedy:' analyze gen:laplace3d:8 --device opencl
    exits 4 'remedy:' analyze gen:laplace3d:8 --device opencl:3 --format sell:32,1
    exits 4 'error: ' machine measure --device opencl
    [ -z "$(ls "$dir" | grep -v -e '^out$' -e '^err$')" ] || fail "files were left behind: $(ls "$dir")"
    echo "opencl: ok"
    exit 0
fi

"$spmodel" doctor >"$dir/out" 2>"$dir/err" || fail "doctor fails"
if ! grep -q 'OpenCL  *they would run on ' "$dir/out"; then
    echo "SKIPPED: $(grep -i 'opencl' "$dir/out" | head -1)"
    exit 77
fi
ok() { "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || fail "spmodel $* exits with $?"; }

ok machine measure --device opencl --quick --size 16MiB --budget 2s -o measured.json
has 'load +MEM +f64'
"$check_schema" "$machine_schema" measured.json || fail "the measured machine does not obey the schema"
exits 4 'none has number 700' analyze gen:laplace3d:8 --device opencl:700
if "$spmodel" doctor | grep -q 'sub-groups none'; then
    exits 4 'others run without --device' analyze gen:laplace3d:8 --device opencl --op sddmm
fi

# Ceilings of another device are none of this one's, and its model predicts nothing here.
exits 2 'a100-sxm4-40gb, of 108 cores, is not this OpenCL device' analyze gen:laplace3d:8 --device opencl --machine a100

n=0
one() { # WHAT-THE-REPORT-SAYS ARGUMENT...
    word=$1; shift
    n=$((n + 1))
    SPMODEL_ASSUME=clean "$spmodel" analyze "$@" --device opencl --machine "$dir/measured.json" --budget 200ms --samples 5 -v \
        --out "$dir/records$n" --no-plots >"$dir/out" 2>"$dir/err" || fail "analyze $* exits with $?"
    has "$word"
    has 'result checked'
    has 'compute unit'
    "$check_schema" "$schema" "$dir/records$n"/*.json || fail "the record of $* does not obey the schema"
    "$check_records" "$dir/records$n"/*.json || fail "the record of $* contradicts itself"
}
one 'opencl-thread' gen:laplace3d:12
one '^trust +bytes modelled \(no GPU counters\)' gen:laplace3d:12 --bytes sim
has '^BYTES +modelled +no counters can be used: OpenCL counts no bytes'
printf '%%%%MatrixMarket matrix coordinate real general\n5 7 0\n' >empty.mtx
one '^possible +not known: the matrix has no entries' empty.mtx
one 'opencl-chunk' gen:laplace3d:12 --format sell:32,256
one 'opencl-stage' gen:random:2000:8 --op spmm --inner 16 --format staged:16,64
one 'opencl-output' gen:random:2000:8 --op spmm --inner 16 --isa opencl-output
one 'opencl-thread' gen:laplace3d:12 --precision f32 --index i64 --cold
echo "opencl: ok, $n analyses"
