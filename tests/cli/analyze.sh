#!/bin/sh
# Runs `spmodel analyze` on small matrices of many kinds, and on all of ../shared/matrices where they are, and checks every
# record. Usage: analyze.sh SPMODEL CHECK_RECORDS MATRICES_DIRECTORY CHECK_SCHEMA SCHEMA
set -eu
spmodel=$1 check=$2 matrices=$3 check_schema=$4 schema=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run() { # run NAME ARGUMENTS...: analyse quietly into $dir/NAME
    name=$1
    shift
    "$spmodel" analyze -q --no-plots --budget 20ms --samples 5 --machine "$dir/machine.json" --out "$dir/$name" "$@" \
        >"$dir/$name.txt" || { echo "analyze $* failed with $?"; cat "$dir/$name.txt"; exit 1; }
    "$check" "$dir/$name"/*.json >"$dir/$name.check" || { echo "analyze $*:"; cat "$dir/$name.check" "$dir/$name.txt"; exit 1; }
    "$check_schema" "$schema" "$dir/$name"/*.json >"$dir/$name.check" || { echo "analyze $*:"; cat "$dir/$name.check"; exit 1; }
}
"$spmodel" machine measure --quick -q -o "$dir/machine.json" >/dev/null

run formats --format all gen:laplace2d:60
run schedules_rows --schedule rows gen:arrow:3000
run schedules_cyclic --schedule cyclic:8 gen:arrow:3000
run schedules_merge --schedule merge gen:arrow:3000
run single --precision f32 --index i64 gen:random:3000:7
run plain --store plain --pages small --no-pin --threads 1 gen:band:2000:5
run nt --store nt --cold gen:laplace3d:20
run between --between axpy,dot gen:laplace3d:20
run auto --format auto gen:block:64:8:4
run rcm --reorder rcm gen:laplace2d:60+permuted:3
run runs --runs 3 gen:laplace2d:60
run more_threads_than_rows --threads 7 gen:laplace2d:2

# Known troubles are named by their hints: imbalance, padding, scattered x. A machine that is busy with something else may
# hide one, so that there are six attempts; test_hints has the rules on given figures.
hint() { # hint ID NAME ARGUMENTS...
    id=$1 stem=$2
    shift 2
    for attempt in 1 2 3 4 5 6; do
        run "$stem$attempt" "$@"
        grep -q "^ $id " "$dir/$stem$attempt.txt" && return 0
        echo "analyze $*: no hint $id at attempt $attempt"
    done
    cat "$dir/$stem$attempt.txt"
    exit 1
}
hint B01 rows_of_arrow --threads 2 --schedule rows gen:arrow:300000
hint D01 padded --format sell:32,1 gen:powerlaw:14:16
hint A01 scattered --sim-llc 512KiB gen:laplace3d:90+permuted:7

if [ -d "$matrices" ]; then
    for m in "$matrices"/*.mtx "$matrices"/*.mtx.gz; do
        name=$(basename "$m")
        case $name in *.gz) "$spmodel" --version | grep -q 'libarchive yes' || { echo "skipped: $name (no libarchive)"; continue; } ;; esac
        run "$name" --no-hints "$m"
    done
else
    echo "skipped: real matrices ($matrices is absent)"
fi
echo "analyze: ok"
