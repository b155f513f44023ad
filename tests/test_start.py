"""A command imports what it uses: said by what it leaves alone, since a clock says nothing on a loaded machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
DESCRIBED |= {"assay.machine.catalogue", "assay.verbs.evaluate", "assay.analysis.disturbance"}


@pytest.mark.parametrize(
    ("words", "alone"),
    [
        (["--help"], HELP),
        (["run", "barrier", "--on", "ipsc860", "-n", "4", "--set", "algorithm=tree", "--json"], DESCRIBED),
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
