#!/bin/sh
# The gallery is made by its script: every picture is there, whole and small, and docs/gallery.md shows the commands that
# make it. Of what is measured only the commands are compared. Usage: gallery.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "gallery.sh: $*"
    exit 1
}
if ! command -v gnuplot >/dev/null; then
    echo "SKIPPED: gnuplot is not installed"
    exit 77
fi
sh "$source/docs/make_gallery.sh" --no-measure "$spmodel" "$dir/out" >"$dir/log" 2>&1 || { cat "$dir/log"; fail "make_gallery.sh failed"; }
n=0
for image in $(sed -n 's/.*!\[[^]]*\](\([^)]*\)).*/\1/p' "$dir/out/gallery.md"); do
    grep -q '</svg>' "$dir/out/$image" || fail "$image is not whole"
    n=$((n + 1))
done
[ $n -ge 7 ] || fail "only $n pictures"
[ "$(find "$dir/out/images" -name '*.svg' | wc -l)" -eq $n ] || fail "pictures that the page does not show"
grep '^ *spmodel \|^!\[' "$dir/out/gallery.md" >"$dir/made"
grep '^ *spmodel \|^!\[' "$source/docs/gallery.md" | head -n "$(wc -l <"$dir/made")" >"$dir/page"
diff "$dir/page" "$dir/made" || fail "docs/gallery.md is not what docs/make_gallery.sh makes"
echo "gallery.sh: $n pictures ok"
