#!/usr/bin/env python3
"""Predicted against measured times of a distributed SpMV, on this machine.

distributed.py SPMODEL [-n RANKS] [--budget TIME] [--machine FILE] [--network FILE] MATRIX...

Measures the machine's ceilings and the exchange between two ranks, unless files with them are given; then for each matrix
predicts (`model --ranks`, x by the cache simulation) and runs (`analyze --mpi`) the product. One thread a rank. Needs an
idle machine with a core for each rank. Results: docs/results/2026-11-26-distributed.md."""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile


def run(words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    if done.returncode not in (0, 5):
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("spmodel")
    parser.add_argument("matrix", nargs="+")
    parser.add_argument("-n", type=int, default=2)
    parser.add_argument("--budget", default="2s")
    parser.add_argument("--rounds", type=int, default=2, help="runs, of which the fastest sample counts (the machine has guests)")
    parser.add_argument("--machine")
    parser.add_argument("--network")
    parser.add_argument("--mpirun", default="mpirun --bind-to core")
    a = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    folder = tempfile.mkdtemp()
    mpirun = [*a.mpirun.split(), "-n", str(a.n), a.spmodel]
    machine, network = a.machine or f"{folder}/machine.json", a.network or f"{folder}/network.json"
    if not a.machine:
        run([a.spmodel, "machine", "measure", "--quick", "-q", "-o", machine])
    if not a.network:
        print(run([*mpirun, "machine", "measure", "--network", network]).splitlines()[0])
    print("| matrix | nonzeros | MB a rank | level | GB/s of a rank: described | its roof | predicted | measured | error | overlapped: predicted | measured | error "
          "| exchange: predicted | measured |")
    print("|" + 14 * "---|")
    worst = 0
    for matrix in a.matrix:
        model = run([a.spmodel, "model", matrix, "--ranks", str(a.n), "--ranks-per-node", str(a.n), "--alpha", "sim",
                     "--machine", machine, "--network", network, "--json"])
        scaling = json.loads(model)["scaling"]
        point = scaling["counts"][0]
        times, roof = {}, 0
        for _ in range(a.rounds):
            run([*mpirun, "analyze", "--mpi", "--no-hints", "--no-plots", "--budget", a.budget, "-o", folder, f"--json={folder}/run.json", matrix])
            job = json.load(open(f"{folder}/run.json"))
            each = job["ranks"]["each"]
            roof = max(roof, min(r["roof_Bps"] for r in each))
            for p in job["ranks"]["parts"]:
                times[p["part"]] = min(times.get(p["part"], math.inf), *p["samples_s"])
        moved = max(r["moved_B"] for r in each)
        described = point["moved_B"] / a.n / point["own_s"]
        cells = [matrix, f"{job['problem']['nnz']}", f"{1e-6 * moved:.1f}", f"{point['level']}", f"{1e-9 * described:.1f}",
                 f"{1e-9 * roof:.1f}"]
        for predicted, measured in ((point["time_s"], times["product"]), (point["overlapped_s"], times["product_overlapped"])):
            error = predicted / measured - 1
            worst = max(worst, abs(error))
            cells += [f"{1e6 * predicted:.0f} us", f"{1e6 * measured:.0f} us", f"{100 * error:+.0f} %"]
        cells += [f"{1e6 * point['exchange_s']:.1f} us", f"{1e6 * times['exchange']:.1f} us"]
        print("| " + " | ".join(cells) + " |", flush=True)
    print(f"largest error {100 * worst:.0f} %")


main()
