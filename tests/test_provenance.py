"""What counts as evidence: no cell whose value went into a description, nor what follows from or lies between such."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.described.shipped import shipped
from assay.kinds import EVIDENCE, NumberKind
from assay.machine import catalogue
from assay.machine.catalogue import PublishedCell
from assay.published.cells import clauses, comparison, origins, twins
from assay.published.cells.answers import Played
from assay.published.cells.described_file import read
from assay.published.cells.provenance import Provenance
from assay.validation.machines.document import known
from command_line import assay

BEYOND = (NumberKind.INTERPOLATED, *EVIDENCE)  # neither used nor a function of what was
PUBLISHED = sorted(name for name, path in shipped().items() if known(read(path).published))
ORIGINS = {name: read(path).origin for name, path in shipped().items()}


def twinned(cell: PublishedCell) -> bool:
    return cell.benchmark in twins.RULES and cell.metric not in ("rate_flop", "time_8_B_multiply")


def behind(machine: str, **changed: str) -> Provenance:
    return Provenance(twinned, machine, ORIGINS[machine] | changed)


def cells(machine: str, benchmark: str, metric: str, paper: str = "dunigan1991_hypercubes") -> list[PublishedCell]:
    return catalogue.cells(machine=machine, benchmark=benchmark, metric=metric, paper=paper)


def used(cell: PublishedCell, machine: str) -> bool:
    """Whether an origin of the machine's file names the cell: written again, without what decides the marks."""
    return any(each.holds(cell) for each in named_by_origins(machine))


@functools.cache
def named_by_origins(machine: str) -> list[clauses.Named]:
    named = [each for text in ORIGINS[machine].values() for each in origins.used(text, read_name(machine))]
    return [
        *named,
        *(each for text in ORIGINS[machine].values() for each in origins.inputs(text, read_name(machine))[0]),
    ]


@functools.cache
def restated(text: str, machine: str) -> list[PublishedCell]:
    clause = clauses.named(text, machine)
    return [cell for cell in catalogue.load().cells if clause.holds(cell)]


@functools.cache
def read_name(machine: str) -> str:
    return read(shipped()[machine]).published


@pytest.mark.parametrize("machine", PUBLISHED)
def test_no_cell_that_was_used_or_follows_from_such_cells_is_more_than_that(machine: str) -> None:
    marks = behind(machine)

    def spent(cell: PublishedCell, deep: int = 0) -> bool:
        if used(cell, machine) or not twinned(cell):
            return True
        sources = [restated(text, machine) for text in cell.restates]
        return bool(sources) and deep < 9 and all(f and all(spent(c, deep + 1) for c in f) for f in sources)

    found = catalogue.cells(machine=read_name(machine))
    for cell in found:
        if twinned(cell):
            assert (marks.cell(cell) in BEYOND) == (not spent(cell)), cell
        else:
            assert marks.cell(cell) == "quoted"


@pytest.mark.parametrize("machine", PUBLISHED)
def test_no_evidence_has_a_value_that_an_origin_quotes(machine: str) -> None:
    """The words of the origins, read as a person would: a number and unit that stand there are no prediction."""
    units = {"us": ("us",), "kB/s": ("kB/s",), "MB/s": ("MB/s", "million bytes a second"), "us/B": ("us/B",)}
    text = " ".join(ORIGINS[machine].values())
    marks = behind(machine)
    for cell in catalogue.cells(machine=read_name(machine)):
        if twinned(cell) and marks.cell(cell) in BEYOND:
            for unit in units.get(cell.printed_unit, ()):
                assert not re.search(rf"(?<![\d.]){re.escape(f'{cell.printed:g}')} {re.escape(unit)}", text), cell


def test_summaries_restate_appendix_a() -> None:
    for machine in ("ipsc860", "ipsc2", "ncube6400", "ncube3200"):
        marks = behind(machine)
        for cell in catalogue.cells(machine=machine, benchmark=("echo-fit", "summary")):
            assert marks.cell(cell) == ("restated" if twinned(cell) else "quoted"), cell
        between = [c for c in cells(machine, "echo", "rate") if c.params["hops"] in (2, 3, 4, 5)]
        assert {marks.cell(c) for c in between} == {NumberKind.INTERPOLATED}
    assert marks.cell(cells("ncube3200", "echo", "utilisation")[0]) == "restated"


def test_what_was_stated_or_helped_to_choose_is_an_input() -> None:
    paragon = behind("paragon-mp")
    found = Counter(paragon.cell(c) for c in cells("paragon-mp", "echo", "", "dunigan1995_paragon_mp") or all_echoes())
    assert found == {"fitted": 2, "input": 3}  # 30 us and 171 MB/s; 25 us, 75 us and 109 MB/s
    delta = behind("delta")
    summary = {c.metric: delta.cell(c) for c in catalogue.cells(machine="delta", benchmark="summary")}
    assert summary == {
        "rate_8192_B": "input",  # 11.9 MB/s: before which segment a buffer is asked for
        "rate_flop": "quoted",
        "time_8_B": "fitted",
        "time_8_B_multiply": "quoted",
        "comm_comp_ratio": "restated",  # 775 = 62 / 0.08
    }
    assert {delta.cell(c) for c in catalogue.cells(machine="delta", benchmark="echo-fit")} == {NumberKind.TRANSFERRED}


def all_echoes() -> list[PublishedCell]:
    return catalogue.cells(machine="paragon-mp", benchmark="echo")


