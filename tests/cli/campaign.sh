#!/bin/sh
# `spmodel campaign`: every job once, also with two processes, a kill in the middle, a changed file; failures;
# nodes that stand out, on records whose times vary_record wrote. No verdict hangs on a time of this machine.
# Usage: campaign.sh SPMODEL VARY_RECORD CHECK_SCHEMA SCHEMA
set -eu
spmodel=$1 vary_record=$2 check_schema=$3 schema=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" SPMODEL_STORE="$dir/store"
unset SPMODEL_FAULT || true
cd "$dir"
fail() {
    echo "campaign.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...: exit code, and the text on standard output or error
    wanted=$1 text=$2
    shift 2
    code=0
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || code=$?
    cat "$dir/err" >>"$dir/out"
    [ $code -eq "$wanted" ] || { cat "$dir/out"; fail "$* exited with $code, not $wanted"; }
    grep -q -- "$text" "$dir/out" || { cat "$dir/out"; fail "$*: no '$text'"; }
}
records() {
    find "$SPMODEL_STORE/records" -name '*.json' | wc -l
}
options="--budget 5ms --samples 3 --threads 1 --no-hints --bytes sim --machine zen4-vm-2c" # ceilings that need not be measured
mkdir files
"$spmodel" generate laplace2d:30 -q -o files/a.mtx >/dev/null
cat >files/small.txt <<END
# every matrix with every run
matrix gen:laplace2d:40 *.mtx
run crs: $options
run sell: $options --format sell:8,1
END

# Mistakes are named before anything is run.
expect 3 "no store of records" campaign files/small.txt --status
printf 'matrix gen:laplace2d:5\nrun a: --nonsense 3\n' >bad.txt
expect 3 "bad.txt:2.*nonsense" campaign bad.txt
printf 'matrix gen:laplace2d:5\n\nrun a: gen:laplace2d:6\n' >bad.txt
expect 3 "bad.txt:3.*names a matrix among its options" campaign bad.txt
printf 'matrix absent.mtx\n' >bad.txt
expect 3 "bad.txt:1" campaign bad.txt
printf 'matrix gen:laplace2d:5\nrun a: --js=x\n' >bad.txt
expect 3 "bad.txt:2.*takes no --json" campaign bad.txt
printf 'matrix gen:laplace2d:5\nrun a: --fail-below bandwidth:0.8\n' >bad.txt
expect 3 "bad.txt:2.*takes no --fail-below" campaign bad.txt
[ ! -e store ] || fail "a store though nothing could be run"
expect 2 "one file, please" campaign files/small.txt other.txt
expect 2 "takes a whole number" campaign files/small.txt --jobs 0
expect 2 "--out names the folder" campaign files/small.txt --out t.svg
expect 2 "at least 30 s" campaign files/small.txt --stale 1s

