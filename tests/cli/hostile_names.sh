#!/bin/sh
# File names with line ends and what a terminal obeys, in every command that says a name; the terminal itself (script(1)
# gives one), where the program's own colours and line of progress must pass, and data on a pipe, which must not change.
# Whose files are taken unasked. Usage: hostile_names.sh SPMODEL RECORD
set -eu
spmodel=$1 record=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir/data" XDG_CACHE_HOME="$dir" SPMODEL_STORE="$dir/store" LC_ALL=C.UTF-8
cd "$dir"
fail() {
    echo "hostile_names.sh: $*" | cat -v
    exit 1
}
esc=$(printf '\033') bad=$(printf 'x\nok: forged verdict\n\033[2J\302\2332J\342\200\256')
# A control character but tab and line end, in one byte or as UTF-8; a direction of text; the forged line. Bytes, not letters.
obeyed=$(printf '[\001-\010\013-\037\177]|\302[\200-\237]|\342\200[\216\217\250-\256]|\342\201[\246-\251]|\330\234|^ok: forged')
clean() { # clean FILE WHAT
    ! LC_ALL=C grep -qE "$obeyed" "$1" || { cat -v "$1"; fail "$2: a terminal would obey this"; }
}
expect() { # expect CODE TEXT ARGUMENTS...: on both streams, whose text is then looked at
    wanted=$1 said=$2
    shift 2
    code=0
    "$spmodel" "$@" >out 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat -v out | head -c 3000; fail "$* exited with $code, not $wanted"; }
    clean out "$*"
    grep -Fq -- "$said" out || { cat -v out | head -c 3000; fail "$*: no '$said'"; }
}
seen='x\nok: forged verdict\n\u001b[2J\u009b2J\u202e'
brief="--budget 1ms --samples 2 --threads 1 --no-hints --no-plots --bytes sim --machine zen4-vm-2c"

# Matrices: read, written, refused, absent.
expect 0 "-> $seen.mtx" generate laplace2d:5 -o "$bad.mtx"
expect 0 "$seen" info "$bad.mtx"
expect 0 "-> $seen.spm" convert "$bad.mtx" "$bad.spm"
expect 0 "$seen" reorder --method rcm "$bad.mtx" "$bad.rcm.mtx"
expect 0 "$seen" model "$bad.mtx" --machine zen4-vm-2c
expect 3 "$seen-absent.mtx: cannot open" info "$bad-absent.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n%s 1 1\n' "$bad" >"$bad-broken.mtx"
expect 3 "$seen-broken.mtx:3" info "$bad-broken.mtx"
expect 3 "$seen-broken.mtx:3" analyze "$bad-broken.mtx" --machine zen4-vm-2c
expect 2 "$seen" convert "$bad.mtx" "$bad.png"
expect 4 "$seen" convert "$bad.mtx" "absent/$bad.mtx"
expect 2 "$seen" "$bad"
expect 2 "$seen" info "--$bad" "$bad.mtx"
expect 2 "$seen" analyze "$bad.mtx" --format "$bad"
[ -z "$(ls "$dir"/spmodel/machine-*.json 2>/dev/null)" ] || fail "a format that is none waits for a measurement of the machine"
# shellcheck disable=SC2086 # words
expect 0 "saved  " analyze "$bad.mtx" $brief --out "$bad-records" "--json=$bad.json" "--csv=$bad.csv" "--html=$bad.html"
clean "$bad.json" "the record" && clean "$bad.csv" "CSV" && clean "$bad.html" "the page"

# A name that is no UTF-8 stands in JSON and CSV in its visible form, as in records.
odd=$(printf 'odd\377')
cp "$bad.mtx" "$odd.mtx"
for command in "info --json" "info --csv" "reorder --method rcm --json" "model --machine zen4-vm-2c --json"; do
    # shellcheck disable=SC2086 # words
    expect 0 xff ${command%--*} --quiet "--${command##*--}" "$odd.mtx"
done

