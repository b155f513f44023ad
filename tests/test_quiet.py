"""`-q`: verbs print one line and nothing else, and what failed says why on standard error."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from assay.errors import MeasurementError
from assay.report.render.one_line import one_line, why_not
from assay.report.render.terminal import show
from command_line import assay
from described_echo import MACHINE
from example_inputs import HYPERCUBE
from made_documents import document, figure, section

SHORT = ("--set", "method.messages=500")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    Path("messages.csv").write_text("id,cycle,source,destination,flits\n0,0,0,1,8\n1,3,2,5,8\n")
    Path("constant.toml").write_text(MACHINE)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("simulate", HYPERCUBE, *SHORT), ("header latency ", "; not saturated; ", " messages in ")),
        (
            ("simulate", HYPERCUBE, *SHORT, "--sweep", "traffic.load=0.05,0.1"),
            ("2 points: 2 not saturated; ", " messages in "),
        ),
        pytest.param(("study", "section6"), ("section6: ", " claims: "), marks=pytest.mark.nightly),
        (("replay", HYPERCUBE, "messages.csv", "-o", "delivered.csv"), ("2 of 2 messages delivered in ",)),
        (("fit", "--on", "delta"), ("delta: 2 numbers fitted to 2 cells, worst error 0.",)),
        (("doctor",), (" measurable: ", "processor", " missing, ", " warnings: ")),
    ],
)
def test_one_line(words: tuple[str, ...], said: tuple[str, ...]) -> None:
    answer = assay(*words, "-q")
    assert answer.status == 0 and answer.err == ""
    (line,) = answer.out.splitlines()
    assert all(part in line for part in said), line
    assert len(assay(*words).out.splitlines()) > 1


def test_a_runs_report_and_description_in_one_line() -> None:
    made = assay("run", "echo", "--on", "constant.toml", "--set", "bytes=8,64,1024,4096,8192", "--out", "run", "-q")
    assert assay("report", "run", "-q").out == made.out
    assert assay("fit", "run", "-q").out == "constant: 1 line by length, hops not fitted\n"
    assert assay("fit", "run", "--out", "again.toml", "-q").out.endswith("; again.toml\n")
    assert assay("run", "echo", "--on", "again.toml", "--set", "bytes=8", "--out", "more", "-q").status == 0
    beside = assay("report", "run", "more", "-q").out.splitlines()
    assert len(beside) == 3 and beside[2].startswith("report: ") and beside[2].endswith("beside.html")


def test_a_run_with_one_damaged_line_is_not_clean() -> None:
    """Of a machine whose runs are clean."""
    made = assay("run", "echo", "--on", "constant.toml", "--set", "bytes=8,64", "--launches", "2", "--out", "run", "-q")
    assert ": clean: " in made.out
    path = min(Path("run/launches").glob("*.jsonl"))
    lines = path.read_text().splitlines(keepends=True)
    at = next(number for number, text in enumerate(lines) if '"event":"block"' in text.replace(" ", ""))
    lines[at] = lines[at].replace("1", "2", 1)
    path.write_text("".join(lines))
    answer = assay("report", "run", "-q")
    assert ": damaged, mostly clean: " in answer.out and f"{path.name}:{at + 1}: " in answer.err


def test_what_is_not_valid_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line alone would leave a person with `invalid`."""

    def fails(*given: object, **named: object) -> None:
        raise MeasurementError("echo on constant: deadlock: rank 0 in recv from rank 1 (tag 2)")

    monkeypatch.setattr("assay.execute.simulated.simulate", fails)
    for words in (("run", "echo"), ("evaluate", "--only", "messages")):
        answer = assay(*words, "--on", "constant.toml", "-n" if words[0] == "run" else "-N", "2", "-q")
        assert answer.status == 1 and len(answer.out.splitlines()) == 1
        assert "failed: echo on constant: deadlock: rank 0 in recv from rank 1 (tag 2)" in answer.err.splitlines()[-1]


def test_what_is_left_to_a_report_names_the_command_that_writes_it() -> None:
    """A run writes none: where there is one it is named below."""
    broken = section("echo", [], state="invalid", warnings=["check failed", "a launch failed"])
    run = document(broken, valid=False, folder="/runs/r1")
    written = replace(run, report="/runs/r1/report.html")
    assert why_not(run) == "echo: check failed (and 1 more, in the report: `assay report /runs/r1`)"
    assert why_not(written) == "echo: check failed (and 1 more, in the report)"
    for made, said in (
        (run, "(and 1 more, in the report: `assay report /runs/r1`)"),
        (written, "more, in the report)"),
    ):
        out = Console(width=300, record=True, file=io.StringIO())
        show(made, out)
        assert said in out.export_text()


