"""The reference pages say what the code says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.benchmark.record import PROFILES, benchmarks
from assay.benchmark.resolved import values
from assay.errors import InputError
from assay.execute.target import choose_rank_count
from command_line import assay

ROOT = Path(__file__).resolve().parent.parent


def test_generated_pages_are_fresh() -> None:
    made = subprocess.run([sys.executable, ROOT / "docs" / "write.py", "--check"], capture_output=True, text=True)
    assert made.returncode == 0, f"{made.stderr} (run ./x docs)"


def _row(benchmark: str, parameter: str) -> str:
    """What the page says of a parameter's default."""
    page = (ROOT / "docs" / "benchmarks" / f"{benchmark}.md").read_text(encoding="utf-8")
    return next(line for line in page.splitlines() if line.startswith(f"| {parameter} |")).split(" | ")[1]


def _listed(taken: Sequence[object]) -> str:
    """The values as a page has them: of ten and more the ends, and how many there are."""
    shown = list(map(str, taken))
    if len(shown) >= 10:
        return f"{', '.join(shown[:3])}, …, {shown[-1]} ({len(shown)} values)"
    return ", ".join(shown)


def test_what_a_profile_measures_is_said_beside_the_default() -> None:
    """`assay run gemm` is of profile quick and measures 512, of which no page had said anything."""
    assert _row("gemm", "size").startswith("128, 1024; with profile quick 512; ")
    assert _row("fft", "size").startswith("256, 1024, 2048, 65536; with profile quick ")
    for name, record in benchmarks().items():
        for profile in PROFILES:
            for key, taken in values(record, {}, profile).items():
                default, *others = _row(name, key).split("; ")
                named = {text.split()[2]: text.split(" ", 3)[3] for text in others if text.startswith("with profile ")}
                assert named.get(profile, default) == _listed(taken), (name, key, profile)
    shown = " ".join(assay("catalogue", "--benchmarks", "gemm").out.split())
    assert "--set size=128,1024; with profile quick 512; with profile full 64,128,256," in shown


def test_defaults_on_described_machines_are_those_that_are_taken() -> None:
    """What the page says is what a run on a described machine starts its programs with; numbers from the records."""
    assert _row("alltoall", "bytes").endswith("; with profile quick 8, 1024, 65536; on a described machine 1024")
    assert _row("bisection", "bytes") == "1048576; on a described machine 65536"
    assert _row("tournament", "passes") == "1; on a described machine 6"
    assert _row("alltoall", "algorithm") == "pairwise"
    for name, record in benchmarks().items():
        taken = values(record, {}, "standard", simulated=True)
        for key, parameter in record.parameters.items():
            if "on a described machine " in (said := _row(name, key)):
                assert said.split("on a described machine ")[1] == _listed(taken[key]), (name, key)
            else:
                assert parameter.simulated is None, (name, key)


def test_the_pages_of_benchmarks_have_the_least_ranks_that_a_run_accepts() -> None:
    """Each rank program refuses one rank fewer, in the words of its own refusal."""
    for record in benchmarks().values():
        of = (ROOT / "docs" / "benchmarks" / f"{record.name}.md").read_text(encoding="utf-8")
        stated = re.search(r"^\* Ranks: `-n` from (\d+);", of, re.MULTILINE)
        assert (stated is not None) == (record.kind == "ranks"), record.name
        if stated and int(stated[1]) > 1:
            with pytest.raises(InputError, match=f"expected {stated[1]} or more"):
                choose_rank_count(record, int(stated[1]) - 1)
            assert choose_rank_count(record, int(stated[1])) == int(stated[1])


def test_help_and_page_say_the_same_of_every_verb() -> None:
    """README and the site link to the page; `assay --help` has one line a verb."""
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    said = dict(re.findall(r"^\| \[(\w+)\]\(#assay-\w+\) \| (.+) \|$", page, re.MULTILINE))
    helped = " ".join(assay("--help").out.split())
    assert len(said) >= 18 and "docs/commands.md" in (ROOT / "README.md").read_text(encoding="utf-8")
    for verb, text in said.items():
        assert f" {verb} {text.removesuffix('.')[:30]}" in helped, verb  # the list cuts long ones off
        assert text.removesuffix(".") in " ".join(assay(verb, "--help").out.split()), verb
