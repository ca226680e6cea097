#!/bin/sh
# The validation page: published numbers, the simulator beside a plain cache and cachegrind, the model beside
# measurements, and what none of this shows. Anyone can make it, for any machine, in some minutes:
#     bench/validate.sh SPMODEL [VALIDATION] > docs/validation.md
#     bench/validate.sh --no-measure SPMODEL [VALIDATION]     only what is the same on every machine, half a minute
#     bench/validate.sh --again PAGE SPMODEL [VALIDATION]     PAGE with that made again, what was measured as it stands
# SPMODEL_COUNTERS names the published file of counters on A64FX (breiters/spmvrd-results, one CSV): the section about them is
# made again then (two minutes, 20 GB), else it stays as it stands in docs/validation.md.
# VALIDATION is the helper that the tests build, looked for beside SPMODEL as tests/validation (./bootstrap --tests).
# Exit code 1: a row does not hold.
set -eu
measure=yes page=/dev/null
case ${1:-} in
--no-measure) measure=no && shift ;;
--again) measure=no page=${2:-/dev/null} && shift 2 ;;
esac
[ $# -ge 1 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
source=$(cd "$(dirname "$0")/.." && pwd)
spmodel=$1 validation=${2:-$(dirname "$1")/tests/validation}
[ -x "$validation" ] || { echo "validate.sh: no $validation: build the tests (./bootstrap --tests)" >&2; exit 4; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
if [ $measure = no ]; then export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"; fi
worst=0
rows() { # rows ARGUMENTS...: of the helper
    "$validation" "$@" || { [ $? -eq 1 ] || exit 7; worst=1; }
}

# ---- published numbers: tests/published.txt ----

value_of() { # value_of FIELD: the last one of that name in the JSON on standard input
    sed -n "s/.*\"$1\":\({\"value\":\)\{0,1\}\([-+.0-9e]*\)[,}].*/\2/p"
}
# published_row KIND SOURCE WHAT VALUE INPUTS COMPUTED: COMPUTED is empty where nothing came
published_row() {
    awk -v k="$1" -v s="$2" -v w="$3" -v p="$4" -v inputs="$5" -v c="$6" 'BEGIN {
        words["printed"] = "printed"; words["formula"] = words["words"] = "evaluated"; words["ours"] = "our formula"
        half = 0.5
        if (index(p, ".")) for (i = length(p) - index(p, "."); i > 0; i--) half /= 10
        allowed = inputs == "exact" ? 0 : half + inputs; off = c - p; holds = c != "" && (off < 0 ? -off : off) <= allowed + 1e-12
        printf "| %s %s | %s %s | %s%s |\n", s, w, words[k], p, c == "" ? "–" : sprintf("%.4g", c), holds ? "" : " **does not hold**"
        exit !holds }' || worst=1
}
published() {
    cat <<'M'
## Published numbers

[L] Wellein and Hager, lecture "Sparse Matrix-Vector Multiplication", FAU Erlangen-Nürnberg, 2025; [T] Hidayetoglu, "Tiled SpMM and its Performance Model on GPUs",
tutorial at MLSys 2022; [D] Costa et al., "Efficient SDDMM Algorithms on GPU, a Dynamic Approach", ETH Zürich; [E] the paper on SpMM, SDDMM and FusedMM with Intel's
Explicit SIMD extension. *Printed*: the source has this number. *Evaluated*: the source has the formula. All hold, within rounding of the number and of the source's inputs.
`tests/published.txt` quotes each, and has the options of `spmodel model` or the test that compute it.

| source, what | value | computed |
|---|---|---|
M
    rows published >"$dir/values"
    while IFS='|' read -r kind origin what value inputs how _; do
        case $kind in '' | '#'*) continue ;; esac
        # shellcheck disable=SC2086 # words
        set -- $how
        if [ "$1" = test ]; then
            published_row "$kind" "$origin" "$what" "$value" "$inputs" "$(sed -n "s/^$3 //p" "$dir/values")"
            continue
        fi
        field=$2 factor=$3
        shift 3
        "$spmodel" model --json "$@" >"$dir/json"
        computed=$(value_of "$field" <"$dir/json")
        [ -n "$computed" ] || { echo "validate.sh: spmodel model $* prints no $field" >&2; exit 7; }
        computed=$(awk -v c="$computed" -v f="$factor" 'BEGIN { printf "%.10g", c * f }')
        published_row "$kind" "$origin" "$what" "$value" "$inputs" "$computed"
    done <"$source/tests/published.txt"
    cat <<'M'

Printed formulas that we do not follow ([theory](theory.md)):

| source, what | as printed | ours | because |
|---|---|---|---|
M
    rows differs
}

