#!/bin/sh
# The README's pictures are what the build makes of their record. Usage: readme_picture.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "readme_picture.sh: $*; cmake --build build --target pictures makes it again"
    exit 1
}
for picture in analyze roofline; do
    grep -q "(docs/images/$picture.svg)" "$source/README.md" || fail "README.md does not show docs/images/$picture.svg"
done
grep -m 1 'α' "$source/README.md" | grep -q '(α: ' || fail "README.md uses α before it says what that is"
sh "$source/docs/images/make_pictures.sh" "$spmodel" "$dir"
diff "$source/docs/images/analyze.svg" "$dir/analyze.svg" || fail "docs/images/analyze.svg is out of date"
diff "$source/docs/images/roofline.gp" "$dir/roofline.gp" || fail "docs/images/roofline.gp is out of date"
if ! command -v gnuplot >/dev/null; then
    echo "readme_picture.sh: the script is what is drawn; gnuplot is not here: no picture was compared"
    exit 0
fi
# Versions of gnuplot differ in where things lie by a little, not in what is said.
words() { grep -v '<desc>' "$1" | grep -o '>[^<]*<'; }
words "$source/docs/images/roofline.svg" >"$dir/is"
words "$dir/roofline.svg" >"$dir/made"
[ "$(wc -l <"$dir/made")" -gt 20 ] || fail "a picture without words: what is compared?"
diff "$dir/is" "$dir/made" || fail "docs/images/roofline.svg is out of date"
