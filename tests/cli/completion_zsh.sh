#!/bin/sh
# The completion of zsh: its syntax, and what it offers in a shell of its own, where zsh is here. Usage: completion_zsh.sh SPMODEL
set -eu
spmodel=$1
command -v zsh >/dev/null 2>&1 || { echo "SKIPPED: zsh is not here"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "completion_zsh.sh: $*"
    exit 1
}
mkdir "$dir/functions" "$dir/bin" "$dir/work"
"$spmodel" completion zsh -o "$dir/functions/_spmodel"
zsh -n "$dir/functions/_spmodel" || fail "zsh cannot read it"
ln -s "$spmodel" "$dir/bin/spmodel"
cd "$dir/work"
touch matrix.mtx
# A shell on a terminal of its own, which lists what it would complete.
cat >"$dir/ask" <<'Z'
zmodload zsh/zpty
zpty shell "HOME=$2 TERM=dumb zsh -f -i"
zpty -w shell "PS1=; path=($2/bin \$path); fpath=($2/functions \$fpath); autoload -Uz compinit; compinit -u -D; stty columns 400 rows 200"
zpty -w shell "zstyle ':completion:*' list-colors ''; bindkey '^I' complete-word; bindkey '^X' list-choices; LISTMAX=0; echo READY"
zpty -r -m shell line '*READY*READY*'
zpty -w -n shell "$1"$'\x18'
zpty -w -n shell $'\x15'"echo OVER"$'\n'
typeset all= part
while zpty -r shell part; do
    all+=$part
    [[ $all == *OVER*OVER* ]] && break
done
print -r -- $all
zpty -d shell
Z
offers() { # offers WORD LINE
    timeout 60 zsh -f "$dir/ask" "$2" "$dir" >"$dir/said" 2>&1 </dev/null || true
    tr -s '\r ' '\n\n' <"$dir/said" | grep -qxF -e "$1" || { cat "$dir/said"; fail "'$2' does not offer $1"; }
}
offers analyze 'spmodel a'
offers check 'spmodel track c'
offers sellu 'spmodel analyze --format='
offers --try-hints 'spmodel analyze --'
offers a64fx 'spmodel model --machine '
offers matrix.mtx 'spmodel info '
echo "completion_zsh.sh: zsh reads it and offers"
