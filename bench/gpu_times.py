#!/usr/bin/env python3
"""GPU times that others published beside what `spmodel model` predicts from sizes.

Usage: bench/gpu_times.py [--spmodel FILE] [--fit] [--rebuilt MOST_NONZEROS] [--worst N] spmv_times.csv.gz

The file: SpMV times of ginkgo-project/ginkgo-data (CC-BY-4.0), a line for each matrix, machine and format, with
columns machine, rev, group, name, rows, cols, nnz, row_max, format, storage_B, time_s, completed. Times above 1
are nanoseconds; those below 2 us and unfinished ones are left out. A100 and the branch "master" of V100_SXM2;
CSR (the library's choice, which shares nonzeros between warps) and SELL-P (a thread for each row).

Half of the matrices, by an even first byte of the SHA-256 of group/name, fit what the machine files hold as
gpu.wait_s, step_s, row_s, crs_share and sell_share (--fit prints the figures); the rest is withheld. Every line of the
withheld half is asked of the program: `spmodel model --sizes R,C,N --machine M --format crs`, and
`--format sell:64,1 --beta B --longest ROW_MAX`, with B of storage_B. Alpha is the least one, x once.
--rebuilt: matrices with at most so many nonzeros that the program can rebuild (gen:suitesparse:NAME), predicted
from their entries."""
import argparse
import csv
import gzip
import hashlib
import json
import math
import statistics
import subprocess
import sys

MACHINES = {"A100": ("a100-sxm4-40gb", "A100"), "V100_SXM2": ("v100-sxm2-16gb", "master")}
FORMATS = ("csr", "sellp")
LEAST_S = 2e-6


def read(path):
    rows = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as f:
        for r in csv.DictReader(f):
            if r["machine"] not in MACHINES or r["rev"] != MACHINES[r["machine"]][1] or r["format"] not in FORMATS:
                continue
            t = float(r["time_s"] or 0)
            t = t * 1e-9 if t > 1 else t
            if r["completed"] != "True" or t < LEAST_S or not r["storage_B"]:
                continue
            rows.append({"machine": r["machine"], "name": r["group"] + "/" + r["name"], "n_r": int(r["rows"]),
                         "n_c": int(r["cols"]), "n_nz": int(r["nnz"]), "longest": int(r["row_max"]),
                         "format": r["format"], "storage_B": float(r["storage_B"]), "time": t})
    return rows


def is_withheld(row):
    return hashlib.sha256(row["name"].encode()).digest()[0] & 1


def median(values):
    return statistics.median(values) if values else math.nan


def quantile(values, share):
    return sorted(values)[round(share * (len(values) - 1))]


# ---- the fit: the same sum as model/gpu/gpu_time.c, with the machine file's other figures ----

def stated(machine):
    with open("machines/%s.json" % MACHINES[machine][0]) as f:
        m = json.load(f)
    load = {c["level"]: c["value"] for c in m["ceilings"] if c["name"] == "load"}
    L2 = m["caches"][1]
    return {"launch": m["gpu"]["launch_s"]["value"], "ramp": 2 * m["gpu"]["latency_s"]["value"], "MEM": load["MEM"],
            "L2": load["L2"], "from_L2": m["gpu"]["L2_latency_s"]["value"] / m["gpu"]["latency_s"]["value"],
            "holds": 0.9 * (L2["effective_B"]["value"] if L2["effective_B"] else L2["size_B"])}


def bytes_of(row):
    return row["storage_B"] + 8 * row["n_r"] + 8 * row["n_c"]


def fitted_time(row, m, p):
    V = bytes_of(row)
    longest = V / m["L2"] if V < m["holds"] else V / (m["MEM"] * p[row["format"]])
    if row["format"] == "sellp":
        longest = max(longest, row["longest"] * p["step"] * (1 if V >= m["holds"] else m["from_L2"]))
        return m["launch"] + m["ramp"] + p["wait"] + longest
    return 2 * m["launch"] + m["ramp"] + p["wait"] + longest + p["row"] * row["n_r"]


def fit(rows, machine):
    """Least sum of |log(predicted/measured)|, each at most 0.7 (outliers), one parameter after the other."""
    m = stated(machine)
    grid = {"wait": [i * 0.5e-6 for i in range(1, 60)], "sellp": [i / 100 for i in range(50, 101)],
            "csr": [i / 100 for i in range(50, 101)], "row": [i * 2e-12 for i in range(100)], "step": [i * 1e-8 for i in range(20, 90)]}
    p = {"wait": 10e-6, "sellp": 0.8, "csr": 0.8, "row": 50e-12, "step": 5e-7}
    for _ in range(4):
        for key, values in grid.items():
            p[key] = min(values, key=lambda v: sum(
                min(0.7, abs(math.log(fitted_time(r, m, {**p, key: v}) / r["time"]))) for r in rows))
    return p


