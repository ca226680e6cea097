#!/bin/sh
# All that a machine with a GPU is asked, in five calls of at most nine minutes, the most valuable first. Each is complete in
# itself: whatever hangs or crashes costs its own step, and OUT/CALL.tar.gz has all that was found so far after every step.
#
#   bench/gpu_session.sh pack BUILD DIR    copies what the calls need from a build with tests and benchmarks to DIR and
#                                          DIR.tar.xz: nothing but the driver is needed beside it, and sh, tar, xz, gzip, timeout
#   sh DIR/gpu_session.sh CALL [OUT]       makes one call, results below OUT (gpu-session)
#   bench/gpu_session.sh here OUT          builds beside the source with what is there, packs, makes all calls
#
# CALL is a number or a name:
#   1 smoke      what GPU it is, a kernel whose bytes are counted, ceilings (OUT/gpu.json), all kernels against the reference
#   2 truth      bytes counted beside bytes modelled: every kernel on two small matrices; three large ones, warm and cold
#   3 spmv       SpMV beside cuSPARSE, where it is installed
#   4 dense      SpMM, SDDMM and FusedMM beside cuSPARSE and cuBLAS, where they are
#   5 sanitize   every kernel under compute-sanitizer, where it is installed
#
# In the environment: SMALL, LARGE, LONG, MATRICES="gen:... ..." name other matrices (of `truth`; of the benchmarks), LIMIT=SECONDS
# is the most that a step may take, DEADLINE=SECONDS a call, SIZE is of the arrays of quick ceilings, ROUNDS=N of benchmarks,
# MODULE=FILE packs this one instead of the build's libspmodel-cuda.so, PRESET=N is xz's (6).
#
# Exit code: 0 all is as it should be, 1 something is not, 2 no call is named so, or it is made without a pack, 4 there is no GPU.
set -u
MOST_PACK_B=${MOST_PACK_B:-20000000}
PRESET=${PRESET:-6}
start=$(date +%s)
seconds() { echo $(($(date +%s) - start)); }
die() { echo "gpu_session: $1" >&2; exit "${2:-1}"; }

# Where the build found a library, as its cache says.
cached() { sed -n "s/^$2:[^=]*=//p" "$1/CMakeCache.txt" 2>/dev/null; }

