"""A kernel of your own, written in Python or reached from it.

    def mine(A, x, y):          # A: scipy.sparse.csr_array; x, y: numpy arrays
        y[:] = A @ x
    spmodel.analyze(A, kernel=mine)

The library forks a process for it. A fork while another thread of Python runs would leave that process without
the interpreter's lock for ever; so the analysis is made in a child of this process that has no other thread.
"""

from __future__ import annotations

import functools
import inspect
import mmap
import os
import pickle
import select
import signal
import struct
import sys
import tempfile
import traceback
import warnings
from typing import Any, Callable, Dict, Optional, Tuple

import cffi

from ._call import Handle, Progress, progress_function
from ._library import bytes_of, library
from .errors import BugError, Cancelled, UsageError
from .matrix import as_scipy

_TEXT = 1 << 14  # bytes of a traceback that come back


class Kernel:
    """Functions that make a kernel; only `run` is needed.

    prepare(A, n_threads, r) makes the state of the csr_array A, which stays as it is; without it the state is A.
    run(state, x, y) writes y = A x, or run(state, x) returns it; x[n_c], y[n_r], and with r > 1 vectors x[n_c, r],
    y[n_r, r]. finish(state) ends it. stores(state) is a dict of the arrays that it reads instead of A's.
    trace(state, x, y, thread, access) calls access(address, bytes, is_write) for each access of one thread.
    """

    def __init__(self, run: Callable[..., Any], *, prepare: Optional[Callable[[Any, int, int], Any]] = None,
                 finish: Optional[Callable[[Any], Any]] = None,
                 stores: Optional[Callable[[Any], Dict[str, Any]]] = None,
                 trace: Optional[Callable[..., Any]] = None, name: Optional[str] = None) -> None:
        for function in (run, prepare, finish, stores, trace):
            if function is not None and not callable(function):
                raise UsageError(f"a kernel is made of functions, not of {function!r}")
        self.run, self.prepare, self.finish, self.stores, self.trace = run, prepare, finish, stores, trace
        self.name: str = name or getattr(run, "__name__", "") or type(run).__name__
        bytes_of(self.name)  # what is no name is said here


def _returns(run: Callable[..., Any]) -> bool:
    """Does it return y, rather than take it?"""
    try:
        kinds = [p.kind for p in inspect.signature(run).parameters.values() if p.default is p.empty]
    except (TypeError, ValueError):
        return False
    return len(kinds) == 2 and inspect.Parameter.VAR_POSITIONAL not in kinds


class _Running:
    """The struct spmodel_kernel of a Kernel. An exception is written to `note`, below the call that raised it, and
    becomes the number -1."""

    def __init__(self, kernel: Kernel, note: mmap.mmap) -> None:
        ffi = library.ffi
        self.kernel, self.note = kernel, note
        self.returns = _returns(kernel.run)
        self.made: Any = None
        self.kept: Dict[Tuple[int, int], Tuple[Any, Any]] = {}

        def callback(type_name: str, function: Callable[..., Any]) -> Any:
            error = None if type_name.startswith("void") else -1
            return ffi.callback(type_name, function, error=error,
                                onerror=functools.partial(self.on_error, function.__name__[len("on_"):]))

        self.prepare = callback("int(void *, const struct spmodel_matrix *, int32_t, int32_t, void **)",
                                self.on_prepare)
        self.run = callback("int(void *, const void *, void *)", self.on_run)
        self.finish = callback("void(void *)", self.on_finish)
        self.stores = callback("int(void *, struct spmodel_array *)", self.on_stores)
        self.trace = callback("int(void *, const void *, const void *, int32_t, spmodel_access *, void *)",
                              self.on_trace)
        self.name = ffi.new("char[]", bytes_of(kernel.name))
        self.struct = ffi.new("struct spmodel_kernel *", dict(
            size=ffi.sizeof("struct spmodel_kernel"), name=self.name, prepare=self.prepare, run=self.run,
            finish=self.finish, trace=self.trace if kernel.trace else ffi.NULL,
            stores=self.stores if kernel.stores else ffi.NULL))

    def on_error(self, call: str, kind: Any, raised: BaseException, where: Any) -> None:
        head = f"{call}()\n".encode()
        text = "".join(traceback.format_exception(kind, raised, where)).encode(errors="backslashreplace")
        self.note.seek(0)
        self.note.write(head + text[len(head) + 1 - _TEXT:] + b"\0")

    def on_prepare(self, _context: Any, matrix: Any, n_threads: int, r: int, state: Any) -> int:
        import numpy as np
        a = as_scipy(matrix)
        kind = {library.lib.SPMODEL_F32: "f4", library.lib.SPMODEL_C128: "c16"}.get(matrix.type, "f8")
        self.dtype, self.shape, self.r = np.dtype(kind), (matrix.n_r, matrix.n_c), r
        self.made = self.kernel.prepare(a, n_threads, r) if self.kernel.prepare else a
        state[0] = matrix
        return 0

    def arrays(self, x: Any, y: Any) -> Tuple[Any, Any]:
        import numpy as np
        ffi = library.ffi
        key = (int(ffi.cast("intptr_t", x)), int(ffi.cast("intptr_t", y)))
        if key not in self.kept:
            def array(p: Any, n: int) -> Any:
                a = np.frombuffer(ffi.buffer(p, n * self.r * self.dtype.itemsize), dtype=self.dtype)
                return a if self.r == 1 else a.reshape(n, self.r)
            self.kept[key] = array(x, self.shape[1]), array(y, self.shape[0])
        return self.kept[key]

    def on_run(self, _state: Any, x: Any, y: Any) -> int:
        xs, ys = self.arrays(x, y)
        if self.returns:
            result = self.kernel.run(self.made, xs)
            if result is None:
                raise TypeError(f"{self.kernel.name}(A, x) returned None, and not y; mine(A, x, y) writes y")
            ys[...] = result
        else:
            self.kernel.run(self.made, xs, ys)
        return 0

    def on_finish(self, _state: Any) -> None:
        if self.kernel.finish:
            self.kernel.finish(self.made)
        self.made = None

    def on_stores(self, _state: Any, array: Any) -> int:
        arrays = self.kernel.stores(self.made) if self.kernel.stores else {}
        self.stored = [(library.ffi.new("char[]", bytes_of(name)), a) for name, a in arrays.items()]
        for i, (name, a) in enumerate(self.stored[:library.lib.SPMODEL_MAX_ARRAYS]):
            if not a.flags.forc:
                raise ValueError(f"the array {library.ffi.string(name).decode()!r} is not contiguous")
            array[i].name, array[i].size_B = name, a.nbytes
            array[i].address = library.ffi.cast("void *", a.ctypes.data)
        return len(self.stored)

    def on_trace(self, _state: Any, x: Any, y: Any, thread: int, access: Any, walker: Any) -> int:
        ffi = library.ffi
        xs, ys = self.arrays(x, ffi.cast("void *", y))

        def tell(address: int, size: int, is_write: bool = False) -> None:
            access(walker, ffi.cast("void *", address), size, int(is_write))
        assert self.kernel.trace
        self.kernel.trace(self.made, xs, ys, thread, tell)
        return 0


