#!/bin/sh
# The commands generate, info and reorder, end to end: check_structure_commands.sh PROGRAM
set -u
program=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "FAILED: $1"; bad=1; }

"$program" generate | grep -q 'laplace3d:NX' || fail "generate lists the kinds"
"$program" generate laplace2d:30+permuted:7 -o "$dir/mesh.mtx" > /dev/null || fail "generate writes a file"
"$program" generate laplace2d:30 -o "$dir/mesh.txt" 2> "$dir/err"
[ $? -eq 2 ] || fail "an unknown ending is a usage error"
"$program" generate laplace2d:-3 2> "$dir/err"
[ $? -eq 2 ] && grep -q 'laplace2d:NX' "$dir/err" || fail "a wrong parameter names the right form"

# what comes from the file and what comes from the generator is the same matrix
for m in "$dir/mesh.mtx" gen:laplace2d:30+permuted:7; do
    "$program" info --csv "$m" | tail -1 | cut -d, -f 4- | sed 's/^[^,]*,//' > "$dir/$(basename "$m" .mtx).csv"
done
cmp -s "$dir/mesh.csv" "$dir/gen:laplace2d:30+permuted:7.csv" || fail "a written matrix reads back with the same structure"

"$program" reorder "$dir/mesh.mtx" "$dir/rcm.mtx" --permutation "$dir/p.mtx" | grep -q 'after' || fail "reorder reports"
"$program" info --json "$dir/rcm.mtx" > "$dir/rcm.json" || fail "info reads what reorder wrote"
width=$(sed -n 's/.*"lower_bandwidth": \([0-9]*\).*/\1/p' "$dir/rcm.json")
[ "${width:-999}" -le 32 ] || fail "RCM restores the bandwidth of a mesh (got $width)"
seq 900 > "$dir/seq"
sed '1,/^900 1$/d' "$dir/p.mtx" | sort -n | cmp -s - "$dir/seq" || fail "the permutation names every row once"

# several inputs: go on after a bad one, the worst exit code wins
"$program" info "$dir/none.mtx" gen:arrow:10 > "$dir/out" 2> "$dir/err"
[ $? -eq 3 ] && grep -q 'gen:arrow:10' "$dir/out" || fail "info goes on after a bad input and exits with 3"
"$program" info --json gen:arrow:10 gen:arrow:11 | wc -l | grep -qx ' *2' || fail "JSON of several is JSON Lines"
"$program" info --spy gen:arrow:100 | grep -q 'one character' || fail "a spy plot is drawn"
"$program" info --spy gen:band:9:8 | tail -n 1 | grep -q ' 100 % of them hold an entry$' || fail "a full cell is full to 100 %"
# an option that would change nothing is refused
for wrong in "generate laplace2d:3 --seed 4" "convert gen:arrow:9 $dir/z.mtx --json" "reorder gen:arrow:9 $dir/z.mtx --csv" \
    "convert --general gen:arrow:9 $dir/z.spm" "machine list --csv" "plot --list --json"; do
    # shellcheck disable=SC2086 # words
    "$program" $wrong > /dev/null 2> "$dir/err"
    [ $? -eq 2 ] && [ ! -e "$dir/z.mtx" ] && [ ! -e "$dir/z.spm" ] || fail "'$wrong' is accepted"
done
[ $bad -eq 0 ] && echo "structure commands: ok"
exit $bad
