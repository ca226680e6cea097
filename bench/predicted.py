#!/usr/bin/env python3
"""What `spmodel model` says of matrices that it does not run, beside what `spmodel analyze` measures.

Usage: bench/predicted.py [--spmodel FILE] [--machine FILE] [--formats crs,sell:8,1] [--threads 1,2] [-n 3]
                          [--budget 400ms] [--least] [--keep FILE.json] MATRIX|gen:... ...

For each matrix, format and number of threads: time by roofline (bytes and P_core of rows by their lengths), by
ECM, with the waiting for gathers (all modelled from the machine file), and the measured median of -n analyses
(--least: the least, where now and then others take the machine), with the parts of the modelled time. Without --machine the machine is measured first (quick)."""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile


def run(arguments, **options):
    done = subprocess.run(arguments, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError("%s ends with %d: %s" % (" ".join(arguments), done.returncode, done.stderr.strip()[:200]))
    return done.stdout


def value(o, *path):
    for key in path:
        o = o.get(key) if isinstance(o, dict) else None
    if isinstance(o, dict):
        o = o.get("value")
    return o if o is not None else math.nan


def model(options, folder, matrix, fmt, threads):
    out = os.path.join(folder, "model.json")
    run([options.spmodel, "model", "--machine", options.machine, "--alpha", "sim", "--format", fmt,
         "--threads", str(threads), "--json=" + out, matrix])
    with open(out) as f:
        p = json.load(f)["predictions"][0]
    return {"roofline": value(p, "time"), "core": value(p, "core"), "row_ends": value(p, "row_ends"), "team": value(p, "team"),
            "data": value(p, "transfers"), "beyond_L1": value(p, "gather", "beyond_L1"),
            "gather": value(p, "gather", "time"), "wait": value(p, "gather", "wait"), "ecm": value(p, "ecm", "time"),
            "expected": value(p, "expected"), "level": p["level"], "kernel": p.get("core_kernel", "?")}


def measure(options, folder, matrix, fmt, threads):
    times, kernel, state = [], "?", []
    for _ in range(options.n):
        out = os.path.join(folder, "record.json")
        run([options.spmodel, "analyze", "-q", "--no-plots", "--no-hints", "--bytes", "sim", "--machine", options.machine,
             "--format", fmt, "--threads", str(threads), "--budget", options.budget, "--json=" + out, matrix], cwd=folder)
        with open(out) as f:
            record = json.load(f)
        times.append(value(record, "metrics", "time"))
        kernel = record["config"].get("kernel", "?")
        state.append(record["conditions"]["state"])
    return {"measured": (min if options.least else statistics.median)(times), "all": times, "ran": kernel, "state": state}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--spmodel", default="build/spmodel")
    parser.add_argument("--machine")
    parser.add_argument("--formats", default="crs;sell:8,1")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("-n", type=int, default=3)
    parser.add_argument("--budget", default="400ms")
    parser.add_argument("--least", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("matrix", nargs="+")
    options = parser.parse_args()
    options.spmodel = os.path.abspath(options.spmodel)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        if not options.machine:
            options.machine = os.path.join(folder, "machine.json")
            run([options.spmodel, "machine", "measure", "--quick", "-q", "-o", options.machine])
        options.machine = os.path.abspath(options.machine)
        print("| matrix | format | threads | level | roofline | ECM | expected | measured | expected/measured | core | "
              "team | row ends | data | gathers beyond L1 | kernel, modelled and run |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
        for matrix in options.matrix:
            name = matrix if ":" in matrix else os.path.abspath(matrix)
            for fmt in options.formats.split(";"):
                for threads in map(int, options.threads.split(",")):
                    try:
                        row = {"matrix": os.path.basename(matrix), "format": fmt, "threads": threads}
                        row.update(model(options, folder, name, fmt, threads))
                        row.update(measure(options, folder, name, fmt, threads))
                    except RuntimeError as error:
                        print("left out: %s" % error, file=sys.stderr)
                        continue
                    rows.append(row)
                    us = lambda key: "%.3g us" % (1e6 * row[key])
                    print("| %s | %s | %d | %s | %s | %s | %s | %s | %.2f | %s | %s | %s | %s | %s | %s, %s |" % (
                        row["matrix"], fmt, threads, row["level"], us("roofline"), us("ecm"), us("expected"),
                        us("measured"), row["expected"] / row["measured"], us("core"), us("team"), us("row_ends"), us("data"),
                        us("beyond_L1"), row["kernel"].split("/")[-1], row["ran"].split("/")[-1]), flush=True)
    if options.keep:
        with open(options.keep, "w") as f:
            json.dump(rows, f, indent=1)
    for key in ("roofline", "ecm", "expected"):
        errors = sorted(abs(r[key] / r["measured"] - 1) for r in rows if r[key] == r[key])
        if errors:
            print("%s: %d cases, error %.0f %% in the median, %.0f %% in nine of ten" % (
                key, len(errors), 100 * statistics.median(errors), 100 * errors[int(0.9 * (len(errors) - 1))]))


main()
