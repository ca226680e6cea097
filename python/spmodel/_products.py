"""Products of SciPy, counted, timed and judged.

SciPy computes y = A x in compiled functions of scipy.sparse._sparsetools, which no preload library can replace.
Python can: while attach_scipy() is in force each of them is called through a function that looks at the clock.
"""

from __future__ import annotations

import html
import sys
import time
import warnings
from array import array
from typing import Any, Callable, Dict, List, Optional, Tuple

from ._analyses import explain
from ._call import Progress, progress_function
from .errors import Error, Remark, UsageError
from .result import Result, table


class _Function:
    """A function of _sparsetools: where its arguments are."""

    def __init__(self, format: str, key: int, vectors: Optional[int], matrix: Callable[..., Any]) -> None:
        self.format = format
        self.key = key          # place of the array that a matrix is known by
        self.values = key if format == "dia" else key + 1  # of its values: others of the same pattern may share the first
        self.vectors = vectors  # place of their number; None: one
        self.matrix = matrix    # of the arguments, the matrix


def _compressed(name: str, at: int) -> Callable[..., Any]:
    def matrix(a: Tuple[Any, ...]) -> Any:
        import scipy.sparse
        kind = getattr(scipy.sparse, name + "_matrix")
        return kind((a[at + 2], a[at + 1], a[at]), shape=(a[0], a[1]), copy=False)
    return matrix


def _blocks(at: int) -> Callable[..., Any]:
    def matrix(a: Tuple[Any, ...]) -> Any:
        import scipy.sparse
        rows, columns = a[at - 2], a[at - 1]
        return scipy.sparse.bsr_matrix((a[at + 2].reshape(-1, rows, columns), a[at + 1], a[at]),
                                       shape=(a[0] * rows, a[1] * columns), copy=False)
    return matrix


