"""Kernels of Python: right, returning, of a class, wrong, raising, writing where it may not, ending, hanging."""

import os
import signal
import subprocess
import threading
import time

import numpy as np
import scipy.sparse as sparse

import check
import spmodel
from check import Skip, main, raises

QUICK = dict(check.QUICK, threads=1)


def laplacian(side=40):
    one = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
    return (sparse.kron(one, sparse.identity(side)) + sparse.kron(sparse.identity(side), one)).tocsr()


A = laplacian()


def mine(a, x, y):
    y[:] = a @ x


def test_plain_function():
    r = spmodel.analyze(A, kernel=mine, **QUICK)
    assert r.time > 0 and "mine" in r.full, r.full
    assert r.record["verify"]["ok"] is True
    assert abs(r.time - r.record["metrics"]["time"]["value"]) == 0


def test_returning_function_and_several_vectors():
    assert spmodel.analyze(A, kernel=lambda a, x: a @ x, **QUICK).time > 0
    r = spmodel.analyze(A, kernel=mine, op="spmmv", rhs=4, **QUICK)
    assert r.record["verify"]["ok"] is True
    assert spmodel.analyze(A.astype(np.float32), kernel=mine, **QUICK).record["request"]["precision"] == "f32"
    assert spmodel.analyze(A.tocsc(), kernel=mine, **QUICK).remarks


def test_state_stores_and_finish():
    def prepare(a, n_threads, r):
        assert n_threads == 1 and r == 1 and isinstance(a, sparse.csr_array)
        return a.toarray()

    def finish(state):
        with open("finished", "w") as file:
            file.write(str(state.shape))
    dense = spmodel.Kernel(lambda d, x, y: np.dot(d, x, out=y), prepare=prepare, finish=finish,
                           stores=lambda d: {"dense": d}, name="dense")
    r = spmodel.analyze(A, kernel=dense, **QUICK)
    assert "dense" in r.full and os.path.exists("finished")


def test_calls_that_cost():
    """Few rows tell less of the cores than the run where each call has a cost of its own."""
    def costly(a, x, y):
        end = time.perf_counter() + 50e-6
        y[:] = a @ x
        while time.perf_counter() < end:
            pass
    m = spmodel.analyze(A, kernel=costly, **QUICK).record["metrics"]
    if m["p_core"]["value"] is None:
        raise Skip(m["p_core"]["why"])
    assert m["p_core"]["value"] >= 0.999 * m["flops"]["value"] / m["time"]["value"], m["p_core"]


def test_stores_that_cannot_be():
    def stored(stores):
        return spmodel.Kernel(lambda a, x, y: y.__setitem__(slice(None), a @ x), stores=stores, name="mine")
    raises(spmodel.WrongResult, ["raised an exception in stores()\n", "is not contiguous"], spmodel.analyze, A,
           kernel=stored(lambda a: {"values": a.data[::2]}), **QUICK)
    raises(spmodel.WrongResult, ["returned 0 from stores()\n"], spmodel.analyze, A, kernel=stored(lambda a: {}), **QUICK)
    raises(spmodel.WrongResult, ["all of these arrays are empty"], spmodel.analyze, A,
           kernel=stored(lambda a: {"values": a.data[:0]}), **QUICK)


