#!/bin/sh
# libspmodel as it is installed: its symbols and structs are those of the committed list, its header stands alone, and the
# examples are built against the installed tree alone, by pkg-config (shared and static) and by CMake, and run.
# Usage: library.sh CMAKE BUILD SOURCE CC CXX [all]; without all, the first two of these alone.
set -eu
cmake=$1 build=$2 source=$3 cc=$4 cxx=$5
. "$source/tests/cli/this_machine.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "library.sh: $*"
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# What others link against.
{
    nm -D --defined-only "$build/libspmodel.so" | sed -nE 's/^[0-9a-f]+ T ([^@]+)@@?(.*)$/\1 \2/p' | LC_ALL=C sort
    "$cc" -I "$source" "$source/tests/abi_layout.c" -o "$dir/layout"
    "$dir/layout"
} >"$dir/abi"
cmp -s "$dir/abi" "$source/tests/data/libspmodel.abi" || {
    diff "$source/tests/data/libspmodel.abi" "$dir/abi" || true
    fail "the ABI is not that of tests/data/libspmodel.abi: what is added belongs there, what changed needs another soname"
}
others=$(nm -D --defined-only "$build/libspmodel.so" | awk '$2 != "A" && $3 !~ /^spmodel_/' | head -3)
[ -z "$others" ] || fail "the library shows more than its own: $others"

# The header alone.
echo '#include "spmodel.h"' >"$dir/alone.c"
cp "$dir/alone.c" "$dir/alone.cc"
"$cc" -std=c99 -pedantic -Wall -Wextra -Werror -I "$source/include" -c "$dir/alone.c" -o "$dir/alone.o"
if have "$cxx"; then
    "$cxx" -std=c++17 -pedantic -Wall -Wextra -Werror -I "$source/include" -c "$dir/alone.cc" -o "$dir/alone.o"
else
    echo "SKIPPED C++17: no $cxx"
fi
[ "$(wc -l <"$source/include/spmodel.h")" -le 200 ] || fail "spmodel.h has more than 200 lines"

[ "${6:-}" = all ] || exit 0

# Installed, moved, and used from there.
"$cmake" --install "$build" --prefix "$dir/first" >"$dir/out" 2>&1 || { cat "$dir/out"; fail "the installation failed"; }
mv "$dir/first" "$dir/installed"
PKG_CONFIG_PATH=$(dirname "$(find "$dir/installed" -name spmodel.pc)")
lib=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH XDG_CACHE_HOME="$dir/cache"
this_machine
flags=$(pkg-config --cflags --libs spmodel)
works() { # COMMAND...: a full report of a kernel of one's own
    "$@" >"$dir/out" 2>"$dir/err" || { cat "$dir/out" "$dir/err"; fail "$1 exits with $?"; }
    grep -q '^possible ' "$dir/out" && grep -q "$wanted" "$dir/out" || { cat "$dir/out"; fail "$1 gives no report"; }
}
for lines in own_kernel.c:60 own_kernel.f90:60 own_matrix.py:15; do
    [ "$(wc -l <"$source/examples/${lines%:*}")" -le "${lines#*:}" ] || fail "${lines%:*} has more than ${lines#*:} lines"
done
# shellcheck disable=SC2086 # lists of words
for example in own_kernel own_matrix; do
    case $example in own_kernel) wanted=yours ;; *) wanted='time stated' ;; esac
    "$cc" -O2 -fopenmp -Wall -Wextra -Werror "$source/examples/$example.c" $flags -Wl,-rpath,"$lib" -o "$dir/$example"
    works "$dir/$example"
done
wanted=yours
# shellcheck disable=SC2086
if have gfortran; then
    gfortran -O2 -fopenmp -J"$dir" "$source/examples/own_kernel.f90" $flags -Wl,-rpath,"$lib" -o "$dir/fortran"
    works "$dir/fortran"
else
    echo "SKIPPED Fortran: no gfortran"
fi
# Of another compiler, whose OpenMP comes before that of the library.
for other in clang gcc; do
    # shellcheck disable=SC2086
    if have "$other" && "$other" -O2 -fopenmp "$source/examples/own_kernel.c" $flags -Wl,-rpath,"$lib" -o "$dir/other" 2>/dev/null; then
        works "$dir/other" gen:laplace3d:20
    else
        echo "SKIPPED $other: it is not here, or has no OpenMP"
    fi
done
# shellcheck disable=SC2046
if nm "$build/libspmodel.a" | grep -qE '__(asan|tsan)_'; then
    echo "SKIPPED the static library: this build has sanitizers"
else
    "$cc" -O2 -fopenmp "$source/examples/own_kernel.c" $(pkg-config --cflags spmodel) -Wl,-Bstatic -L"$lib" -lspmodel -Wl,-Bdynamic \
        $(pkg-config --static --libs spmodel | sed 's/-lspmodel//') -o "$dir/static"
    works "$dir/static"
    if ldd "$dir/static" | grep -q libspmodel; then fail "the static program needs the shared library"; fi
fi
mkdir "$dir/project"
cat >"$dir/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(mine C)
find_package(spmodel 0.1 REQUIRED)
find_package(OpenMP REQUIRED)
add_executable(mine ${SOURCE}/examples/own_kernel.c)
target_link_libraries(mine spmodel::spmodel OpenMP::OpenMP_C)
END
"$cmake" -S "$dir/project" -B "$dir/project/build" -DCMAKE_PREFIX_PATH="$dir/installed" -DSOURCE="$source" -DCMAKE_C_COMPILER="$cc" \
    >"$dir/out" 2>&1 && "$cmake" --build "$dir/project/build" >>"$dir/out" 2>&1 || { cat "$dir/out"; fail "find_package(spmodel) does not do"; }
works "$dir/project/build/mine"
