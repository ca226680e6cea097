#!/bin/sh
# doctor on the machine that runs the test, whatever it has: text that fits, JSON that obeys its schema, exit codes.
# Usage: doctor.sh SPMODEL CHECK_SCHEMA SCHEMA
set -u
spmodel=$1 check_schema=$2 schema=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "doctor: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }

# A long home directory would make long lines. It promises two seconds, on a machine that has them.
export XDG_CACHE_HOME="$dir"
timeout 60 "$spmodel" doctor --color=never >"$dir/out" 2>"$dir/err" || fail "exits with $?"
for title in "SOURCES OF BYTES" PERMISSIONS "WHO MAY HOLD THE COUNTERS" GPU PROCESSOR MEMORY NOISE "AROUND IT" "WHAT STILL WORKS"; do
    grep -q "^$title\$" "$dir/out" || fail "no section $title"
done
grep -q "simulat" "$dir/out" || fail "does not say what still works"
long=$(awk 'length($0) > 100' "$dir/out")
[ -z "$long" ] || fail "longer than 100 columns: $long"
"$spmodel" doctor -q --color=never >"$dir/quiet" 2>"$dir/err" || fail "-q exits with $?"
grep -q '^  works' "$dir/quiet" && fail "-q prints what works"

timeout 60 "$spmodel" doctor --json >"$dir/out.json" 2>"$dir/err" || fail "--json exits with $?"
"$check_schema" "$schema" "$dir/out.json" || fail "--json breaks its schema"
"$spmodel" doctor "--json=$dir/file.json" >"$dir/out" 2>"$dir/err" || fail "--json=FILE exits with $?"
"$check_schema" "$schema" "$dir/file.json" || fail "--json=FILE breaks its schema"
ls -A "$dir" | grep -q '\.part$' && fail "a part of a file is left behind"
"$spmodel" doctor "--json=$dir/no/such.json" >"$dir/out" 2>"$dir/err"
[ $? = 4 ] || fail "a file that cannot be written does not exit with 4"

for list in byte "" "pin," "pin,,huge" "quiet,gpus"; do
    "$spmodel" doctor --require "$list" >"$dir/out" 2>"$dir/err"
    [ $? = 2 ] || fail "--require '$list' does not exit with 2"
    grep -q "bytes, gpu, profiling, opencl, pin, huge, quiet, alone, plots" "$dir/err" || fail "the words are not listed"
    [ -s "$dir/out" ] && fail "a wrong word still prints"
done
"$spmodel" doctor nothing >"$dir/out" 2>"$dir/err"
[ $? = 2 ] || fail "an argument does not exit with 2"

# Each word: 0 where JSON says satisfied, else 4 and the word with its reason.
for word in bytes gpu opencl profiling pin huge quiet alone plots; do
    "$spmodel" doctor --json --require "$word" >"$dir/out.json" 2>"$dir/err"
    code=$?
    "$check_schema" "$schema" "$dir/out.json" || fail "--require $word breaks the schema"
    if tr -d ' \n' <"$dir/out.json" | grep -q "\"word\":\"$word\",\"satisfied\":true"; then
        [ $code = 0 ] || fail "--require $word exits with $code although it is satisfied"
    else
        [ $code = 4 ] || fail "--require $word exits with $code, not 4"
        grep -q "required, but not here: $word (..*)" "$dir/err" || fail "--require $word does not say why"
    fi
    echo "$word: $code"
done
# An OpenCL device is what the section GPU finds: without a platform there is none.
"$spmodel" doctor --require opencl >"$dir/out" 2>"$dir/err"
code=$?
if grep -q '^  works  *OpenCL ' "$dir/out"; then
    [ $code = 0 ] || fail "--require opencl exits with $code although there is a device"
else
    [ $code = 4 ] || fail "--require opencl exits with $code although there is no device"
fi
OCL_ICD_VENDORS=/nonexistent "$spmodel" doctor --require opencl >"$dir/out" 2>"$dir/err"
[ $? = 4 ] || fail "--require opencl without a platform does not exit with 4"
# Nothing on the PATH: plots are scripts, and only what is required counts.
PATH=/nonexistent "$spmodel" doctor --require plots >"$dir/out" 2>"$dir/err"
[ $? = 4 ] || fail "--require plots without gnuplot does not exit with 4"
PATH=/nonexistent "$spmodel" doctor >"$dir/out" 2>"$dir/err" || fail "without gnuplot it exits with $?"
grep -q "Plots are written as scripts" "$dir/out" || fail "does not say that plots are scripts"
echo "doctor: ok"
