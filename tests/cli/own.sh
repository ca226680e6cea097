#!/bin/sh
# `spmodel analyze --kernel`: records, exit codes, what is printed where, and that nothing of it stays behind.
# Usage: own.sh SPMODEL LIBRARY CHECK_RECORDS CHECK_SCHEMA SCHEMA
set -eu
spmodel=$1 library=$2 check=$3 check_schema=$4 schema=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/this_machine.sh"
this_machine "$dir/machine.json"
fail() {
    echo "$1"
    cat "$dir/out" "$dir/err" 2>/dev/null || true
    exit 1
}
# shellcheck disable=SC2086 # words of $threads
run() { # run ARGUMENTS...: analyse quietly into $dir/new
    rm -rf "$dir/new"
    code=0
    "$spmodel" analyze -q --no-plots --budget 20ms --samples 5 $threads --machine "$dir/machine.json" --out "$dir/new" "$@" \
        >"$dir/out" 2>"$dir/err" || code=$?
}
expect() { # expect CODE WORDS ARGUMENTS...
    wanted=$1 words=$2
    shift 2
    run "$@"
    [ "$code" = "$wanted" ] || fail "analyze $* ended with $code, not $wanted"
    grep -qF -e "$words" "$dir/err" || fail "analyze $* does not say: $words"
}
good() { # good ARGUMENTS...
    run "$@"
    [ "$code" = 0 ] || fail "analyze $* ended with $code"
    "$check" "$dir/new"/*.json >"$dir/out" || fail "analyze $*: the record"
    "$check_schema" "$schema" "$dir/new"/*.json >"$dir/out" || fail "analyze $*: the schema"
}
threads="--threads 2"
own() {
    echo "$library:$1"
}

# ---- records ----
good --kernel "$(own csr32)" --signature csr32 gen:laplace2d:60
grep -q '"kernel": "own/csr32"' "$dir/new"/*.json || fail "the record does not name the kernel"
grep -q '"walk": "assumed"' "$dir/new"/*.json || fail "the record does not say whose walk its bytes are"
good --kernel "$library" gen:laplace2d:60
good --kernel "$(own walking)" gen:arrow:3000
threads="--threads 1"
good --kernel "$(own narrow)" gen:laplace2d:60+permuted:3
threads="--threads 2"
good --kernel "$(own csr64_rhs)" --signature csr64-rhs --rhs 4 gen:laplace2d:40
good --kernel "$(own csr64)" --signature csr64 --cold gen:laplace3d:20
good --kernel "$(own fortran32)" --signature fortran32 --pages small --no-pin gen:random:3000:7
good --kernel "$(own parallel)" --reorder rcm --between axpy,dot gen:laplace2d:60+permuted:3
good --kernel "$(own parallel)" gen:random:30x20:0
# Threads of its own, and another OpenMP than ours: they have all processors of the team, which sleeps meanwhile.
OMP_WAIT_POLICY=active good --kernel "${library%/*}/libown_threads.so" gen:laplace2d:60
cp "$library" "$dir/lib m:i'n.so"
good --kernel "$dir/lib m:i'n.so" gen:laplace2d:60
good --kernel "$dir/lib m:i'n.so:csr32" --signature csr32 gen:laplace2d:60

# ---- what makes no sense ----
expect 2 "--kernel and --try-hints exclude each other" --kernel "$library" --try-hints gen:laplace2d:9
threads=
expect 2 "--kernel and --device gpu exclude each other" --kernel "$library" --device gpu gen:laplace2d:9
threads="--threads 2"
expect 2 "--kernel and --format all exclude each other" --kernel "$library" --format all gen:laplace2d:9
expect 2 "is given the matrix in CRS, not in format sell" --kernel "$library" --format sell:8,8 gen:laplace2d:9
expect 2 "which was not given" --signature csr32 gen:laplace2d:9
expect 2 "--kernel-limit is for --kernel" --kernel-limit 2s gen:laplace2d:9
expect 2 "--signature takes csr32" --kernel "$(own csr32)" --signature csr gen:laplace2d:9
expect 2 "which --precision contradicts" --kernel "$(own csr32)" --signature csr32 --precision f32 gen:laplace2d:9
expect 2 "with one vector, not with 4" --kernel "$(own csr32)" --signature csr32 --rhs 4 gen:laplace2d:9
expect 3 "there is no such library" --kernel "$dir/none.so" gen:laplace2d:9
echo nothing >"$dir/text.so"
expect 3 "it cannot be opened" --kernel "$dir/text.so" gen:laplace2d:9
expect 3 "it has no symbol none" --kernel "$(own none)" gen:laplace2d:9
expect 3 "csr32 is a function, and not a struct spmodel_kernel" --kernel "$(own csr32)" gen:laplace2d:9
expect 3 "is no struct spmodel_kernel of this version" --kernel "$(own other_size)" gen:laplace2d:9

# ---- one that fails does not end the rest ----
expect 6 "the kernel crash crashed in run()" --kernel "$(own crash)" gen:laplace2d:9 gen:laplace2d:12
[ "$(ls "$dir/new" | wc -l)" = 2 ] || fail "a record of each matrix is kept"
grep -q '"status": "failed"' "$dir/new"/*12*.json || fail "the record of a failed run says so"
"$check_schema" "$schema" "$dir/new"/*.json >"$dir/out" || fail "the schema of a failed run"

# ---- what it prints is no data of ours ----
run --kernel "$(own talking)" --json=- gen:laplace2d:9
grep -q "a kernel that talks" "$dir/err" || fail "what a kernel prints goes to standard error"
grep -q "a kernel that talks" "$dir/out" && fail "what a kernel prints is in the data"

# ---- names are hidden, series are told apart ----
cp "$library" "$dir/libsecret.so"
good --anonymous --kernel "$dir/libsecret.so:csr32" --signature csr32 gen:laplace2d:60
grep -q secret "$dir/new"/*.json && fail "an anonymous record names the library"
"$spmodel" help own-kernel >"$dir/out"
for name in csr32 csr64 csr32-ptr64 csr32-f32 csr64-f32 csr32-c128 csr32-rhs csr64-rhs fortran32 fortran64 fortran32-f32; do
    grep -qF "$name" "$dir/out" || fail "help does not know the signature $name"
done
if grep -nE 'const [a-z0-9]+_t$' "$dir/out"; then fail "a declaration breaks between a type and its name"; fi

# ---- Ctrl-C ends both processes ----
"$spmodel" analyze -q --no-plots --machine "$dir/machine.json" --out "$dir/new" --kernel "$(own hanging)" gen:laplace2d:9 \
    >"$dir/out" 2>"$dir/err" &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do # its own process hangs by then, or is stopped earlier
    sleep 0.3
    child=$(ps -o pid= --ppid "$pid" 2>/dev/null | head -n 1)
    [ -z "$child" ] || break
done
sleep 0.5
kill -INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 130 ] || fail "Ctrl-C ended it with $code"
[ -z "$child" ] || ! kill -0 "$child" 2>/dev/null || fail "the process of the kernel is left"
echo "own: ok"
