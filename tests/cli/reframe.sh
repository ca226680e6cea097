#!/bin/sh
# The ReFrame tests of examples/ci: by ReFrame itself where python3 has it, else by what stands in for it in
# tests/stand_in. Usage: reframe.sh SPMODEL EXAMPLES STAND_IN
set -eu
spmodel=$1 examples=$2 stand_in=$3
command -v python3 >/dev/null || { echo "reframe.sh: skipped: no python3"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
PATH="$(dirname "$spmodel"):$PATH"
export PATH HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" PYTHONDONTWRITEBYTECODE=1 TMPDIR="$dir"
. "$(dirname "$0")/this_machine.sh"
this_machine
fail() {
    echo "reframe.sh: $*"
    exit 1
}
if python3 -c 'from reframe.frontend.cli import main' 2>/dev/null; then
    echo "reframe.sh: by ReFrame $(python3 -c 'import reframe; print(reframe.VERSION)')"
    run() { python3 -c 'from reframe.frontend.cli import main; main()' --prefix="$dir/prefix" --nocolor -c "$1" -r; }
else
    echo "reframe.sh: by the stand-in for ReFrame, which python3 does not have here"
    run() { python3 "$stand_in/run_reframe.py" "$1" "$(mktemp -d)/stage"; }
fi
expect() { # expect CODE TEXT FILE
    code=0
    run "$3" >"$dir/out" 2>&1 || code=$?
    [ $code -eq "$1" ] || { cat "$dir/out"; fail "$3 exited with $code, not $1"; }
    grep -q -- "$2" "$dir/out" || { cat "$dir/out"; fail "$3: no '$2'"; }
}
expect 0 "P: balance: 8.87" "$examples/reframe_spmodel.py"
grep -q "P: balance: 9.0" "$dir/out" || { cat "$dir/out"; fail "no second layout"; }

# A reference that does not hold, and a figure that is needed and not known, fail; one that is not needed is left out.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 0\n' >"$dir/empty.mtx"
derived() { # derived FILE MATRIX BODY
    cat >"$dir/$1" <<END
import sys
sys.path.insert(0, '$examples')
import reframe as rfm
from reframe.core.builtins import parameter
from reframe_spmodel import SpmodelTest


@rfm.simple_test
class Derived(SpmodelTest):
    matrix = parameter(['$2'])
    options = ['--machine', 'zen4-vm-2c', '--samples', '3', '--budget', '20ms']
    $3
END
}
derived wrong.py gen:laplace2d:60 "reference = {'*': {'alpha': (0.1, None, 0.05, '1')}}"
expect 1 "alpha" "$dir/wrong.py"
derived unknown.py "$dir/empty.mtx" "needed = ['alpha']"
expect 1 "alpha is unknown" "$dir/unknown.py"
derived left_out.py "$dir/empty.mtx" "needed = ['time']"
expect 0 "P: time: " "$dir/left_out.py"
grep -q "P: alpha" "$dir/out" && fail "an unknown figure became a performance variable"
# Over ranks: 60 rows each way over a cut of laplace2d:60, 8 bytes each, in one message a side.
if "$spmodel" --version | grep -q '^ *MPI: [0-9]' && command -v mpirun >/dev/null && mpirun -n 2 true 2>/dev/null; then
    ranks() { # ranks FILE REFERENCE
        sed 's/import SpmodelTest/import SpmodelRanks/; s/(SpmodelTest)/(SpmodelRanks)/; /options = /d' "$dir/wrong.py" |
            sed "s/reference = .*/reference = {'*': {'halo': ($2, 0, 0, 'B'), 'messages': (2, 0, 0, '1')}}/" >"$dir/$1"
    }
    ranks ranks.py 960
    expect 0 "P: halo: 960" "$dir/ranks.py"
    ranks other.py 952
    expect 1 "halo" "$dir/other.py"
else
    echo "reframe.sh: SKIPPED ranks: no MPI in this build, or no mpirun that starts two processes"
fi
echo "reframe.sh: references hold, and fail where they should"
