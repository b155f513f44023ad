"""The verdict beside earlier runs of the same machine: ticks, bounds that they set, other software."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.case import Case
from assay.document.json_form import from_json, to_json
from assay.document.run_verdict import RunVerdict
from assay.report.judge.history import EarlierLine, EarlierRun
from assay.report.judge.verdict import judged, verdict
from assay.report.render import page, summary
from assay.store import Run
from judged_documents import earlier, judge, part
from made_documents import document, figure, headline

Json = dict[str, Any]


def made_by(mpi: str, blas: str = "OpenBLAS 0.3.30", flags: str = "-O3 -march=native -I/here/blas") -> Json:
    """Circumstances of a run whose ranks were launched by that MPI."""
    built = {"compiler": "g++ 12.2.0", "flags": flags, "libraries": {"blas": blas}}
    return {"mpi": {"implementation": mpi, "version": "4.1"}, "programs": {"echo": built, "gemm": built}}


def test_what_an_earlier_run_reached_with_other_software_is_said_to_be_of_it() -> None:
    echo = part("echo", "messages", headline("8 bytes", 200e-9, "s", better="lower"), transport=["shared memory"])
    gemm = part("gemm", "kernels", headline("product", 9e9, "flop/s"), transport=["none"])
    run = document(echo, gemm, provenance={"p": made_by("MPICH")})

    def beside(**other: Any) -> tuple[RunVerdict, list[list[str] | None]]:
        lines = judge(document(echo, gemm, provenance={"p": made_by(**other)}))["lines"]
        before = [EarlierRun("r0", [from_json(EarlierLine, {**line, "value": 0.5 * line["value"]}) for line in lines])]
        found = verdict(run, None, before)
        return found, [line.earlier[0].made_with for line in found.lines]

    assert beside(mpi="MPICH")[1] == [None, None]
    assert beside(mpi="MPICH", flags="-O3 -march=native -I/elsewhere")[1] == [None, None]  # where, not what
    assert beside(mpi="MPICH", blas="BLIS 1.0")[1] == [["blas from BLIS 1.0"]] * 2
    assert beside(mpi="MPICH", flags="-O2")[1] == [["g++ 12.2.0 -O2"]] * 2
    found, of = beside(mpi="Open MPI")
    assert of == [None, ["Open MPI 4.1"]]  # a product on one node has none
    assert found.lines[1].bar is not None and found.lines[1].bar.ticks[0].made_with == ["Open MPI 4.1"]
    said = replace(run, summary=found)
    for text in (" ".join(summary.terminal(said, 80)), " ".join(summary.brief(said, 80))):
        assert "│ 1 earlier run, with Open MPI 4.1" in text
    assert "50% of this (with Open MPI 4.1)" in summary.markdown(said)
    html = page.html(said)
    assert 'title="run r0, with Open MPI 4.1"' in html and "1 earlier run, with Open MPI 4.1" in html
    two = replace(run, summary=replace(found, earlier=2))
    assert "│ 2 earlier runs, some with Open MPI 4.1" in " ".join(summary.terminal(two, 80))
    alike = replace(run, summary=beside(mpi="MPICH")[0])
    assert "earlier run, with" not in "".join(summary.terminal(alike, 80)) + page.html(alike)
    old = [EarlierRun("r0", [EarlierLine(benchmark="echo", title="8 bytes", unit="s", params=Case(), value=1e-9)])]
    assert all(not tick.made_with for line in verdict(run, None, old).lines for tick in line.earlier)


def test_a_bound_that_other_software_set_names_it() -> None:
    streamed = [figure("rate", 5e9, "B/s", "best", kernel="read", threads=1)]
    run = document(
        part("stream", "memory", headline("triad", 4e9, "B/s", bound="memory_rate"), figures=streamed),
        provenance={"p": {"programs": {"stream": {"compiler": "g++ 12.2.0", "flags": "-O3"}}}},
    )
    line = judge(run)["lines"][0]
    before = [earlier("r0", {**line, "value": 20e9, "made_with": ["clang++ 17 -O3"]})]
    assert judge(run, before)["lines"][0]["bound_text"] == "of 20 GB/s: reached by an earlier run, with clang++ 17 -O3"


def test_earlier_runs_of_the_same_machine_give_ticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    reached = [headline("lock", 20e-9 + 1e-9 * n, "s", better="lower") for n in range(4)]
    runs = []
    for name, host in (("old", "here"), ("other", "there"), ("broken", "here"), ("new", "here")):
        run = Run.create(tmp_path / name, {"machine": host, "described": False})
        run.about["created"] = float(len(runs))
        run.save()
        told = part("lock", "threads", reached[len(runs)])
        made = document(told, run=run.about["id"], machine=host, created=run.about["created"])
        page.write(run, made)
        runs.append((run, made))
    (tmp_path / "broken" / "summary.json").write_text('{"lines": [{"value": "x"}')
    run, made = runs[-1]
    line = to_json(judged(run, made))["summary"]["lines"][0]
    assert line["earlier"] == [{"run": runs[0][0].about["id"], "value": pytest.approx(20e-9)}]
    assert line["bar"]["ticks"][0]["at"] == 1.0 and line["bar"]["at"] == pytest.approx(20 / 23)


def test_a_main_figure_is_found_again_under_another_title() -> None:
    """By its name in the record; where an old version left none, by the title alone."""
    rate, tail = (headline(title, 20.0, "s") | {"name": title} for title in ("time", "tail"))
    line = judge(document(part("lock", "threads", rate)))["lines"][0]
    before = [earlier("r0", {**line, "title": "as it was called", "value": 10.0})]

    def ticks(of: Json, runs: list[Any]) -> int:
        return len(judge(document(part("lock", "threads", of)), runs)["lines"][0]["earlier"])

    assert ticks(rate, before) == 1 and ticks(tail, before) == 0
    old = [earlier("r0", {**line, "figure": None, "title": title}) for title in ("time", "as it was called")]
    assert ticks(rate, old) == 1


def test_a_best_of_several_lengths_is_beside_an_earlier_best_at_another() -> None:
    """Not beside a run that had no choice of lengths, nor one of another kernel."""
    best = headline("axpy", 20.0, "flop/s", chosen=["length"]) | {"params": {"kernel": "axpy", "length": 512}}
    run = document(part("vectors", "kernels", best))
    line = judge(run)["lines"][0]
    assert line["chosen"] == ["length"]

    def ticks(**other: Any) -> int:
        return len(judge(run, [earlier("r0", line | other)])["lines"][0]["earlier"])

    elsewhere = {"params": {"kernel": "axpy", "length": 1000}}
    assert ticks(**elsewhere) == 1 and ticks(**elsewhere, chosen=None) == 1  # of a version that did not say
    assert ticks(**elsewhere, chosen=[]) == 0 and ticks(chosen=[]) == 1  # the same length
    assert ticks(params={"kernel": "dot", "length": 512}) == 0
    assert "100% of this" in summary.markdown(replace(run, summary=verdict(run, None, [earlier("r0", line)])))
