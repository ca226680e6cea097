#!/bin/sh
# What students hand in without having run anything: names that are formulas or commands elsewhere, files of other types
# than they should be. Each is graded, or refused in one error that names the file. Usage: submissions.sh SPMODEL
set -eu
spmodel=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" XDG_CONFIG_HOME="$dir"
cd "$dir"
fail() {
    echo "submissions.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...
    wanted=$1 text=$2
    shift 2
    code=0
    "$spmodel" lab "$@" >"$dir/out" 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat "$dir/out"; fail "lab $* exited with $code, not $wanted"; }
    grep -q -- "$text" "$dir/out" || { cat "$dir/out"; fail "lab $*: no '$text'"; }
}

# A name that a spreadsheet would compute, and that Markdown would draw.
expect 0 "LAB 1" start 1 --student '=1+2 | *cmd*' --small --dir formula
expect 5 "=1+2" grade --no-simulation --csv=formula.csv formula
grep -q "^\"formula\",\"'=1+2 | \*cmd\*\",01-crs-balance," formula.csv || { cat formula.csv; fail "a name that is a formula"; }
expect 0 "report.md" report 1 --dir formula
grep -Fq '\=1+2 \| \*cmd\*, small matrices' formula/report.md || { cat formula/report.md; fail "a name that is Markdown"; }
# State and predictions of other types than they should be: said of the file, and no value is made up of them.
expect 0 "LAB 1" start 1 --student ada --small --dir whole
expect 0 "alpha" predict 1 --dir whole alpha=0.1457
edited() { # edited FILE SED: the folder bad, with this file changed
    rm -rf bad && cp -r whole bad
    sed "$2" "whole/$1" >"bad/$1"
    cmp -s "whole/$1" "bad/$1" && fail "nothing was changed in $1 by $2"
    return 0
}
edited state.json 's/"student": "ada"/"student": 7/'
expect 3 "bad: its state.json: a student's name has" grade --no-simulation bad
edited state.json 's/"student": "ada"/"student": "a\\u001b[2Jda"/' # would clear the terminal
expect 5 'a\\u001b\[2Jda, lab 1' grade --no-simulation bad
edited state.json 's/"lab": "01-crs-balance"/"lab": ["1"]/'
expect 3 "bad: its state.json: there is no lab ''" grade --no-simulation bad
edited state.json 's/"runs": {}/"runs": []/'
expect 3 "bad: its state.json: it has no object 'runs'" grade --no-simulation bad
edited state.json 's/spmodel.lab/another.lab/'
expect 3 "bad: its state.json: it is not of schema spmodel.lab/1" grade --no-simulation bad
edited state.json 's/^{/{"lab": "01-crs-balance",/' # the same key twice
expect 3 "bad/state.json:.*not valid JSON: duplicate" grade --no-simulation bad
edited predictions.json 's/0\.1457[0-9]*/NaN/'
expect 1 "FLAG *edited *predictions.json cannot be read: .*not valid JSON" grade --no-simulation bad
edited predictions.json 's/0\.1457[0-9]*/1e999/'
expect 1 "predictions.json cannot be read: .*not valid JSON: real number overflow" grade --no-simulation bad
expect 3 "predictions.json cannot be read" predict 1 --dir bad alpha=0.2
expect 3 "predictions.json cannot be read" run 1 --dir bad
for value in null true '[1]' '{"x": 1}'; do
    edited predictions.json "s/0\.1457[0-9]*/$value/"
    expect 5 "0 right, 0 wrong, 8 missing; 0 late" grade --no-simulation bad
done
rm -rf bad && cp -r whole bad && echo '{}' >bad/predictions.json
expect 1 "predictions.json cannot be read: it is no list of JSON" grade --no-simulation bad
rm -rf bad && cp -r whole bad && echo '[]' >bad/records/cold.json
expect 1 "records/cold.json cannot be read: it is no object of JSON" check 1 --dir bad
rm -rf bad && cp -r whole bad && : >bad/predictions.json
expect 1 "predictions.json cannot be read: .*not valid JSON" grade --no-simulation bad
rm -rf bad && cp -r whole bad && rm bad/predictions.json
expect 3 "there is no predictions.json" grade --no-simulation bad
if [ "$(id -u)" -ne 0 ]; then
    rm -rf bad && cp -r whole bad && chmod 0 bad/state.json
    expect 3 "bad/state.json: cannot open the file: Permission denied" grade --no-simulation bad