# ---- the simulator ----

simulator() {
    cat <<'M'

## The cache simulation beside a plain one

Five generated matrices in CRS, SELL-8-32 and SELLU-4-1 with one to three threads, warm and cold, through lists in the order of use (`tests/plain_cache.c`): every array's lines,
read and written, at every level of caches with full and set associativity, shared, victim and inclusive ones.
M
    rows plain
    cat <<'M'

## Sampled beside exact reuse distances

α over cache size from a sample of x's lines, as `analyze` takes it for long matrices, for all cache sizes from a sixteenth of x on.

| matrix | lines | sizes | largest error of α | of traffic | outside the interval |
|---|---|---|---|---|---|
M
    rows sampled gen:laplace3d:110+permuted:7 gen:random:1000000:8 gen:powerlaw:19:8 gen:hpcg:80
}

# ---- a GPU's levels ----

gpu_prototype() {
    cat <<'M'

## The model of a GPU's levels beside a prototype

Bytes a nonzero on an H200, fp64: `spmodel model gen:hpcg:96 --machine h200 --format sell:32,1 --format crs`. The prototype was a program of its own, not a GPU. All hold: within
2 % of its range where warps share sectors, else 0.1 %.

| kernel, what | prototype | model |
|---|---|---|
M
    command='model gen:hpcg:96 --machine h200 --format sell:32,1 --format crs'
    # shellcheck disable=SC2086 # words
    "$spmodel" $command --json >"$dir/json"
    awk '{ gsub(/\{"machine"/, "\n&"); print }' "$dir/json" >"$dir/rows"
    nnz=$(sed -n 's/.*"nnz":\([0-9]*\).*/\1/p' "$dir/json" | head -1)
    gpu_row() { # gpu_row KERNEL WHAT LO HI TOLERANCE MAP FIELD...: the sum of fields an entry
        kernel=$1 what=$2 lo=$3 hi=$4 tolerance=$5 map=$6 sum=0
        shift 6
        for name in "$@"; do
            field=$(grep "\"map\":\"$map\"" "$dir/rows" | head -1 | value_of "$name")
            [ -n "$field" ] || { echo "validate.sh: spmodel $command prints no $name" >&2; exit 7; }
            sum="$sum + $field"
        done
        awk -v k="$kernel" -v w="$what" -v lo="$lo" -v hi="$hi" -v t="$tolerance" "BEGIN {
            model = ($sum) / $nnz; holds = model >= lo * (1 - t) && model <= hi * (1 + t)
            printf \"| %s, %s | %s | %.1f%s |\n\", k, w, lo == hi ? lo : lo \" to \" hi, model, holds ? \"\" : \" **does not hold**\"
            exit !holds }" || worst=1
    }
    gpu_row 'SELL-32-1' 'L1 sectors, loads and stores' 21.8 21.8 0.02 chunk L1_load L1_store
    gpu_row 'SELL-32-1' 'L2, loads' 13.8 14.4 0.02 chunk L2_load
    gpu_row 'SELL-32-1' 'memory, loads' 12.5 12.7 0.02 chunk memory_load
    gpu_row 'CRS, a thread a row' 'L1 sectors, loads and stores' 73.5 73.5 0.001 thread L1_load L1_store
    cat <<'M'

## GPUs beside published times and bytes

SpMV of an A100 and a V100 from sizes alone: median error of the withheld half 8.4 and 9.9 % beyond 100 µs, 7.7 and 8.1 % below; DRAM bytes of an A30 and an RTX 3090 within the
model's bounds ([each](results/2026-11-25-gpu-times.md), made by `bench/gpu_times.py`).
M
}

# ---- what nobody has counted yet ----