def print_fit(rows, machine):
    m, p = stated(machine), fit(rows, machine)
    print("%s, %d times of the fitted half: wait_s %.3g, crs_share %.2f, sell_share %.2f, row_s %.2g, step_s %.2g"
          % (machine, len(rows), p["wait"], p["csr"], p["sellp"], p["row"], p["step"]))
    # ends: what each parameter alone would have to be, of matrices whose time it decides
    def print_ends(name, values):
        if values:
            print("  %-10s 10 %%: %.3g  median: %.3g  90 %%: %.3g  (%d matrices)"
                  % (name, quantile(values, 0.1), median(values), quantile(values, 0.9), len(values)))

    fixed = m["launch"] + m["ramp"] + p["wait"]
    of_bytes = {r["name"] + r["format"]: bytes_of(r) / m["MEM"] for r in rows}
    for name, fmt in (("crs_share", "csr"), ("sell_share", "sellp")):
        print_ends(name, [of_bytes[r["name"] + fmt] /
                          (r["time"] - fixed - (p["row"] * r["n_r"] + m["launch"] if fmt == "csr" else 0)) for r in rows
                          if r["format"] == fmt and of_bytes[r["name"] + fmt] > 1e-4 and
                          (fmt == "csr" or r["longest"] * p["step"] < of_bytes[r["name"] + fmt])])
    print_ends("step_s", [(r["time"] - fixed) / r["longest"] for r in rows if r["format"] == "sellp" and
                          r["longest"] * p["step"] > 3 * of_bytes[r["name"] + "sellp"] + 1e-4])
    print_ends("row_s", [(r["time"] - fixed - m["launch"] - of_bytes[r["name"] + "csr"] / p["csr"]) / r["n_r"] for r in rows
                         if r["format"] == "csr" and r["n_nz"] < 10 * r["n_r"]])
    print_ends("wait_s", [p["wait"] + r["time"] - fitted_time(r, m, p) for r in rows if r["time"] < 6e-5 and
                          r["format"] == "csr"])


# ---- what the program says ----

def ask(options, arguments):
    done = subprocess.run([options.spmodel, "model", "-q", "--json", *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("spmodel model %s: %s" % (" ".join(arguments), done.stderr.strip()[:200]))
    return json.loads(done.stdout)["predictions"]


def predict(options, row):
    arguments = ["--sizes", "%d,%d,%d" % (row["n_r"], row["n_c"], row["n_nz"]), "--machine", MACHINES[row["machine"]][0]]
    if row["format"] == "sellp":
        stored = max(row["n_nz"], (row["storage_B"] - 12 * math.ceil(row["n_r"] / 64)) / 12)
        arguments += ["--format", "sell:64,1", "--beta", "%.9f" % max(1e-6, row["n_nz"] / stored),
                      "--longest", str(row["longest"])]
    else:
        arguments += ["--format", "crs"]
    return ask(options, arguments)[0]


def line(label, rows):
    e = [abs(r["error"]) for r in rows]
    if not e:
        return
    inside = sum(r["lo"] <= r["time"] <= r["hi"] for r in rows)
    before = median([abs(r["old"] / r["time"] - 1) for r in rows])
    print("| %s | %d | %.1f | %.1f | %.1f | %+.1f | %.0f | %.1f |" % (
        label, len(rows), 100 * median(e), 100 * quantile(e, 0.75), 100 * quantile(e, 0.9),
        100 * median([r["error"] for r in rows]), 100 * inside / len(rows), 100 * before))


def print_table(rows):
    print("| | times | median error [%] | 75 % of them | 90 % | median of signed | in the interval [%] | bytes alone |")
    print("|---|---|---|---|---|---|---|---|")
    for machine in MACHINES:
        for fmt in FORMATS + (None,):
            for label, is_in in (("beyond 100 us", lambda t: t > 1e-4), ("below", lambda t: t <= 1e-4)):
                line("%s %s, %s" % (machine, fmt or "both", label),
                     [r for r in rows if r["machine"] == machine and fmt in (None, r["format"]) and is_in(r["time"])])


def print_worst(rows, n):
    print("\nworst of the withheld half")
    for r in sorted(rows, key=lambda r: -abs(math.log(1 + r["error"])))[:n]:
        print("  %s %s %s: %.4g us measured, %.4g predicted (%s); %d rows, %.1f entries a row, longest %d"
              % (r["machine"], r["format"], r["name"], 1e6 * r["time"], 1e6 * r["time"] * (1 + r["error"]), r["bound_by"],
                 r["n_r"], r["n_nz"] / r["n_r"], r["longest"]))


def print_rebuilt(options, rows):
    print("\n| rebuilt matrix | machine | format | measured [us] | from sizes | from entries | kernel |")
    print("|---|---|---|---|---|---|---|")
    for r in rows:
        name = r["name"].split("/")[1]
        if r["n_nz"] > options.rebuilt or subprocess.run(
                [options.spmodel, "info", "-q", "gen:suitesparse:" + name], capture_output=True).returncode:
            continue
        p = ask(options, ["gen:suitesparse:" + name, "--machine", MACHINES[r["machine"]][0], "--format",
                          "sell:64,1" if r["format"] == "sellp" else "crs"])
        wanted = "merge" if r["format"] == "csr" else "SELL"
        best = [q for q in p if wanted in q["format"]][0]
        sizes = predict(options, r)
        print("| %s | %s | %s | %.1f | %.1f | %.1f | %s |" % (
            r["name"], r["machine"], r["format"], 1e6 * r["time"], 1e6 * sizes["waited"]["value"],
            1e6 * best["gpu"]["waited"]["value"], best["format"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spmodel", default="build/spmodel")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--rebuilt", type=int, default=0)
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("file")
    options = parser.parse_args()
    rows = read(options.file)
    if options.fit:
        for machine in MACHINES:
            print_fit([r for r in rows if r["machine"] == machine and not is_withheld(r)], machine)
        return 0
    held = [r for r in rows if is_withheld(r)]
    for r in held:
        p = predict(options, r)
        w = p["waited"]
        r["error"] = w["value"] / r["time"] - 1
        r["lo"], r["hi"], r["bound_by"] = w["lo"], w["hi"], p["bound_by"]
        r["old"] = p["bytes"]["value"] / p["roof"]["value"]
    print_table(held)
    if options.worst:
        print_worst(held, options.worst)
    if options.rebuilt:
        print_rebuilt(options, rows)
    return 0


sys.exit(main())
