#!/bin/sh
# Where bytes come from: the choice, its refusals, whole analyses from a constructed recording, and wrong counters
# that must be caught in the right words; with `full` only what takes the matrix of the recording, which has 15 million entries.
# Usage: bytes.sh SPMODEL CHECK_RECORDS RECORDING CHECK_SCHEMA SCHEMA FAKE_LIKWID [full]
set -u
full=${7:-}
spmodel=$1 check_records=$2 recording=$3 check_schema=$4 schema=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "bytes: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
export XDG_CACHE_HOME="$dir/cache"
. "$(dirname "$0")/this_machine.sh"
this_machine
matrix=gen:band:2056338:30:0.101665+shuffled:180000
csv=$(dirname "$recording")/likwid-kkt_power.csv
details=-v
small="gen:laplace2d:300 --cold" # where only the bytes matter; cold, so that they are those of memory

run() { # run CODE ARGUMENTS...: exits with CODE? All that the report can say is asked for.
    want=$1
    shift
    "$spmodel" "$@" $details >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = "$want" ] || fail "spmodel $* exits with $code, not $want"
}
says() { # says FILE WORDS
    tr -s ' \n' '  ' <"$dir/$1" | grep -q -e "$2" || fail "does not say '$2'"
}

if [ -n "$full" ]; then
# The acceptance case: alpha 0.36, the extra traffic as a loss, its hint, through the normal report.
run 0 analyze $matrix --bytes replay:"$recording" --machine ivb-e5-2660v2 --no-plots --out "$dir" --json="$dir/replayed.json"
says out "alpha 0.36 constructed"
says out "258.0 constructed"
says out "x loaded 2.5 times 0.5"
says out "A01 x traffic"
says out "invented, measurements of no machine"
says out "perf is believed"
"$check_records" "$dir/replayed.json" || fail "the record breaks its promises"
"$check_schema" "$schema" "$dir/replayed.json" || fail "the record does not obey the schema"
# Golden: exact output from the recording (all but the file's name).
golden=$(dirname "$0")/../golden
details=
run 0 analyze $matrix --bytes replay:"$recording" --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
grep -v -e '^saved' -e '^next' "$dir/out" | diff "$golden/replay-kkt_power.txt" - || fail "the replayed report differs from $golden/replay-kkt_power.txt"
run 0 import "$csv" $matrix --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir" --json="$dir/imported.json"
grep -v -e '^saved' -e '^next' "$dir/out" | diff "$golden/import-kkt_power.txt" - || fail "the import's report differs from $golden/import-kkt_power.txt"
details=-v
"$check_records" "$dir/imported.json" || fail "the imported record breaks its promises"
"$check_schema" "$schema" "$dir/imported.json" || fail "the imported record does not obey the schema"
exit 0
fi

run 2 analyze gen:laplace2d:30 --bytes counters
says err "auto, likwid, perf, papi, cupti, sim or replay:FILE"
for word in sim:foo perf:x likwid:odd papi:software replay; do run 2 analyze gen:laplace2d:30 --bytes $word; done
run 2 analyze gen:laplace2d:30 --bytes sim --require-bytes
run 3 analyze gen:laplace2d:30 --bytes replay:"$dir/none"
echo '{"schema": "spmodel.record/1", "id": "20261121T000000Z-x-00000000", "status": "complete", "time": {"start": "2026-11-21T00:00:00Z"}, "tool": {"version": "0.1.0"}}' >"$dir/no-counters.json"
run 3 analyze gen:laplace2d:30 --bytes replay:"$dir/no-counters.json"
says err "no counters that could be replayed"
run 3 analyze gen:laplace2d:30 --bytes replay:"$recording" --machine ivb-e5-2660v2
says err "of another matrix: rows 2056338 there, 900 here"

