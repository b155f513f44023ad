"""Tables in whatever room there is: no word is broken, no cell is lost, and piped a row is a line."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from assay.document.grid import grid
from assay.document.grid_lines import ROW, laid_out, longest_piece, wrapped
from assay.report.render.console import listing
from command_line import assay

HEAD = ("the library's", "ranks", "time", "should be no slower than", "its time", "ratio", "interval", "is")
ROWS = (
    ("allreduce of 1 KiB", "7", "19.1 µs", "reduce-scatter of 1 KiB and allgather of 1 KiB", "71.1 µs", "0.27", "–",
     "not shown broken"),
    ("broadcast of 1 KiB", "7", "10.6 µs", "scatter of 1 KiB and allgather of 1 KiB", "50.3 µs", "0.21",
     "1.3 to 1.3", "broken"),
)  # fmt: skip
WORDS = {word for row in (HEAD, *ROWS) for cell in row for word in re.split(r"[ -]", cell)}


def printed(made: object, width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width).print(made)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [60, 70, 80, 100, 200])
def test_every_word_is_on_one_line(width: int) -> None:
    """Also of a table that has no room: its columns are then shown some at a time."""
    lines = printed(grid("Guidelines", HEAD, ROWS, "The note.").rich(), width)
    assert max(map(len, lines)) <= width and lines[0] == "Guidelines" and lines[-1] == "The note."
    seen = {word for line in lines[1:-1] for word in re.split(r"[ -]+", line)}
    assert WORDS - {""} <= seen


def test_too_many_columns_are_shown_some_at_a_time_behind_the_words() -> None:
    names = [f"machine-number{n}" for n in range(6)]
    lines = [text for _, text in laid_out("t", ["pattern", *names], [["ring", *"123456"]], 1, 40)]
    heads = [line for line in lines if line.startswith("pattern") or "number" in line]
    assert sum(line.startswith("pattern") for line in heads) == sum(line.startswith("ring") for line in lines) > 1
    assert [word for line in heads for word in re.findall(r"number\d", line)] == [f"number{n}" for n in range(6)]
    assert [digit for line in lines if line.startswith("ring") for digit in line.split()[1:]] == list("123456")


def test_columns_of_words_without_room_are_a_list() -> None:
    lines = laid_out("t", ["cause", "what to do"], [["interference" * 2, "nothing" * 3]], 2, 36)
    assert [text.split()[0] for kind, text in lines if kind == ROW][:1] == ["cause"]
    assert any("interference" * 2 in text for _, text in lines)


def test_units_keep_together() -> None:
    assert wrapped("93.81 MB/s one-sided", 12) == ["93.81 MB/s", "one-sided"]
    assert wrapped("recursive-doubling of sgi-l1200-cluster", 12) == [
        "recursive-", "doubling of", "sgi-l1200-", "cluster",
    ]  # fmt: skip
    assert [longest_piece(text) for text in ("MB/s", "CPU/node", "Netfinity (Poughkeepsie)", "")] == [4, 4, 14, 0]


@given(st.text(alphabet="ab-/ 12", max_size=60), st.integers(8, 40))
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(len(line) <= width for line in lines)


@given(
    st.lists(st.lists(st.text(alphabet="abc- 1", max_size=14), min_size=4, max_size=4), max_size=4),
    st.integers(0, 4),
    st.integers(12, 90),
)
def test_a_table_has_all_cells_and_no_line_beyond_the_width(rows: list[list[str]], left: int, width: int) -> None:
    lines = laid_out("t", ["figure", "case", "A", "B"], rows, left, width)
    letters = sorted("".join("".join(cell.split()) for row in rows for cell in row))
    seen = sorted("".join("".join(text.split()) for kind, text in lines if kind == ROW))
    assert all(len(text) <= width for _, text in lines)
    assert all(seen.count(letter) >= letters.count(letter) for letter in set(letters))


def test_piped_a_row_is_a_line_of_every_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    listing().print(grid("t", HEAD, ROWS).rich())
    assert len(capsys.readouterr().out.splitlines()) == 2 + len(ROWS)
    words = ("collective", "--on", "sgi-l1200-cluster", "-n", "4", "--set", "operation=allreduce,reduce-scatter")
    out = str(tmp_path / "run")
    run = assay("run", *words, "--set", "bytes=1024", "--out", out)
    assert run.status == 0, run.err
    for text in (run.out, assay("report", out).out):
        rows = [line for line in text.splitlines() if line.startswith("algorithm recursive-halving")]
        assert rows == ["algorithm recursive-halving, operation reduce-scatter" + row[53:] for row in rows] != []
        assert all(row.endswith(" µs") for row in rows)