# A time that is over at once starts the first job at most; the same command goes on. --budget is measuring time.
expect 5 "the time of --stop-after is over" campaign files/small.txt --stop-after 1ms --no-plots
[ "$(records)" -le 1 ] || fail "the time was not kept"
expect 2 "measuring time and stands in its 'run' line; --stop-after 30m" campaign files/small.txt --budget 30m
expect 5 "waiting" campaign files/small.txt --status
expect 0 "saved  ./small" campaign files/small.txt
[ "$(records)" -eq 4 ] || fail "$(records) records of 4 jobs"
grep -q "gen:laplace2d:40 *sell .* [0-9.]* [mu]s  *[0-9.]* " out || { cat out; fail "no table"; }
[ "$(grep '^gen:' out | awk 'length($0) > 80')" = "" ] || { cat out; fail "the table is wider than 80 columns"; }
grep -q "time measured; .*alpha simulated" out || { cat out; fail "the numbers do not say whose they are"; }
"$check_schema" "$schema" store/records/*/*.json >check || { cat check; fail "schema"; }
expect 0 "4 jobs: 4 done, 0 claimed, 0 failed, 0 waiting" campaign files/small.txt --status
find store/records -type f -exec cksum {} + | sort >before
expect 0 "Gflop/s" campaign files/small.txt --no-plots
expect 0 "^matrix,run,n_nz,time,time_origin" campaign files/small.txt --summary --no-plots --csv
[ "$(wc -l <out)" -eq 5 ] || { cat out; fail "not a line for each job"; }
expect 0 '"performance":{"value":' campaign files/small.txt --summary --no-plots --json
find store/records -type f -exec cksum {} + | sort >after
cmp before after || fail "a second run changed records"

# A line more only adds its jobs; a failure is recorded, not tried again, and tried once when asked.
echo "matrix gen:laplace2d:0" >>files/small.txt
expect 2 "4 of 6 jobs done" campaign files/small.txt --no-plots
expect 2 "failed .*gen:laplace2d:0 · crs .*exit code 2: " campaign files/small.txt --status
expect 2 "2 jobs failed" campaign files/small.txt --no-plots
cp -r store other
sed -i 's/"exit_code": 2/"exit_code": 127/' other/campaign/failed/*.json
expect 7 "exit code 127" campaign files/small.txt --status --store other # none of ours: something broke
one=$(ls other/records/*/campaign-*.json | head -n 1)
echo '{"damaged' >"$one"
expect 7 "^3 of 6 jobs; 3 failed$" campaign files/small.txt --summary --no-plots --store other
grep -q "$(basename "$one")" out || { cat out; fail "a damaged record is not named"; }
[ "$(grep -c " [mu]s  " out)" -eq 3 ] || { cat out; fail "a damaged record costs other rows"; }
# A damaged record is a failure, measured again with --retry; the damaged file is kept beside the new one.
cp -r store damaged
rm damaged/campaign/failed/*.json
hurt=damaged/${one#other/}
head -c 200 "store/${one#other/}" >"$hurt"
expect 3 "^3 of 6 jobs; 1 failed, 2 waiting$" campaign files/small.txt --summary --no-plots --store damaged
expect 3 "failed .*its record cannot be read: .*$(basename "$one")" campaign files/small.txt --status --store damaged
grep -q "6 jobs: 3 done, 0 claimed, 1 failed, 2 waiting" out || { cat out; fail "a damaged record counts as done"; }
sed '$d' files/small.txt >files/first.txt
expect 3 "3 of 4 jobs" campaign files/first.txt --no-plots --store damaged
expect 0 "1 to do" campaign files/first.txt --no-plots --store damaged --retry
grep -q '"schema"' "$hurt" || fail "a damaged record was not made anew"
[ -f "$hurt.damaged" ] || fail "what was damaged is gone"
expect 0 "4 jobs: 4 done" campaign files/first.txt --status --store damaged
# So is damage where nothing but a summary looks: --status, --summary and --retry agree about it.
sed 's/"curves" *: *{/"curves": {7 7/' "store/${one#other/}" >"$hurt"
cmp -s "$hurt" "store/${one#other/}" && fail "the record has no curves to damage"
expect 3 "4 jobs: 3 done, 0 claimed, 1 failed, 0 waiting" campaign files/first.txt --status --store damaged
expect 3 "^3 of 4 jobs; 1 failed$" campaign files/first.txt --summary --no-plots --store damaged
rm "$hurt.damaged"
expect 0 "1 to do" campaign files/first.txt --no-plots --store damaged --retry
[ -f "$hurt.damaged" ] || fail "what was damaged is gone"
expect 0 "4 jobs: 4 done" campaign files/first.txt --status --store damaged
: >"$one"
expect 5 "waiting" campaign files/small.txt --status --store other --round never
expect 7 "6 jobs: 3 done, 0 claimed, 2 failed, 1 waiting" campaign files/small.txt --status --store other
expect 7 "4 of 6 jobs done\|4 of 6 done" campaign files/small.txt --no-plots --store other
grep -q '"schema"' "$one" || fail "an empty file is no record, and none came instead"
grep -q '"attempt": 1' store/campaign/failed/*.json || fail "a failure was tried again"
expect 2 "2 to do" campaign files/small.txt --no-plots --retry
[ "$(grep -l '"attempt": 2' store/campaign/failed/*.json | wc -l)" -eq 2 ] || fail "failures were not tried once more"
[ "$(records)" -eq 4 ] || fail "$(records) records of 4 jobs that are done"

# A job with several widths has a row for each.
printf 'matrix gen:laplace2d:40\nrun wide: %s --rhs 1,4\n' "$options" >wide.txt
expect 0 "wide r=4" campaign wide.txt --no-plots --store wide
expect 0 ",4$" campaign wide.txt --no-plots --store wide --summary --csv
[ "$(wc -l <out)" -eq 3 ] || { cat out; fail "not a row for each width"; }

# Killed in the middle, then two processes at once: every job once, and claims of the dead hold up nobody.
SPMODEL_STORE=$dir/shared
{
    for i in 31 32 33 34; do echo "matrix gen:laplace2d:$i"; done
    echo "run crs: $options"
    echo "run sell: $options --format sell:8,1"
} >many.txt
"$spmodel" campaign many.txt -q --no-plots >first 2>&1 &
first=$!
tries=0
while [ "$(find shared -path '*records*.json' 2>/dev/null | wc -l)" -lt 2 ] && [ $tries -lt 2000 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -9 $first 2>/dev/null || fail "it had ended before it could be killed: $(cat first)"
wait $first || true
mkdir dead
find shared/campaign/claims -type f ! -name '.*' ! -name 'machine-*' -exec cp {} dead \;
expect 5 "8 jobs: .* 0 claimed, 0 failed" campaign many.txt --status
find shared/records -type f -exec cksum {} + | sort >before
"$spmodel" campaign many.txt --no-plots >one 2>one.err &
one=$!
"$spmodel" campaign many.txt --no-plots >two 2>two.err &
two=$!
wait $one || { cat one one.err; fail "one of two processes"; }
wait $two || { cat two two.err; fail "the other of two processes"; }
[ "$(records)" -eq 8 ] || fail "$(records) records of 8 jobs"
cmp one two || fail "two processes sum up differently"
find shared/records -type f -exec cksum {} + | sort >after
[ "$(comm -23 before after | wc -l)" -eq 0 ] || fail "records from before the kill were changed"
done_here=$(cat one.err two.err | grep -c "done after")
[ "$done_here" -eq $((8 - $(wc -l <before))) ] || { cat one.err two.err; fail "jobs were run more than once"; }
left=$(find shared/campaign/claims -type f ! -name '.*')
[ -z "$left" ] || { head $left; fail "claims are left"; }
# Killed between the two, the record is there and the claim is left: the next one sweeps it.
if [ -n "$(ls dead)" ]; then
    cp dead/* shared/campaign/claims
    expect 0 "" campaign many.txt --no-plots
    left=$(find shared/campaign/claims -type f ! -name '.*')
    [ -z "$left" ] || { head $left; fail "claims of the dead are left"; }
else
    echo "campaign.sh: killed between two jobs, no claim of the dead to try"
fi


[ -z "$(ls shared/campaign/work)" ] || fail "work of a killed process is left"

# Stopped: it says so, and what is running is no failure.
SPMODEL_STORE=$dir/stopped
echo "matrix gen:laplace2d:400
run long: --budget 60s --samples 100000 --threads 1 --machine zen4-vm-2c" >long.txt
"$spmodel" campaign long.txt --no-plots >out 2>&1 &
long=$!
tries=0
while [ -z "$(find stopped/campaign/work -name stderr.txt 2>/dev/null)" ] && [ $tries -lt 2000 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
expect 5 "claimed .*by process $long on" campaign long.txt --status
expect 5 "0 of 1 jobs wait, 1 runs elsewhere" campaign long.txt --no-plots --stop-after 1ms # it waits for nobody beyond that
kill -0 $long || fail "the other one has ended by itself"
kill -TERM $long
code=0
wait $long || code=$?
[ $code -eq 143 ] || fail "a stopped campaign exited with $code"
expect 5 "1 job: 0 done, 0 claimed, 0 failed, 1 waiting" campaign long.txt --status
[ -z "$(ls stopped/campaign/work)" ] || fail "work of a stopped campaign is left"

# Nodes: the record of one, rewritten for others.
SPMODEL_STORE=$dir/nodes
printf 'matrix gen:laplace2d:40\nrun crs: %s\n' "$options" >screen.txt
expect 0 "Gflop/s" campaign screen.txt --no-plots --per-node
expect 5 "cannot tell with fewer than 4" campaign screen.txt --node-screen
one=$(ls nodes/records/*/*.json)
mv "$one" "$dir/one.json"
nodes() { # nodes FIRST COUNT CHANGES...: a record of each of COUNT nodes
    n=$1 last=$(($1 + $2))
    shift 2
    while [ "$n" -lt $last ]; do
        rm -rf varied
        mkdir varied
        "$vary_record" one.json varied "$n" 1 noise=0.002 host="node$n" "$@"
        expect 0 "1 record added" track add varied
        n=$((n + 1))
    done
}
nodes 1 3
expect 5 "3 nodes: it cannot tell with fewer than 4" campaign screen.txt --node-screen
nodes 4 5
expect 0 "time (measured): 8 nodes, median .* limit" campaign screen.txt --node-screen
nodes 9 1 time=1.3
expect 1 "slower  *node9  +[23][0-9]\.[0-9] %" campaign screen.txt --node-screen
nodes 10 1 roof=0.7
expect 1 "load-only roof .*10 nodes" campaign screen.txt --node-screen
grep -q "slower  *node10  -[23][0-9]\." out || { cat out; fail "a slow roof is not named"; }
[ "$(grep -c "slower" out)" -eq 2 ] || { cat out; fail "others are named too"; }
expect 1 '"verdict":"slower"' campaign screen.txt --node-screen --json
expect 1 'node9,time,10,.*,slower' campaign screen.txt --node-screen --csv
echo '{"damaged' >nodes/records/2099.json
expect 3 "slower  *node9" campaign screen.txt --node-screen
grep -q "1 file of the store is no usable record" out || { cat out; fail "damage is not told"; }
echo "campaign.sh: jobs once, kills, failures, nodes"
