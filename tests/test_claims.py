"""Every claim of the three papers has its place; words are tested as they are meant, with allowances from print."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from assay.described.shipped import shipped
from assay.machine import catalogue
from assay.machine import published as block
from assay.published.cells import allowance
from assay.published.cells.answers import Answer, Played
from assay.published.cells.described_file import read
from assay.published.contrasts import computing, table
from assay.validation.claims import claim_kinds, clusters, from_print, special, unjudged, whole_programs
from assay.validation.claims import messages as claims
from assay.validation.claims.quantities import QUANTITIES
from assay.validation.machines import fallen_apart as uncertain
from assay.validation.machines.document import claim_grid, judged_claim

PAPERS = ("dunigan1991_hypercubes", "dunigan1991_delta", "dunigan1995_paragon_mp")


class Timed:
    """Machines whose one-way time is a function of name, length and hops."""

    def __init__(self, time: Callable[[str, int, int], float]) -> None:
        self.time = time

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Any) -> list[Answer]:
        return [
            Answer({"bytes": size, "hops": hops}, size / time if figure == "rate" else time)
            for size in settings.get("bytes", ())
            for hops in settings.get("hops", (1,))
            if benchmark == "echo"
            for time in [self.time(machine, size, hops)]
        ]


def outcome(name: str, time: Callable[[str, int, int], float]) -> str:
    return str(claims.judge(Timed(time), claims.published()[name]).outcome)


def simulated(claim: block.Claim) -> bool:
    """Whether a simulation answers it."""
    if claim.id in {*unjudged.REASONS, *from_print.JUDGES, *whole_programs.JUDGES}:
        return False
    if whole_programs.reason(claim) is not None:
        return False
    if claim.id in special.JUDGES or claim.id in clusters.JUDGES:
        return True
    named = any((name, claim.metric or "") in QUANTITIES for name in claim.of or ("",))
    return claim.kind in claim_kinds.KINDS and named


def test_every_claim_is_judged_or_named_with_a_reason() -> None:
    known = claims.published()
    assert len(known) == 81 + 17 + 38  # the clusters' about communication, and about jobs, files and applications
    kinds = {
        name: (
            simulated(claim),
            name in from_print.JUDGES or name in whole_programs.JUDGES,
            name in unjudged.REASONS or whole_programs.reason(claim) is not None,
        )
        for name, claim in known.items()
    }
    assert all(sum(each) == 1 for each in kinds.values()), [n for n, each in kinds.items() if sum(each) != 1]
    assert {*special.JUDGES, *clusters.JUDGES, *from_print.JUDGES, *unjudged.REASONS, *claims.NOTES} <= set(known)
    assert sum(each[0] for each in kinds.values()) == 68 + 17 + 8 + 14 + 7  # the last ones by programs of ours


def test_every_claim_of_van_der_steen_is_judged_or_named_somewhere() -> None:
    """Of kernels and module 3 in published/contrasts, all others here."""
    of_kernels = {each.claim for contrast in table.CONTRASTS for each in contrast.stated} | {*computing.JUDGES}
    every = {claim.id for claim in catalogue.load().claims if claim.id.startswith("vds.")}
    assert len(every) == 62 + 4 + 6 and every <= of_kernels | set(claims.published())


def test_jobs_and_files_are_judged_and_applications_named_with_a_reason() -> None:
    """Printed: 16,000 and 9,320 s; 8 and 6, 5 and 4 MB/s. Four jobs of 11,000 s take 8 of 18 nodes each."""
    asked = {k: claim for k, claim in claims.published().items() if whole_programs.speaks_of_whole_programs(claim)}
    found = {name: claims.judge(Timed(lambda *_: 1.0), claim) for name, claim in asked.items()}
    assert len(found) == 28 + 4 + 6
    files, longer = found["vds.io-comparable"], found["vds.throughput-ibm-vs-sgi"]
    assert files.outcome == longer.outcome == "holds" and files.mark == longer.mark == "quoted"
    assert [part.numbers.partition(" (")[0] for part in files.parts] == [
        "mod3a, read: 8 MB/s, Origin2000 6 MB/s",
        "mod3a, write: 5 MB/s, Origin2000 4 MB/s",
    ]
    assert longer.parts[0].numbers == "as printed: 16,000 s, 9,320 s on the IBM cluster"
    decide = found["vds.throughput-euroben-dominates"]  # half of it is not tested
    assert decide.outcome == "inconclusive" and decide.parts[0].outcome == "holds"
    two_at_a_time = 2 * 11_000
    assert two_at_a_time <= whole_programs.makespan("compaq-xp1000-cluster") < 2 * two_at_a_time
    open_ = {name: each for name, each in found.items() if each.outcome == "inconclusive"}
    assert len(open_) == 26 + 4 + 6 and all(each.parts[0].numbers for each in open_.values())
    assert open_["vds.origin-vs-intel-user"].parts[0].numbers.startswith("Of primmod the Origin2000")


def test_what_is_judged_says_whether_it_was_an_input() -> None:
    found = {v.claim: v for v in claims.evaluate(Timed(lambda machine, size, hops: 1e-4 + 1e-6 * size + 1e-6 * hops))}
    assert set(found) == set(claims.published())
    for name, verdict in found.items():
        assert (verdict.mark is None) == (verdict.outcome == "inconclusive"), name
    assert found["d91d.ipsc860-protocol"].mark is None  # a straight line has no break
    assert {found[name].mark for name in from_print.JUDGES} == {"quoted"}
    rows = {row[2]: row for row in claim_grid([judged_claim(found["d91h.linear-time"], "x")], "t").rows}
    assert rows["x"][:2] == ("✓ holds", "restated")
    text = claims.summary([found[name] for name in ("d91h.linear-time", "d91h.echo-return-path", "d91h.i860-compiled")])
    assert text == (
        "Of 3 claims 2 hold, 0 differ, 1 inconclusive. Those that hold by kind: 1 restated, 1 transferred. "
        "Only extrapolated and transferred ones are evidence: 1, of which 1 hold."
    )


def test_an_allowance_says_which_print_it_is_from() -> None:
    for claim in catalogue.load().claims:
        has = claim.tol_rel is not None or claim.tol_abs is not None
        if claim.paper in (*PAPERS, "ghosh_parallel_io"):
            assert has == (claim.tol_basis is not None), claim.id
        else:  # van der Steen's words have no numbers as often as not: each says what its allowance rests on
            assert claim.tol_basis, claim.id
            assert has or not claim.tol_basis.startswith("half"), claim.id


def test_a_number_in_print_leaves_half_of_its_last_digit_and_a_difference_of_times_a_tick() -> None:
    known = claims.published()
    assert allowance.claimed(known["d91d.peak-rate"], "delta") == pytest.approx(0.05e6)
    assert allowance.claimed(known["d91h.hop-ncube6400"], "ncube6400") == pytest.approx(0.5e-6)
    assert allowance.claimed(known["d91h.hop-ipsc860-short"], "ipsc860") == pytest.approx(1.5e-6)
    assert allowance.claimed(known["d91h.routing-slowdown-first-generation"], "ipsc1") == pytest.approx(0.05)


def test_in_proportion_is_a_proportion() -> None:
    """Falling with every hop is not enough: six hops leave a sixth, or what Appendix A prints in its place."""
    name = "d91h.store-and-forward-decay"
    assert outcome(name, lambda machine, size, hops: 1e-6 * size * hops) == "holds"
    assert outcome(name, lambda machine, size, hops: 1e-6 * size * (2 + hops)) == "differs"  # 3/8
    assert outcome(name, lambda machine, size, hops: 1e-6 * size * (1 + 0.08 * hops)) == "differs"  # 0.73


def test_linear_is_as_straight_as_what_the_paper_calls_so() -> None:
    assert outcome("d91h.linear-time", lambda machine, size, hops: 1e-4 + 1e-6 * size) == "holds"
    assert outcome("d91h.linear-time", lambda machine, size, hops: 1e-4 + 1e-6 * size**1.5) == "differs"
    assert outcome("d91d.time-model", lambda machine, size, hops: 1e-4 + 1e-6 * size + 1e-5 * hops) == "holds"
    assert outcome("d91d.time-model", lambda machine, size, hops: 1e-4 + 1e-6 * size * hops) == "differs"


def test_padded_messages_take_one_time() -> None:
    name = "d91h.ipsc1-padding"
    assert outcome(name, lambda machine, size, hops: 1e-3 + 1e-6 * max(size, 32)) == "holds"
    assert outcome(name, lambda machine, size, hops: 1e-3 + 1e-6 * size) == "differs"


def test_the_segments_of_the_ipsc1_break_at_1024() -> None:
    name = "d91h.segment-ipsc1-1024"
    assert outcome(name, lambda machine, size, hops: 1e-3 + 1e-6 * size + 1e-3 * (size > 1024)) == "holds"
    assert outcome(name, lambda machine, size, hops: 1e-3 + 1e-6 * size + 1e-3 * (size > 1000)) == "differs"
    assert outcome(name, lambda machine, size, hops: 1e-3 + 1e-6 * size) == "inconclusive"


def test_what_only_the_print_answers_is_judged_from_it() -> None:
    known = claims.published()
    numbers = {name: from_print.JUDGES[name](known[name]) for name in from_print.JUDGES}
    assert {part.outcome for parts in numbers.values() for part in parts} == {"holds"}
    assert [part.numbers.split(" times")[0] for part in numbers["d91h.ipsc860-vs-ncube6400-kernels"]] == [
        "Table 4, sieve: 6.8",
        "Table 4, dhrystone: 13.8",
        "Table 4, floatmath: 3.2",
        "Table 4, whetstone: 3.3",
    ]
    four = known["d91h.ipsc860-vs-ncube6400-kernels"].model_copy(update={"value_min": 5})
    assert [p.outcome for p in from_print.JUDGES[four.id](four)] == ["holds", "holds", "differs", "differs"]


def test_the_ipc_of_the_paragon_is_compared_as_an_input() -> None:
    """45 MB/s are a number of the description; an echo of a megabyte has 171 (Paragon, section 4)."""
    claim = claims.published()["d95p.ipc-limits-io"]
    found = claims.judge(Played(), claim)
    assert (found.outcome, found.mark) == ("holds", "input")
    assert found.parts[0].numbers == "IPC 45 MB/s, the mesh 171 MB/s"
    stricter = claim.model_copy(update={"value": 0.2})
    assert claims.judge(Played(), stricter).outcome == "differs"


def test_no_claim_says_more_than_its_source() -> None:
    """Section 6 puts no factor on the iPSC/860's ratio."""
    claim = claims.published()["d91h.comm-comp-ratio"]
    assert "ten times" not in claim.text
    assert "coarser grained" in claim.text


