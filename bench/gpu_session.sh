#!/bin/sh
# All that a machine with a GPU is asked, in at most eight minutes: tests, compute-sanitizer, counters against known volumes
# and against the model, ceilings, benchmarks. Nothing is fetched from a network.
#
#   bench/gpu_session.sh pack BUILD DIR   copies what a session needs from a build with tests and benchmarks: programs, the
#                                         module, the shared libraries that they need (not the C library's)
#   bench/gpu_session.sh run DIR OUT      runs a session from such a folder, results below OUT
#   bench/gpu_session.sh here OUT         builds beside the source with what is there, then packs and runs
#
# MATRICES="gen:... ..." in the environment names others than the four large ones, CEILINGS="--quick" measures less. A build without optional libraries
# (-DSP_WITH_HWLOC=OFF -DSP_WITH_LIBARCHIVE=OFF) packs smaller.
#
# Exit code: 0 all is as it should be, 1 something is not, 4 there is no GPU.
set -u
start=$(date +%s)
DEADLINE=470 # of eight minutes
seconds() { echo $(($(date +%s) - start)); }
die() { echo "gpu_session: $1" >&2; exit "${2:-1}"; }

pack() { # BUILD DIR
    [ -x "$1/spmodel" ] || die "no build in $1: ./bootstrap --dev"
    [ -f "$1/libspmodel-cuda.so" ] || die "the build in $1 has no GPU module: it found no CUDA toolkit" 4
    mkdir -p "$2/lib" || die "cannot write to $2"
    for program in spmodel tests/gpu/test_gpu_kernels tests/gpu/test_gpu_layers tests/check_records bench/bench_gpu; do
        [ -x "$1/$program" ] && cp "$1/$program" "$2"
    done
    for module in "$1"/libspmodel-*.so; do
        cp "$module" "$2"
    done
    for program in "$2"/spmodel "$2"/test_gpu_kernels "$2"/test_gpu_layers "$2"/libspmodel-*.so "$2"/bench_gpu; do
        [ -e "$program" ] && ldd "$program"
    done | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
        grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' | while read -r library; do
        cp -L "$library" "$2/lib"
    done
    find "$2" -type f \( -name '*.so*' -o -perm -100 \) ! -name '*.sh' -exec strip --strip-debug {} + 2>/dev/null
    cp -r "$(dirname "$0")/../machines" "$2"
    cp "$0" "$2/gpu_session.sh"
    du -sh "$2"
}

# step NAME LIMIT COMMAND...: its output in OUT/NAME.txt, one line of the summary. What would not end in time is cut short, and
# what could not begin is said to be left out.
step() {
    name=$1 limit=$2
    shift 2
    begun=$(seconds)
    left=$((DEADLINE - begun))
    if [ $left -lt 5 ]; then
        skip "$name" "no time left"
        return
    fi
    [ "$limit" -lt $left ] || limit=$left
    timeout "$limit" "$@" >"$out/$name.txt" 2>&1
    code=$?
    case $code in
    0) verdict=ok ;;
    124 | 137) verdict="TIMED OUT after $limit s" ;;
    *) verdict="FAILED, exit code $code" ;;
    esac
    [ $code = 0 ] || bad=1
    printf '%-28s %4d s  %s\n' "$name" $(($(seconds) - begun)) "$verdict" | tee -a "$out/summary.txt"
}

skip() { printf '%-28s         skipped: %s\n' "$1" "$2" | tee -a "$out/summary.txt"; }

analyze() { # OUT_NAME ARGUMENT...
    name=$1
    shift
    step "$name" 60 "$dir/spmodel" analyze --device gpu --machine "$out/gpu.json" --out "$out/records" --no-plots "$@"
}

# Every kernel once on a small matrix under compute-sanitizer. Streamed weights are left out: they would have to exceed the
# memory of the GPU.
sanitize() { # TOOL DIR OUT
    tool=$1 dir=$2 out=$3
    while read -r op format options; do
        # shellcheck disable=SC2086 # words
        compute-sanitizer --tool "$tool" --error-exitcode 9 "$dir/spmodel" analyze gen:powerlaw:10:8 --device gpu \
            --machine "$out/gpu.json" --bytes sim --op "$op" --format "$format" $options --samples 1 --no-plots --no-hints \
            --out "$out/sanitized" </dev/null || exit 1
    done <<'END'
spmv crs --isa cuda-thread
spmv crs --isa cuda-lanes
spmv crs --isa cuda-merge
spmv crs --isa cuda-thread --precision c128
spmv crs --isa cuda-lanes --precision c128
spmv crs --isa cuda-merge --precision c128
spmv sell:32,1
spmmv crs --rhs 8
spmmv sell:32,1 --rhs 8
spmm crs --inner 32 --isa cuda-output
spmm crs --inner 32 --isa cuda-row
spmm crs --inner 32 --isa cuda-share
spmm staged:16,64 --inner 32 --precision f32
spmm bcsr:16x16 --inner 32 --precision f16
spmm bcsr:16x16 --inner 32 --precision bf16
spmm bcsr:8x8 --inner 32 --precision f32
spmm bcsr:8x8 --inner 32
sddmm crs --inner 32
sddmm coo --inner 32
sddmm tiled --inner 32
fusedmm crs --inner 32
END
}

