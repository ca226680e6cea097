#!/bin/sh
# The manual comes from the tables: every command, verb and topic has a page, every option of --help is on it with its
# words and no other, what pages refer to exists, and the overview names every variable that the source reads.
# Usage: manual.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" LC_ALL=C
fail() {
    echo "manual.sh: $*"
    exit 1
}
plain() { sed 's/\\f[BIRP]//g; s/\\-/-/g; s/\\(aq/'"'"'/g; s/\\(ga/`/g; s/\\(ti/~/g; s/\\(ha/^/g; s/\\&//g; s/\\e/\\/g' "$@"; }
words() { tr -s ' \n' '\n\n' | grep -v '^$' | tr '\n' ' '; }
lacking() { # lacking FILE: the first line of standard input that is not among its words
    awk -v file="$1" 'BEGIN { while ((getline line <file) > 0) text = text line "\n" } { $1 = $1 } !index(text, $0) { print; exit }'
}
names() { sed -n '/^ *Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; } # of spmodel --help

"$spmodel" help --man-pages "$dir/man" || fail "the pages cannot be written"
man1=$dir/man/man1 man7=$dir/man/man7

# Every command and verb that --help lists has a page, and there is no page of anything else.
"$spmodel" --help | names >"$dir/commands"
[ "$(wc -l <"$dir/commands")" -ge 17 ] || fail "--help lists too few commands"
: >"$dir/all"
while read -r command; do
    echo "$command" >>"$dir/all"
    "$spmodel" "$command" --help | sed -n 's/^Usage: spmodel '"$command"' VERB .*/&/p' | grep -q . || continue
    "$spmodel" "$command" --help | sed -n 's/^  \([a-z]\{1,\}\)  *[^ ].*/\1/p' | grep -v spmodel | sed "s/^/$command /" >>"$dir/all"
done <"$dir/commands"
grep -q '^track check$' "$dir/all" || fail "the verbs of track were not found"
[ "$(wc -l <"$dir/all")" -eq "$(find "$man1" -name 'spmodel-*.1' | wc -l)" ] || {
    ls "$man1"; cat "$dir/all"; fail "as many pages as commands and verbs are expected"; }

# Options: "-o, --out=DIR" as in --help, and the words behind it.
options_of_help() { sed -n 's/^ \{2,6\}\(-[a-zA-Z?], \)\{0,1\}\(--[a-z][a-z-]*\(\[\{0,1\}=[^ ]*\)\{0,1\}\)\( .*\)\{0,1\}$/\2/p' | sed 's/  .*//; s/ *$//' | sort; }
options_of_page() { plain "$1" | sed -n '/^\.SH OPTIONS/,/^\.SH "EXIT/p' | awk '/^\.TP$/ { getline; print }' | sed -n 's/^\(-[a-zA-Z?], \)\{0,1\}\(--\)/\2/p' | sort; }
n_options=0
while read -r name; do
    page=$man1/spmodel-$(echo "$name" | tr ' ' '-').1
    [ -s "$page" ] || fail "$name has no page"
    # shellcheck disable=SC2086 # a command and its verb
    "$spmodel" $name --help >"$dir/help" || fail "spmodel $name --help failed"
    # shellcheck disable=SC2086
    "$spmodel" help $name | cmp -s - "$dir/help" || fail "spmodel help $name is not spmodel $name --help"
    # shellcheck disable=SC2086
    "$spmodel" help --man $name | cmp -s - "$page" || fail "help --man $name is not the page that is installed"
    grep -q '^\.SH SYNOPSIS$' "$page" || fail "$name: no synopsis"
    case $name in track | lab) continue ;; esac
    options_of_help <"$dir/help" >"$dir/of_help"
    options_of_page "$page" >"$dir/of_page"
    diff "$dir/of_help" "$dir/of_page" || fail "$name: --help (<) and page (>) have other options"
    n_options=$((n_options + $(wc -l <"$dir/of_page")))
    # What an example is good for stays below it.
    line=$(sed '1,/^Examples:/d' "$dir/help" | grep -vE '^  (spmodel|[A-Z]|[a-z]+ .*spmodel|    [^ ])' | head -n 1) || true
    [ -z "$line" ] || fail "$name: an example goes on at the left edge: '$line'"
    # The words of each option, as far as they are on one line of both.
    sed -n 's/^ \{2,6\}\(-[a-zA-Z?], \)\{0,1\}--[^ ]*  *\([A-Za-z].*\)$/\2/p' "$dir/help" >"$dir/phrases"
    plain "$page" | words >"$dir/words"
    phrase=$(lacking "$dir/words" <"$dir/phrases")
    [ -z "$phrase" ] || fail "$name: its page lacks the words '$phrase'"
    # Exit codes that --help speaks of are among those of the page.
    for code in $(words <"$dir/help" | grep -oE '(exit|Exit)( with)? code [0-9]+' | grep -oE '[0-9]+$'); do
        plain "$page" | sed -n '/^\.SH "EXIT STATUS"/,/^\.SH/p' | grep -qx "$code" || fail "$name: exit code $code is not on its page"
    done
    [ -n "$(sed -n '/^\.SH EXAMPLES$/,$p' "$page")" ] || fail "$name: its page has no example"
done <"$dir/all"
[ $n_options -ge 250 ] || fail "only $n_options options were seen"