def test_a_table_that_fell_apart_is_shown_and_counts_for_nothing() -> None:
    (fallen,) = (one for one in catalogue.load().of(block.Unreadable) if one.fragments)
    (shown,) = uncertain.tables(Timed(lambda machine, size, hops: 1e-4))
    assert "reading uncertain" in shown.title
    assert uncertain.tables(Timed(lambda machine, size, hops: 1e-4), "ipsc1") == []
    assert [row[:2] for row in shown.rows] == [
        ("2 ?", "109 ?"),
        ("4 ?", "234 I 375 1 ?"),
        ("8 ?", "473 38 1 375 ?"),
        ("16 ?", "923 546 569 ?"),
        ("64 ?", "847 I 970 1 ?"),
    ]
    printed = [number for one in fallen.fragments for number in re.findall(r"\d+", one.text.replace("38 1", "381"))]
    placed = [f"{number:.0f}" for one in fallen.fragments for number in one.reading.values()]
    assert Counter(printed) - Counter(placed) == Counter(["375", "1", "1"])  # a second 375; table rules read as ones
    numbers = {number for one in fallen.fragments for number in re.findall(r"\d{3}", one.text)} | {"109", "234", "847"}
    for machine, path in shipped().items():
        texts = [f"{key} {text}" for key, text in read(path).origin.items() if "barrier" in f"{key} {text}".lower()]
        assert not [text for text in texts for number in numbers if re.search(rf"\b{number}\b", text)], machine
    assert all("step" not in read(path).table.get("barrier", {}) for path in shipped().values())  # no time is given
    assert not [c for c in catalogue.load().cells if c.benchmark == "barrier" and c.paper == fallen.paper]
