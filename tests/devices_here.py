"""Devices for tests: OpenCL on the CPU (Debian: pocl-opencl-icd), shims in front of a driver, starting a program."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from ctypes.util import find_library
from pathlib import Path
from typing import Any

import pytest

from compiled import kept
from started import words

NATIVE = Path(__file__).parent / "native"
VENDORS = Path("/etc/OpenCL/vendors")
OPENCL = find_library("OpenCL")
needs_opencl = pytest.mark.skipif(
    OPENCL is None or not any(VENDORS.glob("*.icd")),
    reason="no OpenCL device: apt-get install pocl-opencl-icd ocl-icd-libopencl1",
)
# What a small launch of each benchmark is started with.
SMALL = {
    "stream": ("kernel=read,write,copy,scale,add,triad,dot", "width=1,4", "bytes=1000000"),
    "latency": ("bytes=16384,1048576",),
    "launch": ("mode=waited,queued",),
    "copy": ("direction=in,out,both", "memory=pinned,pageable", "bytes=1,100003"),
    "overlap": ("bytes=100000",),
    "peak": ("type=float64,float32,int32", "width=2"),
    "gemm": ("code=ours", "type=float64,float32", "n=64,192"),
}


def real_opencl() -> Path:
    """The file of the OpenCL library that the linker finds."""
    listed = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return Path(next(line.split("=>")[1].strip() for line in listed.splitlines() if str(OPENCL) in line))


def shim(folder: Path, source: str, *names: str) -> Path:
    """The folder with a library of tests/native under each of `names`, for LD_LIBRARY_PATH."""
    made = folder / names[0]
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-shared", "-fPIC", "-O1", NATIVE / f"{source}.cpp", "-o", made]
    subprocess.run([*command, "-ldl"], check=True)
    for name in names[1:]:
        (folder / name).symlink_to(made)
    return folder


def start(
    name: str, settings: tuple[str, ...], folder: Path, *flags: str, environment: Mapping[str, str] | None = None
) -> tuple[int, list[dict[str, Any]], str]:
    """One launch of a benchmark of devices: its status, its lines, what it said on standard error."""
    program = kept(f"devices/device_{name}", *flags)
    set_ = [word for setting in settings for word in ("--set", setting)]
    done = subprocess.run(
        [program, *words(f"device-{name}", "--slice", "0.002", "--blocks", "2", *set_)],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "POCL_CACHE_DIR": str(folder / "pocl"), **(environment or {})},
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"event"')]
    return done.returncode, lines, done.stderr


def of(lines: list[dict[str, Any]], event: str) -> list[dict[str, Any]]:
    """The lines of a kind."""
    return [line for line in lines if line["event"] == event]