run() { # DIR OUT
    dir=$(cd "$1" && pwd) || die "no folder $1"
    mkdir -p "$2/records" || die "cannot write to $2"
    out=$(cd "$2" && pwd)
    LD_LIBRARY_PATH=$dir/lib:$dir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    XDG_CACHE_HOME=$out/cache
    export LD_LIBRARY_PATH XDG_CACHE_HOME
    bad=0
    : >"$out/summary.txt"
    { uname -a; ldd --version | head -n 1; nvidia-smi; } >"$out/machine.txt" 2>&1
    "$dir/spmodel" doctor >"$out/doctor.txt" 2>&1
    "$dir/spmodel" machine measure --device gpu --quick --size 64MiB >/dev/null 2>"$out/first.txt"
    code=$?
    if [ $code != 0 ]; then
        cat "$out/first.txt"
        exit $code
    fi
    # shellcheck disable=SC2086 # words
    step ceilings 100 "$dir/spmodel" machine measure --device gpu ${CEILINGS:-} -o "$out/gpu.json"
    CK_FORK=no CK_DEFAULT_TIMEOUT=0 step kernels 120 "$dir/test_gpu_kernels"
    CK_FORK=no CK_DEFAULT_TIMEOUT=0 step layers 60 "$dir/test_gpu_layers"
    if command -v compute-sanitizer >/dev/null; then
        for tool in memcheck racecheck synccheck; do
            step "sanitizer-$tool" 60 sh "$dir/gpu_session.sh" sanitize $tool "$dir" "$out"
        done
    else
        skip sanitizer "no compute-sanitizer here"
    fi
    # Bytes counted beside bytes modelled; check_records compares the sectors, which must be equal.
    for matrix in ${MATRICES:-gen:hpcg:128 gen:random:4194304:8 gen:powerlaw:21:16 gen:laplace3d:240}; do
        for format in crs sell:32,1 sell:32,256; do
            analyze "counted-$(echo "$matrix-$format" | tr ':,' '__')" "$matrix" --format "$format" --bytes cupti --cold
        done
        analyze "auto-$(echo "$matrix" | tr ':,' '__')" "$matrix" --format auto
    done
    if ls "$out"/records/*.json >/dev/null 2>&1; then
        step records 30 "$dir/check_records" "$out"/records/*.json
    else
        skip records "no analysis ended"
    fi
    # shellcheck disable=SC2086 # words
    if [ -x "$dir/bench_gpu" ]; then
        step benchmark-spmv 100 "$dir/bench_gpu" --peers ${MATRICES:-}
        step benchmark-spmm 60 "$dir/bench_gpu" --peers --op spmm --precision f32 --width 128 ${MATRICES:-}
        step benchmark-spmm-f16 60 "$dir/bench_gpu" --peers --op spmm --precision f16 --width 128 --parts ${MATRICES:-}
        step benchmark-sddmm 60 "$dir/bench_gpu" --peers --op sddmm --precision f32 --width 32 ${MATRICES:-}
        step benchmark-fusedmm 40 "$dir/bench_gpu" --op fusedmm --precision f32 --width 32 ${MATRICES:-}
    else
        skip benchmark "bench_gpu was not packed"
    fi
    echo
    cat "$out/summary.txt"
    grep -h 'of roof\|measured  \|was counted' "$out"/counted-*.txt 2>/dev/null | head -n 24
    echo "$(seconds) s; results in $out"
    exit $bad
}

case ${1:-} in
sanitize) sanitize "$2" "$3" "$4" ;;
pack) [ $# = 3 ] || die "pack BUILD DIR" 2; pack "$2" "$3" ;;
run) [ $# = 3 ] || die "run DIR OUT" 2; run "$2" "$3" ;;
here)
    [ $# = 2 ] || die "here OUT" 2
    cd "$(dirname "$0")/.." || exit 1
    ./bootstrap --no-install --tests --build=build-gpu -DSP_BENCH=ON || die "the build failed"
    pack build-gpu "$2/pack" && run "$2/pack" "$2"
    ;;
*) sed -n '2,14p' "$0"; exit 2 ;;
esac
