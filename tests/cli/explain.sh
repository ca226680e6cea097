#!/bin/sh
# `spmodel explain`: the text of some terms with a stored record to the byte, terms that docs and sheets name, flags that
# the source raises, several terms, unknown ones, JSON. SP_UPDATE_GOLDEN=1 writes the golden files anew: read the
# difference before committing it. Usage: explain.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
unset NO_COLOR
fail() {
    echo "explain.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...: TEXT is in what is printed
    wanted=$1 text=$2
    shift 2
    code=0
    "$spmodel" explain "$@" >"$dir/out" 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat "$dir/out"; fail "explain $* exited with $code, not $wanted"; }
    grep -qF -- "$text" "$dir/out" || { cat "$dir/out"; fail "explain $*: no '$text'"; }
}

# Colours on a terminal, unless it has none.
if command -v script >/dev/null && TERM=xterm script -qec "'$spmodel' explain alpha" /dev/null >"$dir/out" 2>&1 </dev/null; then
    grep -q "$(printf '\033')\[" "$dir/out" || fail "no colours on a terminal"
    TERM=dumb script -qec "'$spmodel' explain alpha" /dev/null >"$dir/out" 2>&1 </dev/null
    ! grep -q "$(printf '\033')\[" "$dir/out" || fail "colours on a terminal that has none"
else
    echo "explain.sh: left out what a terminal gets: there is no 'script' here that gives one"
fi

# To the byte: formulas filled in, a model beside a simulation, a hint that fires, one that does not, a flag, what is
# unknown; hints that were tried, and what their gains were made of.
record=$source/tests/data/record-kkt_power.json
same() { # same NAME TERM... RECORD
    golden=$source/tests/golden/explain-$1.txt
    shift
    "$spmodel" explain "$@" >"$dir/out"
    if [ -n "${SP_UPDATE_GOLDEN:-}" ]; then
        cp "$dir/out" "$golden"
    fi
    diff "$golden" "$dir/out" || fail "the text differs from $golden"
}
same kkt_power B_C V losses model_fraction little A01 G01 J02 Q10 Q01 regressed 5 "$record"
same hints A01 E01 B01 gain "$source/tests/data/record-explain-hints.json"
same gains A01 C01 C02 "$source/tests/data/record-explain-gains.json"

# The bounds of CRS are said to be: a model of blocks lies below them.
"$spmodel" model gen:block:400:4:6:1 --format bcsr:4x4 --json="$dir/blocks.json" >/dev/null
tr -d '\n' <"$dir/blocks.json" | grep -q '"balance": *{"value": *4\.' || { cat "$dir/blocks.json"; fail "blocks of 4x4 have another balance"; }
expect 0 "In CRS at least 6 B/flop" B_C
expect 0 "In CRS at most 1/6 flop/B" I

# Tiles and COO read the same at the density that is printed, with what makes COO of CRS.
expect 0 "COO, no reuse, made of CRS n_nz (2 r + 3) + 2 n_nz" sddmm

# Half storage passes x and y once at least, as in docs/theory.md.
expect 0 "else max(2, 2 alpha n_h/n_r) + c W_h/n_r" half

# What docs, sheets and the program itself tell a reader to type.
grep -rhoE 'spmodel explain [A-Za-z0-9_-]+' "$source/docs" "$source/README.md" "$source/labs" "$source/src" "$source/model" |
    sed 's/spmodel explain //' | sort -u | grep -v -x -e TERM -e SYMBOL -e --record >"$dir/terms"
[ "$(wc -l <"$dir/terms")" -ge 25 ] || fail "only $(wc -l <"$dir/terms") terms were found in docs and sheets"
while read -r term; do
    expect 0 "" "$term"
done <"$dir/terms"

# A row of the losses, as the report prints it, is explained with its own number.
expect 0 "    losses.in_core " "in-core execution" "$record"

