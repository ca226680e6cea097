#!/bin/sh
# The 72 cases of the test set [THEORY 6] by `spmodel analyze`: rate, bytes, intensity without any cache, with every
# operand read once, and simulated, the share of the roof, and what binds.
#     bench/testset.sh SPMODEL OP [COLUMNS...]      OP: sddmm, fusedmm or spmm; COLUMNS among 1024 2048 4096 8192
# Cases are those of src/sparse/generate/generate.c, f32. "worst" reads the gathered rows for every entry.
set -eu
spmodel=$1 op=$2
shift 2
[ $# -gt 0 ] || set -- 1024 2048 4096 8192
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
printf '%-14s %4s %8s  %8s %9s   %6s %6s %9s   %7s %8s  %s\n' 'n_r x n_c' r density Gflop/s 'bytes MB' worst best simulated \
    'of roof' 'of model' binding
for columns in "$@"; do
    case $columns in 1024) number=0 ;; 2048) number=18 ;; 4096) number=36 ;; 8192) number=54 ;; *) echo "no columns $columns" >&2; exit 2 ;; esac
    for ratio in 1 3 4; do for r in 32 128; do for sparsity in 0.7 0.8 0.9; do
    rows=$((columns * ratio)) number=$((number + 1)) # of the case, which seeds its matrix
    per_row=$(awk -v n="$columns" -v s="$sparsity" 'BEGIN { printf "%d", (1 - s) * n + 0.5 }')
    "$spmodel" analyze -q --no-plots --no-hints --budget 300ms --precision f32 --op "$op" --inner "$r" --csv --out "$dir" \
        "gen:random:${rows}x$columns:$per_row:$number" >"$dir/row.csv"
    binding=$(sed -n 's/.*"term": "\(.*\)".*/\1/p' "$dir"/*.json | head -1)
    rm -f "$dir"/*.json
    awk -F, -v shape="$rows x $columns" -v r="$r" -v op="$op" -v binding="$binding" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 {
            n = $at["nnz"]
            gathered = op == "fusedmm" ? 2 : 1
            once = $at["rows"] * r * (op == "fusedmm" ? 2 : 1) # rows held in registers, and results
            worst = 4 * (n * (1 + (op != "fusedmm") + (op == "sddmm") + gathered * r) + once)
            W = $at["performance_flop_per_s"] * $at["time_s"]
            printf "%-14s %4d %7.1f%%  %8.1f %9.1f   %6.3f %6.1f %9.1f   %6.0f%% %7.0f%%  %s\n", shape, r,
                100 * n / $at["rows"] / $at["cols"], $at["performance_flop_per_s"] / 1e9, $at["bytes_B"] / 1e6, W / worst,
                1 / $at["balance_min_B_per_flop"], 1 / $at["balance_B_per_flop"], 100 * $at["bandwidth_fraction"],
                100 * $at["model_fraction"], binding
        }' "$dir/row.csv"
done; done; done; done
