"""A run beside a described machine whose own lengths are others: the machine is simulated with the run's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import assay


@pytest.mark.parametrize("length", [4_194_304, 524_288])
def test_a_run_of_other_lengths_than_a_description_has_its_counterpart(length: int, tmp_path: Path) -> None:
    """ibm-netfinity-cluster takes 524,288 elements where nothing is set, real machines 4,194,304."""
    run = str(tmp_path / "run")
    given = ("--set", f"length={length}", "-n", "2", "-o", run, "-q")
    assert assay("run", "distributed-dot", "--on", "sgi-l1200-cluster", *given).status == 0
    about = json.loads((tmp_path / "run" / "run.json").read_text())
    about["wishes"]["settings"] = {}  # as a run that left it to its default
    (tmp_path / "run" / "run.json").write_text(json.dumps({k: v for k, v in about.items() if k != "crc"}))
    answer = assay("compare", run, "ibm-netfinity-cluster", "--json")
    simulated, quoted = json.loads(answer.out)["comparisons"]
    rows = simulated["rows"]
    assert rows and {row["params"]["length"] for row in rows} == {length}
    assert {row["figure"] for row in rows} == {"rate", "time"}
    # 74 Mflop/s on two processors: the best of three implementations, of a length that is not printed
    assert [(row["b"]["value"], row["of"]) for row in quoted["rows"]] == [
        (74e6, "the best of 3; the paper prints no length")
    ]
