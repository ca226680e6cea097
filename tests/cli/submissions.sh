#!/bin/sh
# What students hand in without having run anything: names that are formulas or commands elsewhere, files of other types
# than they should be. Each is graded, or refused in one error that names the file. Usage: submissions.sh SPMODEL
set -eu
spmodel=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" XDG_CONFIG_HOME="$dir"
cd "$dir"
fail() {
    echo "submissions.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...
    wanted=$1 text=$2
    shift 2
    code=0
    "$spmodel" lab "$@" >"$dir/out" 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat "$dir/out"; fail "lab $* exited with $code, not $wanted"; }
    grep -q -- "$text" "$dir/out" || { cat "$dir/out"; fail "lab $*: no '$text'"; }
}

# A name that a spreadsheet would compute, and that Markdown would draw.
expect 0 "LAB 1" start 1 --student '=1+2 | *cmd*' --small --dir formula
expect 5 "=1+2" grade --no-simulation --csv=formula.csv formula
grep -q "^\"formula\",\"'=1+2 | \*cmd\*\",01-crs-balance," formula.csv || { cat formula.csv; fail "a name that is a formula"; }
expect 0 "report.md" report 1 --dir formula
grep -Fq '\=1+2 \| \*cmd\*, small matrices' formula/report.md || { cat formula/report.md; fail "a name that is Markdown"; }
echo "submissions.sh: ok"
