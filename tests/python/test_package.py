"""Matrices, options, errors, results and memory of the package."""

import copy
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings

import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg

import check
import spmodel
from check import Skip, main, raises
from spmodel import _library
from spmodel._call import Handle, option_text
from spmodel.errors import as_arguments
from spmodel.matrix import as_scipy, view_of
from spmodel.result import options_of_change, plots_of

QUICK = dict(check.QUICK, threads=2)
HEADER = os.path.join(os.environ["SP_TEST_SOURCE"], "include", "spmodel.h")


def laplacian(side=60, kind="csr"):
    one = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
    return (sparse.kron(one, sparse.identity(side)) + sparse.kron(sparse.identity(side), one)).asformat(kind)


def analyze(matrix, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spmodel.Remark)
        return spmodel.analyze(matrix, **{**QUICK, **options})


def test_declarations_are_those_of_the_header():
    """Functions by name against the header and the library, layout and constants against the compiler."""
    ffi, lib = _library.library.ffi, _library.library.lib
    with open(HEADER) as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    functions = set(re.findall(r"^\w[\w \*]*?\b(spmodel_\w+)\(", text, re.M)) - set(
        re.findall(r"^typedef \w+ (spmodel_\w+)\(", text, re.M))
    assert len(functions) >= 15, functions
    with open(os.path.join(os.environ["SP_TEST_SOURCE"], "tests", "data", "libspmodel.abi")) as file:
        promised = set(re.findall(r"^(spmodel_\w+) SPMODEL_", file.read(), re.M))
    missing = [name for name in promised if not hasattr(lib, name)]
    assert not missing and promised <= functions, (missing, promised - functions)
    nm = subprocess.run(["nm", "-D", "--defined-only", spmodel.library_path()], capture_output=True, text=True)
    if nm.returncode == 0:
        exported = {line.split()[-1].split("@")[0] for line in nm.stdout.splitlines() if " T " in line}
        assert promised <= exported <= functions, exported ^ functions
    lines = []
    for name in re.findall(r"^struct (spmodel_\w+) \{", text, re.M):
        lines.append(f'"struct {name}", sizeof(struct {name})')
        for field, _ in ffi.typeof(f"struct {name}").fields:
            lines.append(f'"struct {name}.{field}", offsetof(struct {name}, {field})')
    constants = set(re.findall(r"\b(SPMODEL_[A-Z0-9_]+) = ", text)) | set(re.findall(r"#define (SPMODEL_VERSION\w+)", text))
    lines += [f'"{name}", (size_t){name}' for name in sorted(constants)]
    source = "#include <stdio.h>\n#include <spmodel.h>\nint main(void) {\n" + "".join(
        f'printf("%s %zu\\n", {line});\n' for line in lines) + "return 0; }\n"
    made = subprocess.run(["cc", "-x", "c", "-I", os.path.dirname(HEADER), "-o", "layout", "-"], input=source, text=True)
    if made.returncode:
        raise Skip("no compiler")
    for line in subprocess.run(["./layout"], capture_output=True, text=True, check=True).stdout.splitlines():
        name, value = line.rsplit(" ", 1)
        struct, _, field = name.partition(".")
        ours = (getattr(lib, name) if name in constants else ffi.offsetof(struct, field) if field else ffi.sizeof(struct))
        assert ours == int(value), (name, ours, value)
    assert len(lines) > 40, len(lines)


def test_library_is_found_or_named():
    assert spmodel.version().count(".") == 2
    assert spmodel.library_path() == os.environ["SPMODEL_LIBRARY"]
    script = "import spmodel; spmodel.version()"
    env = dict(os.environ, SPMODEL_LIBRARY="/nowhere/libspmodel.so")
    ran = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert ran.returncode and "/nowhere/libspmodel.so" in ran.stderr and "remedy" in ran.stderr, ran.stderr
    again = ("import os, spmodel\n"
             "for _ in range(2):\n"
             "    try: spmodel.version()\n"
             "    except spmodel.AbsentError: pass\n"
             f"os.environ['SPMODEL_LIBRARY'] = {spmodel.library_path()!r}\n"
             "spmodel.version()\n")
    ran = subprocess.run([sys.executable, "-c", again], env=env, capture_output=True, text=True)
    assert ran.returncode == 0, "looked for once only: " + ran.stderr
    lost = "from spmodel import _library; _library.header_path = lambda: '/nowhere/spmodel.h'\n" + script
    ran = subprocess.run([sys.executable, "-c", lost], env=os.environ, capture_output=True, text=True)
    assert "AbsentError: there is no /nowhere/spmodel.h" in ran.stderr and "remedy" in ran.stderr, ran.stderr
    env["SPMODEL_LIBRARY"] = _other_library()
    ran = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)
    assert ran.returncode and "no libspmodel" in ran.stderr, ran.stderr


