"""A command imports what it uses: said by what it leaves alone, since a clock says nothing on a loaded machine."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay import _core
from small_programs import script

ROOT = Path(__file__).resolve().parent.parent

_TELLS = """
import atexit, os, sys
from assay.cli import main

def tell():
    loaded = sorted(name for name in sys.modules)
    print(__import__("json").dumps([loaded, "OPENBLAS_NUM_THREADS" in os.environ]), file=sys.stderr)

atexit.register(tell)
sys.argv[0] = "assay"
main()
"""
HELP = {"numpy", "pyarrow", "pydantic", "rich"}
DESCRIBED = {"duckdb", "scipy", "matplotlib", "rich", "assay.execute.build", "assay.machine.discovery"}
DESCRIBED |= {"assay.machine.catalogue", "assay.verbs.evaluate"}
SIMULATOR = {"assay._core"}  # compiled when it is first imported, which a measurement of this machine must not wait for


@pytest.mark.parametrize(
    ("words", "alone"),
    [
        (["--help"], HELP),
        (["plan", "--only", "processor"], SIMULATOR),
        pytest.param(
            ["evaluate", "--only", "processor", "--launches", "1", "--json"], SIMULATOR, marks=pytest.mark.measures
        ),
        (["run", "message-rate", "--on", "ipsc860", "-n", "4", "--set", "bytes=8", "--json"], DESCRIBED),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else "",
)
def test_a_verb_leaves_alone_what_it_does_not_use(
    words: list[str], alone: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    ran = subprocess.run(
        [sys.executable, "-c", _TELLS, *words], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120
    )
    loaded, threads_said = json.loads(ran.stderr.splitlines()[-1])
    assert alone & set(loaded) == set()
    assert "assay.cli" in loaded and not threads_said  # what is launched from here chooses its threads itself


_CHECKOUT = """
import sys
sys.path.insert(0, "src")
import assay._core
from assay._core import network
print(assay._core.__file__, len(network.topologies()))
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout of the package's frame alone, its `x` a script that each test writes."""
    package = tmp_path / "src" / "assay"
    package.mkdir(parents=True)
    for name in ("__init__.py", "_core.py"):
        shutil.copy(ROOT / "src" / "assay" / name, package / name)
    monkeypatch.delenv("ASSAY_CORE", raising=False)
    return tmp_path


def _import(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-S", "-c", _CHECKOUT], capture_output=True, text=True, cwd=checkout, timeout=60
    )


def test_the_core_is_asked_for_when_it_is_first_imported(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The import runs `x core` once and loads the module whose file that prints; a child process does not run it."""
    module = shutil.copy(_core.__file__, checkout)
    script(checkout, "x", f'test "$1" = core && echo asked >>"$(dirname "$0")/asked" && echo {module}')
    first = _import(checkout)
    assert first.stdout.split() == [str(module), str(len(_core.network.topologies()))], first.stderr
    monkeypatch.setenv("ASSAY_CORE", str(module))
    assert _import(checkout).returncode == 0
    assert (checkout / "asked").read_text() == "asked\n"


def test_a_core_that_does_not_compile_ends_with_the_scripts_own_words(checkout: Path) -> None:
    script(checkout, "x", "echo x: the core did not compile >&2; exit 2")
    ended = _import(checkout)
    assert (ended.returncode, ended.stderr) == (2, "x: the core did not compile\n")


def test_an_installation_without_the_core_says_so(checkout: Path) -> None:
    ended = _import(checkout)
    assert "ImportError" in ended.stderr and "install it again" in ended.stderr
