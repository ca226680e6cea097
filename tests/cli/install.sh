#!/bin/sh
# `cmake --install`: what belongs together is where the FHS wants it, and the program finds it when the whole is moved, without
# a look into the tree that it was built from: with its own data taken away it finds none. What documents link is there, too.
# Usage: install.sh CMAKE BUILD SOURCE
set -eu
cmake=$1 build=$2 source=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_DATA_HOME="$dir/home" XDG_CACHE_HOME="$dir/home/cache"
unset SPMODEL_STORE SPMODEL_HELPER || true
mkdir -p "$dir/home" "$dir/work"
. "$here/this_machine.sh"
this_machine
fail() {
    echo "install.sh: $*"
    exit 1
}
folder() { sed -n "s/^CMAKE_INSTALL_$1:PATH=//p" "$build/CMakeCache.txt" | grep . || echo "$2"; } # as GNUInstallDirs has it

# Staged for a package: everything is below DESTDIR, under the prefix.
DESTDIR="$dir/stage" "$cmake" --install "$build" --prefix /opt/spmodel >"$dir/out" 2>&1 || { cat "$dir/out"; fail "the installation failed"; }
[ -x "$dir/stage/opt/spmodel/$(folder BINDIR bin)/spmodel" ] || fail "DESTDIR is not obeyed"
[ "$(ls "$dir/stage")" = opt ] || fail "something is outside the prefix: $(ls "$dir/stage")"

# Moved to another place.
mv "$dir/stage/opt/spmodel" "$dir/moved place"
cd "$dir/moved place"
share=$(folder DATADIR share) man=$(folder MANDIR share/man) doc=$(folder DOCDIR share/doc/spmodel)
for file in "$(folder LIBEXECDIR libexec)/spmodel/spmodel-counters" "$share/spmodel/machines/a64fx.json" "$share/spmodel/labs/00-roofline/sheet.md" \
    "$man/man1/spmodel.1" "$man/man1/spmodel-track-check.1" "$man/man7/spmodel-formats.7" "$share/bash-completion/completions/spmodel" \
    "$share/zsh/site-functions/_spmodel" "$doc/LICENSE" "$doc/docs/records.md" "$share/spmodel/data/demo.mtx.gz"; do
    [ -s "$file" ] || { find . | sort; fail "no $file"; }
done
for name in $(ls "$share/spmodel") spmodel.h; do
    sed -n '/^| below the prefix/,/^$/p' "$doc/docs/install.md" | grep -qE "[/\`]$name\`" || fail "docs/install.md does not say that $name is installed"
done
[ ! -e "$build/libspmodel-cuda.so" ] || [ -s "$(folder LIBDIR lib)/spmodel/libspmodel-cuda.so" ] || fail "the module of GPUs was not installed"
[ -z "$(find . -name solution.json)" ] || fail "solutions of labs are installed"
spmodel="$PWD/$(folder BINDIR bin)/spmodel"

# Every relative link and image of a document leads to something inside the tree.
top=$(pwd -P)
find . -name '*.md' | sort >"$dir/documents"
while IFS= read -r document; do
    awk -f "$here/commands.awk" "$document" | cut -f 2- | sed -n 's/^link\t//p' |
        grep -vE '^([a-z]+:|#)' | sed 's/#.*//' >"$dir/links" || true # none
    while IFS= read -r link; do
        n_links=$((${n_links:-0} + 1))
        target="$(dirname "$document")/$link"
        [ -d "$target" ] || [ -s "$target" ] || fail "$document links $link, which is not installed"
        [ -d "$target" ] || target=$(dirname "$target")
        case $(cd "$target" && pwd -P)/ in "$top"/*) ;; *) fail "$document links $link, outside of what is installed" ;; esac
    done <"$dir/links"
done <"$dir/documents"
[ "${n_links:-0}" -ge 30 ] || fail "only ${n_links:-0} links in $(wc -l <"$dir/documents") documents: they are not understood"

cd "$dir/work"
run() { "$spmodel" "$@" >"$dir/out" 2>"$dir/err" || { cat "$dir/out" "$dir/err"; fail "spmodel $* exits with $?"; }; }
run machine list -v
[ "$(grep -c '\.json$' "$dir/out")" -eq "$(find "$source/machines" -name '*.json' | wc -l)" ] || { cat "$dir/out"; fail "not all machines"; }
if grep '\.json$' "$dir/out" | grep -v "/moved place/"; then fail "machines from elsewhere"; fi
run lab list
[ "$(wc -l <"$dir/out")" -eq "$(find "$source/labs" -name lab.json | wc -l)" ] || { cat "$dir/out"; fail "not all labs"; }
run lab start 1 --student ada --small
[ -s lab-1/sheet.md ] || fail "no sheet"
run explain alpha
run help formats
run info gen:laplace2d:30
run model gen:laplace2d:30 --machine icx-8360y
code=0 # on a machine that is shared samples may decide nothing
"$spmodel" analyze gen:laplace2d:60 --budget 50ms --no-plots --no-hints >"$dir/out" 2>&1 || code=$?
[ $code -eq 0 ] || [ $code -eq 5 ] || { cat "$dir/out"; fail "analyze exits with $code"; }
"$spmodel" doctor >"$dir/out" 2>&1 || { cat "$dir/out"; fail "doctor"; }
if grep -q 'spmodel-counters.*not' "$dir/out"; then cat "$dir/out"; fail "the helper is not found"; fi
if command -v man >/dev/null 2>&1 && man -l "$dir/moved place/$man/man1/spmodel.1" >/dev/null 2>&1; then
    MANPATH="$dir/moved place/$man" man spmodel-track-check >"$dir/out" 2>&1 || { cat "$dir/out"; fail "man spmodel-track-check"; }
    grep -q 'spmodel-track-check' "$dir/out" || fail "man shows another page"
else
    echo "install.sh: man is not here (or shows nothing): its pages were not asked for"
fi

# Through a link it is the same; without its data it has none, though the source tree may still be there.
ln -s "$spmodel" linked
[ "$(./linked lab list | wc -l)" -gt 5 ] || fail "a link to the program finds no labs"
rm -r "$dir/moved place/$share/spmodel"
code=0
"$spmodel" lab list >"$dir/out" 2>&1 || code=$?
[ $code -eq 4 ] || { cat "$dir/out"; fail "labs from elsewhere: exit code $code"; }
"$spmodel" machine list >"$dir/out" 2>&1 || true
if grep -q a64fx "$dir/out"; then cat "$dir/out"; fail "machines from elsewhere"; fi
echo "install.sh: installed, moved, and whole, $n_links links too"
