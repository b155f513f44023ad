"""Names from outside (machines, jobs, nodes, cases, files) act on no output: terminal, Markdown, CSV, page."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import sanitised
from assay.store import Run
from command_line import Answer, assay
from example_inputs import CONSTANT, CONTRACT, HYPERCUBE, SHORT, small_mix

# A title for the terminal, a colour, a cursor; C1's CSI; a direction; HTML; a link; a formula; rich's markup; a format.
HOSTILE = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[2J\x9b1;1H\u202etxt.exe"
    "<script>alert(1)</script><img src=x onerror=alert(1)>[click](javascript:alert(1))"
    "[/bold]{0}%s$\\frac{1}$ `x` |"
)
FORMULA = "=HYPERLINK(1)" + HOSTILE
ACTIVE = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
TAG = re.compile(r"<(script|img)\b")


def quoted(text: str) -> str:
    """A text as a basic string of TOML."""
    return '"' + "".join(f"\\u{ord(c):04x}" if not c.isalnum() or ord(c) > 126 else c for c in text) + '"'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Descriptions, a job table, a trace and runs whose names are hostile."""
    made = tmp_path_factory.mktemp("hostile")
    small_mix(made)
    (made / "batch.toml").write_text(f"[machine]\nname = {quoted(FORMULA)}\nnodes = 2\ncpus_per_node = 2\n")
    machine = Path(CONSTANT).read_text()
    title = next(line for line in machine.splitlines() if line.startswith("title"))
    (made / "machine.toml").write_text(machine.replace(title, f"title = {quoted(FORMULA)}"))
    (made / "study.toml").write_text(
        f'[study]\ntitle = {quoted(HOSTILE)}\n[network]\ntopology = "hypercube"\ndimension = 3\n'
        '[method]\ncycles = 2000\nwarmup_cycles = 100\n[sweep]\n"traffic.load" = [0.1, 0.2]\n'
    )
    (made / "contract.toml").write_text(CONTRACT.replace('"latency"', quoted(HOSTILE)))
    (made / "messages.csv").write_text("id,cycle,source,destination,flits\n1,0,0,1,5\n2,7,3,9,8\n")
    (made / "\x1b[31mred<img>.toml").write_text(Path(HYPERCUBE).read_text())
    (made / "\x1b[31mwrong<img>.toml").write_text("[network\n")
    return made


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ASSAY_RUNS", str(folder / "state"))
    opened = Run.open

    def of_a_hostile_host(name: str) -> Run:
        run = opened(name)
        run.about |= {"machine": FORMULA, "profile": HOSTILE}
        return run

    monkeypatch.setattr(Run, "open", of_a_hostile_host)  # a run that was made there: this host has a name of its own


def harmless(answer: Answer, *statuses: int) -> None:
    assert answer.status in (statuses or (0,)), answer.err
    for text in (answer.out, answer.err):
        text = text.replace("\r\n", "\n")  # the end of a line of CSV
        assert not ACTIVE.search(text), ascii(ACTIVE.findall(text))
        assert "Traceback" not in text


@pytest.fixture(scope="module")
def runs(folder: Path) -> tuple[str, str]:
    """Two runs of the machine with the hostile name, in folders with such names."""
    names = (f"\x1b[31m{'a'}<img>", "=b\x9b\u202e")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("ASSAY_RUNS", str(folder / "state"))
        for name, startup in zip(names, ("70 us", "80 us"), strict=True):
            words = ("--set", f"machine.messages.startup={startup}", "--set", "bytes=8,64,512,1024,4096")
            harmless(assay("run", "echo", "--on", "machine.toml", *words, "--out", name))
    return names


VERBS: list[tuple[str, ...]] = [
    ("runs",),
    ("report", "A"),
    ("report", "A", "--markdown"),
    ("report", "A", "B"),
    ("report", "A", "B", "--markdown"),
    ("accept", "contract.toml", "--run", "A"),
    ("compare", "A", "B"),
    ("export", "A", "--table", "launches"),
    ("export", "A", "--format", "json", "--table", "launches"),
    ("query", "SELECT * FROM launches"),
    ("query", f"SELECT '{HOSTILE}' AS \"{HOSTILE}\""),
    ("fit", "A"),
    ("predict", "machine.toml", "A"),
    ("plan", "--on", "machine.toml"),
    ("simulate", "\x1b[31mred<img>.toml", *SHORT),
    ("study", "study.toml"),
    ("throughput", "mix", "--jobs", "jobs.toml", "--on", "batch.toml"),
    ("evaluate", "--on", "machine.toml", "--only", "messages", "-N", "4", "--out", "whole"),
]


