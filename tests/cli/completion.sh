#!/usr/bin/env bash
# The completion of bash as readline calls it: words cut at = and :, what is offered, and that every word which is offered
# for an option is one that the option takes. Usage: completion.sh SPMODEL
set -eu
spmodel=$1
words=$(cd "$(dirname "$0")/../.." && pwd)/src/base/option
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_DATA_HOME="$dir/home" XDG_CACHE_HOME="$dir/home"
fail() {
    echo "completion.sh: $*"
    exit 1
}
mkdir -p "$dir/work/sub" "$dir/home"
cd "$dir/work"
touch matrix.mtx matrix.mtx.gz notes.txt record.json
"$spmodel" completion bash -o "$dir/script" || fail "no script"
"$spmodel" completion bash | cmp -s - "$dir/script" || fail "-o writes another script"
# shellcheck disable=SC1091
source "$dir/script"

offers() { # offers EXPECTED WORDS...: all that is offered for the last of WORDS, which are cut as readline cuts them
    local expected=$1 got
    shift
    COMP_WORDS=("$spmodel" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _spmodel
    got=$(printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | sort)
    got=${got//$'\n'/ }
    [[ $got == "$expected" ]] || fail "spmodel $*: offers '$got', not '$expected'"
}
has() { # has WORD WORDS...: it is among what is offered
    local word=$1
    shift
    COMP_WORDS=("$spmodel" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _spmodel
    printf '%s\n' ${COMPREPLY[@]+"${COMPREPLY[@]}"} | grep -qxF -e "$word" || fail "spmodel $*: '$word' is not among: ${COMPREPLY[*]}"
}

COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
offers analyze an
offers 'campaign compare completion convert' c
offers --version --v
offers check track ch
offers 'list' lab l
offers --format= analyze --fo
has --json analyze --js
has --json= analyze --js
offers 'sell sellu' analyze --format = sell
offers 'sell sellu' analyze --format sell
offers 'crs' analyze matrix.mtx --format = cr
offers 'auto' analyze --format = au
offers '' import --format = au
offers 'crs,sell crs,sellu' sweep --format = crs,sell
offers '8,1,crs' sweep --format = sell : 8,1,cr
offers 'f16 f32 f64' analyze --precision f
offers 'always auto' track check --color = a
offers 'mtx.gz' convert --format mtx.g
offers 'axpy,dot' analyze --between = axpy,d
offers 'quiet' doctor --require q
offers 'pin,plots' doctor --require = pin,pl
has bandwidth_fraction track check --metric bandwidth_f
offers 'roofline' plot --kind roo
offers 'svg' track plot --term s
# Machines and labs are asked for as they are now; a user's own machine is there at once.
export XDG_DATA_HOME=$PWD/own
machines=$XDG_DATA_HOME/spmodel/machines
mkdir -p "$machines" machines
cp "$("$spmodel" machine list -v | sed -n 's/^ *\(\/.*a64fx.json\)$/\1/p')" "$machines/mine.json"
cp "$machines/mine.json" machines/anybodys.json # of the current folder: not asked for
cp "$machines/mine.json" "$machines"/'$(touch EXECUTED).json' # the name of a file is data
offers mine model matrix.mtx --machine = mi
[[ ! -e EXECUTED ]] || fail "completing ran a command that stands in the name of a file"
rm "$machines"/'$(touch EXECUTED).json'
offers '' model matrix.mtx --machine = anybody
offers a64fx,mine model matrix.mtx --machine = a64fx,mi
has a64fx machine show a6
has measure machine me
has 8 lab start ''
# Matrices, records, folders and other files.
offers 'matrix.mtx matrix.mtx.gz' analyze mat
offers 'sub' analyze su
offers '' analyze notes
offers 'laplace2d: laplace3d:' analyze gen : lap
offers 'record.json' compare rec
offers 'record.json' explain --record rec
offers 'sub' analyze -o s
offers 'notes.txt' campaign no
offers 'asv=' track export --to as
offers 'a64fx-papi' validate --map a64
offers alpha_min explain alpha_mi
offers formats help form
offers check help track ch
# Options of help may stand before and between what it is asked for; a value of one is not that.
offers formats help --man form
offers campaign help --man ca
offers check help --man track ch
offers check help track --man ch
offers '--man --man-pages=' help track --ma
offers '--man --man-pages=' help --ma
offers sub help --man-pages s
offers formats help --man-pages sub form
offers '' help track check ch
offers '' help formats c
offers 'laplace2d: laplace3d:' generate lap
offers bash completion b
# Where nothing is known nothing is offered, and unknown commands do no harm.
offers '' analyze --threads ''
offers '' nonsense --fo
offers '' track nonsense --fo
# A shell that cuts nowhere gets whole words.
COMP_WORDBREAKS=$' \t\n'
offers '--format=sell --format=sellu' analyze --format=sell
offers '--format=sell:8,1,crs' sweep --format=sell:8,1,cr
offers 'gen:laplace2d: gen:laplace3d:' analyze gen:lap

# Rows of the table that no option needs any more.
"$spmodel" completion --stale || fail "rows of cmd_completion.c that fit nothing, see above"

# What texts call an option is one of a command, but --pin, which only trials change, and --version, which is of none.
names=$(sed -n 's/^#define SP_O_[A-Z_]* *"\(--[a-z-]*\)".*/\1/p' "$words/option_words.h" "$words/run_options.inc")
[[ $(wc -w <<<"$names") -ge 50 ]] || fail "$words has few options"
script=$(<"$dir/script")
for name in $names; do
    [[ $name == --pin || $name == --version || $script =~ [\ \']$name[=\ ] ]] || fail "no command has $name"
done

# Every word is taken by its parser: what it refuses then is the option that is none.
n=0
pages=$(sed -n "/^_spmodel_options/,/^}/s/^    '\(.*\)') REPLY=.*/\1/p" "$dir/script")
while IFS= read -r page; do
    _spmodel_options "$page"
    for option in $REPLY; do
        [[ $option == --*= ]] || continue
        _spmodel_values "$page" "${option%=}"
        [[ $kind == words ]] || continue
        [[ -n $offered ]] || fail "$page $option: there is nothing to offer"
        typed=()
        for word in $offered; do
            [[ $word == *[:=] ]] || typed+=("$option$word") # wants more
        done
        n=$((n + ${#typed[@]}))
        for ((i = 0; i < ${#typed[@]}; i += 4)); do # none may be given less often
            some=("${typed[@]:i:4}")
            # shellcheck disable=SC2086 # a command and its verb
            said=$("$spmodel" $page "${some[@]}" --no-such-option 2>&1 </dev/null) && fail "$page --no-such-option is taken"
            [[ $said == *"'--no-such-option'"* ]] || fail "$page does not take all of ${some[*]}: $said"
        done
    done
done <<<"$pages"
((n >= 150)) || fail "only $n words were tried"
_spmodel_values explain ''
read -ra terms -d '' <<<"$offered" || true
for ((i = 0; i < ${#terms[@]}; i += 50)); do
    "$spmodel" explain "${terms[@]:i:50}" >/dev/null || fail "explain does not know one of ${terms[*]:i:50}"
done
_spmodel_values help ''
for word in $offered; do "$spmodel" help "$word" >/dev/null || fail "help $word"; done
echo "completion.sh: $n values are taken"
