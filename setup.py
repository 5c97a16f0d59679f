"""Builds what is compiled. All else stands in setup.cfg.

The libraries are plain ones with a C interface, loaded with ctypes. Each is optional:
without a C++ compiler, or if it fails, the installation succeeds and Python runs. With
MEMNETS_PURE=1 in the environment none is built: the wheel is for every platform.
"""

import copy
import glob
import importlib.machinery
import os
import platform

import setuptools
from setuptools.command.build_ext import build_ext

# One library for each set of instructions; the best is chosen when it is loaded.
LEVELS = {"generic": []}
if platform.machine().lower() in ("x86_64", "amd64"):
    LEVELS["x86_64_v3"] = ["-march=x86-64-v3"]
    LEVELS["x86_64_v4"] = ["-march=x86-64-v4", "-mprefer-vector-width=512"]

KERNEL = "memnets/native/src"
HEADERS = sorted(glob.glob(f"{KERNEL}/*.h"))
# No fast-math: NaN must stay NaN. Of its parts, those that no result depends on.
FLAGS = "-std=c++17 -O3 -g0 -fvisibility=hidden -fno-math-errno -fno-trapping-math"


def kernel(level):
    return setuptools.Extension(
        f"memnets.native._kernel_{level}",
        sources=[f"{KERNEL}/entry_points.cpp", f"{KERNEL}/xla.cpp"],
        depends=HEADERS,
        extra_compile_args=[*FLAGS.split(), "-Wno-psabi", "-pthread", *LEVELS[level]],
        extra_link_args=["-pthread"],
        optional=True,
    )


ALIGNMENT = setuptools.Extension(
    "metrics.meteor.native._alignment",
    sources=["metrics/meteor/native/alignment.cpp"],
    depends=sorted(glob.glob("metrics/meteor/native/*.h")),
    extra_compile_args=["-std=c++17", "-O3", "-g0"],
    optional=True,
)

VECTORS = setuptools.Extension(
    "tasks.vectors.native._vectors",
    sources=["tasks/vectors/native/vectors.cpp"],
    # No fused operations: they would round in another way on some processors.
    extra_compile_args=[*FLAGS.split(), "-ffp-contract=off", "-pthread"],
    extra_link_args=["-pthread"],
    optional=True,
)


class BuildLibraries(build_ext):
    """Compiles side by side: each level takes some ten seconds."""

    def initialize_options(self):
        super().initialize_options()
        self.parallel = True

    def build_extension(self, ext):
        # The levels share their sources: each must have a folder for its objects.
        own = copy.copy(self)
        own.build_temp = os.path.join(self.build_temp, ext.name)
        super(BuildLibraries, own).build_extension(ext)

    def get_export_symbols(self, ext):
        return []  # not those of a Python module, which these are not

    def get_ext_filename(self, name):
        # Without the version of Python, as they are for every one.
        suffix = importlib.machinery.EXTENSION_SUFFIXES[-1]
        return os.path.join(*name.split(".")) + suffix


IS_PURE = os.environ.get("MEMNETS_PURE") == "1"

setuptools.setup(
    ext_modules=[]
    if IS_PURE
    else [ALIGNMENT, VECTORS, *(kernel(level) for level in LEVELS)],
    cmdclass={"build_ext": BuildLibraries},
)
