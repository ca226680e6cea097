#!/bin/sh
# A matrix over MPI ranks on the command line: the table, its record, partitions written and read, what is refused.
# Usage: ranks.sh SPMODEL SOURCE_DIR CHECK_SCHEMA
set -u
spmodel=$1 source=$2 check_schema=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
cd "$dir" || exit 1
fail() { echo "ranks: $*"; cat out err 2>/dev/null; exit 1; }
run() { "$spmodel" "$@" >out 2>err || fail "spmodel $* exits with $?"; }
has() { grep -qE -e "$1" out || fail "no line matches: $1"; }
refused() { # CODE WORD ARGUMENT...
    want=$1 word=$2; shift 2
    "$spmodel" "$@" >out 2>err
    code=$?
    [ $code = "$want" ] || fail "spmodel $* exits with $code, not $want"
    grep -q -e "$word" err || fail "spmodel $*: the error does not say '$word'"
}

# Golden: the halo of strips of a square, by hand 40 values each way, and stated ceilings and networks.
run model gen:laplace2d:40 --ranks 1,2,...,8 --ranks-per-node 2 --machine icx-8360y --network slingshot-10,shm
if [ -n "${SP_UPDATE_GOLDEN:-}" ]; then cp out "$source/tests/golden/model-ranks.txt"; fi
# Which partitioners there are differs from build to build.
grep -v 'another partition: [ms]' "$source/tests/golden/model-ranks.txt" >golden
grep -v 'another partition: [ms]' out | diff golden - >differs || { cat differs; fail "the table is not the expected one"; }
awk 'length($0) > 110 {print; bad = 1} END {exit bad}' out || fail "a line is longer than 110"

# Without machine and network: counts alone; with -v each rank.
run model gen:laplace2d:40 --ranks 4 -v
has '^ +4 +1 +1\.010 +640 B +0 % +2$'
has '^ +1 +400 +1980 +80 +80 +640 B +640 B +2 +2$'

# The record obeys the schema, and has what the table has; CSV a line a count; both plots are drawn from it.
run model gen:laplace2d:40 --ranks 2,4 --ranks-per-node 2 --machine icx-8360y --network aries,shm --json=r.json --csv=r.csv
"$check_schema" "$source/docs/record.schema.json" r.json || fail "the record does not obey the schema"
[ "$(wc -l <r.csv)" = 3 ] || fail "the CSV has other lines"
grep -q '^"\{0,1\}gen:laplace2d:40.*,4,2,1,1,' r.csv || fail "the CSV has no line of 4 ranks"
run plot r.json --list
has '^ *scaling'
for kind in scaling halo; do
    run plot r.json --kind $kind --term gp -o $kind.gp
    grep -q EOD $kind.gp || fail "$kind has no data"
done
grep -q "set cbtics ('320 B' 320, '320 B' 320)" halo.gp || fail "colours of the halo without their bytes"
# One rank exchanges nothing: no such series, whose empty labels gnuplot does not survive.
run model gen:laplace2d:4 --ranks 1 --machine icx-8360y --network shm --json=one.json
run plot one.json --kind scaling --term gp -o one.gp
grep -q "title 'time: exchange first" one.gp && ! grep -q "title 'exchange of" one.gp || fail "one rank has other series"
"$spmodel" plot "$source/tests/data/record-kkt_power.json" --kind halo --term gp -o none.gp >out 2>err
[ $? = 3 ] || fail "a record without ranks has a halo"

# Partitions: written, read, and the same halo in the matrix that is written in their order.
run reorder gen:laplace2d:40 --ranks 5 --partition nnz --parts nnz.txt
[ "$(sort -n nnz.txt | uniq | wc -l)" = 5 ] || fail "there are other parts than 5"
run model gen:laplace2d:40 --ranks 5 --partition nnz --csv
cut -d, -f8- out >of_name
run model gen:laplace2d:40 --partition nnz.txt --csv
cut -d, -f8- out | diff of_name - >differs || { cat differs; fail "a partition that was written and read is another one"; }
i=0
while [ $i -lt 1600 ]; do echo $((i * 7 % 3)); i=$((i + 1)); done >mixed.txt
run model gen:laplace2d:40 --partition mixed.txt --csv
cut -d, -f8- out >of_file
run reorder gen:laplace2d:40 ordered.mtx --ranks 3 --partition mixed.txt --parts ordered.txt --permutation order.mtx
has 'mixed.txt over 3 ranks'
sort -n -c ordered.txt || fail "the parts of the ordered matrix do not ascend"
run model ordered.mtx --partition ordered.txt --csv
cut -d, -f8- out | diff of_file - >differs || { cat differs; fail "the ordered matrix has another halo"; }

