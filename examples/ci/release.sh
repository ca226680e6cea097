#!/bin/sh
# Before a release: the newest nights against what was accepted at the last one, so that small steps that passed one by one
# cannot add up; then this one is accepted. It measures nothing: nightly.sh does. Nothing undecided is released: exit code 5
# is red. The first release has nothing to be held against: SPMODEL_FIRST=yes.
#     [SPMODEL_STORE=DIR] [SPMODEL_FIRST=yes] release.sh NAME
set -eu
: "${SPMODEL:=spmodel}" "${SPMODEL_STORE:=spmodel-store}" "${SPMODEL_FIRST:=no}"
name=$1 worst=0
for store in "$SPMODEL_STORE/bytes" "$SPMODEL_STORE/runs"; do
    if [ $SPMODEL_FIRST != yes ] && [ -z "$(ls "$store/pins" 2>/dev/null)" ]; then
        echo "nothing was accepted in $store: the first time, say SPMODEL_FIRST=yes"
        exit 5
    fi
done
for metric in bytes bandwidth_fraction; do
    store=$SPMODEL_STORE/runs
    [ $metric != bytes ] || store=$SPMODEL_STORE/bytes
    code=0
    "$SPMODEL" track check --store "$store" --metric $metric --junit "spmodel-$metric.xml" || code=$?
    [ $code -ne 5 ] || [ $SPMODEL_FIRST != yes ] || code=0
    [ $code -eq 0 ] || worst=$code
done
"$SPMODEL" track report -q --store "$SPMODEL_STORE/runs" --html spmodel.html
"$SPMODEL" track export -q --store "$SPMODEL_STORE/runs" --to asv=asv-results
[ $worst -eq 0 ] || exit $worst
for store in "$SPMODEL_STORE/bytes" "$SPMODEL_STORE/runs"; do
    "$SPMODEL" track accept --store "$store" --all --why "release $name"
done
