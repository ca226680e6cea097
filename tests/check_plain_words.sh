#!/bin/sh
# The phrases that plain_words.txt replaces stand nowhere where a user reads them: neither in the program's texts nor in
# documents, sheets of labs and goldens. Usage: check_plain_words.sh SOURCE_DIR
set -eu
cd "$1"
rows=$(grep -v '^#' tests/plain_words.txt)
[ "$(printf '%s\n' "$rows" | wc -l)" -ge 10 ] || { echo "tests/plain_words.txt has no phrases"; exit 1; }
code=$(find src model kernels probes plots attach -name '*.c' -o -name '*.inc' -o -name '*.cu')
read=$(find README.md CONTRIBUTING.md docs labs tests/golden examples src/cli/explain/terms model/formulas -name '*.md' -o -name '*.json' -o -name '*.txt' |
    grep -v -e '^docs/results/' -e '^docs/style.md$')
printf '%s\n' "$rows" | {
    bad=0
    while IFS='|' read -r phrase instead stays; do
        # A line of C is what users read where the phrase is in a text; comments are for programmers.
        # shellcheck disable=SC2086 # lists of words
        found=$({ grep -n "\"[^\"]*$phrase" $code | grep -v ':[0-9]*: *\(/\*\|\*\)'; grep -nF -- "$phrase" $read; } || true)
        for place in $stays; do
            found=$(printf '%s\n' "$found" | grep -v "^$place" || true)
        done
        [ -z "$found" ] || { bad=1; echo "say \"$instead\", not \"$phrase\", which stands in:"; printf '%s\n' "$found" | cut -c1-160; }
    done
    exit $bad
}
