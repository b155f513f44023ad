"""The Paragon report's tables beside this machine's: its numbers as printed, ours in the first column."""

from __future__ import annotations

from typing import Any

from assay.document.run_document import Document
from assay.document.section import Section
from assay.published.tables.paragon import tables
from made_documents import document as made_document
from made_documents import figure
from made_documents import section as made_section


def section(benchmark: str, figures: list[tuple[str, float, dict[str, Any]]], fits: Any = (), **more: Any) -> Section:
    made = [figure(name, value, "1", **params) for name, value, params in figures]
    return made_section(benchmark, made, fits=list(fits), **more)


def document(**of_lock: Any) -> Document:
    read = {"kernel": "read", "vector": 0, "threads": 2, "size": 0}
    lock = {"kind": "mutex", "sharing": "one"}
    shares = [("share", rate, {**read, "thread": thread}) for thread, rate in enumerate((1e9, 3e9))]
    shares.append(("rate", 4e9, read))
    law = {"law": "speedup", "figure": "time", "params": {"by": "threads", "size": 512}, "processors": [1, 2]}
    about = {"ci95": None, "range": (0.0, 0.0), "launches": 3, "scope": ""}
    speedup = [{"value": value, **about} for value in (1.0, 1.8)]
    locks = [("time", 2e-8, {**lock, "threads": 1}), ("time", 3e-7, {**lock, "threads": 2})]
    return made_document(
        section("stream", shares),
        section("lock", locks, **of_lock),
        section("jacobi", [], [law | {"base": "one thread", "speedup": speedup}]),
    )


def test_each_table_holds_our_column_and_the_printed_ones() -> None:
    bandwidth, one, three, speedup = tables(document())
    assert bandwidth.rows == (("pfldq, 2", "4 GB/s (1 GB/s + 3 GB/s)", "237 MB/s"),)
    assert one.headings[:2] == ("", "here (measured)")
    assert one.rows == (("lock-unlock", "20 ns", "13 µs", "3 µs", "8 µs", "10 µs"),)
    assert three.headings[1] == "here (measured on 2)"
    assert three.rows[0][:3] == ("lock-unlock", "300 ns", "104 µs ?")
    assert speedup.rows == (("jacobi", "1.8", "2.7", "2.8", "3"),)


def test_cached_vectors_stand_beside_what_the_text_says_of_each_processor() -> None:
    """88 MB/s for each processor, in the text of section 3 and in no table."""
    cached = {"form": "compiled", "type": "float64", "place": "cache", "threads": 2}
    (made,) = tables(made_document(section("inner-product", [("rate", 4e9, cached)])))
    assert made.rows == (("ddot-cached, 2", "32 GB/s", "88 MB/s each"),)


def test_the_shared_bus_stands_beside_the_paragons() -> None:
    """119 and 252 MB/s alone; 31 and 146 together, 177 in all (Dunigan 1995, the text after Table 3.4)."""
    put = {"form": "put", "kernel": "read", "bytes": 65536}
    rates = [("messages", "alone", 6e9), ("stream", "alone", 9e9), ("messages", "both", 2e9), ("stream", "both", 5e9)]
    figures = [(name, rate, {**put, "load": load}) for name, load, rate in rates] + [("sum", 7e9, put)]
    (made,) = tables(made_document(section("bus", figures)))
    assert [row[1:] for row in made.rows] == [
        ("6 GB/s", "119 MB/s"),
        ("9 GB/s", "252 MB/s"),
        ("2 GB/s", "31 MB/s"),
        ("5 GB/s", "146 MB/s"),
        ("7 GB/s", "177 MB/s"),
    ]
    assert "one-sided puts" in made.note


def test_what_was_disturbed_is_said_below_the_table_that_it_stands_in() -> None:
    bandwidth, one, three, speedup = tables(document(state="disturbed"))
    assert all(table.note.endswith("Disturbed on this machine: lock.") for table in (one, three))
    assert not any("Disturbed" in table.note for table in (bandwidth, speedup))


def test_nothing_measured_gives_no_table() -> None:
    assert tables(made_document()) == []
