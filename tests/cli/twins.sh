#!/bin/sh
# Twins on the command line: sizes, features in between, names in place of files, refusals.
# Usage: twins.sh SPMODEL
set -u
spmodel=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "twins: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
refused() {
    want=$1
    shift
    "$spmodel" "$@" >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = "$want" ] || fail "$* exits with $code, not $want"
}

"$spmodel" generate -q laplace2d:40 -o "$dir/a.mtx" 2>"$dir/err" || fail "no matrix to be like"
"$spmodel" generate --like "$dir/a.mtx" --scale 3 "$dir/b.mtx" >"$dir/out" 2>"$dir/err" || fail "no twin"
grep -q "4 800 x 4 800" "$dir/out" || fail "the twin has another size"
head -1 "$dir/b.mtx" | grep -q "real symmetric" || fail "the twin is not symmetric"

# Statistics alone, and then from them, are the same matrix; another seed is another one.
"$spmodel" generate -q --like "$dir/a.mtx" --features "$dir/a.json" 2>"$dir/err" || fail "no features"
"$spmodel" generate -q --like "$dir/a.json" --scale 3 -o "$dir/c.mtx" 2>"$dir/err" || fail "no twin of features"
cmp -s "$dir/b.mtx" "$dir/c.mtx" || fail "the twin of the features differs"
"$spmodel" generate -q --like "$dir/a.json" --scale 3 --seed 2 -o "$dir/d.mtx" 2>"$dir/err" || fail "no other twin"
cmp -s "$dir/b.mtx" "$dir/d.mtx" && fail "the seed does not matter"

# In place of a file.
"$spmodel" info "gen:like:$dir/a.mtx:2" >"$dir/out" 2>"$dir/err" || fail "gen:like is not a matrix"
grep -q "3 200" "$dir/out" || fail "gen:like has another size"

refused 2 generate --scale 2 "$dir/e.mtx"
refused 2 generate --like "$dir/a.mtx"
refused 2 generate "like:$dir/a.mtx:2"
grep -q "remedy: give -o FILE" "$dir/err" || fail "a twin without a file is no generator of a list"
"$spmodel" generate -q "like:$dir/a.mtx:3" -o "$dir/g.mtx" && cmp -s "$dir/b.mtx" "$dir/g.mtx" || fail "like:FILE is another twin than --like"
refused 2 info gen:like
grep -q "a twin is gen:like:FILE" "$dir/err" || fail "it does not say how twins are written"
refused 2 generate --like "$dir/a.mtx" --scale 0 "$dir/e.mtx"
refused 2 generate --like "$dir/a.mtx" --scale 9000000 "$dir/e.mtx"
refused 3 generate --like "$dir/none.mtx" "$dir/e.mtx"
sed 's/"n_r":1600/"n_r":1500/' "$dir/a.json" >"$dir/wrong.json"
refused 3 generate --like "$dir/wrong.json" "$dir/e.mtx"
grep -q "contradicts" "$dir/err" || fail "the error does not say what is wrong"
echo "not JSON" >"$dir/wrong.json"
refused 3 generate --like "$dir/wrong.json" "$dir/e.mtx"
[ ! -e "$dir/e.mtx" ] || fail "a refusal left a file behind"
exit 0
