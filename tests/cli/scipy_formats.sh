#!/bin/sh
# scipy_formats.sh SPMODEL: files of SciPy's and of this program are read by the other one. PYTHON names a Python with SciPy.
set -u
spmodel=$1
python=''
for one in ${PYTHON:-python3 /usr/bin/python3}; do
    [ -n "$python" ] || ! "$one" -c 'import scipy.sparse, scipy.io' 2>/dev/null || python=$one
done
[ -n "$python" ] || { echo "SKIPPED: ${PYTHON:-python3} has no SciPy (python3-scipy)"; exit 77; }
"$spmodel" --version | grep -q 'LIBARCHIVE: [0-9]' || { echo "SKIPPED: this build is without libarchive"; exit 77; }
dir=$(mktemp -d /tmp/spmodel-scipy-XXXXXX) || exit 1
trap 'rm -rf "$dir"' EXIT
"$python" "$(dirname "$0")/scipy_formats.py" "$spmodel" "$dir"