def _other_library():
    import ctypes.util
    return ctypes.util.find_library("m") or "libm.so.6"


def test_report_numbers_and_record():
    a = laplacian()
    r = analyze(a, name="laplacian")
    assert len(str(r.verdict).strip().splitlines()) == 6, str(r.verdict)
    assert r.verdict["subject"]["matrix"] == "laplacian"
    assert str(r.verdict).splitlines()[0] in str(r)
    assert r.record["problem"]["nnz"] == a.nnz and json.dumps(r.record)
    time_s = r.record["metrics"]["time"]
    assert float(r.time) == r.time.value == time_s["value"]
    assert r.time.lo <= r.time <= r.time.hi and r.time.origin == "measured" and r.time.unit == "s"
    assert r.time * 2 > r.time and f"{r.time:.3e}" == f"{float(r.time):.3e}" and "s" in str(r.time)
    for name in ("model_time", "performance", "bytes", "bandwidth", "roof", "fraction", "alpha", "balance", "imbalance"):
        v = getattr(r, name)
        assert v.known or v.why, name
    assert 0.1 < r.alpha < 8 and r.bytes > 0
    assert "laplacian" in repr(r) and len(r.full) > len(r.report) >= len(str(r.verdict))
    raises(spmodel.UsageError, ["no number"], r.number, "speed")
    for name in ("r.json", "r.html", "r.txt"):
        r.save(name)
        assert os.path.getsize(name) > 500
    raises(spmodel.UsageError, [".json"], r.save, "r.pdf")
    again = pickle.loads(pickle.dumps(r))
    assert again.record == r.record and str(again) == str(r) and again.remarks == r.remarks
    assert copy.deepcopy(r.time).hi == r.time.hi and pickle.loads(pickle.dumps(r.verdict)) == r.verdict
    again = spmodel.read_record("r.json")
    assert again.record == r.record and again.time == r.time and str(again.verdict) == str(r.verdict)
    page = r._repr_html_()
    assert page.startswith("<iframe srcdoc=") and page.count("<") == 2, page[:200]


def test_plots_stand_alone():
    import shutil
    if not shutil.which("gnuplot"):
        raise Skip("no gnuplot")
    import xml.dom.minidom
    r = analyze(laplacian())
    assert "roofline" in r.plots and len(r.plots) >= 3, r.plots
    p = r.plot()
    xml.dom.minidom.parseString(p._repr_svg_())
    ids = [set(re.findall(r' id="([^"]+)"', str(r.plot(name)))) for name in r.plots + ["roofline"]]
    assert all(not a & b for i, a in enumerate(ids) for b in ids[:i])
    for name in r.plots:
        svg = str(r.plot(name))
        used = set(re.findall(r'(?:href="#|url\(#|aria-labelledby=")([\w-]+)', svg))
        assert used <= set(re.findall(r'\bid="([^"]+)"', svg)), (name, used)
    raises(spmodel.UsageError, ["roofline"], r.plot, "nothing")
    p.save("roof.svg")
    assert plots_of("<p>no plot</p>") == {}


def test_hints_and_losses_are_tables():
    r = analyze(laplacian(100), no_hints=False, budget="100ms", threads=1)
    rows = r.hints if isinstance(r.hints, list) else r.hints.to_dict("records")
    assert all({"id", "title", "gain_lo", "options"} <= set(row) for row in rows)
    losses = r.losses if isinstance(r.losses, list) else r.losses.to_dict("records")
    assert not r.record.get("losses") or abs(sum(
        x["time_s"] for x in losses if x["part"] in ("min_traffic", "padding", "extra_x", "imbalance", "in_core", "rest"))
        - float(r.time)) < 1e-6 + 0.5 * float(r.time), losses
    none = analyze(laplacian(), no_hints=True)
    assert len(none.hints) == 0 and (isinstance(none.hints, list) or "options" in none.hints)
    assert options_of_change("--format sell:8,64 --no-pin --rhs=8") == dict(format="sell:8,64", no_pin=True, rhs="8")
    assert options_of_change(None) is None and options_of_change("cc -O3") is None