# More ranks than rows, a rectangular matrix, an empty rank.
run model gen:laplace2d:3 --ranks 20 --ranks-per-node 4 --machine icx-8360y --network aries
has '^ +20 +5 '
run model gen:random:30x10:3 --ranks 4
has '^ +4 +1 '
echo 0 >parts.txt; for p in 3 3 0 3 0 3 0 0; do echo $p; done >>parts.txt
run model gen:laplace2d:3 --partition parts.txt -v
has '^ +1 +0 +0 +0 +0 +0 B +0 B +0 +0$'

# METIS says on standard output that parts are too many for few long rows.
if "$spmodel" --version | grep -qi "^ *metis: /"; then
    run model gen:random:12x300:100 --ranks 5 --partition metis --machine icx-8360y --network shm --json
    [ "$(head -c 1 out)" = '{' ] || fail "JSON has words of METIS in it"
    # It divides x of a rectangular matrix, too, which a file of rows cannot say.
    run reorder gen:random:60x20:3 --ranks 4 --partition metis --parts rows.txt
    has 'metis divides x, too, but rows.txt holds the parts of rows alone'
    run reorder gen:random:60x60:3 --ranks 4 --partition metis --parts rows.txt
    grep -q 'divides x' out && fail "of a square matrix x lies as its rows do"
fi

# What makes no sense: 2; a file that is no partition: 3; what is not there: 4.
refused 2 ascend model gen:laplace2d:4 --ranks 4,2
refused 2 'say how many ranks' model gen:laplace2d:4 --partition rows
refused 2 'needs the entries' model --sizes 4,4,4 --ranks 2
for option in "--format sell" "--format all" "--op spmm" "--rhs 4" "--order column" "--index d16" "--schedule rows" "--pages small"; do
    # shellcheck disable=SC2086 # an option and its value
    refused 2 'for SpMV in CRS' model gen:laplace2d:4 --ranks 2 $option
done
refused 2 'storage in f16' model gen:laplace2d:4 --ranks 2 --precision f16
printf '%%%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 1 1\n2 1 1 2\n' >complex.mtx
refused 2 'use --precision c128' model complex.mtx --ranks 2 --precision f64
refused 2 'no --volume' model gen:laplace2d:4 --ranks 2 --volume 1k
# Row pointers of 8 bytes: 4 more for each row of a block and behind it, as all of a rank's rows are few.
moved() { run model gen:laplace2d:4 --ranks 1 --format crs --csv "$@"; awk -F, 'NR == 2 { print $20 }' out; }
[ $(($(moved --row-ptr 8) - $(moved))) = $((4 * 17)) ] || fail "8 bytes of a row pointer are not counted"
refused 2 'add --machine' model gen:laplace2d:4 --ranks 2 --network shm
refused 2 'one kind of CPU' model gen:laplace2d:4 --ranks 2 --machine a100,icx
refused 2 'has 72 cores' model gen:laplace2d:40 --ranks 200 --ranks-per-node 100 --machine icx-8360y --network aries
refused 2 'describes messages inside one' model gen:laplace2d:4 --ranks 4 --ranks-per-node 2 --machine icx-8360y --network shm
refused 2 'has 4 parts' model gen:laplace2d:3 --partition parts.txt --ranks 2
refused 3 'the matrix has 16 rows' model gen:laplace2d:4 --partition parts.txt
refused 3 'cannot open' model gen:laplace2d:4 --partition none.txt
refused 4 'there are: aries, shm, slingshot-10' model gen:laplace2d:4 --ranks 2 --machine icx-8360y --network token
refused 2 'what to write' reorder gen:laplace2d:4 --ranks 2
refused 2 'order of its own' reorder gen:laplace2d:4 o.mtx --ranks 2 --method rcm
refused 2 'two results would replace' reorder gen:laplace2d:4 o.mtx --ranks 2 --parts o.mtx
for name in metis scotch; do
    "$spmodel" --version | grep -qi "^ *$name: /" || refused 4 "no $name" model gen:laplace2d:4 --ranks 2 --partition $name
done
echo "ranks: ok"
