"""A run's files are opened once for whatever is made of them: journal, launches and circumstances, as Python counts."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assay import store
from command_line import assay
from described_echo import MACHINE
from test_kept_runs import unpacked

COUNTING: list[Counter[str]] = []


def _opened(event: str, arguments: tuple[object, ...]) -> None:
    """An audit hook: it stays for the process's life, and counts while a test asks for it."""
    if event == "open" and COUNTING and isinstance(arguments[0], str) and str(arguments[1]) in ("r", "rb"):
        COUNTING[-1][arguments[0]] += 1


sys.addaudithook(_opened)


@contextmanager
def reads(folder: Path) -> Iterator[Counter[str]]:
    """Count how often each file below `folder` is opened for reading, by its path from there."""
    found: Counter[str] = Counter()
    COUNTING.append(Counter())
    try:
        yield found
    finally:
        for path, count in COUNTING.pop().items():
            whole = str(Path(path).absolute())
            if whole.startswith(f"{folder}{os.sep}"):
                found[os.path.relpath(whole, folder)] += count


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "state"))
    (tmp_path / "machine.toml").write_text(MACHINE)


def lines_of_runs(found: Counter[str]) -> dict[str, int]:
    return {path: count for path, count in found.items() if path.endswith(".jsonl") or "provenance" in path}


@pytest.mark.parametrize("name", ["measured", "simulated"])
@pytest.mark.parametrize(
    "words",
    [("report", "RUN"), ("report", "RUN", "--json"), ("fit", "RUN"), ("predict", "ipsc860", "RUN")],
    ids=" ".join,
)
def test_a_stored_run_is_read_once(name: str, words: tuple[str, ...], tmp_path: Path) -> None:
    run = unpacked(name, tmp_path)
    with reads(run) as found:
        assert assay(*(str(run) if word == "RUN" else word for word in words)).status == 0
    files = [path.relative_to(run) for path in run.rglob("*") if path.parent.name in ("launches", "provenance")]
    assert lines_of_runs(found) == {"journal.jsonl": 1, **{str(path): 1 for path in files}}


def test_a_table_that_is_kept_is_asked_without_the_lines(tmp_path: Path) -> None:
    run = unpacked("measured", tmp_path)
    with reads(run) as found:
        assert assay("query", "SELECT count(*) FROM samples", "--run", str(run)).status == 0
    assert lines_of_runs(found) == {} and found["samples.parquet"]


def test_an_evaluation_reads_each_launch_once_and_what_it_wrote_itself_never(tmp_path: Path) -> None:
    with reads(tmp_path / "run") as found:
        ran = assay("evaluate", "--on", "machine.toml", "--launches", "3", "--out", "run")
    assert ran.status == 0, ran.err
    launches = {path: count for path, count in found.items() if path.startswith("launches")}
    assert len(launches) > 10 and set(launches.values()) == {1}
    assert found["journal.jsonl"] == 1  # its checksum at the end; what is appended is known


def test_where_memory_is_short_what_was_read_while_measuring_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MOST_HELD", 0)
    with reads(tmp_path / "run") as found:
        ran = assay("run", "echo", "--on", "machine.toml", "--launches", "3", "--out", "run")
    assert ran.status == 0
    assert Counter(count for path, count in found.items() if path.startswith("launches/")) == {2: 2, 1: 1}


def test_a_file_that_has_grown_is_read_again(tmp_path: Path) -> None:
    run = store.Run.open(unpacked("simulated", tmp_path))
    (_, before), *_ = run.tasks()
    count = len(before.rows)
    with before.path.open("a") as out:
        out.write(next(line for line in before.path.read_text().splitlines(True) if '"event":"block"' in line))
    (_, after), *_ = run.tasks()
    assert len(after.rows) == count + 1
    entries = len(run.entries())
    with (run.folder / "journal.jsonl").open("a") as out:
        out.write('{"event": "allocation", "mark": "another"}\n')
    assert len(run.entries()) == entries + 1