pack() { # BUILD DIR
    module=${MODULE:-$1/libspmodel-cuda.so}
    [ -x "$1/spmodel" ] || die "no build in $1: ./bootstrap --dev"
    [ -f "$module" ] || die "the build in $1 has no GPU module: it found no CUDA toolkit" 4
    mkdir -p "$2/lib" || die "cannot write to $2"
    for program in spmodel tests/gpu/test_gpu_kernels tests/gpu/test_gpu_layers tests/check_records bench/bench_gpu libspmodel-peers.so; do
        [ -f "$1/$program" ] && cp "$1/$program" "$2"
    done
    cp "$module" "$2/libspmodel-cuda.so"
    for program in "$2"/spmodel "$2"/*test_gpu_* "$2"/check_records "$2"/bench_gpu "$2"/libspmodel-*.so; do
        [ -f "$program" ] && ldd "$program"
    done | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u |
        grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' | while read -r library; do
        cp -L "$library" "$2/lib"
    done
    # What counts: the driver does not bring it.
    cupti=$(cached "$1" SP_CUPTI_LIBRARY_DIR)
    for library in "$cupti"/libcupti.so.[0-9]* "$cupti"/libnvperf_host.so "$cupti"/libnvperf_target.so; do
        [ -f "$library" ] && cp -L "$library" "$2/lib"
    done
    find "$2" -type f \( -name '*.so*' -o -perm -100 \) ! -name '*.sh' ! -name 'libcupti*' ! -name 'libnvperf*' \
        -exec strip --strip-unneeded {} + 2>/dev/null
    cp -r "$(dirname "$0")/../machines" "$2"
    cp "$0" "$2/gpu_session.sh"
    name=$(basename "$2")
    tar -cf - -C "$(dirname "$2")" "$name" | xz --x86 --lzma2=preset=$PRESET -T 0 >"$2.tar.xz" || die "cannot write $2.tar.xz"
    bytes=$(wc -c <"$2.tar.xz")
    echo "$2.tar.xz: $bytes bytes"
    [ "$bytes" -le "$MOST_PACK_B" ] || die "the pack is larger than $MOST_PACK_B bytes: build with -DSP_WITH_LIBARCHIVE=OFF"
}

# OUT/CALL.tar.gz, complete or not at all: after each step and at the end.
archive() { tar -czf "$results/.$call.part" -C "$results" "$call" && mv "$results/.$call.part" "$results/$call.tar.gz"; }

quick="--quick --size ${SIZE:-64MiB}"
running=''
finish() {
    code=$?
    trap - EXIT
    [ -z "$running" ] || kill "$running" 2>/dev/null
    [ $code -lt 128 ] || echo "the call was ended by signal $((code - 128)) after $(seconds) s" | tee -a "$out/summary.txt"
    echo "exit code $code after $(seconds) s" >>"$out/summary.txt"
    archive
    exit "$code"
}

say() { printf '%-36s %5s  %s\n' "$1" "$2" "$3" | tee -a "$out/summary.txt"; }

# What was added to a step's output is shown while it runs.
show() {
    size=$(wc -c <"$1")
    [ "$size" -le "$shown" ] || tail -c "+$((shown + 1))" "$1"
    shown=$size
}

# step NAME LIMIT COMMAND...: its output in NAME.txt and here, one line of the summary, its exit code in $code. What takes too
# long is ended; what cannot be ended (a driver may hang so) is left behind. What could not begin is said to be left out.
step() {
    name=$1 limit=$2
    shift 2
    begun=$(seconds) shown=0
    left=$((${DEADLINE:-530} - begun))
    [ "$limit" -le "${LIMIT:-$limit}" ] || limit=$LIMIT
    code=0
    if [ $left -lt $((limit < 5 ? limit : 5)) ]; then
        say "$name" - "left out: no time left"
        return
    fi
    [ "$limit" -lt $left ] || limit=$left
    : >"$out/$name.txt"
    timeout -k 2 "$limit" "$@" >"$out/$name.txt" 2>&1 </dev/null &
    running=$!
    code=''
    while [ -z "$code" ]; do
        if ! kill -0 $running 2>/dev/null; then
            wait $running
            code=$?
        elif [ $(($(seconds) - begun)) -gt $((limit + 6)) ]; then
            code=137
        else
            sleep 0.1
        fi
        show "$out/$name.txt"
    done
    running=''
    case $code in
    0) verdict=ok ;;
    124 | 137) verdict="TIMED OUT after $limit s" ;;
    *) verdict="FAILED, exit code $code" ;;
    esac
    [ "$code" = 0 ] || bad=1
    say "$name" "$(($(seconds) - begun)) s" "$verdict"
    archive
}

word_of() { echo "$*" | tr -c 'A-Za-z0-9.\n-' '_'; }

# measured NAME LIMIT ARGUMENT...: an analysis; its row of figures goes to rows.txt.
measured() {
    name=$1 limit=$2
    shift 2
    step "$name" "$limit" "$dir/spmodel" analyze -v --device gpu --machine "$machine" --out "$out/records" --no-plots --no-hints "$@"
    sed -n "s/^KERNEL /$name: KERNEL /p; s/^BYTES /$name: BYTES /p; s/^ *measured  /$name: measured  /p" "$out/$name.txt" >>"$out/rows.txt" 2>/dev/null
    archive
}

# The same launches as another program counts them.
second_source() { # NAME ARGUMENT...
    name=$1
    shift
    [ -n "$ncu" ] || return 0
    step "ncu-$name" 60 "$ncu" --csv --launch-skip 2 --launch-count 3 --kernel-name-base function --kernel-name regex:grid_body \
        --metrics dram__bytes_read.sum,dram__bytes_write.sum,lts__t_sectors_srcunit_tex_op_read.sum,lts__t_sectors_srcunit_tex_op_write.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum \
        "$dir/spmodel" analyze --device gpu --machine "$machine" --out "$out/ncu-records" --no-plots --no-hints --samples 1 --bytes sim "$@"
}

# Every kernel, by operation, format and options.
every_kernel() {
    cat <<'END'
spmv crs --isa cuda-thread
spmv crs --isa cuda-lanes
spmv crs --isa cuda-merge
spmv crs --isa cuda-keep
spmv crs --isa cuda-window
spmv sell:32,1
spmv sell:32,256
spmm crs --inner 32 --isa cuda-row
spmm crs --inner 32 --isa cuda-share
spmm crs --inner 32 --isa cuda-output
spmm staged:16,64 --inner 32 --precision f32
spmm bcsr:8x8 --inner 32
spmm bcsr:16x16 --inner 32 --precision f16
sddmm crs --inner 32
sddmm coo --inner 32
sddmm tiled:64,32 --inner 32
fusedmm crs --inner 32
spmmv crs --rhs 8
spmmv sell:32,1 --rhs 8
spmv crs --isa cuda-thread --precision c128
spmv crs --isa cuda-lanes --precision c128
spmv crs --isa cuda-merge --precision c128
spmm bcsr:16x16 --inner 32 --precision bf16
spmm bcsr:8x8 --inner 32 --precision f32
spmm crs --inner 32 --isa cuda-share --precision f16
END
}

# The machine file that the call goes by: of this GPU, measured by an earlier call or now; else one that is like it.
find_machine() {
    machine=$results/gpu.json
    [ -s "$machine" ] && return
    measure_ceilings "$quick" 40
    [ "$code" != 4 ] || exit 4
}

measure_ceilings() { # OPTIONS LIMIT; $code: what it ended with
    # shellcheck disable=SC2086 # words
    step "ceilings${1:+-quick}" "$2" "$dir/spmodel" machine measure --device gpu $1 -o "$out/measured.json"
    if [ "$code" = 0 ] && [ -s "$out/measured.json" ]; then
        cp "$out/measured.json" "$results/gpu.json"
    elif [ ! -s "$results/gpu.json" ]; then
        case $(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null) in
        *A100*) machine=a100-sxm4-40gb ;;
        *A30*) machine=a30-pcie-24gb ;;
        *V100*) machine=v100-sxm2-16gb ;;
        *3090*) machine=rtx-3090-24gb ;;
        *H100*) machine=h100-pcie-80gb ;;
        *) machine=h200-sxm-141gb ;;
        esac
        machine=$dir/machines/$machine.json
        say "machine file" - "ceilings failed: $(basename "$machine"), whose roofs are stated"
        return
    fi
    machine=$results/gpu.json
}

smoke() {
    rm -f "$results/gpu.json"
    find_machine
    # shellcheck disable=SC2086 # words
    set -- ${SMALL:-gen:hpcg:48 gen:powerlaw:15:12}
    measured counted 60 "$1" --format crs --bytes auto
    second_source counted "$1" --format crs
    CK_FORK=no CK_DEFAULT_TIMEOUT=0 step kernels 150 "$dir/test_gpu_kernels"
    # The whole measurement takes the place of the quick one where it ends.
    measure_ceilings "" 120
    CK_FORK=no CK_DEFAULT_TIMEOUT=0 step layers 60 "$dir/test_gpu_layers"
    so_far=$bad
    step doctor 30 "$dir/spmodel" doctor
    bad=$so_far # what is missing there is no failure here
}

truth() {
    find_machine
    "$dir/spmodel" machine show "$machine" 2>/dev/null | grep '^SECTORS' >>"$out/rows.txt" # how the counter counts duplicates
    for matrix in ${SMALL:-gen:hpcg:48 gen:powerlaw:15:12}; do
        every_kernel >"$out/kernels.txt"
        while read -r op format options; do
            # shellcheck disable=SC2086 # words
            measured "$(word_of "$matrix $op $format $options")" 20 "$matrix" --op "$op" --format "$format" $options --samples 3 --bytes auto
        done <"$out/kernels.txt"
    done
    measured "$(word_of "${LONG:-gen:arrow:100000} cuda-bins")" 20 "${LONG:-gen:arrow:100000}" --isa cuda-bins --samples 3 --bytes auto
    for state in '' --cold; do
        for matrix in ${LARGE:-gen:random:4194304:8 gen:hpcg:128 gen:powerlaw:21:16}; do
            for what in 'crs --isa cuda-lanes' 'sell:32,1' 'crs --isa cuda-merge' 'crs --isa cuda-thread' 'sell:32,256'; do
                # shellcheck disable=SC2086 # words
                measured "$(word_of "$matrix $what $state")" 60 "$matrix" --format $what --samples 5 --bytes auto $state
            done
        done
    done
    # What J03 proposes, where x is loaded again and again.
    # shellcheck disable=SC2086 # words
    set -- ${LARGE:-gen:random:4194304:8}
    for what in cuda-keep cuda-window; do
        measured "$(word_of "$1 $what")" 60 "$1" --format crs --isa $what --samples 5 --bytes auto
    done
    # shellcheck disable=SC2086 # words
    set -- ${SMALL:-gen:hpcg:48 gen:powerlaw:15:12}
    for what in 'crs --isa cuda-lanes' 'sell:32,1'; do
        # shellcheck disable=SC2086 # words
        second_source "$(word_of "$1 $what")" "$1" --format $what
    done
    if ls "$out"/records/*.json >/dev/null 2>&1; then
        step records 30 "$dir/check_records" "$out"/records/*.json
    else
        say records - "left out: no analysis ended"
    fi
}

# One matrix a step, so that what hangs costs no other one.
benchmark() { # NAME LIMIT ARGUMENT...
    kind=$1 limit=$2
    shift 2
    for matrix in ${MATRICES:-gen:random:4194304:8 gen:hpcg:128 gen:powerlaw:21:16 gen:laplace3d:240}; do
        # shellcheck disable=SC2086 # one word, or none
        step "$kind-$(word_of "$matrix")" "$limit" "$dir/bench_gpu" $peers --machine "$machine" --rounds "${ROUNDS:-21}" --seconds "$((limit * 2 / 3))" "$@" "$matrix"
        grep -E '(warm|cold|tried)' "$out/$kind-$(word_of "$matrix").txt" 2>/dev/null | sed "s/^/$kind $matrix: /" >>"$out/rows.txt"
        archive
    done
}

# With the libraries beside, where they can be opened.
find_peers() {
    peers=''
    if [ ! -x "$dir/bench_gpu" ]; then
        say benchmark - "left out: bench_gpu was not packed"
        return 1
    fi
    if "$dir/bench_gpu" --libraries >"$out/libraries.txt" 2>&1; then
        peers=--peers
    fi
    say peers - "$(tail -n 1 "$out/libraries.txt")"
}

spmv() {
    find_machine
    find_peers || return
    benchmark spmv 120 --op spmv
    benchmark spmv-f32 60 --op spmv --precision f32
}

dense() {
    find_machine
    find_peers || return
    MATRICES=${MATRICES:-gen:hpcg:64 gen:random:1048576:8 gen:powerlaw:18:16}
    benchmark spmm 70 --op spmm --precision f32 --width 128
    benchmark sddmm 60 --op sddmm --precision f32 --width 32
    benchmark spmm-f16 70 --op spmm --precision f16 --width 128 --parts
    benchmark spmmv 40 --op spmmv --width 8
    benchmark fusedmm 30 --op fusedmm --precision f32 --width 32
}

sanitize() {
    if ! command -v compute-sanitizer >/dev/null; then
        say sanitizers - "left out: there is no compute-sanitizer here"
        return
    fi
    find_machine
    every_kernel >"$out/kernels.txt"
    for tool in memcheck racecheck synccheck; do
        while read -r op format options; do
            # shellcheck disable=SC2086 # words
            step "$tool-$(word_of "$op $format $options")" 30 compute-sanitizer --tool $tool --error-exitcode 9 "$dir/spmodel" analyze \
                gen:powerlaw:10:8 --device gpu --machine "$machine" --bytes sim --op "$op" --format "$format" $options --samples 1 \
                --no-plots --no-hints --out "$out/records"
        done <"$out/kernels.txt"
    done
}

# Folders with CUDA's libraries that the loader may not know: of a toolkit, of Python packages.
library_folders() {
    for folder in "${CUDA_HOME:-}/lib64" "${CUDA_PATH:-}/lib64" /usr/local/cuda/lib64 \
        "$(python3 -c 'import nvidia; print(list(nvidia.__path__)[0])' 2>/dev/null)"/*/lib; do
        [ -d "$folder" ] && printf ':%s' "$folder"
    done
}

