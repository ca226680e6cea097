#!/bin/sh
# How good the hints are: `spmodel analyze --try-hints` over matrices of many kinds, then the score of every rule.
#     bench/hints.sh SPMODEL FOLDER [MATRIX...]
# Records go to FOLDER, so that an interrupted run goes on where it stopped; without MATRIX the list below, mostly
# beyond a last-level cache of 32 MiB. Seconds of each matrix are printed as it goes.
set -eu
spmodel=$1 folder=$2
shift 2
mkdir -p "$folder"
[ $# -gt 0 ] || set -- \
    gen:laplace2d:1500 gen:laplace2d:1500+permuted:3 gen:laplace3d:130 gen:laplace3d:130+permuted:7 \
    gen:laplace3d:130+shuffled:20000 gen:hpcg:80 gen:hpcg:80+permuted:5 gen:hpcg:80+shuffled:5000 \
    gen:band:1000000:40:0.3 gen:band:1000000:200:0.05 gen:band:300000:60:0.5+permuted:2 gen:band:1000000:20:0.5+shuffled:100000 \
    gen:random:1000000:8 gen:random:400000:15 gen:random:2000000:4 gen:random:100000:60 gen:random:50000:300 \
    gen:powerlaw:18:12 gen:powerlaw:19:8 gen:powerlaw:17:24 gen:powerlaw:20:6 \
    gen:arrow:2000000 gen:arrow:1000000+permuted:4 \
    gen:block:200000:8:4 gen:block:120000:12:6 gen:block:200000:8:4+permuted:1 \
    gen:layer:65536:1 gen:anderson:130 gen:laplace2d:300 gen:laplace3d:50 gen:random:20000:20 gen:powerlaw:13:8
for matrix in "$@"; do
    name=$(echo "$matrix" | tr '/:+' '___')
    ls "$folder/$name"/*.json >/dev/null 2>&1 && continue
    start=$(date +%s)
    "$spmodel" analyze -q --try-hints --budget 1s --no-plots --out "$folder/$name" "$matrix" >"$folder/$name.txt" 2>&1 ||
        echo "$matrix: exit code $?: $(tail -1 "$folder/$name.txt")"
    echo "$matrix: $(($(date +%s) - start)) s, $(sed -n 's/^ best  *\(spmodel\)/\1/p' "$folder/$name.txt")"
done
"$spmodel" track hints -v "$folder"
