"""Exit status 3: measured well, but a threshold that was stated is missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.store import Run
from command_line import assay
from test_document import block, launch


@pytest.mark.parametrize(
    ("slower", "margin", "status"), [(1.2, None, 0), (1.2, "0.03", 3), (1.2, "0.5", 0), (1.0, "0.03", 0)]
)
def test_a_difference_beyond_a_stated_margin_is_status_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slower: float, margin: str | None, status: int
) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    runs = []
    for name, factor in (("before-1", 1.0), ("before-2", 1.0), ("a", 1.0), ("b", slower)):
        run = Run.create(tmp_path / name, {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
        for number in range(10):
            launch(run, number, [block(8, [factor * (1e-6 + 1e-10 * number)] * 5)])
        (run.folder / "provenance" / "p.json").write_text('{"kernel": "1"}')
        run.finish("done")
        runs.append(str(run.folder))
    runs = runs[2:]  # the others show how far equal runs differ
    words = [] if margin is None else ["--margin", margin]
    assert assay("compare", *runs, *words).status == status
    done = assay("compare", *runs, *words, "--json")
    assert done.status == status
    assert len(done.document["comparisons"]) == 1
