#!/bin/sh
# The recipes of examples/ci with the program itself, where no verdict hangs on a time: bytes in another order are red. The jobs
# of github.yml and gitlab.yml are run by ci_recipes.sh.
# Usage: ci_examples.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
. "$here/this_machine.sh"
this_machine
unset SPMODEL SPMODEL_STORE SPMODEL_FAULT SPMODEL_COMMIT GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT || true
fail() {
    echo "ci_examples.sh: $*"
    exit 1
}
code=0
run() { # run CODE COMMAND...: in a folder of its own
    wanted=$1 code=0
    shift
    mkdir -p "$dir/work"
    (cd "$dir/work" && "$@") >"$dir/out" 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat "$dir/out"; fail "$* exited with $code, not $wanted"; }
}
has() { grep -q -- "$1" "$2" || { cat "$2"; fail "no '$1'"; }; }
export SPMODEL="$spmodel"
gate="sh $source/examples/ci/gate.sh gen:laplace3d:44 gen:powerlaw:12:8"
grep -q 'build=build' "$source/bootstrap" || fail "bootstrap builds elsewhere than the recipes look"
run 5 sh "$source/examples/ci/gate.sh" gen:laplace2d:40
has "The first time, say SPMODEL_FIRST=yes" "$dir/out"
rm -rf "$dir/work"
# shellcheck disable=SC2086 # words
run 0 env SPMODEL_FIRST=yes $gate
# shellcheck disable=SC2086
run 0 $gate
[ "$(grep -c '^ok ' "$dir/out")" -eq 2 ] || { cat "$dir/out"; fail "the second run is not as the first"; }
# shellcheck disable=SC2086
run 1 env SPMODEL_FAULT=order $gate
has '^regressed ' "$dir/out"
has '<failure' "$dir/work/spmodel.xml"
run 1 env ROUNDS=3 TRIES=1 RUN_OPTIONS="--budget 10ms --samples 4 --isa portable" BASE="$spmodel analyze" HEAD="env SPMODEL_FAULT=order $spmodel analyze" \
    sh "$source/examples/ci/pull_request.sh" gen:laplace2d:300
has '^\*\*bytes: red' "$dir/work/spmodel.md"
echo "ci_examples.sh: the gate starts, holds, and fails; a pull request with more bytes is red"
