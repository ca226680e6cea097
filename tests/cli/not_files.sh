#!/bin/sh
# Where a file is expected lies something else: a named pipe, a folder, a link to a device. Whatever reads records, campaigns
# or what students hand in says so at once, in one error, and waits for nothing. Usage: not_files.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" XDG_CONFIG_HOME="$dir"
cd "$dir"
fail() {
    echo "not_files.sh: $*"
    exit 1
}
refused() { # refused CODE TEXT ARGUMENTS...: in one error
    wanted=$1 text=$2
    shift 2
    code=0
    timeout -k 5 60 "$spmodel" "$@" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
    [ $code -eq 124 ] || [ $code -eq 137 ] && fail "$* waits"
    [ $code -eq "$wanted" ] || { cat "$dir/out" "$dir/err"; fail "$* exited with $code, not $wanted"; }
    grep -q -- "$text" "$dir/err" || { cat "$dir/err"; fail "$*: no '$text'"; }
    [ "$(grep -c 'error: ' "$dir/err")" -eq 1 ] || { cat "$dir/err"; fail "$*: more than one error"; }
}
mkfifo pipe.json
record=$source/tests/data/record-kkt_power.json

# What was handed in: each of its files in turn is something else.
"$spmodel" lab start 1 --student ada --small --dir whole >/dev/null
for name in state.json predictions.json records/cold.json; do
    for kind in pipe folder device loop; do
        rm -rf bad && cp -r whole bad && rm -f "bad/$name"
        case $kind in
        pipe) mkfifo "bad/$name" && word="a named pipe, not a file" ;;
        folder) mkdir "bad/$name" && word="this is a directory" ;;
        device) ln -s /dev/zero "bad/$name" && word="a device, not a file" ;;
        loop) ln -s "$(basename "$name")" "bad/$name" && word="cannot open the file" ;;
        esac
        refused 3 "bad/$name: .*$word" lab grade --no-simulation bad
        refused 3 "bad/$name: .*$word" lab check 1 --dir bad
        refused 3 "bad/$name: .*$word" lab report 1 --dir bad
        [ ! -e bad/report.md ] || fail "a report on $name"
    done
done
rm -rf bad && cp -r whole bad # what a run writes to takes the place of what is there
mkfifo bad/records/cold.json bad/records/cold.txt bad/records/cold.log
refused 4 "the run 'cold' ended with exit code" lab run 1 --dir bad --unpredicted --only cold --machine none.json
[ -f bad/records/cold.log ] || fail "a pipe is still there"
rm -rf bad && cp -r whole bad && rm -r bad/records && mkfifo bad/records
refused 3 "Not a directory" lab check 1 --dir bad
refused 3 "it is no folder" lab grade --no-simulation pipe.json
rm -rf bad && cp -r whole bad
ln -sf /dev/stdin bad/predictions.json # a stream of the grader's, not the student's
refused 3 "not a file\|a device" lab grade --no-simulation bad
head -c 40000000 /dev/zero | tr '\0' ' ' >bad/big && mv bad/big bad/predictions.json
refused 3 "it has more than" lab grade --no-simulation bad
grep -q "remedy: put the file there that was meant" "$dir/err" || { cat "$dir/err"; fail "no remedy for a file that is too large"; }
refused 3 "a named pipe" lab predict 1 --dir whole --from pipe.json
[ -z "$(tr -d '[] \n' <whole/predictions.json)" ] || fail "something was predicted"

# Records, recordings and campaigns.
refused 3 "a named pipe, not a file" plot pipe.json
refused 3 "a named pipe, not a file" explain roof --record pipe.json
refused 3 "a named pipe, not a file" import pipe.json gen:arrow:100 --machine ivb-e5-2660v2
refused 3 "a named pipe, not a file" track add --store store pipe.json
refused 3 "a named pipe, not a file" compare pipe.json "$record"
refused 3 "a named pipe, not a file" campaign pipe.json --store store
refused 3 "a named pipe, not a file" model gen:arrow:100 --machine ./pipe.json

# A stream that this process was given is what was meant, but for what must be read twice.
"$spmodel" explain alpha --record /dev/stdin <"$record" >file.txt
cat "$record" | "$spmodel" explain alpha --record /dev/stdin >stream.txt
cmp file.txt stream.txt || fail "a record that comes by a pipe is another one"
for name in /dev/fd/0 /proc/self/fd/0; do # what shells put in the place of <(command)
    [ -e "$name" ] || { echo "not_files.sh: left out, no $name"; continue; }
    cat "$record" | "$spmodel" explain alpha --record "$name" >stream.txt 2>err || { cat err; fail "$name is refused"; }
    sed 's|record .*||' file.txt >a && sed 's|record .*||' stream.txt >b && cmp a b || fail "a record from $name is another one"
done
[ ! -e /proc/self/fd ] || refused 3 "a directory" explain alpha --record /proc/self/fd/
if [ -r /proc/self/mem ]; then # a regular file whose beginning cannot be read
    refused 3 "cannot be read to its end" explain alpha --record /proc/self/mem
    grep -q "remedy: put a whole copy there" "$dir/err" || { cat "$dir/err"; fail "no remedy for a file that cannot be read"; }
fi
code=0
cat "$record" | "$spmodel" track add --store store /dev/stdin >out 2>err || code=$?
[ $code -eq 3 ] && grep -q "read twice" err || { cat out err; fail "a store took a stream: $code"; }
"$spmodel" generate -q laplace2d:5 -o s.spm
code=0
cat s.spm | "$spmodel" info - >out 2>err || code=$?
[ $code -eq 3 ] && grep -q "not from a pipe" err && grep -q "remedy: name the .spm file" err || { cat out err; fail "a .spm file came as a stream: $code"; }
echo "not_files.sh: ok"
