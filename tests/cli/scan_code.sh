#!/bin/sh
# The load-only roof keeps its sums in registers: with sums on the stack one core read 17 GB/s from any cache, and kernels drew
# more than their roof. Counts the instructions that touch the stack in the machine code, no time. Usage: scan_code.sh SPMODEL
set -eu
command -v objdump >/dev/null || { echo "scan_code.sh: skipped: no objdump"; exit 77; }
for name in sp_scan_portable sp_scan_avx2 sp_scan_avx512; do
    code=$(objdump -d --no-show-raw-insn --disassemble=$name "$1" | grep '^ ' || true)
    [ -n "$code" ] || { echo "scan_code.sh: $name is not in the program"; exit 1; }
    n=$(echo "$code" | grep -cE '\(%r[sb]p' || true)
    echo "$name: $(echo "$code" | wc -l) instructions, $n of them touch the stack"
    [ "$n" -le 16 ] || exit 1
done
