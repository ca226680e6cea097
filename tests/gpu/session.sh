#!/bin/sh
# bench/gpu_session.sh without a GPU: all five calls of a pack with the stand-in of the GPU module, in which steps hang, crash
# or find no library. Every call leaves a whole archive, and what comes after such a step runs.
# Usage: session.sh SOURCE_DIR BUILD_DIR STAND_IN
set -u
source=$1 build=$2 stand_in=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export SPMODEL_ASSUME=clean OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive HOME="$dir" CUDA_VISIBLE_DEVICES='' SMALL=gen:laplace2d:6 LARGE=gen:laplace2d:7 LONG=gen:arrow:1100 MATRICES=gen:laplace2d:6 LIMIT=8 SIZE=4MiB ROUNDS=2
unset XDG_CACHE_HOME CUDA_HOME CUDA_PATH
fail() { echo "gpu_session: $*"; tail -n 40 "$dir/out" 2>/dev/null; exit 1; }

# Libraries of a build with all its parts take more than a pack may.
MODULE=$stand_in MOST_PACK_B=60000000 PRESET=0 sh "$source/bench/gpu_session.sh" pack "$build" "$dir/pack" >"$dir/out" 2>&1 || fail "pack ends with $?"
[ "$(tar -cz -C "$dir" --exclude=lib pack | wc -c)" -le 10000000 ] || fail 'the pack is too large'
tar -tJf "$dir/pack.tar.xz" | grep -q '^pack/machines/h200' || fail 'the pack lacks the machine files'
pack=$dir/pack
mv "$pack/spmodel" "$pack/spmodel.real"

