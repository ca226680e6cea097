"""Examples and what README.md of the package shows. Numbers of rows are made small; what is typed stays."""

import json
import os
import re
import subprocess
import sys

from check import QUICK, Skip, main
from spmodel._library import library

SOURCE = os.environ["SP_TEST_SOURCE"]
EXAMPLES = os.path.join(SOURCE, "examples")
SMALL = [(r"shape=\(200, 200\)", "shape=(40, 40)"), (r"side = 300", "side = 40"), (r"shape=\(300, 300\)", "shape=(40, 40)"),
         (r"maxiter=200", "maxiter=20")]
QUICK.pop("no_hints")
SHORT = ("import spmodel as _s, functools as _f\n"
         "for _n in ('analyze', 'explain'):\n"
         f"    setattr(_s, _n, _f.partial(getattr(_s, _n), **{QUICK}))\n"
         "_r = _s.Attached.report\n"
         f"_s.Attached.report = lambda self, **o: _r(self, **{{**{QUICK}, **o}})\n")


def small(text):
    for left, right in SMALL:
        text = re.sub(left, right, text)
    return text


def run(text):
    ran = subprocess.run([sys.executable, "-c", SHORT + small(text)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def can(text):
    """What this library lacks is left out."""
    return "spmodel.model(" not in text or hasattr(library.lib, "spmodel_model")


def cells():
    with open(os.path.join(EXAMPLES, "notebook.ipynb"), encoding="utf-8") as file:
        book = json.load(file)
    assert all(not c.get("outputs") and c.get("execution_count") is None for c in book["cells"]), "it holds outputs"
    return ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "code" and can("".join(c["source"]))]


def test_own_matrix():
    with open(os.path.join(EXAMPLES, "own_matrix.py"), encoding="utf-8") as file:
        text = file.read()
    assert len(text.splitlines()) <= 15
    said = run(text)
    for words in ("laplacian", "possible", "reached", "trust"):
        assert words in said, said


def jupyter():
    """Its modules; raises ImportError where they are not all here."""
    import ipykernel  # noqa: F401
    import nbclient
    import nbformat
    return nbclient, nbformat


def test_cells_of_the_notebook():
    """As a notebook does it: the last expression of each cell is shown."""
    try:
        jupyter()
    except ImportError as error:
        print(f"no Jupyter ({error}): the cells are run without")
    else:
        raise Skip("Jupyter is here and runs them")
    lines = ["import ast", "space = {}", "def cell(text):", "    tree = ast.parse(text)",
             "    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None",
             "    exec(compile(tree, 'cell', 'exec'), space)",
             "    shown = eval(compile(ast.Expression(last.value), 'cell', 'eval'), space) if last else None",
             "    for name in ('_repr_html_', '_repr_svg_'):",
             "        if hasattr(shown, name): assert getattr(shown, name)()",
             "    print(repr(shown)[:200])"]
    said = run("\n".join(lines + [f"cell({small(text)!r})" for text in cells()]))
    for words in ("laplacian", "csr_matvec", "csr_matvecs", "% of the time"):
        assert words in said, said


def test_notebook_in_jupyter():
    try:
        nbclient, nbformat = jupyter()
    except ImportError as error:
        raise Skip(f"{error}; its cells were run without Jupyter") from None
    book = nbformat.read(os.path.join(EXAMPLES, "notebook.ipynb"), as_version=4)
    nbformat.validate(book)
    for cell in book.cells:
        cell.source = small(cell.source)
    book.cells = [cell for cell in book.cells if can(cell.source)]
    book.cells.insert(0, nbformat.v4.new_code_cell(SHORT))
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    kinds = {kind for cell in book.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert "text/html" in kinds, kinds
    with open("executed.ipynb", "w", encoding="utf-8") as file:
        nbformat.write(book, file)


def test_readme():
    with open(os.path.join(SOURCE, "python", "README.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    assert len(blocks) == 3
    own = "\n".join(line for line in blocks[1].splitlines() if "libmine" not in line)
    said = run("\n".join([blocks[0], own, blocks[2]]))
    assert "csr_matvec" in said and os.path.getsize("report.html") > 1000


def test_readme_of_the_project():
    """What README.md shows in Python, over a small matrix of that name."""
    from scipy.io import mmwrite
    from scipy.sparse import random
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
    if not blocks:
        raise Skip("README.md shows no Python")
    for block in blocks:
        for name in re.findall(r"[\w./-]+\.mtx\b", block):
            mmwrite(name, random(300, 300, 0.05))
        assert "possible" in run(block)


if __name__ == "__main__":
    main(globals())
