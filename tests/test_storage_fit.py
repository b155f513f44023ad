"""`assay fit` of a files run: planted numbers are found, the description repeats them, errors are shown apart."""

from __future__ import annotations

import math
import random
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assay.analysis.storage_errors import judge_cells, missed_in_words
from assay.analysis.storage_law import RateCell, storage_law
from assay.described.machine_file import load
from assay.described.uncertainty import uncertainty
from assay.document.run_document import Document
from assay.fitting.from_run import description as storage_and_network
from assay.fitting.storage_from_run import storage_description
from assay.report.render.markdown import markdown
from assay.report.render.page import html
from command_line import assay
from made_documents import document, figure, section

pytestmark = pytest.mark.usefixtures("own_folder")
STARTUP, PER_BYTE, LIMIT = 100e-6, 1e-9, 2.5e9
SIZES = (4096, 16384, 65536, 262144, 1048576)


def planted(size: int, flight: int, limit: float = LIMIT) -> float:
    """The law, written down again."""
    return min(flight * size / (STARTUP + PER_BYTE * size), limit)


def cell(direction: str, size: int, processes: int, scale: float = 1.0) -> dict[str, Any]:
    about = {"direction": direction, "source": "device", "engine": "direct", "access": "sequential", "bytes": size}
    rate = scale * planted(size, processes)
    launches = [[launch, rate] for launch in range(6)]
    return figure("rate", rate, "B/s", **about, processes=processes, depth=1, layout="own") | {"by_launch": launches}


def test_planted_numbers_are_found_and_half_of_the_cells_judge() -> None:
    cells = [RateCell(size, flight, planted(size, flight), {}) for size in SIZES for flight in (1, 2, 4)]
    law = storage_law(cells)
    assert law is not None
    assert (law.startup, law.per_byte) == (pytest.approx(STARTUP, rel=1e-6), pytest.approx(PER_BYTE, rel=1e-6))
    assert law.limit == pytest.approx(LIMIT)
    assert law.rate(law.n_half, 1) == pytest.approx(0.5 / PER_BYTE, rel=1e-6)  # what half-performance means
    for size in SIZES:
        just = law.saturation(size)
        assert just * size / (STARTUP + PER_BYTE * size) == pytest.approx(LIMIT, rel=1e-6)
    least, most = law.n_half_between
    assert least <= STARTUP / PER_BYTE * (1 + 1e-6) and most >= STARTUP / PER_BYTE * (1 - 1e-6)
    held_out = [each for each in law.cells if not each.fitted]
    assert len(held_out) == 8 and {each.flight for each in held_out} == {1, 2, 4}
    assert law.errors(False)[-1] < 1e-6
    wrong = [RateCell(*(each.bytes, each.flight, each.rate * (1 if each.fitted else 2), {})) for each in law.cells]
    again = storage_law(wrong)
    assert again is not None and again.startup == pytest.approx(STARTUP)  # what is held out moves nothing
    assert again.errors(False) == pytest.approx([0.5] * len(held_out)) and again.errors(True)[-1] < 1e-6
    assert storage_law(cells[:2]) is None


def declined(size: int, flight: int, decline: float) -> float:
    """The law with what each time as many as saturate add to the limit's time."""
    beyond = flight * size / (STARTUP + PER_BYTE * size) / LIMIT - 1
    return planted(size, flight) / (1 + decline * max(0.0, beyond))


def test_a_decline_beyond_saturation_is_found_and_what_is_held_out_follows_it() -> None:
    flights = (1, 2, 4, 8, 16)
    cells = [RateCell(size, flight, declined(size, flight, 0.3), {}) for size in SIZES for flight in flights]
    law = storage_law(cells)
    assert law is not None and law.limit == pytest.approx(LIMIT, rel=1e-6)  # which no cell reaches
    assert law.decline == pytest.approx(0.3, rel=1e-6)
    assert law.errors(False)[-1] < 1e-6
    plain = storage_law([RateCell(size, flight, planted(size, flight), {}) for size in SIZES for flight in flights])
    assert plain is not None and plain.decline == 0.0
    noisy = storage_law([RateCell(size, flight, planted(size, flight) * (0.98 + 0.02 * (flight % 3)), {})
                         for size in SIZES for flight in flights])  # fmt: skip
    assert noisy is not None and noisy.decline == 0.0  # less than what is clear


