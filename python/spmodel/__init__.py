"""spmodel: how fast a sparse kernel could run, how fast it does run, where the rest of the time goes, and what to do.

    import scipy.sparse, spmodel
    A = scipy.sparse.random_array((100_000, 100_000), density=1e-4, format="csr")
    r = spmodel.analyze(A)
    print(r)             # the report; a notebook shows the page of `r`
    r.fraction, r.hints  # numbers with interval and origin; hints as a table
"""

from ._analyses import analyze, explain, library_path, model, read, read_record, read_records, version
from ._products import Attached, Report, attach_scipy
from .errors import (AbsentError, BugError, Cancelled, CheckFailed, Error, InputError, Remark, UndecidedError, UsageError,
                     WrongResult)
from .kernel import Kernel
from .result import Model, Plot, Result, Value

__version__ = "0.1.0"

__all__ = [
    "AbsentError", "Attached", "BugError", "Cancelled", "CheckFailed", "Error", "InputError", "Kernel", "Model", "Plot",
    "Remark", "Report", "Result", "UndecidedError", "UsageError", "Value", "WrongResult", "analyze", "attach_scipy",
    "explain", "library_path", "model", "read", "read_record", "read_records", "version",
]
