"""Times on several ranks, predicted from kernels on one rank and messages: a closed form, and a run of MPI's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assay.analysis.binomial import share_interval
from assay.analysis.figures import CaseSamples
from assay.analysis.fits import fits
from assay.benchmark.record import benchmark
from assay.case import Case
from assay.document.account import TimeAccount
from assay.document.fits import Fit
from assay.document.json_form import from_json
from assay.report.derive.document import frame
from assay.report.sections.prediction import coverage, predicted, tables, with_echo
from command_line import assay
from mpis_here import MPI

FLOPS = 2.0**25 * 26.68e9 / 536870912  # of EP, class S
STARTUP, PER_BYTE = 3e-6, 2e-9
CASE = {"kernel": "ep", "class": "S", "operations": 2**25}


def account(ranks: int, time: float) -> TimeAccount:
    """EP takes 2 s on one rank, in which it computes all the time."""
    lengths = (8, 64, 512, 4096, 32768) if ranks > 1 else ()
    return TimeAccount(
        params=Case({**CASE, "ranks": ranks}),
        ranks=ranks,
        time=time,
        computing=[time] * ranks,
        communicating=[0.0] * ranks,
        ended=[time] * ranks,
        user=[],
        system=[],
        memory=[],
        calls={},
        kernels={"ep": (2.0, ranks, FLOPS)},
        lengths=[],
        waits=[],
        messages=[(float(n), STARTUP + PER_BYTE * n) for n in lengths],
    )


class Figure:
    """As much of a reported figure as is read."""

    def __init__(self, ranks: int, shown: float, statistic: str = "median", *launches: float) -> None:
        """The time of a case on so many ranks, and of its launches."""
        self.statistic, self.name, self.params, self.shown = statistic, "time", Case({**CASE, "ranks": ranks}), shown
        self.by_launch, self.best_by_launch = [[float(i), each] for i, each in enumerate(launches)], None


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_ep_is_its_work_over_the_ranks_and_two_trees_of_messages(ranks: int) -> None:
    figures = [Figure(1, 1.5), Figure(ranks, 0.9), Figure(1, 7.0, "first"), Figure(ranks, 7.0, "first")]
    (found,) = predicted(benchmark("nas"), [account(1, 2.0), account(ranks, 1.0)], figures)  # type: ignore[arg-type]
    levels = ranks.bit_length() - 1
    trees = 2 * levels * (STARTUP + 96 * PER_BYTE)
    assert found.predicted == pytest.approx(1.5 / ranks + trees, rel=1e-6)
    assert found.perfect == pytest.approx(1.5 / ranks) and found.measured == 0.9
    assert found.rates == pytest.approx({"ep": FLOPS / 1.5})
    assert found.startup == pytest.approx(STARTUP) and found.per_byte == pytest.approx(PER_BYTE) and found.worst < 1e-6
    assert found.error == pytest.approx(found.predicted / 0.9 - 1)


@pytest.mark.parametrize(("launches", "level"), [(3, None), (9, 0.95)])
def test_the_interval_is_that_of_the_launches_own_rates(launches: int, level: float | None) -> None:
    """On one rank launch i takes 1.5 + i / 10 s: each prediction is half of that and a message's two trees."""
    times = [1.5 + i / 10 for i in range(launches)]
    figures = [Figure(1, 1.5, "median", *times), Figure(2, times[1] / 2)]
    of_launches = {
        (one.params, one.ranks): list(enumerate([one] * launches)) for one in (account(1, 2.0), account(2, 1.0))
    }
    given = [account(1, 2.0), account(2, 1.0)]
    (found,) = predicted(benchmark("nas"), given, figures, of_launches)  # type: ignore[arg-type]
    trees = 2 * (STARTUP + 96 * PER_BYTE)
    low, high = (times[0], times[-1]) if level is None else (times[1], times[-2])  # order statistics 2 and 8 of nine
    assert found.interval == pytest.approx((low / 2 + trees, high / 2 + trees), rel=1e-6)
    assert found.level == level and found.launches == launches
    assert found.predicted == pytest.approx(times[launches // 2] / 2 + trees, rel=1e-6)
    assert found.covers is (level is None)  # the measured one is just below the 95% interval's lower end
    assert found.parts["kernel ep"] == pytest.approx((2.0, times[(launches - 1) // 2]), rel=1e-6)


def test_where_the_run_has_echo_its_line_predicts_too() -> None:
    """Two trees of messages by echo's line, in place of the ones that were timed beside the run."""
    startup, per_byte = 5e-3, 1e-7
    given = [account(1, 2.0), account(2, 1.0)]
    entries = predicted(benchmark("nas"), given, [Figure(1, 1.5), Figure(2, 0.9)])  # type: ignore[arg-type, list-item]
    nas = replace(frame("nas", benchmark("nas")), predicted=entries)
    assert with_echo([nas]) == [nas] and "by echo" not in tables(nas)[0].headings
    sizes = np.array([8.0, 512, 32768])
    line = fits(benchmark("echo"), [
        CaseSamples("round_trip", Case(bytes=int(n)), {("here", 0): np.full(3, 2 * (startup + per_byte * n))}, [], 1)
        for n in sizes
    ])  # fmt: skip
    echo = replace(frame("echo", benchmark("echo")), fits=from_json(list[Fit], line))
    (_, found) = with_echo([echo, nas])
    assert found.predicted is not None and found.predicted[0].by_echo == pytest.approx(
        1.5 / 2 + 2 * (startup + 96 * per_byte), rel=1e-6
    )
    assert found.predicted[0].predicted == entries[0].predicted
    (whole, _) = tables(found)
    assert whole.headings[-1] == "by echo" and whole.rows[0][-1] == "760 ms"


def test_coverage_has_the_binomial_interval() -> None:
    """8 of 10: 44.4% to 97.5% (Clopper and Pearson's own figures); nothing, everything, and no trial."""
    assert share_interval(8, 10) == pytest.approx((0.4439, 0.9748), abs=5e-5)
    assert share_interval(0, 10) == pytest.approx((0.0, 1 - 0.025 ** (1 / 10)))
    assert share_interval(10, 10) == pytest.approx((0.025 ** (1 / 10), 1.0))
    with pytest.raises(ValueError, match="no share"):
        share_interval(0, 0)
    one = predicted(benchmark("nas"), [account(1, 2.0), account(2, 1.0)], [Figure(1, 1.5), Figure(2, 0.9)])  # type: ignore[arg-type, list-item]
    assert "not known" in coverage(one)
    several = [replace(one[0], launches=6, level=0.95, interval=ends) for ends in ((0.8, 1.0), (0.95, 1.0))]
    low, high = share_interval(1, 2)
    assert f"1 of 2 measured times lie within the 95% intervals; binomial 95% interval {100 * low:.0f}%" in coverage(
        several
    )
    assert f"to {100 * high:.0f}%" in coverage(several)


def test_without_one_rank_messages_or_a_program_there_is_no_prediction() -> None:
    both = [account(1, 2.0), account(2, 1.0)]
    figures = [Figure(1, 2.0), Figure(2, 1.0)]
    none: list[list[TimeAccount]] = [both[1:], both[:1], [both[0], replace(both[1], messages=[])]]
    none.append([replace(each, params=each.params | {"kernel": "is"}) for each in both])
    for accounts in none:
        assert predicted(benchmark("nas"), accounts, figures) == []  # type: ignore[arg-type]


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_a_run_on_one_and_two_ranks_has_its_prediction(own_folder: None) -> None:
    given = ("--set", "kernel=mg", "--set", "class=S", "--set", "repetitions=3", "--launches", "1", "-n", "1,2")
    answer = assay("run", "nas", *given, "--out", "run", "--json")
    (found,) = answer.document["predicted"]
    assert found["ranks"] == 2 and found["predicted"] > 0 and found["rates"].keys() == {"mg"}
    assert found["measured"] in [
        each["value"]
        for each in answer.document["figures"]
        if each["name"] == "time" and each["statistic"] != "first" and each["params"]["ranks"] == 2
    ]
    written = assay("report", "run").out + Path("run/report.md").read_text()
    assert "Parts and whole" in written and "Where the time went" in written and "kernel mg" in written
