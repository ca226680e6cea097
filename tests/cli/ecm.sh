#!/bin/sh
# The ECM model beside the roofline: what `model` prints of it, where it stays silent and where it says what is
# missing, and that a record's numbers go into `explain ecm`. Usage: ecm.sh SPMODEL SOURCE_DIR
set -u
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
cd "$source" || exit 1
fail() { echo "ecm: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
run() { "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || fail "spmodel $* exits with $?"; }
has() { grep -qE -e "$1" "$dir/out" || fail "no line matches: $1"; }
not() { grep -qE -e "$1" "$dir/out" && fail "a line matches: $1"; true; }
number='[0-9.]+'

run model gen:band:20000:5 --machine zen4-vm-2c --threads 2 --format crs --format sell:8,1
has '^ ECM +\{T_OL \| T_nOL \| L1L2 \| L2L3 \| L3Mem\} in ns a row by one thread, modelled; bytes by formula$'
has "^ CRS +\\{$number \\| $number \\| $number \\| $number \\| 0\\}  one thread $number; 2 threads: "
has '^ SELL-8-1 +\{'
has '^ Overlap .* of 1, measured, error of the fit '
has 'T_OL is that of the arithmetic peak'
awk 'length($0) > 110 {print; bad = 1} END {exit bad}' "$dir/out" || fail "a line is longer than 110"
run model gen:band:20000:5 --machine zen4-vm-2c --threads 2 --format crs --cold
has "^ CRS +\\{.* \\| [1-9][0-9.]*\\}  one thread .* saturate$"
run model gen:band:2000:5 --machine zen4-vm-2c --threads 1 --format crs --alpha sim
has 'bytes simulated$'

# No overlap of ours is a guess: what is not known is said.
run model gen:band:2000:5 --machine ivb-e5-2660v2 --threads 1 --format crs
has '^ CRS +\{.*unknown.*\}  time not known: '
has '^ Overlap 0 of 1, stated\.$'
run model gen:band:2000:5 --machine a64fx --threads 1 --format crs
has '^ Overlap rule not known: partly overlapping'
run model --sizes 1000,1000,5000 --machine zen4-vm-2c
not 'ECM'
run model gen:band:2000:5 --machine h100-pcie-80gb --format crs
not 'ECM'

# Extremes enclose the rest, in JSON too.
run model gen:band:20000:5 --machine zen4-vm-2c --threads 1 --format crs --cold --json
has '"ecm":\{"T_OL":\{"value":[0-9.e-]+,.*"T_OL_from":"arithmetic peak".*"transfers":\[\{"name":"L1L2"'
value() { sed "s/.*\"$1\":{\"value\":\\([^,]*\\),.*/\\1/" "$dir/out"; }
awk -v all="$(value full_overlap)" -v one="$(value one_thread)" -v none="$(value no_overlap)" \
    'BEGIN {exit !(0 < all && all <= one && one <= none)}' || fail "the extremes do not enclose the time"

# Rows by their lengths: 2 ns and 1 ns an entry, 500 ns to start; the core's time is in the roofline, ECM and the
# expected time, which lies between all hidden and nothing hidden.
unit='{"kernel":"spmv/crs/any","precision":"f64","rows_of_chunk":0,"threads":1,"start_s":5e-7,"length":[1,101],"seconds":[3e-9,103e-9],"sequence":[1000],"surprise_s":[1e-8]}'
for level in L1 L2 L3 MEM; do
    echo "{\"name\":\"gather\",\"level\":\"$level\",\"precision\":\"f64\",\"threads\":1,\"domains\":1,\"mode\":\"single\",\"value\":1e9,\"unit\":\"1/s\",\"origin\":\"stated\",\"how\":\"x\"},"
done | tr -d '\n' >"$dir/gathers"
sed -e "s|^ \"caches\"| \"units\": [$unit],&|" -e "s|^ \"ceilings\": *\[|&$(cat "$dir/gathers")|" machines/zen4-vm-2c.json >"$dir/rows.json"
run model gen:laplace2d:40 --machine "$dir/rows.json" --threads 1 --format crs --format bcsr:2x2 --alpha sim
has '^ CRS: expected [0-9.]+ us \([0-9.]+ us \.\.\. [0-9.]+ us\):$'
has '^  execution [0-9.]+ us, row ends [0-9.]+ (us|ns), gathers beyond L1 .*, transfers [0-9.]+ (us|ns) .modelled; explain'
has '^ In-core limits .P_core. are not in all of them'
not '^ BCSR.*expected'
run model gen:laplace2d:40 --machine "$dir/rows.json" --threads 1 --format crs --alpha sim --json
has '"T_OL_from":"P_core"'
has '"bound_by":"in-core execution"'
# 1600 rows of 2 ns, 7840 entries of 1 ns, the start: 11.54 us with all ends foretold
field() { sed "s/.*\"expected\":{[^}]*\"$1\":\([0-9.e-]*\).*/\1/" "$dir/out"; }
awk -v lo="$(field lo)" -v value="$(field value)" -v hi="$(field hi)" \
    'BEGIN {exit !(lo > 11.5399e-6 && lo < 11.5401e-6 && lo <= value && value <= hi && hi < 60e-6)}' ||
    fail "the expected time is not what its parts give"
run machine show "$dir/rows.json"
has '^ROWS +spmv/crs/any: 3 ns .length 1. .* 103 ns .101., a mispredicted row end up to 10 ns$'

# What the last level keeps of data that are larger than it; gathers that walk page tables, of an x of 16 MB where TLBs map
# 1 MB: nearly all of them do.
pages='{"huge":true,"threads":1,"reach_B":1048576,"walk":{"value":2e-9,"unit":"s","origin":"stated"}}'
sed -e "s|\"caches\"|\"pages\": [$pages],&|" "$dir/rows.json" >"$dir/pages.json"
run machine show "$dir/pages.json"
has '^PAGES +huge: the TLBs of a core map 1 MiB, a gather beyond it takes 2 ns more .1 thread.$'
run model gen:random:2000000:1 --machine "$dir/pages.json" --threads 1 --format crs --alpha sim --json="$dir/walks.json"
has '^  [34][.0-9]* ms of it walking page tables, 9[0-9.]+ % of the gathers .modelled; explain tlb..$'
grep -qE '"walks":\{"value":[0-9.]+,.*"tlb":\{"value":0[.]00[34]' "$dir/walks.json" || fail "JSON lacks the walks"
run model gen:random:200000:1 --machine "$dir/pages.json" --threads 1 --format crs --alpha sim
has 'of it walking page tables'
run model gen:random:200000:1 --machine "$dir/pages.json" --threads 1 --format crs --alpha sim --pages small
not 'page tables' # of which the machine says nothing
run model gen:laplace2d:40 --machine "$dir/pages.json" --threads 1 --format crs --alpha sim
not 'keeps|page tables'
run model gen:band:80000:10 --machine "$dir/pages.json" --threads 1 --format crs --alpha sim --json="$dir/kept.json"
has '^ CRS: L3 keeps about [0-9]+ % .0 % \.\.\. [0-9]+ %. of the data between executions'
grep -qE '"kept":\{"level":"L3","share":\{"value":0[.][0-9]+,' "$dir/kept.json" || fail "JSON lacks what is kept"

run machine show zen4-vm-2c
has '^ECM +overlap .* measured, error .*: fitted to 12 streams'
run machine show snb-e5-2680
has '^ECM +overlap 0 of 1, stated: .*ICS 2015'

# A record's levels under the two extreme rules: 28.15 MB at 100 GB/s, 5.685 MB at 1/50 - 1/100 and 5.192 MB at
# 1/38.96 - 1/50 s/GB are 281.5 + 56.85 + 29.43 = 367.8 us; the longest of them alone is the first.
roof='{"value":1e11,"lo":1e11,"hi":1e11,"unit":"B/s","origin":"measured","name":"load","level":"L2","precision":"f64","threads":1,"domains":1,"mode":"single","role":"level","how":"given","when":""}'
sed "s|\"roofs\": *\[|&$roof,$(echo "$roof" | sed 's/L2/L3/; s/1e11/5e10/g'),|" tests/data/record-explain-crs.json >"$dir/record.json"
run explain ecm "$dir/record.json"
tr '\n' ' ' <"$dir/out" | grep -q 'T_ECM, no overlap = .*= 367[.]. us *T_ECM, full overlap = .*= 281[.]. us' ||
    fail "explain ecm does not give 367.8 and 281.5 us"
run explain ecm tests/data/record-explain-crs.json # a record without these bandwidths
has 'unknown .b_L2 is unknown'

# `analyze` sets it beside the roofline and the clock, and `explain` puts the record's numbers in.
few="--budget 0.1 --no-hints --out $dir -v"
run analyze gen:band:4000:5 --machine zen4-vm-2c --threads 2 --format crs $few --json="$dir/ecm.json"
awk '/^ roofline, x once/ {n = 1} /^ roofline, x as simulated/ && n == 1 {n = 2} /^ ECM, x as simulated/ && n == 2 {n = 3}
    /^ measured/ && n == 3 {n = 4} END {exit n != 4}' "$dir/out" || fail "no row of ECM between roofline and clock"
agree() { [ "$(grep -c 'ecm[.].* agrees$' "$dir/out")" = 5 ] || fail "explain and the record do not agree in five figures"; }
run explain ecm "$dir/ecm.json"
has '^ +T_L2L3 = '
agree
run explain ecm tests/data/record-explain-sell.json
agree
run analyze gen:band:4000:5 --machine a64fx --threads 1 --format crs $few --json="$dir/none.json"
not '^ ECM'
has '^ model, x once'
tr -d '\n ' <"$dir/none.json" | grep -q '"one_thread":{"value":null,"unit":"s","why":"' || fail "it is not said what ECM lacks"
exit 0
