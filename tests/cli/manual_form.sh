#!/bin/sh
# The pages of the manual as their readers see them: groff, man and mandoc, those that are here, have nothing to say.
# Usage: manual_form.sh SPMODEL
set -eu
spmodel=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "manual_form.sh: $*"
    exit 1
}
silent() { # silent WHO FILE: nothing was said in $dir/said
    [ ! -s "$dir/said" ] || { cat "$dir/said"; fail "$1 complains about $2"; }
}
"$spmodel" help --man-pages "$dir/man"
[ -z "${SP_TEST_PROGRAM_ALONE:-}" ] || { echo "manual_form.sh: the pages are made; those of the build without sanitizers are read"; exit 0; }
seen=''
for page in "$dir"/man/man?/*; do
    if command -v groff >/dev/null 2>&1; then
        seen="$seen groff"
        groff -ww -man -Tutf8 -z "$page" >/dev/null 2>"$dir/said" || fail "groff fails on $page"
        silent groff "$page"
    fi
    if command -v mandoc >/dev/null 2>&1; then
        seen="$seen mandoc"
        mandoc -T lint -W warning "$page" >"$dir/said" 2>&1 || true
        silent mandoc "$page"
    fi
done
if command -v man >/dev/null 2>&1 && man --warnings -l "$dir/man/man1/spmodel.1" >/dev/null 2>&1; then
    seen="$seen man"
    for page in "$dir"/man/man?/*; do
        LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -P cat "$page" >"$dir/shown" 2>"$dir/said" || fail "man fails on $page"
        silent man "$page"
        [ "$(wc -l <"$dir/shown")" -ge 10 ] || fail "man shows nothing of $page"
    done
fi
[ -n "$seen" ] || { echo "SKIPPED: neither groff nor mandoc nor man is here"; exit 77; }
echo "manual_form.sh: read by$(printf '%s\n' $seen | sort -u | tr '\n' ' ' | sed 's/^/ /')"