@pytest.mark.parametrize("mode", [(), ("-q",), ("--json",)], ids=["tables", "quiet", "json"])
@pytest.mark.parametrize("words", VERBS, ids=lambda words: ascii(" ".join(words))[:60])
def test_no_verb_prints_what_acts(words: tuple[str, ...], mode: tuple[str, ...], runs: tuple[str, str]) -> None:
    if ("--markdown" in words and mode) or ("--format" in words and mode == ("-q",)):
        pytest.skip("a form of its own")
    if "--out" in words and mode:
        words = (*words[:-1], f"whole{mode[0]}")
    named = {"A": runs[0], "B": runs[1]}
    answer = assay(*(named.get(word, word) for word in words), *mode)
    harmless(answer)
    if mode == ("--json",):
        assert answer.document
    if "--markdown" in words:
        assert not TAG.search(answer.out) and "](javascript" not in answer.out


@pytest.mark.parametrize("words", [
    ("simulate", "\x1b[31mwrong<img>.toml"),
    ("simulate", "\x1b[31mnone.toml"),
    ("report", "\x1b[31mnone"),
    ("run", "\x1b[31mnone"),
    ("catalogue", "\x1b[31mnone"),
    ("evaluate", "--only", "\x1b[31mnone"),
    ("\x1b[31mnone",),
    ("runs", "--\x1b[31mnone"),
    ("simulate", HYPERCUBE, "--set", "\x1b[31mnone=1"),
], ids=ascii)  # fmt: skip
def test_no_refusal_prints_what_acts(words: tuple[str, ...]) -> None:
    answer = assay(*words)
    harmless(answer, 2)
    assert len(answer.err.splitlines()) == 1


def test_files_that_are_written(folder: Path, runs: tuple[str, str]) -> None:
    harmless(assay("report", runs[0]))
    for path in (*Path(runs[0]).glob("*.md"), *Path("whole").glob("*.md")):
        text = path.read_text()
        assert not ACTIVE.search(text) and not TAG.search(text), path
    page = (Path(runs[0]) / "report.html").read_text()
    assert "<img src=x" not in page and "<script>alert" not in page
    words = ("throughput", "mix", "--jobs", "jobs.toml", "--on", "batch.toml")
    harmless(
        assay(*words, "--export", "jobs.csv", "--export", "jobs.html", "--export", "jobs.svg", "--export", "j.swf")
    )
    rows = list(csv.reader(io.StringIO((folder / "jobs.csv").read_text())))
    assert len(rows) == 4 and all(not cell.startswith(tuple("=+@")) for row in rows for cell in row)
    assert any(cell.startswith("'=HYPER") for row in rows for cell in row)
    for name in ("jobs.html", "jobs.svg"):
        assert "<img src=x" not in (folder / name).read_text() and "<script>alert" not in (folder / name).read_text()
    assert not ACTIVE.search((folder / "j.swf").read_text())


@given(st.text())
def test_what_is_printed_shows_every_character_and_acts_by_none(text: str) -> None:
    out = io.StringIO()
    stream = sanitised.terminal(out)
    assert stream.write(text) == len(text) and sanitised.terminal(stream) is stream
    assert not ACTIVE.search(out.getvalue().replace("\r\n", "\n"))
    plain = "".join(c for c in text if c == "\n" or c.isprintable())
    assert all(c in out.getvalue() for c in plain)
    again = io.StringIO()
    sanitised.console(file=again, width=10_000).print(text, soft_wrap=True)
    assert not ACTIVE.search(again.getvalue().replace("\r\n", "\n"))


@given(st.lists(st.text() | st.text(alphabet="=+-@\t\r\n0a.e") | st.integers() | st.floats(allow_nan=False)))
def test_a_cell_of_csv_is_no_formula(values: list[object]) -> None:
    for value, cell in zip(values, sanitised.csv_row(values), strict=True):
        if not isinstance(value, str):
            assert cell is value
        elif cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")):
            float(cell)  # a number
        else:
            assert cell in (value, f"'{value}")


@given(st.text(alphabet="<a>/!?[](: |\n\x1b`") | st.text(alphabet="[](:|"))
def test_markdown_has_no_tags_and_no_targets(text: str) -> None:
    made = sanitised.markdown(text)
    assert not re.search(r"<[A-Za-z/!?]", made) and not re.search(r"\][(\[:]", made)
    assert sanitised.markdown(made) == made
    assert not re.search(r"(?<!\\)\||\n", sanitised.markdown_cell(text))  # it stays one cell
