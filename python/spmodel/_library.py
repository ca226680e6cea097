"""libspmodel: found, and declared as include/spmodel.h declares it."""

from __future__ import annotations

import ctypes.util
import glob
import os
import re
import shutil
import sys
import threading
from typing import Any, List, Optional, Tuple, Union

import cffi

from .errors import AbsentError, UsageError

_HERE = os.path.dirname(os.path.abspath(__file__))
_CHECKOUT = os.path.dirname(os.path.dirname(_HERE))


def header_path() -> str:
    """The spmodel.h that the declarations are made of: beside this file, or of the checkout that it is in."""
    own = os.path.join(_HERE, "spmodel.h")
    return own if os.path.exists(own) else os.path.join(_CHECKOUT, "include", "spmodel.h")


def declarations(header: str) -> str:
    """What cffi takes of the text of spmodel.h: all but comments, conditions and the braces of extern "C"."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
    kept = [line for line in text.splitlines() if line.strip()
            and (not line.startswith("#") or re.match(r"#define \w+ +\d+$", line))]
    return "\n".join(kept)


def candidates() -> List[str]:
    """Where the library may be, best first. Of SPMODEL_LIBRARY nothing else is tried."""
    named = os.environ.get("SPMODEL_LIBRARY")
    if named:
        return [named]
    found = sorted(glob.glob(os.path.join(_HERE, "_native", "**", "libspmodel.so*"), recursive=True))
    if os.path.exists(os.path.join(_CHECKOUT, "include", "spmodel.h")):
        found += glob.glob(os.path.join(_CHECKOUT, "build", "libspmodel.so"))
    program = shutil.which("spmodel")
    prefixes = [sys.prefix] + ([os.path.dirname(os.path.dirname(os.path.realpath(program)))] if program else [])
    for prefix in prefixes:
        for folder in ("lib", "lib64", os.path.join("lib", "*-linux-gnu")):
            found += sorted(glob.glob(os.path.join(prefix, folder, "libspmodel.so.0")))
    found.append("libspmodel.so.0")
    by_name = ctypes.util.find_library("spmodel")
    return found + ([by_name] if by_name and by_name not in found else [])


def _open(ffi: Any) -> Tuple[Any, str]:
    why = []
    for path in candidates():
        try:
            lib = ffi.dlopen(path)
            version = ffi.string(lib.spmodel_version()).decode()
        except (OSError, AttributeError) as error:
            why.append(str(error))
            continue
        wanted = f"{lib.SPMODEL_VERSION_MAJOR}.{lib.SPMODEL_VERSION_MINOR}."
        if version.startswith(wanted):
            return lib, path
        why.append(f"{path}: version {version}, and this package is for {wanted}x")
    raise AbsentError("no libspmodel: " + "; ".join(why),
                      "cmake --install the library, or SPMODEL_LIBRARY=/path/to/libspmodel.so")


class _Library:
    """Opened when it is asked for, so that `import spmodel` always works."""

    def __init__(self) -> None:
        self._ffi: Any = None
        self._lib: Any = None
        self._path = ""
        self._lock = threading.Lock()

    def _load(self) -> None:
        with self._lock:
            if self._lib is None:
                ffi = cffi.FFI()  # takes declarations once: each attempt has its own
                try:
                    with open(header_path(), encoding="utf-8") as file:
                        ffi.cdef(declarations(file.read()))
                except FileNotFoundError:
                    raise AbsentError(f"there is no {header_path()}", "pip install the package anew") from None
                lib, self._path = _open(ffi)
                self._ffi, self._lib = ffi, lib

    @property
    def lib(self) -> Any:
        if self._lib is None:
            self._load()
        return self._lib

    @property
    def ffi(self) -> Any:
        self.lib  # noqa: B018
        return self._ffi

    @property
    def path(self) -> str:
        self.lib  # noqa: B018
        return self._path


library = _Library()


def text_of(pointer: Any) -> Optional[str]:
    """A string of C; None of NULL."""
    return library.ffi.string(pointer).decode("utf-8", "replace") if pointer else None


def bytes_of(text: Union[str, bytes, "os.PathLike[Any]"]) -> bytes:
    """A string for C. Names of files that are no UTF-8 stay what they are on the disk."""
    text = os.fsdecode(text)
    try:
        if "\0" not in text:
            return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        pass
    raise UsageError(f"{text!r} has characters that no name has: a zero, or half of a surrogate pair")
