#!/bin/sh
# Every test that docs/theory.md names for a number is there and runs: `file/case` is START_TEST(case) of
# tests/test_file.c, added to its suite. Pages name no picture that is absent or large. Usage: check_theory.sh SOURCE
set -eu
cd "$1"
bad=0
complain() {
    echo "check_theory.sh: $*"
    bad=1
}
n=0
for name in $(cat docs/theory.md docs/validation.md bench/validate.sh tests/validation.c 2>/dev/null | grep -o '[`"][a-z_]*/[a-zA-Z_]*[`"]' | tr -d '`"' | sort -u); do
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
