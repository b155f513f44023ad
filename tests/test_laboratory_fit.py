"""Host times of a laboratory recovered from echoes of twins whose hosts take known times, with noise of launches."""

from __future__ import annotations

import numpy as np
import pytest

from assay.fitting.laboratory import FittedLaboratory, host_times, simulated_times
from assay.fitting.measured_cells import MeasuredCells
from assay.laboratory.specification import specification
from assay.laboratory.twin import HostTimes
from by_night import by_night

LENGTHS, HOPS = (1024, 2048, 8192, 32768), (1, 2, 3)
HOSTS = HostTimes(hop=40e-6, end=90e-6)


def cells(subject: FittedLaboratory, noise: float) -> MeasuredCells:
    """An echo of each length over each distance, in ten launches."""
    place = np.array([(length, hops) for length in LENGTHS for hops in HOPS], float)
    empty, flags = np.zeros(len(place)), np.zeros(len(place), bool)
    bare = MeasuredCells(place[:, 0], place[:, 1], empty, flags, empty, np.zeros((0, len(place))))
    times = simulated_times(subject, bare, HOSTS)
    launches = times * np.exp(noise * np.random.default_rng(3).standard_normal((10, len(times))))
    return MeasuredCells(bare.length, bare.hops, np.median(launches, axis=0), flags, empty, launches)


@pytest.mark.parametrize("topology", by_night(["hypercube:3", "mesh:2x3"], ["mesh:2x3"]))
def test_host_times_are_recovered_within_their_intervals(topology: str) -> None:
    subject = FittedLaboratory(specification("lab", topology, "10Mbit", None, []), requests=False)
    exact = cells(subject, 0.0)
    found, _, missed = host_times(subject, exact)
    assert [found.hop, found.end] == pytest.approx([HOSTS.hop, HOSTS.end], rel=0.02)
    assert missed < 0.005
    noisy = cells(subject, 0.004)
    _, draws, _ = host_times(subject, noisy)
    low, high = np.quantile(draws, [0.01, 0.99], axis=0)
    assert np.all((low < [HOSTS.hop, HOSTS.end]) & (high > [HOSTS.hop, HOSTS.end]))