# Topics: their words, and a page each.
n_topics=0
for topic in $("$spmodel" help | sed -n '/^Topics/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    n_topics=$((n_topics + 1))
    plain "$man7/spmodel-$topic.7" | words >"$dir/words"
    numbers='' # of exit codes stand before their words
    [ "$topic" != exit-codes ] || numbers='s/^ *[0-9]* *//'
    line=$("$spmodel" help "$topic" | sed "$numbers" | lacking "$dir/words")
    [ -z "$line" ] || fail "topic $topic lacks '$line'"
done
[ $n_topics -ge 7 ] || fail "only $n_topics topics"

# Each exit code has its place among the worst, wherever that order is told.
"$spmodel" help exit-codes >"$dir/codes"
"$spmodel" explain exit-codes >"$dir/explained"
for code in $(sed -n 's/^ *\([0-9][0-9]*\)  .*/\1/p' "$dir/codes"); do
    for told in "$dir/codes" "$dir/explained"; do
        tr '\n' ' ' <"$told" | grep -qE "worst +counts: [0-9, ]*\\b$code[,.]" || fail "exit code $code is not among the worst in ${told##*/}"
    done
done

# References lead somewhere.
for page in "$man1"/*.1 "$man7"/*.7; do
    for reference in $(plain "$page" | grep -oE 'spmodel[a-z-]*\([17]\)'); do
        section=${reference##*\(} section=${section%?}
        [ -s "$dir/man/man$section/${reference%(*}.$section" ] || fail "$page refers to $reference, which there is not"
    done
done

# Variables of the environment that the source reads; those of CI servers and loaders stand for others.
overview=$man1/spmodel.1
plain "$overview" | sed -n '/^\.SH ENVIRONMENT/,/^\.SH EX/p' >"$dir/environment"
{
    grep -rhoE 'getenv\("[A-Z_]+"\)' "$source/src" "$source/probes" "$source/plots" --include='*.c'
    grep -rhoE '"SPMODEL_[A-Z]+"' "$source/src" "$source/probes" "$source/plots" --include='*.c'
} | grep -oE '[A-Z_]{3,}' | sort -u >"$dir/variables"
while read -r variable; do
    grep -qw "$variable" "$dir/environment" || fail "the overview does not name $variable"
done <"$dir/variables"
grep -q '^SPMODEL_STORE$' "$dir/variables" || fail "the variables of the source were not found"

# Ways to type a command, which have no page of their own, show that of the command; the row of help names topics.
for way in list show measure diff; do
    "$spmodel" help machine $way >"$dir/help" || fail "help machine $way"
    "$spmodel" machine --help | cmp -s - "$dir/help" || fail "help machine $way is not machine --help"
done
code=0
"$spmodel" help convert IN >/dev/null 2>&1 || code=$?
[ $code -eq 2 ] || fail "help convert IN: exit code $code"
listed=$("$spmodel" --help | sed -n 's/^  help .*(\(.*\)).*/\1/p')
[ -n "$listed" ] || fail "the row of help names no topic"
n_listed=0
for topic in $(echo "$listed" | tr -d ,.); do
    n_listed=$((n_listed + 1))
    [ -s "$man7/spmodel-$topic.7" ] || fail "the row of help names '$topic', which is no topic"
done
[ $n_listed -eq $n_topics ] || case $listed in *...) ;; *) fail "the row of help names $n_listed of $n_topics topics" ;; esac

# A page is also written where nothing is installed; a wrong name is refused.
"$spmodel" help --man | cmp -s - "$overview" || fail "help --man is not the overview"
code=0
"$spmodel" help trakc 2>"$dir/err" || code=$?
[ $code -eq 2 ] && grep -q "did you mean 'track'" "$dir/err" || { cat "$dir/err"; fail "help trakc"; }
code=0
"$spmodel" help --man-pages /dev/null/none 2>"$dir/err" || code=$?
[ $code -eq 4 ] || fail "pages into a folder that cannot be: exit code $code"
echo "manual.sh: $(wc -l <"$dir/all") commands and verbs, $n_options options, $n_topics topics"

# What help says of formats is so: those named as without mixed precision, and no other, refuse it; each metric of the table is
# among those of track check.
"$spmodel" help formats | tr '\n' ' ' | sed 's/.*(spmv on CPUs, not in //; s/).*//' >"$dir/without"
[ "$(wc -w <"$dir/without")" -lt 6 ] || fail "help formats does not say what has no mixed precision"
for format in crs sell sellu bcsr half striped; do
    code=0 said=0
    "$spmodel" model gen:laplace2d:8 --precision mixed --format $format -q >"$dir/out" 2>&1 || code=$?
    ! grep -qE "(^|[ ,])$format([ ,]|$)" "$dir/without" || said=2
    [ $code -eq $said ] || { cat "$dir/without"; fail "$format with --precision mixed exits with $code, not as help formats says"; }
done
"$spmodel" track check --metric nonsense 2>&1 | tr '\n' ' ' | sed "s/.*--metric takes //; s/, not 'nonsense.*//; s/,//g; s/ or / /" |
    tr ' ' '\n' | grep . >"$dir/metrics" || true
[ "$(wc -l <"$dir/metrics")" -ge 8 ] || fail "the metrics were not found"
while read -r metric; do
    "$spmodel" track check --help | grep -qE "(^|[ ,])$metric([ ,;]|$)" || fail "track check --help does not name the metric $metric"
done <"$dir/metrics"
