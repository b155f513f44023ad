"""[io.files]: files, caches and disks of a hypercube's I/O nodes, against closed forms and counts by brute force."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from assay._core import network as core
from assay.errors import InputError
from assay.network import description
from command_line import assay
from test_worm_io import run

ALONE = {"interval": 1e9, "io_rate": 1.0, "startup": 100, "access": 40}


def share_found(found: dict[str, Any]) -> float:
    return 1 - float(found["latencies"]["disk"]["count"] / found["latencies"]["block"]["count"])


def blocks_of(first: int, number: int, least: int, most: int) -> int:
    """SplitMix64 of the file's name, in the range of lengths."""
    mask = 2**64 - 1
    z = ((first << 32 | number) + 0x9E3779B97F4A7C15) & mask
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
    z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
    return least + ((z ^ z >> 31) >> 32) % (most - least + 1)


@pytest.mark.parametrize("declustering", [1, 3, 4])
@pytest.mark.parametrize("failed", [[], [2]])
def test_files_are_read_whole_from_where_their_blocks_lie(declustering: int, failed: list[int]) -> None:
    """Four I/O nodes; each read asks every one that has blocks of the file, and gets as many replies as blocks."""
    at, elements, files, locality = [0, 7, 9, 14], 16, 5, 0.4
    works = [address for address in range(4) if address not in failed]
    home = [min(works, key=lambda a: ((at[a] ^ e).bit_count(), at[a] ^ e)) for e in range(elements)]
    serves = [min(works, key=lambda a: ((a ^ block).bit_count(), a ^ block)) for block in range(4)]
    asked = replies = 0.0
    for e in range(elements):
        for first in range(4):
            share = (locality if first == home[e] else (1 - locality) / 3) / elements
            for number in range(files):
                length = blocks_of(first, number, 2, 6)
                replies += share * length / files
                places = [(first + k) % 4 for k in range(min(declustering, length))]
                asked += share * sum(serves[place] != home[e] for place in places) / files
    given = {"blocks": [2, 6], "files": files, "skew": 0.0, "declustering": declustering}
    more = {"failed": failed} if failed else {}
    found = run(4, 200_000, **ALONE, locality=locality, nodes=at, files=given, **more)
    counted = {name: kind["count"] for name, kind in found["latencies"].items()}
    assert counted["io_pe"] / counted["response"] == pytest.approx(replies, rel=0.01)
    assert counted["io_io"] / counted["response"] == pytest.approx(asked, rel=0.02)
    assert found["offered"] * 1e9 == pytest.approx(32 + 32 * asked + 4096 * replies, rel=1e-9)


def test_a_lone_file_is_in_when_its_last_block_is() -> None:
    """One I/O node, at the asking element's own router or a link away; three blocks go side by side over m channels."""
    files = {"blocks": [3, 3], "files": 1}
    found = run(1, 55_000, **ALONE, nodes=[0], m=8, files=files, reply_flits=64)
    # The replies' paths begin apart and meet at the last link but one where the element is not the router's own.
    near, far = 2 - 1 + 32 + 100 + 40 + 2 - 1 + 64, 3 - 1 + 32 + 100 + 40 + 3 - 1 + 3 * 64
    mean = found["latencies"]["response"]["mean"]
    assert mean == pytest.approx((near + far) / 2, abs=3)


@pytest.mark.parametrize("cache", [10, 40, 150])
def test_hits_come_out_of_the_caches_as_che_approximates(cache: int) -> None:
    """Che, Tung and Wang 2002, for independent requests by Zipf's law; each of 16 caches sees its own files."""
    files, skew = 400, 0.8
    p = 1 / np.arange(1, files + 1) ** skew
    p /= p.sum()
    stay = brentq(lambda t: float((1 - np.exp(-p * t)).sum()) - cache, 1e-3, 1e7)
    expected = float((p * (1 - np.exp(-p * stay))).sum())
    given = {"blocks": [1, 1], "files": files, "skew": skew, "cache": cache}
    found = run(7, 400_000, interval=1e6, io_rate=1.0, startup=10, access=10, disk=100, files=given, reply_flits=64)
    assert share_found(found) == pytest.approx(expected, abs=0.015)
    block = found["latencies"]["block"]["mean"]  # a hit costs no access to a disk
    assert block == pytest.approx(100 * (1 - share_found(found)), rel=0.01)


def test_blocks_on_their_way_are_not_fetched_twice() -> None:
    """Room for all: the disks are asked once for each block, though half of the requests come while it is coming."""
    given = {"blocks": [1, 1], "files": 4, "skew": 0.0, "cache": 100}
    config: dict[str, Any] = {"interval": 1000.0, "io_rate": 1.0, "startup": 10, "access": 10, "reply_flits": 64}
    from assay.network import network_tables

    io = network_tables.InputOutput(**config, disk=3000, nodes=[0, 7], files=given).model_dump(exclude_none=True)
    tree = {"network": {"topology": "hypercube", "dimension": 3}, "traffic": {}, "io": io}
    found = core.simulate(tree | {"method": {"seed": 1, "cycles": 200_000, "batches": 2}})
    latencies = found["latencies"]
    assert latencies["disk"]["count"] == 8
    assert latencies["block"]["mean"] * latencies["block"]["count"] > 1.2 * 8 * 3000


