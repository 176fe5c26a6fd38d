# Copyright The Hopline developers. SPDX-License-Identifier: MIT OR Apache-2.0
from spack.package import *


class Hopline(Package):
    """Which links will an MPI job overload, and which rank order avoids it? The command, the layer that records and reorders MPI
    programs, and the library for C."""

    url = "@SOURCE@"

    license("MIT OR Apache-2.0")

    version("@VERSION@", sha256="@SHA256@")

    variant("layer", default=True, description="Build the layer that is preloaded into MPI programs")
    variant("clib", default=True, description="Build libhopline for C")

    depends_on("rust@@RUST@:", type="build")
    depends_on("c", type="build")

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        cargo("build", "--release", "--locked", "-p", "hopline-cli", "--bin", "hopline")
        mkdirp(prefix.bin, prefix.lib, prefix.share.man.man1)
        install("target/release/hopline", prefix.bin)
        if spec.satisfies("+layer"):
            cargo("build", "--release", "--locked", "-p", "hopline-mpi")
            # The command looks for it in ../lib.
            install("target/release/libhopline_mpi.so", prefix.lib)
        if spec.satisfies("+clib"):
            with set_env(PREFIX=str(prefix)):
                Executable("crates/hopline-c/install")()
        Executable(prefix.bin.hopline)("man", prefix.share.man.man1)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        hopline = Executable(self.prefix.bin.hopline)
        said = hopline("load", "--topology", "torus:dims=4x4", "--traffic", "halo:grid=4x4", output=str)
        assert "throughput" in said
