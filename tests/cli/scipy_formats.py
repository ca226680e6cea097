"""SciPy and spmodel read each other's files: scipy_formats.py SPMODEL FOLDER."""
import itertools
import subprocess
import sys

import numpy as np
import scipy.io
import scipy.sparse as sparse

spmodel, folder = sys.argv[1:]
random = np.random.default_rng(1)
bad = 0


def convert(source, target, *options):
    subprocess.run([spmodel, "convert", "-q", *options, f"{folder}/{source}", f"{folder}/{target}"], check=True)


def complain(what):
    global bad
    bad += 1
    print(f"differs: {what}")


def dense(name):
    return scipy.io.mmread(f"{folder}/{name}").toarray()


def values(dtype):
    entries = np.where(random.random((24, 36)) < 0.2, random.integers(1, 100, (24, 36)), 0)
    return (entries + 1j * np.roll(entries, 1) if dtype.startswith("c") else entries).astype(dtype)


def index(matrix, dtype):
    for name in ("indices", "indptr", "offsets", "row", "col"):
        if hasattr(matrix, name):
            setattr(matrix, name, getattr(matrix, name).astype(dtype))


def read_npz():
    n = 0
    types = "f4 f8 c8 c16 i1 i2 i4 i8 u1 u2 u4 u8 bool".split()
    for layout, dtype, width, compressed in itertools.product(
            ("csr", "csc", "coo", "bsr", "dia"), types, ("i4", "i8"), (False, True)):
        if (n + compressed) % 3 and dtype not in ("f8", "c8", "bool"):  # a share: each start of the program takes its time
            n += 1
            continue
        a = sparse.coo_matrix(values(dtype))
        a = a.tobsr(blocksize=(2, 3)) if layout == "bsr" else a.asformat(layout)
        index(a, width)
        sparse.save_npz(f"{folder}/s.npz", a, compressed=compressed)
        convert("s.npz", "s.mtx")
        if not np.array_equal(dense("s.mtx").astype(complex), a.toarray().astype(complex)):
            complain(f"{layout}, {dtype}, {width}, compressed {compressed}")
        n += 1


def read_duplicates():
    a = sparse.coo_matrix(([1.0, 2.0, 3.0], ([1, 1, 0], [2, 2, 0])), shape=(3, 4))
    sparse.save_npz(f"{folder}/s.npz", a)
    convert("s.npz", "s.mtx")
    if not np.array_equal(dense("s.mtx"), a.toarray()):
        complain("duplicates")


def written():
    for number, kind in enumerate((float, complex, np.int64)):
        a = sparse.random(60, 60, 0.1, random_state=number).astype(kind)
        a.data[:] = (random.random(a.nnz) * 1e6).astype(kind) * (1 - 2j if kind is complex else 1)
        scipy.io.mmwrite(f"{folder}/a.mtx", a, precision=17)
        convert("a.mtx", "b.npz")
        convert("a.mtx", "b.rb")
        convert("b.rb", "c.mtx")
        b = sparse.load_npz(f"{folder}/b.npz")
        if not np.array_equal(b.toarray(), dense("a.mtx")) or b.dtype != np.dtype(kind):
            complain(f"npz of {kind}")
        if not np.array_equal(dense("c.mtx"), dense("a.mtx")):
            complain(f"rb of {kind}")
        if kind is float and not np.array_equal(scipy.io.hb_read(f"{folder}/b.rb").toarray(), dense("a.mtx")):
            complain("rb, read as Harwell-Boeing")


def read_harwell_boeing():
    a = sparse.random(40, 40, 0.2, format="csc", random_state=1)
    scipy.io.hb_write(f"{folder}/s.rua", a)
    convert("s.rua", "s.mtx")
    if not np.array_equal(dense("s.mtx"), a.toarray()):
        complain("Harwell-Boeing")


read_npz()
read_duplicates()
written()
read_harwell_boeing()
sys.exit(1 if bad else 0)