# --require-clean goes by the state that is recorded: 5 where nothing can be said of time, and then no share is shown.
for state in unusable clean; do
    sed "1s/{/{\"conditions\": {\"state\": \"$state\", \"text\": \"50 of 53 samples were disturbed\", \"samples\": 53, \"disturbed\": 50},/
        s/gen:band:2056338:30:0.101665+shuffled:180000/gen:laplace2d:300/; s/2056338/90000/g; s/14599887/448800/" "$recording" >"$dir/small.json"
    [ $state = clean ] && code=0 || code=5
    run $code analyze $small --bytes replay:"$dir/small.json" --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir" --require-clean
    [ $code = 0 ] || says err "the machine was unusable: of the recording 50 of 53"
    [ $code = 0 ] || ! head -n 6 "$dir/out" | grep '[0-9] %' || fail "a share of a disturbed run"
    [ $state = clean ] || cp "$dir/small.json" "$dir/disturbed.json"
done
# The recording of a disturbed run gives no verdict, and gates do not know.
run 5 analyze $small --bytes replay:"$dir/disturbed.json" --machine ivb-e5-2660v2 --no-plots --out "$dir" \
    --fail-below bandwidth:0.1 --json="$dir/undecided.json"
grep -q '^reached  *not known' "$dir/out" || fail "a verdict from disturbed samples"
"$check_schema" "$schema" "$dir/undecided.json" || fail "the record of a disturbed replay does not obey the schema"

# What an import refuses.
run 2 import "$csv"
run 2 import "$csv" gen:laplace2d:300
says err "measured on another machine than this: Intel(R) Xeon(R) CPU E5-2660 v2"
run 2 import "$csv" gen:laplace2d:300 --machine ivb-e5-2660v2 --region spmm
says err "there is no region 'spmm'"
run 3 import "$dir/none.csv" gen:laplace2d:300 --machine ivb-e5-2660v2
echo "hello, world" >"$dir/other.csv"
run 3 import "$dir/other.csv" gen:laplace2d:300 --machine ivb-e5-2660v2
says err "no table of likwid-perfctr"
says err "of ncu or perf stat it stands behind --ncu or --perf"
sed 's/^Memory.*data volume.*//' "$csv" >"$dir/no-mem.csv"
run 3 import "$dir/no-mem.csv" gen:laplace2d:300 --machine ivb-e5-2660v2
says err "counts data volumes of memory"
sed 's/TABLE,Region spmv,/TABLE,/; /^Region Info/d; /^RDTSC/d; /^call count/d' "$csv" >"$dir/whole.csv"
run 2 import "$dir/whole.csv" gen:laplace2d:300 --machine ivb-e5-2660v2
says err "how many products"
run 0 import "$dir/whole.csv" $small --executions 100 --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "258.0 constructed"
head -n 9 "$csv" | sed 's/HWThread 9,//' >"$dir/cut.csv"
run 3 import "$dir/cut.csv" gen:laplace2d:300 --machine ivb-e5-2660v2
# The same volume in a second group counts once; two halves of the channels add up, and one of them is refused.
(cat "$csv"; sed -n '/^TABLE,Region spmv,Group 1 Raw/,$p' "$csv" | sed 's/Group 1/Group 2/; s/,MEM,/,MEM_DP,/') >"$dir/two.csv"
run 0 import "$dir/two.csv" $small --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "258.0 constructed"
sed '/read data volume/d; /write data volume/d; s/Memory data volume/Memory data volume (channels 0-3)/' "$csv" >"$dir/half.csv"
run 3 import "$dir/half.csv" gen:laplace2d:300 --machine ivb-e5-2660v2
says err "only a part of the memory channels"
(cat "$dir/half.csv"; sed -n '/^TABLE,Region spmv,Group 1 Raw/,$p' "$dir/half.csv" | sed 's/Group 1/Group 2/; s/,MEM,/,MEM2,/; s/channels 0-3/channels 4-7/') >"$dir/both.csv"
run 0 import "$dir/both.csv" $small --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "516.0 constructed"
sed '/^Memory data volume/d; /write data volume/d' "$csv" >"$dir/reads.csv"
run 0 import "$dir/reads.csv" $small --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "Q27 writes are not counted"
says out "constructed bytes (.*, and y modelled)"
says out "242.3 constructed" # 241.5 MB of reads and 0.7 MB of y
sed '/^Memory data volume/d; /read data volume/d' "$csv" >"$dir/writes.csv"
run 0 import "$dir/writes.csv" $small --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "the bytes are simulated: reads are not counted"
sed 's/\[GBytes\]/[MBytes]/; s/24.1549296/24154.9296/g; s/1.6450704/1645.0704/g; s/,25.8,/,25800,/' "$csv" >"$dir/mega.csv"
run 0 import "$dir/mega.csv" $small --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "258.0 constructed"
sed 's/Group 1/Group 1/; s/Region spmv/Region spmm/' "$csv" | cat "$csv" - >"$dir/regions.csv"
run 2 import "$dir/regions.csv" gen:laplace2d:300 --machine ivb-e5-2660v2
says err "several regions are in it: spmv, spmm"
sed 's/^call count.*/call count,0,0,0,0,0,0,0,0,0,0,/' "$csv" >"$dir/calls.csv"
run 3 import "$dir/calls.csv" gen:laplace2d:300 --machine ivb-e5-2660v2
says err "number of calls"
# The other clause of trouble: nothing but NaN.
sed 's/24.1549296,/nan,/g' "$csv" >"$dir/nan.csv"
run 0 import "$dir/nan.csv" $small --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "the bytes are simulated: a counter gave no number"

