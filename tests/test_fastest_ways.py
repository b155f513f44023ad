"""Collectives of a described machine without a library: each operation's fastest way, and whose barrier it has."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from assay.document.json_form import from_json
from assay.document.run_document import Document
from assay.report.judge import first_figures, main_figures
from assay.report.render import page_parts, summary, terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import choices, fastest_ways
from assay.store import Run
from command_line import assay
from made_documents import as_json, document, figure, section

CONSTANT = Path(__file__).resolve().parent.parent / "examples" / "constant.toml"
WANTED = {"figure": "time", "across": "algorithm", "own": "library"}
TIMES = {("broadcast", 8): {"linear": 3e-6, "binomial": 2e-6}, ("broadcast", 1024): {"linear": 4e-6, "binomial": 5e-6},
         ("reduce", 8): {"linear": 7e-6}}  # fmt: skip


HARDWARE = ("--set", "machine.barrier.algorithm=hardware", "--set", "machine.barrier.step=10 us")


@pytest.fixture(scope="module")
def collective(tmp_path_factory: pytest.TempPathFactory) -> Document:
    out = tmp_path_factory.mktemp("described") / "run"
    assay("run", "collective", "--on", str(CONSTANT), "-n", "8", "--out", str(out), "-q")
    return from_json(Document, as_json(Run.open(out)))


def printed(made: Document) -> str:
    out = io.StringIO()
    terminal.show(made, Console(file=out, width=80))
    return out.getvalue()


def test_every_operation_is_on_the_first_screen_or_in_the_table(collective: Document) -> None:
    """Only the barrier has a choice that is judged: the other ten operations were in the JSON alone."""
    (made,) = collective.benchmarks
    operations = {str(each.params["operation"]) for each in made.figures}
    table = fastest_ways.table(made)
    assert table is not None and {row[0] for row in table.rows} == operations - {"barrier"} and len(operations) == 11
    text = printed(collective)
    assert all(operation in text for operation in operations)
    lines = text.splitlines()
    assert all(any(all(cell in line for cell in row) for line in lines) for row in table.rows)  # none is folded
    assert table.title in as_markdown(collective)
    shown, _ = page_parts.parts(collective)
    assert table in shown[0].blocks[0].tables
    titles = [line.title for line in main_figures.lines(collective, [])]
    assert titles[0] == "broadcast, 8 B, 8 ranks: binomial (fastest)" and len(set(titles)) == first_figures.MOST_FIRST


def test_without_a_library_and_a_barrier_described_it_is_made_of_messages(collective: Document) -> None:
    text = " ".join(printed(collective).split())
    assert "library's choice" not in text and "its library's" not in text
    assert "machine's own" not in text
    assert "the machine's message-based barrier on 8 ranks is not shown slower than the best of the algorithms" in text
    (made,) = collective.benchmarks
    table = choices.table(made)
    assert table is not None and table.title == "The machine's message-based barrier and the best algorithm"
    assert "of messages" in table.headings
    assert "bytes" not in table.headings  # a barrier has no length
    assert "Benjamini" not in table.note and "vary in no launch" in table.note
    titles = [line.title for line in main_figures.lines(document(made), [], 20)]
    assert not any(title.startswith("barrier") and title.endswith("library") for title in titles)


@pytest.mark.parametrize(
    ("on", "barrier"),
    [
        ((str(CONSTANT),), "of messages"),  # neither [mpi] nor [barrier]
        (("dragonfly-slingshot",), "of messages"),
        (("paragon-mp",), "of messages"),  # [barrier] algorithm = "messages"
        (("delta",), "of messages"),
        ((str(CONSTANT), *HARDWARE), "the machine's own"),
        (("compaq-xp1000-cluster",), "the library's"),  # [mpi]
    ],
)
def test_the_barrier_benchmark_says_whose_it_is(on: tuple[str, ...], barrier: str, tmp_path: Path) -> None:
    made = assay("run", "barrier", "--on", *on, "-n", "4", "--out", str(tmp_path / "run"), "-q")
    assert f"barrier of 4 ranks ({barrier}) " in made.out and made.status == 0


def test_a_barrier_that_is_described_is_judged_as_the_machines_own(tmp_path: Path) -> None:
    one = ("--set", "operation=barrier", *HARDWARE)
    made = assay("run", "collective", "--on", str(CONSTANT), "-n", "4", "--out", str(tmp_path / "run"), *one)
    text = " ".join(made.out.split())
    assert "the machine's own barrier on 4 ranks is not shown slower" in text and "of messages" not in text
    assert "The machine's own barrier and the best algorithm" in text


def test_rows_give_the_fastest_and_the_next_by_length_and_say_that_nothing_was_tested() -> None:
    figures: list[dict[str, Any]] = [
        figure("time", value, "s", operation=operation, algorithm=way, bytes=length, ranks=8) | {"better": "lower"}
        for (operation, length), ways in TIMES.items()
        for way, value in ways.items()
    ]
    made = section("collective", figures, choice=WANTED, choices=[], part="messages", title="Collectives")
    table = fastest_ways.table(made)
    assert table is not None
    assert [list(row) for row in table.rows] == [
        ["broadcast", "8 B", "binomial", "2 µs", "linear", "3 µs"],
        ["broadcast", "1 KiB", "linear", "4 µs", "binomial", "5 µs"],
        ["reduce", "8 B", "linear", "7 µs", "–", "–"],
    ]
    assert "was not tested" in table.note and "8 ranks" in table.note
    two = [each | {"params": each["params"] | {"ranks": ranks}} for each in figures for ranks in (4, 8)]
    several = section("collective", two, choice=WANTED, choices=[])
    page_table, narrow = fastest_ways.table(several), fastest_ways.table(several, most=99)
    assert page_table is not None and narrow is not None
    assert narrow.headings == page_table.headings == ("operation", "bytes", "ranks", "fastest", "time", "next", "time")
    short = fastest_ways.table(section("collective", figures[:4], choice=WANTED, choices=[]), most=1)
    assert short is not None and len(short.rows) == 2  # the ends of two lengths are both


def test_a_library_that_could_not_be_judged_may_be_the_fastest() -> None:
    """Only a bound is known of it: no table says that another way is."""
    about: dict[str, Any] = {"operation": "scan", "bytes": 8, "ranks": 8}
    figures = [figure("time", 2e-6, "s", algorithm=way, **about) for way in ("linear", "binomial")]
    figures.append(figure("time", 1e-6, "s", "best", algorithm="library", **about) | {"state": "bound"})
    assert fastest_ways.table(section("collective", figures[:2], choice=WANTED, choices=[])) is not None
    assert fastest_ways.table(section("collective", figures, choice=WANTED, choices=[])) is None


def test_a_library_that_is_judged_in_every_case_leaves_no_such_table() -> None:
    figures = [figure("time", 1e-6, "s", operation="scan", algorithm=way, bytes=8, ranks=8) for way in ("library", "x")]
    judged = {"params": {"operation": "scan", "bytes": 8, "ranks": 8}, "best": "x", "value": 1.0, "best_value": 1.0}
    judged |= {"unit": "s", "ratio": 1.0, "ci95": None, "level": None, "slower": False, "launches": 3}
    judged |= {"comparisons": 1, "reason": ""}
    made = section("collective", figures, choice=WANTED, choices=[judged], title="Collectives", part="messages")
    assert fastest_ways.table(made) is None
    assert "The library's choice" in " ".join(printed(document(made)).split()) and summary.brief(document(made))


def test_the_next_ways_time_is_shown_where_it_has_room() -> None:
    """However many columns a case needs: 58 and a time are fewer than 80."""
    times = {3: (20e-6, 24e-6), 5: (26e-6, 48e-6)}

    def made(**more: Any) -> Any:
        figures = [
            figure("time", value, "s", operation="allreduce", algorithm=way, bytes=1024, ranks=ranks, **more)
            for ranks, values in times.items()
            for way, value in zip(("recursive-doubling", "ring" * (6 if more else 1)), values, strict=True)
        ]
        return fastest_ways.table(section("collective", figures, choice=WANTED), most=36)

    table = made()
    assert table.headings == ("operation", "bytes", "ranks", "fastest", "time", "next", "time")
    assert table.rows[1] == ("allreduce", "1 KiB", "5", "recursive-doubling", "26 µs", "ring", "48 µs")
    assert made(call="nonblocking").headings[-1] == "next"
