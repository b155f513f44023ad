"""Times on several ranks, predicted from kernels on one rank and messages: a closed form, and a run of MPI's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.benchmark.record import benchmark
from assay.document.account import TimeAccount
from assay.report.predicted import predicted
from command_line import assay
from mpis_here import MPI

FLOPS = 2.0**25 * 26.68e9 / 536870912  # of EP, class S
STARTUP, PER_BYTE = 3e-6, 2e-9
CASE = {"kernel": "ep", "class": "S", "operations": 2**25}


def account(ranks: int, time: float) -> TimeAccount:
    """EP takes 2 s on one rank, in which it computes all the time."""
    lengths = (8, 64, 512, 4096, 32768) if ranks > 1 else ()
    return TimeAccount(
        params={**CASE, "ranks": ranks},
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

    def __init__(self, ranks: int, shown: float, statistic: str = "median") -> None:
        """The time of a case on so many ranks."""
        self.statistic, self.name, self.params, self.shown = statistic, "time", {**CASE, "ranks": ranks}, shown


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


def test_without_one_rank_messages_or_a_program_there_is_no_prediction() -> None:
    both = [account(1, 2.0), account(2, 1.0)]
    figures = [Figure(1, 2.0), Figure(2, 1.0)]
    none: list[list[TimeAccount]] = [both[1:], both[:1], [both[0], replace(both[1], messages=[])]]
    none.append([replace(each, params={**each.params, "kernel": "is"}) for each in both])
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
    assert "Parts and whole" in assay("report", "run").out + Path("run/report.md").read_text()
