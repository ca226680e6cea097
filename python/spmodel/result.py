"""What an analysis gave."""

from __future__ import annotations

import html
import itertools
import json
import math
import os
import re
import tempfile
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

from ._library import library, text_of
from .errors import AbsentError, BugError, UsageError, error_of

_count = itertools.count(1)


class Value(float):
    """A number with its interval and where it is from; NaN where it is not known: `why` says why."""

    lo: float
    hi: float
    origin: str
    why: str
    unit: str

    def __new__(cls, value: float, lo: float, hi: float, origin: str, why: str, unit: str) -> "Value":
        self = super().__new__(cls, value)
        self.lo, self.hi, self.origin, self.why, self.unit = lo, hi, origin, why, unit
        return self

    def __getnewargs__(self) -> Any:
        return (float(self), self.lo, self.hi, self.origin, self.why, self.unit)

    @property
    def value(self) -> float:
        return float(self)

    @property
    def known(self) -> bool:
        return not math.isnan(self)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __str__(self) -> str:
        if not self.known:
            return "not known: " + self.why
        unit = "" if self.unit == "1" else " " + self.unit
        interval = f" ({self.lo:.4g} … {self.hi:.4g})" if self.lo < self.hi else ""
        return f"{float(self):.4g}{unit}{interval} {self.origin}"

    __repr__ = __str__


class Lines(Dict[str, Any]):
    """The verdict: its parts as the record has them; str() is the six lines."""

    def __init__(self, parts: Dict[str, Any], text: str) -> None:
        super().__init__(parts)
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


def table(rows: Sequence[Dict[str, Any]], columns: Optional[Sequence[str]] = None) -> Any:
    """A pandas DataFrame where there is pandas, with these columns also without rows; else the list."""
    try:
        import pandas
    except ImportError:
        return list(rows)
    return pandas.DataFrame(list(rows), columns=None if rows else columns)


class Plot:
    """A plot as SVG: notebooks show it, str() is its text, save() writes it."""

    def __init__(self, name: str, svg: str) -> None:
        self.name, self.svg = name, svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<spmodel.Plot {self.name}>"

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)


def plots_of(page: str) -> Dict[str, str]:
    """The plots of a page of HTML by their names. Each can stand alone, and beside others in one notebook."""
    rules = "".join(line for line in page.splitlines() if re.match(r"\.plot [^{]*\{[^{}]*\}$", line))
    found = {}
    for svg in re.findall(r"<svg\b.*?</svg>", page, re.S):
        head = re.match(r"<svg\b[^>]*\bid=\"(\w+)-plot-([\w-]+)\"[^>]*>", svg)
        if head:
            own = svg.replace(f"{head.group(1)}-plot-", f"sp{next(_count)}-plot-")
            end = own.index(">") + 1
            start = re.sub(r' style="[^"]*"', ' style="background:#fff;max-width:100%;height:auto"', own[:end])
            found[head.group(2)] = f"{start}<style>{rules}</style>{own[end:]}"
    return found


_NUMBERS = {  # of the class: of the header, unit
    "time": ("TIME_S", "s"), "model_time": ("MODEL_TIME_S", "s"), "performance": ("FLOP_S", "flop/s"),
    "bytes": ("BYTES_B", "B"), "bandwidth": ("BANDWIDTH_BPS", "B/s"), "roof": ("ROOF_BPS", "B/s"),
    "fraction": ("FRACTION", "1"), "alpha": ("ALPHA", "1"), "balance": ("BALANCE_BPF", "B/flop"),
    "imbalance": ("IMBALANCE", "1"),
}


