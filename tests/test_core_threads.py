"""The core used by several threads: frames of coroutines, and programs that are added while others are simulated."""

from __future__ import annotations

import subprocess
from pathlib import Path

import twin_cases
from compiled import SANITIZERS, compile_to

NATIVE = Path(__file__).resolve().parent / "native"
CORE = NATIVE.parent.parent / "core"


def test_a_frame_is_freed_to_the_allocator_that_it_came_from(tmp_path: Path) -> None:
    """Destroyed in another thread than it was made in, and with another allocator in place: under the sanitizers."""
    flags = ("-O0", f"-I{CORE}")
    program = compile_to(tmp_path / "frames_test", NATIVE / "frames.test.cpp", *flags, base=SANITIZERS)
    ended = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (ended.stderr, ended.returncode) == ("", 0)


def test_programs_may_be_added_while_one_plays() -> None:
    """The native test, which each rank of a simulation and another thread take part in."""
    source, library = NATIVE / "added_programs.test.cpp", twin_cases.LIBRARY
    headers = [*CORE.rglob("*.hpp"), NATIVE / "expect.hpp", library]
    program = twin_cases.build("added_programs", [source], str(library), f"-I{NATIVE}", depends=headers)
    ended = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert (ended.stderr, ended.returncode) == ("", 0)