fi
# A file of predictions: what is no value is refused, and lateness is told as of typed ones.
echo '{"predictions": {"alpha": [1]}}' >wrong.json
expect 3 "wrong.json: the prediction of 'alpha' is neither" predict 1 --dir whole --from wrong.json
echo '{"predictions": {"bytes": "9 + 0.401"}}' >right.json
expect 0 "bytes *9.401 " predict 1 --dir whole --from right.json
expect 4 "the run 'cold' ended with exit code 4" run 1 --dir whole --unpredicted --only cold --machine none.json
expect 0 "'bytes' is late" predict 1 --dir whole --from right.json
expect 2 "the lab has no run 'colder'" run 1 --dir whole --only colder
# A wrong word closes no predictions and gives none up; a folder of another name stands in what is to be typed next.
expect 0 "then *spmodel lab run 1 --dir 'a b'$" start 1 --student ada --small --dir 'a b'
expect 2 "the lab has no run 'colder'" run 1 --dir 'a b' --unpredicted --only colder
grep -q '"bound"' 'a b/state.json' && fail "a run that there is not closes predictions"
expect 2 "'alpha' is no answer: write QUESTION=VALUE" predict 1 --dir 'a b' alpha
expect 2 "the answer to 'alpha' is a number, not '14%'" predict 1 --dir 'a b' alpha=14%
expect 0 "next *spmodel lab check 1 --dir 'a b'$" run 1 --dir 'a b' --unpredicted --only model
expect 1 "again *spmodel lab run 1 --dir 'a b' --only RUN" check 1 --dir 'a b'
# What a student wrote: notes in the sheet, and answers in an editor that ends lines otherwise.
expect 0 "LAB 1" start 1 --student ada --dir notes
echo "my notes" >>notes/sheet.md
expect 2 "notes/sheet.md: somebody wrote in it" run 1 --dir notes --small
grep -q '"small": false' notes/state.json || fail "a sheet of the large matrices, a folder of the small ones"
rm notes/state.json
expect 2 "notes/sheet.md: somebody wrote in it" start 1 --student ada --dir notes
grep -q '^my notes$' notes/sheet.md || fail "notes in the sheet are lost"
rm notes/sheet.md
expect 0 "LAB 1" start 1 --student ada --dir notes
expect 2 "small *notes/sheet.md has the numbers of small matrices now" run 1 --dir notes --small
expect 0 "report.md" report 1 --dir notes
sed "s/…/my answer/; s/$/$(printf '\r')/" notes/report.md >mine && mv mine notes/report.md
expect 5 "in words *3 of 3 questions answered" grade --no-simulation notes
expect 0 "report.md" report 1 --dir notes
[ "$(grep -c 'my answer' notes/report.md)" -eq 3 ] || { cat notes/report.md; fail "answers are lost"; }
[ ! -e notes/report-1.md ] || fail "ends of lines are taken for a change"
for name in words same; do # the same words, of which short ones agree by chance
    cp -r notes $name && sed -i "s/\"student\": \"ada\"/\"student\": \"$name\"/" $name/state.json
    sed '0,/my answer/s//It moves 12 bytes for each nonzero, and x again./' notes/report.md >$name/report.md
done
expect 1 "FLAG *repeated *1 of 3 answers in words is also in same$" grade --no-simulation notes words same
grep -q "FLAG *repeated *1 of 3 answers in words is also in words$" "$dir/out" && grep -q "^SHARED   words, same share an answer in words: 1$" "$dir/out" ||
    { cat "$dir/out"; fail "the same words"; }
