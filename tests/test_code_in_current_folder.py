"""A file of a standard module's name in the folder where Assay is started is not executed, by no process it starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from assay import search_paths

ROOT = Path(__file__).resolve().parent.parent
ASSAY = Path(sys.executable).parent / "assay"
HYPERCUBE = str(ROOT / "examples" / "hypercube.toml")
PACKAGES = ("numpy", "scipy", "typer", "click", "pyarrow", "duckdb", "mpi4py", "sitecustomize", "usercustomize")
SHORT = ("--set", "method.cycles=2000", "--set", "method.warmup_cycles=200")
SWEEP = ("simulate", HYPERCUBE, "--sweep", "traffic.load=0.1,0.2", *SHORT, "--executor", "processes", "-q")
COMMANDS = {
    "sweep": SWEEP,
    "study": ("study", "broadcast", "--quick", "--executor", "processes", "-q"),
    "doctor": ("doctor", "-q"),
    "run": ("run", "sieve", "--launches", "1", "-q"),
    "ranks": ("run", "echo", "--launches", "1", "--set", "bytes=8", "-q"),
    "described": ("run", "echo", "--on", "ipsc860", "--set", "bytes=8", "-q"),
    "throughput": ("throughput", "jobs.txt", "--jobs", "table.toml", "--via", "local", "--slots", "2", "-q"),
}


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A folder with a file for every name that Python's standard library has, and some others."""
    folder = tmp_path / "planted"
    folder.mkdir()
    for name in (*sys.stdlib_module_names, *PACKAGES):
        (folder / f"{name}.py").write_text(
            f"import sys\nopen({str(tmp_path / 'executed')!r}, 'a').write({name!r} + f' {{sys.orig_argv}}\\n')\n"
        )
    (folder / "jobs.txt").write_text("0: 1 * one\n")
    (folder / "table.toml").write_text('[one]\nprocessors = 1\ntime = "0.1 s"\n')
    return folder


def executed(folder: Path) -> str:
    path = folder.parent / "executed"
    return path.read_text() if path.exists() else ""


@pytest.mark.measures
@pytest.mark.parametrize("command", COMMANDS)
def test_no_file_of_the_current_folder_is_executed(command: str, planted: Path, tmp_path: Path) -> None:
    environment = os.environ | {"ASSAY_RUNS": str(tmp_path / "state"), "TMPDIR": str(tmp_path)}
    environment.pop("PYTHONPATH", None)
    words = [str(ASSAY), *COMMANDS[command]]
    done = subprocess.run(words, cwd=planted, env=environment, capture_output=True, text=True, timeout=280)
    assert executed(planted) == ""
    assert done.returncode == 0 or (command == "ranks" and "MPI" in done.stderr), done.stderr


@pytest.mark.measures
@pytest.mark.parametrize("variable", [":", ".:/nowhere", "/nowhere::"])
def test_nor_where_an_empty_entry_of_pythonpath_means_it(variable: str, planted: Path, tmp_path: Path) -> None:
    """The first process begins elsewhere: what it imports before Assay has a say is its starter's choice."""
    (tmp_path / "elsewhere").mkdir()
    code = f"import os, sys\nfrom assay.cli import main\nos.chdir({str(planted)!r}); sys.argv[1:] = {SWEEP!r}; main()"
    environment = os.environ | {"ASSAY_RUNS": str(tmp_path / "state"), "PYTHONPATH": variable}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "elsewhere", env=environment, capture_output=True, text=True
    )
    assert executed(planted) == "" and done.returncode == 0, done.stderr


@pytest.mark.parametrize("key", search_paths._LISTS)
def test_children_inherit_no_empty_entry(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    for given, left in {
        ":/a::/b:": "/a:/b",
        "/a:.": "/a",
        "/a:/b": "/a:/b",
        "": None,
        ".:": None,
        "./:/a:.//.": "/a",
    }.items():
        monkeypatch.setenv(key, given)
        search_paths.leave_out_current_folder()
        assert os.environ.get(key) == left


def test_a_folder_that_is_named_stays_though_it_is_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), "/nowhere"])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    search_paths.leave_out_current_folder()
    assert sys.path == [str(tmp_path), "/nowhere"]


def test_the_script_of_the_checkout_starts_python_with_a_safe_path() -> None:
    """Where it has not changed to the checkout: `-c`, `-m` and `-` would put the current folder first."""
    text = (ROOT / "x").read_text()
    started = re.findall(r'"\$(?:venv/bin/python|python|candidate|\(find_python\))"((?: -[^ ]*)+)', text)
    unsafe = [words for words in started if re.search(r" -[cm]?$| -[cm] ", words + " ") and " -P" not in words]
    in_checkout = [words for words in unsafe if words == " -m"]
    assert unsafe == in_checkout and len(in_checkout) <= 5, unsafe  # pytest, bench, release: behind `cd "$root"`
    assert len(started) >= 8
