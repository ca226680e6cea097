#!/bin/sh
# `spmodel model MATRIX --machine a100,h200 --format all` prints the comparison and a plot for each GPU, for every
# fifth matrix of the collection beside the checkout, or with `all` for the others.
# Usage: gpu_plots.sh SPMODEL MATRIX_DIR [all]
set -u
spmodel=$1 matrices=$2 others=${3:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
fail() { echo "gpu_plots: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
[ -d "$matrices" ] || { echo "SKIPPED: no matrices in $matrices"; exit 77; }
command -v gnuplot >/dev/null || { echo "SKIPPED: gnuplot is not installed"; exit 77; }

n=0 n_done=0
for matrix in "$matrices"/*.mtx "$matrices"/*.mtx.gz; do
    [ -f "$matrix" ] || continue
    n=$((n + 1))
    case $((n % 5))$others in 0all | [1-4]) continue ;; esac
    n_done=$((n_done + 1))
    "$spmodel" model "$matrix" --machine a100,h200 --format all >"$dir/out" 2>"$dir/err" || fail "$matrix: exits with $?"
    [ -s "$dir/err" ] && fail "$matrix: something was said"
    for gpu in a100-sxm4-40gb h200-sxm-141gb; do
        grep -q "^ $gpu  *GPU " "$dir/out" || fail "$matrix: $gpu is not in the table"
        grep -q " levels of $gpu" "$dir/out" || fail "$matrix: no plot of $gpu"
    done
    [ "$(grep -c '^ 1  CRS thread  ' "$dir/out")" = 2 ] || fail "$matrix: not a key for each plot"
    grep -q "bytes of HBM" "$dir/out" || fail "$matrix: memory is not called HBM in the plot"
    ! grep -q DRAM "$dir/out" || fail "$matrix: HBM is called DRAM"
    awk 'length($0) > 102 {print; bad = 1} END {exit bad}' "$dir/out" || fail "$matrix: a line is longer than 100"
done
[ $n_done -gt 0 ] || fail "no matrix in $matrices"
echo "gpu_plots: $n_done of $n matrices ok"
