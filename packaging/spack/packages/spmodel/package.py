# Recipe for Spack, in a repository of its own (docs/install.md):
#
#   spack repo add packaging/spack
#   spack install spmodel +cuda
#
# It clones the checkout that it lies in, so there is no archive and no checksum of one.
import os

from spack.package import *

try:  # since Spack 1.0 build systems lie in the repository of its own packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:
    pass


class Spmodel(CMakePackage):
    """Measures, models and explains the speed of sparse matrix kernels: roofline, traffic, lost time, hints."""

    git = "file://" + os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("MIT")

    version("main", branch="main")

    variant("hwloc", default=True, description="Topology and binding by hwloc, else sysfs")
    variant("libarchive", default=True, description="Compressed matrices and SuiteSparse archives")
    variant("sqlite", default=True, description="A remembered index of record stores, and track export --sqlite")
    variant("metis", default=True, description="Reorderings by graph partitioning")
    variant("scotch", default=False, description="Row partitions by Scotch")
    variant("mpi", default=False, description="Distributed SpMV, and counts of messages")
    variant("plots", default=True, description="gnuplot, which draws the pictures")
    variant("cuda", default=False, description="Kernels for GPUs, in a module of their own")
    variant("cupti", default=False, when="+cuda", description="Counters of the GPU (CUDA 12.6 and later)")
    variant("opencl", default=False, description="Kernels for OpenCL devices, in a module of their own")
    variant("rocm", default=False, description="Kernels for GPUs of AMD by hipcc, never run there")
    variant("likwid", default=False, description="Counts bytes with LIKWID, which is opened at run time")
    variant("papi", default=False, description="Counts bytes with PAPI, which is opened at run time")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cxx", type="build", when="+opencl")
    depends_on("cmake@3.18:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("jansson")
    depends_on("hwloc", when="+hwloc")
    depends_on("libarchive", when="+libarchive")
    depends_on("sqlite", when="+sqlite")
    depends_on("metis", when="+metis")
    depends_on("scotch", when="+scotch")
    depends_on("mpi", when="+mpi")
    depends_on("gnuplot", type="run", when="+plots")
    depends_on("cuda", when="+cuda")
    depends_on("cuda@12.6:", when="+cupti")
    depends_on("llvm@14: +clang", type="build", when="+opencl")
    depends_on("opencl-c-headers", when="+opencl")
    depends_on("hip", when="+rocm")
    depends_on("likwid", type="run", when="+likwid")
    depends_on("papi", type="run", when="+papi")
    depends_on("check", type="test")

    def cmake_args(self):
        args = [
            self.define_from_variant("SP_WITH_HWLOC", "hwloc"),
            self.define_from_variant("SP_WITH_LIBARCHIVE", "libarchive"),
            self.define_from_variant("SP_WITH_SQLITE", "sqlite"),
            self.define_from_variant("SP_WITH_METIS", "metis"),
            self.define_from_variant("SP_WITH_SCOTCH", "scotch"),
            self.define_from_variant("SP_WITH_MPI", "mpi"),
            self.define_from_variant("SP_WITH_CUDA", "cuda"),
            self.define("SP_WITH_CUPTI", self.spec.satisfies("+cupti")),
            self.define_from_variant("SP_WITH_OPENCL", "opencl"),
            self.define_from_variant("SP_WITH_HIP", "rocm"),
            self.define("SP_TESTS", self.run_tests),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CUDAToolkit_ROOT", self.spec["cuda"].prefix))
        return args

    def setup_run_environment(self, env):
        # The helper opens these by name where the variables do not say which file.
        if self.spec.satisfies("+likwid"):
            env.set("SPMODEL_LIKWID", join_path(self.spec["likwid"].prefix.lib, "liblikwid.so"))
        if self.spec.satisfies("+papi"):
            env.set("SPMODEL_PAPI", join_path(self.spec["papi"].prefix.lib, "libpapi.so"))
