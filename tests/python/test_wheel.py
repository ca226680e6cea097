"""The wheel: what is in it, and that it works from another place, alone."""

import base64
import csv
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile

from check import Skip, main

SOURCE, BUILD = os.environ["SP_TEST_SOURCE"], os.environ["SP_TEST_BUILD"]


def make(*options):
    ran = subprocess.run([sys.executable, os.path.join(SOURCE, "python", "backend.py"), "--out", "wheels", *options],
                         capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip().splitlines()[-1]


def run(folder, code, **more):
    env = {k: v for k, v in os.environ.items() if k not in ("SPMODEL_LIBRARY", "PYTHONPATH")}
    return subprocess.run([sys.executable, "-c", code], env=dict(env, PYTHONPATH=folder, **more), capture_output=True,
                          text=True)


def test_wheel_is_whole_and_works_alone():
    wheel = make("--build", BUILD)
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        debug = [n for n in names if n.split("/")[-1].startswith("libspmodel.so") and b".debug_info" in file.read(n)]
        assert not debug or not shutil.which("strip"), debug
        file.extractall("site a")
        record = next(n for n in names if n.endswith("/RECORD"))
        rows = list(csv.reader(file.read(record).decode().splitlines()))
        assert sorted(r[0] for r in rows) == sorted(names)
        for name, digest, size in rows:
            if name != record:
                data = file.read(name)
                right = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                assert digest == "sha256=" + right and int(size) == len(data), name
        metadata = file.read(record.replace("RECORD", "METADATA")).decode()
    assert "Name: spmodel" in metadata and "Requires-Dist: cffi" in metadata
    for end in ("spmodel/__init__.py", "spmodel/py.typed", "spmodel/spmodel.h", "spmodel/machines/a64fx.json"):
        assert any(n.endswith(end) for n in names), end
    shutil.move("site a", "moved place")
    code = ("import spmodel; print(spmodel.library_path())\n"
            "print(spmodel.analyze('gen:laplace2d:20', budget='50ms', no_hints=True, runs=1, samples=3).time)\n"
            "print(spmodel.analyze('gen:laplace2d:20', budget='50ms', no_hints=True, samples=3, machine='a64fx').time)\n")
    ran = run("moved place", code)
    assert ran.returncode == 0, ran.stderr
    assert os.path.abspath("moved place") in ran.stdout, ran.stdout


def test_one_version():
    import spmodel
    with open(os.path.join(SOURCE, "CMakeLists.txt")) as file:
        cmake = re.search(r"project\(spmodel VERSION ([\d.]+)", file.read()).group(1)
    with open(os.path.join(SOURCE, "python", "pyproject.toml")) as file:
        project = re.search(r'^version = "(.*)"', file.read(), re.M).group(1)
    assert cmake == project == spmodel.__version__ == spmodel.version()


def test_package_alone_takes_the_library_that_is_installed():
    wheel = make()
    assert wheel.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as file:
        file.extractall("pure")
    code = "import spmodel; print(spmodel.library_path())"
    ran = run("pure", code)
    if ran.returncode == 0:
        print("a library of the system:", ran.stdout.strip())
    else:
        assert "no libspmodel" in ran.stderr and "remedy" in ran.stderr, ran.stderr
    os.makedirs("prefix/lib", exist_ok=True)
    os.makedirs("prefix/bin", exist_ok=True)
    shutil.copy(os.path.join(BUILD, "libspmodel.so"), "prefix/lib/libspmodel.so.0")
    shutil.copy(os.path.join(BUILD, "spmodel"), "prefix/bin/spmodel")
    ran = run("pure", code, PATH=os.path.abspath("prefix/bin") + ":" + os.environ["PATH"])
    assert ran.returncode == 0 and os.path.abspath("prefix/lib") in ran.stdout, ran.stdout + ran.stderr
    ran = run("pure", code, LD_LIBRARY_PATH=os.path.abspath("prefix/lib"))
    assert ran.returncode == 0, ran.stderr
    ran = run("pure", code, SPMODEL_LIBRARY=os.path.join(BUILD, "libspmodel.so"))
    assert BUILD in ran.stdout, ran.stderr


def test_pip_takes_the_folder():
    ran = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", "by pip",
                          "--config-settings", "build=" + BUILD, os.path.join(SOURCE, "python")], capture_output=True, text=True)
    if "No module named pip" in ran.stderr:
        raise Skip("no pip")
    if ran.returncode and "config-settings" in ran.stderr and "no such option" in ran.stderr:
        raise Skip("this pip knows no --config-settings")
    assert ran.returncode == 0, ran.stderr
    assert [n for n in os.listdir("by pip") if n.startswith("spmodel-") and "linux" in n]


def test_hints_of_types_hold():
    if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode:
        raise Skip("no mypy")
    ran = subprocess.run([sys.executable, "-m", "mypy", "--config-file", os.path.join(SOURCE, "python", "pyproject.toml"),
                          "--cache-dir", "mypy", os.path.join(SOURCE, "python", "spmodel")], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout


if __name__ == "__main__":
    main(globals())