for heading in '## In my own words' ''; do # another heading, or none
    sed "s/^## In .* own words/$heading/" notes/report.md >mine && mv mine notes/report.md
    expect 5 "in words *3 of 3 questions answered" grade --no-simulation notes
    expect 0 "^report *notes/report.md" report 1 --dir notes
    grep -q "^kept" "$dir/out" && { cat "$dir/out"; fail "an unchanged report is put aside"; }
    [ "$(grep -c 'my answer' notes/report.md)" -eq 3 ] || { cat notes/report.md; fail "answers are lost under another heading"; }
done
sed 's/^# Lab/# My lab/' notes/report.md >mine && mv mine notes/report.md
expect 0 "^kept *notes/report-1.md: as it was, for it was changed above your answers, which stay$" report 1 --dir notes
expect 5 "in words *3 of 3 questions answered" grade --no-simulation notes
echo "my answer" >notes/report.md
expect 5 "0 of 3 questions answered: report.md has neither the heading" grade --no-simulation notes
expect 0 "^kept *notes/report-2.md: all of it, .*: copy your answers from it$" report 1 --dir notes
[ "$(cat notes/report-2.md)" = "my answer" ] || fail "what has neither heading nor questions is lost"
rm notes/report.md
expect 5 "0 of 3 questions answered: no report.md can be read" grade --no-simulation notes
# A record that was taken away.
expect 1 "0 flags\|1 flag" grade --no-simulation 'a b'
grep -q "it is not there" "$dir/out" && fail "nothing was taken away"
# Predictions sent after the run beside those in time, and one that was changed: folder and class say the same of them.
expect 0 "LAB 1" start 1 --student bea --small --dir sends
expect 0 "six" predict 1 --dir sends alpha=9 bytes=9 balance=9 balance_nt=9 three=9 speed=9 six=9 fraction=9
expect 0 "next" run 1 --dir sends --only model
expect 0 "'six' is late" predict 1 --dir sends alpha=0.1 six=74.63
sed 's/"value": 9\.0,/"value": 8.0,/' sends/predictions.json | awk '/8\.0/ && n++ { sub(/8\.0/, "9.0") } { print }' >mine && mv mine sends/predictions.json
cp -r 'a b' gave
expect 0 "'six' is late" predict 1 --dir gave six=74.63
expect 1 "predictions *0 right, [0-9]* wrong, 0 missing, 1 changed; 2 late" grade --no-simulation --csv=late.csv sends gave
grep -q "predictions *0 right, [0-9]* wrong, 0 missing, 8 given up; 1 late" "$dir/out" || { cat "$dir/out"; fail "what was given up, and sent late"; }
grep -q "^  alpha *0 right *[01] wrong *1 changed .*; 1 late" "$dir/out" && grep -q "^  six .* 1 given up; 2 late" "$dir/out" || { cat "$dir/out"; fail "folder and class differ"; }
grep -q "not in time" "$dir/out" && { cat "$dir/out"; fail "another word for late"; }
awk -F, '/^"sends"/ { n += $7 == 2 && $(NF - 1) == 1 && $NF == 0 } /^"gave"/ { n += $7 == 1 && $(NF - 1) == 0 && $NF == 8 } END { exit n != 2 }' late.csv || { cat late.csv; fail "late ones in the table"; }
# A copy that is named first, under another name: both are flagged, each with the other one.
for name in a00-copy s20; do
    cp -r 'a b' $name && sed -i 's/"student": "ada"/"student": "F F"/' $name/state.json
