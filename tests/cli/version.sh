#!/bin/sh
# `spmodel --version`: GNU's first line, and a line for every part that the build can have. Usage: version.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "version.sh: $*"
    cat "$dir/out"
    exit 1
}
"$spmodel" --version >"$dir/out"
version=$(sed -n 's/^project(spmodel VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
head -n 1 "$dir/out" | grep -qE "^spmodel $version \([^ ()]+\)$" || fail "the first line is not 'spmodel $version (REVISION)'"
sed -n 2p "$dir/out" | grep -qE '^compiler [^ ]+ [0-9.]+, [A-Za-z]+, flags .*-O' || fail "the second line does not name compiler, kind of build and flags"
"$spmodel" -V | cmp -s - "$dir/out" || fail "-V is not --version"
n=0
for part in OpenMP jansson gnuplot LIKWID PAPI \
    $(sed -n 's/^sp_wanted(\([A-Z0-9_]*\) .*/\1/p; s/^sp_optional(\([A-Z0-9_]*\) .*/\1/p' "$source"/cmake/*.cmake); do
    grep -qE "^  $part: ." "$dir/out" || fail "no line about $part"
    n=$((n + 1))
done
[ $n -ge 12 ] || fail "only $n parts"
"$spmodel" --version --json >"$dir/json"
if command -v python3 >/dev/null 2>&1; then
    python3 - "$dir/json" "$dir/out" <<'P' || fail "the JSON does not say what the lines say"
import json, sys
j = json.load(open(sys.argv[1]))
lines = open(sys.argv[2]).read().splitlines()
assert lines[0] == "spmodel %s (%s)" % (j["version"], j["git"])
assert lines[1] == "compiler %s, %s, flags %s" % (j["compiler"], j["build_type"], j["flags"])
assert lines[2:] == ["  %s: %s" % (name, part["text"]) for name, part in j["parts"].items()]
assert all(isinstance(part["have"], bool) for part in j["parts"].values())
P
fi
echo "version.sh: $n parts"