machines() {
    cat <<'M'

## Machines: validated against counters, overlap of transfers

*Validated*: simulated traffic was compared with counters of that kind of machine. *Overlap* of transfers in the [ECM model](theory.md): 0 not at all, 1 wholly;
`spmodel machine show NAME` says why it is not known.

| | machines |
|---|---|
M
    n=0 n_validated=0
    : >"$dir/validated"
    : >"$dir/known"
    : >"$dir/not"
    : >"$dir/gpus"
    add() { # add WHERE TEXT
        [ ! -s "$dir/$1" ] || printf '; ' >>"$dir/$1"
        printf '%s' "$2" >>"$dir/$1"
    }
    for file in "$source"/machines/*.json; do
        text=$(tr -d '\n' <"$file")
        field() { printf '%s\n' "$text" | sed -n "s/^[^[]*\"$1\": *\"\([^\"]*\)\".*/\1/p"; }
        name=$(field name)
        case $text in *'"validated": true'*) add validated "$name" && n_validated=$((n_validated + 1)) ;; esac
        n=$((n + 1))
        [ "$(field kind)" != gpu ] || { add gpus "$name"; continue; }
        rule=$("$spmodel" machine show "$file" | sed -n 's/^ECM  *overlap \([^:]*\).*/\1/p')
        case ${rule:-not known} in 'not known'*) add not "$name" ;; *) add known "$name $rule" ;; esac
    done
    for row in 'validated:validated' 'overlap:known' 'overlap not known:not' 'GPUs:gpus'; do
        printf '| %s | %s |\n' "${row%:*}" "$(cat "$dir/${row#*:}")"
    done
    printf '\n<!-- run: exit 0 4 -->\n**%d of %d validated**, against counters that others published (below).\n' $n_validated $n
    cat <<'M'
[Counters](counters.md) and [GPUs](gpu.md) say what has never run live. With counters, `spmodel analyze gen:hpcg:128 --bytes perf -v` compares.
M
}

newest() { # newest PATTERN: path of the newest results
    for file in "$source"/docs/results/*-"$1".md; do last=$file; done
    echo "$last"
}
advice() {
    scored=$(newest advice-scored) twins=$(newest twins)
    cat <<'M'

## Hints and twins

M
    cat <<M
Each hint was tried and measured ([every rule](results/$(basename "$scored")), made by \`bench/hints.sh\`). *Covered*: the predicted interval met the observed one. *Refuted*: no gain
where one was promised. Errors are medians of |middle of the prediction − observed gain| in points; the last column: promising nothing.

| run | tried | covered | refuted | of high confidence | error | of "gain = 0" |
|---|---|---|---|---|---|---|
M
    awk -F' *[|] *' '/^## / { heading = substr($0, 4) }
        /^\| rule \|/ { for (i = 1; i <= NF; i++) at[$i] = i }
        /^\| \*\*all\*\* \|/ {
            gsub(/\*/, "")
            printf "| %s | %s | %s | %s | %s | %s | %s |\n", heading, $at["tried"], $at["covered"], $at["refuted"], $at["of high confidence"],
                $at["median error"], $at["of \"gain = 0\""]
        }' "$scored"
    cat <<M

