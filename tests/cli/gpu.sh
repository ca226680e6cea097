#!/bin/sh
# GPUs on the command line: what is said without one, and the whole way of an analysis with the stand-in of the GPU
# module, which executes the kernels on this CPU.
# Usage: gpu.sh SPMODEL CHECK_RECORDS CHECK_SCHEMA RECORD_SCHEMA MACHINE_SCHEMA STAND_IN_DIR [all]
# STAND_IN_DIR is empty where there is none; all: what waits for a GPU to become free, where the rest was looked at.
set -u
spmodel=$1 check_records=$2 check_schema=$3 schema=$4 machine_schema=$5 stand_in=${6:-} share=${7:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" CUDA_VISIBLE_DEVICES=''
cd "$dir" || exit 1
fail() { echo "gpu: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
has() { grep -qE -e "$1" "$dir/out" || fail "no line matches: $1"; }
exits() { # CODE WORD ARGUMENT...
    code=$1 word=$2; shift 2
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    [ $got = "$code" ] || fail "spmodel $* exits with $got, not $code"
    grep -q -e "$word" "$dir/err" || fail "spmodel $*: the error does not say '$word'"
    [ ! -s "$dir/out" ] || fail "spmodel $*: something was printed all the same"
}

# Without a GPU that this process may see: the reason and where to look, and exit code 4.
exits 4 'remedy:' analyze gen:laplace3d:8 --device gpu
exits 4 'error: ' analyze gen:laplace3d:8 --device gpu:1 --bytes cupti
exits 4 'error: ' machine measure --device gpu
exits 4 'error: ' analyze gen:laplace3d:8 --device gpu --machine h200
[ -z "$(ls "$dir" | grep -v -e '^out$' -e '^err$')" ] || fail "files were left behind: $(ls "$dir")"

# What does not fit together.
exits 2 "not 'tpu'" analyze gen:laplace3d:8 --device tpu
exits 2 "not 'gpu:x'" analyze gen:laplace3d:8 --device gpu:x
exits 2 'threads is for CPUs, not for --device gpu' analyze gen:laplace3d:8 --device gpu --threads 2
exits 2 'schedule is for CPUs' analyze gen:laplace3d:8 --device gpu --schedule merge
exits 2 'between is for CPUs' analyze gen:laplace3d:8 --device gpu --between axpy
exits 2 'is for CPUs' analyze gen:laplace3d:8 --device gpu --bytes perf
exits 2 'is for CPUs' analyze gen:laplace3d:8 --device gpu --isa avx2
exits 2 'add --device gpu' analyze gen:laplace3d:8 --isa cuda-lanes
exits 2 'add --device gpu' analyze gen:laplace3d:8 --bytes cupti
exits 2 'is a GPU' analyze gen:laplace3d:8 --machine h200
exits 2 'are for CPUs' machine measure --device gpu --threads 2
printf '%%%%MatrixMarket matrix coordinate real general\n5 7 0\n' >empty.mtx
exits 3 'name another matrix' model empty.mtx --machine a100
"$spmodel" model gen:laplace3d:8 --machine a100 --w 2 >"$dir/out" 2>"$dir/err" || fail "model --w 2 exits with $?"
has 'w changes nothing here'
"$spmodel" model gen:laplace3d:8 --machine a100 --schedule merge --pages small >"$dir/out" 2>"$dir/err" ||
    fail "model --schedule merge exits with $?"
has 'schedule and --pages change nothing here'
"$spmodel" model gen:laplace3d:8 --machine a100 --alpha 0.5 --schedule merge >"$dir/out" 2>"$dir/err" ||
    fail "model --alpha 0.5 exits with $?"
has 'schedule changes nothing here'
"$spmodel" model gen:laplace3d:8 --machine a100,h200 --pages small >"$dir/out" 2>"$dir/err" || fail "model --pages exits with $?"
has 'pages changes nothing on GPUs'

# What a machine file does not know is not 0.
"$spmodel" machine show h200 >"$dir/out" 2>"$dir/err" || fail "machine show exits with $?"
has '^TIMES    launch 2[.]43 us stated, load from memory not known, from the L2 not known$'

# alpha is that of the level that the bytes beside it are of.
"$spmodel" model gen:laplace3d:12 --machine a100,h200 >"$dir/out" 2>"$dir/err" || fail "model exits with $?"
has '^ a100.* 0[.][1-9][0-9]* sim .* L2 '
"$spmodel" model --sizes 10000,10000,80000 --machine a100,h200 --format crs >"$dir/out" 2>"$dir/err" || fail "model --sizes exits with $?"
has '^ GPU without the order of its warps: L2 as one cache'
# No choice rests on matrix units that the GPU has no described peak of.
"$spmodel" model gen:laplace3d:16 --machine rtx-3090-24gb --op spmm --inner 64 --format all >"$dir/out" 2>"$dir/err" || fail "model exits with $?"
has 'Left out, .* peak of matrix units'
has '^ Best: CRS'

if [ -z "$stand_in" ]; then
    echo "SKIPPED: analyses of GPU kernels need the stand-in of the GPU module, which needs a C++ compiler"
    echo "gpu: ok"
    exit 0
fi

LD_LIBRARY_PATH=$stand_in
export LD_LIBRARY_PATH
ok() { "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || fail "spmodel $* exits with $?"; }

ok machine measure --device gpu --quick --size 4MiB -o stand-in.json
has '^CEILINGS'
has 'load +MEM +f64 +4 +unknown'
has 'load +L2 +f64 +4 +unknown'
grep -q 'pinned' "$dir/err" && fail "threads of this CPU are none of a GPU's measurement"
"$check_schema" "$machine_schema" stand-in.json || fail "the measured machine does not obey the schema"
# Latencies of memory and of the L2, of which small problems wait.
has '^TIMES    launch [0-9.]+ [a-z]+ measured, load from memory [0-9.]+ [a-z]+ measured, from the L2 [0-9.]+ [a-z]+ measured$'
grep -q '"L2_latency_s":{"value":[0-9]' stand-in.json || fail 'no latency of the L2 was written'
# One warp's loads tell how parts of it count, whatever the counter does; the model then has the sectors exactly.
has '^SECTORS  count once for 32 lanes that load 8 bytes each, for 32 that load 16; measured: '
ok model gen:laplace3d:8 --machine "$dir/stand-in.json"
has 'L1: sectors of 32 B that the warps ask for, exact[.]$'
duplicates() { # LANES FILE LINE
    SP_EXECUTOR_LANES=$1 "$spmodel" machine measure --device gpu --quick --size 4MiB -o "$2" >"$dir/out" 2>"$dir/err" || fail "lanes $1: it exits with $?"
    has "$3"
    "$check_schema" "$machine_schema" "$2" || fail "the machine whose lanes are $1 does not obey the schema"
    "$spmodel" machine show "$dir/$2" >"$dir/out" 2>"$dir/err" || fail "machine show exits with $?"
    has "$3"
}
duplicates 32,16,8 parts.json '^SECTORS  count once for 16 lanes that load 8 bytes each, for 8 that load 16; measured: .* count as 1, 2 and 4$'
for what in 'crs --isa cuda-thread' 'crs --isa cuda-lanes' sell:32,1 'crs --op spmm --inner 32 --isa cuda-row'; do
    # shellcheck disable=SC2086 # words
    SP_EXECUTOR_LANES=32,16,8 "$spmodel" analyze gen:powerlaw:9:5 --device gpu --machine "$dir/parts.json" --format $what --bytes cupti \
        --samples 3 --no-plots --no-hints --out "$dir/parts" >"$dir/out" 2>"$dir/err" || fail "$what exits with $?"
done
"$check_records" "$dir"/parts/*.json || fail "sectors of parts of a warp are not those of the model"
duplicates 32,32,16 halves.json '^SECTORS  count once for 32 lanes that load 8 bytes each, for 16 that load 16; measured: '
duplicates 32,-16,8 other.json '^SECTORS  assumed .*; not known: loads of 8 bytes a lane from 1, 2 and 4 sectors were counted as 2, 4 and 8$'
duplicates 16,16,16 narrow.json '^SECTORS  assumed .*; not known: loads of 4 bytes a lane from one sector were counted as 2'
ok model gen:laplace3d:8 --machine "$dir/other.json"
has ' up to [0-9.]+ % more where parts of it do: not measured on this GPU'
SP_EXECUTOR_REFUSES=1 duplicates 32,16,8 refused.json '^SECTORS  assumed .*; not known: counters are refused'
exits 2 'is a CPU' analyze gen:laplace3d:8 --device gpu --machine ivb-e5-2660v2

busy() { # CODE ARGUMENT...
    code=$1
    shift
    env -u SPMODEL_ASSUME "$spmodel" analyze -v --device gpu --machine "$dir/stand-in.json" --out "$dir/busy" --no-plots --bytes sim \
        --budget 20ms --samples 8 "$@" gen:laplace3d:10 >"$dir/out" 2>"$dir/err"
    got=$?
    [ $got = "$code" ] || fail "analyze $* beside others exits with $got, not $code"
}
if [ "$share" = all ]; then
    SP_EXECUTOR_TIRES=1
    export SP_EXECUTOR_TIRES
    busy 5 --fail-below bandwidth:0.01
    unset SP_EXECUTOR_TIRES
    busy 0
    head -n 1 "$dir/out" | grep -Eq '(clean|busy|unusable): ' || fail 'the first line does not say in what state the machine was'
    "$check_schema" "$schema" "$dir"/busy/*.json || fail "records of a busy GPU do not obey the schema"
    "$check_records" "$dir"/busy/*.json || fail "figures of a busy GPU do not fit each other"
    echo "gpu: ok"
    exit 0
fi

six_lines="possible reached lost do trust " # the first says what was run
analyze() {
    ok analyze -v --device gpu --machine "$dir/stand-in.json" --out "$dir/records" --budget 20ms --samples 3 "$@"
    [ "$(sed -n '2,6s/ .*//p' "$dir/out" | tr '\n' ' ')" = "$six_lines" ] || fail "head -6 of $* does not answer"
}
analyze gen:laplace3d:10 --bytes sim --no-plots
has 'simulated bytes'
# Where it ran is the device and its driver, whatever the description is called that it is held against.
sed '/"schema"/,/"name"/s/"name": "[^"]*"/"name": "named otherwise"/' stand-in.json >"$dir/otherwise.json"
ok analyze --device gpu --machine "$dir/otherwise.json" --out "$dir/otherwise" --samples 3 gen:laplace3d:10 --bytes sim --no-plots
grep -q '"name": "named otherwise"' "$dir"/otherwise/*.json || fail 'the other description was not taken'
grep -q '"gpu_driver": "' "$dir"/otherwise/*.json || fail 'no driver among the facts'
[ "$(cat "$dir"/records/*.json "$dir"/otherwise/*.json | grep -o '"key": "[0-9a-f]*"' | sort -u | wc -l)" -eq 1 ] ||
    fail 'the name of a description makes another environment'
# An empty matrix: a report that knows why nothing is known, as on a processor.
for how in '' '--op spmm --inner 8' '--cold'; do
    # shellcheck disable=SC2086 # words
    analyze empty.mtx $how --no-plots --out "$dir/empty"
    has '^possible +not known: the matrix has no entries'
    has 'result checked'
    grep -Eq 'nan|inf ' "$dir/out" && fail "figures of an empty matrix that are none ($how)"
done
"$check_schema" "$schema" "$dir"/empty/*.json || fail "records of an empty matrix do not obey the schema"
"$check_records" "$dir"/empty/*.json || fail "records of an empty matrix contradict themselves"
SP_EXECUTOR_REFUSES=1
export SP_EXECUTOR_REFUSES
analyze gen:laplace3d:10
has '^KERNEL   SpMV  CRS  f64/i32  cuda-(thread|lanes|merge|keep)  warm'
has 'result checked'
has '^ measured '
has '4 SMs'
has 'no counters can be used: counters are refused'
unset SP_EXECUTOR_REFUSES
for kernel in cuda-thread cuda-lanes cuda-merge cuda-keep cuda-bins cuda-window; do
    analyze gen:arrow:1100 --isa $kernel --precision f32
    has "CRS  f32/i32  $kernel"
done
analyze gen:random:6000:4 --isa cuda-window --no-plots --out "$dir/window"
grep -q 'a persistence window of the L2 covers 41.0 of 48.0 kB of x; 90 % of the accesses to it may stay' "$dir"/window/*.json ||
    fail 'the window is not in the record'
grep -q '"window_B": 40960' "$dir"/window/*.json || fail 'the size of the window is not in the record'
"$check_schema" "$schema" "$dir"/window/*.json || fail "the record of a window does not obey the schema"
has 'persistence window'
# A window of the L2 over x is had where it is typed, and the device has one; no other name or choice takes it.
grep -q '"name": "CRS window [0-9]' "$dir"/records/*.json || fail 'the way with a window is not named'
analyze gen:laplace3d:8 --isa cuda --no-plots --out "$dir/any"
analyze gen:laplace3d:8 --no-plots --out "$dir/any"
grep -q 'CRS window' "$dir"/any/*.json && fail 'a window was modelled that was not asked for'
SP_EXECUTOR_NO_WINDOW=1
export SP_EXECUTOR_NO_WINDOW
exits 4 'the L2 is not divided, as asked for' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --isa cuda-window
unset SP_EXECUTOR_NO_WINDOW
exits 4 'no GPU kernel cuda-window' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --isa cuda-window --format sell:32,1
analyze gen:powerlaw:8:6 --isa cuda-lanes --precision f32 --index i64
has "CRS  f32/i64  cuda-lanes"
exits 4 'no row has more' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --isa cuda-bins
exits 4 '64-bit indices' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --isa cuda-merge --index i64
# Sectors that the model says are those that the warps asked for: check_records compares them.
for format in crs sell:32,1 sell:32,256; do
    analyze gen:powerlaw:9:5 --format $format --bytes cupti --no-plots
    has '^BYTES    cupti  one execution'
    has 'was counted as'
done
analyze gen:laplace3d:10 --format sell:32,1 --cold --bytes sim
has 'SELL-32-1  f64/i32  cuda-chunk  cold'
analyze gen:random:500:5 --format auto
analyze gen:laplace2d:60+permuted:3 # what the hint gains is this minute's
has 'J04 order on a GPU|order on a GPU \('
# What was looked at for a hint is no cost of the run; each cost has one name, and set-up is its own sum.
grep -q '^COSTS .* reorder ' "$dir/out" && fail 'an order that the run does not have is among its costs'
tr -s ' \n' '  ' <"$dir/out" | grep -Eq 'COSTS read .* copy to the GPU .* set-up: (less than an|one|[0-9]+) execution' || fail 'the set-up is not said'
tr -s ' \n' '  ' <"$dir/out" | grep -q 'load imbalance unknown: the GPU deals blocks' || fail 'the unknown loss has no reason on its line'
analyze gen:powerlaw:9:8 --isa cuda-thread --no-plots
has 'divergence'
analyze gen:arrow:600 --format all --no-plots
has 'SELL-32-256'
# Operations with dense operands.
for what in "spmmv crs --rhs 4" "spmm crs --inner 33" "spmm bcsr:16x16 --inner 32 --precision f16" \
    "spmm staged:16,64 --inner 32 --precision f32" "sddmm tiled:64,32 --inner 16" "fusedmm crs --inner 16" "sddmm auto --inner 16" "spmm auto --inner 32 --precision f32"; do
    # shellcheck disable=SC2086 # words
    set -- $what
    op=$1 format=$2
    shift 2
    analyze gen:laplace2d:16 --op "$op" --format "$format" "$@" --no-plots --out "$dir/dense"
    has 'result checked'
done
analyze gen:laplace2d:16 --op sddmm --inner 16 --no-plots --out "$dir/dense"
has 'tiles pay from'
# A launch of a known length: where it is not known, times far below one are not compared.
sed 's/"launch_s": {[^}]*}/"launch_s": {"value": 2e-6, "unit": "s", "origin": "stated", "how": "invented for this test"}/' \
    "$(dirname "$machine_schema")/../machines/h200-sxm-141gb.json" >"$dir/h200.json"
ok analyze -v --device gpu --machine "$dir/h200.json" --out "$dir/dense" --samples 3 gen:hpcg:6 --op spmm --inner 32 --no-plots
has 'matrix units'
# What a launch and a load take is in the record, and memory has its own bandwidth where data lie in the L2.
ok analyze --device gpu --machine a100 --out "$dir/waits" --samples 3 gen:laplace3d:10 --no-plots
ok explain gpu-time "$dir"/waits/*.json
has 'memory = .*/b_MEM'
has '^ +b_MEM +1[.0-9]* TB/s .*roofs.[0-9]+.: HBM load'
has '^ +t_launch +2.6 us .*gpu.launch_time'
ok explain little "$dir"/waits/*.json
has '^ +t_latency +[0-9.]+ ns .*gpu.latency'
"$check_schema" "$schema" "$dir"/waits/*.json || fail "the record of launches and loads does not obey the schema"
"$check_records" "$dir"/waits/*.json || fail "the record of launches and loads contradicts itself"
# Where the L2 (64 KiB) may keep a matrix or not, counted bytes are first of what then comes: x is loaded once here.
awk 'BEGIN {print "%%MatrixMarket matrix coordinate real general"; print 1, 2500, 2500; for (i = 1; i <= 2500; i++) print 1, i, 1}' >row.mtx
sed 's/"effective_B": {[^}]*}/"effective_B": null/' stand-in.json >not-effective.json
analyze row.mtx --machine "$dir/not-effective.json" --isa cuda-lanes --bytes cupti --no-plots --out "$dir/row"
ok explain gpu-time "$dir"/row/*.json # a block for one SM of four, and the model takes a fourth of the L2's bandwidth
# Which roof is the run's own is up to what the stand-in measured; of the L2's a fourth counts, either way.
has '^ +b_L2 .* modelled .*(, 1 of 4 SMs have a block| x gpu[.]roof_part)$'
takes_a_fourth() { tr -d ' \n' <"$1" | grep -q '"roof_part":{"value":0.25[,}]' || fail "$1: not a fourth of the roof"; }
if grep -q '^ *b_L2 .* x gpu[.]roof_part$' "$dir/out"; then for r in "$dir"/row/*.json; do takes_a_fourth "$r"; done; fi
analyze gen:laplace2d:8 --isa cuda-thread --no-plots --out "$dir/one_block"
ok explain gpu-time "$dir"/one_block/*.json # the same of the level that holds the data
has '^ +b_L2 .* modelled .* x gpu[.]roof_part$'
for r in "$dir"/one_block/*.json; do takes_a_fourth "$r"; done
ok explain alpha "$dir"/row/*.json
has 'metrics.alpha of the record is 1[.0-9]* .*measured: agrees'
grep -q '"core": "measured' "$dir"/row/*.json && fail 'what is modelled is called measured'
ok explain possible reached "$dir"/row/*.json
[ "$(grep -c ': agrees$' "$dir/out")" -eq 2 ] || fail 'possible and reached do not follow from what binds'
has 'possible = W/[(]max[(]V_min/[(]b_S[*]roof_part[)], core[)] [+] team[)]'
ok explain min_traffic padding extra_x "$dir"/row/*.json
if grep -q '"min_traffic": [0-9]' "$dir"/row/*.json; then # else the roof is in doubt
    [ "$(grep -c ': agrees$' "$dir/out")" -eq 3 ] || fail 'losses do not follow from the part of the roof that the SMs in use draw'
fi
# Rows are staged in shared memory, which is no traffic.
ok analyze gen:laplace2d:16 --device gpu --machine a100 --op spmm --format staged:16,64 --inner 32 --precision f32 --samples 3 --no-plots --out "$dir/staged"
ok explain V_min "$dir"/staged/*.json
has 'metrics.bytes_min of the record is .*: agrees'
# Asynchronous copies are asked of the L1, too: it has no fewer bytes than the L2 gets.
ok analyze -v gen:laplace2d:16 --device gpu --machine a100 --op spmm --format bcsr:16x16 --inner 32 --precision f16 --samples 3 --no-plots --out "$dir/copies"
has '^ L1 +7[0-9.]+ kB'
ok explain gpu-balance "$dir"/copies/*.json
has 'B at L1 = .L1_load [+] L1_copy [+] L1_store./W'
[ "$(sed -n '/B at L1/,/B at L2/p' "$dir/out" | grep -c 'unknown')" -eq 0 ] || fail 'bytes of the L1 are not known'
# Bytes of the L2 hold sectors of the matrix that are asked for again: none of x follows from their count.
analyze gen:laplace2d:16 --machine a100 --isa cuda-merge --bytes cupti --no-plots --out "$dir/again"
has '^MACHINE .* 108 SMs, ran on 4 SMs'
ok explain gpu-time "$dir"/again/*.json # a second grid adds what the first one cuts
has '= 2 x 2[.]6 us'
ok explain J02 "$dir"/again/*.json
has '= \(0 B \+ 0 B\) / 1[.0-9]* TB/s'
ok explain alpha "$dir"/again/*.json
has 'sectors of the matrix again'
grep -q 'differs' "$dir/out" && fail 'a simulated alpha is compared with counted bytes'
# Weights that exceed the memory, 0.6 MB: streamed in STAGED, refused elsewhere.
SP_EXECUTOR_MEMORY=600000
export SP_EXECUTOR_MEMORY
analyze gen:random:800:40 --op spmm --format staged:16,64 --inner 16 --no-plots --bytes sim --out "$dir/dense"
has 'the weights are streamed'
has 'BOUND BY +host link'
grep -q 'WHERE THE TIME GOES' "$dir/out" && fail "losses of a time that the host link decides"
exits 4 'staged:16,64 streams' analyze gen:random:1200:40 --device gpu --machine "$dir/stand-in.json" --op spmm --format crs --inner 16
SP_EXECUTOR_MEMORY=1200000 # enough without what shares carry
exits 4 'matrix and operands take' analyze gen:hpcg:14 --device gpu --machine "$dir/stand-in.json" --op spmm --inner 8 --isa cuda-share
unset SP_EXECUTOR_MEMORY
"$check_schema" "$schema" "$dir"/records/*.json "$dir"/dense/*.json || fail "records do not obey the schema"
"$check_records" "$dir"/records/*.json "$dir"/dense/*.json || fail "the records' figures do not fit each other"
ls "$dir"/records/*.roofline.svg >/dev/null || fail "there is no roofline"

# The levels of one of them: hollow points modelled, filled ones of the kernel that ran.
for record in "$dir"/records/*.json; do
    "$spmodel" plot --kind levels -o levels.gp "$record" >"$dir/out" 2>"$dir/err" || fail "no plot of levels for $record"
done
grep -q 'measured  [0-9.]* Gflop/s' levels.gp || fail "the plot of levels lacks the measured kernel"

# Beside others that take more and more of the device: no verdict, and gates do not know.
SP_EXECUTOR_TIRES=1
export SP_EXECUTOR_TIRES
busy 0
head -n 1 "$dir/out" | grep -q 'unusable: ' || fail 'the first line does not say in what state the GPU was'
has '^possible +not known'
has '^reached +not known'
has '^PLAN +20.* of measurements'
has '^ +sample +'
grep -Eq 'WHERE THE TIME GOES|^HINTS' "$dir/out" && fail 'what is doubted is explained'
busy 5 --require-clean
unset SP_EXECUTOR_TIRES
SP_EXECUTOR_SHARED=1 "$spmodel" analyze -v --device gpu --machine "$dir/stand-in.json" --out "$dir/busy" --no-plots --bytes sim --budget 20ms \
    --samples 8 gen:laplace3d:10 >"$dir/out" 2>"$dir/err" || fail "it ends with $?"
grep -q '1 other program on the GPU' "$dir"/busy/*.json || fail 'who else has work on the GPU is not said'
"$check_schema" "$schema" "$dir"/busy/*.json || fail "records of a busy GPU do not obey the schema"
"$check_records" "$dir"/busy/*.json || fail "figures of a busy GPU do not fit each other"

# Asked for and not to be had.
exits 4 'no GPU kernel' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --isa cuda-none
exits 4 'multiple of 32' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --format sell:8,1
exits 2 'exclude each other' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --bytes sim --require-bytes
SP_EXECUTOR_REFUSES=1
export SP_EXECUTOR_REFUSES
exits 4 'refused, as asked' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --samples 3 --bytes cupti
exits 4 'refused, as asked' analyze gen:laplace3d:8 --device gpu --machine "$dir/stand-in.json" --samples 3 --require-bytes
echo "gpu: ok"