def judged(matrix, **options):
    """Quicker than analyze(): no kernel is run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spmodel.Remark)
        return spmodel.explain(matrix, 1e-4, **{**QUICK, **options})


def seen(matrix):
    """The view of it, and that as a matrix again."""
    view = view_of(matrix, None, Handle({}))
    return view, sparse.csr_matrix(as_scipy(view.pointer), copy=True)


def same(a, b):
    return abs(a - b).nnz == 0


def test_every_format_is_the_same_matrix():
    a = laplacian(24).tocsr()
    for kind in ("csc", "coo", "bsr", "dia", "lil", "dok"):
        for m in (a.asformat(kind), getattr(sparse, kind + "_array")(a)):
            view, back = seen(m)
            assert same(back, a), kind
            assert any(kind in text for text in view.remarks), view.remarks
    for matrix in (sparse.csr_array(a), a.toarray(), a.todense(), (a.data, a.indices, a.indptr, a.shape),
                   (list(a.data), list(a.indices), list(a.indptr), a.shape), a.astype(int).toarray()):
        assert same(seen(matrix)[1], a), type(matrix)
    assert not seen(a)[0].remarks
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        r = spmodel.analyze(a.tocsc(), **QUICK)
    assert r.remarks and any(issubclass(w.category, spmodel.Remark) and w.filename == __file__ for w in said), said
    assert r.record["problem"]["sha256"] == analyze(a).record["problem"]["sha256"]


def test_widths_and_types():
    a = laplacian(24).tocsr()
    digest = judged(a).record["problem"]["sha256"]
    for index in (np.int32, np.int64):
        for ptr in (np.int32, np.int64):
            r = judged((a.data, a.indices.astype(index), a.indptr.astype(ptr), a.shape))
            assert r.record["problem"]["sha256"] == digest and not r.remarks
            assert r.record["request"]["index"] == ("i64" if index is np.int64 else "i32"), r.record["request"]
    assert judged((a.data, a.indices.astype(np.int64), a.indptr.astype(np.int64), a.shape), format="sell:4,16")
    r = judged(a.astype(np.float32))
    assert r.record["request"]["precision"] == "f32" and not r.remarks
    assert judged(a.astype(np.float32), precision="f64").record["request"]["precision"] == "f64"
    assert judged(a.astype(np.complex128)).record["problem"]["field"] == "complex"
    for kind in (np.int64, np.bool_, np.complex64, ">f8"):
        view, back = seen((a.data.astype(kind), a.indices, a.indptr, a.shape))
        assert view.remarks and same(back, sparse.csr_matrix((a.data.astype(kind).astype(back.dtype), a.indices, a.indptr)))
    for kind in (np.int16, np.uint64, ">i4"):
        view, back = seen((a.data, a.indices.astype(kind), a.indptr, a.shape))
        assert view.remarks and same(back, a), kind
    strided = np.repeat(a.data, 2)[::2]
    assert not strided.flags.c_contiguous
    assert same(seen((strided, a.indices, a.indptr, a.shape))[1], a)
    for indices, width in ((np.repeat(a.indices, 2)[::2], 4), (a.indices.astype(">i4"), 4), (a.indices.astype(np.uint32), 4),
                           (a.indices.astype(np.int16), 4), (np.repeat(a.indices.astype(np.int64), 2)[::2], 8)):
        view, back = seen((a.data, indices, a.indptr, a.shape))
        assert view.remarks and same(back, a) and view.pointer.col_B == width, (indices.dtype, view.pointer.col_B)
    wide = np.array([0, 2**32 - 1], dtype=np.uint32)
    assert seen((np.ones(2), wide, np.array([0, 2]), (1, 2**32)))[0].pointer.col_B == 8
    assert judged(([], [], [0, 0], (1, 1))).record["problem"]["nnz"] == 0, "lists without a number have no type of integers"
    pattern = judged((None, a.indices, a.indptr, a.shape))
    assert pattern.record["problem"]["nnz"] == a.nnz


def test_odd_matrices():
    for shape in ((0, 0), (3, 0), (0, 3), (3, 3)):
        try:
            r = judged(sparse.csr_matrix(shape))
            assert r.record["problem"]["nnz"] == 0
        except spmodel.Error as error:
            assert error.status in (2, 3) and str(error), shape
    a = sparse.csr_matrix((np.array([1.0, 2, 3, 4, 5]), np.array([2, 0, 1, 1, 0]), np.array([0, 2, 4, 5])), shape=(3, 3))
    assert not a.has_sorted_indices
    before = a.indices.copy()
    r = judged(a)
    assert (a.indices == before).all(), "the caller's arrays were touched"
    assert r.remarks == ["1 duplicate was summed: what is analysed has 4 nonzeros"], r.remarks
    b = a.copy()
    b.sum_duplicates()
    assert not judged(b).remarks
    apart = analyze((np.repeat(b.data, 2)[::2], b.indices, b.indptr, b.shape))
    assert apart.remarks == ["values (float64, not contiguous) were copied as float64"], apart.remarks
    assert r.record["problem"]["sha256"] == judged(b).record["problem"]["sha256"]
    longer = a.copy()
    longer.indices, longer.data = np.append(a.indices, [7, 7]), np.append(a.data, [9.0, 9])
    assert judged((longer.data, longer.indices, a.indptr, a.shape)).record["problem"]["nnz"] == b.nnz
    raises(spmodel.InputError, ["column 9"], analyze, (a.data, a.indices + 9 - a.indices, a.indptr, a.shape))
    raises(spmodel.InputError, ["indptr"], analyze, (a.data, a.indices, a.indptr[:-1], a.shape))
    raises(spmodel.InputError, ["values"], analyze, (a.data[:2], a.indices, a.indptr, a.shape))
    raises(spmodel.InputError, [], analyze, (a.data, a.indices, a.indptr[::-1].copy(), a.shape))
    for shape in ((-1, 3), (3, -1), "ab", (3,), (3, 3, 3), (3, None), (3.5, 3), (3, 2**70), 5, None):
        raises(spmodel.UsageError, ["rows, columns", repr(shape)], analyze, (a.data, a.indices, a.indptr, shape))
    raises(spmodel.UsageError, ["integers"], analyze, (a.data, a.data, a.indptr, a.shape))
    raises(spmodel.UsageError, ["tuple"], analyze, (a.data, a.indices, a.indptr))
    raises(spmodel.UsageError, ["no matrix"], analyze, 7)
    raises(spmodel.UsageError, ["no matrix"], analyze, np.zeros(3))
    raises(spmodel.UsageError, ["masked", "filled(0)"], analyze, np.ma.masked_equal(np.eye(3), 0))
    raises(spmodel.UsageError, ["an operator has none"], analyze, sparse.linalg.aslinearoperator(a))
    raises(spmodel.UsageError, ["no numbers"], analyze, (np.array(["a"] * 5), a.indices, a.indptr, a.shape))


def test_options_are_taken_as_python_and_numpy_have_them():
    for value, text in ((np.float32, "f32"), (np.dtype("float64"), "f64"), (complex, "c128"), (np.int64(2), "2"),
                        (np.array(3), "3"), (np.array([1, 2]), "1,2"), (range(1, 4), "1,2,3"), (np.True_, "yes"),
                        (False, "no"), ("sell:8,64", "sell:8,64"), (0.5, "0.5"), (None, None)):
        assert option_text(value) == text, (value, option_text(value))


def test_errors_have_status_and_remedy():
    e = raises(spmodel.UsageError, ["speed"], analyze, "gen:laplace2d:9", speed=1)
    assert e.status == 2 and e.remedy and isinstance(e, ValueError) and isinstance(e, spmodel.Error)
    raises(spmodel.UsageError, ["no option 'out'"], analyze, "gen:laplace2d:9", out="x")
    e = raises(spmodel.UsageError, ["not 'many'"], analyze, "gen:laplace2d:9", threads="many")
    assert str(e).startswith("threads takes a whole number"), "arguments have no dashes: " + str(e)
    raises(spmodel.UsageError, ["precision takes f64, f32", "not 'int64'"], analyze, "gen:laplace2d:9", precision=np.int64)
    e = raises(spmodel.UsageError, [], analyze, "gen:laplace2d:9", kernel_limit="x")
    assert str(e).startswith("kernel_limit "), e
    e = raises(spmodel.UsageError, ["half stores square"], analyze, "gen:random:20x30:3", format="half")
    assert e.remedy == "use format crs", e.remedy
    for said, here in (("leave --kernel-limit out; spmodel doctor --all", "leave kernel_limit out; spmodel doctor --all"),
                       ("leave --kernel-limit out, or a--b", "leave kernel_limit out, or a--b"),
                       ("'my --odd.mtx': --threads", "'my --odd.mtx': threads"), ("", "")):
        assert as_arguments(said) == here, as_arguments(said)
    e = raises(spmodel.InputError, ["nowhere.mtx"], analyze, "nowhere.mtx")
    assert e.status == 3
    raises(spmodel.Error, [], analyze, "gen:nothing:1")
    raises(spmodel.UsageError, ["progress"], analyze, "gen:laplace2d:9", progress=5)
    raises(spmodel.InputError, ["nowhere.json"], spmodel.read_record, "nowhere.json")
    raises(spmodel.UsageError, ["no times"], spmodel.explain, "gen:laplace2d:9", [])
    for times in ("x", ["x"], None):
        raises(spmodel.UsageError, ["times are seconds"], spmodel.explain, "gen:laplace2d:9", times)


def test_names_that_c_cannot_have():
    """'\\udc80' is how Python says the byte 0x80 of a file's name; no other half of a pair has a byte."""
    for odd in ("\ud800", "a\0b"):
        for function in (spmodel.read, spmodel.read_record, spmodel.read_records, spmodel.model):
            raises(spmodel.UsageError, ["characters", repr(odd)], function, odd)
        raises(spmodel.UsageError, ["characters"], judged, "gen:laplace2d:9", name=odd)
        raises(spmodel.UsageError, ["characters"], judged, laplacian(3), name=odd)
        raises(spmodel.UsageError, ["characters"], judged, "gen:laplace2d:9", format=odd)
        raises(spmodel.UsageError, ["characters"], spmodel.Kernel, max, name=odd)
    raises(spmodel.InputError, ["\\x80"], spmodel.read, "\udc80")
    raises(spmodel.InputError, ["\\x80"], spmodel.read_record, b"\x80")
    raises(TypeError, ["int"], spmodel.read, 7)


