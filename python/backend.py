"""Builds the wheel (PEP 517) with nothing but CMake: libspmodel and its data stand inside, as `cmake --install` lays them.

    pip install ./python                                  configures and builds the library first
    pip install ./python -C library=no                    the package alone, for a library that is installed
    pip install ./python -C build=/path/to/build          of a build that is there
    python3 python/backend.py --build BUILD --out FOLDER  as the target python_wheel does
"""

import argparse
import base64
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)


def _project():
    """Name, version and what else METADATA takes of pyproject.toml: plain lines, read without a parser of TOML."""
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        text = file.read()
    one = {key: re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)
           for key in ("name", "version", "description", "requires-python")}
    one["dependencies"] = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]", text, re.M).group(1))
    one["extras"] = {extra: re.findall(r'"([^"]+)"', names) for extra, names in
                     re.findall(r"^(\w+) = \[(.*)\]", text.split("[project.optional-dependencies]")[1].split("\n[")[0], re.M)}
    return one


def _metadata(p):
    lines = ["Metadata-Version: 2.1", f"Name: {p['name']}", f"Version: {p['version']}", f"Summary: {p['description']}",
             f"Requires-Python: {p['requires-python']}", "Description-Content-Type: text/markdown"]
    lines += [f"Requires-Dist: {d}" for d in p["dependencies"]]
    for extra, names in p["extras"].items():
        lines += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {n}; extra == '{extra}'" for n in names]
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as file:
        return "\n".join(lines) + "\n\n" + file.read()


def _build(folder):
    """A build of the library alone."""
    configure = ["cmake", "-S", SOURCE, "-B", folder, "-DSP_TESTS=OFF", "-DSP_BENCH=OFF", "-DSP_EXAMPLES=OFF"]
    subprocess.run(configure, check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", str(len(os.sched_getaffinity(0)))], check=True)


def _installed(build, stage):
    """What belongs into the wheel of an installed tree, from its root: {name in the tree: file}."""
    subprocess.run(["cmake", "--install", build, "--prefix", stage], check=True, stdout=subprocess.DEVNULL)
    found = {}
    for folder, _, names in os.walk(stage):
        for name in names:
            path = os.path.join(folder, name)
            place = os.path.relpath(path, stage)
            is_library = re.match(r"libspmodel\.so\.\d+$", name)
            is_module = re.match(r"libspmodel-cuda\S*\.so$", name)
            is_data = re.search(r"/spmodel/machines/", place)
            is_code = is_library or is_module or name == "spmodel-counters"
            if is_code or is_data:
                found[place] = os.path.realpath(path)
            if is_code and shutil.which("strip"):  # three quarters of it; names stay, which records' hashes of kernels need
                subprocess.run(["strip", "--strip-debug", found[place]], check=False, stderr=subprocess.DEVNULL)
    if not any(os.path.basename(place).startswith("libspmodel.so.") for place in found):
        raise SystemExit(f"backend.py: {build} installs no libspmodel.so")
    return found


def _wheel(tag, is_pure):
    return f"Wheel-Version: 1.0\nGenerator: spmodel\nRoot-Is-Purelib: {str(is_pure).lower()}\nTag: {tag}\n"


def _tag(has_library):
    platform = "linux_" + sysconfig.get_platform().split("-")[-1].replace(".", "_")
    return f"py3-none-{platform if has_library else 'any'}"


def _contents(build, stage):
    package = os.path.join(HERE, "spmodel")
    files = {"spmodel/" + os.path.basename(path): path for path in sorted(glob.glob(os.path.join(package, "*.py")))}
    files["spmodel/py.typed"] = os.path.join(package, "py.typed")
    files["spmodel/spmodel.h"] = os.path.join(SOURCE, "include", "spmodel.h")
    if build:
        files.update({"spmodel/_native/" + place: path for place, path in sorted(_installed(build, stage).items())})
    return files


def make_wheel(build, out):
    """Writes the wheel into the folder `out` and returns its name. build None: without the library."""
    p = _project()
    tag = _tag(build)
    name = f"{p['name']}-{p['version']}-{tag}.whl"
    info = f"{p['name']}-{p['version']}.dist-info"
    record = []
    os.makedirs(out, exist_ok=True)
    stage = tempfile.mkdtemp()
    try:
        with zipfile.ZipFile(os.path.join(out, name), "w", zipfile.ZIP_DEFLATED) as wheel:

            def add(place, data, mode=0o644):
                entry = zipfile.ZipInfo(place, (2020, 1, 1, 0, 0, 0))
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                wheel.writestr(entry, data)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                record.append(f"{place},sha256={digest},{len(data)}")

            for place, path in _contents(build, stage).items():
                with open(path, "rb") as file:
                    add(place, file.read(), 0o755 if os.access(path, os.X_OK) else 0o644)
            add(f"{info}/METADATA", _metadata(p).encode())
            with open(os.path.join(SOURCE, "LICENSE"), "rb") as file:
                add(f"{info}/licenses/LICENSE", file.read())
            add(f"{info}/WHEEL", _wheel(tag, not build).encode())
            record.append(f"{info}/RECORD,,")
            add(f"{info}/RECORD", ("\n".join(record) + "\n").encode())
    finally:
        shutil.rmtree(stage)
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    p = _project()
    info = f"{p['name']}-{p['version']}.dist-info"
    has_library = (config_settings or {}).get("library") != "no"
    os.makedirs(os.path.join(metadata_directory, info))
    for name, text in (("METADATA", _metadata(p)), ("WHEEL", _wheel(_tag(has_library), not has_library))):
        with open(os.path.join(metadata_directory, info, name), "w", encoding="utf-8") as file:
            file.write(text)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = config_settings or {}
    if settings.get("library") == "no":
        return make_wheel(None, wheel_directory)
    if settings.get("build"):
        return make_wheel(settings["build"], wheel_directory)
    with tempfile.TemporaryDirectory() as folder:
        _build(folder)
        return make_wheel(folder, wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("backend.py: the source is the whole checkout, which this folder is a part of; build a wheel")


def main():
    parser = argparse.ArgumentParser(description="Builds the wheel of a build of spmodel that is there.")
    parser.add_argument("--build", help="build folder of CMake; without it the wheel has no library")
    parser.add_argument("--out", required=True, help="folder for the wheel")
    arguments = parser.parse_args()
    print(os.path.join(arguments.out, make_wheel(arguments.build, arguments.out)))


if __name__ == "__main__":
    main()
