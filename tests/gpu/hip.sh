#!/bin/sh
# The GPU module's sources as hipcc reads them, for AMD's GPUs: kernels are compiled for a wave of 64 and of 32 lanes, the
# runtime's file for the host. Nothing runs. Usage: hip.sh SOURCE_DIR C_COMPILER [gfx90a...]
set -u
source=$1 cc=$2
shift 2
skip() { echo "SKIPPED: $*"; exit 77; }
hipcc=$(command -v hipcc || ls /opt/rocm/bin/hipcc 2>/dev/null) || skip 'no hipcc here: kernels for AMD are not compiled'
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
echo '#include <hip/hip_runtime.h>
__global__ void nothing() {}' >"$dir/try.hip"
"$hipcc" -x hip --offload-arch=gfx90a -c "$dir/try.hip" -o "$dir/try.o" >"$dir/said" 2>&1 || skip "hipcc does not work here: $(tail -n 1 "$dir/said")"
include="-I$source -I$source/src"
for architecture in "${@:-gfx90a}"; do
    for file in spmv dense sampled ceiling; do
        # Whole for one, up to the optimiser for the others: what the types say is checked in all.
        only=-fsyntax-only
        [ $file = ceiling ] && only=-S
        # shellcheck disable=SC2086 # words
        "$hipcc" -x hip --cuda-device-only $only --offload-arch="$architecture" -std=c++17 -O1 -Wall -Werror -Wno-unused-command-line-argument $include \
            -include "$source/kernels/cuda/gpu_hip.h" "$source/kernels/cuda/${file}_gpu.cu" -o "$dir/$file.s" >"$dir/said" 2>&1 ||
            { cat "$dir/said"; echo "hip: ${file}_gpu.cu does not compile for $architecture"; exit 1; }
    done
done
[ -s "$dir/ceiling.s" ] || { echo 'hip: no code came of it'; exit 1; }
for file in runtime_cuda hip_absent no_set_aside; do
    # shellcheck disable=SC2086 # words
    "$cc" -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -DSP_HIP -D__HIP_PLATFORM_AMD__ $include -c "$source/kernels/cuda/$file.c" -o "$dir/$file.o" ||
        { echo "hip: $file.c does not compile"; exit 1; }
done
echo 'hip: ok'
