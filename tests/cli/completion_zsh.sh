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
[ -z "${SP_TEST_PROGRAM_ALONE:-}" ] || { echo "completion_zsh.sh: it is written; zsh reads that of the build without sanitizers"; exit 0; }
zsh -n "$dir/functions/_spmodel" || fail "zsh cannot read it"
ln -s "$spmodel" "$dir/bin/spmodel"
cd "$dir/work"
touch matrix.mtx
# A shell on a terminal of its own lists what it would complete; nothing is ever entered there. Usage: ask LINE FOLDER WORD
cat >"$dir/ask" <<'Z'
zmodload zsh/zpty
await() { # await MARK: until it has come, at most 30 s
    local part
    for (( i = 0; i < 300; i++ )); do
        while zpty -rt shell part; do all+=$part; done
        [[ $all != *${~1}* ]] || return 0
        sleep 0.1
    done
    return 1
}
zpty -b shell "HOME=$2 TERM=dumb zsh -f -i"
zpty -w shell "stty columns 400 rows 200; path=($2/bin \$path); fpath=($2/functions \$fpath)"
zpty -w shell "autoload -Uz compinit; compinit -u -D; bindkey '^X' list-choices; LISTMAX=0; PS1=GO''AHEAD"
await GOAHEAD || { print -r -- $all; print no prompt; exit 1 }
all=
zpty -w -n shell "$1"$'\x18'
await $'[\r\n ]'$3$'[\r\n ]' || { print -r -- $all; exit 1 }
zpty -d shell
Z
# All at once: a shell that is asked mostly waits.
n=0
offers() { # offers WORD LINE
    n=$((n + 1))
    { timeout 100 zsh -f "$dir/ask" "$2" "$dir" "$1" >"$dir/said$n" 2>&1 </dev/null || echo "'$2' does not offer $1" >"$dir/not$n"; } &
}
offers analyze 'spmodel a'
offers check 'spmodel track c'
offers sellu 'spmodel analyze --format='
offers --try-hints 'spmodel analyze --'
offers a64fx 'spmodel model --machine '
offers all 'spmodel model --machine a64fx,'
offers nnz 'spmodel sweep --schedule rows,'
offers measure 'spmodel machine '
offers laplace3d: 'spmodel generate '
offers matrix.mtx 'spmodel info '
offers machine-files 'spmodel help --man '
offers check 'spmodel help track '
offers check 'spmodel help --man track '
wait
for i in $(seq $n); do
    [ ! -f "$dir/not$i" ] || { cat "$dir/said$i"; fail "$(cat "$dir/not$i")"; }
done
echo "completion_zsh.sh: $n times zsh reads it and offers"
