"""Parts of the programs of files: order, pattern, histogram, and where bytes are said to have come from."""

from __future__ import annotations

import lzma
import subprocess
import zlib
from pathlib import Path

import numpy as np
import pytest

from compiled import WARNINGS, compile_to

SOURCE = Path(__file__).parent / "native" / "files_parts.cpp"
DEVICE, MEMORY, REMOTE, UNKNOWN = range(4)
MIB = 1 << 20


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_to(tmp_path_factory.mktemp("parts") / "parts", SOURCE, *WARNINGS)


def said(program: Path, *words: object, given: str = "") -> list[str]:
    done = subprocess.run([program, *map(str, words)], input=given, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("blocks", [1, 2, 3, 4, 5, 17, 64, 1000, 4096, 4097])
def test_a_random_order_comes_to_each_block_once(program: Path, blocks: int) -> None:
    rows = np.array([line.split() for line in said(program, "order", blocks, 7)], int)
    assert sorted(rows[:, 0]) == list(rows[:, 1]) == list(range(blocks))
    if blocks >= 1000:
        other = np.array([line.split() for line in said(program, "order", blocks, 8)], int)
        assert np.mean(rows[:, 0] == other[:, 0]) < 0.01
        steps = np.diff(rows[:, 0])
        assert np.mean(np.abs(steps) == 1) < 0.01
        assert abs(np.corrcoef(rows[:, 0], rows[:, 1])[0, 1]) < 0.1


@pytest.mark.parametrize("spread", ["log", "small", "few", "one"])
def test_a_histogram_s_quantiles_are_within_one_per_cent(program: Path, spread: str) -> None:
    dice = np.random.default_rng(5)
    values = {
        "log": np.exp(dice.uniform(0, np.log(1e12), 20_000)).astype(int),
        "small": dice.integers(0, 300, 5000),
        "few": np.array([5, 1000, 10**9]),
        "one": np.array([123_456_789]),
    }[spread]
    found = said(program, "histogram", given="\n".join(map(str, values)))[0].split()
    assert int(found[0]) == len(values)
    assert int(found[1]) == values.max()
    for q, text in zip((0, 0.01, 0.5, 0.9, 0.99, 0.999, 1), found[2:], strict=True):
        exact = np.quantile(values, q, method="inverted_cdf") * 1e-9
        assert float(text) == pytest.approx(exact, rel=0.01, abs=1e-12)


@pytest.mark.parametrize(
    ("block", "offset"), [(512, 512), (512, 65024), (4096, 61440), (12800, 12800 * 7), (131072, 131072)]
)
def test_a_pattern_tells_place_file_writer_and_version(program: Path, block: int, offset: int) -> None:
    if block > 20_000:  # each byte damaged once, in small blocks only
        assert said(program, "pattern", block, offset)[0].startswith("100000 ")
    else:
        assert said(program, "pattern", block, offset) == [f"100000 {block}"]


def content(program: Path, block: int, blocks: int, *whose: object) -> bytes:
    words = [program, "content", *map(str, (block, blocks, *whose))]
    return subprocess.run(words, capture_output=True, check=True, timeout=60).stdout


def test_what_is_written_can_be_neither_compressed_nor_stored_once(program: Path) -> None:
    """Files that differ in one thing each, compressed all together, and their words side by side."""
    files = [(1, 1, 1, "a"), (2, 1, 1, "a"), (1, 2, 1, "a"), (1, 1, 2, "a"), (1, 1, 1, "b")]
    whole = b"".join(content(program, 65536, 4, *each) for each in files)
    assert len(whole) == 5 * 4 * 65536
    assert len(lzma.compress(whole, preset=1)) > 0.999 * len(whole)  # its window holds all of them
    assert len(zlib.compress(whole)) > 0.999 * len(whole)
    words = np.frombuffer(whole, np.uint64)
    assert len(np.unique(words)) == len(words)  # so no two blocks of any length and place are equal
    assert content(program, 4096, 64, 1, 1, 1, "a") == whole[: 4 * 65536]  # the blocks' length changes nothing


def judged(
    program: Path,
    below: int,
    read: tuple[int, int, int, int],
    fetched: int,
    device: int = -1,
    written: tuple[int, int] = (0, 0),
) -> tuple[list[str], list[str], str]:
    """Labels of rate and latency by what was found (nothing, held, came, part), and of writes (device, bytes)."""
    words = said(program, "source", below, *read, fetched, device, *written)[0].split()
    return words[:4], words[4:8], words[8]


def test_cold_reads_are_the_device_s_and_what_was_held_the_cache_s(program: Path) -> None:
    rate, latency, _ = judged(program, DEVICE, (8 * MIB, 8 * MIB, 0, 0), 8 * MIB, 8 * MIB)
    assert rate[:2] == latency[:2] == ["device", "cache"]


def test_what_the_kernel_read_ahead_for_us_is_the_device_s_rate_but_a_copy_s_latency(program: Path) -> None:
    rate, latency, _ = judged(program, DEVICE, (MIB, 0, 15 * MIB, 0), 16 * MIB, 16 * MIB)
    assert rate[0] == latency[0] == rate[2] == "device"
    assert latency[2] == "cache"


def test_what_another_process_read_meanwhile_is_no_device_s_rate(program: Path) -> None:
    rate, latency, _ = judged(program, DEVICE, (8 * MIB, 0, 8 * MIB, 0), 8 * MIB, 16 * MIB)
    assert rate[0] == "device"
    assert rate[2] == latency[2] == "unknown"


@pytest.mark.parametrize("fetched", [0, 4 * MIB])
def test_reads_that_the_kernel_did_not_fetch_are_unknown(program: Path, fetched: int) -> None:
    rate, latency, _ = judged(program, DEVICE, (8 * MIB, 0, 0, 0), fetched, 8 * MIB)
    assert rate[0] == latency[0] == "unknown"


def test_a_device_that_did_not_move_them_is_not_named(program: Path) -> None:
    assert judged(program, DEVICE, (8 * MIB, 0, 0, 0), 8 * MIB, MIB)[0][0] == "unknown"
    assert judged(program, DEVICE, (8 * MIB, 0, 0, 0), -1, -1)[0][0] == "unknown"
    assert judged(program, DEVICE, (0, 0, 0, 0), 0, 0, (MIB, 8 * MIB))[2] == "unknown"
    assert judged(program, DEVICE, (0, 0, 0, 0), 0, 0, (-1, 8 * MIB))[2] == "unknown"
    assert judged(program, DEVICE, (0, 0, 0, 0), 0, 0, (8 * MIB, 8 * MIB))[2] == "device"


@pytest.mark.parametrize("below", [MEMORY, REMOTE, UNKNOWN])
def test_what_lies_on_no_device_is_never_called_one(program: Path, below: int) -> None:
    for counted in (-1, 0, 8 * MIB, 64 * MIB):
        rate, latency, writes = judged(program, below, (MIB, MIB, MIB, MIB), counted, counted, (counted, 4 * MIB))
        assert "device" not in {*rate, *latency, writes}
        assert rate[1] == "cache"


@pytest.mark.parametrize(("said_source", "per_byte", "copy", "flight", "may"), [
    (0, 1e-10, 2e-10, 1, "unknown 1"), (2, 1e-10, 2e-10, 1, "unknown 1"), (1, 1e-10, 2e-10, 1, "cache 0"),
    (0, 3e-10, 2e-10, 1, "device 0"), (0, 1e-10, 2e-10, 2, "device 0"), (0, 1e-10, 4e-10, 2, "unknown 1"),
    (0, 1e-10, 0, 1, "device 0"), (3, 1e-10, 2e-10, 1, "unknown 0"),
])  # fmt: skip
def test_what_is_faster_than_copies_in_memory_is_no_storage(
    program: Path, said_source: int, per_byte: float, copy: float, flight: int, may: str
) -> None:
    assert said(program, "copies", said_source, per_byte, copy, flight) == [may]


def test_no_counters_ever_make_held_bytes_a_device_s(program: Path) -> None:
    for below in range(4):
        for fetched in (-1, 0, 8 * MIB, 64 * MIB):
            rate, latency, _ = judged(program, below, (0, 8 * MIB, 0, 0), fetched, fetched)
            assert rate[1] == latency[1] == "cache"
