"""Pages of coverage: every item has a row, each state comes from running the row's command, wrong numbers are seen."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.document import split_pages
from assay.errors import InputError
from assay.machine import catalogue
from assay.published.judge import ClaimVerdict
from assay.validation.claims import messages as claims
from assay.validation.coverage import checks, page
from assay.validation.coverage.asking import Asking, CommandAnswer
from assay.validation.coverage.checks import CheckResult, State, check, judge
from assay.validation.coverage.items import Item, ItemCheck, ItemCriterion, Report, read, reports
from assay.validation.coverage.markdown_tables import tables
from assay.verbs._in_process import asked_here

ROOT = Path(__file__).resolve().parent.parent
# How many items each report has: counted in the reports, by reading them.
ITEMS = {"H": range(1, 66), "D": range(66, 99), "P": range(99, 133), "V": range(1, 97), "G": range(1, 56)}
CHEAP: tuple[str, ...] = (
    "H15",
    "H16",
    "H21",
    "H30",
    "H38",
    "H52",
    "H62",
    "H63",
    "D66",
    "D76",
    "D87",
    "P99",
    "P115",
    "P123",
    "P124",
)
CHEAP += ("V6", "V11", "G6", "G7", "G9", "G16", "G18", "G19", "D69")
CHEAP += ("V7", "V60", "V63", "V71", "V93", "G3", "G27", "G36", "G45", "G51")
TENTH = {"tenth": ItemCriterion(share=0.1, basis="a test's")}


def answering(document: Mapping[str, Any] | None = None, refusal: str = "") -> Asking:
    """A command line that answers everything alike."""
    answer = (
        CommandAnswer(2, "", f"assay: {refusal}\n", refused=True)
        if refusal
        else CommandAnswer(0, json.dumps(document or {}))
    )
    return Asking(lambda words: answer)


def figure(value: float | None, name: str = "rate", **params: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "kind": "simulated", "statistic": "median", "params": params}


def test_every_item_has_a_row() -> None:
    ids = [item.id for report in reports() for item in report.item]
    assert ids == [f"{letter}{number}" for letter, numbers in ITEMS.items() for number in numbers]


def test_no_state_is_written_by_hand(tmp_path: Path) -> None:
    assert not {"state", "works"} & (set(Item.model_fields) | set(ItemCheck.model_fields))
    path = tmp_path / "own.toml"
    path.write_text('paper = "p"\n[[item]]\nid = "X1"\nwhere = "w"\nwhat = "x"\nwhy_not = "y"\nstate = "works"\n')
    with pytest.raises(InputError, match=r"own\.toml:7: item\.0\.state"):
        read(path)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("checks = []", "an item that nothing asks for says why not"),
        ('checks = [{ run = "doctor" }]', "a check has one of"),
        ('checks = [{ run = "doctor", words = ["x"], figures = ["rate"] }]', "a check has one of"),
        ('checks = [{ run = "doctor", says = ["a"], words = ["x"] }]', "a check has one of"),
        ('checks = [{ figures = ["rate"] }]', "all other checks have a command"),
        ('checks = [{ run = "run echo", claims = ["a"] }]', "all other checks have a command"),
        ('checks = [{ table = "ipsc860 echo" }]', "a criterion is for cells or a table"),
        ('checks = [{ table = "ipsc860 echo", within = "none" }]', "no criterion none"),
    ],
)
def test_a_record_that_asks_nothing_definite_is_refused(text: str, answer: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'paper = "p"\n[[item]]\nid = "X1"\nwhere = "w"\nwhat = "x"\n{text}\n')
    with pytest.raises(InputError, match=answer) as refused:
        read(path)
    assert re.match(r".*own\.toml:\d+: ", str(refused.value))


def test_what_records_name_is_in_the_catalogue() -> None:
    """Claims and cells; a cell that is not there yet makes its row absent, and no reading of Table 3.2 is there yet."""
    known = {claim.id for claim in catalogue.load().claims}
    for report in reports():
        assert report.paper in catalogue.load().papers
        for item in report.item:
            for one in item.checks:
                assert {claim.partition(" ")[0] for claim in one.claims} <= known, item.id
                named = f"{re.sub(r':[^ ]*', '', one.table, count=1)}"
                for text in (one.cells, one.quotes, one.prints, one.compared, named):
                    if text and "barrier" not in text:
                        assert checks.named(text), item.id


@given(st.lists(st.sampled_from(["works", "differs", "in part", "absent"]), max_size=5))
def test_an_item_is_what_its_checks_are(states: list[State]) -> None:
    """Works where all do, absent where all are, differs where one does and nothing is lacking; else in part."""
    many = [ItemCheck(run=f"run {place}", figures=["rate"]) for place in range(len(states))]
    found = dict(zip([one.run for one in many], states, strict=True))
    original = checks.check
    try:
        checks.check = lambda one, criteria, source: CheckResult(found[one.run])
        state = judge(Item(id="X", where="w", what="x", checks=many, why_not="y"), {}, answering()).state
    finally:
        checks.check = original
    if not states or all(each == "absent" for each in states):
        assert state == "absent"
    elif all(each == "works" for each in states):
        assert state == "works"
    elif all(each in ("works", "differs") for each in states):
        assert state == "differs"
    else:
        assert state == "in part"


def test_a_wrong_number_differs() -> None:
    one = ItemCheck(run="run linpack --on ipsc860", figures=["rate"], cells="ipsc860 linpack", within="tenth")
    (cell,) = checks.named("ipsc860 linpack")
    right, wrong = (check(one, TENTH, answering({"figures": [figure(factor * cell.value)]})) for factor in (1.05, 1.2))
    assert right.state == "works"
    assert wrong == CheckResult("differs", "7.2 Mflop/s for 6 Mflop/s (+20.0%), more than 10% (a test's)")


def test_a_broken_cell_of_the_catalogue_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    one = ItemCheck(table="ncube3200 echo [hops 1] [message_B 8]", within="tenth")
    with asked_here({}) as ask:
        source = Asking(ask)
        assert check(one, TENTH, source).state == "works"
        (cell,) = checks.named(one.table)
        monkeypatch.setattr(checks, "named", lambda text: [replace(cell, value=2 * cell.value)])
        assert check(one, TENTH, source).state == "differs"


def test_a_figure_that_does_not_come_out_is_absent() -> None:
    one = ItemCheck(run="run echo", figures=["rate"], at={"bytes": 8})
    assert check(one, {}, answering({"figures": [figure(1.0, bytes=8)]})).state == "works"
    for figures in ([], [figure(None, bytes=8)], [figure(1.0, bytes=16)], [figure(1.0, bytes=8) | {"kind": "quoted"}]):
        assert check(one, {}, answering({"figures": figures})) == CheckResult("absent", "no figure rate, bytes 8")
    refused = answering(refusal="benchmark: no such benchmark; got 'dense', expected caltech, clock")
    assert check(one, {}, refused) == CheckResult("absent", "benchmark: no such benchmark")


def test_a_value_that_is_not_quoted_is_absent() -> None:
    one = ItemCheck(run="run cholesky --on ipsc860", quotes="ipsc860 cholesky [precision single]")
    (cell,) = checks.named(one.quotes)
    quoted = {"published_as": "cholesky", "value": cell.value, "kind": "quoted"}
    assert check(one, {}, answering({"quoted": [quoted]})).state == "works"
    assert check(one, {}, answering({"quoted": [quoted | {"value": 2 * cell.value}]})).state == "absent"
    assert check(one, {}, answering({"quoted": [quoted | {"kind": "simulated"}]})).state == "absent"


def test_a_table_is_beside_where_own_and_printed_values_are() -> None:
    def made(*rows: str) -> bool:
        text = "**Table 3**\n\n|  | vm (measured) | iPSC/860 |\n| :--- | ---: | ---: |\n" + "\n".join(rows) + "\n"
        (found,) = tables(text)
        return found.beside

    assert made("| add | 1 ns | 100 ns |")
    assert not made("| add | – | 100 ns |")
    assert not made("| add | 1 ns | – |", "| mul | – | 100 ns |")
    (by_row,) = tables("**T**\n\n|  | r |\n|---|---|\n| vm (measured) | 1 |\n| XP1000 (quoted) | 2 |\n")
    assert by_row.beside
    (alone,) = tables("**T**\n\n|  | r |\n|---|---|\n| vm (measured) | – |\n| XP1000 (quoted) | 2 |\n")
    assert not alone.beside


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a", True),
        ("a.b", True),
        ("a.b.1.c", True),
        ("a.b.*.c", True),
        ("a.b.*.c = 2", True),
        ("a.b.1.c = 2", True),
        ("a.b.0.c = 2", False),
        ("a.b.*.c = 3", False),
        ("a.yes = true", True),
        ("a.zero", True),
        ("a.none", False),
        ("a.empty", False),
        ("a.b.2.c", False),
        ("a.b.c", False),
        ("a.b.1.c.d", False),
        ("x", False),
    ],
)
def test_a_place_has_a_value_or_the_one_that_is_named(text: str, found: bool) -> None:
    document = {"a": {"b": [{"c": None}, {"c": 2}], "none": None, "empty": [], "yes": True, "zero": 0}}
    one = ItemCheck(run="doctor", says=[text])
    assert check(one, {}, answering(document)).state == ("works" if found else "absent")
    assert check(one, {}, answering(refusal="no")) == CheckResult("absent", "no")


def test_claims_of_ghosh_are_those_of_the_studies_page(tmp_path: Path) -> None:
    (tmp_path / "ghosh").mkdir()
    (tmp_path / "ghosh" / "placement.md").write_text("\n**✗ differs**: It saturates. (`ghosh.scaling`, section 3.1)\n")
    one = ItemCheck(claims=["ghosh.scaling"])
    assert check(one, {}, Asking(lambda words: CommandAnswer(0, ""), docs=tmp_path)).state == "differs"
    assert check(one, {}, Asking(lambda words: CommandAnswer(0, ""))).state == "absent"


def test_a_claim_of_several_machines_is_judged_of_the_one_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[tuple[str, ...]] = []

    def judge_one(answers: Any, claim: Any) -> ClaimVerdict:
        judged.append(claim.about)
        return ClaimVerdict(claim.id, "holds", ())

    monkeypatch.setattr(claims, "judge", judge_one)
    source = answering()
    for text in ("d91h.contention", "d91h.contention ncube6400"):
        assert check(ItemCheck(claims=[text]), {}, source).state == "works"
    assert set(judged[0]) == {"ipsc860", "ncube6400"} and judged[1] == ("ncube6400",)


def test_several_commands_hand_their_run_on() -> None:
    asked: list[tuple[str, ...]] = []

    def ask(words: tuple[str, ...]) -> CommandAnswer:
        asked.append(words)
        return CommandAnswer(0, json.dumps({"folder": "runs/1"}))

    Asking(ask).answer("run vectors; compare RUN ipsc860", "--json")
    assert asked == [("run", "vectors", "--json"), ("compare", "runs/1", "ipsc860", "--json")]


@pytest.mark.nightly
def test_the_page_has_what_the_commands_give_now() -> None:
    """For rows that take no measurement and little time."""
    kept = dict(re.findall(r"^\| ([HDPVG]\d+) \|.*\| (works|differs|in part|absent) \|", _page(), re.MULTILINE))
    assert len(kept) == sum(map(len, ITEMS.values()))
    with asked_here(page.files()) as ask:
        source = Asking(ask, docs=ROOT / "docs")
        for report in reports():
            for item in report.item:
                if item.id in CHEAP:
                    assert judge(item, report.criterion, source).state == kept[item.id], item.id


def test_the_pages_summary_counts_its_rows() -> None:
    states = re.findall(r"^\| [HDPVG]\d+ \|.*\| (works|differs|in part|absent) \|", _page(), re.MULTILINE)
    words = ", ".join(f"{states.count(state)} {state}" for state in checks.STATES)
    assert f"**{len(states)} items of 5 reports: {words}.**" in _page()


def test_a_row_that_works_does_not_say_why_not() -> None:
    item = Item(id="X1", where="Table 1", what="x", checks=[ItemCheck(run="doctor", words=["a"])], why_not="because")
    for out, shown in (("a", False), ("b", True)):
        one = page.one(item, Report(paper="p", item=[item]), Asking(lambda words, out=out: CommandAnswer(0, out)))
        (row,) = page.rows([one]).rows
        assert ("because" in row[-1]) == shown
        assert row[3] == "`assay doctor`"


def _page() -> str:
    return split_pages.read(ROOT / "docs", "coverage")
