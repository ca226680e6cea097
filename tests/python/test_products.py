"""Products of SciPy: each function of the table, counted and judged."""

import time

import numpy as np
import scipy
import scipy.sparse as sparse
from scipy.sparse import _sparsetools
from scipy.sparse.linalg import cg

import spmodel
from check import QUICK, main, raises
from spmodel._products import FUNCTIONS, Product, _quantiles



def laplacian(side=50):
    one = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(side, side))
    return (sparse.kron(one, sparse.identity(side)) + sparse.kron(sparse.identity(side), one)).tocsr()


def test_each_function_is_seen():
    a = laplacian()
    x, several = np.arange(a.shape[1], dtype=float), np.arange(3.0 * a.shape[1]).reshape(-1, 3)
    before = {name: getattr(_sparsetools, name, None) for name in FUNCTIONS}
    for kind in ("csr", "csc", "bsr", "coo", "dia"):
        m = a.asformat(kind)
        right = a @ x, a @ several
        with spmodel.attach_scipy() as s:
            assert np.allclose(m @ x, right[0])
            assert np.allclose(m @ several, right[1])
        seen = {p.function: p for p in s.products}
        through = (kind + "_", "csr_") if kind == "dia" else kind + "_"  # blocks of vectors of dia go through csr before 1.16
        assert seen and all(name.startswith(through) for name in seen), (kind, list(seen))
        assert f"{kind}_matvec" in seen and seen[f"{kind}_matvec"].calls >= 1
        for p in s.products:
            assert abs(p.matrix.tocsr() - a).nnz == 0, p.function
            assert p.r in (1, 3) and 0 < p.time < s.time
    assert before == {name: getattr(_sparsetools, name, None) for name in FUNCTIONS}, "something stayed replaced"
    assert [n for n in FUNCTIONS if before[n] is None] in ([], ["coo_matmat_dense"], ["coo_matmat_dense", "dia_matvecs"],
                                                             ["dia_matvecs"]), scipy.__version__


def test_arguments_of_another_scipy_would_be_seen():
    """The names that begin like products are those of the table."""
    names = {n for n in dir(_sparsetools) if "matvec" in n or "matmat_dense" in n}
    print(scipy.__version__, "beside the table:", sorted(names - set(FUNCTIONS)))


def test_counts_of_cg_and_shares():
    a = laplacian()
    b = np.ones(a.shape[0])
    steps = []
    with spmodel.attach_scipy() as s:
        cg(a, b, maxiter=30, callback=lambda _: steps.append(1))
        for _ in range(5):
            a @ np.ones((a.shape[1], 4))
            a.T @ b
    by_name = {p.function: p for p in s.products}
    assert set(by_name) == {"csr_matvec", "csr_matvecs", "csc_matvec"}, list(by_name)
    assert len(steps) <= by_name["csr_matvec"].calls <= len(steps) + 2
    assert by_name["csr_matvecs"].calls == 5 and by_name["csr_matvecs"].r == 4
    assert by_name["csc_matvec"].calls == 5, "each A.T is the same matrix"
    report = s.report(**QUICK)
    rows = report.rows()
    assert len(rows) == 3 and all(0 < row["share"] < 1 for row in rows) and sum(row["share"] for row in rows) < 1
    assert len(report.results) == 3, [j.why for j in report.judged]
    for row, judged in zip(rows, report.judged):
        assert judged.result.record["metrics"]["time"]["value"] > 0 and row["reached"]
        assert (judged.product.function == "csr_matvec") <= (not judged.result.remarks)
    text = str(report)
    for words in ("csr_matvec", f"{a.nnz} nonzeros", "% of the time", "bandwidth", "4 vectors"):
        assert words in text, text
    assert "\n  5 calls, " in text and "judged as if it were stored as csr; csc moves other bytes" in text, text
    assert report._repr_html_().count("<tr>") == 4
    assert len(report.table) == 3
    alpha = spmodel.analyze(a, threads=1, **QUICK).alpha
    judged = next(j for j in report.judged if j.product.function == "csr_matvec")
    assert alpha.value == judged.result.alpha.value, (alpha, judged.result.alpha)