class Result:
    """A result: numbers, texts, page and plots of one record."""

    def __init__(self, pointer: Any, remarks: Iterable[str] = ()) -> None:
        self._pointer = library.ffi.gc(pointer, library.lib.spmodel_result_free)
        self.remarks = list(remarks)  # how the matrix was converted
        self._record: Optional[Dict[str, Any]] = None

    def __reduce__(self) -> Any:
        """For pickle and copy: the record is all of it."""
        return _of_record, (self.text(library.lib.SPMODEL_JSON), self.remarks)

    def text(self, form: int) -> str:
        text = text_of(library.lib.spmodel_text(self._pointer, form))
        if text is None:
            raise AbsentError("this result has no such text")
        return text

    def number(self, name: str) -> Value:
        """One of time, model_time, performance, bytes, bandwidth, roof, fraction, alpha, balance, imbalance."""
        if name not in _NUMBERS:
            raise UsageError(f"there is no number '{name}': " + ", ".join(_NUMBERS))
        ffi, lib = library.ffi, library.lib
        code, unit = _NUMBERS[name]
        v = ffi.new("struct spmodel_value *", {"size": ffi.sizeof("struct spmodel_value")})
        status = lib.spmodel_number(self._pointer, getattr(lib, "SPMODEL_" + code), v)
        if status:
            raise error_of(status, f"the library knows no number '{name}'")
        return Value(v.value, v.lo, v.hi, text_of(v.origin) or "unknown", text_of(v.why) or "", unit)

    @property
    def time(self) -> Value:
        """Of an execution."""
        return self.number("time")

    @property
    def model_time(self) -> Value:
        """That the model expects."""
        return self.number("model_time")

    @property
    def performance(self) -> Value:
        return self.number("performance")

    @property
    def bytes(self) -> Value:
        """That an execution moves at the level that holds the data."""
        return self.number("bytes")

    @property
    def bandwidth(self) -> Value:
        """Reached."""
        return self.number("bandwidth")

    @property
    def roof(self) -> Value:
        """Measured on the same arrays."""
        return self.number("roof")

    @property
    def fraction(self) -> Value:
        """Of the roof."""
        return self.number("fraction")

    @property
    def alpha(self) -> Value:
        """How often an element of x is loaded, a nonzero."""
        return self.number("alpha")

    @property
    def balance(self) -> Value:
        return self.number("balance")

    @property
    def imbalance(self) -> Value:
        """Longest over mean busy time of the threads."""
        return self.number("imbalance")

    @property
    def record(self) -> Dict[str, Any]:
        """All that is known (docs/record.schema.json)."""
        if self._record is None:
            self._record = json.loads(self.text(library.lib.SPMODEL_JSON))
        return self._record

    @property
    def verdict(self) -> Lines:
        return Lines(self.record.get("verdict") or {}, self.text(library.lib.SPMODEL_VERDICT))

    @property
    def hints(self) -> Any:
        """What to do, best first, with the call that tries it: a DataFrame where there is pandas."""
        rows = []
        for h in self.record.get("hints") or []:
            gain = h.get("gain") or {}
            rows.append({"id": h.get("id"), "title": h.get("title"), "gain_lo": gain.get("lo"),
                         "gain_hi": gain.get("hi"), "basis": gain.get("basis"), "confidence": h.get("confidence"),
                         "evidence": h.get("evidence"), "options": options_of_change(h.get("change")),
                         "try": h.get("try")})
        return table(rows, ("id", "title", "gain_lo", "gain_hi", "basis", "confidence", "evidence", "options", "try"))

    @property
    def losses(self) -> Any:
        """Parts of the time of an execution [s]: a DataFrame where there is pandas."""
        total = float(self.time)
        return table([{"part": name, "time_s": t, "share": t / total if t is not None and total > 0 else None}
                      for name, t in (self.record.get("losses") or {}).items()], ("part", "time_s", "share"))

    @property
    def report(self) -> str:
        return self.text(library.lib.SPMODEL_REPORT)

    @property
    def full(self) -> str:
        """All that is known, as text."""
        return self.text(library.lib.SPMODEL_FULL)

    @property
    def html(self) -> str:
        """A page that needs no other file."""
        return self.text(library.lib.SPMODEL_HTML)

    def __str__(self) -> str:
        return self.report.rstrip("\n")

    def __repr__(self) -> str:
        subject = ((self.record.get("verdict") or {}).get("subject") or {}).get("short", "result")
        return f"<spmodel.Result {subject}: {self.time}>"

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html, quote=True)}" title="report of spmodel" loading="lazy" '
                'style="width:100%;height:42em;border:1px solid #8888;border-radius:4px"></iframe>')

    @property
    def plots(self) -> List[str]:
        """Names that plot() takes."""
        return list(plots_of(self.html))

    def plot(self, name: str = "roofline") -> Plot:
        """A plot of the page. gnuplot draws them."""
        found = plots_of(self.html)
        if not found:
            raise AbsentError("no plots could be drawn", "install gnuplot")
        if name not in found:
            raise UsageError(f"this result has no plot '{name}'", "one of " + ", ".join(found))
        return Plot(name, found[name])

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the record (.json), the page (.html) or the report (.txt)."""
        lib = library.lib
        forms = {".json": lib.SPMODEL_JSON, ".html": lib.SPMODEL_HTML, ".txt": lib.SPMODEL_FULL}
        form = forms.get(os.path.splitext(os.fspath(path))[1].lower())
        if form is None:
            raise UsageError(f"{os.fspath(path)}: its ending does not say what is to be written",
                             "one of " + ", ".join(forms))
        text = self.text(form)
        part = f"{os.fspath(path)}.{os.getpid()}.part"
        try:
            with open(part, "w", encoding="utf-8") as file:
                file.write(text if text.endswith("\n") else text + "\n")
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.remove(part)


def _of_record(text: str, remarks: Sequence[str]) -> Result:
    from ._analyses import read_record

    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json") as file:
        file.write(text)
        file.flush()
        result = read_record(file.name)
    result.remarks = list(remarks)
    return result


def options_of_change(change: Optional[str]) -> Optional[Dict[str, Any]]:
    """What analyze() takes for "--format sell:8,64 --no-pin"; None where it is not made of options."""
    words = (change or "").split()
    options: Dict[str, Any] = {}
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            return None
        name, is_one, value = word[2:].partition("=")
        if not is_one and words and not words[0].startswith("--"):
            value, is_one = words.pop(0), "="
        options[name.replace("-", "_")] = value if is_one else True
    return options or None


class Model(Dict[str, Any]):
    """What the model says without a run: the object of `spmodel model --json`, a prediction a format."""

    def __init__(self, text: str, remarks: Iterable[str] = ()) -> None:
        super().__init__(json.loads(text))
        self.remarks = list(remarks)

    @property
    def predictions(self) -> Any:
        """A row a prediction, values alone: a DataFrame where there is pandas."""
        return table([{name: value.get("value") if isinstance(value, dict) and "origin" in value else value
                       for name, value in p.items() if not (isinstance(value, dict) and "origin" not in value)}
                      for p in self.get("predictions", [])])

    @property
    def best(self) -> Dict[str, Any]:
        """The prediction that the model prefers."""
        found = [p for p in self.get("predictions", []) if p.get("best")] or self.get("predictions", [])
        if not found:
            raise BugError("the model predicts nothing")
        return dict(found[0])

    def _value(self, name: str) -> Value:
        v = self.best.get(name) or {}
        nan = float("nan")
        value = v.get("value")
        value = nan if value is None else value
        return Value(value, v.get("lo", nan), v.get("hi", nan), v.get("origin", "unknown"), v.get("why", ""),
                     v.get("unit", "1"))

    @property
    def time(self) -> Value:
        return self._value("time")

    @property
    def alpha(self) -> Value:
        return self._value("alpha")

    @property
    def bytes(self) -> Value:
        return self._value("bytes")

    @property
    def balance(self) -> Value:
        return self._value("balance")

    @property
    def roof(self) -> Value:
        return self._value("roof")

    @property
    def performance(self) -> Value:
        return self._value("performance")

    def __str__(self) -> str:
        lines = [f"{'machine':<18} {'format':<14} {'time':>12}  bound by"]
        for p in self.get("predictions", []):
            t = (p.get("time") or {}).get("value")
            time = "not known" if t is None else f"{1e6 * t:.4g} us"
            lines.append(f"{p.get('machine', ''):<18} {p.get('format', ''):<14} {time:>12}  {p.get('bound_by', '')}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"
