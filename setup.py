"""Which packages there are, and how the C code is built (left out without a compiler); the rest is in setup.cfg."""

import platform
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

SOURCES = Path("dgl_mathtree/nn/drivers/native/csrc")
FLAGS = "-std=c11 -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast -fvisibility=default".split()
V2 = "-msse4.2 -mpopcnt".split()
V3 = [*V2, *"-mavx2 -mfma -mbmi -mbmi2".split()]
V4 = [*V3, *"-mavx512f -mavx512vl -mavx512dq -mavx512bw".split()]
X86 = {"v2": V2, "v3": V3, "v4": V4} if platform.machine() in ("x86_64", "AMD64") else {}


class BuildKernels(build_ext):
    """One library, with the kernels compiled once for each kind of processor; which to use is decided when loaded."""

    def get_ext_filename(self, fullname: str) -> str:
        # Neither Python's nor torch's headers are used, so the file suits every version of them.
        return str(Path(*fullname.split("."))) + ".so"

    def build_extension(self, ext: Extension) -> None:
        objects = self.compiler.compile([str(SOURCES / "dispatch.c")], self.build_temp, extra_preargs=FLAGS)
        for variant, flags in ({"generic": []} | X86).items():
            objects += self.compiler.compile(
                [str(SOURCES / "kernels.c")],
                str(Path(self.build_temp) / variant),
                macros=[("VARIANT", variant)],
                extra_postargs=[*FLAGS, *flags],
            )
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.compiler.link_shared_object(objects, str(target), libraries=["m"])


class PlatformWheel(bdist_wheel):
    """A wheel for a platform and any Python 3: the C code is loaded by ctypes and knows nothing of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        return "py3", "none", super().get_tag()[2]


setup(
    # Recipes and data lie beside the package in the sources, and within it once installed.
    packages=[*find_packages(include=["dgl_mathtree", "dgl_mathtree.*"]), "dgl_mathtree.datasets"],
    package_dir={"dgl_mathtree.datasets": "datasets"},
    ext_modules=[
        Extension(
            "dgl_mathtree.nn.drivers.native._kernels",
            sources=[str(path) for path in sorted(SOURCES.glob("*.c"))],
            depends=[str(path) for path in sorted(SOURCES.glob("*.h"))],
            optional=True,
        )
    ],
    cmdclass={"build_ext": BuildKernels, "bdist_wheel": PlatformWheel},
)
