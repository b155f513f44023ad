"""`assay fit`: a run becomes a description that repeats it; a description's own numbers are found again."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.described.machine_file import load
from assay.papers.cells.answers import play
from assay.papers.fitting.from_run import stretches
from command_line import assay


def test_a_run_becomes_a_description_that_repeats_it(tmp_path: Path) -> None:
    ran = assay("run", "echo", "--on", "ipsc860", "--set", "hops=1", "--out", str(tmp_path / "run"), "--json")
    assert ran.status == 0, ran.err
    times = {
        figure["params"]["bytes"]: figure["value"]
        for figure in ran.document["figures"]
        if figure["name"] == "half_round_trip" and figure["statistic"] == "median"
    }
    out = tmp_path / "mine.toml"
    made = assay("fit", str(tmp_path / "run"), "--out", str(out), "--json")
    assert made.status == 0, made.err
    document = made.document
    assert document["stretches"][0]["greatest"] == 64  # the protocol changes beyond 100 bytes
    again = {
        each.params["bytes"]: each.value
        for each in play(load(out), "echo", {"bytes": tuple(times)}).figures
        if each.name == "half_round_trip" and each.statistic == "median"
    }
    assert again == {size: pytest.approx(time, rel=0.02) for size, time in times.items()}


def test_a_line_is_not_cut_and_a_jump_is() -> None:
    line = {float(n): 1e-6 + 1e-9 * n for n in (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)}
    assert len(stretches(line)) == 1
    jump = {size: time + (5e-6 if size > 100 else 0) for size, time in line.items()}
    assert [(s["least"], s["greatest"]) for s in stretches(jump)] == [(8, 64), (128, 4096)]


def test_a_description_is_fitted_again(tmp_path: Path) -> None:
    made = assay("fit", "--on", "paragon-mp", "--out", str(tmp_path / "again.toml"), "--json")
    assert made.status == 0, made.err
    numbers = [number for fit in made.document["fits"] for number in fit["numbers"]]
    assert all(number["found"] == pytest.approx(number["filed"], rel=1e-3) for number in numbers)
    assert load(tmp_path / "again.toml").name == "paragon-mp"


def test_what_fit_takes_is_said() -> None:
    for words in (("fit",), ("fit", "some-run", "--on", "ipsc2"), ("fit", "--on", "nowhere")):
        refused = assay(*words)
        assert refused.status == 2
        assert "accepted" in refused.err


BARE = 'name = "bare"\n[messages]\nstartup = "70 us"\n'
ORIGIN = '[origin]\n"messages.startup" = "stated: Table 1"\n'


@pytest.mark.parametrize("text", [BARE, BARE + ORIGIN])
@pytest.mark.parametrize("more", [(), ("-q",), ("--json",), ("-o", "again.toml")])
def test_a_description_without_fitted_numbers_is_refused(
    more: tuple[str, ...], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It printed nothing, or `0 numbers fitted`, and wrote an unchanged copy."""
    monkeypatch.chdir(tmp_path)
    Path("bare.toml").write_text(text)
    refused = assay("fit", "--on", "bare.toml", *more)
    assert (refused.status, refused.out) == (2, "")
    (line,) = refused.err.splitlines()
    assert line.startswith("assay: bare.toml: origin: no number of it says that it was fitted")
    assert 'accepted: a line of [origin] such as "protocol.0.startup" = "fitted: ' in line
    assert not Path("again.toml").exists()


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("nowhere/mine.toml", "--out: is in no folder that is there"),
        ("mine.toml", "mine.toml: cannot be written: "),
    ],
)
def test_a_file_that_cannot_be_written_is_wrong_input(
    out: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").mkdir()
    assert assay("run", "echo", "--on", "ipsc860", "--set", "hops=1", "--out", "run", "-q").status == 0
    for what in (("run",), ("--on", "paragon-mp")):
        refused = assay("fit", *what, "-o", out)
        assert (refused.status, refused.out) == (2, "")
        (line,) = refused.err.splitlines()
        assert line.startswith(f"assay: {words}")
