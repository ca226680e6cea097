#!/bin/sh
# SpMV, SpMM, SDDMM and FusedMM beside other libraries, in one command: for each matrix the best of our variants beside the
# best peer, which run in turn, with quartiles over the rounds; markdown on standard output, for docs/results.
#
#     bench/peers.sh [--build build] [--matrices FOLDER] [--threads "1 2"] [--rounds 9] [--wait 300] [PART ...]
#
# PART: spmv, spmm, sampled (SDDMM and FusedMM); all three without. It waits for a quiet machine, at most so many seconds, and says of
# each table what others took of the processors meanwhile. Peers are those that the build found: Eigen, librsb, MKL.
# FOLDER has matrices as files, of which those that are not there are named.
set -eu
cd "$(dirname "$0")/.."
build=build matrices=../shared/matrices threads="1 2" rounds=9 patience=300
while [ $# -gt 0 ]; do
    case $1 in
    --build) build=$2 ;;
    --matrices) matrices=$2 ;;
    --threads) threads=$2 ;;
    --rounds) rounds=$2 ;;
    --wait) patience=$2 ;;
    --*) echo "peers.sh: do not understand '$1'; its options are in its first lines" >&2; exit 2 ;;
    *) break ;;
    esac
    shift 2
done
[ $# -gt 0 ] || set -- spmv spmm sampled
for part in "$@"; do
    case $part in spmv | spmm | sampled) ;; *) echo "peers.sh: no part '$part': spmv, spmm or sampled" >&2; exit 2 ;; esac
done
for name in spmv dense sampled; do
    [ -x "$build/bench/bench_$name" ] || { echo "peers.sh: no $build/bench/bench_$name: configure with -DSP_BENCH=ON and build" >&2; exit 1; }
done

log=$(mktemp)
trap 'rm -f "$log" "$log.one" "$log.skipped"' EXIT

# Since the machine started, in ticks: all processors busy, stolen by the host, in all; children of this script that have ended.
ticks() {
    awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8, $9, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat
    awk '{ sub(/.*\) /, ""); print $14 + $15 }' "/proc/$$/stat"
}
# meanwhile BEFORE: what others took since these ticks; exit status 1 where that is much.
meanwhile() {
    { echo "$1"; ticks; } | tr '\n' ' ' | awk '{
        all = $7 - $3 > 0 ? $7 - $3 : 1
        others = 100 * ($5 - $1 - ($8 - $4)) / all
        stolen = 100 * ($6 - $2) / all
        quiet = others < 3 && stolen < 1
        printf "%s: other work took %.0f %% of the processors, the host %.0f %%\n", quiet ? "Quiet" : "**Not quiet**",
            (others > 0 ? others : 0), stolen
        exit !quiet
    }'
}
wait_for_quiet() {
    waited=0
    while :; do
        before=$(ticks)
        sleep 5
        said=$(meanwhile "$before") && return
        [ "$waited" -lt "$patience" ] || break
        [ "$waited" -gt 0 ] || echo "peers.sh: waiting for a quiet machine, at most $patience s; $said" >&2
        waited=$((waited + 5))
    done
    echo "Not quiet after $waited s of waiting. "
}
# mean COLUMN TARGET: the geometric mean of a column of the rows in $log, how many reach TARGET, and the least.
mean() {
    awk -F'|' -v column="$1" -v target="$2" '/^\|/ {
        x = $(column + 1) + 0
        if (x <= 0) next
        sum += log(x); n++; reached += x >= target
        if (!(least <= x) || n == 1) { least = x; name = $2 }
    } END { if (n) printf "Geometric mean of %d: %.2f; at least %s in %d; the least %.2f,%s\n", n, exp(sum / n), target, reached, least, name }' "$log"
}
# table HEADER: its two lines.
table() {
    printf '\n%s\n' "$1"
    echo "$1" | sed 's/[^|]\{1,\}/---/g'
}
# bench NAME OPTION...: its rows, shown and kept; what it says besides goes to standard error where it fails.
bench() {
    name=$1
    shift
    if ! "$build/bench/bench_$name" --table --samples "$rounds" "$@" >"$log.one" 2>&1; then
        tail -n 3 "$log.one" >&2
        echo "peers.sh: bench_$name $* failed" >&2
        exit 1
    fi
    grep '^  *[A-Za-z]*: skipped' "$log.one" >>"$log.skipped" || true
    sed -n "s|^\| $matrices/|\| |; /^|/p" "$log.one" | tee -a "$log"
}

spmv() { # THREADS
    table '| matrix | threads | cores | ours | Gflop/s | of the roof | best peer | ratio | quartiles | rounds |'
    for matrix in hpcg:128 laplace3d:240 random:4000000:8 powerlaw:20:16 bundle1 bcsstk29 bcsstk33 Cornell5 ISPD98_ibm14 fast0507 nw04 visium; do
        case $matrix in *:*) file=$matrix ;; *)
            file=
            for match in "$matrices/$matrix"*.mtx*; do
                if [ -e "$match" ]; then file=$match; fi
            done
            ;;
        esac
        # Neither blocks nor runs are in these, and each format is tried at several distances of prefetching.
        case $matrix in random:* | powerlaw:*) more="--prefetch --format" few="crs sell:8,1 sell:32,1" ;; *) more='' few='' ;; esac
        if [ -n "$file" ]; then
            # shellcheck disable=SC2086 # no words or two
            bench spmv --threads "$1" $more ${few:+"$few"} "$file"
        else
            absent="${absent:-}${absent:+, }$matrix"
        fi
    done
    echo
    mean 8 1.0
}
spmm() { # THREADS
    table '| matrix | r | threads | ours | Gflop/s | best peer | ratio | quartiles | rounds |'
    for matrix in random:32768x8192:82 hpcg:64 powerlaw:18:16; do
        bench dense --threads "$1" --op spmm --precision f32 --widths 8,32,128 "$matrix"
    done
    echo
    mean 7 1.3
}
sampled() { # THREADS
    table '| rows x columns | r | entries a row | threads | SDDMM Gflop/s | of FMA | quartiles | FusedMM Gflop/s | x its pair | quartiles | rounds |'
    bench sampled --threads "$1" random:2000:16 random:2000:64 hpcg:12 band:2000:200:0.1
    for cases in 0,18 18,36 36,54 54,72; do
        bench sampled --threads "$1" --cases "$cases"
    done
    echo
    mean 9 1.0
}

echo "# Beside other libraries"
echo
echo "$(date -u '+%Y-%m-%d %H:%M UTC'), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors, $rounds rounds; measured."
echo "Cores: how near to each other messages between them find them; ratio: the peer's time over ours, above 1 ours is faster."
for n in $threads; do
    for part in "$@"; do
        : >"$log"
        : >"$log.skipped"
        printf '\n## %s, %s thread%s\n' "$part" "$n" "$([ "$n" = 1 ] || echo s)"
        note=$(wait_for_quiet)
        before=$(ticks)
        "$part" "$n"
        printf '\n%s%s.\n' "$note" "$(meanwhile "$before" || true)"
        sort -u "$log.skipped" | sed 's/^ */Without /; s/: skipped, /: /; s/$/./'
    done
done
[ -z "${absent:-}" ] || printf '\nNot in %s: %s.\n' "$matrices" "$(echo "$absent" | tr ',' '\n' | sed 's/^ //' | sort -u | paste -sd, | sed 's/,/, /g')"