def _triples(at: int) -> Callable[..., Any]:
    def matrix(a: Tuple[Any, ...]) -> Any:
        import scipy.sparse
        k = a[1] if at == 2 else 1
        return scipy.sparse.coo_matrix((a[at + 2], (a[at], a[at + 1])),
                                       shape=(a[at + 4].size // k, a[at + 3].size // k))
    return matrix


def _diagonals(a: Tuple[Any, ...]) -> Any:
    import scipy.sparse
    return scipy.sparse.dia_matrix((a[5].reshape(a[2], a[3]), a[4]), shape=(a[0], a[1]))


# csr_matvec(rows, columns, indptr, indices, data, x, y), csr_matvecs(rows, columns, vectors, indptr, ...); of bsr rows and
# columns of blocks, then those of one block; coo_matvec(nonzeros, row, column, data, x, y);
# dia_matvec(rows, columns, diagonals, length, offsets, data, x, y), dia_matvecs(..., data, vectors, x, y).
FUNCTIONS: Dict[str, _Function] = {
    "csr_matvec": _Function("csr", 3, None, _compressed("csr", 2)),
    "csr_matvecs": _Function("csr", 4, 2, _compressed("csr", 3)),
    "csc_matvec": _Function("csc", 3, None, _compressed("csc", 2)),
    "csc_matvecs": _Function("csc", 4, 2, _compressed("csc", 3)),
    "bsr_matvec": _Function("bsr", 5, None, _blocks(4)),
    "bsr_matvecs": _Function("bsr", 6, 2, _blocks(5)),
    "coo_matvec": _Function("coo", 2, None, _triples(1)),
    "coo_matmat_dense": _Function("coo", 3, 1, _triples(2)),
    "dia_matvec": _Function("dia", 5, None, _diagonals),
    "dia_matvecs": _Function("dia", 5, 6, _diagonals),
}


class Product:
    """One matrix in one function: its times [s], in the order of the calls."""

    def __init__(self, function: str, matrix: Any, r: int) -> None:
        self.function, self.matrix, self.r = function, matrix, r
        self.y_type: Any = None  # where SciPy converts the values to it in each call
        self.times = array("d")

    @property
    def calls(self) -> int:
        return len(self.times)

    @property
    def time(self) -> float:
        return sum(self.times)

    def __str__(self) -> str:
        m = self.matrix
        if m is None:
            return f"{self.function}, other matrices"
        vectors = f", {self.r} vectors" if self.r != 1 else ""
        y = f", y in {self.y_type}" if self.y_type is not None else ""
        return f"{m.format} {m.shape[0]} x {m.shape[1]}, {m.nnz} nonzeros, {m.dtype}{y}{vectors}"


class Attached:
    """What was seen in a `with attach_scipy() as s:`; s.report() judges it."""

    _now: Optional["Attached"] = None

    def __init__(self, most: int = 64) -> None:
        self.most = most  # matrices that are kept; products with others are counted together
        self.time = float("nan")  # of the block [s]; of all, where there were several
        self.products: List[Product] = []
        self._replaced: List[Tuple[Any, str, Any]] = []
        self._kept: List[Any] = []
        self._start = 0.0

    # ---- in force ----

    def __enter__(self) -> "Attached":
        from scipy.sparse import _sparsetools
        if Attached._now is not None:
            raise UsageError("attach_scipy() is in force already")
        Attached._now = self
        modules = [m for name, m in list(sys.modules.items()) if m and name.startswith("scipy.sparse")]
        for name, function in FUNCTIONS.items():
            original = getattr(_sparsetools, name, None)
            if original is None:
                continue
            counted = self._counting(name, function, original)
            for module in modules:
                if vars(module).get(name) is original:
                    self._replaced.append((module, name, original))
                    setattr(module, name, counted)
        self._start = time.perf_counter()
        return self

    def __exit__(self, *_: Any) -> None:
        took = time.perf_counter() - self._start
        self.time = took + (self.time if self.time > 0 else 0)  # entered again it goes on counting
        for module, name, original in self._replaced:
            setattr(module, name, original)
        self._replaced = []
        Attached._now = None

    def _counting(self, name: str, function: _Function, original: Any) -> Callable[..., Any]:
        """Two looks at the clock, one into a dict. Arrays that are known by their identity are kept, so that no
        other can have it."""
        clock, at, values, many = time.perf_counter, function.key, function.values, function.vectors or 0
        known: Dict[Any, Callable[[float], None]] = {}
        find, new = known.get, self._new

        def one(*a: Any) -> Any:
            start = clock()
            y = original(*a)
            took = clock() - start
            add = find((id(a[at]), a[values].dtype, a[-1].dtype))
            if add is None:
                add = new(name, function, known, a, 1)
            add(took)
            return y

        def several(*a: Any) -> Any:
            start = clock()
            y = original(*a)
            took = clock() - start
            add = find((id(a[at]), a[values].dtype, a[-1].dtype, a[many]))
            if add is None:
                add = new(name, function, known, a, a[many])
            add(took)
            return y
        return several if function.vectors else one

    def _new(self, name: str, function: _Function, known: Dict[Any, Any], a: Tuple[Any, ...],
             r: int) -> Callable[[float], None]:
        """Arrays that were not seen yet: of a matrix that was, as of each A.T, or of a new one."""
        key = a[function.key]
        types = (a[function.values].dtype, a[-1].dtype)
        place = (name, key.__array_interface__["data"][0], key.size, *types, r)
        product = next((p for p in self.products if getattr(p, "place", None) == place), None)
        if product is None and sum(p.matrix is not None for p in self.products) < self.most:
            product = Product(name, function.matrix(a), int(r))
            product.place = place  # type: ignore[attr-defined]
            if product.matrix.dtype != a[-1].dtype:
                product.y_type = a[-1].dtype
            self.products.append(product)
        if product is None:
            product = next((p for p in self.products if p.matrix is None and p.function == name), None)
            if product is None:
                product = Product(name, None, 1)
                self.products.append(product)
            return product.times.append
        if len(self._kept) < 4 * self.most:
            self._kept.append(key)
            known[(id(key), *types) if function.vectors is None else (id(key), *types, r)] = product.times.append
        return product.times.append

    # ---- afterwards ----

    def report(self, *, progress: Progress = None, **options: Any) -> "Report":
        """Each matrix through explain() with its times; options as explain() takes them."""
        if Attached._now is self:
            raise UsageError("products are counted until the block of attach_scipy() ends", "ask for the report behind it")
        tell = progress_function(progress)
        judged = []
        for i, product in enumerate(sorted(self.products, key=lambda p: -p.time)):
            if tell:
                tell(f"judging {product}", i / len(self.products))
            judged.append(_judge(product, progress, options))
        return Report(self, judged)


class Judged:
    """A product with its result; without one `why` says why."""

    def __init__(self, product: Product, result: Optional[Result], why: str) -> None:
        self.product, self.result, self.why = product, result, why


def _count(n: int, thing: str) -> str:
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share == share else "? %"


def _quantiles(times: Any, most: int = 1001) -> List[float]:
    """All times, or as many that are spread like them: a record keeps each."""
    ordered = sorted(times)
    n = len(ordered)
    return ordered if n <= most else [ordered[i * (n - 1) // (most - 1)] for i in range(most)]


def _judge(product: Product, progress: Progress, options: Dict[str, Any]) -> Judged:
    m = product.matrix
    if m is None:
        return Judged(product, None, "these matrices were not kept; attach_scipy(most=...) keeps more")
    if product.r == 0:
        return Judged(product, None, "no vectors: nothing was multiplied")
    remarks = []
    options = {"threads": 1, **options}
    if product.function.startswith("bsr"):
        rows, columns = m.blocksize
        options = {"format": f"bcsr:{rows}x{columns}", "drop_zeros": True, **options}
    elif m.format != "csr":
        remarks.append(f"judged as if it were stored as csr; {m.format} moves other bytes")
    if product.y_type is not None:
        remarks.append(f"in each call SciPy converts the values ({m.dtype}) to {product.y_type}; the bytes are without that")
    if product.r > 1:
        options = {"op": "spmmv", "rhs": product.r, **options}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Remark)  # the report has them
            result = explain(m if m.format == "csr" else m.tocsr(), _quantiles(product.times), name=str(product),
                             progress=progress, **options)
    except Error as error:
        return Judged(product, None, error.what)
    result.remarks = remarks + result.remarks
    return Judged(product, result, "")


class Report:
    """Calls, share of the block's time, bandwidth and verdict of each matrix; str(), a table, HTML."""

    def __init__(self, attached: Attached, judged: List[Judged]) -> None:
        self.time = attached.time
        self.judged = judged

    @property
    def results(self) -> List[Result]:
        return [j.result for j in self.judged if j.result]

    def share(self, seconds: float) -> float:
        """Of the block's time; NaN where threads that multiplied side by side took more than that."""
        return seconds / self.time if 0 <= seconds <= self.time else float("nan")

    def rows(self) -> List[Dict[str, Any]]:
        rows = []
        for j in self.judged:
            p, r = j.product, j.result
            verdict = r.verdict if r else {}
            rows.append({
                "function": p.function, "matrix": str(p), "calls": p.calls, "time_s": p.time,
                "share": self.share(p.time),
                "product_s": sorted(p.times)[p.calls // 2],
                "bandwidth": float(r.bandwidth) if r else float("nan"),
                "fraction": float(r.fraction) if r else float("nan"),
                "alpha": float(r.alpha) if r else float("nan"),
                "reached": verdict.get("reached", {}).get("short") if r else "not known: " + j.why,
                "do": verdict.get("do", {}).get("short") if r else None})
        return rows

    @property
    def table(self) -> Any:
        return table(self.rows())

    def __str__(self) -> str:
        rows = self.rows()
        seconds = sum(row["time_s"] for row in rows)
        lines = [f"{_count(sum(row['calls'] for row in rows), 'product')}, {_percent(self.share(seconds))} of {self.time:.3g} s"]
        if seconds > self.time:
            lines[0] = f"{lines[0].split(',')[0]}, {seconds:.3g} s of all threads in {self.time:.3g} s"
        for j, row in zip(self.judged, rows):
            lines += ["", f"{row['function']}  {row['matrix']}",
                      f"  {_count(row['calls'], 'call')}, {_percent(row['share'])} of the time, "
                      f"{1e6 * row['product_s']:.4g} us each (median)"]
            if j.result:
                lines += [f"  bandwidth {j.result.bandwidth}", f"  roof      {j.result.roof}"]
                lines += ["  " + line for line in str(j.result.verdict).rstrip().splitlines()[1:]]
                lines += ["  " + text for text in j.result.remarks]
            else:
                lines.append("  " + row["reached"])
        if not rows:
            lines.append("no product went through scipy.sparse._sparsetools")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{name}</th>" for name in ("matrix", "calls", "share", "a product", "bandwidth", "reached"))
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in (
                row["matrix"], str(row["calls"]), _percent(row["share"]), f"{1e6 * row['product_s']:.4g} us",
                f"{1e-9 * row['bandwidth']:.3g} GB/s", str(row["reached"]))) + "</tr>" for row in self.rows())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def attach_scipy(most: int = 64) -> Attached:
    """`with attach_scipy() as s:` counts and times each product of scipy.sparse inside; then s.report().

    The first `most` matrices are kept, by reference; products with others are counted together."""
    return Attached(most)
