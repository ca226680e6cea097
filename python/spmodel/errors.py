"""What can go wrong: one class for each status of the library, with the remedy that it names. The name of a file that
is no str, bytes or path raises TypeError, as open() does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Dict, Optional, Type

if TYPE_CHECKING:
    from .result import Result


class Error(Exception):
    """`str(e)` is what is wrong and the remedy; `e.remedy` the latter alone, "" where there is none."""

    status = 7

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.what}\n  remedy: {self.remedy}" if self.remedy else self.what


class CheckFailed(Error):
    """A check was made, and the answer is no."""

    status = 1


class UsageError(Error, ValueError):
    """An option or argument makes no sense."""

    status = 2


class InputError(Error, ValueError):
    """The matrix or a file cannot be used."""

    status = 3


class AbsentError(Error):
    """Something is missing or not permitted."""

    status = 4


class UndecidedError(Error):
    """Too few samples, or too noisy."""

    status = 5


class WrongResult(Error):
    """The kernel's result differs from the reference, or the kernel failed. `e.result` says by how much."""

    status = 6

    def __init__(self, what: str, remedy: str = "", result: Optional["Result"] = None) -> None:
        super().__init__(what, remedy)
        self.result = result


class BugError(Error):
    """A bug in the library: please report it."""

    status = 7


class Cancelled(Error):
    """By the progress callback, which may raise it."""

    status = 130

    def __init__(self, what: str = "cancelled", remedy: str = "") -> None:
        super().__init__(what, remedy)


class Remark(UserWarning):
    """A matrix was converted before it was analysed."""


BY_STATUS: Dict[int, Type[Error]] = {
    c.status: c for c in (CheckFailed, UsageError, InputError, AbsentError, UndecidedError, WrongResult, BugError,
                          Cancelled)
}


def as_arguments(text: str) -> str:
    """Options are arguments here; in quotes, and in a command of the shell, they stay what they are."""
    said, command, rest = re.split(r"(\b(?:spmodel|mpirun) |$)", text, maxsplit=1)
    return re.sub(r"('[^']*'|`[^`]*`)|(?<![\w-])--([a-z][a-z0-9-]*)",
                  lambda found: found[1] or found[2].replace("-", "_"), said) + command + rest


def error_of(status: int, message: str) -> Error:
    """The exception for a status and what spmodel_message() says."""
    what, remedy = (as_arguments(part) for part in (message + "\n  remedy: ").split("\n  remedy: ")[:2])
    return BY_STATUS.get(status, BugError)(what or f"status {status}", remedy)
