#!/bin/sh
# Every example of the manual runs as it stands, in a folder with the files that it names, and exits with a code that is
# beside it and on its page. Measurements are cut short: what they take is not what is tested.
# Usage: examples.sh SPMODEL LIKWID_CSV
set -eu
spmodel=$1 csv=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME="$dir/home" XDG_DATA_HOME="$dir/home" XDG_CACHE_HOME="$dir/home/cache" USER=ada
unset SPMODEL_STORE SPMODEL_FAULT SPMODEL_COMMIT || true
. "$(dirname "$0")/this_machine.sh"
this_machine
fail() {
    echo "examples.sh: $*"
    exit 1
}
mkdir -p "$dir/bin" "$dir/work" "$dir/home"
ln -s "$spmodel" "$dir/bin/spmodel"
PATH=$dir/bin:$PATH
cd "$dir/work"

# The files that examples name.
spmodel generate laplace2d:24 -o matrix.mtx >/dev/null
spmodel generate band:576:1 -o banded.mtx >/dev/null
awk 'BEGIN { print "%%MatrixMarket matrix array real general"; print "576 1"; for (i = 0; i < 576; i++) print i }' >b.mtx
for name in before after; do
    spmodel analyze -q --budget 50ms --no-plots --no-hints --runs 2 --out made --json=$name.json matrix.mtx >/dev/null || [ $? -eq 5 ] || fail "analyze"
done
cp before.json tried.json
cp "$csv" run.csv
cat >suite.txt <<'S'
matrix matrix.mtx
run crs: --budget 50ms --no-hints
S

printf 'matrix,threads,read_B,lines\ngen:laplace2d:300,1,9e6,35000\ngen:laplace2d:300,48,9e6,35000\n' >counted.csv

# A program without a product: 1.
printf '#!/bin/sh\nexit 0\n' >solver
chmod +x solver

spmodel help --examples >"$dir/examples"
[ "$(wc -l <"$dir/examples")" -ge 50 ] || fail "only $(wc -l <"$dir/examples") examples"
tab=$(printf '\t') n=0
while IFS=$tab read -r codes line; do
    n=$((n + 1))
    typed=$line
    case $line in
    "spmodel analyze"* | "spmodel machine measure"*) typed="$line --budget 50ms" ;;
    "spmodel sweep"*) typed="$line --budget 20ms --point 1ms --index i32 --schedule nnz" ;;
    "spmodel import --time "*) typed="$line --machine zen4-vm-2c" ;; # none with one thread is remembered
    esac
    case $line in "spmodel analyze"*) typed="$typed --no-plots --no-hints" ;; esac
    code=0
    sh -c "$typed" >"$dir/out" 2>"$dir/err" </dev/null || code=$?
    case $line in *"--renew"*) this_machine ;; esac # what was cut short is not what others shall stand on
    case " $codes " in *" $code "*) ;; *) cat "$dir/out" "$dir/err"; fail "$line: exit code $code, not one of $codes" ;; esac
    [ -s "$dir/out" ] || [ -s "$dir/err" ] || case $line in *' -o '* | *' --to '* | *' --csv='* | *' --json='*) ;; *) fail "$line prints nothing" ;; esac
    name=$(echo "$line" | awk '{ print $2 }')
    case $name in track | lab) name="$name $(echo "$line" | awk '{ print $3 }')" ;; esac
    # shellcheck disable=SC2086 # a command and its verb
    spmodel help --man $name | sed -n '/^\.SH "EXIT STATUS"/,/^\.SH E/s/^\\fB\([0-9]*\)\\fR$/\1/p' >"$dir/codes"
    for code in $codes; do
        grep -qx "$code" "$dir/codes" || fail "$line: exit code $code is not on the page of $name"
    done
done <"$dir/examples"
echo "examples.sh: $n examples"