# wrap PROGRAM PATTERN WHAT...: a program of the pack that does WHAT where its arguments match, else what it always did.
wrap() {
    program=$1
    {
        echo '#!/bin/sh'
        echo 'case "$*" in'
        shift
        while [ $# -gt 0 ]; do
            printf '%s) %s ;;\n' "$1" "$2"
            shift 2
        done
        echo 'esac'
        [ ! -x "$pack/$program.real" ] || printf 'exec "%s" "$@"\n' "$pack/$program.real"
    } >"$pack/$program"
    chmod +x "$pack/$program"
}
hang='trap "" TERM; while :; do sleep 0.3; done'
crash='echo before; kill -SEGV $$'

# call CALL EXIT_CODE: makes it; its archive is unpacked into found/.
call() {
    rm -f "$dir"/results/*.tar.gz
    sh "$pack/gpu_session.sh" "$1" "$dir/results" >"$dir/out" 2>&1
    got=$?
    [ $got = "$2" ] || fail "call $1 ends with $got, not $2"
    unpack "$dir"/results/*.tar.gz
}
unpack() { # ARCHIVE
    rm -rf "$dir/found"
    mkdir "$dir/found"
    tar -xzf "$1" -C "$dir/found" || fail 'the archive is no archive'
    found=$(echo "$dir"/found/*)
    grep -q '^exit code' "$found/summary.txt" || fail "the archive was not packed at the end: $(cat "$found/summary.txt")"
}
says() { grep -Eq -e "$1" "$found/summary.txt" || { cat "$found/summary.txt"; fail "the summary does not say: $1"; }; }

# 1: one program hangs and does not listen, another crashes, ceilings fail: the machine file of another GPU is taken.
wrap spmodel '*"machine measure"*' "$crash"
wrap test_gpu_kernels '*' "$hang"
wrap test_gpu_layers '*' "$crash"
call 1 1
says '^ceilings-quick .*FAILED, exit code 139'
says '^machine file .*h200-sxm-141gb.json'
says '^counted .*ok'
says '^kernels .*TIMED OUT after 8 s'
says '^layers .*FAILED, exit code 139'
grep -q before "$found/layers.txt" || fail 'what the crashed program said is lost'
grep -q '^counted: BYTES  *cupti' "$found/rows.txt" || fail "no counted bytes: $(cat "$found/rows.txt")"

# The same without faults measures, too; the long measurement is shortened.
wrap spmodel '*"device gpu -o "*' 'set -- "$@" --quick --size 4MiB'
wrap test_gpu_kernels '*' 'exit 0'
wrap test_gpu_layers '*' 'exit 0'
call smoke 0
says '^ceilings .*ok'
[ -s "$dir/results/gpu.json" ] || fail 'no machine file was measured'

# 2: every GPU kernel of the table, one of which hangs, one crashes.
wrap spmodel '*cuda-merge*c128*' "$hang" '*"--op fusedmm"*' "$crash"
call 2 1
grep -q '^SECTORS  count once for 32 lanes .*measured: ' "$found/rows.txt" || fail "how sectors count is not known: $(cat "$found/rows.txt")"
says 'cuda-merge_.*c128 .*TIMED OUT'
says 'fusedmm_crs.* FAILED, exit code 139'
says '^records .*ok'
[ "$(grep -c ' ok$' "$found/summary.txt")" -ge 31 ] || fail "too few steps went well: $(cat "$found/summary.txt")"
grep -o 'sp_gpu_map_[a-z]*' "$source/kernels/bodies.h" | sed 's/sp_gpu_map_/cuda-/' | sort -u >"$dir/kernels"
[ "$(wc -l <"$dir/kernels")" -ge 15 ] || fail 'the table of kernels cannot be read'
while read -r kernel; do
    [ "$kernel" = cuda-fused ] || grep -q "$kernel" "$found/rows.txt" || fail "no figures of $kernel: $(cat "$found/rows.txt")"
done <"$dir/kernels"

# 3 and 4: no cuSPARSE, and a benchmark that hangs after its first rows.
wrap spmodel nothing :
if [ -x "$pack/bench_gpu" ]; then
    mv "$pack/bench_gpu" "$pack/bench_gpu.real"
    wrap bench_gpu '*f32*' "echo '  one row, warm'; $hang"
    call 3 1
    says '^peers '
    says '^spmv-gen_laplace2d_6 .*ok'
    says '^spmv-f32-gen_laplace2d_6 .*TIMED OUT'
    grep -q '^spmv gen:laplace2d:6:.*cuda-lanes.*warm' "$found/rows.txt" || fail "no rows: $(cat "$found/rows.txt")"
    grep -q 'one row, warm' "$found/rows.txt" || fail 'the row before it hung is lost'
    wrap bench_gpu '*"spmm "*f32*' "$crash" '*sddmm*' 'exit 0' '*f16*' 'exit 0'
    call 4 1
    says '^spmm-gen_laplace2d_6 .*FAILED, exit code 139'
    says '^spmmv-gen_laplace2d_6 .*ok'
else
    call 3 0
    says '^benchmark .*left out'
    call 4 0
fi

# 5: without compute-sanitizer, and with one that hangs and crashes.
PATH=$dir/bin:$PATH LIMIT=2
call 5 0
says '^sanitizers .*left out'
mkdir "$dir/bin"
wrap compute-sanitizer '*memcheck*cuda-lanes*' "$hang" '*racecheck*cuda-row*' "$crash"
mv "$pack/compute-sanitizer" "$dir/bin"
call 5 1
says '^memcheck-spmv_crs_--isa_cuda-lanes .*TIMED OUT'
says '^racecheck-spmm_crs_--inner_32_--isa_cuda-row .*FAILED'
says '^synccheck-spmm_bcsr_8x8_--inner_32_--precision_f32 .*ok'

# Ended from outside in the middle of a step.
wrap spmodel '*analyze*' "$hang"
LIMIT=60 sh "$pack/gpu_session.sh" 2 "$dir/ended" >"$dir/out" 2>&1 &
caller=$!
until grep -q '^ceilings-quick' "$dir/ended/2-truth/summary.txt" 2>/dev/null; do sleep 0.1; done
kill $caller
wait $caller
[ $? = 143 ] || fail 'a call that is ended does not say so'
unpack "$dir/ended/2-truth.tar.gz"
says 'ended by signal 15'

# Without a GPU: exit code 4, and the archive says why.
rm "$pack/libspmodel-cuda.so"
wrap spmodel nothing :
for number in 1 2 4; do
    call $number 4
    grep -q 'error: ' "$found/ceilings-quick.txt" || fail 'the archive does not say why there is no GPU'
    [ "$(grep -c FAILED "$found/summary.txt")" = 1 ] || fail "call $number goes on without a GPU"
done

# What no call is named says which there are.
sh "$pack/gpu_session.sh" first >"$dir/out"
[ $? = 2 ] || fail 'a wrong name does not end with 2'
grep -q '^# Exit code' "$dir/out" || fail 'a wrong name shows no calls'
! grep -q '^[^#]' "$dir/out" || fail 'lines of the script are shown'
echo "gpu_session: ok"
