"""commprof for Spack: `spack repo add packaging/spack`, then `spack install commprof ^openmpi`. docs/installing.md says more."""
import os

from spack.package import *


class Commprof(CMakePackage):
    """A profiler for MPI programs that attributes time, calls and bytes to communicators. It is preloaded: programs need not be
    compiled or linked anew."""

    # The clone that this file is in.
    git = "file://" + os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))

    license("BSD-3-Clause")

    version("main", branch="main")
    version("1.0.0", tag="v1.0.0")

    variant("tools", default=True, description="Build what reads profiles: without, the library needs libc and the MPI alone")
    variant("network", default=True, description="Build links and placement, which need Scotch", when="+tools")
    variant("report", default=False, description="Build the page of `mpisee-through report`, which npm fetches a library for",
            when="+tools")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("mpi@3:")
    depends_on("fmt@9:")
    with when("+tools"):
        depends_on("cli11", type="build")
        depends_on("nlohmann-json", type="build")
        depends_on("boost@1.74:", type="build")
        depends_on("help2man", type="build")
        depends_on("npm", type="build", when="+report")
        depends_on("libarchive")
        depends_on("tbb")
        depends_on("intel-oneapi-tbb@2021:", when="^[virtuals=tbb] intel-oneapi-tbb")
        depends_on("elfutils")
        depends_on("scotch~mpi", when="+network")

    conflicts("%gcc@:9", msg="commprof needs C++20")
    conflicts("platform=darwin", msg="commprof interposes functions as the dynamic linker of Linux does")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define("COMMPROF_MPIS", self.spec["mpi"].mpicxx),
            self.define("BUILD_TESTING", False),
            self.define_from_variant("COMMPROF_TOOLS", "tools"),
            self.define_from_variant("COMMPROF_NETWORK", "network"),
            self.define("COMMPROF_REPORT", "ON" if self.spec.satisfies("+report") else "OFF"),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("LD_LIBRARY_PATH", self.prefix.lib)

    @run_after("install")
    def keep_example(self):
        cache_extra_test_sources(self, "examples/grid.c")

    def test_profile(self):
        """an example is profiled"""
        source = join_path(self.test_suite.current_test_cache_dir, "examples", "grid.c")
        Executable(self.spec["mpi"].mpicc)(source, "-o", "grid")
        mpirun = which("mpirun", "mpiexec", path=self.spec["mpi"].prefix.bin)
        library = join_path(self.prefix.lib, "libcommprof.so")
        with working_dir("."), set_env(COMMPROF_OUTPUT="profile"):
            mpirun("-n", "2", "env", f"LD_PRELOAD={library}", "./grid")
        with open(join_path("profile", "operations.csv")) as rows:
            assert any(",Allreduce," in row for row in rows)

    def test_tool(self):  # @when would hide it: Spack looks for functions
        """the tool tells its version"""
        if self.spec.satisfies("~tools"):
            raise SkipTest("there is no tool")
        tool = which(self.prefix.bin.join("mpisee-through"))
        assert str(self.spec.version) in tool("--version", output=str.split) or self.spec.satisfies("@main")