# Reports leave out the times of a machine that was too busy for them; where a formula has them, it is said.
sed '1s/{/{"conditions":{"state":"unusable","doubt":"9 of 9 samples were disturbed"},/' "$record" >"$dir/busy.json"
expect 0 "(unusable: its times are" performance "$dir/busy.json"

# A record has one saturation curve, of memory: a curve was measured also where the data are in a cache.
expect 0 "unknown (the record's saturation curve is that of memory" F01 "$source/tests/data/record-explain-sell.json"

# Headings of the report.
sed -n 's/^\([A-Z][A-Z ]*[A-Z]\)\( .*\)*$/\1/p' "$source"/tests/golden/report-*.txt | sed 's/  .*//' | tr 'A-Z' 'a-z' | sort -u >"$dir/headings"
[ "$(wc -l <"$dir/headings")" -ge 9 ] || fail "only $(wc -l <"$dir/headings") headings were found in reports"
while read -r heading; do
    expect 0 "" "$heading"
done <"$dir/headings"

expect 0 "heading of lab check" PREDICTIONS CHECKS
expect 0 "line EVENTS" EVENTS
for word in rule tried "not conclusive" covered refuted "of high conf." all "observed above 5 %" "observed to +-5 points"; do
    expect 0 "" "$word" # of the table of track hints
done
"$spmodel" track hints "$source/tests/data/record-explain-hints.json" >"$dir/scores"
grep -q "observed to +-5 points" "$dir/scores" || { cat "$dir/scores"; fail "track hints has other rows"; }
mkdir "$dir/empty"
code=0
"$spmodel" track hints "$dir/empty" >"$dir/scores" 2>&1 || code=$?
[ $code -eq 3 ] && grep -q "there are no records in" "$dir/scores" || { cat "$dir/scores"; fail "track hints of an empty folder exits with $code"; }

# Counts of GPUs, which no table without CUPTI has.
sed -n "s/^    .SP_GPU_[A-Z0-9_]*. = {\"\([a-z0-9_]*\)\", \"[a-zA-Z]*\"}.*/\1/p" "$source/probes/cuda/gpu_counters.c" >"$dir/counts"
[ "$(wc -l <"$dir/counts")" -ge 15 ] || fail "only $(wc -l <"$dir/counts") counts of GPUs were found"
while read -r count; do
    expect 0 "gpu-counts" "$count"
done <"$dir/counts"

# Flags that the source raises.
grep -rhoE 'sp_record_add_flag\([^"]*"[A-Za-z0-9]+"' "$source/src" | sed 's/.*"\(.*\)"/\1/' | sort -u >"$dir/flags"
grep -rhoE '^ *r, "Q[0-9][0-9]"|"Q[0-9][0-9]",$' "$source/src/session" | sed 's/.*"\(Q..\)".*/\1/' | sort -u >>"$dir/flags"
[ "$(wc -l <"$dir/flags")" -ge 12 ] || fail "only $(wc -l <"$dir/flags") flags were found in the source"
while read -r flag; do
    expect 0 "[Flags of records]" "$flag"
done <"$dir/flags"

# The list has every theme; several terms; spellings.
"$spmodel" explain >"$dir/out"
for theme in Symbols Formats Hints "Exit codes" Tracking "Flags of records"; do
    grep -qx "$theme" "$dir/out" || fail "the list has no '$theme'"
done
expect 0 "beta:" alpha beta
expect 0 "alpha:" "$(printf '\316\261')"
expect 0 "not-comparable:" "not comparable"
# Phrases of the six lines, in quotes, as several words, and with hyphens; a word beside one stays its own.
while read -r phrase; do
    expect 0 "[" "$phrase"
    expect 0 "[" $phrase
    expect 0 "[" "$(echo "$phrase" | tr ' ' -)"
