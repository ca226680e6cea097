#!/bin/sh
# Below valgrind's memcheck: the examples of libspmodel in C, a kernel in a process of its own among them, and a program that
# multiplies through libraries that attach looks into. No error and no leak but libgomp's own threads.
# Usage: memcheck.sh CC LIBSPMODEL ATTACH APP SOURCE
set -eu
cc=$1 library=$2 attach=$3 app=$4 source=$5
skip() { echo "memcheck: SKIPPED: $*"; exit 77; }
command -v valgrind >/dev/null || skip "no valgrind"
nm "$attach" | grep -qE '__(asan|tsan|ubsan)_' && skip "this build has sanitizers"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "memcheck: $*"
    cat "$dir/out" "$dir"/valgrind.* 2>/dev/null || true
    exit 1
}
echo 'int main(void) { return 0; }' >"$dir/try.c"
"$cc" "$dir/try.c" -o "$dir/try"
valgrind -q "$dir/try" >"$dir/out" 2>&1 || skip "valgrind does not run here: $(head -n 1 "$dir/out")"
preload=
# checked WORDS PROGRAM...: its output has WORDS, no process of it errs, and the first one loses nothing (what is forked to
# measure ends by _exit() with what it has).
checked() {
    words=$1
    shift
    rm -f "$dir"/valgrind.*
    code=0
    env LD_PRELOAD="$preload" valgrind --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=none \
        --show-leak-kinds=definite,indirect,possible --suppressions="$source/tests/libgomp.supp" \
        --num-callers=25 --log-file="$dir/valgrind.%p" "$@" >"$dir/out" 2>&1 &
    pid=$!
    wait "$pid" || code=$?
    [ "$code" = 0 ] || fail "$* ends with $code"
    grep -q 'ERROR SUMMARY' "$dir/valgrind.$pid" || fail "$*: not all was looked at"
    if grep 'ERROR SUMMARY' "$dir"/valgrind.* | grep -v 'SUMMARY: 0 errors'; then fail "$*: an error in a process of it"; fi
    if grep -E '(definitely|indirectly|possibly) lost:' "$dir/valgrind.$pid" | grep -v 'lost: 0 bytes'; then fail "$*: a leak"; fi
    [ -z "$words" ] || grep -q "$words" "$dir/out" || fail "$* does not say: $words"
}

# Valgrind's processor is another one than that whose ceilings are remembered, and measures them for minutes.
machine=$source/machines/zen4-vm-2c.json
for example in own_kernel own_matrix; do # on a smaller matrix, in less time
    sed 's/SIDE = 400/SIDE = 30/; s/REPEATS = 20/REPEATS = 3/
        s/spmodel_new();/& spmodel_set(s, "budget", "20ms"); spmodel_set(s, "runs", "1"); spmodel_set(s, "no-hints", NULL); spmodel_set(s, "machine", MACHINE);/' "$source/examples/$example.c" >"$dir/$example.c"
    "$cc" -g -O1 -fopenmp "-DMACHINE=\"$machine\"" -I "$source/include" "$dir/$example.c" "$library" -Wl,-rpath,"$(dirname "$library")" -o "$dir/$example"
done
checked 'time stated' "$dir/own_matrix"
checked 'yours' "$dir/own_kernel" gen:laplace3d:8

mkdir "$dir/seen"
export SPMODEL_ATTACH_FOLDER="$dir/seen"
preload=$attach
for library in mkl rsb; do # short ones
    checked '' "$app" $library
done
ls "$dir/seen"/*.splog >/dev/null 2>&1 || fail "attach has seen nothing"
echo "memcheck: clean"
