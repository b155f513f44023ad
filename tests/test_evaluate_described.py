"""`assay evaluate --on MACHINE`: one document and a page with simulated beside published, cell by cell, and claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import assay


def test_a_described_machine_stands_beside_what_was_published(tmp_path: Path) -> None:
    made = assay("evaluate", "--on", "ncube3200", "--out", str(tmp_path / "run"), "--json")
    assert made.status == 0, made.err
    validation = made.document["validation"]
    echo = next(t for t in validation["tables"] if t["table"] == "appendixA.ncube3200.echo")
    assert echo["errors"]["all"]["cells"] == 66
    assert echo["errors"]["interpolated"]["cells"] == 44
    assert echo["errors"]["extrapolated"] is echo["errors"]["transferred"] is None
    assert echo["errors_baseline"]["interpolated"]["median"] < 0.001
    assert echo["errors"]["all"]["median"] < 0.01
    marks = {cell["mark"] for table in validation["tables"] for cell in table["cells"]}
    assert marks == {"quoted", "input", "fitted", "restated", "interpolated", "extrapolated", "transferred"}
    claims = {claim["claim"]: claim for claim in validation["claims"]}
    decay = claims["d91h.store-and-forward-decay"]  # of both machines: the iPSC/1's differs
    assert (decay["outcome"], decay["mark"]) == ("differs", "restated")
    assert {part["outcome"] for part in decay["parts"] if "ncube3200" in part["numbers"]} == {"holds"}
    assert validation["summary"]["cells"].startswith(
        "Of 107 judged cells: 44 interpolated, 1 extrapolated, 4 transferred"
    )
    assert "Only extrapolated and transferred ones are evidence" in validation["summary"]["claims"]
    assert validation["summary"]["evidence"]["cells"] == {"extrapolated": 1, "transferred": 4}  # of nodes
    echoes = next(each for each in made.document["benchmarks"] if each["benchmark"] == "echo")["figures"]
    kinds = {(f["params"]["hops"], f["kind"]) for f in echoes if f["name"] == "rate" and f["params"]["bytes"] == 1024}
    assert {(1, "fitted"), (3, "interpolated"), (6, "fitted")} <= kinds
    page = Path(made.document["report"]).read_text()
    assert "Of 107 judged cells: 44 interpolated" in page
    assert "Beside a baseline without a simulator" in page
    assert "Simulated and published" in page
    assert "Claims about it, evaluated" in page


def test_a_machine_that_nobody_published_is_evaluated_without_the_past(tmp_path: Path) -> None:
    made = assay("evaluate", "--on", "torus-tofud", "--set", "x=1", "--json")
    assert made.status == 2  # evaluate sets nothing
    made = assay("run", "ring", "--on", "torus-tofud", "-n", "8", "--out", str(tmp_path / "run"), "--json")
    assert made.status == 0, made.err


def test_all_machines_need_a_place_to_go() -> None:
    assert assay("evaluate", "--on", "all").status == 2


def test_a_block_holds_one_reading_unless_more_are_asked_for(tmp_path: Path) -> None:
    words = ("run", "echo", "--on", "ipsc860", "-n", "2", "--set", "bytes=8", "--json")
    for number, more in ((1, ()), (4, ("--set", "repetitions=4"))):
        made = assay(*words, *more, "--out", str(tmp_path / str(number)))
        assert made.status == 0, made.err
        (half,) = [each for each in made.document["figures"] if each["name"] == "half_round_trip"]
        assert half["samples"] == number
    assert assay(*words, "--set", "repetitions=none").status == 2


def test_a_message_of_more_flits_than_can_be_counted_is_refused(tmp_path: Path) -> None:
    words = ("run", "echo", "--on", "ipsc860", "-n", "2", "--set", "bytes=8", "--out", str(tmp_path / "run"))
    made = assay(*words, "--set", "machine.network.flit_bytes=1e-9", "--json")
    assert made.status == 2
    assert "a message of 8 bytes has too many flits on ipsc860: 8000000000; expected up to 2147483647" in made.err


@pytest.mark.nightly
def test_what_the_machine_has_no_place_for_is_in_the_document_and_in_the_summary(tmp_path: Path) -> None:
    """Two nodes of a cube have no third between them: the session finds that out, not the plan."""
    made = assay("evaluate", "--on", "ipsc860", "-N", "8", "--placement", "0,3,5,6,9,10,12,15", "--only", "messages",
                 "--launches", "1", "--out", str(tmp_path / "run"), "--json")  # fmt: skip
    assert made.status == 0, made.err
    reasons = {each["benchmark"]: each["reason"] for each in made.document["left_out"]}
    assert "four in a line" in reasons["contention"] and "got 8 ranks" in reasons["contention"]
    assert "contention" not in {each["benchmark"] for each in made.document["benchmarks"]}
    assert made.err.count("left out: contention") == 1
    shown = (tmp_path / "run" / "summary.md").read_text()
    assert "Channel contention: not measured" in shown
