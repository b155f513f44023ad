"""The shipped storage of today: an NVMe drive by its data sheet, and files as of Lustre."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.described.shipped import open_described
from command_line import assay
from started import play

MIB = 1 << 20


def rate(machine: str, ranks: int, overrides: dict[str, str] | None = None, **settings: Any) -> float:
    """B/s of all ranks, by the program that `run file-rate --on` plays."""
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    events = [
        json.loads(line)
        for line in play("parallel-files", open_described(machine, overrides).for_core(), ranks, words).splitlines()
    ]
    (block,) = [event for event in events if event["event"] == "block"]
    return ranks * int(settings["section"]) / float(block["values"][0])


@pytest.mark.parametrize(("machine", "ranks", "bytes_", "section", "printed"), [
    ("nvme-node", 1, 4096, MIB, 22_000 * 4096),  # 4 KB reads one by one: assumed
    ("nvme-node", 64, 4096, 2 * MIB, 1_000_000 * 4096),  # many at once
    ("nvme-node", 1, 64 * MIB, 64 * MIB, 7_000e6),  # sequential
    ("nvme-node:write", 1, 4096, MIB, 60_000 * 4096),  # assumed
    ("nvme-node:write", 1, 4 * MIB, 512 * MIB, 5_000e6),
])  # fmt: skip
def test_the_drive_reaches_what_is_stated_of_it(
    machine: str, ranks: int, bytes_: int, section: int, printed: float
) -> None:
    """All five were chosen to make it so: this holds the description to them, and is no evidence."""
    direction = "write" if machine.endswith("write") else "read"
    assert rate(machine, ranks, bytes=bytes_, section=section, direction=direction) == pytest.approx(printed, rel=0.1)


@pytest.mark.nightly
@pytest.mark.parametrize(("machine", "bytes_", "most"), [
    ("nvme-node:write", MIB, 7_000e6),  # into the drive's memory, over the link
    ("nvme-node:write", 4096, 7_000e6),
])  # fmt: skip
def test_nothing_is_written_faster_than_the_data_sheet_allows(machine: str, bytes_: int, most: float) -> None:
    """As much as the drive's memory holds, and 64 times as much."""
    for ranks, section in ((16, 4 * MIB), (64, 64 * MIB)):
        assert rate(machine, ranks, bytes=bytes_, section=section, direction="write") <= most


def test_where_nothing_is_said_of_programming_pages_writing_is_not_measured() -> None:
    """Writes would cost what moving their bytes does: 6.97 GB/s on a drive of which 5 are stated."""
    words = ("run", "file-rate", "--on", "nvme-node", "-n", "2", "--set", "section=1048576", "--json")
    done = assay(*words, "--set", "direction=read,write")
    assert done.status == 0, done.err
    assert {each["params"].get("direction", "read") for each in done.document["figures"]} == {"read"}
    assert "not what programming one does (program)" in " ".join(done.document["notes"] + done.document["warnings"])
    alone = assay(*words, "--set", "direction=write")
    assert alone.status == 2 and "direction: " in alone.err and "expected read" in alone.err


def test_a_file_lies_on_one_server_and_files_on_all() -> None:
    """Stripe count 1: one file gets a server's disks at most, a file each gets as many servers as there are files."""
    per_server = 4 * 6e9  # B/s of its disks
    at_once = {"storage.open": "0 us", "storage.close": "0 us"}  # which one I/O node does for all
    one, four, sixteen = (rate("fat-tree-hdr", ranks, at_once, bytes=4 * MIB, section=16 * MIB) for ranks in (1, 4, 16))
    assert one < per_server
    assert four == pytest.approx(4 * one, rel=0.1) and sixteen == pytest.approx(16 * one, rel=0.25)
    spread = rate("fat-tree-hdr", 1, at_once | {"storage.declustering": "4"}, bytes=4 * MIB, section=16 * MIB)
    assert spread > 1.2 * one  # as `lfs setstripe -c 4`: servers read ahead side by side


@pytest.mark.parametrize("machine", ["nvme-node", "fat-tree-hdr"])
def test_it_is_played_by_the_file_benchmark(machine: str) -> None:
    done = assay("run", "file-rate", "--on", machine, "-n", "2", "--set", "section=1048576", "--json")
    assert done.status == 0, done.err
    (found,) = [
        each for each in done.document["figures"] if (each["name"], each["statistic"]) == ("rate_aggregate", "median")
    ]
    assert found["state"] == "clean" and found["value"] > 1e7