def _cancelling_function() -> Any:
    """A progress function of no Python: atoi() of the context, which is "0" until somebody writes "1"."""
    libc: Any = cffi.FFI()
    libc.cdef("int atoi(const char *);")
    address = int(libc.cast("intptr_t", libc.dlopen(None).atoi))
    return library.ffi.cast("spmodel_progress *", address)


def _inside(kernel: Kernel, view: Any, options: Dict[str, Any], note: mmap.mmap, flag: Any,
            record: str) -> Tuple[int, str]:
    lib, ffi = library.lib, library.ffi
    handle = Handle(options)
    lib.spmodel_on_progress(handle.pointer, _cancelling_function(), flag)
    running = _Running(kernel, note)
    out = ffi.new("spmodel_result **")
    status: int = lib.spmodel_analyze(handle.pointer, view.pointer, running.struct, out)
    if out[0]:
        text = lib.spmodel_text(out[0], lib.SPMODEL_JSON)
        with open(record, "wb") as file:
            file.write(ffi.string(text) if text else b"")
    return status, handle.message


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: the child has none of them
        return os.fork()


def analyze_apart(kernel: Any, view: Any, options: Dict[str, Any],
                  progress: Progress) -> Tuple[int, str, Optional[str], str]:
    """Status, message, the file of the record (the caller removes it; None: there is none) and of what the
    kernel raised the call, a line, and the traceback."""
    if not isinstance(kernel, Kernel):
        if not callable(kernel):
            raise UsageError(f"a kernel is a function (A, x, y), a spmodel.Kernel or \"./libmine.so:symbol\", "
                             f"not {kernel!r}")
        kernel = Kernel(kernel)
    tell = progress_function(progress)
    Handle(options)  # what is wrong with them is said here
    shared = mmap.mmap(-1, _TEXT + mmap.PAGESIZE)
    shared[_TEXT:_TEXT + 2] = b"0\0"
    base = library.ffi.from_buffer(shared)
    descriptor, record = tempfile.mkstemp(prefix="spmodel-", suffix=".json")
    os.close(descriptor)
    ours, theirs = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = _fork()
    if pid == 0:
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            answer = _inside(kernel, view, options, shared, base + _TEXT, record)
        except BaseException as error:  # noqa: B036
            answer = (7, f"{type(error).__name__}: {error}")
        try:
            text = pickle.dumps(answer)
            os.write(theirs, struct.pack("q", len(text)) + text)
        finally:
            os._exit(0)
    os.close(theirs)
    raised: Optional[BaseException] = None
    answered = select.poll()
    answered.register(ours, select.POLLIN)
    while True:
        try:
            if answered.poll(100):
                break
            if tell and not raised:
                tell("running your kernel", None)
        except BaseException as error:  # noqa: B036
            raised = raised or error
            shared[_TEXT:_TEXT + 1] = b"1"
    with os.fdopen(ours, "rb") as pipe:
        data = pipe.read()
    os.waitpid(pid, 0)
    said = shared[:_TEXT].split(b"\0", 1)[0].decode("utf-8", "replace")
    has_record = os.path.getsize(record) > 0
    if raised or not has_record:
        os.remove(record)
    if raised:
        raise raised
    if len(data) < 8:
        raise BugError("the process of the analysis ended without an answer")
    status, message = pickle.loads(data[8:])
    if status == Cancelled.status:
        raise Cancelled()
    return status, message, record if has_record else None, said