def test_files_generated_and_read():
    from scipy.io import mmwrite
    a = laplacian(20).tocsr()
    mmwrite("a.mtx", a)
    b = spmodel.read("a.mtx")
    assert b.shape == a.shape and same(sparse.csr_matrix(b), a)
    c = spmodel.read("gen:laplace2d:20")
    data, indices = c.data, c.indices
    del b, c
    assert np.isfinite(data).all() and indices.max() < 400, "freed too early"
    assert analyze("a.mtx").record["problem"]["nnz"] == a.nnz
    assert analyze("gen:laplace2d:20", name="mine").record["problem"]["name"] == "mine"


def test_explain_judges_times():
    a = laplacian(100).tocsr()
    r = spmodel.explain(a, [1e-3, 1.1e-3, 0.9e-3], **{**QUICK, "threads": 1}, name="mine")
    assert abs(r.time - 1e-3) < 1e-4 and r.record["problem"]["nnz"] == a.nnz
    one = spmodel.explain(a, 1e-3, **{**QUICK, "threads": 1})
    both = spmodel.analyze(a, **{**QUICK, "threads": 1})
    assert one.alpha.known and one.bytes.known
    print("alpha of explain and analyze:", one.alpha, both.alpha)


def test_model_predicts():
    try:
        m = spmodel.model(laplacian(100).tocsr(), machine="icx-8360y", name="mine")
    except AttributeError as error:
        raise Skip(f"this library has no spmodel_model: {error}")
    assert m["problem"]["name"] == "mine" and m.best["machine"] == "icx-8360y"
    assert m.time > 0 and m.alpha > 0 and m.time.origin == "modelled" and "icx-8360y" in str(m)
    rows = m.predictions if isinstance(m.predictions, list) else m.predictions.to_dict("records")
    assert rows and rows[0]["time"] > 0
    raises(spmodel.Error, ["nothing-here"], spmodel.model, "gen:laplace2d:9", machine="nothing-here")