Twins beside their originals ([each](results/$(basename "$twins")), made by \`bench_twins\`; simulated and modelled). Ratios within 15 %: of β in SELL, of α in a
cache of 1/16 to all of x, of modelled Gflop/s, of all.

M
    awk '/^## / { heading = substr($0, 4) }
        /^\| matrix \|/ && !n++ { sub("matrix", "matrices"); print $0 " all |"; gsub(/[^|]+/, "---"); print $0 "---|" }
        /^Within 15 %: / {
            printf "| %s |", heading
            for (i = 4; $i ~ /^[0-9]+\/[0-9]+\.?$/; i++) { sub(/\.$/, "", $i); printf " %s |", $i }
            all = $0
            sub(/.*15 %: /, "", all)
            sub(/\.$/, "", all)
            print " " all " |"
        }' "$twins"
}

# ---- what was run here ----

header() {
    cat <<M
# Validation

What was checked against what, made by one script that runs anywhere:

<!-- run: not: takes minutes -->

    bench/validate.sh build/spmodel > docs/validation.md

Up to "Against counters" nothing depends on machine or day (test \`cli_validation\`). The rest was measured on $(date -u +%Y-%m-%d) on
$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) processors$(grep -q '^flags.* hypervisor' /proc/cpuinfo && echo ' of a virtual machine') with $(uname -sr | cut -d. -f1,2), load average $(cut -d' ' -f1 /proc/loadavg), by $("$spmodel" --version | head -1),
compiled by $("$spmodel" --version | sed -n 's/^.*\(GNU [0-9.]*\|Clang [0-9.]*\).*/\1/p' | head -1), with $(valgrind --version 2>/dev/null || echo no valgrind).
M
}
against_counters() {
    if [ -z "${SPMODEL_COUNTERS:-}" ]; then
        printf '\n'
        awk '/^## / { on = $0 == "## Against counters" } /^<!-- the same/ { on = 0 } on' "$source/docs/validation.md" | sed '$d'
        return
    fi
    quoted=$source/tests/data/a64fx-counters.csv
    "$spmodel" validate "$quoted" --map a64fx-papi --only partition=0 -j 2 --keep "$dir/kept" --csv >"$dir/compared"
    "$spmodel" validate "$SPMODEL_COUNTERS" --map a64fx-papi --only partition=0 --only partition_L1=0 --keep "$dir/kept" --json >"$dir/all.json"
    bound() { sed -n "/\"bounds\"/,/}/s/.*\"$1\": \([0-9.]*\).*/\1/p" "$dir/all.json"; }
    cat <<M

## Against counters

MB read from memory in one warm product (CRS, 64-bit row pointers, equal rows per thread) by 1 and 48 threads of an A64FX, counted with PAPI (S. Breiter, J. D. Trotter,
K. Fürlinger, "Modelling data locality of SpMV on the A64FX", SC-W 2023; raw output: breiters/spmvrd-results), beside the simulation; matrices that generators rebuild.
*Authors*: their own model. Of \`tests/data/a64fx-counters.csv\`; the test \`cli_validate\` holds them:

| matrix | 1 thread | error, % | authors | 48 threads | error, % | authors |
|---|---|---|---|---|---|---|
M
    awk -F, 'FILENAME ~ /counters/ {
            if (/^#/) next
            if (!("l2miss" in at)) { for (i = 1; i <= NF; i++) at[$i] = i; next }
            lines = ($at["L2D_CACHE_REFILL"] - $at["L2D_SWAP_DM"] - $at["L2D_CACHE_MIBMCH_PRF"]) / $at["repetitions"]
            if ($at["sector_l2ways"] == 0 && $at["l2miss"] != "") theirs[$at["matrix"], $at["threads"]] = sprintf("%+.1f", 100 * ($at["l2miss"] / lines - 1))
            next }
        FNR == 1 { for (i = 1; i <= NF; i++) of[$i] = i; next }
        { k = $of["matrix"] SUBSEP $of["threads"] + 0; if (!seen[$of["matrix"]]++) name[++n] = $of["matrix"]
            e = $of["read_B_error"]; row[k] = sprintf("%.2f | %+.1f | %s", $of["read_B_counted"] / 1e6, 100 * e, k in theirs ? theirs[k] : "–")
            if ($of["near"] == "true") next
            e = e < 0 ? -e : e; sum += e; m++; if (e > most) most = e }
        END { for (i = 1; i <= n; i++) printf "| %s | %s | %s |\n", name[i], row[name[i], 1], row[name[i], 48]
            printf "\nWhere data are twice the caches or more: %.2f %% off in the mean, %.1f %% at most, always below.", 100 * sum / m, 100 * most }' \
        "$quoted" "$dir/compared"
    cat <<M
 mycielskian13 fits the L2s of 48 threads; what it
reads all the same is lost by sets that overflow (\`model/cache/capacity.h\`).

Of sizes alone (every array once, less what the caches in use can keep) $(bound holds) of $(bound n) counts ($(bound matrices) matrices) are at least the bound.
With 2, 3, 5, 10 of 16 ways kept for the matrix the first six by 48 threads are 12.6, 6.4, 3.5, 1.3 % off in the mean, with 12 to 14 ways more; of the five that are beyond the caches
13.5 and 6.7 % with 2 and 3 ways, the authors 15.1 and 10.2 ([each](results/2026-11-26-counters.md), and how these counts shaped the model of overflow). Times of the withheld half of
483 matrices by 48 threads are 31 % off in the median.
M
}
cachegrind() {
    cat <<'M'

## The cache simulation beside cachegrind

Last-level misses of a cold and a warm CRS product, in about a quarter of the footprint; cachegrind watches `tests/cachegrind_spmv.c`. The test `cachegrind` takes twelve
public matrices (asked: 1 %, found: 0.03 %).
M
    if ! command -v valgrind >/dev/null 2>&1; then
        echo 'Of generated ones nothing: valgrind is not installed here.'
        return
    fi
    if [ ! -x "$(dirname "$validation")/cachegrind_spmv" ]; then
        echo 'Of generated ones nothing: the program that is watched is not built (x86-64 and valgrind only).'
        return
    fi
    watched=$(cd "$(dirname "$validation")" && pwd)/cachegrind_spmv helper=$(cd "$(dirname "$validation")" && pwd)/validation
    (cd "$dir" && "$helper" cachegrind "$watched" gen:laplace3d:32 gen:laplace3d:32+permuted:7 gen:hpcg:24 gen:powerlaw:14:8 gen:random:40000:8 gen:arrow:100000) >"$dir/cachegrind" ||
        { [ $? -eq 1 ] || exit 7; worst=1; }
    awk '{ off = $(NF - 2) < 0 ? -$(NF - 2) : +$(NF - 2); if (off > most) most = off } END { printf "%d generated ones are at most %.3f %% off.\n", NR, most }' "$dir/cachegrind"
}
measured_row() { # measured_row MATRIX OPTIONS...
    matrix=$1 code=0
    shift
    "$spmodel" analyze -q --no-plots --no-hints --budget 1s --csv --out "$dir" "$@" "$matrix" >"$dir/csv" 2>"$dir/err" || code=$?
    if [ $code -ne 0 ] && [ $code -ne 5 ]; then # 5: something could not be decided; what was measured stands
        printf '| `%s` | %s | exit %d | | | | |\n' "$matrix" "$*" $code
        cat "$dir/err" >&2
        worst=1
        return
    fi
    sed 's/"\([^",]*\),\([^",]*\)"/\1;\2/g' "$dir/csv" | awk -F, -v m="$matrix" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR == 2 {
            t = 1e3 * $at["time_s"]
            format = $at["format_option"]
            sub(/;/, ",", format)
            printf "| `%s` | %s | %.1f | %.1f | %.2f | %.0f | %.0f |\n", m, format ($at["rhs"] > 1 ? ", r = " $at["rhs"] : ""),
                $at["bytes_min_B"] / 1e6, $at["bytes_B"] / 1e6, t, 100 * $at["bandwidth_fraction"], 100 * $at["model_fraction"]
        }'
}
model_beside_measurement() {
    cat <<'M'

## The model beside measurements

`spmodel analyze --budget 1s --no-hints` here. *Roof*: simulated bytes at the load-only bandwidth measured in turn; more than 100 would refute the bound (102 may be noise).
*Model*: what the roofline allows over the measured time.

M
    printf '| matrix | format | MB, x once | simulated | ms | %% of roof | %% of model |\n'
    printf '|---|---|---|---|---|---|---|\n'
    for matrix in gen:laplace3d:150 gen:hpcg:96; do
        measured_row $matrix --format crs
        measured_row $matrix --format sellu:8,1
    done
    for matrix in gen:laplace3d:130+permuted:7 gen:random:1000000:8 gen:powerlaw:19:8; do
        measured_row $matrix --format crs
        measured_row $matrix --format sell:8,256
    done
    measured_row gen:hpcg:64 --format crs --rhs 8
}

if [ $measure = yes ]; then
    header
    printf '\n<!-- the same everywhere: begin -->\n\n'
fi
sed -n '1,/^<!-- the same everywhere: begin/p' "$page"
[ "$page" = /dev/null ] || echo
published
simulator
gpu_prototype
machines
advice
if [ $measure = yes ]; then
    printf '\n<!-- the same everywhere: end -->\n'
    against_counters
    cachegrind
    model_beside_measurement
fi
[ "$page" = /dev/null ] || echo
sed -n '/^<!-- the same everywhere: end/,$p' "$page"
exit $worst
