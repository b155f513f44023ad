"""A figure that nothing in a description determines is no number: it is named as not described."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmarks
from assay.described.shipped import open_described, shipped
from assay.errors import AssayError
from assay.published.cells.answers import Played, play
from by_night import by_night
from command_line import assay

FLAT = """
name = "flat"
nodes = 4
[messages]
startup = "70 us"
per_byte = "0.4 us/B"
"""


def test_a_message_to_oneself_is_not_described_where_the_file_is_silent(tmp_path: Path) -> None:
    made = assay("run", "self", "--on", "delta", "--set", "bytes=8", "--out", str(tmp_path / "run"))
    assert made.status == 2, made.err
    words = " ".join(made.out.split())
    assert "Self: not described by delta: [[self]]" in words
    assert "0 ps" not in made.out
    made = assay("run", "self", "--on", "delta", "--set", "bytes=8", "--out", str(tmp_path / "again"), "--json")
    assert made.document["figures"] == []
    assert "not described" in made.document["left_out"][0]["reason"]
    assert Played().ask("delta", "self", "time", bytes=(8,)) == []
    assert Played().ask("ipsc860", "self", "time", bytes=(8,))[0].value > 1e-5


def test_nothing_measured_and_nothing_quoted_is_one_verdict_of_every_verb(tmp_path: Path) -> None:
    path = tmp_path / "flat.toml"
    path.write_text(FLAT)
    reason = "nothing was measured: not described by flat: [storage], what its I/O nodes and disks take\n"
    for words in (("run", "file-rate"), ("evaluate", "--only", "files")):
        made = assay(*words, "--on", str(path), "--out", str(tmp_path / words[0]), "--quiet")
        assert made.status == 2 and made.err == f"assay: parallel-files: {reason}"
        assert made.out.startswith("flat: nothing measured: 0 benchmarks, ")
    for verb in ("evaluate", "plan"):
        made = assay(verb, "--on", str(path), "--only", "kernels")
        assert made.status == 2 and made.out == ""
        assert "--only: measures a real processor" in made.err and "nothing was published of this part" in made.err


def test_what_measured_nothing_is_neither_clean_nor_valid_in_the_json_of_every_verb(tmp_path: Path) -> None:
    path = tmp_path / "flat.toml"
    path.write_text(FLAT)
    for words in (("run", "file-rate"), ("evaluate", "--only", "files"), ("report",)):
        folder = str(tmp_path / "run" if words == ("report",) else tmp_path / words[0])
        where = (folder,) if words == ("report",) else ("--on", str(path), "--out", folder)
        made = assay(*words, *where, "--json")
        found = made.document
        assert made.status == (0 if words == ("report",) else 2)
        assert (found["state"], found["valid"], found["figures"]) == ("invalid", False, [])
        (warning,) = found["warnings"]
        assert warning == f"parallel-files: nothing was measured: {found['left_out'][0]['reason']}"
    shown = assay("report", str(tmp_path / "run"))
    assert "D missing: nothing was measured" in shown.out


def test_an_evaluation_of_nodes_alone_quotes_what_a_run_of_each_quotes() -> None:
    quoted = assay("evaluate", "--on", "paragon-mp", "--only", "threads", "--json")
    assert quoted.status == 0, quoted.err
    sections = {each["benchmark"]: each["figures"] for each in quoted.document["benchmarks"]}
    assert sections["lock"] == assay("run", "lock", "--on", "paragon-mp", "--json").document["figures"]


def test_a_machine_without_a_network_says_it_of_all_messages(tmp_path: Path) -> None:
    path = tmp_path / "flat.toml"
    path.write_text(FLAT)
    made = assay("run", "self", "--on", str(path), "--set", "bytes=8", "--out", str(tmp_path / "run"), "--json")
    assert made.status == 0, made.err
    assert all(figure["value"] for figure in made.document["figures"])
    assert made.document["figures"]


@pytest.mark.parametrize("machine", by_night(sorted(shipped()), ["ipsc860", "sgi-l1200-cluster"]))
def test_no_time_of_a_described_machine_is_nothing(machine: str) -> None:
    """Every message-passing benchmark: a time of zero, or a rate without end, would be a number from nowhere."""
    settings: dict[str, Any] = {"on_ranks": 4}
    for name, record in benchmarks().items():
        if record.kind != "ranks" or record.least_ranks > 4 or name in ("bystanders", "noise"):
            continue
        given = {"bytes": (64,)} if "bytes" in record.parameters else {}
        try:
            figures = play(open_described(machine), name, {**settings, **given}).figures
        except AssayError:
            continue  # it says what it lacks
        for figure in figures:
            if figure.unit in ("s", "B/s") and "kept" not in figure.name:
                assert figure.value is None or 0 < figure.value < 1e15, (name, figure.name, figure.params)


def test_one_benchmark_of_a_described_machine_opens_with_what_it_found(tmp_path: Path) -> None:
    made = assay("run", "self", "--on", "ipsc860", "--set", "bytes=8,8192", "--out", str(tmp_path / "self"))
    words = " ".join(made.out.split())
    assert "no valid result" not in words and "figure that stands" not in words
    assert "grade A (simulated: the same at every repetition of its seed)" in words
    assert "8192 160.56" in words


def test_a_headline_of_a_described_machine_says_at_which_length(tmp_path: Path) -> None:
    given = ("--on", "ipsc860", "-n", "2", "--set", "bytes=8,8192", "--out", str(tmp_path / "echo"))
    made = assay("run", "echo", *given)
    assert "greatest rate, messages of 8 KiB 2.59 MB/s" in " ".join(made.out.split())


@pytest.mark.nightly
def test_a_report_of_an_evaluated_description_holds_what_evaluating_gave(tmp_path: Path) -> None:
    folder = str(tmp_path / "run")
    words = ("--on", "paragon-mp", "-N", "4", "--only", "messages", "--launches", "1")
    first = assay("evaluate", *words, "--out", folder, "--json")
    assert first.status == 0, first.err
    page = Path(first.document["report"]).read_text()
    second = assay("report", folder, "--json")
    assert json.dumps(second.document["validation"]) == json.dumps(first.document["validation"])
    assert json.dumps(second.document["beside"]) == json.dumps(first.document["beside"])
    again = Path(second.document["report"]).read_text()
    for text in ("Simulated and published", "Claims about it, evaluated"):
        assert text in page
        assert text in again
    assert "d95p.turbo" in {claim["claim"] for claim in second.document["validation"]["claims"]}
    alone = str(tmp_path / "alone")
    assert assay("run", "ring", "--on", "paragon-mp", "-n", "2", "--set", "bytes=8", "--out", alone).status == 0
    assert "validation" not in assay("report", alone, "--json").document


def test_a_report_outlives_its_description(tmp_path: Path) -> None:
    path, folder = tmp_path / "flat.toml", str(tmp_path / "run")
    path.write_text(FLAT)
    made = assay("evaluate", "--on", str(path), "--only", "messages", "--out", folder, "--json")
    assert made.status == 0, made.err
    path.unlink()
    again = assay("report", folder, "--json")
    assert again.status == 0, again.err
    assert "no such file" in again.document["validation"]["reason"]
