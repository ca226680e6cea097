#!/bin/sh
# Eight histories of 60 commits x 3 sessions, made by `track simulate`, end with exactly the faults that were built in: none
# forgotten, none invented. Usage: histories.sh SPMODEL
set -eu
spmodel=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir"
unset SPMODEL_STORE SPMODEL_COMMIT GITHUB_SHA CI_COMMIT_SHA GIT_COMMIT || true
fail() {
    echo "histories.sh: $*"
    cat "$dir/out"
    exit 1
}
history() { # history NAME ARGUMENTS...: into the store NAME
    name=$1
    shift
    "$spmodel" track simulate -q --out "$dir/$name.records" "$@" >"$dir/out" 2>&1 || fail "simulate $*"
    "$spmodel" track add -q --store "$dir/$name" "$dir/$name.records" >"$dir/out" 2>&1 || fail "add $name"
    export SPMODEL_STORE="$dir/$name"
}
expect() { # expect CODE VERB ARGUMENTS...
    wanted=$1 code=0
    shift
    "$spmodel" track "$@" >"$dir/out" 2>&1 || code=$?
    [ $code -eq "$wanted" ] || fail "$name: track $* exited with $code, not $wanted"
}
has() { grep -q -- "$1" "$dir/out" || fail "$name: no '$1'"; }
count() { # count N TEXT
    [ "$(grep -c -- "$2" "$dir/out" || true)" -eq "$1" ] || fail "$name: not $1 times '$2'"
}

# 1. Nothing, in three series. A second history does not become part of it.
history unchanged --series 3
expect 4 simulate --out "$dir/unchanged.records" --commits 2
has 'it holds records already'
expect 0 check
count 3 '^ok '
count 0 'open since'
expect 0 check --metric bytes
expect 0 locate
count 3 'no change'

# 2. A step that nobody mended or accepted, 90 sessions long; accepted, it is what may be.
history step --fault step:30:100
expect 1 check
has '^regressed'
has 'open since commit0030 (after commit0029): a step of +[0-9.]* %, seen in 93 sessions'
count 1 'open since'
expect 1 check --baseline 5
has 'open since commit0030 (after commit0029): a step of +[0-9.]* %, seen in 93 sessions'
expect 0 locate
has 'between commit0029 and commit0030'
count 1 'between'
expect 0 accept --all
expect 0 check

# 3. A step that was mended, and one that was not.
history mended --fault step:20-30:10 --fault step:50:6
expect 1 check
has 'open since commit0050 (after commit0049): a step of'
count 1 'open since'
expect 0 locate
has 'between commit0029 and commit0030'
count 3 'between'

# 4. A drift of 0.2 % a commit.
history drift --fault drift:31:0.2 --series 2
expect 1 check
has 'open since commit00[23][0-9] .*: a trend of +0\.[12][0-9]* % a commit (.*), +[4-7]\.[0-9] % so far'
count 1 'open since'
count 1 '^ok '
count 0 'machine drifted'
expect 1 check --baseline 10
has ': a trend of +0'
count 1 '^ok '
expect 1 check
began=$(sed -n 's/.*(after \(commit[0-9]*\)).*/\1/p' "$dir/out")
expect 0 locate
count 1 'between'
has ': a trend of +0\.[12]'
has "between $began and"

# 5. Bytes: 2 % more, long ago, and what was mended.
history bytes --fault bytes:12:2 --fault bytes:30-35:5:2 --series 2
expect 1 check --metric bytes
has 'open since commit0012 (after commit0011): a step of +2.0 %, seen in 147 sessions'
count 0 'not confirmed yet'
count 1 'open since'
expect 0 locate --metric bytes
count 3 'between'
history few_bytes --commits 20 --fault bytes:12:1
expect 1 check --metric bytes
expect 0 locate --metric bytes
has 'bytes +1.0 %, worse'

# 6. Two modes 12 % apart by process, and 10 % more.
history modes --modes 12 --fault step:58:10 --series 2
expect 1 check
has 'open since commit0058 (after commit0057): a step of'
count 1 'open since'
count 1 '^ok '

# All runs in the other mode, which is slower.
history mode_change --commits 40 --fault mode:30 --fault step:30:12
expect 1 check
has 'open since commit0030 (after commit0029): a mode change of +1'
expect 0 locate
has '%, worse: a mode change$'

# The faster of two modes is lost: what half of the runs gained by it is missed, until it is accepted.
history lost_mode --commits 34 --modes 12 --fault mode:30
expect 1 check
has 'open since commit0030 (after commit0029): a mode change of +5'
has "runs since is in the mode 'shared', as 4. % of the runs before were"
expect 0 locate
count 1 '%, worse: a mode change$'
expect 0 accept --all
expect 0 check

# 7. The machine, and its sentinels say so: no commit is blamed.
history machine --fault machine:45:12
expect 8 check
has '^machine'
has 'the machine drifted: DRAM sentinel -1'
count 1 'open since commit0045'

# 8. Twenty series with noise that all of them share; one of them got slower twice.
history common --series 20 --common 2 --session 0.5 --sessions 3 --fault step:40:7:7 --fault step:52:7:7
expect 1 check
has '^regressed .*made-7 '
has 'since commit0040 (after commit0039): .*since commit0052 (after commit0051): '
count 1 '^regressed'
count 19 '^ok '

# What they share is no change of any of them, for locate and the page as for check.
history shared --commits 40 --series 20 --common 2 --seed 8
expect 0 check
count 20 '^ok '
expect 0 locate
count 20 'no change'
expect 0 locate --matrix made-3
count 1 'no change'
expect 0 report --html "$dir/page.html"
if grep -q '>better<\|>worse, ended since<' "$dir/page.html"; then fail "$name: the page has a change"; fi

# What it is asked for has to make sense.
expect 2 simulate --fault step:0:5
has 'KIND:COMMIT'
expect 2 simulate --fault nonsense:3:5
expect 2 simulate --sessions 4
expect 2 simulate --fault step:61:5
has 'begins at commit 61, but there are 60'
expect 2 simulate --series 2 --fault step:3:5:3
has 'into series 3, but there are 2'
expect 2 simulate --out ''
expect 2 simulate --fault step:3:inf

# A folder that cannot be written is one error, not one for each record.
: >"$dir/file"
expect 4 export --records "$dir/file"
[ "$(grep -c 'error:' "$dir/out")" -eq 1 ] || fail "more than one error"
expect 4 simulate --out "$dir/file"
echo "histories.sh: eight histories, every fault and no other"
