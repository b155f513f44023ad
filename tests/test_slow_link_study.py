"""A link that is a tenth slower, 100 times, and machines where none is, 300 times, on 64 simulated nodes: nightly.

Times are those of the simulated fat tree, with what messages that share links cost one another, and noise as measured,
in ten launches of three passes, as planned; the simulation, which repeats itself, plays each launch's pass once.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from assay.analysis.slow_pairs import FALSE_ALARMS, localise
from assay.described.shipped import open_described
from assay.described.ways import pairs_event
from assay.report.sections.pairs.tournament import Layout, _alone, _classes, _layout, _passes, candidate_kinds
from slow_link_trials import Floats, measured, noise
from started import play

RANKS, LAUNCHES, PASSES, QUIET = 64, 10, 3, 40
TREE = {"network.children": "[8,8]", "network.parents": "[8]"}


def simulated(passes: int, seed: int, **more: str) -> tuple[Layout, Floats, np.ndarray]:
    """The layout, log times (passes, readings) and classes of a tournament of messages of 256 KiB."""
    machine = open_described("fat-tree-hdr", TREE | more)
    given = ("--seed", str(seed), "--set", "bytes=262144", "--set", f"passes={passes}")
    lines = play("tournament", machine.for_core(1), RANKS, given).splitlines()
    lines.insert(-1, json.dumps(pairs_event(machine, range(RANKS))))
    events = [json.loads(line) for line in lines if '"event": "pairs"' in line]
    layout = _layout(RANKS, [], events)
    (found,) = _passes([(0, event) for event in events], RANKS)
    return layout, found.logs, np.stack([_classes(layout, places, layout.reading) for places in found.places])


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_one_slow_link_is_found_and_no_other_thing() -> None:
    """At least 95 of 100 slow links are named, first and alone; of 300 quiet machines at most 3 have a slow thing."""
    dice, pool = np.random.default_rng(15), measured()
    layout, logs, classes = simulated(QUIET, 1)
    kinds, launch_of = candidate_kinds(layout), np.repeat(range(LAUNCHES), PASSES)

    def named(times: Floats, alike: np.ndarray) -> list[tuple[str, int]]:
        noisy = times[launch_of] + noise(layout, len(launch_of), dice, pool)
        each = alike[launch_of]
        found = localise(noisy, each, launch_of.tolist(), kinds, FALSE_ALARMS / 2, _alone(layout, each))
        return [(part.kind, part.number) for part in found.parts]

    alarms = 0
    for _ in range(300):
        some = dice.permutation(QUIET)[:LAUNCHES]
        alarms += bool(named(logs[some], classes[some]))
    links = [at for at, (_, kind, *_) in enumerate(layout.ends) if kind == "network"]
    right = 0
    for trial, link in enumerate(dice.choice(links, 100, replace=False).tolist()):
        _, _, a, b = layout.ends[link]
        entry = f"[{{routers = [{a}, {b}], slower = 1.1, one_way = true}}]"
        _, slow, alike = simulated(LAUNCHES, trial, **{"network.links": entry})
        right += named(slow, alike) == [("link", link)]
    print(f"{right} of 100 named alone, {alarms} false alarms of 300")
    assert right >= 95 and alarms <= 3
