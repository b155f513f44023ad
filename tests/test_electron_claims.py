"""vasp's and adf's times and claims beside our programs: the cells that were fitted, and quantities by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.machine import catalogue
from assay.papers.cells import electron_twins, twins
from assay.papers.cells.answers import Answer, Played
from assay.papers.claims.electrons import ADF, SGI, VASP, of_adf, of_vasp

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


@pytest.mark.parametrize("quantity", [of_vasp, of_adf])
def test_increases_speedups_and_shares_by_hand(quantity: Any) -> None:
    given = {"cpus": 8, "cpus_per_node": 2, "network": "fast-ethernet", "metric": "time_increase"}
    found = Divided()
    assert quantity(found, SGI, given) == pytest.approx((1 + 1) / (1 + 0.5) - 1)  # than on Myrinet
    assert quantity(found, SGI, {**given, "network": "myrinet"}) == pytest.approx(1.5 / 1.25 - 1)  # than one per node
    ibm = {"cpus": 16, "metric": "time_increase"}
    assert quantity(found, "ibm-netfinity-cluster", ibm) == pytest.approx(1)  # than the SGI cluster
    assert quantity(found, SGI, {**given, "metric": "speedup"}) == pytest.approx(8 / 2)
    assert of_vasp(found, SGI, {**given, "metric": "system_time_share"}) == pytest.approx(1 - 8 / 2 / 8)
