"""`assay fit`: a run becomes a description that repeats it; a description's own numbers are found again."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from assay.described.machine_file import load
from assay.fitting.length_ranges import ranges
from assay.fitting.measured_cells import MeasuredCells
from assay.published.cells.answers import play
from command_line import assay
from example_inputs import CONSTANT


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


@pytest.mark.parametrize(("machine", "protocols"), [(CONSTANT, 1), ("ipsc860", 3)])
def test_an_echo_does_not_tell_how_its_start_up_divides(machine: str, protocols: int, tmp_path: Path) -> None:
    """Another division of the same sum gives the same echo, so the halves are assumed; the rest is fitted."""
    assert assay("run", "echo", "--on", machine, "--out", str(tmp_path / "run"), "-q").status == 0
    out = tmp_path / "mine.toml"
    assert assay("fit", str(tmp_path / "run"), "-o", str(out), "-q").status == 0
    text = out.read_text().partition("[uncertainty]")[0]  # whose intervals hold the fitted numbers
    origin = tomllib.loads(text)["origin"]
    unsure = {f"protocol.{place}.{key}" for place in range(protocols) for key in ("startup", "receive")}
    assert {key for key, said in origin.items() if "how it divides is assumed" in said} == unsure
    assert all(said.startswith("fitted: echo (half of ") for key, said in origin.items() if key in unsure)
    one_sided = tmp_path / "one_sided.toml"
    lines = text.splitlines()
    for at, line in enumerate(lines):
        key, _, value = line.partition(" = ")
        if key in ("startup", "receive") and value.endswith(' ns"'):
            lines[at] = f'{key} = "{float(value[1:-4]) * (1.5 if key == "startup" else 0.5):.8g} ns"'
    one_sided.write_text("\n".join(lines))
    sizes = {"bytes": (8, 64, 512, 8192)}
    found = [
        [each.value for each in play(load(file), "echo", sizes).figures if each.name == "half_round_trip"]
        for file in (out, one_sided)
    ]
    assert found[0] == pytest.approx(found[1], rel=1e-4)
    assert len(found[0]) >= 4


def test_a_machine_without_hops_has_its_line_as_a_comment(tmp_path: Path) -> None:
    """It is the law of examples/constant.toml: 70 us and 0.4 us a byte."""
    assert assay("run", "echo", "--on", CONSTANT, "--out", str(tmp_path / "run"), "-q").status == 0
    lines = assay("fit", str(tmp_path / "run")).out.splitlines()
    messages = tomllib.loads(Path(CONSTANT).read_text())["messages"]
    assert (messages["startup"], messages["per_byte"]) == ("70 us", "0.4 us/B")
    (law,) = [line for line in lines if line.startswith("# T = ")]
    assert law.startswith("# T = 70 µs + 400 ns/B x N over 8 to ")
    assert law.endswith(" B (robust)")


def cut(times: dict[float, float]) -> list[tuple[float, float]]:
    """The ranges of lengths that times without noise are cut into."""
    lengths, values = np.array(list(times)), np.array(list(times.values()))
    none = np.zeros(len(times))
    cells = MeasuredCells(lengths, none, values, none > 0, none, np.full((0, len(times)), np.nan))
    return [(each.first, each.last) for each in ranges(cells, none + 0.005)]


def test_a_line_is_not_cut_and_a_jump_is() -> None:
    line = {float(n): 1e-6 + 1e-9 * n for n in (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)}
    assert cut(line) == [(8, 4096)]
    jump = {size: time + (5e-6 if size > 100 else 0) for size, time in line.items()}
    assert cut(jump) == [(8, 64), (128, 4096)]


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
        assert "expected" in refused.err


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
    assert line.startswith("assay: bare.toml: origin: none of its numbers was fitted")
    assert 'expected a line of [origin] such as "protocol.0.startup" = "fitted: ' in line
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
