"""Runs the functions test_... of a script one after the other. Skip(why) ends one of them."""

import os
import sys
import time
import traceback


def _machine():
    """The ceilings that the test this_machine measured, so that no script measures them again."""
    file = os.path.join(os.environ.get("SP_TEST_MACHINE", ""), "machine.json")
    return {"machine": file} if os.path.isabs(file) and os.path.exists(file) else {}


QUICK = dict(budget="50ms", no_hints=True, runs=1, samples=3, **_machine())


class Skip(Exception):
    pass


def raises(kind, words, function, *arguments, **options):
    """The exception of that kind, whose text has all the words."""
    try:
        function(*arguments, **options)
    except kind as error:
        missing = [w for w in words if w not in str(error)]
        assert not missing, f"{missing} missing in: {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def main(names):
    """Those of the module that are named on the command line, or all."""
    wanted = sys.argv[1:]
    failed = 0
    os.environ.setdefault("SPMODEL_ASSUME", "clean")
    for name, function in list(names.items()):
        if not name.startswith("test_") or (wanted and name not in wanted):
            continue
        start = time.perf_counter()
        try:
            function()
            said = "passed"
        except Skip as why:
            said = f"SKIPPED: {why}"
        except BaseException:
            traceback.print_exc()
            said = "FAILED"
            failed += 1
        print(f"{name}: {said} ({time.perf_counter() - start:.1f} s)", flush=True)
    sys.exit(1 if failed else 0)
