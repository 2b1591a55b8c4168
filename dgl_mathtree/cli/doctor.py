"""`mathtree doctor`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sysconfig
from pathlib import Path
from typing import Any

from dgl_mathtree import __version__
from dgl_mathtree.cli.command_table import Commands, add_command

PACKAGES = ("torch", "dgl", "numpy", "scikit-learn", "safetensors")
FEATURES = ("sse4_2", "avx", "avx2", "fma", "avx512f", "avx512vl", "avx512dq", "avx512bw", "asimd")
"""What matters to the C code, by the names that Linux gives them."""
FAILED = 1


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    command = add_command(
        commands,
        "doctor",
        _run,
        "Report versions, drivers and why one is missing, the processor, threads and caches, and test the drivers.",
        "mathtree doctor",
        epilog="The exit code is 1 if the drivers do not agree with each other.",
    )
    command.add_argument("--json", action="store_true", help="print the findings as JSON")


def _run(options: argparse.Namespace) -> int:
    found = examine()
    print(json.dumps(found) if options.json else doctor_text(found))
    return 0 if found["agreement"]["ok"] else FAILED


def examine() -> dict[str, Any]:
    """All findings."""
    import torch

    from dgl_mathtree.nn import agreement

    differences = agreement.differences()
    numbers = [d for row in differences.values() for d in row.values() if isinstance(d, float)]
    return {
        "versions": {"python": platform.python_version(), "dgl-mathtree": __version__} | _versions(),
        "drivers": _drivers(),
        "native": _native(),
        "processor": {
            "machine": platform.machine(),
            "cores": os.cpu_count(),
            "features": _features(),
            "capability": torch.backends.cpu.get_cpu_capability(),
        },
        "threads": {"torch": torch.get_num_threads(), "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS")},
        "caches": _caches(),
        "agreement": {
            "ok": all(number < agreement.TOLERANCE for number in numbers),
            "tolerance": agreement.TOLERANCE,
            "differences": differences,
        },
    }


def _versions() -> dict[str, str]:
    from importlib import metadata

    return {name: metadata.version(name) for name in PACKAGES}


def _drivers() -> dict[str, str | None]:
    """Why each driver cannot run a plain cell here, or None."""
    import torch

    from dgl_mathtree.nn import drivers
    from dgl_mathtree.nn.models import make_cell

    cell = make_cell("tree-lstm", 4)
    return {name: driver.obstacle(cell, torch.float32, torch.device("cpu")) for name, driver in drivers.DRIVERS.items()}


def _native() -> dict[str, Any]:
    from dgl_mathtree.nn.drivers.native import library

    compiler = shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]) or shutil.which("cc")
    about: dict[str, Any] = {"file": str(library.FILE), "compiler": compiler, "variant": None, "variants": []}
    try:
        loaded = library.load_library()
    except library.LibraryError as error:
        return about | {"reason": str(error)}
    return about | {"variant": loaded.variant, "variants": list(loaded.variants), "reason": None}


def _features() -> list[str]:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    lines = (line.partition(":")[2] for line in text.splitlines() if line.lower().startswith(("flags", "features")))
    flags = set(next(lines, "").split())
    return [name for name in FEATURES if name in flags]


def _caches() -> dict[str, str]:
    from dgl_mathtree.data.cache import cache_folder

    return {"data that was read (paper)": str(cache_folder("paper"))}


def doctor_text(found: dict[str, Any]) -> str:
    """The findings as text."""
    lines = ["versions: " + ", ".join(f"{name} {version}" for name, version in found["versions"].items())]
    processor, threads, native = found["processor"], found["threads"], found["native"]
    features = " ".join(processor["features"]) or "unknown"
    lines.append(f"processor: {processor['machine']}, {processor['cores']} cores, features {features}")
    lines.append(f"threads: {threads['torch']} in torch (OMP_NUM_THREADS={threads['OMP_NUM_THREADS']})")
    for name, reason in found["drivers"].items():
        lines.append(f"driver {name}: " + (f"not available: {reason}" if reason else "available"))
    if native["variant"]:
        lines.append(f"C code: {native['file']}, variant {native['variant']} of {', '.join(native['variants'])}")
    lines.append(f"C compiler: {native['compiler'] or 'none found'}")
    lines += [f"cache of {what}: {where}" for what, where in found["caches"].items()]
    agreement = found["agreement"]
    for name, row in agreement["differences"].items():
        numbers = [d for d in row.values() if isinstance(d, float)]
        if numbers:
            text = (
                f"differs from levels by {max(numbers):.1e} of the largest number at most, over {len(numbers)} models"
            )
            lines.append(f"self-test: {name} {text}")
    lines.append("self-test: " + ("passed" if agreement["ok"] else f"FAILED: more than {agreement['tolerance']:.0e}"))
    return "\n".join(lines)
