#!/usr/bin/env python3
"""Holds the machine code of the GPU kernels against what decides their speed: loads that leave together, loads
of 128 bits where they are promised, no registers spilled, as many registers as the model reckons with, and bytes
on their way, times the threads that a core holds, against Little's law.

Usage: check_machine_code.py FOLDER LAUNCH MACHINE [PAGE VERSION]
           folder with .cubin files, gpu_launch.c, machine file; with a page whose table is of this version of
           nvcc, its lines are to be the ones of this code
       check_machine_code.py FOLDER LAUNCH MACHINE --table   prints that table
"""
import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
import machine_code as code

LATENCY_S = 800e-9  # of a load from memory under load, as assumed
ENOUGH = 0.9        # of what Little's law asks for

# name for people; body; its template's arguments; what it is for (SP_GPU_...); how many loops are inside the main
# one; loads that leave together at least; latencies of a turn at most; widest load [B]; of the loads of a turn
# those of a gathered operand; is it to have enough bytes on their way?; bytes of shared memory of a block
MERGE_ITEMS = 7 * 256 + 1
KERNELS = [
    ("`cuda-thread` f64", "crs_rows", "double int 1 loads_alike", "THREAD", 0, 4, 2, 8, 4, True, 0),
    ("`cuda-lanes` f64", "crs_rows", "double int 8 loads_alike", "LANES", 0, 4, 2, 8, 4, True, 0),
    ("`cuda-lanes` f32", "crs_rows", "float int 8 loads_alike", "LANES", 0, 4, 2, 4, 4, True, 0),
    ("`cuda-lanes` c128", "crs_rows", "complex int 16 loads_alike", "LANES", 0, 4, 2, 16, 4, True, 0),
    ("`cuda-keep` f64", "crs_rows", "double int 8 loads_keeping_x", "KEEP", 0, 4, 2, 8, 4, True, 0),
    ("`cuda-keep` f32", "crs_rows", "float int 8 loads_keeping_x", "KEEP", 0, 4, 2, 4, 4, True, 0),
    ("`cuda-bins` f64", "crs_bins", "double int 8", "BINS", 0, 4, 2, 8, 4, True, 64),
    ("`cuda-bins` f32", "crs_bins", "float int 8", "BINS", 0, 4, 2, 4, 4, True, 32),
    ("`cuda-merge` f64", "crs_merge", "double int", "MERGE", 0, 4, 2, 8, 4, True, MERGE_ITEMS * 12 + 256 * 12),
    ("`cuda-merge` f32", "crs_merge", "float int", "MERGE", 0, 4, 2, 4, 4, True, MERGE_ITEMS * 8 + 256 * 8),
    ("`cuda-chunk` f64", "sell_chunk", "double int", "CHUNK", 0, 4, 2, 8, 4, True, 0),
    ("`cuda-chunk` f32", "sell_chunk", "float int", "CHUNK", 0, 4, 2, 4, 4, True, 0),
    ("`cuda-row` f64", "crs_columns", "double int 2 1", "ROW", 0, 4, 2, 16, 4, True, 0),
    ("`cuda-row` f64, 2 loads", "crs_columns", "double int 2 2", "ROW", 0, 4, 2, 16, 8, True, 0),
    ("`cuda-row` f32", "crs_columns", "float int 4 1", "ROW", 0, 4, 2, 16, 4, True, 0),
    ("`cuda-row` f16", "crs_columns", "f16 int 8 1", "ROW", 0, 4, 2, 16, 4, True, 0),
    ("`cuda-output` f64", "crs_output", "double int", "OUTPUT", 0, 4, 2, 8, 4, True, 0),
    # a row ends before each of four entries, and its successor's end is waited for
    ("`cuda-share` f64", "crs_share", "double int 2", "SHARE", 4, 4, 10, 16, 4, False, 0),
    ("`cuda-share` f16", "crs_share", "f16 int 8", "SHARE", 4, 4, 10, 16, 4, False, 0),
    ("`cuda-share` f16, sums of a row", "share_parts", "f16", "SHARE", 0, 32, 1, 4, 32, False, 0),
    ("`cuda-slot` f64", "sell_columns", "double int 2", "SLOT", 0, 4, 2, 16, 4, True, 0),
    ("`cuda-stage` f64", "staged_columns", "double 2", "STAGE", 1, 4, 2, 16, 4, False, 0),
    ("`cuda-sample` f64", "sddmm_crs", "double int 2", "SAMPLE", 1, 4, 2, 16, 4, False, 0),
    ("`cuda-sample` f16", "sddmm_crs", "f16 int 8", "SAMPLE", 1, 4, 2, 16, 4, False, 0),
    ("`cuda-equal` f64", "sddmm_coo", "double int 2", "EQUAL", 1, 4, 2, 16, 4, False, 0),
    ("`cuda-tile` f64", "sddmm_tiled", "double int 2", "TILE", 1, 4, 2, 16, 2, False, 0),
    ("`cuda-fused` f64", "fused_narrow", "double int 2", "FUSED", 0, 4, 4, 16, 16, False, 0),
    ("`cuda-mma` f16", "bcsr_mma", "unit_16bit<f16> 2 7 1", "MMA", 1, 4, 1, 16, 2, False, 0),
    ("`cuda-mma` f64", "bcsr_mma", "unit_f64 2 7 1", "MMA", 1, 4, 1, 16, 2, False, 0),
]

