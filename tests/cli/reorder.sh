#!/bin/sh
# reorder: orders compared, written, and applied to vectors: reorder.sh PROGRAM
set -u
program=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "FAILED: $1"; bad=1; }
mesh=gen:laplace2d:30+permuted:7

# a table of every method, nothing written
"$program" reorder $mesh --method all > "$dir/all" || fail "all methods are compared"
"$program" analyze --help | sed -n '/--reorder=R/,/--row-ptr/p' > "$dir/help"
for method in rcm metis nd degree hubs gray jaccard jaccard2 random reversed none; do
    grep -q "^  $method " "$dir/all" || fail "the table has no line for $method"
    grep -qw -- "$method" "$dir/help" || fail "analyze --help has no $method"
done
rm "$dir/help"
grep -Eq 'SpMVs (of .* measured|are not known)' "$dir/all" || fail "the table says what an SpMV is"
! grep -F '\n' "$dir/all" || fail "an end of line is shown as text"
[ "$(sed 1d "$dir/all" | awk 'length($0) > 80')" = "" ] || fail "the table is wider than 80 columns"
"$program" reorder -v $mesh --method rcm,none | grep -q "profile.*n_e$" || fail "-v has no more columns"
[ "$(ls "$dir")" = all ] || fail "comparing wrote a file"
"$program" reorder $mesh > "$dir/plain" && grep -q '^  gray ' "$dir/plain" || fail "all is the default without OUT"

# METIS gives way to the others; alone it has the time that it needs
if "$program" --version | grep -qi '^ *metis: /'; then
    "$program" reorder $mesh --method nd,rcm --patience 1us >"$dir/late" || fail "one late order ends the comparison"
    grep -q '^  nd  *nd takes longer than 1e-06 s (--patience)$' "$dir/late" && grep -q '^  rcm .*[0-9]$\|^  rcm .*-$' "$dir/late" || { cat "$dir/late"; fail "a late order is not told"; }
    rm "$dir/late"
fi
"$program" reorder $mesh "$dir/of.mtx" --method rcm --patience 1s 2>/dev/null
[ $? = 2 ] && [ ! -e "$dir/of.mtx" ] || fail "--patience is taken where it does nothing"

# the same table for programs
"$program" reorder -q $mesh --method none,rcm,degree+cols --csv > "$dir/csv" || fail "the table as CSV"
[ "$(cut -d, -f1 "$dir/csv" | tr '\n' ' ')" = 'method none rcm degree+cols ' ] || fail "a row for each method"
awk -F, 'NF != 18 { exit 1 }' "$dir/csv" || fail "every row has the columns of the header"
[ "$(awk -F, '$1 == "rcm" { print $6 }' "$dir/csv")" = "$(awk '$1 == "rcm" { print $4 }' "$dir/all")" ] || fail "the bandwidths differ"
"$program" reorder -q gen:random:20x10:2 --method rcm+sym,degree --json="$dir/json" > "$dir/out" || fail "the table as JSON"
grep -q '"schema": "spmodel.orders/1"' "$dir/json" && grep -q '"why_not": "rows and columns' "$dir/json" && grep -q '"alpha": null' "$dir/json" ||
    fail "the JSON says what cannot be ordered"
grep -q '^  degree ' "$dir/out" || fail "a file for programs takes the table away from people"
"$program" reorder $mesh "$dir/of.mtx" --method none,rcm --json > "$dir/json" && grep -q '^{' "$dir/json" && ! grep -q ' -> ' "$dir/json" ||
    fail "standard output holds more than the JSON"
# random is there to compare with: it is not written where x, used all the time, never leaves the cache
"$program" reorder gen:laplace2d:40 "$dir/of.mtx" --method random,rcm --machine icx-8360y --threads 1 > "$dir/out" || fail "of two orders one is written"
grep -q '^  random .* 0.0000 ' "$dir/out" && grep -q -- ' -> .* rcm, found' "$dir/out" || { cat "$dir/out"; fail "a random order is taken for the best"; }
rm -f "$dir/csv" "$dir/json" "$dir/out" "$dir/of.mtx"

# the structure in the table is that of the matrix that is written
"$program" reorder $mesh "$dir/rcm.mtx" --permutation "$dir/p.mtx" > "$dir/written" || fail "one order is written"
grep -Eq '^  (that is [0-9.]+ and [0-9.]+ SpMVs of .* each, measured|how many SpMVs that is, is not known)' "$dir/written" || fail "the costs are not said in SpMVs"
grep -q 'in your program: x and y both' "$dir/written" || fail "what an order costs elsewhere is said"
"$program" reorder --ranks 2 --parts "$dir/parts" --partition nnz $mesh > "$dir/more" &&
    "$program" reorder --method rcm+both $mesh "$dir/both.mtx" --permutation "$dir/pr.mtx" >> "$dir/more" || fail "more texts"
[ "$(cat "$dir/written" "$dir/more" | grep -v -e '->' -e remark: | LC_ALL=C.UTF-8 awk 'length($0) > 80')" = "" ] || fail "a line is wider than 80 columns"
grep -q 'from 1 other$' "$dir/more" || fail "one other rank are several"
seen=$(awk '$1 == "rcm" { print $4 }' "$dir/all")
is=$(sed -n 's/^  after *bandwidth *\([0-9 ]*[0-9]\) *profile.*/\1/p' "$dir/written" | tr -d ' ')
[ "$seen" = "$is" ] || fail "bandwidth $seen in the table, $is of the matrix written"

