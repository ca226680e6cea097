#!/bin/sh
# A gate without noise for continuous integration: simulated bytes of some matrices, compared with the records before.
# The store is kept between runs (an artefact, a cache, a directory in the repository). Exit code 1: more bytes are
# moved than before; 5: there is nothing to compare with, which is red, too, unless SPMODEL_FIRST=yes says that it is the
# first time: a store that was lost must not pass for ever. Verdicts go to spmodel.xml, which GitLab and Jenkins show as
# tests. Bytes are simulated in the caches of a named machine with a given number of threads and plain stores, so any
# runner and any kernel will do.
#     [SPMODEL=spmodel] [SPMODEL_STORE=DIR] [SPMODEL_FIRST=yes] gate.sh MATRIX...
set -eu
: "${SPMODEL:=spmodel}" "${SPMODEL_STORE:=spmodel-store}"
export SPMODEL_STORE
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
"$SPMODEL" analyze -q --no-plots --no-hints --samples 3 --budget 100ms --threads 2 --store plain --bytes sim --machine zen4-vm-2c --sim-llc 1MiB --out "$new" "$@" >"$new/report"
"$SPMODEL" track add -q "$new"
code=0
"$SPMODEL" track check --metric bytes --junit spmodel.xml || code=$?
if [ $code -eq 5 ]; then
    [ "${SPMODEL_FIRST:-no}" != yes ] || exit 0
    echo "nothing to compare with: is $SPMODEL_STORE the store of the runs before? The first time, say SPMODEL_FIRST=yes"
fi
exit $code
