#!/bin/sh
# What programs take from an analysis: lines of key, value, unit and origin; and records without names.
# Usage: sharing.sh SPMODEL CHECK_SCHEMA SCHEMA
set -eu
spmodel=$1 check_schema=$2 schema=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/home-of-annabel/work"
export HOME="$dir/home-of-annabel" XDG_DATA_HOME="$dir/data" XDG_CACHE_HOME="$dir/data" SPMODEL_STORE="$dir/store"
unset SPMODEL_FAULT SPMODEL_COMMIT SPMODEL_BRANCH || true
. "$(dirname "$0")/this_machine.sh"
cd "$HOME/work"
fail() {
    echo "sharing.sh: $*"
    exit 1
}
run() { # run CODE ARGUMENTS...: output and errors are in $dir/out, $dir/err
    wanted=$1 code=0
    shift
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || code=$?
    [ $code -eq "$wanted" ] || { cat "$dir/out" "$dir/err"; fail "$* exited with $code, not $wanted"; }
}
as_this_machine zen4-vm-2c my-node.json 's/"name": "zen4-vm-2c"/"name": "my-node"/'
set -- --no-plots --budget 20ms --runs 2 --machine ./my-node.json

# Lines: every one has its form, awk takes a figure, CSV says the same.
run 0 analyze -q --lines --csv="$dir/row.csv" --out lines "$@" --no-hints gen:laplace2d:60
[ "$(sed -n 1p "$dir/out" | cut -d: -f1)" = record ] || fail "the first line is not the record's id"
number='-\{0,1\}[0-9]\.[0-9]*e[-+][0-9]*'
grep -v "^[A-Za-z_0-9]*: \($number\|unknown\) [^ ]* (.*)$" "$dir/out" >"$dir/words" || fail "no lines of words"
grep -v '^\(record\|status\|matrix\|operation\|format\|kernel\|machine\|state\|verdict_[a-z]*\|threads\|verify\|flags\): .' "$dir/words" &&
    fail "these lines have no form"
for line in '^status: complete$' '^verify: ok$' '^matrix: gen:laplace2d:60$' "^time: $number s (measured)$" \
    "^bytes: $number B (simulated)$" "^alpha: $number 1 (simulated)$" "^roof: $number B/s (measured)$" \
    "^loss_min_traffic: $number s (modelled)$"; do
    grep -q "$line" "$dir/out" || { cat "$dir/out"; fail "no line $line"; }
done
shown=$(awk '$1 == "bytes:" { printf "%d", $2 }' "$dir/out")
kept=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "bytes_B") c = i } NR == 2 { printf "%d", $c }' "$dir/row.csv")
[ -n "$shown" ] && [ "$shown" = "$kept" ] || fail "bytes are '$shown' in the lines and '$kept' in CSV"

# Unknown has a reason, several records follow each other, files are written beside the report.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 0\n' >empty.mtx
run 0 analyze --lines="$dir/both" --out lines "$@" --no-hints gen:laplace2d:20 empty.mtx
grep -q "^alpha: unknown 1 (the matrix has no entries)$" "$dir/both" || { cat "$dir/both"; fail "unknown without a reason"; }
[ "$(grep -c '^record: ' "$dir/both")" -eq 2 ] || fail "not two records in the file"
grep -q "^possible " "$dir/out" || fail "no report beside the file"
run 2 analyze --lines --json "$@" gen:laplace2d:20
run 2 info --lines gen:laplace2d:20

# Without names: neither record nor report nor file name says host, user, place, matrix, machine file or source.
"$spmodel" generate -q laplace2d:50 -o hidden_matrix.mtx
host=$(uname -n)
has_names() { # has_names FILE...
    grep -n -i 'annabel\|hidden_matrix\|my-node\|c0ffee\|topic' "$@" && return 0
    grep -n "$dir" "$@" && return 0
    grep -n '"host"' "$@" && return 0
    [ ${#host} -gt 3 ] && grep -n -w -F -- "$host" "$@"
}
export SPMODEL_COMMIT=c0ffee SPMODEL_BRANCH=annabel/topic
run 0 analyze -v --out plain "$@" "$HOME/work/hidden_matrix.mtx"
has_names plain/*.json >/dev/null || fail "the search for names finds none in a record that has them"
run 0 analyze -v --anonymous --out hidden "$@" "$HOME/work/hidden_matrix.mtx"
mv hidden "$dir/hidden"
sed -i '/^saved /d; /^next /d' "$dir/out"
has_names "$dir/out" "$dir"/hidden/*.json && fail "names in an anonymous record or its report"
ls "$dir/hidden" | grep -q '^matrix-[0-9a-f]*\.' || fail "the file's name is not made of the sha256"
"$check_schema" "$schema" "$dir"/hidden/*.json || fail "schema"
sha=$(grep -o '"sha256": "[0-9a-f]*"' plain/*.json)
[ "$sha" = "$(grep -o '"sha256": "[0-9a-f]*"' "$dir"/hidden/*.json)" ] || fail "the sha256 is not the same"

# Records that there are already: files, and those of a store, in the same series as before.
run 0 track export --anonymous --records "$dir/shared" plain
has_names "$dir"/shared/*.json && fail "names in a record that was made anonymous"
grep -q '"verdict"' "$dir"/shared/*.json || fail "an anonymous record has lost its verdict"
"$check_schema" "$schema" "$dir"/shared/*.json || fail "schema"
run 0 track add plain "$dir/shared"
run 0 track export --csv
[ "$(cut -d, -f2 "$dir/out" | sort -u | wc -l)" -eq 2 ] || { cat "$dir/out"; fail "another series without names"; }
run 0 track export --anonymous --csv
has_names "$dir/out" && fail "names in CSV"
run 0 track export --anonymous --csv --matrix no-such-matrix
[ "$(wc -l <"$dir/out")" -le 1 ] || fail "records that are not meant"
run 0 track export --anonymous --json
has_names "$dir/out" && fail "names in JSON"
run 0 track export --anonymous --records "$dir/all"
[ "$(ls "$dir/all" | wc -l)" -eq 1 ] || fail "the same record without names has two ids"

# A campaign names matrix, run and options as its file does: records without names get its hashes alone.
mkdir topic
cp hidden_matrix.mtx topic/
printf 'matrix topic/hidden_matrix.mtx\nrun annabel: --anonymous %s\nrun plain: %s\n' "$*" "$* --no-hints" >suite.txt
run 0 campaign suite.txt --no-plots --store "$dir/campaign"
hidden=$(grep -l '"anonymous": true' "$dir"/campaign/records/*/*.json)
has_names $hidden && fail "names in an anonymous record of a campaign"
grep -q '"task"' $hidden || fail "an anonymous record of a campaign has lost its task"
plain=$(grep -L '"anonymous": true' "$dir"/campaign/records/*/*.json)
grep -q '"run": "plain"' $plain || fail "a plain record of a campaign has no run"
run 0 track export --anonymous --records "$dir/of-campaign" $plain $hidden
has_names "$dir"/of-campaign/*.json && fail "names that a campaign gave"
grep -q '"run"' "$dir"/of-campaign/*.json && fail "the name of a run"
"$check_schema" "$schema" "$dir"/of-campaign/*.json || fail "schema"
run 2 track export --anonymous
run 2 track export --csv plain
run 3 track export --records "$dir/shared" nothing.json
echo "sharing.sh: lines, records without names"