def test_records_of_a_folder():
    os.makedirs("records", exist_ok=True)
    for i in range(2):
        analyze("gen:laplace2d:20").save(f"records/{i}.json")
    with open("records/other.json", "w") as file:
        file.write("{}")
    rows = spmodel.read_records("records")
    assert len(rows) == 2
    rows = rows if isinstance(rows, list) else rows.to_dict("records")
    assert rows[0]["time"] > 0 and isinstance(rows[0]["result"], spmodel.Result) and rows[1]["file"].endswith("1.json")
    assert len(spmodel.read_records(["records/0.json"])) == 1
    raises(spmodel.InputError, ["other.json"], spmodel.read_records, ["records/other.json"])


def test_without_pandas_there_are_lists():
    script = ("import sys; sys.modules['pandas'] = None\nimport spmodel\n"
              "r = spmodel.read_record('r.json')\nassert isinstance(r.hints, list) and isinstance(r.losses, list)\n")
    if not os.path.exists("r.json"):
        raise Skip("no record: test_report_numbers_and_record makes it")
    subprocess.run([sys.executable, "-c", script], check=True)


def test_no_numpy_is_needed_for_files():
    script = ("import sys\nfor n in ('numpy', 'scipy', 'pandas'): sys.modules[n] = None\nimport spmodel\n"
              "print(spmodel.analyze('gen:laplace2d:20', budget='50ms', no_hints=True).time)\n")
    subprocess.run([sys.executable, "-c", script], check=True)