# of several the one with the least alpha is written; 180 kB of x do not fit beside the matrix in an L2 of 256 KiB
large=gen:laplace2d:150+permuted:7
"$program" reorder $large "$dir/best.mtx" --method none,rcm,random --exact --machine ivb-e5-2660v2 > "$dir/best" ||
    fail "the best of some is written"
grep -Eq '^  (that is .* SpMVs of .* measured|how many SpMVs that is, is not known)' "$dir/best" || fail "the costs of the best are not said in SpMVs"
grep -q -- '-> .*best.mtx   rcm, found in' "$dir/best" || fail "rcm is the best of none, rcm and random for a mesh"
"$program" reorder $large "$dir/alone.mtx" -q && cmp -s "$dir/best.mtx" "$dir/alone.mtx" ||
    fail "the best is not the matrix that rcm alone writes"

# sides; matrices that are not square
"$program" reorder gen:random:20x10:2 "$dir/both.mtx" --permutation "$dir/pr.mtx" --column-permutation "$dir/pc.mtx" > "$dir/out" ||
    fail "a rectangular matrix is ordered"
grep -q '^20 1$' "$dir/pr.mtx" && grep -q '^10 1$' "$dir/pc.mtx" || fail "each side has a permutation of its own"
"$program" reorder gen:random:20x10:2 "$dir/no.mtx" --side sym 2> "$dir/err"
[ $? -eq 2 ] && grep -q square "$dir/err" && [ ! -e "$dir/no.mtx" ] || fail "one order for both sides is refused with a reason"
"$program" reorder gen:random:20x10:2 --method rcm+sym,degree > "$dir/out" && grep -q '^  rcm+sym *rows and columns' "$dir/out" ||
    fail "a method that cannot has its reason in the table"
"$program" reorder $mesh --method rcm,degree+cols --side rows | grep -q '^  rcm+rows ' || fail "--side is taken by methods that say none"

# vectors: there and back, text unchanged, and y = A x in both orders is the business of the tests of permutations
{ printf '%%%%MatrixMarket matrix array real general\n900 1\n'; seq -f '%.3f' 900; } > "$dir/x.mtx"
"$program" reorder --apply "$dir/x.mtx" --permutation "$dir/p.mtx" --to "$dir/px.mtx" || fail "a vector is permuted"
first=$(sed -n '4p' "$dir/p.mtx")
[ "$(sed -n '4p' "$dir/px.mtx")" = "$first.000" ] || fail "element 1 is element p(1)"
"$program" reorder --apply "$dir/px.mtx" --permutation "$dir/p.mtx" --to "$dir/back.mtx" --inverse || fail "and back"
tail -900 "$dir/x.mtx" > "$dir/a"
tail -900 "$dir/back.mtx" | cmp -s - "$dir/a" || fail "there and back is not where it was"

refused() { # refused CODE WORDS ARGUMENTS...
    code=$1 words=$2
    shift 2
    "$program" reorder "$@" > /dev/null 2> "$dir/err"
    got=$?
    [ $got -eq "$code" ] && grep -q "$words" "$dir/err" || fail "'$*' exits with $got, wanted $code and '$words': $(cat "$dir/err")"
    [ ! -e "$dir/z.mtx" ] || fail "'$*' wrote a file"
}
refused 2 'comparison of orders' $mesh "$dir/z.mtx" --csv
refused 3 'the vector has 900 elements' --apply "$dir/x.mtx" --permutation "$dir/pr.mtx" --to "$dir/z.mtx"
sed '5s/.*/9999/' "$dir/p.mtx" > "$dir/outside.mtx"
refused 3 'outside.mtx:5.*9999 is no row' --apply "$dir/x.mtx" --permutation "$dir/outside.mtx" --to "$dir/z.mtx"
sed "5s/.*/$first/" "$dir/p.mtx" > "$dir/twice.mtx"
refused 3 'twice' --apply "$dir/x.mtx" --permutation "$dir/twice.mtx" --to "$dir/z.mtx"
refused 3 'not a vector' --apply "$dir/rcm.mtx" --permutation "$dir/p.mtx" --to "$dir/z.mtx"
sed '7s/.*/one/' "$dir/x.mtx" > "$dir/word.mtx"
refused 3 'word.mtx:7.*no real number' --apply "$dir/word.mtx" --permutation "$dir/p.mtx" --to "$dir/z.mtx"
head -500 "$dir/x.mtx" > "$dir/short.mtx"
refused 3 'the file has 498' --apply "$dir/short.mtx" --permutation "$dir/p.mtx" --to "$dir/z.mtx"
refused 2 'permutation FILE --to OUT' --apply "$dir/x.mtx" --to "$dir/z.mtx"
refused 2 'give OUT too' $mesh --permutation "$dir/z.mtx"
refused 2 'no reordering' $mesh "$dir/z.mtx" --method amd
refused 2 'sym, rows, cols or both' $mesh "$dir/z.mtx" --side left
refused 2 'two results would replace' $mesh "$dir/z.mtx" --permutation "$dir/z.mtx"
[ $bad -eq 0 ] && echo "reorder: ok"
exit $bad
