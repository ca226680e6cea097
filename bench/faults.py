#!/usr/bin/env python3
"""Are losses what they are said to be? A fault is put into a run on purpose: an unequal schedule, fill, permuted columns, rows of
unlike lengths, gathers out of each level, a team for little work. What it costs (faulty time - clean time) is compared with the growth
of the losses that should name it. The goal is a difference of at most 3 % of the faulty time, 10 % for gathers.

    bench/faults.py SPMODEL [ROUNDS] [--only FAULT]
"""
import argparse
import json
import subprocess
import tempfile

# fault, what is done, arguments of the clean run, of the faulty run, share of the clean time that remains without the fault,
# losses that name it. A team of two without its start would take half the time of one thread.
GATHERED = ["in_core", "extra_x"]
FAULTS = [
    ("schedule", "30 entries a row, then 6, by rows", "{steps}", "--schedule rows {steps}", 1, ["imbalance"]),
    ("fill", "band:1000000:40:0.3 in sell:32,1", "--format sell:32,1 gen:band:1000000:12",
     "--format sell:32,1 gen:band:1000000:40:0.3", 1, ["padding"]),
    ("columns", "laplace3d:150 permuted", "gen:laplace3d:150", "gen:laplace3d:150+permuted:7", 1, GATHERED),
    ("rows", "7 entries a row, then 1 to 13", "gen:band:20000:3", "gen:band:20000:6:0.5", 1, ["in_core"]),
    ("L2", "gathers from 160 KB", "gen:band:20000:8", "gen:random:20000:17", 1, GATHERED),
    ("L3", "gathers from 4 MB", "gen:band:500000:8", "gen:random:500000:17", 1, GATHERED),
    ("memory", "gathers from 64 MB", "gen:band:8000000:4", "gen:random:8000000:9", 1, GATHERED),
    ("team", "two threads for 50 us", "--threads 1 gen:laplace2d:110", "--threads 2 gen:laplace2d:110", 0.5, ["team"]),
    ("team", "two threads for 5 us", "--threads 1 gen:laplace2d:35", "--threads 2 gen:laplace2d:35", 0.5, ["team"]),
]


def write_steps(path, n=20000):
    """A matrix whose first rows have 30 entries and the others 6: equal rows are not equal work, and all of it lives in caches."""
    lengths = [30 if i < n // 2 else 6 for i in range(n)]
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real general\n{n} {n} {sum(lengths)}\n")
        file.writelines(f"{i + 1} {(i + j) % n + 1} 1.5\n" for i, length in enumerate(lengths) for j in range(length))


def analyze(spmodel, folder, arguments):
    """Time of one execution and its losses [s], and whether other work disturbed it."""
    done = subprocess.run([spmodel, "analyze", "-q", "--no-plots", "--budget", "3s", "--out", folder,
                           "--json", *arguments.split()], stdout=subprocess.PIPE, check=True)
    record = json.loads(done.stdout)
    return record["metrics"]["time"]["value"], record.get("losses") or {}, record["verdict"]["state"]["word"]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("spmodel")
    words.add_argument("rounds", nargs="?", type=int, default=3)
    words.add_argument("--only", help="this fault alone")
    options = words.parse_args()
    print("| fault | run | clean ms | faulty ms | costs ms | named ms | off by % | state |\n|---|---|---|---|---|---|---|---|")
    for _ in range(options.rounds):
        for fault, text, clean, faulty, remains, parts in FAULTS:
            if options.only not in (None, fault):
                continue
            with tempfile.TemporaryDirectory() as folder:
                steps = folder + "/steps.mtx"
                write_steps(steps)
                before, then = (analyze(options.spmodel, folder, a.format(steps=steps)) for a in (clean, faulty))
            costs = then[0] - remains * before[0]
            base = 0 if remains < 1 else 1
            unknown = any(then[1].get(p) is None for p in parts)
            named = sum((then[1].get(p) or 0) - base * (before[1].get(p) or 0) for p in parts)
            off = "not known" if unknown else f"{100 * (named - costs) / then[0]:.1f}"
            print(f"| {fault} | {text} | {1e3 * before[0]:.4g} | {1e3 * then[0]:.4g} | {1e3 * costs:.4g} | "
                  f"{1e3 * named:.4g} | {off} | {before[2]}, {then[2]} |", flush=True)


main()
