#!/bin/sh
# A mistake in the text files that tables are made of (model/formulas, src/cli/explain/terms) ends the build with a message
# that says where. Usage: check_texts.sh SOURCE
set -eu
cd "$1"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
reader=model/formulas/formulas.awk
cat >"$dir/ok.txt" <<'END'
symbol: a [B] one
symbol: b [B] another
formula: both [B] their sum
is: a + b
theory: Symbols
END
bad=0
refused() { # refused MESSAGE SCRIPT TEXT...: a line each, behind what is right
    message=$1 script=$2
    shift 2
    printf '%s\n' "$@" >"$dir/bad.txt"
    if awk -f $reader -f "$script" "$dir/ok.txt" "$dir/bad.txt" >/dev/null 2>"$dir/error"; then
        echo "check_texts.sh: passes, but should be: $message"
        bad=1
    elif ! grep -qF -- "$message" "$dir/error" || ! grep -q '^[^ ]*: ' "$dir/error"; then
        echo "check_texts.sh: not '$message', but: $(cat "$dir/error")"
        bad=1
    fi
}
formula() {
    message=$1
    shift
    refused "$message" model/formulas/to_c.awk "$@"
}
formula "no key 'units' here" 'units: none'
formula "neither a key nor a line that goes on" 'What is this?'
formula "a symbol is NAME [UNIT] MEANING" 'symbol: c'
formula "the symbol a is there already" 'symbol: a [B] again'
formula "the formula both is there already" 'formula: both [B] again'
formula "'d' is no symbol" 'formula: other [B] one' 'is: a + d'
formula "'cos' is no symbol" 'formula: other [B] one' 'is: cos(a)'
formula "no formula none" 'formula: other [B] one' 'is: a*{none}'
formula "'a + b' needs parentheses" 'formula: other [B] one' 'is: a*{both}'
formula "other has two of is" 'formula: other [B] one' 'is: a' 'is: b'
formula "a { without }" 'formula: other [B] one' 'is: a*{both'
formula "other has no formula, or no place in docs/theory.md" 'formula: other [B] one' 'is: a'
formula "a backslash or tabulator stands in formula" 'formula: other [B] o\ne'
term() {
    message=$1
    shift
    refused "$message" src/cli/explain/terms/to_c.awk 'theme: Words' "$@"
}
term "no key 'tekst'" 'term: word: one' 'tekst: of it'
term "no term has this text" 'text: of nothing'
term "a term is NAME: TITLE" 'term: word'
term "word has two of text" 'term: word: one' 'text: of it' 'text: again'
term "a flag among those of another kind" 'term: word: one' '' 'flag: Q01: other'
term "see nothing, which is not explained" 'term: word: one' 'see: nothing'
term "it refers to itself" 'term: word: one' 'see: word'
term "word has more than 8 fields" 'term: word: one' 'fields: a b c d e f g h i'
term "a number is RESULT [UNIT] = FORMULA" 'term: word: one' 'number: both = a + b'
term "no number has this record" 'term: word: one' 'record: metrics.bytes'
term "two of record" 'term: word: one' 'number: both [B] = {both}' 'record: a.b' 'record: a.b'
term "the unit of both is B" 'term: word: one' 'number: both [s] = {both}'
term "no formula V" 'term: word: one' 'number: V [B] = {V}'
term "no formula of V holds for this" 'term: word: one' 'number: V [B] = {V*}'
printf '%s\n' 'theme: Words' 'term: word: one' 'see: other' 'number: both [B] = 2*({both})/a' '' 'term: other: two' >"$dir/bad.txt"
awk -f $reader -f src/cli/explain/terms/to_c.awk "$dir/ok.txt" "$dir/bad.txt" | grep -qF '{"both", "2*(a + b)/a", "B",' ||
    { echo "check_texts.sh: a text without mistakes is not made into a table"; bad=1; }
exit $bad
