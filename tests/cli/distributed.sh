#!/bin/sh
# SpMV over the ranks of an MPI job, the program's own and PETSc's: what the halo predicts, what was counted, and what follows
# from sets of columns in Python are the same bytes for each pair of ranks.
# Usage: distributed.sh SPMODEL MPIEXEC TESTS PMPI_LIBRARY SHARED PETSC_MATMULT|none [full]
set -u
spmodel=$1 mpiexec=$2 tests=$3 pmpi=$4 shared=$5 petsc=$6 full=${7:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "distributed: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
export XDG_CACHE_HOME="$dir/cache" SPMODEL_ASSUME=clean
"$mpiexec" -n 2 true >"$dir/out" 2>"$dir/err" || { echo "SKIPPED: no processes can be started with $mpiexec here"; cat "$dir/err"; exit 77; }

product() { # product CODE RANKS ARGUMENTS...: exits with CODE?
    want=$1 n=$2
    shift 2
    rm -f "$dir"/*.[0-9]*T[0-9]*Z*
    case " $* " in *" --try-hints "*) ;; *) set -- --no-hints "$@" ;; esac
    (cd "$dir" && "$mpiexec" -n "$n" "$spmodel" analyze --mpi --samples 1 "$@") >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = "$want" ] || fail "$n ranks with $* exit with $code, not $want"
}
own() { # own "MATRICES" RANKS PARTITION ARGUMENTS...
    names=$1 n=$2 partition=$3
    shift 3
    # shellcheck disable=SC2046 # files
    product 0 "$n" --partition "$partition" "$@" $(for m in $names; do echo "$dir/$m.mtx"; done)
    for m in $names; do
        cases=$((cases + 1))
        mv "$dir/$m".[0-9]*T[0-9]*Z.json "$dir/$cases.json" || fail "no record of $m on $n ranks"
        echo "$dir/$m.mtx $n $partition ranks $dir/$cases.json" >>"$dir/cases"
    done
}
theirs() { # theirs RANKS MATRIX PARTITION [MATRIX PARTITION]...: three products of PETSc, which has each rank's rows one after the other
    [ "$petsc" != none ] || { echo "SKIPPED PETSc on $1 ranks: not in this build (Debian: libpetsc-real-dev)"; return 0; }
    n=$1 files='' phase=0
    shift
    cases=$((cases + 1))
    while [ $# -gt 0 ]; do
        rows='' partition=$2 name=$1
        if [ "$partition" != rows ]; then
            name=$1-$n-$(basename "$partition") partition=$dir/$name.rank
            "$spmodel" reorder "$dir/$1.mtx" "$dir/$name.mtx" --ranks "$n" --partition "$2" --parts "$partition" >"$dir/out" 2>"$dir/err" ||
                fail "$1 cannot be had in the order of $n ranks"
            rows=:$(awk -v n="$n" '{ rows[$1]++ } END { for (i = 0; i < n; i++) printf "%d,", rows[i] }' "$partition")
        fi
        [ -f "$dir/$name.petsc" ] || "$spmodel" convert "$dir/$name.mtx" "$dir/$name.petsc" >/dev/null || fail "$1 cannot be converted"
        files="$files $dir/$name.petsc$rows" phase=$((phase + 2))
        echo "$dir/$name.mtx $n $partition messages $dir/$cases.json 3 $phase" >>"$dir/cases"
        shift 2
    done
    # shellcheck disable=SC2086 # files
    SPMODEL_MESSAGES="$dir/$cases.json" LD_PRELOAD="$pmpi" "$mpiexec" -n "$n" "$petsc" 3 $files >"$dir/out" 2>"$dir/err" ||
        fail "PETSc fails on$files"
}
by_hand() { # each of these cases, as it is by hand
    python3 "$tests/mpi/halo_by_hand.py" "$dir/cases" || fail "the bytes are not those by hand"
    : >"$dir/cases"
}
cases=0
matrix() { # matrix NAME SOURCE
    "$spmodel" convert "$2" "$dir/$1.mtx" --general >"$dir/out" 2>"$dir/err" || fail "$2 cannot be had"
}
partition_file() { # partition_file MATRIX RANKS: scattered over the ranks
    awk -v n="$2" '!/^%/ { for (i = 0; i < $1; i++) print int(i * 7 / 3) % n; exit }' "$dir/$1.mtx" >"$dir/$1.$2.parts"
}

if [ "$full" = full ]; then
    matrix laplace gen:laplace3d:18
    matrix random gen:random:2500:9
    matrix band gen:laplace2d:60
    all="laplace random band"
    for real in west0479 memplus; do
        if [ -f "$shared/$real.mtx" ]; then
            matrix $real "$shared/$real.mtx"
            all="$all $real"
        else
            echo "SKIPPED: no $shared/$real.mtx"
        fi
    done
    for n in 2 3 4 8; do
        own "$all" $n rows
        own "$all" $n nnz --each-reads
        set -- $n
        for m in $all; do
            partition_file $m $n
            own $m $n "$dir/$m.$n.parts"
            set -- "$@" $m rows $m nnz $m "$dir/$m.$n.parts"
        done
        theirs "$@"
    done
    by_hand
    exit 0
fi

matrix small gen:laplace2d:12
own small 3 nnz
grep -q "counted the same" "$dir/out" || fail "the report does not compare"
theirs 3 small rows small nnz

# More ranks than rows, rows without entries, a rectangular matrix, one rank.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n1 2 -1\n2 1 1\n' >"$dir/tiny.mtx"
own tiny 4 rows
printf '%%%%MatrixMarket matrix coordinate real general\n5 9 4\n1 9 2\n2 1 -1\n2 7 1\n5 5 3\n' >"$dir/wide.mtx"
own wide 3 rows --each-reads
by_hand

# What is possible is the roof or the execution, whichever takes longer; the caches that hold the blocks are named.
product 0 2 --partition rows "$dir/small.mtx"
python3 - "$dir"/small.[0-9]*T[0-9]*Z.json <<'P' || fail "what is possible"
import json, sys
r = json.load(open(sys.argv[1]))
part = {p["part"]: p["time"]["value"] for p in r["ranks"]["parts"]}
m = r["metrics"]
assert part["execution"] > 0 and m["p_core"]["value"] > 0, part
most = m["flops"]["value"] / max(m["bytes_min"]["value"] / r["roofs"][0]["value"], m["flops"]["value"] / m["p_core"]["value"])
possible = r["verdict"]["possible"]["performance"]["value"]
assert abs(possible / most - 1) < 1e-6, (possible, most)
assert abs(m["balance"]["value"] - m["bytes"]["value"] / m["flops"]["value"]) < 1e-9, m["balance"]
assert r["machine"]["cpu"] == r["env"]["identity"]["cpu"] and r["machine"]["name"], r["machine"]
assert r["binding"]["level"] in ("L1", "L2") and r["roofs"][0]["level"] == r["binding"]["level"], r["binding"]
P

# A network file that the JSON would replace is refused before anything is measured.
(cd "$dir" && "$mpiexec" -n 2 "$spmodel" machine measure --network net.json --json=./net.json) >"$dir/out" 2>"$dir/err"
[ $? = 2 ] && grep -q "two results would replace each other" "$dir/err" && ! grep -q "inside a node" "$dir/out" && [ ! -e "$dir/net.json" ] ||
    fail "two results in one file: not refused at once"
if [ -n "$full" ]; then
    (cd "$dir" && "$mpiexec" -n 2 "$spmodel" machine measure --network net.json --json=same.json) >"$dir/out" 2>"$dir/err" && cmp -s "$dir/net.json" "$dir/same.json" &&
        "$spmodel" model gen:laplace2d:40 --ranks 2 --machine icx-8360y --network "$dir/net.json" >"$dir/out" 2>"$dir/err" || fail "the network measured here cannot be used"
fi

# The program starts mpirun itself; a number of ranks that the job has not is refused.
rm -f "$dir"/*.[0-9]*T[0-9]*Z*
mkdir "$dir/bin" && printf '#!/bin/sh\nexec "%s" "$@"\n' "$mpiexec" >"$dir/bin/mpirun" && chmod +x "$dir/bin/mpirun"
(cd "$dir" && PATH="$dir/bin:$PATH" "$spmodel" analyze --mpi --ranks 3 --samples 1 --no-hints --no-plots small.mtx) >"$dir/out" 2>"$dir/err" || fail "--ranks 3"
grep -q '"ranks": 3' "$dir"/small.[0-9]*T[0-9]*Z.json || fail "--ranks 3 has not started three"
product 2 2 --ranks 3 "$dir/small.mtx"
(cd "$dir" && PATH=/nowhere "$spmodel" analyze --mpi --ranks 3 small.mtx) >"$dir/out" 2>"$dir/err"
[ $? = 4 ] && grep -q "mpirun cannot be started" "$dir/err" || fail "without mpirun: not exit code 4 with the reason"

# The partition hint, predicted, and tried beside the run: rows that hang together by METIS or Scotch.
if "$spmodel" --version | grep -qi "^ *\(metis\|scotch\): /"; then
    "$spmodel" convert gen:laplace2d:40+permuted:3 "$dir/shuffled.mtx" --general >"$dir/out" 2>"$dir/err" || fail "no shuffled matrix"
    product 0 2 --try-hints --no-plots "$dir/shuffled.mtx" "$dir/small.mtx"
    python3 - "$dir"/shuffled.[0-9]*T[0-9]*Z.json "$dir"/small.[0-9]*T[0-9]*Z.json <<'P' || fail "the partition hint"
import json, sys
first, second = (json.load(open(f)) for f in sys.argv[1:])
hint = first["hints"][0]
assert hint["id"] == "K01" and hint["gain"]["basis"] == "modelled" and 0 <= hint["gain"]["lo"] <= hint["gain"]["hi"] < 1, hint
assert hint["try"].startswith("mpirun -n 2 spmodel analyze ") and hint["change"] in ("--partition metis", "--partition scotch"), hint
assert hint["observed"]["origin"] == "measured" and hint["outcome"] != "not tried" and hint["conditions"] > 0, hint
assert first["ranks"]["counted_as_predicted"] and second["ranks"]["counted_as_predicted"]
P
else
    echo "SKIPPED the partition hint: neither METIS nor Scotch in this build"
fi

# A named machine that has fewer cores than ranks has no prediction; the run itself stands.
(cd "$dir" && "$mpiexec" -n 3 "$spmodel" analyze --mpi --samples 1 --no-plots --machine zen4-vm-2c small.mtx) >"$dir/out" 2>"$dir/err" || fail "3 ranks with a machine of 2 cores"

# One error each, with its code.
errors() { grep -c "error:" "$dir/err"; }
# What is wrong before MPI begins one rank says, where its end is the job's; MPICH's launcher lets the other speak, too.
once() { [ "$1" = 1 ] || { [ "$1" = 2 ] && ! "$mpiexec" --version | grep -qE "Open ?MPI|OpenRTE|PRRTE"; }; }
product 3 3 "$dir/none.mtx"
[ "$(errors)" = 1 ] || fail "not one error, but $(errors)"
product 3 2 --partition columns "$dir/small.mtx"
grep -q "take rows, nnz, .*or a file with the part of each row" "$dir/err" || fail "the partitions that there are"
product 2 2 --no-such-thing "$dir/small.mtx"
once "$(grep -c -- --no-such-thing "$dir/err")" || fail "each rank says that an option is none"
product 2 2 --format sell "$dir/small.mtx"
[ "$(errors)" = 1 ] || fail "not one error, but $(errors)"
# What it has not got is refused, not ignored.
for option in "--bytes sim" --cold "--index i64" "--schedule rows" "--rhs 4" "--order column" "--kernel ./none.so"; do
    # shellcheck disable=SC2086 # an option and its value
    product 2 2 $option "$dir/small.mtx"
    [ "$(errors)" = 1 ] || fail "$option with --mpi is not one error, but $(errors)"
done
# Ranks that are not asked for the same: only threads may differ.
pair() { # pair CODE WORDS "ARGUMENTS OF RANK 0" "ARGUMENTS OF RANK 1"
    rm -f "$dir"/*.[0-9]*T[0-9]*Z*
    common="$spmodel analyze --mpi --no-hints --no-plots --patience 60s"
    # shellcheck disable=SC2086 # words
    (cd "$dir" && "$mpiexec" -n 1 $common --samples 2 $3 : -n 1 $common --samples 2 $4) >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = "$1" ] || fail "'$3' beside '$4' exit with $code, not $1"
    [ "$1" = 0 ] || [ "$(errors)" = 1 ] || fail "'$3' beside '$4': not one error, but $(errors)"
    grep -q -e "$2" "$dir/out" "$dir/err" || fail "'$3' beside '$4' do not say '$2'"
}
pair 0 "counted the same" "small.mtx" "small.mtx -t 2"
pair 0 "counted the same" "small.mtx" "none.mtx" # the first reads
for option in --each-reads "--partition nnz" "--budget 9ms" "--seed 2"; do
    pair 2 "the ranks are asked for different things: ${option%% *}" "small.mtx" "small.mtx $option"
done
pair 2 "other numbers of matrices" "small.mtx" "small.mtx tiny.mtx"
(cd "$dir" && "$mpiexec" -n 2 "$spmodel" analyze --no-hints --no-plots --samples 1 --budget 1ms --machine ivb-e5-2660v2 --out apart small.mtx) >"$dir/out" 2>"$dir/err"
[ "$(grep -c "2 ranks make the same analysis, each by itself" "$dir/err")" = 1 ] || fail "ranks without --mpi are not told so, once"
pair 2 "has no meaning with --mpi" "small.mtx" "small.mtx --cold"
pair 3 "none.mtx: cannot open" "small.mtx --each-reads" "none.mtx --each-reads"
pair 3 "the ranks have read different matrices" "small.mtx --each-reads" "tiny.mtx --each-reads"
# Partition files that are not for this matrix, or this job.
awk 'BEGIN { for (i = 0; i < 144; i++) print i < 140 ? 0 : 2 }' >"$dir/uneven"
own small 3 "$dir/uneven"
by_hand
product 2 2 --partition "$dir/uneven" "$dir/small.mtx"
grep -q "has 3 parts, there are 2 ranks" "$dir/err" || fail "more parts than ranks"
product 3 2 --partition "$dir/uneven" "$dir/tiny.mtx"
# Without MPI, as where its module cannot be opened: exit code 4, and what to do.
mkdir "$dir/broken" && : >"$dir/broken/libspmodel-mpi.so"
for launcher in "" "$mpiexec -n 2"; do
    # shellcheck disable=SC2086 # words
    LD_LIBRARY_PATH="$dir/broken" $launcher "$spmodel" analyze --mpi "$dir/small.mtx" >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = 4 ] && once "$(errors)" && grep -q "remedy: install MPI" "$dir/err" || fail "without MPI: exit code $code"
done
# Ranks that another MPI's launcher has started, each a job of its own.
OMPI_COMM_WORLD_SIZE=2 "$spmodel" analyze --mpi "$dir/small.mtx" >"$dir/out" 2>"$dir/err"
[ $? = 4 ] && grep -q "2 ranks were started by the launcher of another MPI" "$dir/err" || fail "a launcher of another MPI"
# The record is one of the usual kind: page, report, CSV, gates, plots and store take it.
product 0 2 --html=page.html --csv=rows.csv --no-plots "$dir/small.mtx"
record=$(ls "$dir"/small.[0-9]*T[0-9]*Z.json)
grep -q 'id="r1-ranks">Ranks' "$dir/page.html" || fail "no ranks in the page"
[ "$(wc -l <"$dir/rows.csv")" = 2 ] || fail "no row of CSV"
"$spmodel" plot --report "$record" >"$dir/out" 2>"$dir/err" || fail "no report of the record"
grep -q "^RANKS      2 ranks of . thread" "$dir/out" || fail "no ranks in the report"
grep -q "SpMV CRS f64, 2 ranks x" "$dir/out" || fail "the first line does not say so"
"$spmodel" plot --list "$record" >"$dir/out" 2>"$dir/err"
for kind in halo ranks roofline; do
    grep -A 1 "^$kind " "$dir/out" | grep -q "it lacks" && fail "$kind cannot be drawn"
done
"$spmodel" track add --store "$dir/store" "$record" >"$dir/out" 2>"$dir/err" || fail "the store does not take it"
product 0 2 --fail-below model:0.000001 "$dir/small.mtx"
"$spmodel" analyze --partition rows "$dir/small.mtx" >"$dir/out" 2>"$dir/err"
[ $? = 2 ] || fail "--partition without --mpi"

command -v ps >/dev/null && command -v timeout >/dev/null || { echo "SKIPPED the end of ranks: no ps or timeout"; exit 0; }
# A rank that dies ends the job; so does one that hangs, when the others have waited long enough.
ranks_of() { # ranks_of PROCESS: those that a launcher, or its helper, has started
    for child in $(ps -o pid= --ppid "$1"); do
        [ "$(ps -o comm= -p "$child")" != spmodel ] || echo "$child"
        ranks_of "$child"
    done
}
end_one() { # end_one SIGNAL ARGUMENTS...: a moment after the job's start, sent to one of its ranks
    signal=$1
    shift
    (cd "$dir" && exec timeout -k 5 60 "$mpiexec" -n 3 "$spmodel" analyze --mpi --budget 60s --patience 5s "$dir/small.mtx") >"$dir/out" 2>"$dir/err" &
    job=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.2
        [ "$(ranks_of $job | wc -l)" -lt 3 ] || break
    done
    sleep 0.3
    kill -"$signal" "$(ranks_of $job | sed -n 2p)" || fail "no rank to send SIG$signal to"
    wait $job
    code=$?
    [ $code != 0 ] && [ $code != 124 ] || fail "a rank got SIG$signal, and all is well"
    [ -z "$(ls "$dir"/small.[0-9]*.json 2>/dev/null)" ] || fail "a record of a job that did not end well"
}
rm -f "$dir"/*.[0-9]*T[0-9]*Z*
end_one KILL
end_one SEGV
end_one STOP
[ "$(errors)" = 1 ] || fail "a rank hangs: not one error, but $(errors)"
grep -q "has waited 5 s for other ranks" "$dir/err" || fail "the error does not say who waited"
echo "distributed: ok"
