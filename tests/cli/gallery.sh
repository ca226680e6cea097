#!/bin/sh
# The gallery is made by its script. The page: headings, prose, commands and captions of docs/gallery.md, in their order, are
# those of docs/make_gallery.sh; what commands printed and where it was measured is left out. The pictures, where gnuplot is
# here: each is made, of a smaller matrix, whole, and on the page. Usage: gallery.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "gallery.sh: $*"
    exit 1
}
make() { sh "$source/docs/make_gallery.sh" "$@" >"$dir/log" 2>&1 || { cat "$dir/log"; fail "make_gallery.sh $* failed"; }; }
# What depends on numbers becomes `...`: a block of text, but for files, and the machine and day of the measurements.
skeleton() {
    sed 's/^\(The following were measured on \).*\( and without counters:\)/\1...\2/' "$1" | awk '
        inside { if ($0 == "```") inside = 0; else next }
        { print }
        $0 == "```text" && before !~ /^<!-- file:/ { inside = 1; print "..." }
        { before = $0 }'
}
images() { sed -n 's/.*!\[[^]]*\](\([^)]*\)).*/\1/p' "$1"; }
# The words of labels; numbers, where they stand, and what gnuplot says of itself are left out.
words() { grep -v '<desc>' "$1" | grep -o '>[^<]*<' | tr -cs 'A-Za-z' '\n' | grep -E '^.{4,}$' | sort -u; }

make --page "$dir/page"
skeleton "$source/docs/gallery.md" >"$dir/is"
skeleton "$dir/page/gallery.md" >"$dir/made"
diff "$dir/is" "$dir/made" || fail "docs/gallery.md (<) is not what docs/make_gallery.sh makes (>)"
[ "$(grep -c '^#' "$dir/is")" -ge 10 ] || fail "a page without headings: what is compared?"
images "$source/docs/gallery.md" >"$dir/shown"
[ "$(wc -l <"$dir/shown")" -ge 11 ] || fail "only $(wc -l <"$dir/shown") pictures on the page"
while IFS= read -r image; do
    grep -q '</svg>' "$source/docs/$image" || fail "docs/$image is not whole"
done <"$dir/shown"

if ! command -v gnuplot >/dev/null; then
    echo "gallery.sh: the page is what its script makes; gnuplot is not here: no picture was drawn"
    exit 0
fi
make --small "$spmodel" "$dir/out"
n=0
for image in $(images "$dir/out/gallery.md"); do
    grep -q '</svg>' "$dir/out/$image" || fail "$image is not whole"
    words "$source/docs/$image" >"$dir/is"
    words "$dir/out/$image" >"$dir/made"
    diff "$dir/is" "$dir/made" || fail "docs/$image (<) says something else than what is drawn now (>)"
    n=$((n + 1))
done
[ $n -ge 7 ] || fail "only $n pictures"
[ "$(find "$dir/out/images" -name '*.svg' | wc -l)" -eq $n ] || fail "pictures that the page does not show"
skeleton "$dir/out/gallery.md" >"$dir/made"
skeleton "$source/docs/gallery.md" | head -n "$(wc -l <"$dir/made")" | diff - "$dir/made" || fail "a page that was run is another"
echo "gallery.sh: the page is what its script makes, $n pictures ok"