EACH = 30e-6


def shared(size: int, flight: int) -> float:
    """The law with what each operation takes of what all share: operations per second have a limit of their own."""
    return size * min(flight / (STARTUP + PER_BYTE * size), 1 / (EACH + size / LIMIT))


def run_that_follows(law: Callable[[int, int], float], flights: Sequence[int]) -> Document:
    """Six equal launches, whose rates by block size and processes are the law's."""
    about = {"direction": "read", "source": "device", "engine": "direct", "access": "sequential", "depth": 1}
    figures = [figure("rate", law(size, flight), "B/s", **about, bytes=size, processes=flight, layout="own")
               | {"by_launch": [[launch, law(size, flight)] for launch in range(6)]}
               for size in SIZES for flight in flights]  # fmt: skip
    return document(section("file-rate", figures))


def played(made: Document, folder: Path, cases: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """B/s of all ranks that the description of a run plays, by block size and ranks."""
    path = folder / "mine.toml"
    path.write_text(storage_description(made)[0])
    found = {}
    for size, ranks in cases:
        words = ("-n", str(ranks), "--json", "--set", f"bytes={size}", "--set", "section=4194304")
        answer = assay("run", "file-rate", "--on", str(path), *words)
        assert answer.status == 0, answer.err
        (rate,) = [each["value"] for each in answer.document["figures"] if each["name"] == "rate_aggregate"]
        found[size, ranks] = rate
    return found


def test_operations_per_second_are_a_limit_of_their_own_and_the_description_plays_it(tmp_path: Path) -> None:
    flights = (1, 2, 4, 8)
    law = storage_law([RateCell(size, flight, shared(size, flight), {}) for size in SIZES for flight in flights])
    assert law is not None and law.decline == 0.0
    assert (law.each, law.limit) == (pytest.approx(EACH, rel=1e-3), pytest.approx(LIMIT, rel=1e-3))
    held_out = [each for each in law.cells if not each.fitted]
    assert len(held_out) == 11 and law.errors(False)[-1] < 1e-3
    assert law.rate(4096, 64) == pytest.approx(4096 / (EACH + 4096 / LIMIT), rel=1e-3)  # a length and number not seen
    made = run_that_follows(shared, flights)
    cases = ((4096, 1), (131072, 1), (4096, 16), (32768, 16), (1048576, 4))
    for (size, ranks), rate in played(made, tmp_path, cases).items():
        assert 0.85 <= rate / shared(size, ranks) <= 1.02, (size, ranks, rate)
    assert "each taking 30 µs of what all share besides" in html(made)


def contended(size: int, flight: int) -> float:
    """The law in which each operation waits for what every other in flight takes of what all share."""
    return flight * size / (STARTUP + PER_BYTE * size + (flight - 1) * (EACH + size / LIMIT))


def test_operations_that_wait_for_one_another_are_found_and_the_description_plays_them(tmp_path: Path) -> None:
    flights = (1, 2, 4, 8)
    law = storage_law([RateCell(size, flight, contended(size, flight), {}) for size in SIZES for flight in flights])
    assert law is not None and law.contended
    assert (law.each, law.limit) == (pytest.approx(EACH, rel=1e-3), pytest.approx(LIMIT, rel=1e-3))
    assert law.errors(False)[-1] < 1e-3 and law.rate(4096, 64) == pytest.approx(contended(4096, 64), rel=1e-3)
    for other in (planted, shared):
        plain = storage_law([RateCell(size, flight, other(size, flight), {}) for size in SIZES for flight in flights])
        assert plain is not None and not plain.contended
    made = run_that_follows(contended, flights)
    cases = ((4096, 1), (131072, 1), (4096, 16), (32768, 3), (1048576, 4))
    for (size, ranks), rate in played(made, tmp_path, cases).items():
        assert rate == pytest.approx(contended(size, ranks), rel=0.02), (size, ranks)
    assert "waiting that long for every other in flight" in html(made)


def test_errors_have_intervals_and_what_the_law_misses_is_named() -> None:
    """Six launches of one pace each; one held-out cell is half as fast as the law has it, in all of them."""
    paces = (0.9, 0.95, 1.0, 1.0, 1.05, 1.1)

    def measured(size: int, flight: int, scale: float) -> RateCell:
        rates = {launch: scale * pace * planted(size, flight) for launch, pace in enumerate(paces)}
        return RateCell(size, flight, scale * planted(size, flight), rates)

    cells = [measured(size, flight, 0.5 if (size, flight) == (262144, 4) else 1.0)
             for size in SIZES for flight in (1, 2, 4)]  # fmt: skip
    law = storage_law(cells)
    assert law is not None
    found = {(each.cell.bytes, each.cell.flight): each for each in judge_cells(law)}
    wrong = found.pop((262144, 4))
    assert not wrong.cell.fitted and wrong.missed and wrong.between == pytest.approx((1.0, 1.0), rel=1e-3)
    assert all(each.interval and not each.missed for each in found.values())
    assert missed_in_words(judge_cells(law)).endswith("1 of 8 held out: 262144 B with 4 (+100%)")
    # each launch has a pace of its own in one cell: no whole interval is beyond, so none is missed
    spread = {launch: rate * (0.4 + 0.3 * launch) for launch, rate in measured(262144, 4, 1.0).launches.items()}
    again = storage_law([replace(each, launches=spread, rate=0.5 * each.rate)
                         if (each.bytes, each.flight) == (262144, 4) else each for each in cells])  # fmt: skip
    assert again is not None and missed_in_words(judge_cells(again)) == ""
    few = storage_law([replace(each, launches={0: each.rate, 1: each.rate}) for each in cells])
    assert few is not None and not any(each.interval for each in judge_cells(few))
    assert few.launches == 2 and few.spread and any(each.missed for each in judge_cells(few))


def test_one_launch_is_no_range_and_nothing_is_missed_by_it_alone() -> None:
    """Of two launches one lacks a cell: no range rests on the other alone, and it is said how many there were."""
    cells = [cell("read", size, processes) for size in SIZES for processes in (1, 4)]
    for each in cells:
        each["by_launch"] = [[launch, each["value"]] for launch in range(2)]
        if (each["params"]["bytes"], each["params"]["processes"]) == (262144, 4):
            each["by_launch"] = [[0, 0.5 * each["value"]]]
        if (each["params"]["bytes"], each["params"]["processes"]) == (65536, 1):
            each["by_launch"] = each["by_launch"][:1]
    made = document(section("file-rate", cells))
    text, about = storage_description(made)
    (law,) = about["storage"]
    assert law["launches"] == 1 and law["startup_between"] is law["n_half_between"] is law["between"] is None
    assert all(each["error_between"] is None and not each["missed"] for each in law["cells"])
    assert {each["error_launches"] for each in law["cells"]} == {1}
    assert "startup 100 us (no range: 1 launch alone of 2, the others lack cells), 1 ns/B; all" in text
    shown = markdown(made)
    assert "no range: 1 launch alone of 2, the others lack cells" in shown and "range of" not in shown
    for each in cells:
        each["by_launch"] = [[launch, each["value"]] for launch in range(2)]
    text, _ = storage_description(made := document(section("file-rate", cells)))
    assert "(range of 2 launches: 100 to 100)" in text and "range of 2 launches" in markdown(made)


def of_ranks(direction: str, size: int, active: int, name: str, source: str = "device", scale: float = 1.0) -> Any:
    about = {"direction": direction, "source": source, "interface": "posix", "bytes": size, "section": 1 << 22}
    rate = scale * planted(size, active)
    launches = [[launch, rate] for launch in range(6)]
    more = {"layout": "own", "preallocate": "no", "active": active, "ranks": 4}
    return figure(name, rate, "B/s", **about, **more) | {"by_launch": launches}


def test_ranks_have_a_law_of_their_own_beside_the_processes(tmp_path: Path) -> None:
    figures = [of_ranks("read", size, active, "rate_last", scale=0.5) for size in SIZES for active in (1, 2, 4)]
    figures += [of_ranks("write", size, active, "rate_aggregate", scale=0.2) for size in SIZES for active in (1, 4)]
    figures += [of_ranks("write", size, active, "rate_last", "cache") for size in SIZES for active in (1, 4)]
    figures += [of_ranks("read", size, 1, "rate_aggregate", scale=7.0) for size in SIZES]  # opening counts: no cells
    figures += [of_ranks("write", size, 1, "rate_last", scale=7.0) for size in SIZES]  # without fsync
    made = document(section("parallel-files", figures),
                    section("file-rate", [cell("read", size, 1) for size in SIZES]))  # fmt: skip
    text, about = storage_description(made)
    laws = {each["name"]: each for each in about["storage"]}
    assert set(laws) == {"read", "read-ranks", "write-ranks", "write-cache-ranks"}
    for name, scale in (("read", 1.0), ("read-ranks", 0.5), ("write-ranks", 0.2), ("write-cache-ranks", 1.0)):
        assert laws[name]["per_byte"] == pytest.approx(PER_BYTE / scale, rel=1e-6)
    assert tomllib.loads(text)["defaults"] == {"direction": "read"}
    held_out = [each for each in laws["read-ranks"]["cells"] if not each["fitted"]]
    assert {each["flight"] for each in held_out} == {1, 2, 4} and all(abs(each["error"]) < 1e-6 for each in held_out)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    words = ("-n", "2", "--json", "--set", "bytes=131072", "--set", "section=4194304")
    answer = assay("run", "file-rate", "--on", f"{path}:read-ranks", *words)
    (rate,) = [each["value"] for each in answer.document["figures"] if each["name"] == "rate_aggregate"]
    assert rate == pytest.approx(0.5 * planted(131072, 2), rel=0.06)
    assert "Predicted read rates" in html(made) and "engine ranks" in markdown(made)


def test_the_description_gives_these_rates_by_simulation_and_the_report_shows_the_errors(tmp_path: Path) -> None:
    figures = [cell("read", size, processes) for size in SIZES for processes in (1, 4)]
    figures += [cell("write", size, processes, 0.5) for size in SIZES for processes in (1, 4)]
    figures += [cell("reread", size, 1, 0.25) for size in SIZES]  # no cell with several processes
    made = document(section("file-rate", figures))
    text, about = storage_description(made)
    path = tmp_path / "mine.toml"
    path.write_text(text)
    assert [each["name"] for each in about["storage"]] == ["read", "reread", "write"]
    cases = {"": (1.0, ((131072, 1), (131072, 2), (1048576, 4))), ":write": (0.5, ((4096, 1), (1048576, 1))),
             ":reread": (0.25, ((131072, 1),))}  # fmt: skip
    for variant, (scale, cells) in cases.items():
        for size, ranks in cells:  # unseen sizes and numbers of processes among them
            name = f"{path}{variant}"
            answer = assay("run", "file-rate", "--on", name, "-n", str(ranks), "--json",
                           "--set", f"bytes={size}", "--set", "section=4194304",
                           "--set", f"direction={'write' if 'write' in variant else 'read'}")  # fmt: skip
            assert answer.status == 0, answer.err
            (rate,) = [each["value"] for each in answer.document["figures"] if each["name"] == "rate_aggregate"]
            # where the limit just binds, ranks that begin together wait for one another: the bound is not reached
            least, most = (0.85, 1.02) if planted(size, ranks) == LIMIT else (0.94, 1.02)
            assert least <= rate / (scale * planted(size, ranks)) <= most, (name, size, ranks)
    for variant, direction in (
        ("", "read"),
        (":write", "write"),
        (":reread", "read"),
    ):  # what is not set is what it is of
        answer = assay("run", "file-rate", "--on", f"{path}{variant}", "-n", "2", "--json", "--set", "bytes=65536")
        assert {each["params"]["direction"] for each in answer.document["figures"]} == {direction}, answer.err
    shown = assay("run", "file-rate", "--on", f"{path}:write", "-n", "2", "-q", "--set", "bytes=65536").out
    assert "rate aggregate, write, 64 KiB" in shown
    for shown in (html(made), markdown(made)):
        assert "Predicted read rates" in shown and "Predicted write rates" in shown and "held out: median" in shown
        assert "r_max 1 GB/s, n_half 97.7 KiB (" in shown and "the limit is reached with" in shown


def test_beside_an_echo_the_files_are_variants_that_take_no_time_for_messages(tmp_path: Path) -> None:
    """The echo's network is the file's own; the same storage law is played whether an echo was run or not."""
    files = section("file-rate", [cell(way, size, processes) for way in ("read", "write")
                                  for size in SIZES for processes in (1, 4)])  # fmt: skip
    times = [figure("half_round_trip", 20e-6 + 5e-9 * size, "s", bytes=size) for size in (8, 512, 4096, 65536)]
    text, about = storage_and_network(document(files, section("echo", times)))
    assert [each["name"] for each in about["storage"]] == ["read", "write"] and about["stretches"]
    path = tmp_path / "both.toml"
    path.write_text(text)
    found = load(path)
    assert found.storage is None and set(found.variant) == {"read", "write"}
    answer = assay("run", "file-rate", "--on", f"{path}:read", "-n", "2", "--json", "--set", "bytes=65536",
                   "--set", "section=4194304")  # fmt: skip
    assert answer.status == 0, answer.err
    (rate,) = [each["value"] for each in answer.document["figures"] if each["name"] == "rate_aggregate"]
    assert rate == pytest.approx(planted(65536, 2), rel=0.06)
    (echo,) = [each["value"] for each in assay("run", "echo", "--on", str(path), "--set", "bytes=4096", "--json")
               .document["figures"] if each["name"] == "half_round_trip" and each["statistic"] == "median"]  # fmt: skip
    assert echo == pytest.approx(20e-6 + 5e-9 * 4096, rel=0.05)


def test_a_run_of_files_becomes_a_description(tmp_path: Path) -> None:
    folder, out = tmp_path / "files", tmp_path / "run"
    folder.mkdir()
    settings = (f"folder={folder}", "size=262144", "bytes=4096,16384,65536", "direction=reread", "engine=buffered")
    words = [word for each in settings for word in ("--set", each)]
    ran = assay("run", "file-rate", "--launches", "1", "--out", str(out), "-q", *words)
    assert ran.status == 0, ran.err
    made = assay("fit", str(out), "--out", str(tmp_path / "mine.toml"), "--json")
    assert made.status == 0, made.err
    (law,) = made.document["storage"]
    line = assay("fit", str(out), "--out", str(tmp_path / "again.toml")).out
    assert f"storage by 3 cells: {law['name']} (1 held out: error {abs(law['cells'][1]['error']):.1%});" in line
    assert law["source"] == "cache" and [each["fitted"] for each in law["cells"]] == [True, False, True]
    assert load(tmp_path / "mine.toml").storage is not None
    again = assay("run", "file-rate", "--on", str(tmp_path / "mine.toml"), "-n", "1", "--set", "bytes=16384",
                  "--set", "section=262144", "--json")  # fmt: skip
    (rate,) = [each["value"] for each in again.document["figures"] if each["name"] == "rate"]
    assert rate == pytest.approx(law["cells"][1]["predicted"], rel=0.1)


def test_the_numbers_of_files_have_intervals_that_hold_the_planted_ones(tmp_path: Path) -> None:
    """Launches that differ by 3%: start-up and time per byte are entries of [uncertainty], by variant and alone."""
    dice = random.Random(1)
    factors = [math.exp(0.03 * dice.gauss(0, 1)) for _ in range(6)]
    figures = [
        cell(direction, size, 1) | {"by_launch": [[at, planted(size, 1) * by] for at, by in enumerate(factors)]}
        for direction in ("read", "write") for size in SIZES
    ]  # fmt: skip
    text, about = storage_description(document(section("file-rate", figures)))
    (tmp_path / "m.toml").write_text(text)
    known = uncertainty(load(tmp_path / "m.toml"))
    assert known is not None
    found = dict(zip((keys[0] for keys in known.keys), zip(known.values, known.intervals, strict=True), strict=True))
    for key, truth in (("storage.device.access", STARTUP), ("storage.device.per_byte", PER_BYTE)):
        value, (low, high) = found[key]
        assert low <= truth <= high and 1.005 < high / low < 1.5, key
        assert value == pytest.approx(truth, rel=0.1)
    assert any(
        key.startswith("variant.write.storage.") for each in about["uncertainty"]["keys"] for key in each["keys"]
    )
    draws = known.draws(200, 1)
    assert len({round(each["storage.device.access"] / STARTUP, 4) for each in draws}) > 50
