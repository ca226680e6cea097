#!/bin/sh
# Outputs appear complete or not at all: killed at any moment, on a full disk, in a place that cannot be written.
# Usage: outputs.sh SPMODEL
set -u
spmodel=$1
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
fail() { echo "outputs: $*"; cat "$dir/err" 2>/dev/null; exit 1; }
entries() { "$spmodel" info --json "$1" 2>"$dir/err" | tr -d ' \n' | sed -n 's/.*"nnz":\([0-9]*\).*/\1/p'; }

forms="k.mtx k.mtx.gz k.spm k.petsc k.npz k.rb"
"$spmodel" --version | grep -q 'LIBARCHIVE: [0-9]' || { forms="k.mtx k.spm k.petsc k.rb"; echo "skipped: .gz, .npz (this build is without libarchive)"; }

# Killed: whatever stands under the final name is the whole matrix.
killed=0 finished=0
for form in $forms; do
    for delay in 0 0.01 0.02 0.04 0.08 0.16 0.32; do
        rm -f "$dir/$form"
        "$spmodel" generate -q hpcg:40 -o "$dir/$form" 2>/dev/null &
        pid=$!
        sleep $delay
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        if [ -e "$dir/$form" ]; then
            finished=$((finished + 1))
            n=$(entries "$dir/$form")
            [ "${n:-0}" = 1643032 ] || fail "$form after $delay s holds '$n' entries, not 1643032"
        else
            killed=$((killed + 1))
        fi
    done
done
[ $killed -gt 0 ] || fail "no writer was killed in time: the test has not tested anything"
echo "killed before the end: $killed, finished: $finished"

# A file in the place of a folder is called one.
echo old >"$dir/plain"
"$spmodel" analyze -q gen:laplace2d:5 --budget 5ms --out "$dir/plain" >/dev/null 2>"$dir/err"
[ $? -eq 4 ] || fail "--out takes a file for a folder"
grep -q "cannot write into the directory: Not a directory" "$dir/err" || fail "it does not say that this is no directory"

# A command that fails before there is a result leaves no file and keeps the one that stood there.
echo old >"$dir/kept"
for command in analyze model info "analyze --lines=$dir/lines"; do
    for name in none kept; do
        for form in --json --csv; do
            "$spmodel" $command -q "$dir/no-such.mtx" "$form=$dir/$name" >/dev/null 2>"$dir/err" && fail "$command reads what is not there"
            [ ! -e "$dir/none" ] || fail "$command $form leaves an empty file when it fails"
            [ "$(cat "$dir/kept")" = old ] || fail "$command $form empties an older file when it fails"
        done
    done
done
[ ! -e "$dir/lines" ] || fail "analyze --lines leaves an empty file when it fails"
rm -f "$dir/kept"

# Full disk: a limit on the size of files, with its signal ignored, makes writes fail as a full disk does.
for form in $forms; do
    rm -f "$dir/$form" "$dir/.$form".*
    (trap '' XFSZ; ulimit -f 64; exec "$spmodel" generate -q hpcg:40 -o "$dir/$form") 2>"$dir/err"
    code=$?
    [ $code = 4 ] || fail "writing $form beyond the limit exits with $code, not 4"
    grep -q "cannot write the file" "$dir/err" || fail "the error does not say what failed"
    grep -q "remedy: raise the limit.*ulimit -f" "$dir/err" || fail "the remedy is not that of a limit"
    [ ! -e "$dir/$form" ] || fail "$form is left behind"
    [ -z "$(find "$dir" -name ".$form.*.part")" ] || fail "a part of $form is left behind"
done

# A JSON without room is one error, which names the file and says what to do. (libomp needs 1 KiB for a file of its own.)
for command in doctor explain "info $(seq -s ' ' -f 'gen:laplace2d:%g' 9)" "model --machine all gen:laplace2d:9"; do
    (trap '' XFSZ; ulimit -f 4; exec "$spmodel" $command --json="$dir/full.json") >/dev/null 2>"$dir/err"
    code=$?
    [ $code = 4 ] || fail "$command --json beyond the limit exits with $code, not 4"
    [ "$(grep -c error: "$dir/err")" = 1 ] && grep -q "full.json: cannot write.*" "$dir/err" && grep -q "remedy: raise the limit" "$dir/err" ||
        fail "$command --json beyond the limit has another error"
