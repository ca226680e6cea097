#!/usr/bin/env python3
"""What Python adds: attach_scipy() to a product, analyze() to the call of the library, a callback to a kernel.

    SPMODEL_LIBRARY=build/libspmodel.so PYTHONPATH=python python3 bench/python.py
"""
import statistics
import sys
import time

import numpy as np
import scipy
import scipy.sparse as sparse

import spmodel
from spmodel import _call


def ladder(seconds):
    """The fastest of many short blocks of A @ x with and without, in turn: what else runs makes none faster."""
    print(f"attach_scipy(), scipy {scipy.__version__}, Python {sys.version.split()[0]}")
    for n in (200, 2_000, 5_000, 20_000, 100_000, 400_000):
        a = sparse.diags([1.0, 2.0, 3.0, 4.0, 5.0], [-20, -1, 0, 1, 20], shape=(n, n)).tocsr()
        x = np.ones(n)
        repeats = max(5, min(200, 4_000_000 // a.nnz))
        for _ in range(20):
            a @ x

        def block():
            start = time.perf_counter()
            for _ in range(repeats):
                a @ x
            return (time.perf_counter() - start) / repeats
        plain, counted, first = [], [], []
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            a @ x
            plain += [block() for _ in range(5)]
            with spmodel.attach_scipy() as s:
                start = time.perf_counter()
                a @ x
                first.append(time.perf_counter() - start)
                counted += [block() for _ in range(5)]
        before, after = min(plain), min(counted)
        seen = min(s.products[0].times)
        print(f"  {a.nnz:9d} nonzeros: {1e6 * before:8.2f} us a product, {1e9 * (after - before):5.0f} ns more,"
              f" {100 * (after / before - 1):5.2f} %; time of the product alone {1e6 * seen:8.2f} us,"
              f" the first {1e6 * (min(first) - before):4.0f} us more")


def sides(n_nz):
    """What analyze() takes beside the call of the library."""
    a = sparse.diags([1.0] * 10, range(10), shape=(n_nz // 10, n_nz // 10)).tocsr()
    inside = []
    call = _call.Handle.status_of

    def timed(self, function, *arguments):
        start = time.perf_counter()
        status = call(self, function, *arguments)
        inside.append(time.perf_counter() - start)
        return status
    _call.Handle.status_of = timed
    took = []
    for _ in range(3):
        inside.clear()
        start = time.perf_counter()
        spmodel.analyze(a, budget="100ms", no_hints=True, samples=3, runs=1)
        took.append(time.perf_counter() - start - sum(inside))
    _call.Handle.status_of = call
    print(f"analyze() of {a.nnz} nonzeros: {1e3 * statistics.median(took):.2f} ms beside the library's {sum(inside):.2f} s")


def callbacks():
    a = sparse.identity(4, format="csr")
    try:
        r = spmodel.analyze(a, kernel=lambda a, x, y: y.__setitem__(slice(None), x), threads=1,
                            budget="200ms", no_hints=True)
        print(f"a kernel that does y[:] = x of 4 elements: {r.time}")
    except spmodel.Error as error:
        print(f"no kernel of Python here: {error}")


if __name__ == "__main__":
    start = time.perf_counter()
    spmodel.version()
    print(f"finding and declaring the library: {1e3 * (time.perf_counter() - start):.1f} ms")
    ladder(1.0)
    sides(2_000_000)
    callbacks()
