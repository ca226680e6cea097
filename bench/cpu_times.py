#!/usr/bin/env python3
"""SpMV times of an A64FX that others published beside what the model says of the core and of the bytes.

Usage: bench/cpu_times.py [--spmodel FILE] [--rebuilt NAMES] spmv_counters.csv.gz

The file: raw output of breiters/spmvrd-results (commit 77f3918f) behind S. Breiter, J. D. Trotter, K. Fuerlinger,
"Modelling data locality of SpMV on the A64FX" (SC-W 2023): a line a matrix, number of threads (1, 48) and setting of the
sector cache, with columns group, matrix, rows, cols, nnz, max_nnz_thread, threads, sector_l2ways, sector_l1ways,
median_gemv_s, CPU_CYCLES, region_time_s, L1D_CACHE_REFILL (sum of `repetitions`). Settings off.

    T = max(V/b, start + entries of the fullest thread x c_e + rows of a thread x c_r)

V: every array once; b: the load ceiling of machines/a64fx.json, of L2 where V is below 0.9 of the caches in use. Three
cores: none; that of the machine file; and one that is fitted, c_e and c_r to one thread, with them the start to
48. Fitted is half of the matrices, by an even first byte of the SHA-256 of group/matrix, and of those the ones whose gathers
come from L1: refills of L1 are at most 1.15 times the lines of all arrays. The other half is withheld. --rebuilt: matrices
that generators rebuild, by `spmodel validate`, from their entries."""
import argparse
import csv
import gzip
import hashlib
import io
import json
import math
import statistics
import subprocess

LINE_B = 256
FROM_L1 = 1.15


def read(path):
    rows = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        for r in csv.DictReader(line for line in f if not line.startswith("#")):
            if r["sector_l2ways"] != "0" or r["sector_l1ways"] != "0":
                continue
            n_r, n_c, n_nz, threads = (int(r[k]) for k in ("rows", "cols", "nnz", "threads"))
            V = 12 * n_nz + 8 * (n_r + 1) + 16 * n_r + 8 * n_c
            refills = float(r["L1D_CACHE_REFILL"]) / float(r["repetitions"])
            rows.append({"name": r["group"] + "/" + r["matrix"], "threads": threads, "V": V,
                         "entries": int(r["max_nnz_thread"]), "rows": math.ceil(n_r / threads),
                         "time": float(r["median_gemv_s"]), "from_L1": refills * LINE_B <= FROM_L1 * V,
                         "Hz": float(r["CPU_CYCLES"]) / float(r["region_time_s"])})
    return rows


def is_withheld(row):
    return hashlib.sha256(row["name"].encode()).digest()[0] & 1


def stated():
    with open("machines/a64fx.json") as f:
        m = json.load(f)
    roof = {(c["level"], c["threads"]): c["value"] for c in m["ceilings"] if c["name"] == "load"}
    unit = [u for u in m["units"] if u["kernel"] == "spmv/crs/sve"][0]
    (l0, l1), (s0, s1) = unit["length"], unit["seconds"]
    c_e = (s1 - s0) / (l1 - l0)
    return roof, (c_e, s0 - c_e * l0, unit["start_s"]), 0.9 * m["caches"][1]["size_B"] * m["llc_domains"]


def transfers(row, roof, holds):
    in_L2 = row["threads"] == 48 and row["V"] < holds
    return row["V"] / roof["L2" if in_L2 else "MEM", row["threads"]]


def predicted(row, core, transfers_s):
    c_e, c_r, start = core
    return max(transfers_s, start + row["entries"] * c_e + row["rows"] * c_r)


def error(rows, core, seconds):
    return [predicted(r, core, seconds[id(r)]) / r["time"] - 1 for r in rows]


def quantile(values, share):
    return sorted(values)[round(share * (len(values) - 1))]


def best_of(rows, cores, seconds):
    return min(cores, key=lambda core: statistics.median(abs(e) for e in error(rows, core, seconds)))


def fit(rows, seconds):
    some = {t: [r for r in rows if r["threads"] == t and r["from_L1"] and not is_withheld(r)] for t in (1, 48)}
    one = best_of(some[1], [(e * 1e-10, r * 1e-9, 0) for e in range(2, 16) for r in range(6, 36)], seconds)
    all_of_them = best_of(some[48], [one[:2] + (s * 1e-6,) for s in range(0, 61)], seconds)
    for t, core in ((1, one), (48, all_of_them)):
        ratio = [1 / (1 + e) for e in error(some[t], core, seconds)]
        print("fitted, %d threads: %.1f ns an entry, %.0f ns a row, start %.0f us; measured/predicted %.2f ... %.2f (5 ... 95 %%)"
              % (t, core[0] * 1e9, core[1] * 1e9, core[2] * 1e6, quantile(ratio, 0.05), quantile(ratio, 0.95)))
    return {1: one, 48: all_of_them}


def line(words, rows, core, seconds):
    e = error(rows, core, seconds)
    off = [abs(x) for x in e]
    print("| %s | %d | %.1f | %.1f | %.1f | %+.1f |" % (words, len(rows), 100 * statistics.median(off), 100 * quantile(off, 0.75),
                                                  100 * quantile(off, 0.9), 100 * statistics.median(e)))


def rebuilt(spmodel, names, path):
    made = subprocess.run([spmodel, "validate", path, "--map", "a64fx-papi", "--only", "matrix=" + names, "--only",
                           "partition=0", "--only", "partition_L1=0", "--csv"], check=True, capture_output=True, text=True)
    print("\n| matrix | threads | measured [us] | predicted | error [%] |\n|---|---|---|---|---|")
    for r in csv.DictReader(io.StringIO(made.stdout)):
        print("| %s | %.0f | %.0f | %.0f | %+.0f |" % (r["matrix"], float(r["threads"]), 1e6 * float(r["time_s_counted"]),
                                                   1e6 * float(r["time_s_predicted"]), 100 * float(r["time_s_error"])))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--spmodel", default="build/spmodel")
    a.add_argument("--rebuilt", default="")
    a.add_argument("file")
    a = a.parse_args()
    rows = read(a.file)
    roof, of_file, holds = stated()
    seconds = {id(r): transfers(r, roof, holds) for r in rows}
    core = fit(rows, seconds)
    clock = statistics.median(r["Hz"] for r in rows if r["threads"] == 1)
    print("clock while one thread ran: %.2f GHz\n" % (clock / 1e9))
    print("| | times | median error [%] | 75 % of them | 90 % | median of signed |\n|---|---|---|---|---|---|")
    for threads in (1, 48):
        for gathers in ("gathers from L1", "all"):
            some = [r for r in rows if r["threads"] == threads and (gathers == "all" or r["from_L1"])]
            words = "%d thread%s, %s, " % (threads, "" if threads == 1 else "s", gathers)
            withheld = [r for r in some if is_withheld(r)]
            line(words + "bytes alone", withheld, (0, 0, 0), seconds)
            line(words + "core of the machine file", withheld, of_file if threads == 48 else of_file[:2] + (0,), seconds)
            line(words + "fitted core", withheld, core[threads], seconds)
            line(words + "fitted core, the half that fitted", [r for r in some if not is_withheld(r)], core[threads], seconds)
    if a.rebuilt:
        rebuilt(a.spmodel, a.rebuilt, a.file)


main()