failures = []


def expect(is_so, what):
    if not is_so:
        failures.append(what)


class Limits:
    """What a core of the machine holds, and the bytes that must be on their way in it."""

    def __init__(self, path):
        with open(path) as f:
            machine = json.load(f)
        gpu = machine["gpu"]
        self.name = machine["name"]
        self.threads, self.blocks = gpu["threads"], gpu["blocks"]
        self.registers, self.shared_B, self.block_shared_B = gpu["registers"], gpu["shared_B"], gpu["block_shared_B"]
        memory = [c["value"] for c in machine["ceilings"] if c["level"] == "MEM" and c["name"] == "load"]
        self.needed_B = max(memory) * LATENCY_S / machine["cores"]

    def resident(self, registers, block_threads, shared_B):
        """Threads, as model/gpu/gpu_time.c counts them."""
        of_warp = (registers * 32 + 255) // 256 * 256
        blocks = min(self.threads // block_threads, self.blocks, self.registers // (of_warp * (block_threads // 32)))
        if shared_B:
            blocks = min(blocks, self.shared_B // (shared_B + self.block_shared_B))
        return blocks * block_threads


def launches_of(path):
    """{map: (threads of a block, registers, steps)} of the table in gpu_launch.c."""
    with open(path) as f:
        text = f.read()
    named = {name: int(value) for name, value in re.findall(r"\b(ONE_LOAD_REGISTERS|TWO_LOADS_REGISTERS) = (\d+)", text)}
    row = r"\[SP_GPU_(\w+)\] = \{\"\w+\", \w+, \w+, (\w+), (\d+), ([\d.]+),"
    table = {m: (256 if "THREADS" in t else int(t), int(r), float(n)) for m, t, r, n in re.findall(row, text)}
    return table, named


def rounded(registers):
    return (registers + 7) // 8 * 8


def expected_registers(row, launches, named):
    """What the model reckons with; None: it depends on more than the table says."""
    if row[3] in ("ROW", "GROUP"):
        return named["ONE_LOAD_REGISTERS" if row[2].endswith(" 1") else "TWO_LOADS_REGISTERS"]
    return None if row[3] == "MMA" else launches[row[3]][1]


def expected_steps(row, launches):
    """Gathers that one latency serves, as gpu_launch.c says: twice as many where each is two loads; SHARE: where
    two rows end before each entry."""
    if row[3] == "SHARE":
        return 4 / (2 + 4 * 2)
    return launches[row[3]][2] * (2 if row[2].endswith(" 2 2") else 1)


def check(row, kernel, loop, limits, launches, named):
    name, _, of, which, _, together, latencies, widest, gathers, enough, shared_B = row
    where = "%s (%s), compute capability %d.%d" % (name, of, kernel.capability // 10, kernel.capability % 10)
    if loop is None:
        expect(False, "%s: no loop loads anything" % where)
        return None
    threads = limits.resident(kernel.registers, launches[which][0], shared_B)
    in_flight_B = loop.in_flight_B() * threads
    expect(loop.together >= together, "%s: %d loads leave together, not %d" % (where, loop.together, together))
    later = kernel.capability > 90  # whose registers are not bounded by what was seen there: one latency more
    expect(loop.latencies <= latencies + later * max(1, latencies // 2) + 0.01,
           "%s: a turn of %d loads takes %.1f latencies, not %d" % (where, loop.loads, loop.latencies, latencies))
    expect(max(loop.widths) == widest, "%s: the widest load has %d B, not %d" % (where, max(loop.widths), widest))
    if enough:
        expect(in_flight_B >= ENOUGH * limits.needed_B, "%s: %.1f KB on their way in a core of %s, %.1f are needed"
               % (where, in_flight_B / 1e3, limits.name, limits.needed_B / 1e3))
    reckoned = expected_registers(row, launches, named)
    steps = gathers / loop.latencies if loop.latencies else 0
    is_f64 = of.split()[0] in ("double", "unit_f64")
    if kernel.capability == 90 and is_f64:
        expect(abs(steps - expected_steps(row, launches)) < 0.05, "%s: %.2f gathers in a latency, the model reckons "
               "with %.2f" % (where, steps, expected_steps(row, launches)))
    if reckoned and is_f64 and not later:
        expect(kernel.registers <= reckoned, "%s: %d registers, the model reckons with %d"
               % (where, kernel.registers, reckoned))
    return threads, in_flight_B


HEAD = "|kernel|loads|together|latencies|registers|threads|KB|%|\n|---|---|---|---|---|---|---|---|"


def table_row(row, kernel, loop, threads, in_flight_B, limits):
    return "|%s|%d|%d|%g|%d|%d|%.0f|%.0f|" % (
        row[0], loop.loads, loop.together, round(loop.latencies, 1), kernel.registers, threads, in_flight_B / 1e3,
        100 * in_flight_B / limits.needed_B)


def check_page(path, version, table):
    with open(path) as f:
        page = f.read()
    if "nvcc %s" % version in page and table not in page:
        expect(False, "%s has another table than this machine code: check_machine_code.py ... --table" % path)


def by_hand():
    """Loops whose latencies are known: index and gather of an entry after entry, and of four together."""
    def make(operation, counts_up=7, waits_for=0, width=0):
        both = operation | code.ALWAYS << 12 | width << 73 | counts_up << 110 | waits_for << 116
        return code.Instruction(0, both & (1 << 64) - 1, both >> 64, True)

    index, gather = make(0x981, 0, 0, 4), make(0x981, 1, 1, 5)
    use = make(0x22b, waits_for=2)
    fused, batched = code.Loop([index, gather, use] * 4), code.Loop([index] * 4 + [gather] * 4 + [use])
    expect((fused.latencies, fused.together, fused.bytes) == (8, 1, 48), "by hand: a chain of four takes eight latencies")
    expect((batched.latencies, batched.together) == (2, 4), "by hand: four together take two latencies")
    expect(batched.in_flight_B() == 24, "by hand: 48 B in two latencies are 24 B on their way")


def check_counted_loads(kernels, capabilities):
    """Loads whose sectors `machine measure` has counted are of the width that it says."""
    for width in (4, 8, 16):
        for capability in capabilities:
            kernel = kernels.get(("ceiling_sectors", str(width // 4), capability))
            loop = kernel and code.main_loop(kernel, 0)
            expect(loop and set(loop.widths) == {width}, "loads of %d B that are counted, compute capability %d: %s"
                   % (width, capability, loop and loop.widths))


def main():
    folder, launch, machine = sys.argv[1:4]
    wants_table = "--table" in sys.argv
    files = sorted(glob.glob(os.path.join(folder, "**", "*.cubin"), recursive=True))
    if not files:
        print("SKIPPED: no machine code in %s: this build has no CUDA" % folder)
        return 77
    limits = Limits(machine)
    launches, named = launches_of(launch)
    kernels = {}
    for path in files:
        for k in code.kernels_of(path):
            kernels[k.body, " ".join(k.of), k.capability] = k
            expect(k.spills() == 0, "%s<%s>, compute capability %d: %d accesses to spilled registers"
                   % (k.body, ", ".join(k.of), k.capability, k.spills()))
    by_hand()
    capabilities = sorted({k[2] for k in kernels})
    table = [HEAD]
    for row in KERNELS:
        for capability in capabilities:
            kernel = kernels.get((row[1], row[2], capability))
            expect(kernel, "%s<%s> is not there for compute capability %d" % (row[1], row[2], capability))
            loop = kernel and code.main_loop(kernel, row[4])
            found = kernel and check(row, kernel, loop, limits, launches, named)
            if found and capability == 90:
                table.append(table_row(row, kernel, loop, *found, limits))
    check_counted_loads(kernels, capabilities)
    table = "\n".join(table) + "\n"
    if wants_table:
        print(table, end="")
    elif len(sys.argv) > 5:
        check_page(sys.argv[4], sys.argv[5], table)
    for failure in failures:
        print(failure, file=sys.stderr)
    if not wants_table:
        print("%d kernels of %d files, %d wrong" % (len(kernels), len(files), len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
