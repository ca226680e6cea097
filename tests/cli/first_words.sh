#!/bin/sh
# What people type at first: a matrix or an option in the command's place, a word misspelt, -h. Each answer says what to type.
# Usage: first_words.sh SPMODEL
set -eu
spmodel=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
fail() {
    echo "first_words.sh: $*"
    cat out err
    exit 1
}
refused() { # refused REMEDY WORD...: ends with 2 and names the remedy
    remedy=$1
    shift
    code=0
    "$spmodel" "$@" >out 2>err || code=$?
    [ $code = 2 ] || fail "'$*' ends with $code, not 2"
    grep -qF -- "$remedy" err || fail "'$*' does not say '$remedy'"
}
echo >A.mtx
cp A.mtx "A b"
refused 'did you mean `spmodel analyze`?' analyse A.mtx
refused 'did you mean `spmodel machine`?' machin list
refused 'remedy: spmodel analyze A.mtx --reorder rcm' A.mtx --reorder rcm
refused "remedy: spmodel analyze 'A b'" "A b"
refused 'remedy: spmodel analyze no-such.mtx' no-such.mtx
refused 'remedy: spmodel analyze gen:laplace2d:9' gen:laplace2d:9
refused 'remedy: spmodel analyze --budget 5s A.mtx' --budget 5s A.mtx
refused '`spmodel --help` lists the commands' --hlp
refused "did you mean 'analyze'?" help analyse
refused "did you mean 'check'?" track chek
refused "did you mean 'start'?" lab strat
refused "did you mean 'list'?" machine lst
refused "did you mean 'roofline'?" plot --kind roofl A.json
refused "did you mean 'gpu'?" analyze --device gpu:x A.mtx
refused "not 'gpu:-1'" analyze --device gpu:-1 A.mtx
refused 'machine needs a verb' machine
refused "did you mean '--format'?" analyze --formt crs gen:laplace2d:9
refused "did you mean '--budget'?" analyze --budgt=1s gen:laplace2d:9
refused "did you mean '--format'?" sweep --threads 1 --formt crs gen:laplace2d:9
refused "did you mean 'spmv'?" analyze --op spmvm gen:laplace2d:9
refused "did you mean 'sell:C,SIGMA'?" analyze --format sel gen:laplace2d:9
refused "did you mean 'crs'?" analyze --format csr gen:laplace2d:9
refused "did you mean 'nnz'?" analyze --schedule nz gen:laplace2d:9
refused "did you mean 'f64'?" analyze --precision f6 gen:laplace2d:9
refused "is a kind of picture: --kind roofline" plot roofline A.json
refused 'machine list has the names' machine show
refused 'bandwidth:0.8 for 80 %' analyze --fail-below bandwidth:80 gen:laplace2d:9
refused 'model:0.95 for 95 %' analyze --fail-below model:95 gen:laplace2d:9
refused 'both go to standard output' analyze --json --csv gen:laplace2d:9
refused 'it takes two records, or with --ab two commands' compare a.json b.json c.json
refused 'both go to standard output' model --json --csv gen:laplace2d:9
! grep -q 'did you mean' err || fail "a suggestion where nothing is misspelt"

helped() { # helped WORD...: -h is --help
    "$spmodel" "$@" -h >out 2>err || fail "'$* -h' ends with $?"
    "$spmodel" "$@" --help | cmp -s - out || fail "'$* -h' is not its --help"
    # a command to copy, or a line of a list, stays one line (behind "or:" the description begins)
    awk 'length(was) > 60 && was ~ /^  [^ ]/ && was !~ /^  or:/ && /^[^ ]/ { print was; print; bad = 1 } { was = $0 } END { exit bad }' out ||
        fail "'$* --help' breaks a line of an example or a list"
    n=$((n + 1))
}
"$spmodel" -h >out 2>err
"$spmodel" --help | cmp -s - out || fail "'-h' is not '--help'"
n=1
for command in $("$spmodel" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    helped "$command"
    for verb in $("$spmodel" "$command" --help | sed -n '1{/ VERB /!q;}; p' | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' | sed '/^spmodel$/d'); do
        helped "$command" "$verb"
    done
done
[ $n -gt 25 ] || fail "only $n helps"

# Lists are read in 80 columns.
for list in "lab list" "lab --help" "info gen:laplace2d:300"; do
    # shellcheck disable=SC2086 # words
    "$spmodel" $list >out || fail "'$list' ends with $?"
    [ "$(grep -c . out)" -gt 5 ] || fail "'$list' says little"
    ! grep -E '.{81}' out || fail "'$list' is wider than 80 columns"
done
echo "first_words.sh: $n times help"
