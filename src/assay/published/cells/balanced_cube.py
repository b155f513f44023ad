"""A hypercube with I/O nodes, by Ghosh, Goveas and Draper's Table 1: its files are played, not only its traffic."""

from __future__ import annotations

from assay.described.machine_file import DescribedMachine
from assay.published.cells.answers import Setting, play
from assay.toml.source import TomlTable, TomlValue

CHANNEL = {"cycle": "10 ns", "flit_ticks": "50 ns", "head_ticks": "50 ns"}  # 20 MB/s
CALL = 1 << 16  # B
STORAGE: TomlTable = {
    "stripe": "4 KiB",
    "request": "400 us",
    "outstanding": 4,
    "device": {"per_byte": "0.25 us/B"},
}


def machine(dimension: int, io_nodes: int, **storage: TomlValue) -> DescribedMachine:
    """A cube of 2^dimension elements with so many I/O nodes, spread evenly; `storage` replaces keys of [storage]."""
    return DescribedMachine.model_validate(
        {
            "name": "balance",
            "network": {"topology": "hypercube", "dimension": dimension, **CHANNEL},
            "protocol": [{"startup": "100 us", "receive": "100 us"}],
            "storage": {**STORAGE, "io_nodes": io_nodes, **storage},
        }
    )


def rate(on: DescribedMachine, ranks: int, section: int, direction: str) -> float:
    """What each of the ranks reads or writes (B/s), a file of `section` bytes of its own."""
    settings: dict[str, Setting] = {"on_ranks": ranks, "bytes": CALL, "section": section, "direction": direction}
    found = play(on, "parallel-files", settings).figures
    (value,) = [each.value for each in found if each.name == "rate" and each.statistic == "median"]
    assert value is not None
    return value
