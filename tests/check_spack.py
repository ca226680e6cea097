"""The recipe for Spack, read by a stand-in for Spack: it compiles, its options are options of the build, each of them is
decided by a variant, and what the build takes by itself has a dependency. Usage: check_spack.py RECIPE SOURCE"""
import os
import re
import sys
import types

recipe, source = sys.argv[1:]


def fail(text):
    sys.exit("check_spack.py: " + text)


said = {"variant": {}, "depends_on": [], "version": {}, "license": []}


def note(name):
    def keep(first, *rest, **words):
        kept = said[name]
        if isinstance(kept, dict):
            kept[first] = words
        else:
            kept.append((first, words))

    return keep


class Where:
    def __init__(self, path):
        self.path = path

    @property
    def lib(self):
        return Where(self.path + "/lib")

    @property
    def prefix(self):
        return self

    def __str__(self):
        return self.path


class Spec:
    def __init__(self, on):
        self.on = on

    def satisfies(self, text):
        name = text.lstrip("+~")
        if name not in said["variant"]:
            fail("asks for '%s', which is no variant" % name)
        return (name in self.on) == text.startswith("+")

    def __getitem__(self, name):
        if name not in [first.split("@")[0] for first, words in said["depends_on"]]:
            fail("uses %s without depending on it" % name)
        return Where("/opt/" + name)


class CMakePackage:
    run_tests = False

    def define(self, name, value):
        return "-D%s=%s" % (name, {True: "ON", False: "OFF"}.get(value, value))

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.satisfies("+" + variant))


spack = types.ModuleType("spack")
package = types.ModuleType("spack.package")
for name in said:
    setattr(package, name, note(name))
package.CMakePackage = CMakePackage
package.join_path = lambda *parts: "/".join(map(str, parts))
sys.modules.update({"spack": spack, "spack.package": package})

with open(recipe) as f:
    names = {"__file__": recipe, "__name__": "package"}
    exec(compile(f.read(), recipe, "exec"), names)
Spmodel = names["Spmodel"]
if not os.path.samefile(Spmodel.git[len("file://"):], source):
    fail("clones %s, not the tree that it lies in" % Spmodel.git)
if list(said["version"]) != ["main"]:
    fail("versions other than the branch: " + ", ".join(said["version"]))

text = ""
for folder, file in [("", "CMakeLists.txt")] + [("cmake", name) for name in os.listdir(os.path.join(source, "cmake"))]:
    with open(os.path.join(source, folder, file)) as f:
        text += f.read()
options = set(re.findall(r"^option\((SP_[A-Z]+)", text, re.M))
parts = {"SP_WITH_" + name for name in re.findall(r"^sp_(?:wanted|optional)\(([A-Z0-9_]+) ", text, re.M)}
foreign = {"CUDAToolkit_ROOT"}
if not parts or not options:
    fail("no options were found in the build")
used = {}
for on in [set(), set(said["variant"])]:
    one = Spmodel()
    one.spec = Spec(on)
    for argument in one.cmake_args():
        name, value = re.match(r"^-D([A-Za-z_]+)=(.+)$", argument).groups()
        if name not in options | parts | foreign:
            fail("the build has no option " + name)
        used.setdefault(name, set()).add(value)
    environment = {}
    one.setup_run_environment(types.SimpleNamespace(set=environment.__setitem__))
    if set(environment) != ({"SPMODEL_LIKWID", "SPMODEL_PAPI"} if on else set()):
        fail("sets " + ", ".join(environment))
undecided = parts - set(used) - {"SP_WITH_CUSPARSE"}  # for benchmarks, which are not installed
if undecided:
    fail("leaves to chance: " + ", ".join(sorted(undecided)))
for name in parts & set(used):
    if used[name] != {"ON", "OFF"}:
        fail("%s is %s, with all variants and with none" % (name, ", ".join(used[name])))
for first, words in said["depends_on"]:
    if "when" in words and words["when"].lstrip("+") not in said["variant"]:
        fail("%s when %s, which is no variant" % (first, words["when"]))
print("check_spack.py: %d variants decide %d options" % (len(said["variant"]), len(used)))
