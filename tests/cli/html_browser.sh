#!/bin/sh
# The page in a real browser, where there is one: light, dark, as wide as a telephone, on paper; it asks for no file,
# says nothing on its console, and does not scroll sideways on a telephone. Pictures are left in FOLDER for people to look at, where that is given.
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
# A long name without a blank takes no room from the figures beside it, and one line of the list of contents.
name=$(printf '%060d' 0 | tr 0 W)
sed "s/kkt_power/$name/g; s/\"curves\":/\"no curves\":/" "$record" >"$dir/long.json"
sed "s/WWW/VVV/g" "$dir/long.json" >"$dir/other.json"
"$spmodel" plot -q --html "$dir/long.html" "$dir/long.json" "$dir/other.json"
[ -z "${SP_TEST_PROGRAM_ALONE:-}" ] || { echo "html_browser.sh: the pages are made; a browser reads those of the build without sanitizers"; exit 0; }
look() { # look NAME WIDTH OPTIONS...
    name=$1 width=$2
    shift 2
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --no-first-run \
        --disable-background-networking --user-data-dir="$dir/profile" --enable-logging=stderr --v=0 \
        --window-size="$width,3000" --log-net-log="$dir/$name.net" "$@" "file://$dir/page.html" >"$dir/$name.out" 2>"$dir/$name.err" ||
        { tail -n 5 "$dir/$name.err"; fail "$name: the browser ends with $?"; }
    ! grep CONSOLE "$dir/$name.err" || fail "$name: the page speaks on the console"
    ! grep -o '"url":"https*://[^"]*"' "$dir/$name.net" | grep -v 'google\|gvt1\|gstatic' || fail "$name: the page asks the network"
}
"$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --dump-dom about:blank >/dev/null 2>&1 ||
    { echo "SKIPPED: $browser does not start here"; exit 77; }
look light 1200 --screenshot="$dir/light.png"
look dark 1200 --force-dark-mode --blink-settings=preferredColorScheme=0 --screenshot="$dir/dark.png"
look telephone 500 --screenshot="$dir/telephone.png"
# A window has no less than 500 pixels; a frame may have 390. A page around it may ask how wide it wants to be.
framed() { # framed NAME PAGE WIDTH QUESTION: what the page says of itself in a frame of this width
    cat >>"$dir/frames.html" <<END
<iframe id="$1" src="$2" style="border:0;width:$3px;height:2000px"></iframe>
<script>$1.onload = () => document.body.append("$1: " + (d => $4)($1.contentDocument) + ".")</script>
END
}
says() { # says NAME ANSWER FAULT
    grep -q "$1: $2\." "$dir/frames.out" || { grep -o "$1: [^.]*\." "$dir/frames.out"; fail "$3"; }
}
echo '<!DOCTYPE html><body>' >"$dir/frames.html"
framed telephone page.html 390 'd.documentElement.scrollWidth'
framed figures long.html 1150 'd.querySelector(".box").scrollWidth > d.querySelector(".box").clientWidth'
framed contents long.html 1000 'd.querySelector("nav li").clientHeight > 40'
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$dir/profile" \
    --allow-file-access-from-files --virtual-time-budget=5000 --dump-dom "file://$dir/frames.html" >"$dir/frames.out" 2>"$dir/frames.err" ||
    fail "the frames: the browser ends with $?"
says telephone 390 "a telephone scrolls the page sideways"
says figures false "a long name drives the figures out of the window"
says contents false "a long name fills the list of contents"
look paper 1200 --print-to-pdf="$dir/paper.pdf" --no-pdf-header-footer
for file in light.png dark.png telephone.png paper.pdf; do
    [ "$(wc -c <"$dir/$file")" -gt 10000 ] || fail "$file shows nothing"
done
pages=$(grep -ao '/Count [0-9]*' "$dir/paper.pdf" | sed 's/.* //' | sort -n | tail -n 1)
[ "${pages:-0}" -ge 1 ] && [ "$pages" -le 4 ] || fail "it takes '$pages' printed pages, not 1 to 4"
! cmp -s "$dir/light.png" "$dir/dark.png" || fail "dark looks like light"
[ -z "$folder" ] || cp "$dir"/*.png "$dir"/*.pdf "$dir/page.html" "$folder"
echo "html_browser.sh: light, dark, telephone, paper with $browser"