def test_what_is_skipped_is_counted() -> None:
    line = assay("run", "self", "--on", "delta", "--out", "run", "-q").out
    assert line == f"delta: nothing measured: 0 benchmarks, 0 figures, 1 skipped; {Path('run').resolve()}\n"


def test_a_measured_run_s_line_gives_its_grade_and_does_not_call_clean_what_partly_is() -> None:
    figures = [figure("rate", 1e9, "B/s", bytes=8) | {"state": state} for state in ("clean", "clean", "disturbed")]
    verdict = SimpleNamespace(grade=SimpleNamespace(grade="D", meaning="not reliable"), lines=[])
    for described, said in ((False, "mostly clean, grade D (not reliable)"), (True, "mostly clean")):
        run = document(section("echo", figures), described=described)
        line = one_line(replace(run, summary=verdict))  # type: ignore[arg-type]
        assert f": {said}: 1 benchmark, 3 figures (1 disturbed)" in line
    calm = document(section("echo", figures[:1]))
    assert ": clean, grade D" in one_line(replace(calm, summary=verdict))  # type: ignore[arg-type]


@pytest.mark.nightly
def test_evaluating_few_nodes_skips_what_needs_more_and_refuses_more_than_there_are() -> None:
    few = assay(
        *("evaluate", "--on", "paragon-mp", "-N", "2", "--only", "messages", "--launches", "1", "--out", "few", "-q")
    )
    assert few.status == 0 and "paragon" in few.out
    (line,) = few.err.splitlines()
    assert line.startswith("skipped: only 2 nodes: alltoall (3 ranks), contention (4 ranks)")
    told = {each["benchmark"]: each for each in assay("report", "few", "--json").document["left_out"]}
    why = "needs 3 ranks, each on a node of its own, or --ppn 2 on 2 nodes"
    assert told["alltoall"]["reason"] == why and set(told) >= {"spin", "fan-in"}
    page = Path("few", "report.html").read_text().partition('id="pack"')[0]
    markdown = Path("few", "report.md").read_text()
    assert "not measured for lack of ranks: alltoall, contention" in page
    for text in (page, markdown):
        assert f"{told['alltoall']['title']}: needs 3 ranks, each on a node of its own" in text
    assert told["alltoall"]["kind"] == "ranks" and told["self"]["kind"] == "machine"
    findings = assay("report", "few", "--json").document["summary"]["findings"]
    assert "not measured for lack of ranks: alltoall, contention" in str(findings)
    for verb in ("evaluate", "plan"):
        many = assay(verb, "--on", "ipsc1", "-N", "65")
        assert many.status == 2 and "ipsc1 -N: are more nodes than it has; got 65, expected 1 to 64" in many.err
    none = assay("evaluate", "--on", "delta:nosuch")
    assert none.status == 2 and "variant: no such variant; got 'nosuch'" in none.err


def test_the_line_of_one_benchmark_gives_what_it_reached_and_no_invalid_figure() -> None:
    """Two figures at most, each with its interval: `-q` is read by people, not counted."""

    def reached(title: str, state: str = "clean", interval: str = "") -> SimpleNamespace:
        return SimpleNamespace(title=title, text="2 GB/s", interval=interval, state=state)

    grade = SimpleNamespace(grade="A", meaning="fit to quote")
    run = document(section("echo", [figure("rate", 1e9, "B/s", bytes=8)]))

    def line(*lines: SimpleNamespace) -> str:
        return one_line(replace(run, summary=SimpleNamespace(grade=grade, lines=list(lines))))  # type: ignore[arg-type]

    assert ": triad 2 GB/s (1 – 3 GB/s); 1 benchmark," in line(reached("triad", interval="1 – 3 GB/s"))
    assert ": b 2 GB/s; 1 benchmark," in line(reached("a", "invalid"), reached("b"))
    assert ": a 2 GB/s, b 2 GB/s and 2 more; 1 benchmark," in line(*(reached(each) for each in "abcd"))
    assert "(fit to quote): 1 benchmark," in line(reached("a", "invalid"))
