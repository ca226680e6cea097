#!/bin/sh
# python.sh SOURCE LIBRARY CMAKE BUILD [SCRIPT...]: the scripts of tests/python over the package and the library. PYTHON names a
# Python with cffi, NumPy and SciPy; else the first one here that has them.
set -u
source=$1 library=$2 cmake=$3 build=$4
shift 4
spmodel=$build/spmodel
needs='import cffi, numpy, scipy.sparse'
python=''
for one in ${PYTHON:-python3 /usr/bin/python3}; do
    if "$one" -c "$needs" 2>/dev/null; then
        python=$one
        break
    fi
done
[ -n "$python" ] || { echo "SKIPPED: ${PYTHON:-python3} has not all of cffi, numpy, scipy (python3-cffi python3-numpy python3-scipy)"; exit 77; }
if grep -qE '^SP_SANITIZE:[A-Z]+=(ON|thread)' "$build/CMakeCache.txt"; then
    echo "SKIPPED: a library with sanitizers is not opened by a program without them"
    exit 77
fi
dir=$(mktemp -d /tmp/spmodel-python-XXXXXX) || exit 1
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache" SPMODEL_LIBRARY="$library" PYTHONPATH="$source/python" PYTHONDONTWRITEBYTECODE=1
export SP_TEST_SOURCE="$source" SP_TEST_BUILD="$build" SP_TEST_CMAKE="$cmake"
. "$(dirname "$0")/this_machine.sh"
this_machine
cd "$dir" || exit 1
"$python" -c 'import sys, numpy, scipy, cffi; print("Python", sys.version.split()[0], "numpy", numpy.__version__, "scipy", scipy.__version__, "cffi", cffi.__version__)'
result=0
for script in "$@"; do
    code=0
    "$python" -W error::DeprecationWarning:spmodel "$source/tests/python/$script" || code=$?
    case $code in 0 | 77) ;; *) result=1 ;; esac
done
exit $result
