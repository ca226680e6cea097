#!/bin/sh
# Every night: measure, keep, judge, and make the page. Gates:
#   bytes                 of the store $SPMODEL_STORE/bytes (gate.sh): exact, on any runner; what cannot be compared is red
#   fraction of the roof  of the store $SPMODEL_STORE/runs: holds on shared machines; undecided is a warning (exit code 5) for
#                         PATIENCE nights (5), and red after that: a gate that never decides guards nothing
#   time                  the same, where the machine is quiet (spmodel doctor --require quiet,pin)
# What is red stays red until it is mended or accepted (spmodel track accept). Exit code 8: the machine got slower, not the
# code. The summary goes to spmodel.md and $GITHUB_STEP_SUMMARY, the page to spmodel.html.
#     [SPMODEL_STORE=DIR] [SPMODEL_FIRST=yes] [PATIENCE=5] nightly.sh MATRIX...
set -eu
: "${SPMODEL:=spmodel}" "${SPMODEL_STORE:=spmodel-store}" "${SPMODEL_FIRST:=no}" "${PATIENCE:=5}"
export SPMODEL SPMODEL_FIRST
here=$(dirname "$0") store=$SPMODEL_STORE worst=0
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
mkdir -p "$store"
worse() { # worse CODE: 1 goes before 8 before 5 before 0, and what failed before all of them
    for c in 3 2 4 7 1 8 5; do
        if [ "$1" -eq $c ] || [ $worst -eq $c ]; then worst=$c && return; fi
    done
}
check() { # check METRIC
    printf '\n### %s\n\n' "$1" >>spmodel.md
    code=0
    "$SPMODEL" track check --store "$store/runs" --metric "$1" --patience "$PATIENCE" --junit "spmodel-$1.xml" --markdown "$new/table" || code=$?
    cat "$new/table" >>spmodel.md
    [ $code -ne 5 ] || [ $SPMODEL_FIRST != yes ] || code=0
    worse $code
}
printf '## Last night\n' >spmodel.md
code=0
SPMODEL_STORE=$store/bytes sh "$here/gate.sh" "$@" || code=$?
printf '\nbytes: exit code %s\n' $code >>spmodel.md
[ $code -ne 5 ] || code=1
worse $code
[ -e "$store/runs/spmodel-store.json" ] || [ $SPMODEL_FIRST = yes ] || {
    echo "no records of the nights before in $store: the first time, say SPMODEL_FIRST=yes"
    exit 1
}
"$SPMODEL" analyze -q --no-plots --no-hints --runs 5 --out "$new/records" "$@" >"$new/report"
"$SPMODEL" track add -q --store "$store/runs" "$new/records"
check bandwidth_fraction
if "$SPMODEL" doctor -q --require quiet,pin >/dev/null 2>&1; then
    check time
else
    printf '\ntime: no gate here, the machine is not quiet\n' >>spmodel.md
fi
"$SPMODEL" track report -q --store "$store/runs" --html spmodel.html
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat spmodel.md >>"$GITHUB_STEP_SUMMARY"
exit $worst
