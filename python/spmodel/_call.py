"""A handle of the library: options, progress, cancellation, and errors as exceptions."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Iterable, Optional, Union

from ._library import bytes_of, library, text_of
from .errors import UsageError, error_of

Progress = Union[None, bool, Callable[[str, Optional[float]], Any], Any]


def _show(step: str, done: Optional[float]) -> None:
    part = "" if done is None else f" {100 * done:.0f} %"
    sys.stderr.write(f"\r\033[K{step}{part}" if sys.stderr.isatty() else f"{step}{part}\n")
    sys.stderr.flush()


def progress_function(progress: Progress) -> Optional[Callable[[str, Optional[float]], Any]]:
    """A function (step, done) of what a caller gives: one, True (lines on standard error), or a bar of tqdm."""
    if progress is None or progress is False:
        return None
    if progress is True:
        said = [""]

        def once(step: str, done: Optional[float]) -> None:
            if step != said[0]:
                said[0] = step
                _show(step, done)
        return once
    if hasattr(progress, "set_description") and hasattr(progress, "update"):
        bar: Any = progress

        def move(step: str, done: Optional[float]) -> None:
            bar.set_description(step)
            if done is not None and bar.total:
                bar.update(max(0.0, done * bar.total - bar.n))
        return move
    if callable(progress):
        return progress
    raise UsageError(f"progress is a function (step, done), True or a bar, not {progress!r}")


# Precisions by the names of types of Python and NumPy.
_PRECISIONS = {"float": "f64", "float64": "f64", "float32": "f32", "float16": "f16", "complex": "c128",
               "complex128": "c128"}


def option_text(value: Any) -> Optional[str]:
    """As the library takes it; None: it is not to be set."""
    if value is None:
        return None
    if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):  # a scalar of NumPy
        value = value.item()
    if isinstance(value, type):
        return _PRECISIONS.get(value.__name__, value.__name__)
    if hasattr(value, "itemsize") and hasattr(value, "name"):  # numpy.dtype("float32")
        return _PRECISIONS.get(value.name, str(value.name))
    if value is True or value is False:
        return "yes" if value else "no"
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return ",".join(str(v) for v in value)
    return str(value)


class Handle:
    """One analysis. Ctrl-C, and whatever the progress function raises, cancels it and is raised again."""

    def __init__(self, options: Dict[str, Any], progress: Progress = None) -> None:
        lib, ffi = library.lib, library.ffi
        self._progress = progress_function(progress)
        self._raised: Optional[BaseException] = None
        self.pointer = ffi.gc(lib.spmodel_new(), lib.spmodel_free)
        if not self.pointer:
            raise MemoryError("no memory for a handle of spmodel")
        self._callback = ffi.callback("spmodel_progress", self._on_progress, error=1, onerror=self._on_error)
        lib.spmodel_on_progress(self.pointer, self._callback, ffi.NULL)
        for name, value in options.items():
            self.set(name, value)

    def set(self, name: str, value: Any) -> None:
        text = option_text(value)
        if text is not None:
            self.check(library.lib.spmodel_set(self.pointer, bytes_of(name.replace("_", "-")), bytes_of(text)))

    def _on_progress(self, _context: Any, step: Any, done: float) -> int:
        if self._progress:
            self._progress(text_of(step) or "", None if done < 0 else done)
        return 0

    def _on_error(self, _type: Any, raised: BaseException, _traceback: Any) -> None:
        self._raised = self._raised or raised

    def status_of(self, function: Any, *arguments: Any) -> int:
        """The status that it returns, raising what was raised meanwhile."""
        status: int = function(self.pointer, *arguments)
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        return status

    @property
    def message(self) -> str:
        return text_of(library.lib.spmodel_message(self.pointer)) or ""

    def check(self, status: int) -> None:
        if status:
            raise error_of(status, self.message)
