"""Matrices of Python as the library's view of compressed rows, borrowed where their layout allows."""

from __future__ import annotations

import operator
import os
import warnings
from typing import Any, Dict, List, Tuple

from ._call import Handle
from ._library import bytes_of, library, text_of
from .errors import InputError, Remark, UsageError, error_of


class View:
    """A struct spmodel_matrix, the arrays that it points to, and what was said on the way."""

    def __init__(self) -> None:
        self.pointer: Any = None
        self.kept: List[Any] = []
        self.remarks: List[str] = []
        self.storage: Dict[str, Any] = {}  # options that say what the caller's arrays are

    def remark(self, text: str) -> None:
        self.remarks.append(text)

    def warn(self) -> None:
        """Said of the line that called analyze(), which is four calls up."""
        for text in self.remarks:
            warnings.warn(text, Remark, stacklevel=4)


def _kind(array: Any) -> str:
    return f"{array.dtype}" if array.flags.c_contiguous else f"{array.dtype}, not contiguous"


def _as_index(array: Any, name: str, view: View) -> Tuple[Any, int]:
    import numpy as np
    array = np.asarray(array, dtype=None if np.size(array) or hasattr(array, "dtype") else np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise UsageError(f"{name} is an array of integers in one dimension, not {array.dtype} in {array.ndim}")
    if array.dtype not in (np.int32, np.int64) or not array.dtype.isnative or not array.flags.c_contiguous:
        is_narrow = array.itemsize <= 4 and (array.size == 0 or array.max() < 2**31)  # what is analysed is as wide
        to = np.dtype(np.int32 if is_narrow else np.int64)
        view.remark(f"{name} ({_kind(array)}) was copied as {to}")
        array = np.ascontiguousarray(array, dtype=to)
    return array, int(array.itemsize)


def _as_values(array: Any, view: View) -> Tuple[Any, int]:
    import numpy as np
    lib = library.lib
    types = {"f8": lib.SPMODEL_F64, "f4": lib.SPMODEL_F32, "c16": lib.SPMODEL_C128}
    array = np.asarray(array)
    if array.dtype.kind not in "biufc":
        raise UsageError(f"values of type {array.dtype} are no numbers of a matrix")
    kind = array.dtype.str[1:]
    if kind not in types or not array.dtype.isnative or not array.flags.c_contiguous or array.ndim != 1:
        to = "c16" if array.dtype.kind == "c" else "f4" if kind == "f4" else "f8"
        view.remark(f"values ({_kind(array)}) were copied as {np.dtype(to)}")
        array, kind = np.ascontiguousarray(array.ravel(), dtype=to), to
    return array, types[kind]


def view_of_arrays(data: Any, indices: Any, indptr: Any, shape: Tuple[int, int], name: str, view: View) -> View:
    """Compressed rows as they are. data None: all values are 1."""
    ffi, lib = library.ffi, library.lib
    try:
        n_r, n_c = (operator.index(n) for n in shape)
    except (TypeError, ValueError):
        n_r = n_c = -1
    if not (0 <= n_r < 2**63 and 0 <= n_c < 2**63):
        raise UsageError(f"shape is (rows, columns), two whole numbers from 0 up, not {shape!r}")
    row_ptr, row_ptr_bytes = _as_index(indptr, "indptr", view)
    col, col_bytes = _as_index(indices, "indices", view)
    if len(row_ptr) != n_r + 1:
        raise InputError(f"indptr has {len(row_ptr)} elements, and {n_r} rows need {n_r + 1}",
                         "give (data, indices, indptr, shape), as scipy.sparse.csr_array has them")
    n_nz = int(row_ptr[-1])
    values, kind = (None, lib.SPMODEL_F64) if data is None else _as_values(data, view)
    if n_nz < 0 or len(col) < n_nz or (values is not None and len(values) < n_nz):
        raise InputError(f"indptr ends with {n_nz}, but there are {len(col)} indices"
                         + ("" if values is None else f" and {len(values)} values"))
    name_c = ffi.new("char[]", bytes_of(name))
    arrays = [ffi.from_buffer(a) if a is not None and a.size else ffi.NULL for a in (row_ptr, col, values)]
    if not arrays[1]:
        arrays[1] = ffi.new("int64_t *")
    view.kept += [row_ptr, col, values, name_c, *arrays]
    view.pointer = ffi.new("struct spmodel_matrix *", dict(
        size=ffi.sizeof("struct spmodel_matrix"), n_r=n_r, n_c=n_c, n_nz=n_nz, row_ptr=arrays[0], col=arrays[1],
        values=ffi.cast("const void *", arrays[1]) if values is not None and not n_nz else arrays[2],
        row_ptr_B=row_ptr_bytes, col_B=col_bytes, type=kind, base=0, name=name_c))
    if values is not None and kind == lib.SPMODEL_F32:
        view.storage["precision"] = "f32"
    if col_bytes == 8:
        view.storage["index"] = "i64"
    if row_ptr_bytes == 8:
        view.storage["row-ptr"] = "8"
    return view


def _rows_of_dense(array: Any, view: View) -> Tuple[Any, Any, Any]:
    import numpy as np
    view.remark(f"a dense array of {array.shape[0]} x {array.shape[1]} was converted: its nonzeros, in rows")
    rows, cols = np.nonzero(array)
    indptr = np.zeros(array.shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=array.shape[0]), out=indptr[1:])
    values = array[rows, cols]
    if values.dtype.kind in "biu":
        values = values.astype(np.float64)
    small = np.int32 if max(array.shape[1], len(cols)) < 2**31 else np.int64
    return values, cols.astype(small), indptr.astype(small)