def test_what_it_does_wrong_is_named():
    def wrong(a, x, y):
        y[:] = 0

    def raising(a, x, y):
        raise LookupError("no such thing")

    def writing(a, x, y):
        address = a.data.ctypes.data
        import ctypes
        ctypes.memset(address, 0, 8)

    def ending(a, x, y):
        os._exit(3)

    def shape(a, x):
        return x[:-1]

    def finish(a):
        raise LookupError("no end \ud800")
    e = raises(spmodel.WrongResult, ["wrong"], spmodel.analyze, A, kernel=wrong, **QUICK)
    assert e.status == 6
    assert e.result.record["status"] == "failed", e.result.record
    raises(spmodel.WrongResult, ["raising raised an exception in run()", "LookupError", "no such thing"], spmodel.analyze, A, kernel=raising, **QUICK)
    raises(spmodel.WrongResult, ["writing"], spmodel.analyze, A, kernel=writing, **QUICK)
    raises(spmodel.WrongResult, ["ending"], spmodel.analyze, A, kernel=ending, **QUICK)
    raises(spmodel.WrongResult, ["shape", "broadcast"], spmodel.analyze, A, kernel=shape, **QUICK)
    raises(spmodel.WrongResult, ["returned None, and not y"], spmodel.analyze, A, kernel=lambda a, x: None, **QUICK)
    e = raises(spmodel.WrongResult, ["mine raised an exception in finish()", "no end \\ud800"], spmodel.analyze, A,
               kernel=spmodel.Kernel(mine, finish=finish), **QUICK)
    assert e.result.time > 0, "what was measured before it is lost"
    raises(spmodel.UsageError, ["speed"], spmodel.analyze, A, kernel=mine, speed=1)
    raises(spmodel.UsageError, ["function"], spmodel.analyze, A, kernel=7)
    assert spmodel.analyze(A, **QUICK).time > 0, "this process is not as before"


def test_library_of_c():
    source = os.path.join(os.environ["SP_TEST_SOURCE"], "examples", "my_spmv.c")
    made = subprocess.run(["cc", "-O2", "-fopenmp", "-shared", "-fPIC", source, "-o", "libmine.so"], capture_output=True)
    if made.returncode:
        raise Skip("no compiler")
    r = spmodel.analyze(A, kernel="./libmine.so:my_spmv", signature="csr32", **QUICK)
    assert "my_spmv" in r.full and r.record["verify"]["ok"] is True
    raises(spmodel.InputError, ["nothing"], spmodel.analyze, A, kernel="./libmine.so:nothing", signature="csr32", **QUICK)


def test_interrupt_and_progress():
    steps = []

    def slow(a, x, y):
        time.sleep(0.01)
        y[:] = a @ x
    spmodel.analyze(A, kernel=slow, progress=lambda step, done: steps.append(step), **QUICK)
    assert steps
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        spmodel.analyze(A, kernel=slow, **{**QUICK, "budget": "60s"})
        raise AssertionError("not interrupted")
    except KeyboardInterrupt:
        pass

    def stop(step, done):
        raise KeyError("enough")
    raises(KeyError, ["enough"], spmodel.analyze, A, kernel=slow, progress=stop, **{**QUICK, "budget": "60s"})


def test_interrupt_ends_the_runs_on_few_rows():
    """P_core takes 15 executions in a process of its own, which no interrupt reached."""
    def slow(a, x, y):
        with open("runs", "a") as file:
            file.write("x")
        time.sleep(0.3)
        y[:] = a @ x

    def n_runs():
        return os.path.getsize("runs") if os.path.exists("runs") else 0

    def stop(step, done):
        if n_runs() > 1:
            raise KeyError("enough")
    raises(KeyError, ["enough"], spmodel.analyze, A, kernel=slow, progress=stop, **{**QUICK, "budget": "60s"})
    assert n_runs() < 10, n_runs()


def test_another_thread_asks():
    results = []
    thread = threading.Thread(target=lambda: results.append(spmodel.analyze(A, kernel=mine, **QUICK)))
    thread.start()
    thread.join()
    assert len(results) == 1 and results[0].time > 0


def test_other_threads_of_python_do_no_harm():
    """They hold the interpreter's lock at any time, also when a process is forked."""
    go_on = [True]

    def turn():
        while go_on[0]:
            sum(range(1000))
    thread = threading.Thread(target=turn)
    thread.start()
    try:
        for _ in range(2):
            assert spmodel.analyze(A, kernel=mine, **QUICK).time > 0
    finally:
        go_on[0] = False
        thread.join()


if __name__ == "__main__":
    main(globals())