# Records, machines, stores, campaigns, labs of such names.
cp "$record" "$bad-r.json"
expect 3 "$seen-absent.json" compare "$bad-r.json" "$bad-absent.json"
expect 0 "metrics.bytes of the record" explain V "$bad-r.json"
expect 0 "saved  $seen-plot.gp" plot -o "$bad-plot.gp" "$bad-r.json"
expect 0 "roofline" plot --list "$bad-r.json"
mkdir -p "$XDG_DATA_HOME/spmodel/machines"
"$spmodel" machine show --json a64fx | sed 's/"name": "[^"]*"/"name": "a\\nok: forged verdict\\u001b[2J\\u202e"/' >"$bad-m.json"
cp "$bad-m.json" "$XDG_DATA_HOME/spmodel/machines/$bad.json"
expect 0 'a\nok: forged verdict\u001b[2J\u202e' machine show "./$bad-m.json"
expect 0 'a\nok: forged verdict\u001b[2J\u202e' machine diff "./$bad-m.json" a64fx
expect 0 'a\nok: forged verdict\u001b[2J\u202e' machine list
expect 0 "$seen.json" machine list -v
expect 4 "$seen" machine show "$bad-absent"
sed 's/{/{"x": "\\u001b\n/' "$bad-m.json" >"$bad-broken.json"
expect 3 "$seen-broken.json" machine show "./$bad-broken.json"
expect 0 "added to $seen-store" track add --store "$bad-store" "$record"
expect 3 "$seen-other" track log --store "$bad-other"
printf 'matrix gen:laplace2d:5\nrun a%s[2J: %s\n' "$esc" "$brief" >"$bad.txt"
sed -i 's/ --no-plots//' "$bad.txt"
expect 0 '· a\u001b[2J done' campaign "$bad.txt" --no-plots
expect 0 ' a\u001b[2J ' campaign "$bad.txt" --summary --no-plots
expect 0 "1 done" campaign "$bad.txt" --status
printf 'matrix gen:laplace2d:5 %s.mtx\nrun a: %s\n' "absent$esc[2J" "$brief" >"$bad.txt"
expect 3 "$seen.txt:1" campaign "$bad.txt"
expect 0 "$seen-lab" lab start 1 --student ada --small --dir "$bad-lab"
expect 5 "$seen-lab" lab grade --no-simulation "$bad-lab"
expect 3 "$seen-nothing" lab grade --no-simulation "$bad-nothing"

# Data on a pipe is data: as it is in the file, whatever bytes that has.
"$spmodel" machine show --json a64fx | cmp - "$("$spmodel" machine list -v | sed -n 's/^ *\(\/.*a64fx.json\)$/\1/p')" >/dev/null ||
    "$spmodel" machine show --json a64fx >show.json
"$spmodel" info --json "$bad.mtx" >piped.json
"$spmodel" info --json=filed.json "$bad.mtx" >/dev/null
cmp piped.json filed.json || fail "JSON on a pipe is not that of a file"

# On a terminal: the program's colours and its progress, and nothing of the name.
on_terminal() { # on_terminal COMMAND, quoted
    TERM=xterm script -qec "$1" /dev/null </dev/null >typed 2>&1 || { cat -v typed; fail "on a terminal: $1"; }
    sed "s/$(printf '\r')\$//; s/$esc\[[0-9]*m//g; s/$(printf '\r')$esc\[K//g" typed >plain
    clean plain "$1 on a terminal"
}
if command -v script >/dev/null 2>&1; then
    on_terminal "'$spmodel' info --color=always '$bad.mtx'"
    grep -Fq "$esc[1m" typed || { cat -v typed; fail "no colours on a terminal"; }
    on_terminal "'$spmodel' info --json '$bad.mtx'"
    on_terminal "'$spmodel' analyze --color=always '$bad.mtx' $brief --out terminal"
    grep -Fq "$esc[1m" typed || { cat -v typed; fail "no colours of a report"; }
    grep -Fq "$esc[K" typed || { cat -v typed; fail "no line of progress"; }
    printf '\033[2J\302\2332J\342\200\256\233' >escapes
    on_terminal "'$spmodel' plot --list -- \"\$(cat escapes)\" || true"