# What cannot be this matrix on this machine is said: another processor, data that stay in its caches, too many bytes.
run 0 import "$csv" gen:laplace2d:300 --machine icx-8360y --no-plots --no-hints --out "$dir" --json="$dir/mismatch.json" --csv="$dir/mismatch.csv"
says out "NOTE caches and ceilings of icx-8360y (--machine), but the kernel ran on another machine: Intel(R) Xeon(R) CPU E5-2660 v2"
says out "Q29 258 MB of memory traffic were counted in each product, but the [0-9.]* MB of this matrix stay in the L[23] of icx-8360y .* the bytes are simulated"
head -n 6 "$dir/out" | grep -q '^trust .*figures of icx-8360y, not of this machine; what was counted does not fit\|^trust .*the count does not fit' || fail "the six lines do not name the mismatch"
grep -q 'Q06.*Q29' "$dir/mismatch.csv" || fail "CSV does not flag the mismatch"
"$check_schema" "$schema" "$dir/mismatch.json" || fail "the mismatch's record does not obey the schema"
run 6 import "$csv" gen:laplace2d:300 --machine icx-8360y --no-plots --no-hints --strict --out "$dir"
run 0 import "$csv" $small --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "Q29 258 MB of memory traffic were counted in each product, this matrix moves [0-9.]* MB where caches keep nothing"
! grep -q 'Q06' "$dir/out" || fail "the machine is taken for another one"

# Fewer bytes than the matrix alone has: of the volume that alpha is taken from.
sed 's/24.1549296,/0.35,/g; s/1.6450704,/0.07,/g; s/,25.8,/,0.42,/' "$csv" >"$dir/few.csv"
run 0 import "$dir/few.csv" $small --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "alpha is undefined: V_read 3.5 MB were counted, less than the 6.466 MB"

# With hints.
sed 's/24.1549296,/0.9,/g; s/1.6450704,/0.07,/g; s/,25.8,/,0.97,/' "$csv" >"$dir/some.csv"
run 0 import "$dir/some.csv" $small --machine ivb-e5-2660v2 --no-plots --out "$dir"
says out "alpha [0-9.]* .* constructed"
says out "HINTS"

