#!/bin/sh
# Base and head of a pull request on one runner, in turn, so that neither machine nor day lies between them. Three gates:
#   bytes                 simulated, exact: one more byte in a thousand is red; what cannot be compared is red at once
#   fraction of the roof  each run has the roof beside it, so a shared machine holds; undecided after TRIES (3) of ROUNDS (6)
#                         rounds, and twice and four times as many: exit code 5
#   time                  only where the machine is quiet (spmodel doctor --require quiet,pin); else it is only told
# BASE and HEAD are commands that take the options of `spmodel analyze`, of two builds, or of two kernels of yours:
#     BASE='base/build/spmodel analyze' HEAD='build/spmodel analyze' pull_request.sh MATRIX...
#     BASE='spmodel analyze --kernel base/libmine.so' HEAD='spmodel analyze --kernel ./libmine.so' pull_request.sh MATRIX...
# A Markdown summary goes to spmodel.md, for a comment, and to $GITHUB_STEP_SUMMARY. Exit code 1: red; 5: undecided, for a
# person to look at; 0: all is well.
set -eu
: "${SPMODEL:=spmodel}" "${BASE:=$SPMODEL analyze}" "${HEAD:=$SPMODEL analyze}" "${ROUNDS:=6}" "${TRIES:=3}"
exact="-q --no-plots --no-hints --samples 3 --budget 100ms --threads 2 --store plain --bytes sim --machine zen4-vm-2c --sim-llc 1MiB"
run="-q --no-plots --no-hints ${RUN_OPTIONS:---budget 2s}"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
red=0 open=0
quiet=0
"$SPMODEL" doctor -q --require quiet,pin >/dev/null 2>&1 || quiet=$?
put() { printf '%s\n' "$@" >>spmodel.md; }
note() { # note NAME CODE: what a gate came to
    case $2 in
    0) put "" "$1: ok" "" ;;
    5) put "" "**$1: undecided**" "" && open=1 ;;
    *) put "" "**$1: red** (exit code $2)" "" && red=1 ;;
    esac
    cat "$new/table" >>spmodel.md 2>/dev/null || true
    rm -f "$new/table"
}
in_turn() { # in_turn METRIC MATRIX: more rounds where that is undecided, at most three times
    rounds=$ROUNDS code=5 try=0
    : >"$new/table"
    while [ $code -eq 5 ] && [ $try -lt "$TRIES" ]; do
        code=0
        "$SPMODEL" compare --ab --rounds "$rounds" --metric "$1" --markdown "$new/table" "$BASE $run --json '$2'" "$HEAD $run --json '$2'" || code=$?
        rounds=$((2 * rounds)) try=$((try + 1))
    done
}
printf '## Base against head\n' >spmodel.md
for matrix in "$@"; do
    put "" "### $matrix"
    code=0
    { $BASE $exact --json "$matrix" >"$new/base.json" && $HEAD $exact --json "$matrix" >"$new/head.json"; } || code=$?
    [ $code -ne 0 ] || "$SPMODEL" compare --metric bytes --markdown "$new/table" "$new/base.json" "$new/head.json" || code=$?
    [ $code -ne 5 ] || code=1 # two runs of one minute have to be comparable: something else changed
    note "bytes" $code
    in_turn bandwidth_fraction "$matrix"
    note "fraction of the roof" $code
    if [ $quiet -eq 0 ]; then
        in_turn time "$matrix"
        note "time" $code
    else
        put "" "time: no gate here, the machine is not quiet"
    fi
done
cat spmodel.md
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat spmodel.md >>"$GITHUB_STEP_SUMMARY"
[ $red -eq 0 ] || exit 1
[ $open -eq 0 ] || exit 5
