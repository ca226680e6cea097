#!/bin/sh
# The report as a page: well-formed, self-contained, readable without scripts and in the dark; the record in it;
# names that mean something to HTML; without gnuplot; of several matrices; of a campaign.
# Usage: html.sh SPMODEL CHECK_HTML EXAMPLES: EXAMPLES is the folder of constructed records
set -eu
spmodel=$1 check_html=$2 examples=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" SPMODEL_STORE="$dir/store"
. "$(dirname "$0")/this_machine.sh"
cd "$dir"
fail() {
    echo "html.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...: exit code, and the text on standard output or error
    wanted=$1 text=$2
    shift 2
    code=0
    "$spmodel" "$@" >out 2>err || code=$?
    cat err >>out
    [ $code -eq "$wanted" ] || { cat out; fail "$* exited with $code, not $wanted"; }
    [ -z "$text" ] || grep -q -- "$text" out || { cat out; fail "$*: no '$text'"; }
}
has() { grep -qF -- "$2" "$1" || fail "$1 has no '$2'"; }
lacks() { ! grep -qF -- "$2" "$1" || fail "$1 has '$2'"; }
python=$(command -v python3 || true)
[ -n "$python" ] || echo "skipped: what a parser sees (there is no python3)"
check() { # check PAGE RECORD...
    tail -n 1 "$1" | grep -q '</html>' || fail "$1 does not end"
    page=$1
    shift
    { printf '%s' "$page"; [ $# -eq 0 ] || printf '\t%s' "$@"; echo; } >>pages # looked at in the end, by one process
}
drawn=0
command -v gnuplot >/dev/null && drawn=1 || echo "skipped: plots in the page (there is no gnuplot)"
as_this_machine zen4-vm-2c described.json # ceilings that need not be measured
quick="-q --budget 20ms --samples 4 --threads 1 --bytes sim --machine ./described.json"

# A small matrix whose name is markup.
name="we<ird & \"q'.mtx"
"$spmodel" generate laplace2d:60 -q -o small.mtx
mv small.mtx "$name"
# shellcheck disable=SC2086 # a list of words
expect 0 "" analyze $quick --out one --html page.html "$name"
check page.html one/*.json
has page.html "we&lt;ird &amp; &quot;q&#39;"
lacks page.html "we<ird"
lacks page.html ": -v<" # a page has all, and no options
for words in "Where the time goes" "Machine and roofs" "Model and measurement" "Traffic of x over cache size" Hints \
    "Not a problem (checked)" "Flags and remarks" "spmodel explain TERM" simulated measured; do
    has page.html "$words"
done
if [ $drawn = 1 ]; then
    for kind in roofline alpha spy; do has page.html "id=\"r1-plot-$kind\""; done
    has page.html "Traffic of x for each entry, over the size of a fully associative cache"
fi
# The same page from the record that was saved.
expect 0 "saved  again.html" plot --html again.html one/*.json
cmp page.html again.html || fail "the record makes another page"
"$spmodel" plot --html - one/*.json | cmp - page.html || fail "standard output has another page"
"$spmodel" plot --html - one/*.json one/*.json | cmp - page.html || fail "a record that is given twice counts twice"

# Several: a part for each, and a table of all.
# shellcheck disable=SC2086
expect 0 "saved  two.html" analyze ${quick#-q} --no-hints --no-plots --out two --html two.html gen:laplace2d:30 gen:laplace2d:40
check two.html two/*laplace2d_30*.json two/*laplace2d_40*.json
has two.html 'href="#r2-top"'
lacks two.html "<svg"
lacks two.html "Plots need gnuplot"

# Without gnuplot.
PATH=/nonexistent "$spmodel" plot -q --html bare.html one/*.json || fail "without gnuplot it exits with $?"
check bare.html one/*.json
has bare.html "Plots need gnuplot"
has bare.html '<details open="open">'
lacks bare.html "<svg"

# Constructed records: all that a report can say, what came of a hint, names that try to be scripts, a GPU.
expect 0 "" plot -q --html example.html "$examples/record-kkt_power.json"
check example.html "$examples/record-kkt_power.json"
for words in "A01 x traffic" "time −6 … −9 % simulated" "spmodel analyze kkt_power.mtx.gz --reorder rcm" "100 % local" Q10 \
    "an invented example" "not explained"; do
    has example.html "$words"
done
evil='<\/script><script>alert(1)<\/script><!-- ]]> \\u0007'
sed "s/\"name\": \"kkt_power\"/\"name\": \"$evil\"/; s/\"observed\": null/\"observed\": {\"value\": 0.082, \"lo\": 0.07, \"hi\": 0.09, \"unit\": \"1\", \"origin\": \"measured\"}, \"outcome\": \"as predicted\"/" \
    "$examples/record-kkt_power.json" >evil.json
expect 0 "" plot -q --html evil.html evil.json
check evil.html evil.json
has evil.html "time −8.2"
lacks evil.html "<script>"
[ "$(grep -c '<script' evil.html)" -eq 1 ] || fail "a name has made a script"
expect 0 "" plot -q --html gpu.html "$examples/record-gpu-levels.json"
check gpu.html "$examples/record-gpu-levels.json"

# The words below the roofline name no point that the picture does not draw.
sed 's/"roofs":/"conditions": {"state": "unusable", "doubt": "too many samples were disturbed"}, "roofs":/' \
    "$examples/record-kkt_power.json" >disturbed.json
expect 0 "" plot -q --html disturbed.html disturbed.json
check disturbed.html disturbed.json
if [ $drawn = 1 ]; then
    grep -q "Measured point: [0-9.]* .*Gflop/s" example.html || fail "the roofline of the example has no measured point"
    has disturbed.html "Measured point: none, too many samples were disturbed"
fi

# A picture of several records does without one that lacks what it shows, and says so, as a page does.
sed 's/"curves":/"no curves":/' "$examples/record-kkt_power.json" >bare.json
expect 0 "left out 1 of 2 records: they lack alpha over cache size" plot --kind alpha -o two.gp bare.json "$examples/record-kkt_power.json"
expect 3 "lacks alpha over cache size" plot --kind alpha -o one.gp bare.json

sed 's/kkt_power/other/g' "$examples/record-kkt_power.json" >other.json
expect 2 "a spy plot shows one record, not 2" plot --kind spy -o spy.gp "$examples/record-kkt_power.json" other.json
sed 's/"performance": {"value": \([0-9.e+]*\), "lo": [0-9.e+]*/"performance": {"value": \1, "lo": 0/' "$examples/record-kkt_power.json" >open.json
! cmp -s open.json "$examples/record-kkt_power.json" || fail "the interval is as it was"
expect 0 "" plot -q -o open.gp open.json
! grep -q '[^a-z]nan[^a-z]' open.gp || fail "an interval from 0 on makes the script say nan"

# What the notice says of a busy machine stands once, the tile has it short.
sed 's/"status": "constructed"/"status": "complete"/; s/"roofs":/"conditions": {"state": "busy", "text": "5 of 9 samples were replaced", "samples": 9, "disturbed": 5}, "roofs":/' \
    "$examples/record-kkt_power.json" >busy.json
expect 0 "" plot -q --html busy.html busy.json
sed '/<script/,/<\/script>/d' busy.html >busy.words
[ "$(grep -o 'busy: 5 of 9 samples were replaced' busy.words | wc -l)" -eq 1 ] || fail "the state of the machine is not said once"
has busy.words "busy: 5/9 disturbed"

# More records than a roofline has room for: over their sizes, or the first ones; the page says so.
shared() { # shared PAGE KINDS: the plots that all records share are these and no others
    kinds=$(grep -o 'id="r0-plot-[a-z]*"' "$1" | sed 's/.*-//; s/"//' | tr '\n' ' ')
    [ $drawn = 0 ] || [ "$kinds" = "$2 " ] || fail "$1 has the shared plots '$kinds', not '$2'"
}
bare='s/"curves":/"no curves":/' # plots that are not the matter here take time
for i in 1 2 3 4 5 6 7; do
    sed "$bare; s/kkt_power/matrix$i/g; s/\"nnz\": 14612663/\"nnz\": ${i}000000/" "$examples/record-kkt_power.json" >sized$i.json
    sed "$bare; s/kkt_power/again$i/g" "$examples/record-kkt_power.json" >equal$i.json
done
expect 0 "" plot -q --html seven.html sized?.json
check seven.html sized?.json
shared seven.html campaign
expect 0 "" plot -q --html equal.html equal?.json
check equal.html equal?.json
shared equal.html roofline
expect 0 "" plot -q --html six.html sized[1-6].json
check six.html sized[1-6].json
shared six.html roofline
if [ $drawn = 1 ]; then
    has seven.html "<figcaption>One roofline has room for 6 records, and here are 7:"
    has equal.html "Roofline of 6 records"
    has equal.html "1 of the 7 records is not in this plot: it has room for 6."
    has six.html "Roofline of all"
    lacks six.html "not in this plot"
else
    has seven.html "All records over the number of nonzeros: not drawn."
    has equal.html "Roofline of 6 records: not drawn."
fi
# What a record lacks is said; balance over the number of vectors needs more than one number of them.
sed 's/"roofs":/"ceilings":/' sized2.json >roofless.json
sed 's/"roofs":/"ceilings":/' sized1.json >bare.json
expect 0 "" plot -q --html roofless.html roofless.json bare.json
check roofless.html
has roofless.html "Roofline of all: not drawn. No record has what it needs; the first lacks a bandwidth ceiling"
expect 0 "" plot -q --html partly.html sized1.json roofless.json
check partly.html
[ $drawn = 0 ] || has partly.html "1 of the 2 records is not in this plot: 1 lacks what it needs, a bandwidth ceiling"
sed 's/"rhs":4/"rhs":8/' "$examples/record-explain-spmmv.json" >wider.json
cp "$examples/record-explain-spmmv.json" wide.json
expect 0 "" plot -q --html widths.html wide.json wider.json
check widths.html wide.json wider.json
shared widths.html "roofline balance"
sed 's/"id": *"/&again-/' wide.json >again.json
expect 0 "" plot -q --html width.html wide.json again.json
shared width.html roofline

# Where the page goes.
# shellcheck disable=SC2086
"$spmodel" analyze $quick --no-hints --no-plots --html - gen:laplace2d:20 >piped.html 2>err || fail "--html - exits with $?"
[ "$(head -n 1 piped.html)" = "<!DOCTYPE html>" ] || fail "standard output has something else than the page"
check piped.html
# shellcheck disable=SC2086
expect 4 "make the directory first" analyze $quick --html no/such/page.html gen:laplace2d:20
# shellcheck disable=SC2086
expect 2 "both go to standard output" analyze $quick --html - --json gen:laplace2d:20
expect 2 "for a picture" plot --html x.html --kind alpha "$examples/record-kkt_power.json"
cp "$examples/record-kkt_power.json" mine.json
expect 2 "would be lost" plot --html mine.json
expect 2 "would be lost" plot --html mine.json "$examples/record-kkt_power.json"
cmp -s mine.json "$examples/record-kkt_power.json" || fail "plot --html put a page in the place of a record"
echo old >kept.html
# shellcheck disable=SC2086
expect 3 "no-such.mtx" analyze $quick --html kept.html no-such.mtx
[ "$(cat kept.html)" = old ] || fail "a failure replaced the page that stood there"
[ -z "$(find . -name '.*.part')" ] || fail "a part of a page is left behind"

# A campaign: its jobs sorted by entries, what failed named.
echo "this is no matrix" >broken.mtx
printf 'matrix gen:laplace2d:40 gen:laplace2d:30 broken.mtx\nrun crs: %s --no-hints\nrun <sell>: %s --no-hints --format sell:8,1\n' \
    "${quick#-q }" "${quick#-q }" >set.txt
expect 3 "saved  set.html" campaign set.txt --html set.html
check set.html
has set.html "&lt;sell&gt;"
has set.html "broken.mtx"
has set.html "Of 6 jobs 4 are done, 2 failed"
order=$(grep -o 'name">gen:laplace2d:[0-9]*' set.html | tr '\n' ' ')
[ "$order" = 'name">gen:laplace2d:30 name">gen:laplace2d:30 name">gen:laplace2d:40 name">gen:laplace2d:40 ' ] || fail "order: $order"
[ $drawn = 0 ] || has set.html 'id="r0-plot-campaign"'
expect 3 "saved  again-set.html" campaign set.txt --summary --html again-set.html
expect 2 "not with --status" campaign set.txt --status --html x.html
printf 'matrix gen:laplace2d:5\nrun a: --ht=x\n' >bad.txt
expect 3 "bad.txt:2.*--html" campaign bad.txt
[ "$(wc -l <pages)" -ge 14 ] || fail "only $(wc -l <pages) pages were kept"
[ -z "$python" ] || "$python" "$check_html" --list pages || exit 1
echo "html.sh: ok"
