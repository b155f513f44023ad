"""JUnit XML and the sheet of a contract's verdicts, read by independent parsers."""

from __future__ import annotations

import hashlib
from html.parser import HTMLParser
from pathlib import Path

import junitparser
import pytest

from command_line import assay
from test_accept import EIGHT, LATENCY, contract, measured

pytestmark = pytest.mark.usefixtures("own_folder")
HOSTILE = "\\u001b[31mred<script>alert(1)</script>"


def three() -> Path:
    """A requirement that is met, one that is missed, one that is not measured."""
    measured(EIGHT)
    met, missed = f'{LATENCY}at_most = "2 us"\n', f'{LATENCY}at_most = "0.5 us"\n'.replace('"latency"', '"missed"')
    lacking = f'{LATENCY}at_most = "2 us"\n'.replace('"latency"', f'"{HOSTILE}"').replace("bytes = 8", "bytes = 16")
    return contract(met, missed, lacking)


def test_junit_has_a_case_for_each_node_and_not_shown_is_skipped() -> None:
    answer = assay("accept", str(three()), "--run", "run", "--junit", "out.xml")
    assert answer.status == 3
    suites = list(junitparser.JUnitXml.fromfile("out.xml"))
    outcomes = [[type(each) for each in case.result] for suite in suites for case in suite]
    assert outcomes == [[], [junitparser.Failure], [junitparser.Skipped]]
    assert [(suite.tests, suite.failures, suite.skipped, suite.errors) for suite in suites] == [
        (1, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0),
    ]  # fmt: skip
    (failure,) = next(iter(suites[1])).result
    assert "0 of 8 launches met the limit" in failure.message
    assert "\x1b" not in Path("out.xml").read_text()


class Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name in ("src", "href") for name, _ in attrs)  # it needs no other file

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_sheet_says_what_was_promised_and_measured_on_what_and_by_what() -> None:
    path = three()
    assert assay("accept", str(path), "--run", "run", "--sheet", "sheet.html").status == 3
    read = Texts()
    read.feed(Path("sheet.html").read_text())
    text = " ".join(read.texts)
    assert "script" not in read.tags and "\x1b" not in text
    promised = ("delivery", "≤ 2 µs", "no case has bytes = 16", "it must meet the limit")
    for said in (*promised, "rejected", "1.005 µs", "not shown", "Assay 0."):
        assert said in text, said
    for file in (path, *(Path("run") / name for name in ("run.json", "journal.jsonl", "samples.parquet"))):
        assert hashlib.sha256(file.read_bytes()).hexdigest() in text, file


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--junit", "a.html"), "--junit: is written as XML"),
        (("--sheet", "a.xml"), "--sheet: is written as HTML"),
        (("--sheet", "no/a.html"), "--sheet: is in no folder that is there"),
        (("--junit", "a", "--sheet", "a"), "--sheet: is --junit too"),
        (("--via", "local"), "--via: has no effect with --run run"),
        (("--most", "3"), "--most: has no effect with --run run"),
        (("--template",), "has no effect with --template"),
    ],
)
def test_options_without_effect_are_refused_before_a_file_is_written(words: tuple[str, ...], said: str) -> None:
    path = three()
    before = set(Path().iterdir())
    answer = assay("accept", str(path), "--run", "run", *words)
    assert answer.status == 2 and said in answer.err and set(Path().iterdir()) == before
