"""What tests compile is kept (compiled.py): compiled again for each change, and only then."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import application_runs
import compiled
from compiled import compile_to, made_once, own_cache
from mpis_here import MPI

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
ASK = """
#include <cstdio>
#include "near.hpp"
#include "far.hpp"
int main() { std::printf("%d %d %d", NEAR, FAR, BY); }
"""


@pytest.fixture(autouse=True)
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What was compiled, into a cache of the test's own."""
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache(tmp_path / "cache")))
    seen: list[list[str]] = []
    run = subprocess.run

    def noted(command: list[str], **more: object) -> object:
        seen.append(command)
        return run(command, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(compiled.subprocess, "run", noted)
    return seen


def says(folder: Path, near: int, far: int, by: int) -> str:
    """What a program prints that includes a header next to it and one of a folder of headers, with a flag."""
    (folder / "far").mkdir(parents=True, exist_ok=True)
    (folder / "ask.cpp").write_text(ASK)
    (folder / "near.hpp").write_text(f"#define NEAR {near}\n")
    (folder / "far" / "far.hpp").write_text(f"#define FAR {far}\n")
    program = compile_to(folder / "ask", folder / "ask.cpp", f"-DBY={by}", f"-I{folder / 'far'}", base="-O0")
    return subprocess.check_output([program], text=True)


def test_a_changed_header_or_flag_is_compiled_again(tmp_path: Path, commands: list[list[str]]) -> None:
    for count, values in enumerate([(1, 2, 3), (4, 2, 3), (4, 5, 3), (4, 5, 6)], start=1):
        assert says(tmp_path / "a", *values) == "{} {} {}".format(*values)
        assert len([each for each in commands if "-o" in each]) == count
    assert says(tmp_path / "a", 1, 2, 3) == "1 2 3"
    assert len([each for each in commands if "-o" in each]) == 4


def test_the_same_sources_in_another_folder_are_not_compiled_again(tmp_path: Path, commands: list[list[str]]) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "ask.cpp").write_text('#include <cstdio>\nint main() { std::puts("here"); }\n')
        compile_to(tmp_path / folder / "ask", tmp_path / folder / "ask.cpp", base="-O0")
    assert len([each for each in commands if "-o" in each]) == 1
    assert subprocess.check_output([tmp_path / "b" / "ask"], text=True) == "here\n"


def test_what_does_not_compile_is_not_kept(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="wrong"):
            made_once("program", "0" * 20, lambda fresh: int(f"wrong {fresh.write_text('half')}"))
    assert not list((tmp_path / "cache" / "tests").iterdir())


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_a_defect_is_not_taken_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key of a program with a defect is of the sources with the defect, and the same in another folder."""
    keys = []
    monkeypatch.setattr(application_runs, "made_once", lambda name, key, make_it: keys.append(key) or Path(name))
    for folder, wrong in (("a", "* (1 + 1e-6)"), ("b", "* (1 + 1e-5)"), ("c", "* (1 + 1e-6)")):
        application_runs.broken(
            tmp_path / folder, "slalom", "columns.cpp", "own[row] *= inverse", f"own[row] *= inverse {wrong}"
        )
    assert keys[0] == keys[2] != keys[1]