done <<'P'
not explained
overlap of these
minimum traffic
for certain
parts exceed the time
x loaded once
roof too low
figures of
cold minimum
x in several caches
no counters in this VM
time per vector
gathers wait less than modelled
too many samples were disturbed
caches and ceilings are of another machine
P
expect 0 "lost:" not explained lost
expect 0 "rest:" not explained lost
expect 0 "line, right: measured on another machine" elsewhere
expect 0 "it counts another domain" elsewhere
[ "$("$spmodel" explain load imbalance | grep -c ' \[')" -eq 1 ] || fail "load imbalance is two terms"
expect 0 "exit-3:" 3
expect 0 "ways kept for some arrays" ways
expect 0 "ways kept for some arrays" partition
expect 0 "2 t_latency" ramp
expect 0 "row_ptr (n_r + 1)" row_ptr

# Unknown ones: what is near, exit code 2, the others all the same.
expect 2 "did you mean" regresed
expect 2 "no term 'no-such-word-at-all'" no-such-word-at-all
expect 2 "beta:" beta no-such-word-at-all
expect 2 "one record" V "$record" "$record"
expect 3 "no-such.json" V no-such.json
expect 2 "unrecognized option" V --csv

# The six lines with a record's figures: shares and what they are of, the formula filled in, nothing unknown.
expect 0 "71 % = 3.07 ms / 4.31 ms (a part of the possible)" lost "$record"
expect 0 "possible = W/max(V_min/b_S, W/P_core)" possible "$source/tests/data/record-explain-crs.json"
grep -q "= 5.222 Gflop/s" "$dir/out" || { cat "$dir/out"; fail "the possible is another one"; }
expect 0 "line trust" trust "$record"
grep -q -e '?' -e 'not in this record' -e '= unknown' "$dir/out" && { cat "$dir/out"; fail "figures that nobody knows"; }

# A trial that failed says why, in the record's words.
sed 's/"observed": *null/"observed": {"value": null, "unit": "1", "why": "it could not be measured"}, "outcome": "not tried", "trial": {"failed": "other programs disturbed 4 of 5 samples"}/g' \
    "$source/tests/data/record-explain-gains.json" >"$dir/failed.json"
expect 0 "not tried: other programs disturbed 4 of 5 samples" A01 "$dir/failed.json"

# The record by option or by name, the same text.
"$spmodel" explain V --record "$record" >"$dir/a"
"$spmodel" explain V "$record" >"$dir/b"
diff "$dir/a" "$dir/b" || fail "--record and a name say different things"

# JSON: whole, and nothing of it where nothing could be said.
"$spmodel" explain B_C A01 Q10 "$record" --json >"$dir/one.json"
tr -d '\n' <"$dir/one.json" | grep -q '"schema": *"spmodel.explain/1".*"filled": *"262.4 MB / 29.23 Mflop".*"fires": *true.*"raised": *true' ||
    { cat "$dir/one.json"; fail "JSON lacks something"; }
"$spmodel" explain --json="$dir/all.json" >"$dir/out"
[ "$(grep -c '"theme"' "$dir/all.json")" -gt 200 ] || fail "the list in JSON is short"
code=0
"$spmodel" explain no-such-word-at-all --json="$dir/none.json" >/dev/null 2>&1 || code=$?
[ $code -eq 2 ] && [ ! -e "$dir/none.json" ] || fail "an unknown term leaves a JSON file ($code)"

# A record that cannot move the cursor, and one that is hardly any.
sed 's/"name": "kkt_power"/"name": "a\\u001b[31mb"/' "$record" >"$dir/hostile.json"
"$spmodel" explain V "$dir/hostile.json" >"$dir/out"
grep -q "$(printf '\033')" "$dir/out" && fail "control characters of a record reach the terminal"
printf '%s' '{"schema": "spmodel.record/1", "id": "x", "status": "modelled", "time": {"start": "2026-01-01T00:00:00Z"}}' >"$dir/bare.json"
expect 0 "unknown" V B_C losses alpha A01 Q10 "$dir/bare.json"
grep -q -e ' nan' -e '(null)' "$dir/out" && fail "an empty record gives numbers that are none"
echo "explain: ok"