def test_marks_follow_the_origin_and_not_a_list() -> None:
    """Another description of the same machine, fitted on other cells, has other evidence."""
    marks = Provenance(twinned, "ipsc860", {"protocol.0.startup": "fitted: echo [hops 2]"})
    by_hops = {c.params["hops"]: marks.cell(c) for c in cells("ipsc860", "echo", "rate")}
    assert by_hops == {hops: NumberKind.FITTED if hops == 2 else NumberKind.EXTRAPOLATED for hops in (1, 2, 3, 4, 5, 6)}
    assert {marks.cell(c) for c in cells("ipsc860", "echo-fit", "alpha")} == {NumberKind.TRANSFERRED}
    assert {marks.cell(c) for c in cells("ncube6400", "echo-fit", "alpha")} == {"restated"}  # by the shipped file
    stated = Provenance(twinned, "ipsc860", {"a": "stated: 80 us; used: echo [hops 1] [message_B 8]"})
    assert [stated.cell(c) for c in cells("ipsc860", "summary", "time_8_B")] == ["restated"]
    assert [stated.cell(c) for c in cells("ipsc860", "summary", "rate_8192_B")] == [NumberKind.TRANSFERRED]


def test_claims_are_marked_as_cells_are() -> None:
    claims = {claim.id: claim for claim in catalogue.load().claims}
    marks = Provenance(twinned)
    found = {name: marks.claim(claims[name]) for name in claims}
    assert found["d95p.hop-latency"] == found["d95p.turbo"] == found["d91h.ipsc1-padding"] == "input"
    assert found["d91h.hop-ncube6400"] == found["d95p.bandwidth"] == "restated"
    assert found["d91d.peak-rate"] == "extrapolated"  # it follows from FORCE_TYPE's rate and the printed interrupt
    assert found["d91d.contention-delta"] == NumberKind.TRANSFERRED
    assert (
        found["d91h.routing-slowdown-falls"] == NumberKind.EXTRAPOLATED
    )  # another claim about the same program was used
    named = {claim for name, origin in ORIGINS.items() for claim in origins.claims_used(origin, name)}
    assert named <= set(claims)


@pytest.mark.parametrize(
    ("machine", "metric", "function"),
    [
        (machine, metric, function)
        for machine in ("ipsc860", "ipsc2", "ncube6400", "ncube3200")
        for metric, function in (
            ("rate_8192_B", lambda times: 8192 / times[8192]),
            ("time_8_B", lambda times: times[8]),
            ("beta", lambda times: np.polyfit(list(times), list(times.values()), 1)[0]),
        )
    ],
)
def test_a_restatement_is_the_function_that_it_is_said_to_be(
    machine: str, metric: str, function: Callable[[dict[int, float]], float]
) -> None:
    """Appendix A's one-hop column, put through the summary's formula, is what the summary prints: to a digit, or within
    1%, as the N3200's 401 us beside 19.8 kB/s."""
    column = [c for c in cells(machine, "echo", "rate") if c.params["hops"] == 1]
    times = {int(c.params["message_B"]): c.params["message_B"] / c.value for c in column}
    printed = [
        c for c in catalogue.cells(machine=machine, benchmark=("echo-fit", "summary"), metric=metric) if c.restates
    ]
    assert printed
    for cell in printed:
        digit = 10.0 ** -max(0, -math.floor(math.log10(cell.printed % 1 or 1))) * cell.value / cell.printed
        assert abs(function(times) - cell.value) <= max(1.01 * digit, 0.01 * cell.value), cell


def test_every_restatement_names_cells() -> None:
    load = catalogue.load()
    for cell in load.cells:
        for text in cell.restates:
            assert any(clauses.named(text, cell.machine or "").holds(other) for other in load.cells), (cell, text)
    for claim in load.claims:
        for text in claim.restates:
            found = [clauses.named(text, machine) for machine in claim.about]
            assert any(each.holds(other) for each in found for other in load.cells), (claim.id, text)


def test_only_evidence_is_counted_as_such() -> None:
    found = comparison.compare(Played(), "paragon-mp", "paragon-mp", ORIGINS["paragon-mp"])
    tables = [table for table in found if table.benchmark in ("echo", "pfs")]  # what is of nodes has evidence
    assert len(tables) == 2 and any(table.errors(kind) for table in found for kind in BEYOND)
    assert all(table.errors(kind) is None for table in tables for kind in BEYOND)
    assert sum(row.counts for table in tables for row in table.rows) == 5 + 3  # message times, and PFS rates


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        ("fitted: [bad", "cannot be read; got 'fitted: [bad'"),
        ("stated: x; used: echo [hops 1", "cannot be read"),
        ("stated: x; used: echo [hops 9]", "uses what was not published; got 'ncube3200 echo [hops 9]'"),
        ("stated: x; used: claim d91h.nothing", "uses what was not published; got 'd91h.nothing'"),
    ],
)
def test_an_origin_that_cannot_be_read_is_refused_before_anything_is_simulated(
    tmp_path: Path, origin: str, words: str
) -> None:
    text = (
        shipped()["ncube3200"].read_text().replace('"self.0.copy" = "fitted: echo-self"', f'"self.0.copy" = "{origin}"')
    )
    path = tmp_path / "mine.toml"
    path.write_text(text)
    line = 1 + text[: text.index(f'"{origin}"')].count("\n")
    for verb in (("fit",), ("evaluate", "--out", str(tmp_path / "run"))):
        made = assay(*verb, "--on", str(path))
        assert made.status == 2
        assert f"{path}:{line}: origin.self.0.copy: {words}" in made.err
    assert not (tmp_path / "run").exists()
