"""Runs of an early Assay, kept: whatever changes, their figures stay what they were.

`kept/measured.tar.xz` holds a real run of five benchmarks (names of host, user and kernel replaced), `simulated.tar.xz`
an echo on the described iPSC/860. What the product made of them on the day they were made stands in `kept/*.json`, and
was copied from its output: this guards against change, and says nothing of whether a figure is right, which other tests
do. Where a change of a figure is meant, the commit that changes it says so and rewrites the file:
`python tests/test_kept_runs.py`. Text, counts and states are compared as they are; numbers to 1e-12 of their size, as
another processor's vector units add in another order.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest

from command_line import assay

KEPT = Path(__file__).resolve().parent / "kept"
RUNS = ("measured", "simulated")
OF_A_FIGURE = ("benchmark", "name", "statistic", "unit", "params", "value", "ci95", "range", "state", "estimator")
SQL = """
SELECT benchmark, metric, "case", count(*), count(DISTINCT launch), median(value), min(value), max(value)
FROM samples WHERE NOT first GROUP BY ALL ORDER BY ALL
"""
TABLES = ("samples", "blocks", "checks", "launches")


def unpacked(name: str, folder: Path) -> Path:
    """Unpack a kept run into `folder`; returns the run's own folder."""
    with tarfile.open(KEPT / f"{name}.tar.xz") as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # not in Python 3.11.2, which Debian 12 has
        archive.extractall(folder)
    return folder / name


def answers(run: Path) -> dict[str, Any]:
    """What each verb makes of a run: figures of report, compare and fit, rows of query, digests of what is exported."""
    asked = {
        "report": ("report", str(run)),
        "compare": ("compare", str(run), str(run)),
        "fit": ("fit", str(run)),
        "query": ("query", SQL, "--run", str(run)),
    }
    found: dict[str, Any] = {}
    for verb, words in asked.items():
        answer = assay(*words, "--json")
        assert answer.status == 0, (verb, answer.err)
        found[verb] = answer.document
    exported = {name: assay("export", str(run), "--table", name) for name in TABLES}
    assert {answer.status for answer in exported.values()} == {0}
    description = tomllib.loads(found["fit"]["description"])
    description.pop("version", None)
    description.pop("uncertainty", None)  # of random draws: tests/test_fit_recovery.py
    return {
        **{verb: [figure(of) for of in found[verb]["figures"]] for verb in ("report", "compare", "fit")},
        "whole": {key: found["report"][key] for key in ("run", "state", "states", "valid", "kind", "described")},
        "warnings": len(found["report"]["warnings"]),
        "verdicts": [of["verdict"] for of in found["compare"]["figures"]],
        "query": found["query"]["rows"],
        "description": description,
        "export": {
            name: {"rows": answer.out.count("\n") - 1, "sha256": hashlib.sha256(answer.out.encode()).hexdigest()}
            for name, answer in exported.items()
        },
    }


def figure(of: dict[str, Any]) -> dict[str, Any]:
    return {key: of[key] for key in OF_A_FIGURE if key in of}


def alike(found: Any, kept: Any, place: str = "") -> list[str]:
    """Name the places where two documents differ."""
    if isinstance(found, dict) and isinstance(kept, dict):
        wrong = [f"{place}: keys {sorted(found.keys() ^ kept.keys())}"] if found.keys() != kept.keys() else []
        return wrong + [
            text for key in found.keys() & kept.keys() for text in alike(found[key], kept[key], f"{place}.{key}")
        ]
    if isinstance(found, list) and isinstance(kept, list):
        wrong = [f"{place}: {len(found)} and {len(kept)}"] if len(found) != len(kept) else []
        pairs = enumerate(zip(found, kept, strict=False))
        return wrong + [text for at, (a, b) in pairs for text in alike(a, b, f"{place}[{at}]")]
    if is_rounding(found) and is_rounding(kept):
        return []
    tolerance = 1e-6 if place.startswith(".fit") else 1e-12  # where iterations end depends on rounding
    same = found == (pytest.approx(kept, rel=tolerance, abs=0) if type(kept) is float else kept)
    return [] if same and type(found) is type(kept) else [f"{place}: {found!r}, kept: {kept!r}"]


def is_rounding(value: Any) -> bool:
    """Whether it is what rounding leaves of a time per byte of 0, which differs from one CPU's BLAS to another's."""
    return isinstance(value, str) and value.endswith(" ns/B") and abs(float(value.removesuffix(" ns/B"))) < 1e-9


@pytest.mark.parametrize("name", RUNS)
def test_the_figures_of_a_kept_run_are_what_they_were(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    found = json.loads(json.dumps(answers(unpacked(name, tmp_path))))
    assert alike(found, json.loads((KEPT / f"{name}.json").read_text())) == []


@pytest.mark.parametrize("name", RUNS)
def test_the_lines_of_a_kept_run_make_the_tables_that_it_holds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    run = unpacked(name, tmp_path)
    kept = json.loads((KEPT / f"{name}.json").read_text())["export"]
    for path in run.glob("*.parquet"):
        path.unlink()
    for table in TABLES:
        out = assay("export", str(run), "--table", table).out
        assert hashlib.sha256(out.encode()).hexdigest() == kept[table]["sha256"], table


def rewrite() -> None:
    """Make the kept answers anew."""
    for name in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ASSAY_RUNS"] = folder
            made = json.dumps(answers(unpacked(name, Path(folder))), indent=None, sort_keys=True)
        (KEPT / f"{name}.json").write_text(made.replace("}, {", "},\n {") + "\n")


if __name__ == "__main__":
    rewrite()
