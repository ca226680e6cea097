#!/bin/sh
# Described machines on the command line: list, diff, and one prediction for many of them.
# With SP_TEST_SMALL=1, as under sanitizers, what is simulated has an eighth of the entries, and its figures are not compared.
# Usage: machines.sh SPMODEL SOURCE_DIR CHECK_SCHEMA
set -u
spmodel=$1 source=$2 check_schema=$3 small=${SP_TEST_SMALL:-0}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
cd "$source" || exit 1
fail() { echo "machines: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
run() { "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || fail "spmodel $* exits with $?"; }
has() { grep -qE -e "$1" "$dir/out" || fail "no line matches: $1"; }
figure() { [ "$small" = 1 ] || has "$1"; }
size() { # size N: points of a side, or rows
    [ "$small" = 0 ] && echo "$1" || echo $(($1 < 1000 ? $1 / 2 : $1 / 8))
}
refused() { # WORD ARGUMENT...
    word=$1; shift
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = 2 ] || fail "spmodel $* exits with $code, not 2"
    grep -q -e "$word" "$dir/err" || fail "spmodel $*: the error does not say '$word'"
}

# Every line of the list is readable at 80 columns, and -v cuts nothing.
run machine list
[ "$(wc -l <"$dir/out")" -ge 13 ] || fail "too few machines are listed"
has '^a64fx +cpu +48 +1/4/4 +HBM +910.0 load +modelled'
has '^h200-sxm-141gb +gpu +132 +- +HBM +4800 load +stated: nominal peak'
awk 'length($0) > 80 {print; bad = 1} END {exit bad}' "$dir/out" || fail "a line is longer than 80"
run machine list -v
has '^    nominal peak: H200 data sheet, .*[^.]$'

cp "$spmodel" "$dir/spmodel" # where no machine files are, it says so
"$dir/spmodel" machine list >"$dir/out" 2>"$dir/err" || fail "machine list without machines fails"
has '^no described machine was found: `spmodel machine measure'

# Caches below a MiB are no "0.0 MiB"; factors that no gather reaches are refused; misspelt levels are told.
sed 's/"size_B": 26214400/"size_B": 16384/' machines/ivb-e5-2660v2.json >"$dir/small.json"
run model gen:laplace2d:30 --machine "$dir/small.json" --threads 1 --alpha sim
has 'alpha simulated, warm, misses of L1, 32 KiB' # the data live in L2
run model gen:laplace2d:300 --machine "$dir/small.json" --threads 1 --alpha sim
has 'alpha simulated, warm, last level 16 KiB'
refused "a name without '/', not 'a/b'" machine measure --name a/b
refused "4MiB or more, up to 1000T, not '1e30'" machine measure --size 1e30
refused 'a number from 0 to 1e+06' model gen:laplace2d:30 --alpha 1e300
sed 's/"level": "MEM"/"level": "mem"/' machines/ivb-e5-2660v2.json >"$dir/misspelt.json"
run model gen:laplace2d:30 --machine "$dir/misspelt.json"
grep -q 'unknown level "mem" in ceilings\[0\]: it is not used' "$dir/err" || fail "a misspelt level is not told"

run machine diff ivb-e5-2660v2 a64fx
has 'B  a64fx .*Fujitsu A64FX'
has 'cpu, 48 cores, 1 socket, 4 NUMA domains, 4 cache domains, HBM2'
has 'L2  256 KiB, 64 B, 1 core +8 MiB, 256 B, 12 cores +B/A 32'
has '^MEMORY GB/s +A 46.60 load, B 910.0 load +B/A 19.5'
has '^  load +MEM +f64 +10 +48 +46.60 +910.0 +19.528'
run machine diff a100-sxm4-40gb h100-pcie-80gb
has 'gpu, 108 cores, HBM2, 40 GB'
has 'L2  40 MiB, 32 B, 108 cores +50 MiB, 32 B, 114 cores +B/A 1.25'

# Written as read.
run machine show --json a100-sxm4-40gb
cp "$dir/out" "$dir/a100-sxm4-40gb.json"
"$check_schema" docs/machine.schema.json "$dir/a100-sxm4-40gb.json" || fail "what show writes does not obey the schema"

# Rates of thousands of Gflop/s have no exponent; a byte is one.
run model gen:laplace2d:40 --op spmm --inner 64 --machine h100-pcie-80gb
has ' CRS r=64 row .* [0-9]{4}  '
has 'y: 1 byte moved per byte'

# Without a bandwidth of the L2 a time has an upper end, which memory's bandwidth gives.
run model gen:random:300000:8 --machine h200-sxm-141gb --format sell:32,1
has ' SELL-32-1: up to [0-9.]+ us, as the L2 may be no faster than HBM'

# Golden: two stated machines, sizes of DLR1 [L]: 6.10 B/flop, 7.64 Gflop/s on Ivy Bridge.
run model --sizes 278502,278502,39825786 --machine ivb-e5-2660v2,snb-e5-2680
cat >"$dir/golden" <<'G'
NOTE     predicted for 2 machines, none of which is the one that this runs on
MATRIX   (sizes)   278 502 x 278 502   sizes stated
         39 825 786 nonzeros   per row: mean 143.00   per column: mean 143.00
KERNEL   SpMV  f64/i32  warm executions  y: 2 bytes moved per byte (w, modelled: plain stores)

 machine      threads format      alpha     B/flop roof GB/s Gflop/s  bound
 ivb-e5-2660v2     10 CRS         0.007 min   6.10 46.6 DRAM    7.64  memory
 snb-e5-2680        8 CRS         0.007 min   6.10 43.8 DRAM    7.18  memory
 alpha sim: simulated for the caches of each machine; min: x loaded once by each cache.
 All figures modelled, without in-core limits.
G
diff "$dir/golden" "$dir/out" || fail "the table is not the expected one"

# Without a machine its caches may keep all of a striped y, or nothing.
run model gen:random:60000:9 --format striped:8192 --alpha 0.5 --json
bytes='"bytes":{"value":\([0-9.]*\),"lo":\([0-9.]*\),"hi":\([0-9.]*\),.*'
[ "$(sed -n "s/.*$bytes/\1 \2 \3/p" "$dir/out" | awk '{ print ($2 < $1 && $1 == $3) }')" = 1 ] || fail "no interval of bytes without caches"

# All machines, all formats: one line each, alpha of their caches.
run model gen:laplace3d:16+permuted:3 --machine all
grep -E '^ machine|[0-9] (sim|min) ' "$dir/out" | awk 'length($0) > 80 {print; bad = 1} END {exit bad}' || fail "the table is wider than 80 columns"
[ "$(grep -cE '[0-9] (sim|min) ' "$dir/out")" = "$(ls machines/*.json | wc -l)" ] || fail "not one line for each machine"
grep -q '^MACHINE' "$dir/out" && fail "blocks although -v was not given"
has '^ a100-sxm4-40gb +GPU +(CRS|SELL-32-256|SELL-32-1) '
run model gen:laplace3d:16 --format crs --machine a64fx,ivb-e5-2660v2
has '^ a64fx .* in-core$'
has '^ All figures modelled, with in-core limits on 1 of 2 machines[.]$'
run model -v gen:laplace3d:10 --machine ivb-e5-2660v2,a100-sxm4-40gb
has '^MACHINE  a100-sxm4-40gb .* GPU$'
has '^ CRS lanes [0-9]+ +1[.]000 +[0-9.]+ '
has '^ Best: '
has '^ L1: sectors of 32 B that the warps ask for, exact'
# Level by level, each way of sharing; a name may be cut where it stays the only one.
run model gen:hpcg:20 --machine h200
has '^MACHINE  h200-sxm-141gb '
[ "$(grep -cE '^ CRS (thread|lanes 32|merge) ' "$dir/out")" = 3 ] || fail "not the three ways of CRS"
# All stays in its L2: no byte of memory, and a roof that is the machine's, not that of the SMs that have a block.
has '^ROOF     HBM load  4800 GB/s  stated '
has '^ CRS merge +1[.]000 .* 0[.]00 .* launch overhead$'
has '^ CRS merge: blocks for 114 of 132 SMs'
has '^ upper bound of the transfers'
has '^ Left out, as the machine does not describe them: L1 requests, latency, ramp, last wave[.]$'
run model gen:hpcg:20 --machine a100 --format all
[ "$(grep -cE '^ SELL-32-(1|256) ' "$dir/out")" = 2 ] || fail "not both SELL formats"
run model gen:hpcg:20 --machine a100 --format sell:32,1 --cold --json
grep -q '"map":"chunk".*"memory_load":{"value":[1-9]' "$dir/out" || fail "JSON lacks the levels"
# Matrix units beside the others, bound by a peak of their own.
run model gen:hpcg:10 --machine h200 --op spmm --inner 128 --precision f16 --format all
[ "$(grep -cE '^ (CRS r=128 (output|row)|BCSR-(8x1|16x8) r=128 mma) ' "$dir/out")" = 4 ] || fail "not the four ways of SpMM"
run model gen:block:160:16:3 --machine v100-p --op spmm --inner 128 --precision f16 --format bcsr:16x8
has '^ Left out, as the machine does not describe them: peak of matrix units[.]$'
# GPUs alone, all formats: the levels of each below the table, or a remark; in files when asked for.
run model gen:hpcg:20 --machine a100,h200 --format all
has '^ h200-sxm-141gb +GPU +(CRS|SELL-32-256|SELL-32-1) '
if command -v gnuplot >/dev/null; then
    for gpu in a100-sxm4-40gb h200-sxm-141gb; do has "hpcg:20 +SpMV +f64/i32 +warm +levels of $gpu"; done
    has 'L2 load 5400 GB/s stated'
    has 'HBM load 1400 .* GB/s stated'
    has '^ 3  CRS merge  [0-9.]+ Gflop/s, launch overhead'
    has '^ 3  CRS merge  ≥ [0-9.]+ Gflop/s, all in the L2'
    [ "$(grep -c 'a point on its roof' "$dir/out")" = 2 ] || fail "not a plot for each GPU"
    sed -n '/levels of/,$p' "$dir/out" | sed 's/[≥±…]/~/g' | LC_ALL=C awk 'length($0) > 80 {print; bad = 1} END {exit bad}' || fail "a line of a plot is longer than 80"
    run model gen:hpcg:20 --machine a100,h200 --format all --plot "$dir/levels.svg"
    has "^saved  $dir/levels-a100-sxm4-40gb.svg$"
    grep -q '<svg' "$dir/levels-h200-sxm-141gb.svg" || fail "there is no picture of the H200"
    run model gen:hpcg:20 --machine a100 --plot "$dir/one.png"
    [ -s "$dir/one.png" ] || fail "there is no picture of one machine"
fi
for none in "-q" "--json" "--csv"; do
    run model gen:hpcg:10 --machine a100,h200 --format all $none
    grep -q 'levels of' "$dir/out" && fail "a plot in spite of $none"
done
run model gen:hpcg:10 --machine a100,ivb-e5-2660v2 --format all
grep -q 'levels of' "$dir/out" && fail "a plot of a CPU"
env PATH=/nonexistent "$spmodel" model gen:hpcg:10 --machine a100,h200 --format all >"$dir/out" 2>"$dir/err" ||
    fail "without gnuplot there is no table"
[ "$(grep -c 'no plot, as gnuplot is not installed' "$dir/err")" = 1 ] || fail "no remark on the missing plot"
refused 'ends in .svg' model gen:hpcg:10 --machine a100 --plot levels.txt
refused 'one matrix' model gen:hpcg:10 gen:hpcg:12 --machine a100 --plot levels.svg
refused 'none is asked for' model gen:hpcg:10 --machine ivb-e5-2660v2 --plot levels.svg
refused "begin with 'zen4'" model gen:laplace3d:4 --machine zen4
run model gen:laplace3d:10 --machine a100-sxm4-40gb --json
grep -q '"kind":"gpu"' "$dir/out" || fail "JSON lacks the kind"
grep -q '"here":false' "$dir/out" || fail "JSON does not say that the machine is another"
run model --sizes 10,10,50 --machine ivb-e5-2660v2 --csv
[ "$(sed -n '1s/.*,//p' "$dir/out")" = here ] && [ "$(sed -n '2s/.*,//p' "$dir/out")" = 0 ] || fail "CSV does not say that the machine is another"
run model --sizes 10,10,50 --machine ivb-e5-2660v2
[ "$(head -n 1 "$dir/out")" = 'NOTE     predicted for ivb-e5-2660v2, which is not the machine that this runs on' ] || fail "a foreign machine is not said first"
run model --sizes 10,10,50
grep -q '^NOTE' "$dir/out" && fail "a note on no machine"
run model gen:laplace3d:10 --machine ivb-e5-2660v2,h100-pcie-80gb --csv
[ "$(cut -d, -f1 "$dir/out" | wc -l)" -ge 4 ] && grep -qE ',gpu,1,[0-9.]+,[0-9.]+,' "$dir/out" || fail "CSV lacks the best of the GPU"

# At the margin sizes and simulation disagree on where the data live. Where next to nothing comes from memory
# they live in the cache, and alpha, traffic and roof are those of it; where only x stays, memory is right.
for n in 52 53 54; do # 14.4 to 16.2 MB for 16.7 MB
    run model "gen:laplace3d:$(size $n)" --machine zen4-vm-2c --alpha sim
    figure '^ CRS +0[.]15[0-9]+ .* L3 bandwidth$'
    figure '^ The data stay in L3 between executions'
done
run model gen:laplace3d:$(size 58) --machine zen4-vm-2c --alpha sim
figure '^ CRS +0[.]14[0-9]+ .* memory bandwidth$'
run model gen:laplace3d:$(size 54) --machine zen4-vm-2c,gnr-vm-2c --format crs
figure '^ zen4-vm-2c +2 +CRS +0[.]1[0-9]+ sim .* L3 '
run model gen:laplace3d:$(size 60) --machine zen4-epyc-9654 --alpha sim
figure 'The data fit the L2, whose bandwidth this machine does not describe'
grep -qE '^ CRS +0[.]0000 ' "$dir/out" && fail "no traffic, yet bound by it"

# A bandwidth that nobody states is unknown, with the reason, and never 0.
cat >"$dir/dark.json" <<'J'
{"schema": "spmodel.machine/1", "name": "dark", "cpu": "c", "source": "s", "cores": 4, "llc_domains": 1,
 "caches": [{"level": 1, "size_B": 32768, "line_B": 64}],
 "ceilings": [{"name": "load", "level": "MEM", "precision": "f64", "threads": 4, "value": null, "why": "nobody says"}]}
J
"$check_schema" docs/machine.schema.json "$dir/dark.json" || fail "an unknown ceiling is not allowed"
run model gen:laplace3d:20 --machine "$dir/dark.json",ivb-e5-2660v2
has '^ dark .* unknown +unknown +unknown'
has 'dark: bandwidth unknown: nobody says'

# Row pointers of 8 bytes, as most libraries have them: 4 (n_r + 1) bytes more, in the model.
for row_ptr in 4 8; do
    run model gen:laplace2d:1000 --machine a64fx --row-ptr $row_ptr --json
    tr -d ' \n' <"$dir/out" | grep -o '"bytes":{"value":[0-9.]*' | head -n 1 >"$dir/row_ptr$row_ptr"
done
awk -F: 'FNR == NR { narrow = $3; next } { exit $3 - narrow != 4 * 1000001 }' "$dir/row_ptr4" "$dir/row_ptr8" ||
    fail "row pointers of 8 bytes: $(cat "$dir/row_ptr4" "$dir/row_ptr8")"
refused "row-ptr takes 4, 8, not '5'" model gen:laplace2d:10 --row-ptr 5

# Domains have unequal parts: the fullest L2 of mycielskian13 on 48 threads holds 6.5 MB, the others less. With ways
# kept for the matrix the simulation reads what A64FX counted (S. Breiter, J. D. Trotter, K. Fuerlinger, SC-W 2023,
# raw counters breiters/spmvrd-results 77f3918f: 13.5, 12.9, 8.6, 6.6, 3.7, 0.5 MB with 2, 3, 6, 7, 12, 13 ways).
mycielskian() { run model gen:mycielskian:13 --machine a64fx -t 48 --schedule rows --row-ptr 8 --alpha sim "$@"; }
mycielskian
has '^ CRS: 1[.]29 MB from and to memory, 13[.]6 MB stay in the caches of 4 domains [(]simulated[)][.]$' # 1.27 read
has '^ The data stay in L2 '
mycielskian --partition L2:matrix=all --json="$dir/ways.json"
for reads in 2=14.58 3=13.48 6=8.378 7=6.466 12=2.272 13=0; do
    has "^ matrix=${reads%=*} +${reads#*=} "
done
has '^ Best: matrix=14 of 16 ways of the L2 reads 0 B, 1[.]28 MB less [(]100[.]0 %[)]; a way more or less saves 1[.]28 MB to'
grep -q '"best_ways":14' "$dir/ways.json" || fail "JSON lacks the best ways"
run machine show a64fx
has 'ways: matrix can have its own'
mycielskian --partition L2:matrix=6 --json="$dir/ways.json" # one division by itself says the same
has '^WAYS     L2:matrix=6, the rest for the other arrays$'
has '^ CRS: 8[.]3[78] MB from and to memory, 6[.]50 MB stay in the caches of 4 domains [(]simulated[)][.]$'
has '^ROOF     HBM load  910 GB/s' # 3.7 MB of matrix each have 3.1 MB of ways
mycielskian --partition L2:matrix=13
has '^ The data stay in L2 between executions [(]3[.]6[0-9] MB needed, 6[.]82 MB there, in the mean of the domains[)]'
cp "$dir/ways.json" "$dir/out"
has '"partition":"L2:matrix=6"'
has '"memory":{"value":83[78]'
sed 's/"partition": "matrix",/"partition": "matrix=6",/' machines/a64fx.json >"$dir/divided.json"
"$check_schema" docs/machine.schema.json "$dir/divided.json" || fail "a divided cache is not allowed"
run model gen:mycielskian:13 --machine "$dir/divided.json" -t 48 --schedule rows --row-ptr 8 --alpha sim
has '^ CRS: 8[.]3[78] MB from and to memory'
run model gen:mycielskian:13 --machine "$dir/divided.json" -t 48 --schedule rows --row-ptr 8 --alpha sim --partition none
has '^ CRS: 1[.]29 MB from and to memory'
run machine show "$dir/divided.json"
has 'ways: matrix=6'
mycielskian --partition L2:vectors=10 # the same division from its other side
has '^WAYS     L2:matrix=6, the rest for the other arrays$'
sed 's/"partition": "matrix",/"partition": "matrix=16",/' machines/a64fx.json >"$dir/bad.json"
"$spmodel" model gen:laplace2d:10 --machine "$dir/bad.json" >"$dir/out" 2>"$dir/err" && fail "no ways are left, yet taken"
grep -q 'key "partition" in caches\[1\]: must be such as matrix=5, ways fewer' "$dir/err" || fail "$(cat "$dir/err")"
divided() { word=$1; shift; refused "$word" model gen:laplace2d:10 --machine a64fx --alpha sim --partition "$@"; }
divided "machine a64fx has no L3 cache" L3:matrix=3
divided "'16' are not 1 to 15 ways of the L2 cache" L2:matrix=16
divided "'matri' is not an array" L2:matri=3
divided "the L2 cache is divided twice" L2:matrix=5,L2:matrix=6
divided "takes LEVEL:ARRAYS=WAYS, .* not 'all'" all
divided "takes LEVEL:ARRAYS=WAYS, .* not ''" ''
divided "'L2:matrix' gives no ways to arrays\|'matrix' gives no ways to arrays" L2:matrix
divided "'L2' divides no cache" L2
divided "all divisions are those of the last level, here L2" L1:matrix=all
refused "divides caches that are simulated: add --alpha sim" model gen:laplace2d:10 --machine a64fx --partition L2:matrix=3
for ways in 3 all; do
    refused "caches of a GPU are not divided" model gen:laplace2d:10 --machine h200 --alpha sim --partition L2:matrix=$ways
done
# Compared machines simulate the last level alone: its ways are those that it has, and not 16.
run model gen:random:100000:8 --machine ivb-e5-2660v2,zen4-epyc-9654 --alpha sim --partition L3:matrix=6 --format crs
refused "all divisions are those of one machine" model gen:laplace2d:10 --machine a64fx,ivb-e5-2660v2 --alpha sim \
    --partition L2:matrix=all

# The effective capacity of the last level is an interval (6 MB, 4 to 16), and so is what follows from it: the data
# of 11.6 MB fit its upper end.
wide=tests/data/machine-wide.json
run model gen:random:100000:8 --machine $wide --alpha sim --json="$dir/doubt.json"
has '^ CRS: traffic 11[.]6 to 11[.]64 MB'
has '^ Residence not certain: the data fit the upper end of the capacity[.]$'
grep -q '"level_doubt":"the data fit the upper end of the capacity"' "$dir/doubt.json" || fail "JSON lacks the doubt"
run model gen:random:60000:8 --machine $wide # 6.96 MB
has '^ Residence not certain: the data fit the upper end of the capacity[.]$'
run model gen:random:40000:8 --machine $wide # 4.6 MB
has '^ Residence not certain: the data do not fit the lower end of the capacity[.]$'
run model gen:random:$(size 250000):8 --machine $wide --alpha sim
[ "$small" = 1 ] || ! grep -q 'not certain' "$dir/out" || fail "a doubt where all of the interval is too small"
run analyze gen:random:100000:8 --machine $wide --threads 2 --budget 10ms --samples 4 --no-hints --no-plots --bytes sim -v --out "$dir" --json="$dir/wide.json" --csv="$dir/wide.csv"
head -n 6 "$dir/out" | grep -q '^trust  *caches of machine-wide, not of this machine' || fail "a foreign machine is not said first"
head -n 6 "$dir/out" | grep -q '^possible  *not known: caches and ceilings are of another machine' || fail "ceilings of another machine are possible here"
grep -q '% of \(possible\|the roof\)' "$dir/out" && fail "a share of a roof of another machine"
grep -q '^NOTE     caches and ceilings of machine-wide (--machine), but the kernel ran on another machine:' "$dir/out" || fail "no note of a foreign machine"
grep -q 'Q06' "$dir/wide.csv" || fail "CSV does not flag the foreign machine"
tr -d ' \n' <"$dir/out" | grep -q 'residencenotcertain:thedatafittheupperendofthecapacity' || fail "the report is certain"
tr -d ' \n' <"$dir/out" | grep -q 'agobesideotherprograms,lowconfidence:60of100samplesweredisturbed' || fail "the report does not doubt the machine's figures"
tr -d ' \n' <"$dir/wide.json" >"$dir/out"
has '"foreign":true'
has '"code":"Q06"'
has '"measured":[{]"when":"2026-11-01T08:00:00Z","times":2,"state":"busy","confidence":"low"'
has '"certain":false,"doubt":"thedatafittheupperendofthecapacity"'
has '"bytes":[{]"value":1[01][0-9.]+,"lo":0.0,"hi":1[01]'
"$spmodel" analyze gen:laplace2d:20 --machine a64 --budget 20ms --no-hints --no-plots --bytes sim --out "$dir" >"$dir/out" 2>"$dir/err" || fail "the begin of a name is not taken"
grep -q -- '--machine a64: taken for a64fx' "$dir/err" || fail "nobody says which machine was taken"
head -n 1 "$dir/out" | grep -q 'A64FX' && fail "the title has a processor that nothing ran on"
run analyze gen:random:$(size 100000):8 --machine $wide --sim-llc 6000000 --threads 2 --budget 10ms --samples 4 --no-hints --no-plots --bytes sim --out "$dir" --json
tr -d ' \n' <"$dir/out" | grep -q '"certain":true' || fail "a doubt about a capacity that was given"

# Two figures of one level that contradict each other are remarked on: a file of this very machine with 10^6 GB/s.
key=$(tr -d ' \n' <"$dir/wide.json" | sed 's/.*"env":{"key":"\([0-9a-f]*\)".*/\1/')
for level in L1 L2 L3 MEM; do for mode in single unknown; do
    echo "{\"name\":\"load\",\"level\":\"$level\",\"precision\":\"f64\",\"threads\":1,\"domains\":1,\"mode\":\"$mode\",\"value\":1e15,\"unit\":\"B/s\",\"origin\":\"stated\",\"how\":\"x\"},"
done; done >"$dir/fast"
sed -e "s/\"cores\"/\"env_key\":\"$key\",\"cores\"/" -e 's/machine-wide/fast/' -e '/"ceilings":\[/,$d' $wide >"$dir/fast.json"
{ echo '"ceilings":['; sed '$s/,$//' "$dir/fast"; echo ']}'; } >>"$dir/fast.json"
run analyze gen:random:$(size 100000):8 --machine "$dir/fast.json" --threads 1 --budget 10ms --samples 4 --no-hints --no-plots --bytes sim -v --out "$dir"
[ "$small" = 1 ] || tr -s ' \n' ' ' <"$dir/out" | grep -q "loads of the kernel's arrays reach [0-9.]* GB/s, long loops in the [LM][^ ]* of this machine 1e+06\|% of the bandwidth that is remembered" || fail "no remark on a roof far below what is remembered"
grep -q '^NOTE' "$dir/out" && fail "this machine is taken for another one"

# Where loads of the arrays are far faster than memory, they lie in the cache, however small it was found before: memory and L3
# of 1 MB/s. With an L3 of 10^6 GB/s they would be slower than that: then they come from memory.
sed -e 's/"value":1e15/"value":1e6/' -e 's/"name":"fast"/"name":"slow"/' "$dir/fast.json" >"$dir/slow.json"
sed '/"level":"L3"/s/"value":1e6/"value":1e15/' "$dir/slow.json" >"$dir/mixed.json"
for machine in slow mixed; do
    run analyze gen:random:$(size 150000):8 --machine "$dir/$machine.json" --threads 1 --budget 10ms --samples 4 --no-hints --no-plots --bytes sim --out "$dir" --json
    tr -d ' \n' <"$dir/out" | grep -o '"binding":{[^}]*}' >"$dir/$machine.binding"
done
[ "$small" = 1 ] || grep -q '"level":"L3".*"certain":false' "$dir/slow.binding" || fail "loads at the speed of L3 come from memory: $(cat "$dir/slow.binding")"
[ "$small" = 1 ] || grep -q 'lieinacachenow' "$dir/slow.binding" || fail "why is not said: $(cat "$dir/slow.binding")"
[ "$small" = 1 ] || grep -q '"level":"MEM"' "$dir/mixed.binding" || fail "loads far slower than L3 come from it: $(cat "$dir/mixed.binding")"

# Figures in doubt are not measured again by a command that has less time itself.
threads=$(nproc)
mkdir -p "$dir/doubted/spmodel"
sed "s/\"threads\":1,/\"threads\":$threads,/" "$dir/fast.json" >"$dir/doubted/spmodel/machine-$key-${threads}t.json"
cp "$dir/doubted/spmodel/machine-$key-${threads}t.json" "$dir/doubted.json"
XDG_CACHE_HOME="$dir/doubted" run analyze gen:random:10000:8 --threads "$threads" --budget 50ms --no-hints --no-plots --bytes sim --out "$dir"
cmp -s "$dir/doubted.json" "$dir/doubted/spmodel/machine-$key-${threads}t.json" || fail "a budget of 50 ms measured the machine again"

run machine show $wide
has '^ +measured [0-9]+ days ago, the last of 2 times, beside other programs [(]60 of 100 samples disturbed[)]$'
has '^ +confidence low: 60 of 100'
refused 'for .machine measure' machine list --renew
refused 'as it is' machine measure --renew --size 4MiB

# Threads: those of the machine; left out of "all" where they are too few.
run model gen:laplace3d:90 --machine zen4-epyc-9654 --threads 8
has '^ROOF     DRAM load  38[.]4 GB/s  modelled .1 of 12 domains; 460[.]8 GB/s stated for 96 threads.$'
run model gen:laplace3d:20 --machine all --threads 10
has 'Left out, as 10 threads are asked for: .*snb-e5-2680 \(8 cores\)'
run model gen:laplace3d:20 --machine all --threads 96
awk 'length($0) > 100 {print; bad = 1} END {exit bad}' "$dir/out" || fail "a line is longer than 100"
refused 'no described CPU has 1000 cores' model gen:laplace3d:20 --machine all --threads 1000
refused 'has 10 cores, 11 threads' model gen:laplace3d:20 --machine ivb-e5-2660v2 --threads 11
refused 'is a GPU' model gen:laplace3d:20 --machine h100-pcie-80gb --threads 4
refused 'do not fit' model --sizes 10,10,101
refused 'for SELL' model --sizes 10,10,50 --beta 0.5
refused 'row lengths' model gen:laplace3d:4 --format sell --beta 0.5
refused 'is a GPU' analyze gen:laplace3d:4 --machine h100-pcie-80gb

# The core of a described machine: HPCG-128 measured 57 Gflop/s in CRS and 119 in SELL on A64FX (machines/a64fx.json has
# the origin), where memory alone allows 140. A row of 27 as there.
awk 'match($0, /"format":"CRS".*/) {print substr($0, RSTART)}' "$dir/out" >"$dir/crs"
run model gen:hpcg:64 --machine a64fx --format crs --format sell:32,1 --cold
has '^ CRS .* 45[0-9.]* +in-core execution$' # 57 without the start of the team
has '^ SELL-32-1 .* 11[0-9] +in-core execution$'
run machine show a64fx
has '^ +modelled: 57 Gflop/s of HPCG-128'

# Sizes on GPUs: what small problems pay; the longest row of SELL.
run model --sizes 1e5,1e5,1e6 --machine a100 --format sell:64,1 --beta 0.9 --longest 1000
has '^ SELL-64-1: launch overhead 2[.]60 us [+] ramp 302 ns [+] longest of$'
has '^  L2 bandwidth 2[.][0-9]+ us, peak performance [0-9]+ ns, latency 189 us;$'
has 'where the host waits for each execution [(]modelled; explain gpu-time[)][.]$'
run model --sizes 2e6,9e6,2e7 --machine v100-sxm2 --format crs
has 'x may exceed the L2: at most with each entry[.]$'
# A matrix with the least alpha, or a given one, pays launches as its sizes do.
run model --sizes 40000,40000,199200 --machine v100-p --format crs --alpha 0.3 --json
tr -d ' \n' <"$dir/out" | grep -o '"launchoverhead":{"value":[0-9.e-]*' >"$dir/sizes_launch"
run model gen:laplace2d:200 --machine v100-p --format crs --alpha 0.3 --json
tr -d ' \n' <"$dir/out" | grep -o '"launchoverhead":{"value":[0-9.e-]*' >"$dir/matrix_launch"
[ -s "$dir/matrix_launch" ] && cmp -s "$dir/sizes_launch" "$dir/matrix_launch" || fail "launches of a matrix and of its sizes"
run model gen:laplace2d:200 --machine v100-p --format crs --alpha min
has '^ CRS: launch overhead 4[.]40 us [+] ramp'
run model gen:laplace2d:200 --machine v100-p --format sell:32,1 --format bcsr:2x2 --alpha min
has '^ SELL-32-1: launch overhead 2[.]20 us'
has '^ BCSR-2x2: launch overhead 2[.]20 us'
refused "longest is for --sizes" model gen:laplace2d:10 --longest 5
echo "machines: ok"
