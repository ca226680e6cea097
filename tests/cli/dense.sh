#!/bin/sh
# Runs `spmodel analyze` and `spmodel model` for the operations with dense operands: every format, odd sizes, series of
# widths, combinations that make no sense; with `full` only the odd sizes
# that are left out without. Usage: dense.sh SPMODEL CHECK_RECORDS CHECK_SCHEMA SCHEMA [full]
set -eu
spmodel=$1 check=$2 check_schema=$3 schema=$4 full=${5:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "dense.sh: $*"
    exit 1
}
analyze() { # analyze NAME ARGUMENTS...: analyse with all details into $dir/NAME
    name=$1
    shift
    "$spmodel" analyze -v --budget 20ms --samples 5 --machine "$dir/machine.json" --out "$dir/$name" "$@" \
        >"$dir/$name.txt" || { cat "$dir/$name.txt"; fail "analyze $* failed"; }
    [ "$(sed -n '2,6s/ .*//p' "$dir/$name.txt" | tr '\n' ' ')" = "possible reached lost do trust " ] ||
        { cat "$dir/$name.txt"; fail "head -6 of $* does not answer"; }
    "$check" "$dir/$name"/*.json >"$dir/$name.check" || { cat "$dir/$name.check" "$dir/$name.txt"; fail "analyze $*"; }
    "$check_schema" "$schema" "$dir/$name"/*.json >"$dir/$name.check" || { cat "$dir/$name.check"; fail "analyze $*"; }
}
run() { analyze "$@" --no-plots; }
refused() { # refused TEXT ARGUMENTS...: exit code 2 and the text on standard error
    text=$1
    shift
    code=0
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || code=$?
    [ $code -eq 2 ] || { cat "$dir/err"; fail "$* exited with $code, not 2"; }
    grep -q -- "$text" "$dir/err" || { cat "$dir/err"; fail "$*: no '$text'"; }
    ls "$dir"/*.json | grep -v machine.json >/dev/null && fail "$* left a record"
    return 0
}
export XDG_CACHE_HOME="$dir/cache"
. "$(dirname "$0")/this_machine.sh"
this_machine "$dir/machine.json"

# A model of what is remembered of this machine, as `machine show this` names it.
code=0
XDG_CACHE_HOME="$dir/none" "$spmodel" model --machine this gen:laplace2d:30 >"$dir/out" 2>&1 || code=$?
[ $code -eq 4 ] && grep -q "nothing is remembered of this machine" "$dir/out" || { cat "$dir/out"; fail "model --machine this without a cache exited with $code"; }
if ls "$XDG_CACHE_HOME"/spmodel/machine-*.json >"$dir/out" 2>&1; then
    "$spmodel" model --machine this gen:laplace2d:30 >"$dir/out" 2>&1 && grep -q "^MACHINE " "$dir/out" || { cat "$dir/out"; fail "model --machine this"; }
else
    echo "dense.sh: nothing is remembered of this machine: no model of it was asked for"
fi

# Odd sizes: one row, one column, rectangular both ways, nothing at all, one vector.
matrix() { # matrix ROWS COLS ENTRIES: the first entries of the first rows and columns
    printf '%%%%MatrixMarket matrix coordinate real general\n%s %s %s\n' "$1" "$2" "$3"
    awk -v rows="$1" -v cols="$2" -v n="$3" 'BEGIN { for (k = 0; k < n; k++) print k % rows + 1, int(k / rows) % cols + 1, 1 + k % 7 }'
}
matrix 1 300 300 >"$dir/row.mtx"
matrix 300 1 300 >"$dir/column.mtx"
matrix 40 900 3000 >"$dir/wide.mtx"
matrix 900 40 3000 >"$dir/tall.mtx"
matrix 7 5 0 >"$dir/empty.mtx"
odd="wide empty"
[ -z "$full" ] || odd="row column tall"
for m in $odd; do
    run "$m-spmmv" --op spmmv --rhs 1 --no-hints "$dir/$m.mtx"
    run "$m-spmm" --op spmm --inner 5 --format staged:8,4 --no-hints "$dir/$m.mtx"
    run "$m-bcsr" --op spmm --inner 1 --format bcsr:4x8 --no-hints "$dir/$m.mtx"
    run "$m-sddmm" --op sddmm --inner 1 --format tiled:4,4 --no-hints "$dir/$m.mtx"
    run "$m-fusedmm" --op fusedmm --inner 3 "$dir/$m.mtx"
done

[ -z "$full" ] || { echo "dense: ok: $odd"; exit 0; }

# Every operation in every format that it has.
run spmmv_sell --op spmmv --rhs 4 --format sell:8,32 gen:laplace2d:36
run spmmv_column --op spmmv --rhs 3 --order column gen:laplace2d:36
run spmmv_bcsr --op spmmv --rhs 5 --format bcsr:2x3 gen:laplace2d:36
run spmv_bcsr --format bcsr:3x3 gen:laplace2d:36
run spmm_bcsr --op spmm --inner 17 --format bcsr:4x4 --precision f32 gen:block:64:8:4
run spmm_staged --op spmm --inner 40 --format staged:64,32 gen:laplace2d:36
run spmm_f16 --op spmm --inner 33 --precision f16 gen:random:800:8
run sddmm_bf16 --op sddmm --inner 33 --precision bf16 gen:random:800:8
for format in crs coo tiled:16,8 staged:32,16; do
    run "sddmm_$format" --op sddmm --inner 24 --format "$format" gen:random:800:8
done
run fusedmm --op fusedmm --inner 20 --precision f32 gen:random:1200:6
grep -q "B saved, .* modelled" "$dir/fusedmm.txt" || fail "the unfused pair is missing"
run spmmv_auto --op spmmv --rhs 2 --format auto gen:laplace2d:30
run formats --op spmmv --rhs 2 --format all gen:laplace2d:24
run cold --op spmm --inner 16 --cold --store nt --no-hints gen:laplace2d:36
run threads --op spmmv --rhs 8 --threads 5 --schedule cyclic:4 gen:laplace2d:30

# A series has a record for each width, a table and a plot.
analyze series --rhs 1,2,8 gen:laplace2d:36
[ "$(ls "$dir"/series/*.json | wc -l)" -eq 3 ] || fail "the series has not three records"
ls "$dir"/series/*.balance.* >/dev/null || fail "the series has no balance plot"
grep -q "^OVER r " "$dir/series.txt" || fail "the series has no table"
tr '\n' ' ' <"$dir/series.txt" | tr -s ' ' | grep -q 'P_core and b_S/B in Gflop/s' || fail "two columns have no unit"
grep -q "^ best r: predicted" "$dir/series.txt" || fail "the series has no best r"
"$spmodel" explain spmmv --record "$(ls "$dir"/series/*.json | tail -1)" >"$dir/out" 2>/dev/null ||
    "$spmodel" explain spmmv >"$dir/out" || fail "explain spmmv"
grep -q "B(r) = 6/r" "$dir/out" || fail "explain spmmv has no formula"

# THEORY 3: kkt_power's balances over r, from sizes alone.
"$spmodel" model --sizes 2063494,2063494,14612663 --rhs 1,2,4,8,16,32 >"$dir/out"
for pair in 1:7.98 2:4.84 4:3.27 8:2.48 16:2.09 32:1.89; do
    grep -q "CRS r=${pair%:*} .* ${pair#*:} " "$dir/out" || { cat "$dir/out"; fail "B(${pair%:*}) is not ${pair#*:}"; }
done
"$spmodel" model gen:random:3000:8 --op sddmm --inner 32 --format crs --format coo --format tiled:16,8 \
    --machine "$dir/machine.json" --alpha sim >"$dir/out" || fail "model of sddmm"

# Blocks are counted as they would be stored, and rows of blocks that were shuffled find together again.
"$spmodel" info --blocks 4x4,8x8 gen:block:1600:8:4+permuted:3 >"$dir/out" || fail "info --blocks"
sed 's/\([0-9]\) \([0-9][0-9][0-9]\)/\1\2/g' "$dir/out" | awk '$1 == "8x8" { found = $NF < $2 / 2 } END { exit !found }' ||
    { cat "$dir/out"; fail "clustering did not halve the blocks"; }
grep -q '^  8x8 .* ± ' "$dir/out" || fail "the deviation of blocks a block row stands as elsewhere"
grep -q 'per column: mean [0-9.]*   longest: row [0-9 ]*$' "$dir/out" || fail "the number of the longest row reads as its length"
sed 's/±/+/g; s/×/x/g; s/σ/s/g' "$dir/out" | awk 'length > 80 { print; wide = 1 } END { exit !wide }' &&
    fail "info --blocks is wider than 80 columns"
# Nothing has no mean; mirror images that a file's symmetry makes are not called unequal; one column is one.
printf '%%%%MatrixMarket matrix coordinate real general\n0 0 0\n' >"$dir/nothing.mtx"
"$spmodel" info "$dir/nothing.mtx" >"$dir/out" || fail "info of no rows"
grep -q mean "$dir/out" && { cat "$dir/out"; fail "no rows, and a mean"; }
printf '%%%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 1 1\n' >"$dir/skew.mtx"
"$spmodel" info "$dir/skew.mtx" >"$dir/out" || fail "info of a skew-symmetric matrix"
grep -q 'values of opposite sign' "$dir/out" || { cat "$dir/out"; fail "values of opposite sign count as unequal"; }
grep -q 'empty: 1 row, 1 column ' "$dir/out" || { cat "$dir/out"; fail "one is a plural"; }
# What is counted before rows and columns are reordered is what reorder then finds, of blocks that are no squares, too.
"$spmodel" info --blocks 16x8,2x8 gen:laplace2d:30 | sed 's/\([0-9]\) \([0-9][0-9][0-9]\)/\1\2/g' |
    awk '/±/ { print $1, $(NF - 1), $NF }' >"$dir/before"
for block in 16x8 2x8; do
    side=${block%x*}
    "$spmodel" reorder --exact --format bcsr:$block --method "jaccard:$side,jaccard2:$side" --csv gen:laplace2d:30 >"$dir/after"
    # shellcheck disable=SC2046 # a word for each order
    echo $block $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "n_e") at = i } NR > 1 { print int($at) }' "$dir/after")
done | diff "$dir/before" - >"$dir/out" || { cat "$dir/out"; fail "info and reorder find other blocks"; }
# One matrix, one ratio of bytes, also where its values are complex.
printf '%%%%MatrixMarket matrix coordinate complex general\n4 4 4\n1 1 1 2\n2 2 1 2\n3 3 1 2\n4 4 1 2\n' >"$dir/complex.mtx"
for matrix in "$dir/complex.mtx" gen:laplace2d:30; do
    "$spmodel" info --blocks 2x2 "$matrix" >"$dir/out" || fail "info --blocks $matrix"
    [ "$(awk '$1 == "B/CRS" { print $2 }' "$dir/out")" = "$(awk '$1 == "2x2" && /±/ { sub(/±.*/, ""); print $(NF - 1) }' "$dir/out")" ] ||
        { cat "$dir/out"; fail "two ratios of bytes for the blocks of $matrix"; }