def read_matrix(name: Any, handle: Handle) -> Any:
    """A struct spmodel_matrix of a file or of "gen:...", freed when nothing holds it any more."""
    ffi, lib = library.ffi, library.lib
    out = ffi.new("struct spmodel_matrix **")
    status = handle.status_of(lib.spmodel_read, bytes_of(name), out)
    if status:
        raise error_of(status, handle.message)
    return ffi.gc(out[0], lib.spmodel_matrix_free, 16 * int(out[0].n_nz))


def view_of(matrix: Any, name: Any, handle: Handle) -> View:
    """Of what analyze() takes: scipy.sparse, a 2-D array, (data, indices, indptr, shape), a file, "gen:..."."""
    view = View()
    if isinstance(matrix, (str, os.PathLike)):
        view.pointer = read_matrix(matrix, handle)
        if name:
            view.kept.append(library.ffi.new("char[]", bytes_of(str(name))))
            view.pointer.name = view.kept[-1]
        return view
    name = str(name or "matrix")
    if isinstance(matrix, tuple):
        if len(matrix) != 4:
            raise UsageError("a matrix as a tuple is (data, indices, indptr, shape)")
        return view_of_arrays(*matrix, name=name, view=view)
    if len(getattr(matrix, "shape", ())) != 2:
        raise UsageError(f"{type(matrix).__name__} is no matrix that spmodel takes",
                         "scipy.sparse, a numpy array in two dimensions, (data, indices, indptr, shape), a file name")
    if hasattr(matrix, "tocsr"):
        if matrix.format != "csr":
            view.remark(f"a matrix in {matrix.format} was converted to csr: what is analysed is csr")
            matrix = matrix.tocsr()
        return view_of_arrays(matrix.data, matrix.indices, matrix.indptr, matrix.shape, name, view)
    import numpy as np
    array = np.asarray(matrix)
    if isinstance(matrix, np.ma.MaskedArray):
        raise UsageError("a masked array says nothing of what its masked elements are",
                         "matrix.filled(0), where masked elements are no entries")
    if array.ndim != 2 or array.dtype.kind not in "biufc":
        raise UsageError(f"{type(matrix).__name__} has no elements that can be read as numbers",
                         "a matrix with entries: an operator has none")
    return view_of_arrays(*_rows_of_dense(array, view), shape=array.shape, name=name, view=view)


def options_of(view: View, options: Dict[str, Any]) -> Dict[str, Any]:
    """The caller's options, and the storage of the caller's arrays where the options leave it open."""
    given = {name.replace("_", "-"): value for name, value in options.items()}
    if given.get("signature") is not None:
        return given
    for name, value in view.storage.items():
        if name == "precision" or given.get("format") in (None, "crs"):
            given.setdefault(name, value)
    return given


def as_scipy(pointer: Any) -> Any:
    """The arrays of a struct spmodel_matrix as scipy.sparse.csr_array, or as (data, indices, indptr, shape)
    where there is no SciPy. They live as long as what they are taken of."""
    import numpy as np
    ffi, lib = library.ffi, library.lib
    m = pointer

    def array(address: Any, n: int, kind: str) -> Any:
        if not n:
            return np.empty(0, dtype=kind)
        held = ffi.gc(ffi.cast("char *", address), lambda _, owner=m: None)
        return np.frombuffer(ffi.buffer(held, n * np.dtype(kind).itemsize), dtype=kind)

    indptr = array(m.row_ptr, m.n_r + 1, f"i{m.row_ptr_B}")
    indices = array(m.col, m.n_nz, f"i{m.col_B}")
    kind = {lib.SPMODEL_F64: "f8", lib.SPMODEL_F32: "f4", lib.SPMODEL_C128: "c16"}[m.type]
    values = array(m.values, m.n_nz, kind) if m.values else np.ones(m.n_nz)
    try:
        from scipy.sparse import csr_array
    except ImportError:
        return values, indices, indptr, (m.n_r, m.n_c)
    return csr_array((values, indices, indptr), shape=(m.n_r, m.n_c))


def name_of(pointer: Any) -> str:
    return text_of(pointer.name) or "matrix"