make_call() { # CALL OUT
    case $1 in
    1 | smoke) call=1-smoke what=smoke ;;
    2 | truth) call=2-truth what=truth ;;
    3 | spmv) call=3-spmv what=spmv ;;
    4 | dense) call=4-dense what=dense ;;
    *) call=5-sanitize what=sanitize ;;
    esac
    dir=$(cd "$(dirname "$0")" && pwd)
    [ -x "$dir/spmodel" ] || die "$dir has no packed program: gpu_session.sh pack BUILD DIR, then sh DIR/gpu_session.sh $1" 2
    rm -rf "${2:?}/$call"
    mkdir -p "$2/$call/records" || die "cannot write to $2"
    results=$(cd "$2" && pwd)
    out=$results/$call
    LD_LIBRARY_PATH=$dir/lib:$dir$(library_folders)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    XDG_CACHE_HOME=$out/cache
    export LD_LIBRARY_PATH XDG_CACHE_HOME
    ncu=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null)
    bad=0
    : >"$out/summary.txt"
    trap finish EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    { date; uname -a; ldd --version | head -n 1; timeout -k 2 10 nvidia-smi; } >"$out/machine.txt" 2>&1
    archive
    $what
    exit $bad
}

case ${1:-} in
pack) [ $# = 3 ] || die "pack BUILD DIR" 2; pack "$2" "${3%/}" ;;
[1-5] | smoke | truth | spmv | dense | sanitize) [ $# -le 2 ] || die "CALL [OUT]" 2; make_call "$1" "${2:-gpu-session}" ;;
here)
    [ $# = 2 ] || die "here OUT" 2
    mkdir -p "$2" || die "cannot write to $2"
    results=$(cd "$2" && pwd)
    cd "$(dirname "$0")/.." || exit 1
    ./bootstrap --no-install --tests --build=build-gpu -DSP_BENCH=ON -DSP_WITH_LIBARCHIVE=OFF -DSP_WITH_HWLOC=OFF || die "the build failed"
    sh bench/gpu_session.sh pack build-gpu "$results/pack" || exit
    worst=0
    for call in 1 2 3 4 5; do
        sh "$results/pack/gpu_session.sh" $call "$results"
        code=$?
        [ $code -le $worst ] || worst=$code
    done
    exit $worst
    ;;
*) sed -n '2,/^set -u/{/^set -u/d;p;}' "$0"; exit 2 ;;
esac
