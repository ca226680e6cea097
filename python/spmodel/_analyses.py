"""The calls: analyze, explain, model, read, read_record, read_records."""

from __future__ import annotations

import glob
import os
from typing import Any, Iterable, List, Optional, Union

from . import kernel as own
from ._call import Handle, Progress
from ._library import bytes_of, library, text_of
from .errors import InputError, UsageError, WrongResult, error_of
from .matrix import View, as_scipy, options_of, read_matrix, view_of
from .result import Model, Result, table

Path = Union[str, "os.PathLike[str]"]


def _handle_for(matrix: Any, name: Optional[str], options: Any, progress: Progress) -> "tuple[Handle, View]":
    handle = Handle({}, progress)
    view = view_of(matrix, name, handle)
    for option, value in options_of(view, options).items():
        handle.set(option, value)
    view.warn()
    return handle, view


def _noted(result: Result, view: Optional[View]) -> None:
    """What was done to the matrix on the way."""
    result.remarks += view.remarks if view else []
    problem = result.record.get("problem") or {}
    summed = problem.get("duplicates") or 0
    if view and summed:
        result.remarks.append(f"{summed} duplicate{'s were' if summed > 1 else ' was'} summed: what is analysed has "
                              f"{problem.get('nnz')} nonzeros")


def _result(handle: Handle, status: int, out: Any, view: Optional[View]) -> Result:
    result = Result(out[0]) if out[0] else None
    if result:
        _noted(result, view)
    if status == 0 and result:
        return result
    error = error_of(status, handle.message)
    if isinstance(error, WrongResult):
        error.result = result
    raise error


def analyze(matrix: Any, *, kernel: Any = None, name: Optional[str] = None, progress: Progress = None,
            **options: Any) -> Result:
    """Runs y = A x under the clock and explains its time.

    matrix: scipy.sparse (csr as it is, others converted), a numpy array in two dimensions, a tuple (data, indices,
    indptr, shape) with data None where all values are 1, a file name, or "gen:laplace3d:60".
    kernel: one of your own: a function (A, x, y), a spmodel.Kernel, or "./libmine.so:symbol" (with signature="csr32").
    progress: a function (step, done), done 0 ... 1 or None; True; or a bar of tqdm. What it raises cancels.
    options: those of `spmodel analyze` with _ for -, for example threads=2, format="sell:8,64", no_hints=True.
    """
    if kernel is not None and not isinstance(kernel, (str, os.PathLike)):
        return _analyze_apart(matrix, kernel, name, progress, options)
    if kernel is not None:
        options["kernel"] = os.fspath(kernel)
    handle, view = _handle_for(matrix, name, options, progress)
    out = library.ffi.new("spmodel_result **")
    status = handle.status_of(library.lib.spmodel_analyze, view.pointer, library.ffi.NULL, out)
    return _result(handle, status, out, view)


def _analyze_apart(matrix: Any, kernel: Any, name: Optional[str], progress: Progress, options: Any) -> Result:
    view = view_of(matrix, name, Handle({}, progress))
    view.warn()
    status, message, record, raised = own.analyze_apart(kernel, view, options_of(view, options), progress)
    call, _, trace = raised.partition("\n")
    if status == 0 and call == "finish()":  # the one that has nothing to return
        status, message = WrongResult.status, f"the kernel {kernel.name} raised an exception in finish()"
    result = None
    if record:
        try:
            result = read_record(record)
        finally:
            os.remove(record)
        _noted(result, view)
    if status == 0 and result:
        return result
    error = error_of(status, message)
    if raised:
        error.what = error.what.replace("returned -1 from", "raised an exception in") + "\n" + trace.rstrip()
        error.remedy = ""
    if isinstance(error, WrongResult):
        error.result = result
    raise error


def explain(matrix: Any, times: Any, *, threads: Optional[int] = None, name: Optional[str] = None,
            progress: Progress = None, **options: Any) -> Result:
    """Judges products that you timed on this machine yourself: times [s], one or many; threads: how many computed.
    Bytes are simulated, the roof is measured. Matrix and options as analyze() takes them."""
    try:
        seconds: List[float] = [float(times)]
    except (TypeError, ValueError):
        try:
            seconds = [float(t) for t in times]
        except (TypeError, ValueError):
            raise UsageError(f"times are seconds, a number or several, not {times!r}") from None
    if not seconds:
        raise UsageError("no times were given")
    if threads is not None:
        options["threads"] = threads
    handle, view = _handle_for(matrix, name, options, progress)
    out = library.ffi.new("spmodel_result **")
    array = library.ffi.new("double[]", seconds)
    status = handle.status_of(library.lib.spmodel_explain, view.pointer, array, len(seconds), out)
    return _result(handle, status, out, view)


def model(matrix: Any, *, machine: Optional[str] = None, name: Optional[str] = None, progress: Progress = None,
          **options: Any) -> Model:
    """What the model says of the matrix, without running it; machine: another than this one."""
    if machine is not None:
        options["machine"] = machine
    handle, view = _handle_for(matrix, name, options, progress)
    out = library.ffi.new("spmodel_result **")
    status = handle.status_of(library.lib.spmodel_model, view.pointer, out)
    result = _result(handle, status, out, view)
    return Model(result.text(library.lib.SPMODEL_JSON), view.remarks)


def read(path: Path, *, progress: Progress = None) -> Any:
    """A matrix from a file, or "gen:...", as scipy.sparse.csr_array; as (data, indices, indptr, shape) without SciPy."""
    return as_scipy(read_matrix(path, Handle({}, progress)))


def read_record(path: Path) -> Result:
    """A record that was written before."""
    handle = Handle({})
    out = library.ffi.new("spmodel_result **")
    status = handle.status_of(library.lib.spmodel_read_record, bytes_of(path), out)
    return _result(handle, status, out, None)


def _files(where: Union[Path, Iterable[Path]]) -> List[str]:
    if not isinstance(where, (str, os.PathLike)):
        return [os.fspath(p) for p in where]
    path = os.fspath(where)
    if os.path.isdir(path):
        return sorted(glob.glob(os.path.join(glob.escape(path), "*.json")))
    return [path]


def read_records(where: Union[Path, Iterable[Path]]) -> Any:
    """Records of a folder, or of files, a row each: a DataFrame where there is pandas. `result` is the Result.
    Other files of JSON in the folder are left out."""
    rows = []
    is_folder = isinstance(where, (str, os.PathLike)) and os.path.isdir(where)
    for path in _files(where):
        try:
            result = read_record(path)
        except InputError:
            if not is_folder:
                raise
            continue
        record = result.record
        row = {"file": path, "matrix": (record.get("problem") or {}).get("name"), "status": record.get("status"),
               "machine": (record.get("machine") or {}).get("name"), "when": record.get("time")}
        row.update({n: float(result.number(n)) for n in ("time", "performance", "bytes", "bandwidth", "roof",
                                                         "fraction", "alpha", "balance")})
        row.update(verdict=result.verdict.get("reached", {}).get("short"), result=result)
        rows.append(row)
    return table(rows)


def version() -> str:
    """Of the library that is used."""
    return text_of(library.lib.spmodel_version()) or ""


def library_path() -> str:
    """Where it was found."""
    return library.path


__all__ = ["analyze", "explain", "model", "read", "read_record", "read_records", "version", "library_path"]