done
sed -i 's/"start": "20[0-9]*/"start": "2001/' s20/state.json
expect 1 "FLAG *repeated *model *1 of 1 records is also in a b: model; both were first run at 20" grade --no-simulation a00-copy 'a b'
grep -q "FLAG *repeated *model *1 of 1 records is also in a00-copy: model; both were first run at 20" "$dir/out" || { cat "$dir/out"; fail "who was copied is not told"; }
expect 1 "FLAG *repeated *model *1 of 1 records is also in a00-copy and 1 more: model; both were" grade --no-simulation a00-copy 'a b' s20
grep -q "in a00-copy and 1 more: model; first run here at 2001-.*, there at 20" "$dir/out" || { cat "$dir/out"; fail "when each was run"; }
grep -q "in a b and 1 more: model; both" "$dir/out" || { cat "$dir/out"; fail "the first of three is not flagged"; }
expect 1 "^SHARED   a00-copy, a b, s20 share 1 of 1 records: model$" grade --no-simulation --json=shared.json a00-copy 'a b' s20 formula
[ "$(grep -c ^SHARED "$dir/out")" -eq 1 ] || { cat "$dir/out"; fail "a group is told twice"; }
tr -d ' \n' <shared.json | grep -q '"copies":\[{"kind":"records","folders":\["a00-copy","ab","s20"\],"what":\["model"\],"of":1}\]' ||
    { cat shared.json; fail "a group in JSON"; }
rm 'a b/records/model.json'
expect 1 "FLAG *edited *model *lab run wrote its record, and it is not there" grade --no-simulation 'a b'
# A command that says "error" nowhere, as mpirun: its first words.
printf '#!/bin/sh\nexec >&2\necho -----\necho this is no MPI today\nexit 1\n' >mpirun && chmod +x mpirun
expect 0 "LAB 9" start 9 --student ada --small
PATH="$dir:$PATH" "$spmodel" lab run 9 --unpredicted --only two >out 2>&1 || true
grep -q "the run 'two' ended with exit code 1: this is no MPI today\|no MPI here" out || { cat out; fail "what mpirun said"; }
# What is handed in and is no folder.
expect 3 "nothing-here: No such file or directory" grade nothing-here
expect 3 "out: it is no folder" grade out
expect 3 "name the folders that students have handed in" grade .
# A run that a signal ends was not interrupted by the user.
code=0
"$spmodel" lab run 1 --dir whole --only warm --machine ivb-e5-2660v2 >out 2>&1 &
lab=$! child='' tries=0
while [ -z "$child" ] && [ $tries -lt 600 ] && [ -d /proc/$lab ]; do
    child=$(cat /proc/$lab/task/$lab/children 2>/dev/null || true)
    tries=$((tries + 1))
    [ -n "$child" ] || sleep 0.02
done
# shellcheck disable=SC2086 # a list of processes
[ -z "$child" ] || kill -KILL $child
wait $lab || code=$?
if [ -z "$child" ]; then
    echo "submissions.sh: skipped: no run was seen to be ended (this kernel does not list children)"
else
    [ $code -eq 4 ] && grep -q "the run 'warm' was ended by signal" out || { cat out; fail "a run that a signal ends: $code"; }
fi
# Two folders of one student for one lab, however the name is typed; another lab is none of them.
expect 0 "LAB 1" start 1 --student ' ADA' --small --dir again
expect 0 "LAB 2" start 2 --student ada --small --dir other
expect 1 "FLAG *second * ADA has handed in this lab in whole, too" grade --no-simulation formula whole other again
grep -q "FLAG *second * ada has handed in this lab in again, too" "$dir/out" || { cat "$dir/out"; fail "the first of two folders is not flagged"; }
grep -q "FLAG *peeked *6 questions were given up before the first run, 0 of them predicted after it" "$dir/out" || { cat "$dir/out"; fail "what was given up"; }
[ "$(grep -c FLAG "$dir/out")" -eq 3 ] || { cat "$dir/out"; fail "more than the two folders are flagged"; }
# What is wrong with one of many folders is told with its name.
edited predictions.json 's/"time": "[^"]*"/"time": 5/'
expect 1 "FLAG *order .*'[a-z]*' was predicted at ''" grade --no-simulation bad
expect 2 "no control characters" start 2 --student "$(printf 'a\033b')"
expect 2 "1 to 95 bytes" start 2 --student "$(printf '%0100d' 0)"
expect 2 "1 to 95 bytes" start 2 --student ' '
long=$(printf '%01000d' 0)
expect 2 "name is too long" start 2 --dir "$long"
expect 2 "name is too long" check 1 --dir "whole/$long"
echo "submissions.sh: ok"
