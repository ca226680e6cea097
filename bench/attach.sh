#!/bin/sh
# What libspmodel-attach.so adds to a product: a fake of PETSc whose products take 0 and 10 us, with and without it. Least means of
# batches, so that what else computes here disturbs little. Usage: attach.sh BUILD
set -eu
build=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for ns in 0 10000; do
    for round in 1 2 3; do
        plain=$("$build/tests/attach_app" time 2000 $ns)
        rm -rf "$dir/seen"
        mkdir "$dir/seen"
        attached=$(SPMODEL_ATTACH_FOLDER=$dir/seen LD_PRELOAD=$build/libspmodel-attach.so "$build/tests/attach_app" time 2000 $ns)
        echo "$ns $plain $attached" | awk '{ printf "product of %5d ns: %7.0f ns alone, %7.0f ns attached: %+.0f ns, %+.2f %%\n", $1, $2 * 1e9, $3 * 1e9, 1e9 * ($3 - $2), 100 * ($3 / $2 - 1) }'
    done
done
