#!/bin/sh
# What the CI snippets of examples/ci run is run here, as a runner would: line by line, in a folder of its own. Only
# ./bootstrap is a stand-in: it puts the built program where the real one builds it.
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
# The commands of a file, as commands.awk finds them.
commands() { awk -f "$here/commands.awk" "$1" | sed -n 's/^[0-9]*\tline\t//p'; }
checkout() { # checkout FOLDER: what a runner has, with a program that is built already
    mkdir -p "$1/examples"
    cp -r "$source/examples/ci" "$1/examples/"
    printf '#!/bin/sh\nmkdir -p build\nln -sf "%s" build/spmodel\n' "$spmodel" >"$1/bootstrap"
    chmod +x "$1/bootstrap"
}
job() { # job CODE: the commands of $file in $dir/work, ended by the first that fails
    code=0
    commands "$file" >"$dir/commands"
    (cd "$dir/work" && sh -e "$dir/commands") >"$dir/out" 2>&1 || code=$?
    [ $code -eq "$1" ] || { cat "$dir/out"; fail "$file: exited with $code, not $1"; }
}
grep -q 'build=build' "$source/bootstrap" || fail "bootstrap builds elsewhere than the snippets look"
for file in "$source/examples/ci/github.yml" "$source/examples/ci/gitlab.yml"; do
    rm -rf "$dir/work"
    checkout "$dir/work"
    [ "$(commands "$file" | wc -l)" -eq 2 ] || fail "$file: not the two commands that it has"
    job 0
    grep -q "inconclusive" "$dir/out" || { cat "$dir/out"; fail "$file: something was there before the first run"; }
    for name in $(sed -n 's/^ *path: \(.*\)$/\1/p; s/^ *paths: \[\(.*\)\]$/\1/p; s/^ *junit: //p' "$file"); do
        [ -e "$dir/work/$name" ] || fail "$file: keeps '$name', which the commands do not make"
    done
    job 0
    [ "$(grep -c '^ok ' "$dir/out")" -eq 2 ] || { cat "$dir/out"; fail "$file: the second run is not as the first"; }
    SPMODEL_FAULT=order job 1
    grep -q '^regressed ' "$dir/out" || { cat "$dir/out"; fail "$file: no regression in a run in another order"; }
done
echo "ci_examples.sh: both snippets start, hold, and fail"
