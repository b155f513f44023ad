"""Hand-over beside the DELTA's Ethernet nodes and the Paragon's NORMA IPC, and the copy that bounds it."""

from __future__ import annotations

import pytest

from assay.document.section import Section
from assay.published.tables.hand_over import tables
from assay.report.judge.bounds import share
from made_documents import document, figure, headline, section


def rate(method: str, length: int, value: float, threads: int = 2) -> dict[str, object]:
    return figure("rate", value, "B/s", method=method, bytes=length, hardware_threads=threads)


def measured() -> Section:
    copies = [rate("copy", 8, 2e9), rate("copy", 4096, 40e9)]
    handed = [rate("pipe", 8, 20e6), rate("pipe", 4096, 4e9), rate("tcp", 8, 3e5), rate("tcp", 4096, 1.5e8)]
    return section("handover", [*copies, *handed, rate("tcp", 8, 9e5, threads=1)])


def test_tcp_stands_beside_the_two_printed_rates() -> None:
    """40 KB/s at 8 bytes and 304 KB/s at 4096 (DELTA, section 4); ours of two hardware threads, not of one."""
    tcp, _ = tables(document(measured()))
    assert tcp.rows == (("8 B", "300 kB/s", "40 kB/s"), ("4 KiB", "150 MB/s", "304 kB/s"))


def test_each_method_stands_above_the_paragons_ipc() -> None:
    """NORMA IPC peaks at about 45 MB/s; one node reads 18 and writes 36 MB/s (Paragon, section 4)."""
    _, methods = tables(document(measured()))
    assert methods.rows[0] == ("to another process; NORMA IPC between adjacent nodes", "4 GB/s (4 KiB)", "45 MB/s")
    assert methods.rows[1] == ("pipe", "4 GB/s (4 KiB)", "–")
    assert methods.rows[3] == ("a copy within one process", "40 GB/s (4 KiB)", "–")
    assert {row[0]: row[2] for row in methods.rows[4:]} == {"PFS, read": "18 MB/s", "PFS, write": "36 MB/s"}


def test_a_rate_known_only_by_its_best_reading_says_so() -> None:
    bound = rate("tcp", 4096, 2e8) | {"state": "bound", "statistic": "best"}
    tcp, methods = tables(document(section("handover", [rate("tcp", 8, 3e5), bound])))
    assert tcp.rows[1][1] == "200 MB/s (best reading)" and methods.rows[0][1] == "200 MB/s (4 KiB, best reading)"


def test_nothing_handed_over_gives_no_table() -> None:
    assert tables(document()) == []


@pytest.mark.parametrize(("length", "part"), [(8, 0.01), (4096, 0.1), (64, None)])
def test_a_hand_over_is_bounded_by_a_copy_of_its_own_length(length: int, part: float | None) -> None:
    value = {8: 20e6, 4096: 4e9, 64: 1.0}[length]
    title = headline("by pipe", value, "B/s", bound="handed_copy") | {"params": {"method": "pipe", "bytes": length}}
    run = document(section("handover", measured_figures(), headlines=[title]))
    (main,) = run.benchmarks[0].headlines
    found = share(main, run)
    assert (found is None) == (part is None)
    if found is not None:
        assert found.share == pytest.approx(part)


def measured_figures() -> list[dict[str, object]]:
    return [rate("copy", 8, 2e9), rate("copy", 4096, 40e9), rate("pipe", 4096, 4e9)]