done
refused "takes a list such as" info --blocks 3x gen:laplace2d:10

refused "spmmv takes the formats" analyze --op spmmv --format coo gen:laplace2d:20
# What holds for every width is said once.
refused "sddmm takes the formats" analyze --machine "$dir/machine.json" --op sddmm --inner 8,16,24 --format half gen:laplace2d:20
[ "$(grep -c 'error: ' "$dir/err")" -eq 1 ] || { cat "$dir/err"; fail "an error is repeated for each width"; }
refused "fusedmm takes the formats crs" analyze --op fusedmm --format sell gen:laplace2d:20
refused "does not go with --op spmm" analyze --op spmm --rhs 4 gen:laplace2d:20
refused "does not go with --op spmv" analyze --inner 4 gen:laplace2d:20
refused "give one of the two" analyze --rhs 4 --inner 4 gen:laplace2d:20
refused "1,2,4,8" analyze --rhs 4,x gen:laplace2d:20
refused "1,2,4,8" analyze --rhs 0 gen:laplace2d:20
refused "--op takes" analyze --op spgemm gen:laplace2d:20
refused "column-major" analyze --op spmm --order column gen:laplace2d:20
refused "blocks of bcsr" analyze --rhs 3 --order column --format bcsr:4x4 gen:laplace2d:20
refused "neither --json nor --csv" info --blocks 2x2 --json gen:laplace2d:10
refused "give --json or --csv a file" info --spy --json gen:laplace2d:10
refused "storage in f16" analyze --op spmmv --precision f16 gen:laplace2d:20
refused "schedule merge" analyze --op spmm --schedule merge gen:laplace2d:20
refused "has no valid block" analyze --format bcsr:4 gen:laplace2d:20
refused "has no valid tile" analyze --op sddmm --format tiled:0,4 gen:laplace2d:20
refused "sizes do not suffice" model --sizes 20,20,20 --op sddmm
refused "spmv takes the formats" model gen:laplace2d:20 --format coo
echo "dense: ok"
