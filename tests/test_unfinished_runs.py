"""A run that was interrupted says so in every view of it, and counts what was never begun as missing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.execute import session
from command_line import assay
from example_inputs import CONSTANT


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))


@pytest.mark.parametrize("killed", [False, True], ids=["Ctrl-C", "killed"])
def test_a_run_cut_short_says_so_everywhere(killed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C after two launches; killed, too, where nobody wrote how the run ended."""
    run, one = tmp_path / "run", session._do_one
    launches: list[str] = []

    def pressed(run: Any, task: Any, record: Any, *others: Any) -> object:
        if len(launches) == 2:
            raise KeyboardInterrupt
        launches.append(record.name)
        return one(run, task, record, *others)

    with monkeypatch.context() as patch:
        patch.setattr(session, "_do_one", pressed)
        assert assay("evaluate", "--on", CONSTANT, "-N", "2", "--only", "messages", "--out", str(run)).status == 130
    if killed:
        about = json.loads((run / "run.json").read_text()) | {"state": "running"}
        (run / "run.json").write_text(json.dumps(about))
        for table in run.glob("*.parquet"):
            table.unlink()
    planned = assay("runs", "--json").document["runs"][0]["benchmarks"]
    never = [name for name in planned if name not in launches]
    assert len(never) == len(planned) - 2 > 3  # else this tests nothing

    found = assay("report", str(run), "--json").document
    assert found["unfinished"]["state"] == "interrupted"
    assert sorted(found["unfinished"]["never_begun"]) == sorted(never)
    shown = assay("report", str(run)).out
    line = assay("report", str(run), "-q").out
    first_screen = (run / "report.html").read_text().partition('id="pack"')[0]
    for text in (shown, line, first_screen, *((run / name).read_text() for name in ("summary.md", "report.md"))):
        assert "interrupted" in text
    for text in (shown, first_screen, (run / "summary.md").read_text()):
        flat = " ".join(text.replace("<wbr>", "").split())
        first = found["unfinished"]["never_begun"][0]
        idle = sum(each["benchmark"] in launches for each in found["left_out"])  # not described: nothing is missing
        counted = f"{len(never)} of {len(planned) - idle} benchmarks: never begun: {first}"
        assert "--resume" in flat and counted in flat.replace("- ", "-")  # a name is broken behind a hyphen
    summary = json.loads((run / "summary.json").read_text())
    assert "interrupted" in summary["findings"][0]["text"]
    missing = next(each for each in summary["grade"]["criteria"] if each["name"] == "missing")
    assert missing["grade"] == ("D" if len(never) > 0.2 * len(planned) else "C")

    assert assay("evaluate", "--resume", str(run), "-q").status == 0
    again = assay("report", str(run), "--json").document
    assert "unfinished" not in again and not any("interrupted" in each["text"] for each in again["summary"]["findings"])
