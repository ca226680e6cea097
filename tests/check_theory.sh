#!/bin/sh
# The formulas of docs/theory.md are those of model/formulas (SP_UPDATE_GOLDEN=1 writes them into it). Every test that docs/theory.md names for a number is there and runs: `file/case` is START_TEST(case) of
# tests/test_file.c, added to its suite. Pages name no picture that is absent or large. Usage: check_theory.sh SOURCE
set -eu
cd "$1"
bad=0
complain() {
    echo "check_theory.sh: $*"
    bad=1
}
page=docs/theory.md
made=$(mktemp)
trap 'rm -f "$made"' EXIT
files=$(sed -n 's/^set(files \(.*\))$/\1/p' model/CMakeLists.txt)
# shellcheck disable=SC2086 # a list of files
if (cd model/formulas && LC_ALL=C awk -v page=../../$page -f formulas.awk -f to_page.awk $files) >"$made"; then
    [ -z "${SP_UPDATE_GOLDEN:-}" ] || cp "$made" $page
    diff $page "$made" || complain "$page has other formulas than model/formulas"
else
    complain "the formulas of $page cannot be made"
fi
n=0
for name in $({ cat docs/theory.md docs/validation.md bench/validate.sh tests/validation.c 2>/dev/null; sed -n "s/.*|test \([^ ]*\) .*/\`\1\`/p" tests/published.txt; } | grep -o '[`"][a-z_]*/[a-zA-Z_]*[`"]' | tr -d '`"' | sort -u); do
    file=tests/test_${name%/*}.c case=${name#*/}
    [ -e "$file" ] || continue # a folder, not a test
    n=$((n + 1))
    grep -q "^START_TEST($case)" "$file" || complain "$name is named, and no test"
    grep -q "add_\(loop_\)\{0,1\}test(.*\b$case\b" "$file" || complain "$name is never run"
done
[ $n -ge 25 ] || complain "only $n tests are named for the numbers of the theory"
for page in README.md docs/*.md; do
    for image in $(sed -n 's/.*!\[[^]]*\](\([^)]*\)).*/\1/p' "$page"); do
        path=$(dirname "$page")/$image
        [ -s "$path" ] || { complain "$page shows $image, which is not there"; continue; }
        case $image in
        *.svg)
            [ "$(wc -c <"$path")" -lt 80000 ] || complain "$image is larger than 80 kB"
            grep -q '</svg>' "$path" || complain "$image is not whole"
            ;;
        esac
    done
done
for image in docs/images/*.png docs/images/*.svg; do
    cat README.md docs/*.md docs/results/*.md | grep -q "images/$(basename "$image")" || complain "$image is on no page"
done
exit $bad