# Counters that are wrong are named, and not used.
sed 's/"B_per_count": 64/"B_per_count": 128/' "$recording" >"$dir/double.json"
run 4 analyze $matrix --bytes replay:"$dir/double.json" --machine ivb-e5-2660v2 --no-plots --out "$dir"
says err "every line 2 times"
sed '/uncore_imc_3/s/"B_per_count": 64/"B_per_count": 0.001/' "$recording" >"$dir/missing.json"
run 4 analyze $matrix --bytes replay:"$dir/missing.json" --machine ivb-e5-2660v2 --no-plots --out "$dir"
says err "1 of 4 channels count nothing (uncore_imc_3"
# A counter that says 4 % too little is believed, and V, alpha and w are as unsure as that.
sed 's/"B_per_count": 64/"B_per_count": 61.44/' "$recording" | grep -v '^ "problem"' >"$dir/little.json"
run 0 analyze $small --bytes replay:"$dir/little.json" --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "it counts 0.96 to 0.96 of known volumes; w = 2"
sed '/uncore_imc_3/d; s/\(uncore_imc_2.*write.*\),$/\1/' "$recording" | sed 's/, \[6, [^]]*\], \[7, [^]]*\]//' >"$dir/unseen.json"
run 4 analyze $matrix --bytes replay:"$dir/unseen.json" --machine ivb-e5-2660v2 --no-plots --out "$dir"
says err "as if 1 of 4 memory channels were missing"

# A counter that starts again is in the recording; with 64 bits it runs backwards instead.
sed 's/"bits": 48/"bits": 64/' "$recording" | grep -v '^ "problem"' >"$dir/backwards.json"
run 0 analyze $small --bytes replay:"$dir/backwards.json" --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "the bytes are simulated: a counter ran backwards"
# What --require-bytes asks for holds for each analysis, not only for the choice of the source.
run 4 analyze $small --bytes replay:"$dir/backwards.json" --require-bytes --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says err "bytes cannot be measured: a counter ran backwards"
run 4 analyze gen:laplace2d:300 --bytes replay:"$dir/little.json" --require-bytes --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says err "the data stay in L"
# Data that fit a cache by the simulation alone are bound by that cache, not by memory; a share above 110 % is not given.
run 0 analyze gen:laplace2d:300 --bytes replay:"$dir/little.json" --sim-llc 7400000 --threads 2 --machine ivb-e5-2660v2 --no-plots --no-hints \
    --out "$dir" --json="$dir/inward.json"
says out "possible .* L3 bandwidth"
"$check_records" "$dir/inward.json" || fail "the record of data in a cache contradicts itself"
sed 's/0\.005/0.0005/g' "$dir/little.json" >"$dir/fast.json"
run 5 analyze $small --bytes replay:"$dir/fast.json" --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir" --fail-below bandwidth:0.8
says out "reached .* share of possible not known"
run 0 analyze $small --bytes replay:"$dir/little.json" --require-bytes --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "constructed"
# A record is a recording too.
run 0 analyze $small --bytes replay:"$dir/little.json" --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir" --json="$dir/replayed.json"
grep "constructed" "$dir/out" >"$dir/first"
run 0 analyze $small --bytes replay:"$dir/replayed.json" --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
grep "constructed" "$dir/out" | diff "$dir/first" - || fail "the record of a replay is replayed otherwise"
# Several last-level-cache domains, of a machine that is not here: each loads its own part of x.
run 0 analyze $small --bytes replay:"$dir/little.json" --machine zen4-epyc-9654 --threads 16 --no-plots --no-hints --out "$dir" --json="$dir/domains.json"
says out "DOMAINS last-level caches"
[ "$(grep -c '^ *[01]  *8  *50' "$dir/out")" = 2 ] || fail "two domains of 8 threads with half of the entries each"
"$check_schema" "$schema" "$dir/domains.json" || fail "the record with domains does not obey the schema"
# Multiplexed: scaled up, and said.
sed '/"kind": "job"/s/, 0\.118, 0\.118\]/, 0.118, 0.1062]/g' "$recording" | grep -v '^ "problem"' >"$dir/shared.json"
run 0 analyze $small --bytes replay:"$dir/shared.json" --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
says out "multiplexed: counters were on for 90 % of the time"