done

# A page that finds no room is not said to be saved, whatever failed before it.
if [ -w /dev/full ]; then
    small="gen:laplace2d:20 --budget 10ms --samples 4 --no-plots --no-hints"
    "$spmodel" analyze $small --out "$dir" --json="$dir/r.json" --html="$dir/r.html" >"$dir/out" 2>"$dir/err" || fail "no page"
    grep -q "^saved .*r.html" "$dir/out" || fail "a page that is there is not said to be saved"
    between=$(($(cat "$dir/r.json" "$dir/r.html" | wc -c) / 1024))
    (trap '' XFSZ; ulimit -f $between; exec "$spmodel" analyze $small --out "$dir" --json=/dev/full --html="$dir/lost.html") \
        >"$dir/out" 2>"$dir/err"
    code=$?
    [ $code = 4 ] || fail "a page beyond the limit exits with $code, not 4"
    grep -q "remedy: free some space" "$dir/err" || fail "a full disk has another remedy"
    grep -q "cannot write the record" "$dir/err" && grep -q "lost.html: cannot write" "$dir/err" || fail "an output that failed is not named"
    grep -q "^saved .*json" "$dir/out" || fail "the record found no room, either: the page was not tried"
    grep "^saved .*lost.html" "$dir/out" && fail "a page that was not written is said to be saved"
    rm -f "$dir"/*.json "$dir"/*.html
fi

# What is to be typed next is a command, whatever the names.
"$spmodel" analyze gen:laplace2d:20 --budget 10ms --samples 4 --no-plots --no-hints --out "$dir/a b" >"$dir/out" 2>"$dir/err" || fail "no record"
(cd "$dir" && eval "'$spmodel' $(sed -n 's/^next *spmodel//p' out)") >"$dir/explained" 2>"$dir/err" || fail "what is to be typed next is no command"

# Runs at once keep each other's records, in one folder, and rows, in one table.
for i in 1 2 3 4 5 6 7 8; do
    "$spmodel" import --time 1ms --threads 1 --machine ivb-e5-2660v2 --no-plots --no-hints --csv="$dir/rows.csv" \
        --out "$dir/together" gen:laplace2d:20 >/dev/null 2>>"$dir/err" &
done
wait
[ "$(find "$dir/together" -type f | wc -l)" = 8 ] || fail "8 runs at once leave $(ls -A "$dir/together")"
[ "$(wc -l <"$dir/rows.csv")" = 9 ] || fail "a table of 8 runs at once has $(wc -l <"$dir/rows.csv") lines, not 9"

# Places that cannot be written.
mkdir "$dir/locked"
chmod a-w "$dir/locked"
for place in "$dir/locked/m.mtx" "$dir/no/such/m.mtx" "$dir"; do
    if [ "$place" = "$dir/locked/m.mtx" ] && [ -w "$dir/locked" ]; then
        echo "skipped: this user (root?) may write into a directory without write permission"
        continue
    fi
    "$spmodel" generate -q laplace2d:4 -o "$place" 2>"$dir/err"
    code=$?
    [ "$place" = "$dir" ] && want=2 || want=4
    [ $code = $want ] || fail "-o $place exits with $code, not $want"
    grep -q remedy "$dir/err" || fail "the error has no remedy"
done

# A result never replaces what the command reads, under whatever name, nor another result.
cd "$dir" || exit 1
"$spmodel" generate -q laplace2d:20 -o m.mtx || fail "no matrix was made"
ln m.mtx link.mtx
cp m.mtx before.mtx
refused() { # WORDS...: ends with 2, says why and changes nothing
    "$spmodel" "$@" >out 2>err
    code=$?
    [ $code = 2 ] || fail "$* exits with $code, not 2"
    grep -q "also names\|replace each other\|is empty" err || fail "$*: the error does not say why"
    cmp -s m.mtx before.mtx || fail "$* has changed its input"
}
for option in --json= --csv= --lines= --html=; do
    for name in ./m.mtx link.mtx "$dir/m.mtx"; do
        refused analyze m.mtx "$option$name" --budget 0.1
    done
done
refused info m.mtx --json=link.mtx
refused convert ./m.mtx m.mtx
refused convert gen:like:m.mtx:2 m.mtx
refused reorder m.mtx link.mtx --method rcm
refused reorder m.mtx new.mtx --method rcm --permutation m.mtx
refused reorder m.mtx new.mtx --method rcm+both --column-permutation link.mtx
refused reorder m.mtx new.mtx --method rcm --permutation ./new.mtx
refused reorder m.mtx new.mtx --method rcm --permutation p.mtx --column-permutation "$dir/p.mtx"
refused reorder m.mtx --ranks 2 --parts m.mtx
refused reorder --apply m.mtx --permutation before.mtx --to before.mtx
refused generate --like m.mtx --features m.mtx
refused generate --like m.mtx --features ./new.mtx new.mtx
refused analyze gen:laplace2d:20 --bytes replay:m.mtx --json=m.mtx
refused analyze gen:laplace2d:20 --machine m.mtx --json=m.mtx
# shellcheck disable=SC2046 # as many words as it takes
refused info $(seq -f 'no%g.mtx' 300) m.mtx --json=link.mtx
printf 'matrix m.mtx\nrun crs: --budget 0.1\n' >campaign
refused campaign campaign --store s --html m.mtx
refused analyze m.mtx --html ''
refused model gen:laplace2d:20 --json= --machine clx-9242
refused model m.mtx --machine clx-9242 --json=m.mtx
refused model gen:laplace2d:20 --json=one --csv=one --machine clx-9242
refused info m.mtx --json=one --csv=./one
refused analyze m.mtx --json=one --csv=./one --budget 0.1
ln -s one leads # to what is not there yet
refused info m.mtx --json=leads --csv=one
refused model m.mtx --ranks 2 --machine icx-8360y --network shm --json=one.svg --plot ./one.svg
refused validate --plot one.svg --keep x --source me --write-machine ./one.svg no.csv
refused machine measure --quick -o one --json=./one
[ ! -e one ] && [ ! -e one.svg ] && [ ! -e new.mtx ] && [ ! -e p.mtx ] || fail "one of two results was written"

# - is standard output, or an error: never a file that is called so.
stdout() { # WORDS...
    "$spmodel" "$@" >out 2>err
    code=$?
    [ $code = 2 ] && grep -q 'not written to standard output' err && [ ! -e ./- ] || fail "$* ends with $code, and - is a file or the error another"
}
stdout convert m.mtx -
stdout reorder m.mtx new.mtx --method rcm --permutation -
stdout reorder m.mtx --ranks 2 --parts -
stdout generate --like m.mtx --features -
stdout machine measure --quick -o -
"$spmodel" reorder -q m.mtx ./- --method none 2>err && fail "an ending that names no format"
"$spmodel" convert -q --format mtx m.mtx ./- 2>err && [ -e ./- ] && rm ./- || fail "./- is no file"

# Rows that cannot be added are refused before anything is measured, as other outputs are.
mkdir unmeasured
echo 'not,our,columns' >others.csv
cp others.csv before.csv
for file in others.csv nowhere/rows.csv; do
    code=0
    "$spmodel" analyze gen:laplace2d:20 --budget 0.1 --no-plots --no-hints --out unmeasured --csv=$file >out 2>err || code=$?
    case $file:$code in others.csv:3 | nowhere/rows.csv:4) ;; *) fail "--csv=$file exits with $code" ;; esac
    [ -z "$(ls -A unmeasured)" ] || fail "--csv=$file is refused when all is measured"
done
cmp others.csv before.csv || fail "a table of others was changed"
[ -z "$(find . -maxdepth 1 -name '.others*')" ] || fail "a part of the table stays"
echo "outputs: ok"