@pytest.mark.parametrize("busy", [0.3, 0.7])
def test_a_disk_of_constant_time_is_an_m_d_1_queue(busy: float) -> None:
    """Poisson arrivals over a network that hardly matters; the wait is rho S / (2 (1 - rho))."""
    access = 20_000
    interval = 8 * access / busy / 2  # 8 elements, 2 disks
    drive = {"cylinders": 1, "heads": 1, "sectors": 64, "revolution": 0, "overhead": access}
    given = {"blocks": [1, 1], "files": 20}
    found = run(
        3, 400_000, interval=interval, io_rate=1.0, hit_rate=0.0, locality=0.5, reply_flits=32, files=given, drive=drive
    )
    assert found["latencies"]["disk"]["mean"] == access
    assert found["latencies"]["disk_waiting"]["mean"] == pytest.approx(busy * access / 2 / (1 - busy), rel=0.05)


def test_a_mechanical_disk_is_an_m_g_1_queue() -> None:
    """Blocks all alike: seek over two independent cylinders, half a turn on average, a block's part of a turn; the wait
    by Pollaczek and Khinchine.
    """
    cylinders, sectors, turn, root = 50, 4, 4000, 400.0
    given = {"blocks": [1, 1], "files": cylinders * sectors, "skew": 0.0}
    drive = {"cylinders": cylinders, "heads": 1, "sectors": sectors, "revolution": turn, "seek_short": 900}
    far = np.abs(np.subtract.outer(np.arange(cylinders), np.arange(cylinders))).ravel()
    seek = np.where(far > 0, 900 + root * np.sqrt(far), 0)
    mean = seek.mean() + turn / 2 + turn / sectors
    square = seek.var() + turn**2 / 12 + mean**2
    busy = 0.6
    found = run(
        3, 500_000, interval=4 * mean / busy, io_rate=1.0, hit_rate=0.0, locality=0.5, reply_flits=32, files=given,
        drive=drive | {"seek_short_root": root},
    )  # fmt: skip
    assert found["latencies"]["disk"]["mean"] == pytest.approx(mean, rel=0.01)
    assert found["latencies"]["disk_waiting"]["mean"] == pytest.approx(busy / mean * square / 2 / (1 - busy), rel=0.05)


@pytest.mark.parametrize("dimension", [1, 3, 7])
def test_a_block_reaches_all_elements_in_log_steps(dimension: int) -> None:
    """Perfect placements: a binomial tree over the I/O network, then all of a group at once. Each step: start-up, the
    links of the head, the block.
    """
    at = core.hamming_placement(dimension)
    steps = int(math.log2(len(at)))
    near = np.mean([min((node ^ e).bit_count() for node in at) for e in range(1 << dimension)])
    startup, access, block = 100, 40, 512
    given = {"blocks": [1, 1], "broadcast": 1.0}
    found = run(dimension, 60_000, **ALONE, reply_flits=block, files=given)
    request = 2 + near - 1 + 32 + startup + access
    expected = request + steps * (3 - 1 + block + startup) + 3 - 1 + block
    assert found["latencies"]["broadcast"]["mean"] == pytest.approx(expected, abs=0.3)
    count = found["latencies"]["broadcast"]["count"]
    assert found["latencies"]["cast_pe"]["count"] == pytest.approx(count << dimension, abs=200)
    assert found["latencies"]["cast_io"]["count"] == pytest.approx(count * (len(at) - 1), abs=50)
    assert steps + 1 == max(1, dimension - math.ceil(math.log2(dimension + 1)) + 1)


@pytest.mark.parametrize(("io", "key", "words"), [
    ({"files": {"declustering": 3}}, "io.files.declustering", "accepted are 1 to 2"),
    ({"files": {"blocks": [3, 2]}}, "io.files.blocks", "in order"),
    ({"files": {"broadcast": 0.1}, "failed": [0]}, "io.files.broadcast", "needs all I/O nodes"),
    ({"files": {"files": 99}, "drive": {"cylinders": 9}}, "io.drive.cylinders", "has room for 576 blocks"),
    ({"drive": {}}, "io.drive", "needs .io.files."),
])  # fmt: skip
def test_files_that_do_not_fit_name_their_key(io: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(ValueError, match=words) as raised:
        run(3, nodes=[0, 7], **io)
    assert str(raised.value).startswith(f"{key}: ")


def test_more_io_nodes_than_blocks_are_refused_in_their_line(tmp_path: Path) -> None:
    file = tmp_path / "network.toml"
    lines = ["[network]", 'topology = "hypercube"', "dimension = 4", "[io.files]", "blocks = [1, 2]"]
    file.write_text("\n".join([*lines, "declustering = 3"]))
    with pytest.raises(InputError, match="up to 2, the blocks of the longest file") as raised:
        description.load(file)
    assert f"{file}:6: io.files.declustering" in str(raised.value)


def test_the_hit_rate_is_among_the_figures_of_a_simulation(tmp_path: Path) -> None:
    file = tmp_path / "network.toml"
    file.write_text(
        """
        [network]
        topology = "hypercube"
        dimension = 3
        [io]
        io_rate = 1.0
        interval = 2_000_000
        [io.files]
        files = 4
        cache = 999
        [method]
        warmup_messages = 20_000
        messages = 40_000
        replications = 2
        """
    )
    done = assay("simulate", str(file), "--json")
    assert done.status == 0, done.err
    (found,) = [each for each in done.document["figures"] if each["name"] == "hit_rate"]
    assert (found["value"], found["unit"], found["state"]) == (1.0, "1", "clean")
    assert any(each["name"] == "response_latency" for each in done.document["figures"])
    assert "files: 100.0% of the blocks in a cache, a file in " in assay("simulate", str(file)).out
