"""More offered than accepted is saturation by any method, topology, engine and traffic; nothing else is."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from assay.network import description, simulation
from by_night import by_night
from made_runs import answer
from saturable_networks import HOT_SPOT, QUEUE, TORUS

READS = """
[network]
topology = "hypercube"
dimension = 7
[io]
io_rate = 0.05
locality = 0.2
k = 9
m = 8
"""
# One channel into each I/O node, to which 8 elements write 4,128 flits each time.
WRITES = READS.replace("m = 8", "m = 1").replace("0.2", "1.0") + "read_ratio = 0.0\n"
# Load of saturation, by name; approximate where it is no closed form: the loads are far from it.
NETWORKS = {
    "queue": (QUEUE, 1.0),
    "torus": (TORUS, 0.55),
    "hot-spot": (HOT_SPOT, 0.238),
    "mesh": ('[network]\ntopology = "mesh"\nextents = [8, 8]\n[traffic]\nflits = 32\n', 0.22),
    "transpose": (
        '[network]\ntopology = "mesh"\nextents = [8, 8]\n[traffic]\npattern = "transpose"\nflits = 32\n',
        0.14,
    ),
    "fifo": (
        '[network]\ntopology = "crossbar"\nnodes = 16\nswitching = "cut-through"\nbuffers = "fifo"\n'
        "[traffic]\nflits = 8\n",
        0.6,
    ),
    "bus": (
        '[network]\ntopology = "bus"\nnodes = 8\nswitching = "store-and-forward"\nbuffer_packets = 0\n'
        "[traffic]\nflits = 8\n",
        1 / 8,
    ),
    "reads": (READS, 0.00058),
    "writes": (WRITES, 0.7 / (8 * 0.05 * 4128)),  # between .6 and .8 of what that channel carries
}
METHODS = {
    "detected": "precision = 0.1\nmax_replications = 10\n",
    "detected-alone": "cycles = 20000\n",
    "alone": "warmup_cycles = 0\ncycles = 60000\n",
    "short-after-long": "warmup_cycles = 200000\ncycles = 4000\n",
    "replications": "warmup_cycles = 20000\ncycles = 20000\nreplications = 10\n",
    "short-replications": "warmup_cycles = 100000\ncycles = 2000\nreplications = 10\n",
    "two": "warmup_cycles = 10000\ncycles = 10000\nreplications = 2\n",
    "paper": "warmup_messages = 5000\nmessages = 15000\nreplications = 10\n",
    "deliveries-alone": "warmup_messages = 20000\nmessages = 60000\nreplications = 1\n",
    "deliveries": "warmup_cycles = 5000\nmessages = 20000\nprecision = 0.1\nmax_replications = 10\n",
}
BELOW, ABOVE = (0.6, 0.8), (1.2, 2.0)  # of the load that saturates
# Reads and writes go on for hundreds of thousands of cycles: a run that is shorter says nothing of a load.
# A short run in the middle of a long one can be called saturated by chance: at .8 one seed of 60, which is the first.
LOW = {("writes", "short-after-long")}
LONGER = {"reads": 20, "writes": 20}
# Three methods on each network, two on those that take long.
LONGEST = {("reads", "detected"), ("writes", "paper"), ("torus", "short-replications")}
ALWAYS = sorted({*itertools.product(NETWORKS, ["detected", "short-replications", "paper"])} - LONGEST)
ONE_SEED = {"reads", "writes", "torus"}  # these take long


def longer(text: str, times: int) -> str:
    """The [method] with so many times as many cycles and messages."""
    lines = (line.partition(" = ") for line in text.splitlines())
    counted = ("warmup_cycles", "cycles", "warmup_messages", "messages")
    return "".join(f"{key} = {int(value) * times if key in counted else value}\n" for key, _, value in lines)


@pytest.mark.parametrize(
    "seeds", [pytest.param((1,), id="one"), pytest.param((2, 3), id="others", marks=pytest.mark.nightly)]
)
@pytest.mark.parametrize(("name", "how"), by_night(itertools.product(NETWORKS, METHODS), ALWAYS))
def test_what_is_not_accepted_is_called_saturated_and_nothing_else(
    name: str, how: str, seeds: tuple[int, ...], tmp_path: Path
) -> None:
    if name in ONE_SEED and seeds != (1,):
        pytest.skip("takes long")
    text, capacity = NETWORKS[name]
    file = tmp_path / "network.toml"
    for share in (*(BELOW[:1] if (name, how) in LOW else BELOW), *ABOVE):
        load = share * capacity
        key = f"interval = {1 / load}" if name in LONGER else f"load = {load}"
        for seed in seeds:
            file.write_text(f"{text}{key}\n[method]\nseed = {seed}\n{longer(METHODS[how], LONGER.get(name, 1))}")
            found = answer(simulation.steps(description.load(file)))
            assert found["saturated"] is (share > 1), (share, seed)
            latency = next(one for one in found["figures"] if one["name"] == "header_latency")
            assert latency["statistic"] == "mean"
            assert latency["state"] == ("invalid" if share > 1 else "clean"), (share, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["short-after-long", "detected-alone"])
def test_a_single_run_is_rarely_called_saturated_by_chance(how: str, tmp_path: Path) -> None:
    """At most 4 false alarms in 60 seeds: were they 1 in 60, as found, more would come in less than 1 of 200 trials."""
    text, capacity = NETWORKS["writes"]
    file, alarms = tmp_path / "network.toml", 0
    for seed in range(1, 61):
        method = longer(METHODS[how], LONGER["writes"])
        file.write_text(f"{text}interval = {1 / (0.8 * capacity)}\n[method]\nseed = {seed}\n{method}")
        alarms += answer(simulation.steps(description.load(file)))["saturated"]
    assert alarms <= 4


PAPER = "[method]\nseed = 1\nwarmup_messages = 50000\nmessages = 150000\nreplications = 10\n"
IO_CUBE = (Path(__file__).resolve().parents[1] / "examples" / "io_nodes.toml").read_text().partition("[method]")[0]


def io_cube(b: int, interval: int) -> str:
    """The paper's network with I/O nodes: `b` channels of a link of theirs, `interval` us between messages."""
    text = re.sub(r"(?m)^b = 1 ", f"b = {b} ", IO_CUBE)
    return text.replace('"156 us"', f'"{interval} us"')