else
    echo "hostile_names.sh: no script(1): nothing was tried on a terminal"
fi

# A described machine of the current folder is asked for by its path: it shadows none that is installed.
mkdir machines
sed 's/Fujitsu/Shadowed/' "$("$spmodel" machine list -v | sed -n 's/^ *\(\/.*a64fx.json\)$/\1/p')" >machines/a64fx.json
grep -q Shadowed machines/a64fx.json || fail "no machine to shadow another one with"
cp machines/a64fx.json machines/anybodys.json
expect 0 "Fujitsu" machine show a64fx
expect 0 "Shadowed" machine show ./machines/a64fx.json
expect 0 "Shadowed" machine show machines/a64fx.json
expect 4 "no machine is called 'anybodys'" machine show anybodys
expect 4 "no machine is called 'anybodys'" model gen:laplace2d:5 --machine anybodys

# Without a name plot takes the newest record of this folder, says which, and takes none of somebody else.
mkdir mine && cp "$record" mine/first.json && cp "$record" mine/later.json && touch -d 2001-01-01 mine/first.json
(cd mine && expect 0 "later.json is the newest record here" plot --term gp)
if [ "$(id -u)" -eq 0 ]; then
    chown 12345 mine/later.json
    (cd mine && expect 0 "first.json is the newest record here" plot --term gp)
    chown 12345 mine
    (cd mine && expect 3 "belongs to another user (uid 12345): none of its records is taken unasked" plot --term gp)
    (cd mine && expect 0 "saved" plot --term gp later.json)
else
    echo "hostile_names.sh: not root: no file could be given to somebody else, so plot was not tried on one"
fi
# A store that others may write to: no link in it leads a file of this user elsewhere, and nothing in it is waited for.
echo precious >victim
"$spmodel" analyze -q --no-plots --no-hints --budget 20ms --machine a64fx --out kept gen:laplace2d:20 >out 2>&1 || { cat out; fail "no record to keep"; }
expect 0 "1 record added" track add --store shared kept
expect 0 "accepted" track accept --store shared --all
pin=$(ls shared/pins/*)
ln -sf "$dir/victim" "$pin"
expect 0 "accepted" track accept --store shared --all
[ "$(cat victim)" = precious ] && [ ! -L "$pin" ] || fail "a link in a store led a file elsewhere"
rm "$pin" && mkfifo "$pin"
expect 4 "this is no file" track accept --store shared --all
rm -r shared/pins && mkdir elsewhere && ln -s "$dir/elsewhere" shared/pins
expect 4 "a link or a file stands where a folder is wanted" track accept --store shared --all
month=$(ls -d shared/records/*)
mv "$month" before && ln -s "$dir/elsewhere" "$month"
expect 4 "a link or a file stands where a folder is wanted" track add --store shared kept
[ -z "$(ls elsewhere)" ] || fail "files of a store landed elsewhere"
# A link of the user's own leads where it says, also where nothing is yet.
mkdir own && ln -s own/new.mtx link.mtx
"$spmodel" generate -q laplace2d:5 -o link.mtx || fail "a link could not be written through"
[ -L link.mtx ] && [ -f own/new.mtx ] || fail "a link was replaced by a file"
# Lines of the program's own are lines.
expect 0 "Usage: spmodel track" track --help
! grep -Fq '\n' out || { cat out; fail "help shows line ends instead of ending lines"; }
# Beyond a limit of the file size there is a reason, and no half file.
code=0
(ulimit -f 8 && exec "$spmodel" generate -q laplace2d:200 -o limited.mtx) >out 2>&1 || code=$?
[ $code -eq 4 ] && [ ! -e limited.mtx ] && grep -q "cannot write" out || { cat out; fail "a limit of the file size: exit $code"; }
printf 'matrix gen:laplace2d:5\nrun x: --threads 1\0 --nonsense\n' >nul.txt
expect 3 "a byte 0" campaign nul.txt --store shared2
echo "hostile_names.sh: ok"
