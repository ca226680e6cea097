#!/bin/sh
# Machine code of the kernels for one compute capability, and the check of it.
# Usage: machine_code_for.sh NVCC 100 SOURCE FOLDER CHECK...   the check's first argument is replaced by FOLDER
set -eu
nvcc=$1 capability=$2 source=$3 folder=$4
shift 4
mkdir -p "$folder"
for name in spmv dense sampled mma ceiling; do
    if ! "$nvcc" -std=c++17 -O3 -arch="sm_$capability" -cubin -I"$source" -I"$source/src" \
        -o "$folder/$name.cubin" "$source/kernels/cuda/${name}_gpu.cu" 2>"$folder/log"; then
        grep -q 'Unsupported gpu architecture\|not defined for option' "$folder/log" || { cat "$folder/log"; exit 1; }
        echo "SKIPPED: this nvcc knows no compute capability $capability"
        exit 77
    fi
done
python=$1 bare=$2 check=$3
shift 4
exec "$python" "$bare" "$check" "$folder" "$1" "$2"