@pytest.mark.parametrize(
    ("network", "saturated"),
    [
        ('[network]\ntopology = "hypercube"\ndimension = 7\n[traffic]\nload = 0.9\n', True),
        ('[network]\ntopology = "hypercube"\ndimension = 6\n[traffic]\nload = 0.95\n', True),
        ('[network]\ntopology = "mesh"\nextents = [8, 8]\n[traffic]\nload = 0.8\n', True),
        # Table 2 has saturation at about 20, 12 and 24 messages/ms for b = 0, 1, 2
        *[(io_cube(0, 60), False), (io_cube(1, 60), True), (io_cube(2, 60), False)],
        *[(io_cube(0, 39), True), (io_cube(1, 39), True), (io_cube(2, 30), True)],
    ],
    ids=["7-cube", "6-cube", "mesh", *(f"b {b}, 17/ms" for b in (0, 1, 2)), "b 0, 26/ms", "b 1, 26/ms", "b 2, 33/ms"],
)
def test_the_papers_own_method_shows_saturation(network: str, saturated: bool, tmp_path: Path) -> None:
    """Ghosh, Goveas and Draper, section 4: 50,000 messages of warm-up, 150,000 that are measured, 10 replications."""
    file = tmp_path / "network.toml"
    file.write_text(network + PAPER)
    assert answer(simulation.steps(description.load(file)))["saturated"] is saturated
