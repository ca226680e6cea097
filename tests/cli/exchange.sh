#!/bin/sh
# What comes in from other programs and what goes out to them: golden tables of each format; out and in again is the same;
# bad input names file, line and remedy, and adds nothing. Usage: exchange.sh SPMODEL DATA GOLDEN CHECK_SCHEMA SCHEMA
set -eu
spmodel=$1 data=$2/exchange golden=$3 check_schema=$4 schema=$5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
unset SPMODEL_STORE SPMODEL_COMMIT SPMODEL_BRANCH GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT || true
cd "$dir"
fail() {
    echo "exchange.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT ARGUMENTS...
    wanted=$1 text=$2 code=0
    shift 2
    "$spmodel" track "$@" >out 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat out; fail "$* exited with $code, not $wanted"; }
    grep -q -- "$text" out || { cat out; fail "$*: no '$text'"; }
}
same() { # same FILE GOLDEN
    [ -z "${SP_UPDATE_GOLDEN:-}" ] || cp "$1" "$golden/$2"
    cmp "$1" "$golden/$2" || { diff "$golden/$2" "$1" || true; fail "$1 is not $2"; }
}

# In: each format by what it looks like, as one table.
take() { # take NAME FILE WHAT-IS-SAID OPTIONS...
    name=$1 file=$2 text=$3
    shift 3
    expect 0 "$text" import --store "$name" "$@" "$data/$file"
    "$spmodel" track export --store "$name" --to csv="$name.csv"
    same "$name.csv" "exchange-$name.csv"
    expect 0 "0 records added to $name, [0-9]* there already" import --store "$name" "$@" "$data/$file"
    "$check_schema" "$schema" "$name"/records/*/*.json >check || { cat check; fail "$name: the schema"; }
}
take gbench gbench.json '1 value left out, such as BM_broken: no matrix'
take reframe reframe.log '3 values left out, such as stream n: its unit is .things.'
take caliper caliper.txt '4 records added' --machine node7 --date 2026-03-01T12:00:00Z --commit 1234abcd
take cali-json caliper.json '2 records added'
take thicket thicket.csv '1 value left out, such as idle: it has no time'
take series series.csv '3 records added'

# They are series like others: checked, located, on the page.
expect 1 "^regressed .*spmv small · imported from csv" check --store series
expect 0 "saved" report --store series --html page.html

# Out and in again is the same.
for name in gbench reframe caliper cali-json thicket series; do
    expect 0 "added" import --store "again-$name" "$name.csv"
    "$spmodel" track export --store "again-$name" --to csv=again.csv
    cmp "$name.csv" again.csv || fail "$name: out and in again differs"
done

# Two programs that name a region alike have measured two things.
printf 'name,nid,profile,time\nmain,0,1,2.0\n' >one.csv
printf 'Path       Time (I)\nmain       3.0\n' >other.txt
expect 0 "1 record added" import --store mixed --machine m1 --commit a1 --date 2026-11-01 --from thicket one.csv
expect 0 "1 record added" import --store mixed --machine m1 --commit a2 --date 2026-11-02 --from caliper other.txt
expect 5 "the records before it were imported from thicket" check --store mixed

# Out.
"$spmodel" track export --store series --to github-action=action.json
same action.json exchange-github-action.json
"$spmodel" track export --store series --to github-action-benchmark=action.json
same action.json exchange-github-action.json
"$spmodel" track export --store series --to conbench=- --repository https://example.org/a/b >conbench.json
same conbench.json exchange-conbench.json
"$spmodel" track export --store series --to asv=results
(cd results && for file in $(find . -name '*.json' | sort); do echo "--- $file"; cat "$file"; done) >asv.txt
same asv.txt exchange-asv.txt
# Of records of this program, too.
"$spmodel" track simulate -q --commits 3 --out made
expect 0 "added" add --store made-store made
"$spmodel" track export --store made-store --to asv=made-results
[ "$(find made-results/made -name 'commit000*-spmodel-*.json' | wc -l)" -eq 3 ] || fail "not three commits of asv"
"$spmodel" track export --store made-store --to csv=made.csv
grep -q '^made-1 spmv.*#[0-9a-f]\{8\},2040-01-01T00:00:00Z,commit0001,,made,0000000000000001,time,' made.csv || { head -3 made.csv; fail "a series of this program"; }

# Bad input: file, line, what, remedy; nothing of it is added.
bad() { # bad TEXT OPTIONS...: of the file `bad`
    text=$1
    shift
    expect 3 "$text" import --store bad-store "$@" bad
    [ -z "$(find bad-store/records -name '*.json' 2>/dev/null)" ] || fail "something of a damaged file was added: $text"
}
echo 'nothing known' >bad
bad "bad:1: it looks like none of the formats"
bad "no column 'series' in the header" --from csv
printf 'series,value,unit,date,machine\na,1,s,2026-01-01,m\nb,x,s,2026-01-01,m\n' >bad
bad "bad:3: 'x' of 'value' is no number"
printf 'series,value,unit,date,machine\na,1,furlong,2026-01-01,m\n' >bad
bad "bad:2: 'furlong' is no unit that can be tracked"
printf 'series,value,unit,date,machine\na,1,s,yesterday,m\n' >bad
bad "bad:2: 'yesterday' is no date"
# No day is moved into the next month, no number of a day is taken for seconds.
for day in 2026-02-30 2026-13-01 2026-03-01T10:00:00+99:00 20260230 1000; do
    printf 'series,value,unit,date,machine\na,1,s,%s,m\n' "$day" >bad
    bad "bad:2: '$day' is no date"
done
# One rule for dates, here and in --since: a zone, basic forms, seconds, a month.
printf 'series,value,unit,date,machine\na,1,s,2026-03-02T00:30:00+02:00,m\na,1,s,20260303,m\na,1,s,1772700000,m\n' >dates
expect 0 "3 records added" import --store dates-store dates
since() { # since DATE RECORDS
    "$spmodel" track log --store dates-store --since "$1" >out
    [ "$(grep -c '1 run' out)" = "$2" ] || { cat out; fail "--since $1 is not $2 records"; }
}
since 2026-03-01 3
since 2026-03-02T00:00:00+02:00 3
since 2026-03-02 2
since 1772500000 1
since 2026-03 3
since 2026 3
since 2027 0
for day in 2026-13-45 2026-02-30 yesterday; do
    expect 2 "since takes a date .*not '$day'" log --store dates-store --since "$day"
done
printf 'series,value,unit,date,machine\na,1,s,,m\n' >bad
bad "bad:2: it does not say when it was measured"
expect 0 "1 record added" import --store dated --date 2026-01-01 bad
printf 'series,value,unit,date\na,1,s,2026-01-01\n' >bad
bad "bad:2: it does not say where it was measured"
printf 'series,value,unit,date,machine\na,-1,s,2026-01-01,m\n' >bad
bad "bad:2: time of 'a' is -1"
printf 'series,value,unit,date,machine\na,1,s,2026-01-01\n' >bad
bad "bad:2: 4 cells, but the header has 5"
printf 'series,value,unit,date,machine\n"a,1,s,2026-01-01,m\n' >bad
bad "bad:2: a quote does not end"
printf 'series,value,unit,date,machine,metric\na,1,s,2026-01-01,m,bytes\n' >bad
bad "bad:2: the unit 's' is that of time, not of 'bytes'"
printf 'series,value,unit,date,machine,origin\na,1,s,2026-01-01,m,guessed\n' >bad
bad "bad:2: 'guessed' is no origin"
head -c 300 "$data/gbench.json" >bad
bad "bad:[0-9]*:[0-9]*: no JSON" --from gbench
echo '{"context": {}}' >bad
bad "bad:1: no 'context' with a list 'benchmarks'" --from gbench
sed 's/"time_unit": "us"/"time_unit": "furlong"/' "$data/gbench.json" >bad
bad "bad:[0-9]*: 'BM_spmv/1000/repeats:3' has no real_time with a time_unit"
sed 's/|12.25|/|twelve|/' "$data/reframe.log" >bad
bad "bad:4: 'twelve' of copy_bw_value is no number"
sed 's/|name|/|nom|/; s/|unique_name|/|un|/' "$data/reframe.log" >bad
bad "bad:1: no column with the check's name"
sed 's/Avg time/Odd time/' "$data/caliper.txt" >bad
bad "bad:1: 'Odd time" --machine m --date 2026-01-01
sed 's/,name,/,nom,/' "$data/thicket.csv" >bad
bad "bad:1: no column 'name'" --from thicket
: >bad
bad "it looks like none"
expect 3 "nowhere" import --store bad-store nowhere
expect 2 "takes gbench, reframe" import --from conbench bad
expect 2 "takes csv, asv" export --store series --to gbench=x
expect 2 "says where it goes" export --store series --to asv
expect 2 "name the files" import --store x
expect 0 "in and out" import --formats
echo "exchange.sh: formats in and out"
