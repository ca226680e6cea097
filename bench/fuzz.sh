#!/bin/sh
# The fuzzing targets of tests/fuzz with libFuzzer under the address and undefined-behaviour sanitizers, SECONDS in all (default
# 600), as many beside each other as there are processors. What they find is left in build-fuzz/found, for the corpus.
#
#   bench/fuzz.sh [SECONDS [NAME...]]
#
# Exit 77, with the reason, where clang or its runtime is not there; 1 where something was found.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-600}
[ $# = 0 ] || shift
build=${SP_FUZZ_BUILD:-build-fuzz}
mkdir -p "$build/found"
probe=$build/probe.c
printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *p, size_t n);\nint LLVMFuzzerTestOneInput(const char *p, size_t n) { return n > 9 && !p; }\n' >"$probe"
if ! clang -fsanitize=fuzzer,address,undefined -fopenmp "$probe" -o "$build/probe" 2>"$build/probe.log"; then
    echo "SKIPPED, NOTHING WAS FUZZED: clang with libFuzzer, the sanitizers and OpenMP is not here (./bootstrap --dev installs it):"
    head -n 3 "$build/probe.log"
    exit 77
fi
# A build that is there, as the one of .ci/run, stays as it is.
grep -qs '^SP_FUZZ:BOOL=ON' "$build/CMakeCache.txt" || cmake -S . -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSP_TESTS=ON -DSP_FUZZ=ON \
    -DSP_SANITIZE=ON -DSP_WERROR=ON -DSP_WITH_CUDA=OFF >"$build/configure.log"
cmake --build "$build" --parallel "$(nproc)" --target fuzzers >"$build/build.log" 2>&1 || { tail -n 40 "$build/build.log"; exit 1; }
names=$*
[ -n "$names" ] || names=$(ls tests/fuzz/corpus)
n=$(echo "$names" | wc -w)
at_once=$(nproc)
each=$((seconds * at_once / n))
[ "$each" -gt 0 ] || each=1
run() { # run NAME: prints one line, or what libFuzzer says where something was found
    mkdir -p "$build/corpus/$1"
    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1 \
        LSAN_OPTIONS="suppressions=$PWD/tests/libomp.supp:print_suppressions=0" \
        "$build/tests/fuzz/fuzz_$1" -max_total_time="$each" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
        "-artifact_prefix=$build/found/$1-" "$build/corpus/$1" "tests/fuzz/corpus/$1" >"$build/$1.log" 2>&1 || {
        grep -vE '^(#|[[:space:]]*NEW_FUNC|INFO)' "$build/$1.log" | tail -n 60
        echo "FOUND: $1, see $build/found"
        return 1
    }
    echo "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$1.log") inputs in $each s, nothing broke"
}
# Each in a process of its own, so that one that finds something stops no other.
bad=0 jobs=''
for name in $names; do
    run "$name" &
    jobs="$jobs $!"
    if [ "$(echo "$jobs" | wc -w)" -ge "$at_once" ]; then
        wait "${jobs%% *}" 2>/dev/null || bad=1
        jobs=${jobs#* }
        [ "$at_once" -gt 1 ] || jobs=''
    fi
    jobs=$(echo $jobs)
done
for job in $jobs; do wait "$job" || bad=1; done
exit $bad
