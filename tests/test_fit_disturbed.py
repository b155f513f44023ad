"""What disturbed values, and launches that were far off, do to a fit: they widen nothing but what rests on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.case import Case
from assay.document.reported_figure import Moved, ReportedFigure
from assay.fitting.length_lines import length_lines
from assay.fitting.measured_cells import MeasuredCells, times
from assay.fitting.resampled import launch_deviation, unexplained

LENGTHS = np.array([8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384])
START, PER_BYTE, NOISE, LAUNCHES = 70e-6, 0.4e-6, 0.004, 8


def cell(length: int, time: float, high: float | None = None, seed: int = 0) -> ReportedFigure:
    """An echo of eight launches; `high`: by how much of its undisturbed time it may be longer."""
    launches = time * np.exp(NOISE * np.random.default_rng((seed, length)).standard_normal(LAUNCHES))
    made = ReportedFigure(
        benchmark="echo", name="half_round_trip", value=float(np.median(launches)), unit="s", statistic="median",
        params=Case({"bytes": length}), reasons=[], launches=LAUNCHES,
        by_launch=[[at, float(value)] for at, value in enumerate(launches)],
    )  # fmt: skip
    return made if high is None else replace(made, state="disturbed", disturbance=Moved(0.0, high))


def line(length: Any) -> Any:
    return START + PER_BYTE * length


def measured(moved: dict[int, tuple[float, float]], seed: int = 0) -> MeasuredCells:
    """The echo, some lengths longer by a factor, which their disturbance says may be up to the second number."""
    cells = []
    for length in map(int, LENGTHS):
        by, high = moved.get(length, (1.0, 0.0))
        cells.append(cell(length, by * line(length), high or None, seed))
    return times(cells)


def test_any_time_that_a_disturbance_leaves_possible_is_as_likely() -> None:
    """Of 3 s with at most 50% more: uniform from 2 to 3 s. Of a rate with at most a third less: the same time."""
    alone = [cell(8, 1.0), cell(16, 1.0)]
    longer = replace(cell(64, 1.0, 0.5), value=3.0)
    found = times([*alone, longer])
    assert (found.value[2], found.slack[2]) == (pytest.approx(2.5), pytest.approx(1 / 12**0.5 / 2.5))
    slower = replace(longer, value=1 / 3, better="higher", unit="1/s", disturbance=Moved(-1 / 3, 0.0))
    found = times([*alone, slower], lambda _, rate: 1 / rate)
    assert (found.value[2], found.slack[2]) == (pytest.approx(2.5), pytest.approx(1 / 12**0.5 / 2.5))


def test_a_disturbed_value_is_no_lack_of_fit() -> None:
    """One of four values is half as long again, as it may be: the line through the others misses nothing."""
    cells = measured({32: (1.5, 0.6)}).chosen(LENGTHS <= 64)
    variance, free = unexplained(cells, line(cells.length))
    assert variance == pytest.approx(9e-6) and free == 0
    whole = measured({32: (1.5, 0.6)})
    variance, free = unexplained(whole, line(whole.length))
    assert free == len(LENGTHS) - 3 and variance**0.5 < 2 * NOISE
    unsaid = measured({32: (1.5, 0.0)}).chosen(LENGTHS <= 256)  # a clean value that is as far off is one
    assert unexplained(unsaid, line(unsaid.length))[0] ** 0.5 > 2 * NOISE


def test_disturbed_values_leave_the_other_lengths_well_known() -> None:
    """Intervals of lengths with clean neighbours are of a few times the noise; they were of tens of percent."""
    found = length_lines(measured({16: (1.9, 1.1), 32: (1.6, 0.8), 2048: (1.3, 0.4), 8192: (1.7, 1.0)}))
    assert found is not None
    for length in (8, 128, 1024, 4096, 16384):
        of = next(each for each in found.lines if each.up_to is None or length <= each.up_to)
        low, high = np.quantile(of.alphas + of.betas * length, [0.05, 0.95]) / line(length)
        assert low < 1.005 and high > 0.995 and high / low < 1.06, (length, low, high)


@pytest.mark.parametrize("seed", range(5))
def test_no_byte_takes_less_than_the_network_s_however_disturbed_the_short_messages(seed: int) -> None:
    """Of the short messages, another protocol's, the longest alone is clean: the line through it goes down to it."""
    short = [cell(length, line(length) * by, 1.0, seed) for length, by in ((8, 1.9), (16, 1.8), (32, 1.7))]
    long = [cell(int(length), 2 * line(length), None, seed) for length in LENGTHS if length > 64]
    found = length_lines(times([*short, cell(64, line(64), None, seed), *long]))
    assert found is not None and found.lines[0].greatest == 64
    first, network = found.lines[0], found.lines[-1].beta
    assert first.beta >= 0.99 * network
    assert first.alpha + first.beta * 64 == pytest.approx(line(64), rel=0.01)
    low, high = np.quantile(first.alphas + first.betas * 8, [0.05, 0.95])
    assert low < line(8) * 1.01 and high < 1.25 * line(8)


def test_a_launch_that_was_far_off_does_not_widen_the_spread() -> None:
    """Three times as long once, as 1 of 60 recorded launches was: of the other seven each differs by 0.4%."""
    found = []
    for seed in range(60):
        clean = cell(8, 1.0, None, seed)
        spoilt = [[at, value * (3.0 if at == seed % LAUNCHES else 1.0)] for at, value in clean.by_launch]
        found.append(launch_deviation(times([replace(clean, by_launch=spoilt)])))
    assert NOISE < np.median(found) < 2.5 * NOISE  # from the mean it was 0.3
