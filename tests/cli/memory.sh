#!/bin/sh
# What does not fit into the memory that there is gives exit 4 with the figures before it is taken: below a limit
# of --memory, of ulimit -v, and of a control group.
# Usage: memory.sh SPMODEL
set -eu
spmodel=$1
dir=$(mktemp -d)
group=
clean() {
    [ -z "$group" ] || rmdir "$group"
    rm -rf "$dir"
}
trap clean EXIT
export HOME="$dir" XDG_DATA_HOME="$dir" XDG_CACHE_HOME="$dir" SPMODEL_STORE="$dir/store" OMP_NUM_THREADS=2
unset SPMODEL_FAULT || true
cd "$dir"
fail() {
    echo "memory.sh: $*"
    exit 1
}
expect() { # expect CODE TEXT WORDS...: exit code, and the text on standard output or error
    wanted=$1 text=$2
    shift 2
    code=0
    timeout 60 "$@" >out 2>&1 || code=$?
    [ $code -eq "$wanted" ] || { cat out; fail "$* exited with $code, not $wanted"; }
    grep -q -- "$text" out || { cat out; fail "$*: no '$text'"; }
}

# 10^9 rows in 80 bytes, as text, packed, and from standard input; and what commands make beside a matrix.
printf '%%%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 3\n1 1 1\n2 2 2\n3 3 3\n' >rows.mtx
gzip -c rows.mtx >rows.mtx.gz
expect 4 "12.0 GB .*--memory states is 60.0 MB" "$spmodel" convert --memory 60M rows.mtx out.spm
expect 4 "24.0 GB" "$spmodel" info --memory 60M rows.mtx
if "$spmodel" --version | grep -q 'LIBARCHIVE: [0-9]'; then
    expect 4 "24.0 GB" "$spmodel" info --memory 60M rows.mtx.gz
else
    echo "memory.sh: SKIPPED compressed files: this build does not read them"
fi
"$spmodel" convert -q gen:laplace3d:60 matrix.spm
for matrix in matrix.spm gen:laplace3d:60 gen:like:matrix.spm:1; do
    expect 4 "are needed for the matrix and the search of its orders" "$spmodel" reorder --memory 60M $matrix
done
endings="petsc rb"
! "$spmodel" --version | grep -q 'LIBARCHIVE: [0-9]' || endings="petsc rb npz petsc.gz"
for ending in $endings; do
    case $ending in
    *.gz) gzip -1 -k matrix.petsc ;;
    *) "$spmodel" convert -q gen:laplace3d:60 matrix.$ending ;;
    esac
    expect 4 "are needed for " "$spmodel" info --memory 15M matrix.$ending
    expect 4 "two layouts" "$spmodel" analyze --memory 60M --machine zen4-vm-2c matrix.$ending
    expect 0 "216 000" "$spmodel" info --memory 60M matrix.$ending
done
expect 4 "the columns, beside the matrix" "$spmodel" convert --memory 36M gen:laplace3d:60 out.rb
[ ! -e out.rb ] || fail "an output was left"
expect 4 "the reordered matrix" "$spmodel" reorder --memory 40M --method rcm matrix.spm out.spm
expect 4 "about" "$spmodel" model --memory 20M matrix.spm
expect 4 "about" "$spmodel" generate --memory 10M laplace3d:60 -o out.spm
expect 4 "two layouts" "$spmodel" analyze --memory 60M --machine zen4-vm-2c matrix.spm
expect 4 "two layouts" "$spmodel" sweep --memory 60M --machine zen4-vm-2c matrix.spm
expect 4 "two layouts" "$spmodel" import --memory 60M --machine zen4-vm-2c "$(dirname "$0")/../data/likwid-kkt_power.csv" matrix.spm
[ ! -e out.spm ] || fail "an output was left"
expect 0 "216 000" "$spmodel" info --memory 60M gen:laplace3d:60
expect 4 "but nothing may be taken beside the program itself: what --memory states is 10 B" "$spmodel" info --memory 10 gen:laplace3d:60
expect 2 "takes a size" "$spmodel" info --memory much gen:laplace3d:60

if "$spmodel" --version | grep -qi sanitize || ! (ulimit -v 400000 && "$spmodel" info gen:laplace2d:5 >/dev/null 2>&1); then
    echo "memory.sh: SKIPPED ulimit -v: this build takes more address space than that for itself"
else
    (ulimit -v 400000 && expect 4 "this process (ulimit) is 410 MB" "$spmodel" info gen:laplace3d:200)
    (ulimit -v 400000 && expect 0 "216 000" "$spmodel" info gen:laplace3d:60)
fi

# A real group of 60 MB: nothing in it may be killed (137). Sanitizers take some 30 MB for themselves.
limit=60 size=60
! "$spmodel" --version | grep -qi sanitize || limit=150 size=100
make_group() {
    own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
    if [ -n "$own" ]; then
        parent=/sys/fs/cgroup/memory$own file=memory.limit_in_bytes
    else
        parent=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup) file=memory.max
    fi
    mkdir "$parent/spmodel-test-$$" 2>/dev/null || return 1
    group=$parent/spmodel-test-$$
    { echo ${limit}000000 >"$group/$file"; } 2>/dev/null && (echo 0 >"$group/cgroup.procs") 2>/dev/null
}
if make_group; then
    in_group() {
        (echo 0 >"$group/cgroup.procs" && expect "$@")
    }
    in_group 4 "the limit of the control group is $limit.0 MB" "$spmodel" reorder gen:laplace3d:$size
    in_group 4 "the limit of the control group is $limit.0 MB" "$spmodel" info rows.mtx
    in_group 4 "the limit of the control group is $limit.0 MB" "$spmodel" analyze --machine zen4-vm-2c gen:laplace3d:$size
    rm -f out.spm # may lie in memory
    in_group 0 "" "$spmodel" info gen:laplace3d:70
    in_group 0 "" "$spmodel" reorder --method rcm gen:laplace3d:50 out.spm
else
    echo "memory.sh: SKIPPED a real group: this user may not make one with a limit of memory here"
fi
