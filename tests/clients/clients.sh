#!/bin/sh
# Programs that are none of ours, attached to: PETSc, hypre, librsb, MKL. What is not here is skipped with the reason, unless
# SPMODEL_CLIENTS=install lets the script install it (apt-get as root; pip into a folder of its own).
# Usage: clients.sh SPMODEL
set -u
spmodel=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "clients: $*"; cat "$dir/out" "$dir/err" 2>/dev/null; exit 1; }
skip() { echo "clients: SKIPPED $*"; }
n_run=0
export XDG_CACHE_HOME="$dir/cache" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
machine="--machine ivb-e5-2660v2"
install() { # install PACKAGES...: when that is asked for
    [ "${SPMODEL_CLIENTS:-}" = install ] || return 0
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >"$dir/apt" 2>&1 || echo "clients: apt-get: $(tail -n 1 "$dir/apt")"
}
attach() { # attach NAME COMMAND...
    name=$1
    shift
    mkdir -p "$dir/records"
    "$spmodel" attach $machine --no-plots --no-hints --out "$dir/records" --json="$dir/$name.json" -- "$@" >"$dir/out" 2>"$dir/err" || fail "$name ends with $?"
    cat "$dir/out"
    n_run=$((n_run + 1))
}
# Its own median of a product, and attach's of the calls of one matrix and function, which agree on a quiet machine.
compare() { # compare NAME SYMBOL OWN_S
    python3 - "$dir/$1.json" "$2" "$3" <<'END' || fail "$1: $2 was not judged"
import json, sys
records = [json.loads(line) for line in open(sys.argv[1])] if open(sys.argv[1]).readline().rstrip().endswith("}") else [json.load(open(sys.argv[1]))]
found = [r["attach"] for r in records if r["attach"]["symbol"] == sys.argv[2]]
if not found:
    sys.exit(1)
a = found[0]
median = max((s for s in a["seen"] if s["symbol"] == a["symbol"]), key=lambda s: s["calls"] if s["calls"] == a["calls"] else 0)["median_s"]
print("clients: %s: %d calls, median %.4g s, fastest %.3g s; the program's own median %.4g s: %+.1f %%" %
      (sys.argv[2], a["calls"], median, a["least_s"], float(sys.argv[3]), 100 * (median / float(sys.argv[3]) - 1)))
END
}
own() { sed -n "s/.*${1:-}seconds \([0-9.]*\).*/\1/p" "$dir/out" | head -n 1; }

install libpetsc-real-dev libopenmpi-dev openmpi-bin
if ! command -v mpicc >/dev/null; then
    skip "PETSc: no mpicc (apt-get install libpetsc-real-dev libopenmpi-dev openmpi-bin)"
elif ! mpicc -w "$here/petsc_cg.c" $(pkg-config --cflags PETSc 2>/dev/null) -o "$dir/petsc_cg" -lpetsc_real -lm 2>"$dir/err"; then
    skip "PETSc: its example cannot be built: $(head -n 1 "$dir/err")"
else
    attach petsc1 "$dir/petsc_cg" -n 60
    compare petsc1 MatMult "$(own)"
    attach petsc2 mpirun --oversubscribe -n 2 "$dir/petsc_cg" -n 60
    compare petsc2 MatMult "$(own)"
    grep -q "in 2 processes" "$dir/out" || fail "PETSc: two processes are not seen"
fi
install libhypre-dev libopenmpi-dev openmpi-bin
if ! command -v mpicc >/dev/null; then
    skip "hypre: no mpicc (apt-get install libhypre-dev libopenmpi-dev openmpi-bin)"
elif ! mpicc -w "$here/hypre_amg.c" -I/usr/include/hypre -o "$dir/hypre_amg" -lHYPRE -lm 2>"$dir/err"; then
    skip "hypre: its example cannot be built: $(head -n 1 "$dir/err")"
else
    attach hypre "$dir/hypre_amg" 50
    compare hypre hypre_CSRMatrixMatvecOutOfPlace "$(own)"
fi
install librsb-dev
if ! ${CC:-cc} -w "$here/rsb_products.c" -o "$dir/rsb_products" -lrsb 2>"$dir/err"; then
    skip "librsb: its example cannot be built: $(head -n 1 "$dir/err") (apt-get install librsb-dev)"
else
    attach rsb "$dir/rsb_products" 60
    compare rsb rsb_spmv "$(own 'spmv ')"
    compare rsb rsb_spmm "$(own 'spmm ')"
fi
python=${SPMODEL_CLIENTS_PYTHON:-python3}
if [ "${SPMODEL_CLIENTS:-}" = install ]; then
    python3 -m venv "$dir/venv" && "$dir/venv/bin/pip" install -q mkl sparse_dot_mkl scipy >"$dir/pip" 2>&1 && python=$dir/venv/bin/python
fi
if ! "$python" -c 'import importlib.util as u, sys; sys.exit(not (u.find_spec("sparse_dot_mkl") and u.find_spec("scipy")))' 2>/dev/null; then
    skip "MKL: $python has no sparse_dot_mkl (pip install mkl sparse_dot_mkl scipy; SPMODEL_CLIENTS_PYTHON names another python)"
else
    MKL_RT=${MKL_RT:-$(ls "$("$python" -c 'import sys; print(sys.prefix)')"/lib/libmkl_rt.so* 2>/dev/null | head -n 1)}
    export MKL_RT
    attach mkl "$python" -W ignore "$here/mkl_products.py" 50
    compare mkl mkl_sparse_d_mv "$(own 'mv ')"
    compare mkl mkl_sparse_d_mm "$(own 'mm ')"
fi
[ $n_run -gt 0 ] || exit 77
echo "clients: $n_run programs"
