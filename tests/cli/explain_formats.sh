#!/bin/sh
# The bytes of an execution that `spmodel explain FORMAT` adds up are those of the record that `spmodel analyze` wrote, for
# each format and narrow storage; times are not looked at. Usage: explain_formats.sh SPMODEL SOURCE
set -eu
spmodel=$1 source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
fail() {
    echo "explain_formats.sh: $*"
    exit 1
}
adds_up() { # adds_up TERM LINES MATRIX OPTIONS...: at least LINES of TERM agree, V_min among them
    term=$1 lines=$2
    shift 2
    rm -f "$dir"/*.json
    "$spmodel" analyze -q --no-plots --budget 5ms --samples 3 --threads 2 --machine "$source/machines/icx-8360y.json" \
        --out "$dir" "$@" >"$dir/out" 2>&1 || { cat "$dir/out"; fail "analyze $* failed with $?"; }
    "$spmodel" explain "$term" V_min V "$dir"/*.json >"$dir/out"
    [ "$(sed -n '1,/see also/p' "$dir/out" | grep -c ': agrees$')" -ge "$lines" ] ||
        { cat "$dir/out"; fail "$term of $*: fewer than $lines lines agree"; }
    [ "$(grep -c 'metrics.bytes_min of the record is .* modelled: agrees$' "$dir/out")" -eq 2 ] ||
        { cat "$dir/out"; fail "$*: V_min does not add up"; }
    # V by the formula may differ for a reason, array by array it may not.
    [ "$(grep -c 'metrics.bytes of the record is .*: agrees$' "$dir/out")" -ge 1 ] ||
        { cat "$dir/out"; fail "$*: V is not the sum of the arrays"; }
    ! grep -q -e unknown -e 'does not hold together' "$dir/out" || { cat "$dir/out"; fail "$term of $*: something is unknown"; }
}
adds_up half 4 gen:laplace3d:12 --format half
adds_up half 4 gen:laplace3d:12+permuted:3 --format half
adds_up striped 4 gen:random:8000:4 --format striped:4096
adds_up staged 4 gen:random:600:4 --op spmm --inner 16 --format staged
adds_up tiled 5 gen:random:600:4 --op sddmm --inner 16 --format tiled
adds_up coo 4 gen:random:600:4 --op sddmm --inner 16 --format coo
adds_up d16 5 gen:laplace3d:12 --index d16 --format sell
# Each other that the table has, with its default numbers.
for format in $("$spmodel" help formats | sed -n 's/^ \{9,\}\(crs .*\)/\1/p'); do
    case ' crs sell sellu bcsr coo tiled staged half striped ' in *" $format "*) continue ;; esac
    for op in spmv spmm sddmm; do
        set -- --op $op
        [ $op = spmv ] || set -- --op $op --inner 16
        ! "$spmodel" model gen:laplace3d:4 "$@" --format "$format" >/dev/null 2>&1 || break
    done
    adds_up "$format" 4 gen:laplace3d:12 "$@" --format "$format"
done
adds_up mixed 4 gen:laplace3d:12 --precision mixed --format sellu
echo "explain_formats: ok"
