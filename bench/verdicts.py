#!/usr/bin/env python3
"""Do repeated analyses agree, and do their intervals hold? Each matrix N times, quiet or beside processes that spin.

  bench/verdicts.py [--spinners 2] [-n 20] [--program build/spmodel] [--lines] [--keep FOLDER] [MATRIX ...] [-- OPTION ...]

Without a matrix: data/demo.mtx.gz, the README's. Prints a table for docs/results, with the machine and the date: exit codes,
wall and processor time, agreement, intervals, hints shown, predictions that were tried. No part of the tests, because the
figures depend on the machine.
"""
import argparse
import collections
import datetime
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SPIN = "while :; do :; done"


def analyze(program, matrix, options, folder, run):
    """One run: its record, exit code, wall and processor seconds."""
    path = os.path.join(folder, "%s-%d.json" % (os.path.basename(matrix), run))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.monotonic()
    done = subprocess.run([program, "analyze", "-q", "--no-plots", "--json=" + path, "--out", folder, *options, matrix],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=None)
    wall = time.monotonic() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    record = None
    if os.path.exists(path):
        with open(path) as file:
            record = json.load(file)
    else:
        sys.stderr.write(done.stderr)
    return record, done.returncode, wall, cpu


def value(record, name):
    return ((record or {}).get("metrics", {}).get(name) or {}).get("value")


def shown(record):
    """Hints that the report shows unasked: tried with a gain, or promised to gain 3 % at the lower end."""
    out = []
    for hint in (record or {}).get("hints") or []:
        observed = hint.get("observed") or {}
        gain = hint["gain"]
        tried = observed.get("value") is not None
        if (tried and observed["lo"] > 0 and observed["value"] >= 0.03) or (not tried and gain["lo"] >= 0.03):
            out.append((hint["id"], tried, gain, observed))
    return out[:3]


def most_common(items):
    return collections.Counter(items).most_common(1)[0] if items else ("-", 0)


def figures(runs):
    records = [r for r, _, _, _ in runs if r]
    named = [r["bottleneck"]["class"] for r in records if r["bottleneck"]["class"] != "unknown"]
    hints = [shown(r) for r in records]
    first = most_common([((r.get("verdict") or {}).get("do") or {}).get("hint") or "none" for r in records])
    times = [value(r, "time") for r in records if value(r, "time")]
    median = statistics.median(times) if times else 0
    inside = sum(r["metrics"]["time"]["lo"] <= median <= r["metrics"]["time"]["hi"] for r in records if value(r, "time"))
    every = [h for list_ in hints for h in list_]
    sharp = sum(tried or gain["hi"] - gain["lo"] < 0.25 for _, tried, gain, _ in every)
    tested = [h for r in records for h in r.get("hints") or [] if (h.get("observed") or {}).get("value") is not None]
    covered = sum(h["observed"]["hi"] >= h["gain"]["lo"] and h["observed"]["lo"] <= h["gain"]["hi"] for h in tested)
    fractions = [value(r, "bandwidth_fraction") for r in records if value(r, "bandwidth_fraction") is not None]
    return {
        "runs": len(runs), "failed": sum(code != 0 for _, code, _, _ in runs),
        "wall": [w for _, _, w, _ in runs], "cpu": [c for _, _, _, c in runs],
        "states": collections.Counter((r.get("conditions") or {}).get("state", "?") for r in records),
        "fractions": fractions, "named": len(named), "bottleneck": most_common(named), "first": first, "inside": inside,
        "flagged": sum(bool(r.get("flags")) for r in records), "shown": len(every), "sharp": sharp, "tested": len(tested),
        "covered": covered,
    }


def row(name, f):
    most = "%.0f %%" % (100 * max(f["fractions"])) if f["fractions"] else "-"
    states = ", ".join("%d %s" % (n, s) for s, n in f["states"].most_common())
    return "| %s | %s | %.1f / %.1f | %.1f | %s | %s %d of %d | %s %d | %d | %d | %d of %d | %d of %d |" % (
        name, states + (", %d failed" % f["failed"] if f["failed"] else ""), statistics.median(f["wall"]), max(f["wall"]),
        statistics.median(f["cpu"]), most, f["bottleneck"][0], f["bottleneck"][1], f["named"], f["first"][0], f["first"][1],
        f["inside"], f["flagged"], f["sharp"], f["shown"], f["covered"], f["tested"])


def together(parts):
    """Sums over matrices: agreement is that within each matrix."""
    out = dict(parts[0])
    for key in ("runs", "failed", "named", "inside", "flagged", "shown", "sharp", "tested", "covered"):
        out[key] = sum(f[key] for f in parts)
    for key in ("wall", "cpu", "fractions"):
        out[key] = [x for f in parts for x in f[key]]
    out["states"] = sum((f["states"] for f in parts), collections.Counter())
    for key in ("bottleneck", "first"):
        out[key] = ("agree", sum(f[key][1] for f in parts))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=20, help="runs of each matrix")
    parser.add_argument("--spinners", type=int, default=0, help="processes that spin beside them")
    parser.add_argument("--program", default="build/spmodel")
    parser.add_argument("--keep", metavar="FOLDER", help="where the records stay, for other questions")
    parser.add_argument("--lines", action="store_true", help="a line for each run, too")
    parser.add_argument("matrix", nargs="*", default=[])
    arguments, options = sys.argv[1:], []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    a = parser.parse_args(arguments)
    matrices = a.matrix or ["data/demo.mtx.gz"]
    spinners = [subprocess.Popen(["timeout", "7200", "sh", "-c", SPIN]) for _ in range(a.spinners)]
    parts = []
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown processor")
    print("`%s` on %s, %d processors, %s, %s\n" % (" ".join([os.path.join("bench", os.path.basename(sys.argv[0])), *sys.argv[1:]]),
          cpu, os.cpu_count(), datetime.date.today(), subprocess.run([a.program, "--version"], capture_output=True,
                                                                     text=True).stdout.split("\n")[0]))
    print("| matrix | state | wall s, median / most | processor s | most of roof | bottleneck | first hint | time inside | flagged "
          "| hints tried or narrow | predictions covered |\n|---|---|---|---|---|---|---|---|---|---|---|")
    try:
        with tempfile.TemporaryDirectory() as scratch:
            folder = a.keep or scratch
            os.makedirs(folder, exist_ok=True)
            for matrix in matrices:
                runs = []
                for i in range(a.n):
                    runs.append(analyze(a.program, matrix, options, folder, i))
                    if a.lines:
                        r, code, wall, used = runs[-1]
                        v = (r or {}).get("verdict") or {}
                        sys.stderr.write("%d exit %d %.1f s wall %.1f s cpu | %s | %s | %s\n" % (
                            i, code, wall, used, (v.get("reached") or {}).get("text"), (r or {}).get("bottleneck", {}).get("class"),
                            [(h[0], round(h[2]["lo"], 3), round(h[2]["hi"], 3), h[3].get("value")) for h in shown(r)]))
                parts.append(figures(runs))
                print(row(os.path.basename(matrix), parts[-1]), flush=True)
    finally:
        for process in spinners:
            process.terminate()  # timeout passes it on
    if len(matrices) > 1:
        print(row("all", together(parts)))


if __name__ == "__main__":
    main()
