#!/bin/sh
# `track report`: one page that needs nothing else, says what is red and why, shows series by commit, and 5 % beside 100 %;
# `track check --patience`: what was undecided for too long is red. Every number is made. Usage: track_page.sh SPMODEL CHECK_HTML
set -eu
spmodel=$1 check_html=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" SPMODEL_STORE="$dir/store"
unset SPMODEL_COMMIT GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT || true
cd "$dir"
fail() {
    echo "track_page.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...
    wanted=$1 text=$2 code=0
    shift 2
    "$spmodel" "$@" >out 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat out; fail "$* exited with $code, not $wanted"; }
    grep -q -- "$text" out || { cat out; fail "$*: no '$text'"; }
}
has() { grep -q -- "$2" "$1" || fail "$1 has no '$2'"; }
python=$(command -v python3 || true)
[ -n "$python" ] || echo "skipped: what a parser sees (there is no python3)"
check() { [ -z "$python" ] || "$python" "$check_html" "$1" || exit 1; }

expect 0 "records written" track simulate --series 3 --commits 40 --sessions 2 --out made --fault step:20:100 --fault step:10-20:10:2 \
    --fault step:30:6:2 --fault bytes:12:2:3
expect 0 "added" track add made
expect 0 "saved  page.html" track report --html page.html
check page.html
has page.html '<strong class="bad">4 verdicts of 6 are red.</strong> By time: 3 red, 0 not decided, 0 well. By bytes: 1 red'
has page.html 'open since commit0030 (after commit0029): a step of'
has page.html 'worse, ended since'
has page.html '>+5 %</text>'
has page.html '>+100 %</text>'
has page.html '% since commit0020'
has page.html 'control kernel +0\.0 %'
! grep -qE '(kernel|sentinel|it) -0\.0 %' page.html || fail "what did not move is negative"
has page.html 'spmodel track accept --series [0-9a-f]\{8\}'
[ "$(grep -c '<svg' page.html)" -eq 6 ] || fail "not six pictures"
# Without commits sessions are counted, and named by their start.
find made -name '*.json' | sort | head -n 12 >some
mkdir nameless
while read -r record; do sed 's/"commit": *"[^"]*"/"commit": null/' "$record" >"nameless/$(basename "$record")"; done <some
expect 0 "added" track add --store nameless-store nameless
expect 0 "saved" track report --store nameless-store --html nameless.html
has nameless.html '[0-9] sessions, oldest left'
has nameless.html '>[0-9]\{4\}-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]</text>'
# No point lies on the name of a change: those have rows of their own below the lowest point.
expect 0 "records written" track simulate --commits 30 --sessions 2 --out fell --fault step:10:-40 --fault step:20:90
expect 0 "added" track add --store fell-store fell
expect 0 "saved" track report --store fell-store --html fell.html
awk -v RS='<svg' '{
    lowest = 0; highest = 1e9; picture = $0
    while (match($0, /cy=.[0-9.]+/)) { y = substr($0, RSTART + 4, RLENGTH - 4) + 0; if (y > lowest) lowest = y; $0 = substr($0, RSTART + RLENGTH) }
    $0 = picture
    while (match($0, /y=.[0-9.]+. font-size=.13.[^>]*>[^<]*% since/)) { y = substr($0, RSTART + 3, RLENGTH - 3) + 0; if (y < highest) highest = y; $0 = substr($0, RSTART + RLENGTH) }
    if (highest < 1e9) n++
    if (lowest > highest - 11) { print "a point at " lowest ", a name at " highest; bad = 1 }
} END { exit bad || n < 1 }' fell.html || fail "points lie on names of changes"
"$spmodel" track report --html - --metric time >standard
cmp -s standard page.html && fail "one metric makes the page of two"
check standard
expect 0 "^accepted" track accept --all
expect 0 "saved" track report --html accepted.html
check accepted.html
has accepted.html '>accepted</text>'
has accepted.html '<strong class="good">Nothing is red.</strong>'
# Of what is meant; nothing; where it goes.
expect 0 "saved" track report --matrix made-1 --html one.html
[ "$(grep -c '<svg' one.html)" -eq 2 ] || fail "not one series in two metrics"
expect 0 "saved" track report --matrix nothing --html none.html
check none.html
has none.html 'There is no complete record here'
expect 2 "say where the page goes" track report
expect 2 "takes the name of a metric" track report --metric nonsense --html x.html
expect 3 "no store" track report --store nowhere --html x.html
[ ! -e x.html ] || fail "a page without a store"

# Another environment every time: nothing can ever be compared.
mkdir strange
for i in 1 2 3 4; do
    sed "s/\"key\": \"[0-9a-f]*\"/\"key\": \"000000000000010$i\"/; s/\"id\": \"[^\"]*\"/\"id\": \"strange-$i\"/; s/\"start\": \"[^\"]*\"/\"start\": \"2050-01-0${i}T00:00:00Z\"/" \
        made/made-1-0001-01.json >strange/$i.json
    expect 0 "1 record added" track add --store strange-store strange/$i.json
    code=0
    "$spmodel" track check --store strange-store --patience 3 >out 2>&1 || code=$?
    case $i in 1 | 2) wanted=5 ;; *) wanted=1 ;; esac
    [ $code -eq $wanted ] || { cat out; fail "after $i sessions that nothing can be compared with: $code, not $wanted"; }
done
has out 'nothing was decided in 3 sessions in a row: this gate guards nothing'
expect 5 "^not comparable" track check --store strange-store
expect 1 'failure message="not comparable' track check --store strange-store --patience 3 --junit -
expect 2 "takes a whole number from 1 to 100" track check --patience 0
echo "track_page.sh: the page, and patience"