def test_progress_and_what_it_raises():
    steps = []
    analyze("gen:laplace2d:30", progress=lambda step, done: steps.append((step, done)))
    assert steps and all(isinstance(s, str) and (d is None or 0 <= d <= 1) for s, d in steps), steps

    class Bar:
        total, n, text = 100, 0, ""

        def set_description(self, text):
            self.text = text

        def update(self, n):
            self.n += n
    bar = Bar()
    analyze("gen:laplace2d:30", progress=bar)
    assert bar.text and 0 <= bar.n <= 100

    def stop(step, done):
        raise KeyError("enough")
    raises(KeyError, ["enough"], analyze, "gen:laplace2d:30", progress=stop, budget="20s")

    def cancel(step, done):
        raise spmodel.Cancelled()
    raises(spmodel.Cancelled, [], analyze, "gen:laplace2d:30", progress=cancel)


def test_interrupt_cancels():
    start = time.perf_counter()
    sent = []

    def interrupt(step, done):  # at the first step, from a thread beside, as a terminal does
        if not sent:
            sent.append(threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)))
            sent[0].start()
    try:
        analyze("gen:laplace2d:300", budget="60s", progress=interrupt)
        raise AssertionError("not interrupted")
    except KeyboardInterrupt:
        pass
    assert time.perf_counter() - start < 50
    assert analyze("gen:laplace2d:20").time > 0, "unusable after an interrupt"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_threads_wait_for_each_other():
    before = os.sched_getaffinity(0)
    results, errors = [], []

    def work():
        try:
            results.append(judged("gen:laplace2d:20"))
        except BaseException as error:
            errors.append(error)
    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 3 and not errors, errors
    assert os.sched_getaffinity(0) == before


def test_no_copy_on_this_side():
    """tracemalloc sees what NumPy allocates, and memory that the view itself needs."""
    n = 400_000
    a = sparse.diags([1.0, 2.0, 3.0], [-1, 0, 1], shape=(n, n)).tocsr()
    size = a.data.nbytes + a.indices.nbytes + a.indptr.nbytes
    for data in (a.data, a.data.astype(np.float32)):
        for index in (np.int32, np.int64):
            matrix = (data, a.indices.astype(index), a.indptr.astype(index), a.shape)
            handle = Handle({})
            tracemalloc.start()
            view = view_of(matrix, None, handle)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert peak < 100_000 < size / 100, (data.dtype, index, peak)
            address = int(_library.library.ffi.cast("intptr_t", view.pointer.col))
            assert address == matrix[1].ctypes.data and not view.remarks
    tracemalloc.start()
    analyze(a, threads=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"peak of Python's memory: {peak / 1e6:.2f} MB beside a matrix of {size / 1e6:.1f} MB")
    assert peak < size / 10
    back = as_scipy(view_of(a, None, Handle({})).pointer)
    assert back.data.ctypes.data == a.data.ctypes.data, "the way back copies"


if __name__ == "__main__":
    main(globals())
