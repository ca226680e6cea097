#!/bin/sh
# The tests of the documents are none if they cannot fail: documents that name an unknown command, option, file or identifier,
# promise another exit code, or hide a command where nobody looks, are refused, and in the right words.
# Usage: documents_refuse.sh SPMODEL SOURCE FOLDER
set -eu
spmodel=$1 source=$2 folder=$3
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    cat "$dir/out"
    echo "documents_refuse.sh: $*"
    exit 1
}
refused() { # refused WORDS: in $dir/page.md, by what ran last with its exit code $code
    [ $code -ne 0 ] || fail "accepted: $(cat "$dir/page.md")"
    grep -q -- "$1" "$dir/out" || fail "no '$1'"
}
typed() { code=0; sh "$here/documents.sh" "$spmodel" "$dir" "$folder" page.md >"$dir/out" 2>&1 || code=$?; }
named() { code=0; sh "$here/names.sh" "$spmodel" "$source" "$dir/page.md" >"$dir/out" 2>&1 || code=$?; }
page() { printf '%b\n' "$1" >"$dir/page.md"; }

page '```sh\nspmodel anlyze M\n```'; typed; refused "page.md:2: 'spmodel anlyze M' ended with exit code 2"
page 'Type `spmodel info M --nothing`.'; typed; refused "exit code 2"
page '    spmodel info there-is-none.mtx'; typed; refused "exit code 3"
page '<!-- run: exit 3 -->\n\n    spmodel info M'; typed; refused "not with 3"
page '```\nspmodel info M\n```'; typed; refused "outside of a block of commands"
page '<!-- run: perhaps -->\n\n    spmodel info M'; typed; refused "nobody understands"
page '```sh\nspmodel info "M\n```'; typed; refused "does not end"
page '```sh\nexit 0\nspmodel anlyze\n```'; typed; refused "does not hold"
page '<!-- run: not: somebody else'"'"'s machine -->\n\n    spmodel info M'; typed
[ $code -eq 0 ] && grep -q "^skipped .*somebody else's machine" "$dir/out" || fail "a skip without its reason"
page '<!-- file: a/b.txt -->\n```text\nwords\n```\n\n```sh\ncd a\nX=5\nfor i in 1 2; do\n    test $i -lt $X\ndone\ngrep -qx words b.txt\n```'; typed
[ $code -eq 0 ] || fail "a file, a loop, and a state that stays"

# All on one page, since the names that there are take seconds to gather.
page 'A `spmodel analyze M --nothing`, a `track frobnicate`, a `--no-such-option`.\n
<!-- run: not: only looked at -->\n\n    FOO=1 srun -N 2 spmodel anlyze M\n
A `src/no/such/file.c`, `sp_no''_such_function`, [a page](no-such-page.md), `sp_analyze` (`session/analyze/setup.c`).\n
A picture: ![](x.png)'; named
for words in "no option --nothing of spmodel analyze" "track has no verb 'frobnicate'" "no option --no-such-option" \
    "no command 'spmodel anlyze'" "no file src/no/such/file.c" "nothing is called sp_no.*_function" "a link to '.*no-such-page.md'" \
    "sp_analyze is not in session/analyze/setup.c" "an image without a text"; do refused "$words"; done
echo "documents_refuse.sh: ok"
