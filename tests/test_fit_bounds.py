"""A run whose short messages are bounds: the fit keeps to them, and does not continue the line of the long ones."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.described.machine_file import check, load
from assay.described.uncertainty import drawn, uncertainty
from assay.document.run_document import Document
from assay.fitting.from_run import description
from assay.published.cells.answers import play
from made_documents import document, figure, section

LENGTHS = (0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144)
LAUNCHES = 6


def echo(size: int, time: float, state: str = "clean", seed: int = 0, **more: Any) -> dict[str, Any]:
    """Six launches that differ by 2%, or a best reading."""
    random = np.random.default_rng((seed, size))
    made = figure("half_round_trip", time, "s", bytes=size) | {"better": "lower", "launches": LAUNCHES, **more}
    if state == "bound":
        return made | {"state": state, "statistic": "best", "best_by_launch": [[0, time]]}
    values = time * np.exp(0.02 * random.standard_normal(LAUNCHES))
    made["value"] = float(np.median(values))
    return made | {"state": state, "by_launch": [[at, float(value)] for at, value in enumerate(values)]}


def long_line(size: int) -> float:
    return 2.43e-6 + 0.11e-9 * size


def run_with_short_bounds(up_to: int = 1024) -> Document:
    """The run that the issue names: 8 bytes in at most .10 us by the best reading, a line of 2.43 us beyond."""
    best = {size: 0.098e-6 + 0.2e-9 * size for size in LENGTHS if size <= up_to}
    cells = [
        echo(size, best[size], "bound") if size in best else echo(size, long_line(size)) for size in LENGTHS
    ]  # fmt: skip
    return document(section("echo", cells))


def times(tables: Any, sizes: tuple[int, ...]) -> dict[int, float]:
    """What the described machine plays, one way, s."""
    machine = tables if not isinstance(tables, dict) else check(tables, Path("fitted"))
    found = play(machine, "echo", {"bytes": sizes, "on_ranks": 2}).figures
    return {
        int(each.params["bytes"]): each.value or 0.0
        for each in found
        if each.name == "half_round_trip" and each.statistic == "median"
    }


def test_short_messages_that_are_bounds_are_predicted_within_an_interval_below_them(tmp_path: Path) -> None:
    """It was 2.44 us for 8 bytes where the best reading was .10 us: the line of the long ones, continued."""
    text, about = description(run_with_short_bounds())
    path = tmp_path / "mine.toml"
    path.write_text(text)
    machine = load(path)
    best = 0.0996e-6
    assert 0 < times(machine, (8,))[8] <= best
    known = uncertainty(machine)
    assert known is not None
    played = sorted(times(drawn(machine, draw), (8,))[8] for draw in known.draws(60, 0))
    low, high = played[3], played[-4]
    assert low < 0.35 * best and 0.6 * best < high < 1.15 * best  # all that the bounds leave open, and no more
    assert low <= times(machine, (8,))[8] <= high
    assert any("only bounds were measured (0 B in at most 0.098 us)" in said for said in known.not_determined)
    assert [each["determined"] for each in about["stretches"]] == [False, True]
    sizes = (4096, 65536)
    assert times(machine, sizes) == {size: pytest.approx(long_line(size), rel=0.02) for size in sizes}


def test_a_bound_among_values_is_an_inequality() -> None:
    """One that the line keeps moves nothing, whatever it is; a value of the same size would."""
    plain = [echo(size, long_line(size)) for size in LENGTHS]
    expected = description(document(section("echo", plain)))[1]["stretches"]
    for times_longer in (1.3, 3.0):
        bounds = {size: echo(size, times_longer * long_line(size), "bound") for size in (64, 4096)}
        cells = [bounds.get(size) or each for size, each in zip(LENGTHS, plain, strict=True)]
        (found,) = description(document(section("echo", cells)))[1]["stretches"]
        assert found["alpha"] == pytest.approx(expected[0]["alpha"], rel=0.01)
        assert found["beta"] == pytest.approx(expected[0]["beta"], rel=0.01)
    one = [echo(size, 3.0 * long_line(size)) if size in (64, 4096) else echo(size, long_line(size)) for size in LENGTHS]
    damped = description(document(section("echo", one)))[1]["stretches"]
    assert len(damped) == 1 and damped[0]["alpha"] == pytest.approx(expected[0]["alpha"], rel=0.03)


def test_a_bound_that_the_line_would_pass_divides_the_lengths() -> None:
    """All below 32 kB are values; the longest are bounds far below what the line would make of them."""
    cells = [
        echo(size, long_line(size)) if size <= 16384 else echo(size, 0.5 * long_line(size), "bound") for size in LENGTHS
    ]
    found = description(document(section("echo", cells)))[1]["stretches"]
    assert [each["determined"] for each in found] == [True, False]
    assert found[1]["alpha"] + found[1]["beta"] * 262144 <= 0.5 * long_line(262144) * 1.01


def test_an_invalid_cell_is_not_used_and_a_run_of_bounds_alone_is_refused() -> None:
    cells = [echo(size, long_line(size)) for size in LENGTHS]
    expected = description(document(section("echo", cells)))[1]["stretches"]
    wrong = [each | {"value": 1.0, "state": "invalid"} if each["params"]["bytes"] == 4096 else each for each in cells]
    found = description(document(section("echo", wrong)))[1]["stretches"]
    assert found[0]["alpha"] == pytest.approx(expected[0]["alpha"], rel=0.02)
    bounds = [echo(size, long_line(size), "bound") for size in LENGTHS]
    with pytest.raises(Exception, match="neither an echo of three fitted lengths"):
        description(document(section("echo", bounds)))


def test_a_disturbed_value_is_one_that_may_be_less_by_so_much() -> None:
    """A third of the fitted cells is 20% longer, as their disturbance says they may be; the line goes by the others."""
    cells = []
    for place, size in enumerate(LENGTHS):
        if place % 6 == 0:
            moved = {"low": 0.0, "high": 0.4}
            cells.append(echo(size, 1.2 * long_line(size), "disturbed", disturbance=moved))
        else:
            cells.append(echo(size, long_line(size)))
    (found,) = description(document(section("echo", cells)))[1]["stretches"]
    assert found["alpha"] == pytest.approx(2.43e-6, rel=0.02)
    assert found["beta"] == pytest.approx(0.11e-9, rel=0.02)


def test_a_run_without_short_messages_says_so() -> None:
    cells = [echo(size, long_line(size)) for size in LENGTHS if size >= 1024]
    text, about = description(document(section("echo", cells)))
    said = tomllib.loads(text)["uncertainty"]["not_determined"]
    assert any(each.startswith("messages shorter than 1024 B: none was measured") for each in said)
    assert about["uncertainty"]["not_determined"] == said
    assert any(each.startswith("messages longer than 262144 B") for each in said)