def test_conversion_in_each_call_is_said():
    a = laplacian(20).astype(np.float32)
    with spmodel.attach_scipy() as s:
        a @ np.ones(a.shape[1])
        a @ np.ones(a.shape[1])
        a @ np.ones(a.shape[1], dtype=np.float32)
    assert [p.calls for p in s.products] == [2, 1], [str(p) for p in s.products]
    of = {j.product.calls: j for j in s.report(**QUICK).judged}
    assert all(j.result.record["request"]["precision"] == "f32" for j in of.values())
    assert "converts" in of[2].result.remarks[0] and "float32, y in float64" in str(of[2].product), of[2].result.remarks
    assert not of[1].result.remarks, of[1].result.remarks


def test_values_of_other_types_over_one_pattern():
    """As mixed precision has them: the arrays of the pattern are shared, and times of one are not those of another."""
    a = laplacian(20)
    small = sparse.csr_matrix((a.data.astype(np.float32), a.indices, a.indptr), shape=a.shape)
    again = sparse.csr_matrix((2 * a.data, a.indices, a.indptr), shape=a.shape)
    x, several = np.ones(a.shape[1]), np.ones((a.shape[1], 3))
    with spmodel.attach_scipy() as s:
        for _ in range(4):
            a @ x
            again @ x
            small @ x.astype(np.float32)
            a @ several
            small @ several.astype(np.float32)
    assert [(str(p.matrix.dtype), p.r, p.calls) for p in s.products] == [
        ("float64", 1, 8), ("float32", 1, 4), ("float64", 3, 4), ("float32", 3, 4)], [str(p) for p in s.products]


def test_blocks_are_judged_as_blocks():
    a = sparse.bsr_matrix(sparse.kron(laplacian(20), np.ones((2, 2))), blocksize=(2, 2))
    with spmodel.attach_scipy() as s:
        a @ np.ones(a.shape[1])
    (judged,) = s.report(**QUICK).judged
    assert judged.result, judged.why
    assert judged.result.record["request"]["format"].startswith("bcsr:2x2"), judged.result.record["request"]


def test_many_matrices_are_counted_together():
    x = np.ones(50)
    matrices = [sparse.random(50, 50, 0.1, format="csr", random_state=i) for i in range(6)]
    with spmodel.attach_scipy(most=2) as s:
        for _ in range(3):
            for m in matrices:
                m @ x
    assert [p.calls for p in s.products] == [3, 3, 12], [p.calls for p in s.products]
    report = s.report(**QUICK)
    assert sum(j.result is None for j in report.judged) == 1 and "not kept" in str(report)


def test_many_times_are_thinned():
    assert _quantiles([3.0, 1, 2]) == [1, 2, 3]
    thin = _quantiles(range(100_000, 0, -1))
    assert len(thin) == 1001 and thin[0] == 1 and thin[-1] == 100_000 and abs(thin[500] - 50_000) <= 1


def test_nesting_and_exceptions():
    a, x = laplacian(5), np.ones(25)
    with spmodel.attach_scipy():
        raises(spmodel.UsageError, ["in force"], spmodel.attach_scipy().__enter__)
    original = _sparsetools.csr_matvec
    try:
        with spmodel.attach_scipy() as s:
            assert _sparsetools.csr_matvec is not original
            a @ x
            raise KeyError
    except KeyError:
        pass
    assert _sparsetools.csr_matvec is original and s.products[0].calls == 1 and s.time > 0
    with spmodel.attach_scipy() as s:
        time.sleep(0.001)
    assert "no product" in str(s.report()) and not s.products
    assert "other matrices" in str(Product("csr_matvec", None, 1))


def test_entered_again_it_goes_on():
    a, x = laplacian(5), np.ones(25)
    s = spmodel.attach_scipy()
    with s:
        time.sleep(0.02)
        a @ x
        raises(spmodel.UsageError, ["until the block of attach_scipy() ends"], s.report)
    with s:
        a @ x
    assert [p.calls for p in s.products] == [2] and s.time > 0.02, s.time


def test_no_share_is_above_all():
    """As where threads multiply side by side."""
    a = laplacian(5)
    with spmodel.attach_scipy() as s:
        a @ np.ones(25)
        a @ np.ones((25, 0))
    of_one = next(p for p in s.products if p.r == 1)
    of_one.times.append(2 * s.time)
    report = s.report(**QUICK)
    shares = {j.product.r: row["share"] for j, row in zip(report.judged, report.rows())}
    assert np.isnan(shares[1]) and 0 < shares[0] < 1, shares
    assert " s of all threads in " in str(report) and "? % of the time" in str(report), str(report)
    assert "no vectors" in str(report) and "? %" in report._repr_html_()


if __name__ == "__main__":
    main(globals())
