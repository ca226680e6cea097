#!/bin/sh
# What documents name exists: commands, verbs and options of spmodel in their --help, files, folders, links, identifiers, and
# each function in the file that stands beside it: `sp_do` (`folder/file.c`).
# Usage: names.sh SPMODEL SOURCE [DOCUMENT...]   (default: all of the source, but for docs/results, which are of their day)
set -eu
spmodel=$1 source=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$source"
tab=$(printf '\t')
bad=0
if [ $# -eq 0 ]; then
    set -- README.md CONTRIBUTING.md data/README.md docs/images/README.md docs/*.md labs/*/sheet.md
    # Nobody reads a book: what one page says, another one links to.
    most=22000 words=$(cat docs/*.md | wc -w)
    [ "$words" -le $most ] || { echo "docs/*.md have $words words together, more than $most"; bad=1; }
    # Each unit of memory controllers that is counted stands in the table of docs/counters.md, by how its names begin.
    units=$(sed -nE '/^static const struct kind kinds/,/^};/s/^ *\{"[^"]*", "([a-z0-9_]+)",.*/\1/p' src/sys/counters/memory_pmu.c)
    [ "$(echo "$units" | wc -l)" -ge 5 ] || { echo "names.sh: src/sys/counters/memory_pmu.c is not understood"; bad=1; }
    for unit in $units; do
        grep -q "^| \`$unit" docs/counters.md || { echo "docs/counters.md: its table of units lacks a row \`$unit...\`, a kind of src/sys/counters/memory_pmu.c"; bad=1; }
    done
fi

options() { grep -oE -e '--[a-z][a-z0-9-]*' "$@" | sort -u; }
help() { # help COMMAND [VERB]
    "$spmodel" "$@" --help >"$dir/help" 2>&1 || { cat "$dir/help" >&2; echo "names.sh: spmodel $* --help fails" >&2; exit 1; }
    options "$dir/help" | sed "s/^/help$tab$1$tab/"
}
commands() { "$spmodel" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }
verbs() { # verbs COMMAND
    case $1 in
    machine) echo list show measure diff | tr ' ' '\n' ;;
    *) "$spmodel" "$1" --help | sed -n '1{/ VERB /!q;}; p' | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p' | sed '/^spmodel$/d' ;;
    esac
}
{
    for command in $(commands); do
        echo "help$tab$command$tab--help"
        help "$command"
        for verb in $(verbs "$command"); do
            echo "verb$tab$command$tab$verb"
            [ "$command" = machine ] || help "$command" "$verb"
        done
    done
    for option in --help --version; do echo "other$tab$option"; done
    options -h bootstrap bench/*.sh bench/*.c examples/*.c | sed "s/^/other$tab/"
    find . -name .git -prune -o -path './build*' -prune -o -print | sed "s/^\.\//path$tab/"
    LC_ALL=C grep -rhoE '(sp|SP|SPMODEL)_[A-Za-z0-9_]+' src model kernels probes plots attach cmake tests bench examples bootstrap \
        CMakeLists.txt CMakePresets.json .ci | LC_ALL=C sort -u | sed "s/^/word$tab/"
} >"$dir/there"
[ "$(grep -c "^help${tab}analyze" "$dir/there")" -gt 20 ] || { echo "names.sh: analyze has no options: --help is not understood"; exit 1; }
grep -q "^verb${tab}track${tab}check" "$dir/there" || { echo "names.sh: track has no verbs: --help is not understood"; exit 1; }

for document; do
    awk -f "$here/commands.awk" "$document" | sed "s|^|doc$tab$document$tab|"
done >"$dir/documents"
awk -f "$here/names.awk" "$dir/there" "$dir/documents" || bad=1

# Nobody reads lines of any length: prose ends at 200 bytes. Tables, images and what is typed or printed may be longer.
for document; do
    LC_ALL=C awk -v name="$document" '/^ *```/ { typed = !typed }
        !typed && length > 200 && !/^(\||!\[|<!--|    )/ { print name ":" FNR ": a line of " length " bytes"; bad = 1 }
        END { exit bad }' "$document" || bad=1
done

# What an image shows is also said in words; a function is in the file that is named with it.
for document; do
    grep -Hn '!\[ *\](' "$document" && { echo "$document: an image without a text"; bad=1; }
    awk 'BEGIN { RS = "" } { gsub(/\n */, " ")
        while (match($0, /`sp_[a-z0-9_]+` \(`[a-z_\/]+\.[ch]`/)) {
            split(substr($0, RSTART, RLENGTH), part, "`")
            print part[2], part[4]
            $0 = substr($0, RSTART + RLENGTH)
        } }' "$document" >"$dir/pairs"
    while read -r name file; do
        found=$(find . -path './build*' -prune -o -path "*/${file##*/}" -print)
        case $found in *"$file"*) ;; *) echo "$document: no file $file"; bad=1; continue ;; esac
        # shellcheck disable=SC2086 # file names of the source have no blanks
        grep -qw "$name" $found || { echo "$document: $name is not in $file"; bad=1; }
    done <"$dir/pairs"
done
[ $bad = 0 ] || { echo "names.sh: documents name what is not there"; exit 1; }
echo "names.sh: $(grep -cE "$tab(code|span|line|link)$tab" "$dir/documents") names and commands of $# documents looked at"