# What was run is what was recorded, unless the command line says otherwise.
grep -v '^ "problem"' "$recording" | sed 's/"format": "crs", "format_text": "CRS"/"format": "sell", "C": 8, "sigma": 64/; s/"store_nt": false/"store_nt": true/; s/"cache": "warm"/"cache": "cold"/; s/"index": "i32"/"index": "i64"/; s/"threads": 10/"threads": 3/; s/"schedule": "nnz"/"schedule": "rows"/' >"$dir/other.json"
follow="analyze gen:laplace2d:300 --bytes replay:$dir/other.json --machine ivb-e5-2660v2 --no-plots --no-hints --out $dir"
run 0 $follow
says out "3 threads"
says out "SELL-8-64 f64/i64 static rows avx NT stores cold"
run 0 $follow --format crs --index i32 --schedule nnz --store plain --threads 2
says out "2 threads"
says out "CRS f64/i32 static nnz avx cold"
sed 's/"cache": "cold"/"cache": "between"/' "$dir/other.json" >"$dir/between.json"
run 3 analyze gen:laplace2d:300 --bytes replay:"$dir/between.json" --machine ivb-e5-2660v2 --no-plots --out "$dir"
says err "give the same --between as then"
run 0 analyze gen:laplace2d:300 --bytes replay:"$dir/between.json" --between axpy,dot --machine ivb-e5-2660v2 --no-plots --no-hints --out "$dir"
sed 's/"sigma": 64/"sigma": 63/' "$dir/other.json" >"$dir/odd.json"
run 3 analyze gen:laplace2d:300 --bytes replay:"$dir/odd.json" --machine ivb-e5-2660v2 --no-plots --out "$dir"
says err "its config.format 'sell:8,63' is not known here"

# Here and now: whatever this machine has, the choice is named, and what is required and absent is refused.
"$spmodel" analyze gen:laplace3d:30 --require-bytes --no-plots --out "$dir" >"$dir/out" 2>"$dir/err"
code=$?
if [ $code = 4 ]; then
    says err "bytes cannot be measured here"
    says err "remedy: spmodel doctor"
    for source in likwid perf papi; do
        run 4 analyze gen:laplace3d:30 --bytes $source --no-plots --out "$dir"
        says err remedy
    done
    run 0 analyze gen:laplace3d:30 --no-plots --no-hints --out "$dir" --json="$dir/auto.json"
    says out "BYTES simulated no counters can be used"
    "$check_schema" "$schema" "$dir/auto.json" || fail "the record does not obey the schema"
else
    [ $code = 0 ] || fail "--require-bytes exits with $code"
    echo "skipped: refusals (this machine counts bytes)"
fi
# Markers: only where likwid-perfctr -m is around the program (a fake library notes what it sees).
if [ -n "${6:-}" ]; then
    SPMODEL_LIKWID=$6 FAKE_LIKWID_MARKERS="$dir/markers" LIKWID_MODE=1 LIKWID_FILEPATH="$dir/x" \
        "$spmodel" analyze gen:laplace3d:20 --no-plots --no-hints --isa portable --threads 2 -v --out "$dir" >"$dir/out" 2>"$dir/err" ||
        fail "analyze under markers fails"
    says out "likwid-perfctr -m runs around this program"
    starts=$(grep -c '^start spmv_crs_' "$dir/markers")
    stops=$(grep -c '^stop spmv_crs_' "$dir/markers")
    [ "$starts" -ge 4 ] && [ "$starts" = "$stops" ] || fail "markers: $starts starts, $stops stops"
    [ "$(grep -c '^init' "$dir/markers")" = 1 ] && [ "$(tail -n 1 "$dir/markers")" = "close " ] || fail "markers are not closed"
    SPMODEL_LIKWID=$6 FAKE_LIKWID_MARKERS="$dir/none" "$spmodel" analyze gen:laplace3d:20 --bytes sim --no-plots --no-hints --out "$dir" >"$dir/out" 2>"$dir/err"
    [ ! -e "$dir/none" ] || fail "markers without likwid-perfctr"
fi
run 0 analyze gen:laplace3d:30 --bytes sim --no-plots --no-hints --out "$dir"
says out "BYTES simulated as asked for"
echo "ok"
