#!/bin/sh
# The page in a real browser, where there is one: light, dark, as wide as a telephone, on paper; it asks for no file and
# says nothing on its console. Pictures are left in FOLDER for people to look at, where that is given.
# Usage: html_browser.sh SPMODEL RECORD [FOLDER]
set -eu
spmodel=$1 record=$2 folder=${3:-}
browser=
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$browser" ] || browser=$(command -v $name || true)
done
[ -n "$browser" ] || { echo "SKIPPED: there is no chromium or google-chrome"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir"
fail() {
    echo "html_browser.sh: $*"
    exit 1
}
"$spmodel" plot -q --html "$dir/page.html" "$record"
look() { # look NAME WIDTH OPTIONS...
    name=$1 width=$2
    shift 2
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run \
        --disable-background-networking --user-data-dir="$dir/profile" --enable-logging=stderr --v=0 \
        --window-size="$width,3000" --log-net-log="$dir/$name.net" "$@" "file://$dir/page.html" >"$dir/$name.out" 2>"$dir/$name.err" ||
        { tail -n 5 "$dir/$name.err"; fail "$name: the browser ends with $?"; }
    ! grep CONSOLE "$dir/$name.err" || fail "$name: the page speaks on the console"
    ! grep -o '"url":"https*://[^"]*"' "$dir/$name.net" | grep -v 'google\|gvt1' || fail "$name: the page asks the network"
}
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --dump-dom about:blank >/dev/null 2>&1 ||
    { echo "SKIPPED: $browser does not start here"; exit 77; }
look light 1200 --screenshot="$dir/light.png"
look dark 1200 --force-dark-mode --blink-settings=preferredColorScheme=0 --screenshot="$dir/dark.png"
look telephone 500 --screenshot="$dir/telephone.png"
look paper 1200 --print-to-pdf="$dir/paper.pdf" --no-pdf-header-footer
for file in light.png dark.png telephone.png paper.pdf; do
    [ "$(wc -c <"$dir/$file")" -gt 10000 ] || fail "$file shows nothing"
done
! cmp -s "$dir/light.png" "$dir/dark.png" || fail "dark looks like light"
[ -z "$folder" ] || cp "$dir"/*.png "$dir"/*.pdf "$dir/page.html" "$folder"
echo "html_browser.sh: light, dark, telephone, paper with $browser"
