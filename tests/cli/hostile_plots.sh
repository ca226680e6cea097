#!/bin/sh
# Records and matrices that want to be executed are drawn, and nothing happens; pictures on a full disk do not appear.
# Usage: hostile_plots.sh SPMODEL DATA
set -u
spmodel=$1
data=$2
command -v gnuplot >/dev/null || { echo "SKIPPED: gnuplot is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "hostile_plots: $*"; cat "$dir/err" 2>/dev/null; exit 1; }
harmless() { # gnuplot runs in the root folder
    made=$(find "$dir" -name 'pwned*'; find / -maxdepth 1 -name 'pwned*')
    [ -z "$made" ] || fail "$1 executed what it read: $made"
}

# What the version before executed: three places in which text stood unquoted, in everything that draws.
# hostile NUMBER PARENT FIELD VALUE: a record with a command in each field of that name and value in an object or list.
hostile() {
    sed "/\"$2\"/,/]/s/\"$3\": \"$4\"/\"$3\": \"\\\\n!touch pwned$1\\\\n#\"/" "$data/record-kkt_power.json" >"bad$1.json"
    grep -q "pwned$1" "bad$1.json" || fail "$2 has not been changed: the test has not tested anything"
}
hostile 1 tool version '[^"]*'
hostile 2 binding level MEM
hostile 3 roofs origin measured
draw() { # RECORD KIND
    for term in svg png pdf txt gp; do
        "$spmodel" plot --kind "$2" --term $term -o "p.$term" "$1" >/dev/null 2>err || fail "$2 of $1 as $term"
    done
    gnuplot p.gp >/dev/null 2>err || fail "gnuplot refuses the script of $2"
    harmless "plot --kind $2 $1"
}
draw bad1.json roofline
draw bad1.json campaign
draw bad2.json roofline
draw bad3.json history
"$spmodel" plot --html page.html bad1.json bad2.json >/dev/null 2>err || fail "plot --html"
grep -q '<svg' page.html || fail "the page has no picture"
harmless "plot --html"

# A matrix whose name is a command: the files of its analysis are named harmlessly, and so is what they write.
mkdir work && cd work || exit 1
name='|touch${IFS}pwned4;.mtx'
"$spmodel" generate -q laplace2d:20 -o m.mtx && mv m.mtx "$name" || fail "generate"
OMP_NUM_THREADS=2 "$spmodel" analyze -q --budget 20ms --machine zen4-vm-2c "$name" >/dev/null 2>../err || fail "analyze"
ls | grep -v -x -F "$name" | grep -q -v -E '^[A-Za-z0-9_][A-Za-z0-9._-]*$' && fail "names of files: $(ls)"
ls _touch__IFS_pwned4_*.json >/dev/null 2>../err || fail "there is no record: $(ls)"
rm -f ./*.svg
for record in _touch*.json; do
    for kind in roofline alpha; do
        "$spmodel" plot --kind $kind --script -o "$kind.svg" "$record" >/dev/null 2>../err || fail "plot --script"
        rm -f "$kind.svg"
        gnuplot "$kind.gp" 2>../err || fail "gnuplot $kind.gp"
        grep -q "^set output './$kind.svg'$" $kind.gp || fail "set output does not name a file of this folder"
        [ -s "$kind.svg" ] || fail "the kept script draws nothing"
    done
done
# Even where the picture itself is called so.
"$spmodel" plot --script -o '|touch pwned5;.svg' ./_touch*.json >/dev/null 2>../err || fail "plot -o '|touch'"
gnuplot '|touch pwned5;.gp' >/dev/null 2>../err
[ -s '|touch pwned5;.svg' ] || fail "the picture has another name: $(ls)"
cd ..
harmless "the analysis of '$name'"

# A store calls files after records: their ids are names of files, and pictures stay in the folder that was asked for.
SPMODEL_STORE=$dir/store
export SPMODEL_STORE
record=$(echo work/_touch*.json)
for id in 'a\\nb' '-rf' '../x' '.x' 'a b' '|touch pwned6;'; do
    sed "s#\"id\": \"[^\"]*\"#\"id\": \"$id\"#" "$record" >id.json
    "$spmodel" track add id.json >/dev/null 2>err
    [ $? = 3 ] && grep -q "no usable id" err || fail "the id '$id' is taken into a store"
done
for env in '../..' '|touch'; do
    sed -e "s#\"key\": *\"[^\"]*\"#\"key\": \"$env\"#" -e "s|\"id\": \"[^\"]*\"|\"id\": \"r${#env}\"|" "$record" >env.json
    grep -q -F "\"$env\"" env.json || fail "the environment has not been changed"
    "$spmodel" track add env.json >/dev/null 2>err || fail "track add"
done
mkdir -p in/pictures
"$spmodel" track plot --term gp --out in/pictures >/dev/null 2>err || fail "track plot"
[ "$(ls in/pictures | grep -c -x 'history-[0-9a-f]*-_[a-z._]*\.gp')" -eq 2 ] || fail "pictures of two machines: $(ls in in/pictures)"
[ "$(find in -type f | wc -l)" -eq 2 ] || fail "a picture in another folder: $(find in)"
harmless "the store"

# Full disk: a limit on the size of files, with its signal ignored, makes writes fail as a full disk does.
limit() { (trap '' XFSZ; ulimit -f 14; exec "$@") >/dev/null 2>err; } # 7 or 14 KiB: more than the script, less than a picture
mkdir full
for term in svg png pdf; do
    limit "$spmodel" plot -o "full/p.$term" "$data/record-kkt_power.json"
    code=$?
    [ $code = 4 ] || fail "a $term on a full disk ends with $code, not 4"
    grep -q "cannot write the file" err || fail "the error does not say what failed"
done
[ -z "$(find full -type f)" ] || fail "left behind: $(find full -type f)"

# A real one, where this may be mounted.
if mkdir disk && mount -t tmpfs -o size=16k none disk 2>/dev/null; then
    "$spmodel" plot -o disk/p.svg "$data/record-kkt_power.json" >/dev/null 2>err
    code=$? left=$(find disk -type f)
    umount disk
    [ $code = 4 ] || fail "a picture on a full disk ends with $code, not 4"
    [ -z "$left" ] || fail "left behind: $left"
else
    echo "skipped: a full file system (no right to mount one here)"
fi
