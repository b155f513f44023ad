"""The user programs' times and claims beside our programs: the cells that were fitted, and quantities by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.machine import catalogue
from assay.published.cells import electron_twins, twins
from assay.published.cells.answers import Answer, Played
from assay.published.cells.electron_twins import ADF, VASP
from assay.validation.claims import user_programs
from assay.validation.claims.quantities import QUANTITIES, Params
from assay.validation.claims.user_programs import SGI

MYRINET: Mapping[str, Any] = {"network": "myrinet", "cpus_per_node": 1}


@pytest.mark.parametrize("benchmark", [VASP, ADF])
def test_the_one_cell_that_inputs_were_chosen_by_comes_out(benchmark: str) -> None:
    cells = catalogue.cells(machine=SGI, benchmark=benchmark, table="table6.10.1cpu", params={"cpus": 1, **MYRINET})
    ((_, found),) = twins.simulated(Played(), SGI, cells).items()
    assert found == pytest.approx(cells[0].value, rel=0.005)


class Divided:
    """Answers by a formula: work divided among ranks, and so much for each message on a network."""

    def ask(self, machine: str, benchmark: str, figure: str, **settings: Any) -> list[Answer]:
        ranks, per_node = settings["on_ranks"], settings["per_node"]
        message = 0.5 if machine.endswith(":ethernet") else 0.25
        cycles = 1 + settings["cycles"] if benchmark == "planewaves" else 1
        if machine.startswith("ibm"):
            cycles *= 2
        return [Answer({}, cycles * (8 / ranks + (message * per_node if ranks > 1 else 0)))]


def test_cycles_are_extrapolated_from_two_numbers_of_them() -> None:
    """Of n cycles this takes (n + 1) cycles' time."""
    assert electron_twins.time(Divided(), VASP, SGI, 1) == pytest.approx(8 * (electron_twins.CYCLES + 1))


@pytest.mark.parametrize("benchmark", user_programs.PROGRAMS)
def test_increases_speedups_and_imbalance_by_hand(benchmark: str) -> None:
    """One rule for all programs. Where nothing is said ranks are one on a node up to 8, and two beyond."""

    def of(machine: str, metric: str, **params: Any) -> float | None:
        given: Params = {"metric": metric, **params}
        return QUANTITIES[benchmark, metric](Divided(), machine, given)

    two: dict[str, Any] = {"cpus": 8, "cpus_per_node": 2}
    assert of(SGI, "time_increase", network="fast-ethernet", **two) == pytest.approx(2 / 1.5 - 1)  # than on Myrinet
    assert of(SGI, "time_increase", network="myrinet", **two) == pytest.approx(1.5 / 1.25 - 1)  # than one per node
    assert of("ibm-netfinity-cluster", "time_increase", cpus=16) == pytest.approx(1)  # than the SGI cluster
    assert of("ibm-netfinity-cluster", "speed_gain") == pytest.approx(-0.5)  # over the SGI cluster
    assert of(SGI, "speedup", network="fast-ethernet", **two) == pytest.approx(8 / 2)
    assert of(SGI, "speedup", cpus=16) == pytest.approx(8 / (0.5 + 0.25 * 2))
    assert of(SGI, "imbalance", cpus=8) == pytest.approx(1 - (4 + 0.25) / (7 * 1.25))
    assert of("compaq-xp1000-cluster", "time", network="fast-ethernet", cpus=8) == of(SGI, "time", cpus=8)
