"""Files on real ranks: POSIX and MPI-IO, data compared, sources named, faults one line, nothing left behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.benchmark.record import benchmark
from assay.execute.build import build
from assay.execute.mpi import launch_environment
from command_line import assay
from file_faults import faulty
from memory_mounts import mounted_in_memory
from mpis_here import CROWD, MPI
from remarked import texts
from started import words

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(MPI is None, reason="no MPI here"), pytest.mark.paced]
SHM = Path("/dev/shm")
EVERY = (
    "layout=own,sections,records,append,broadcast", "interface=posix,independent,collective", "direction=read,write",
    "bytes=65536", "section=393216",
)  # fmt: skip
LAYOUTS = {
    (direction, layout, interface)
    for direction in ("read", "write")
    for layout in ("own", "sections", "records", "append", "broadcast")
    for interface in ("posix", "independent", "collective")
    if (interface != "collective" or layout in ("sections", "records", "append"))
    and (layout, direction) != ("append", "read")
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "given"
    place.mkdir()
    (place / "theirs").write_text("precious")
    yield place
    assert [path.name for path in place.iterdir()] == ["theirs"]
    assert (place / "theirs").read_text() == "precious"


def launched(
    folder: Path, *given: str, ranks: int = 3, status: int = 0, **env: str
) -> tuple[list[dict[str, Any]], list[str]]:
    assert MPI is not None
    program = build([benchmark("parallel-files")], mpi=MPI)["parallel-files"].path
    settings = [word for each in (*given, f"folder={folder}") for word in ("--set", each)]
    done = subprocess.run(
        [MPI.mpiexec, "-n", str(ranks), program, *words("parallel-files", "--blocks", "1", *settings)],
        capture_output=True,
        text=True,
        timeout=120,
        env=launch_environment(os.environ) | CROWD | env,
    )
    assert (done.returncode != 0) == (status != 0), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")], done.stderr.splitlines()


def blocks(lines: list[dict[str, Any]], metric: str) -> list[dict[str, Any]]:
    return [line for line in lines if line["event"] == "block" and line["metric"] == metric]


def test_every_layout_and_interface_moves_the_right_bytes(folder: Path) -> None:
    lines, _ = launched(folder, *EVERY)
    checks = [line for line in lines if line["event"] == "check"]
    assert len(checks) == len(LAYOUTS) and all(line["passed"] for line in checks)
    assert all("18 blocks" in line["detail"] for line in checks)  # three ranks, six calls each
    cases = [line["case"] for line in blocks(lines, "time")]
    assert {(each["direction"], each["layout"], each["interface"]) for each in cases} == LAYOUTS
    assert {line["case"]["source"] for line in blocks(lines, "time")} <= {"device", "cache", "unknown", "remote"}
    # written bytes stop in the page cache until fsync: the calls' own rate is never the device's
    for metric in ("first", "last", "latency"):
        found = [line for line in blocks(lines, metric) if line["case"]["direction"] == "write"]
        assert found and {line["case"]["source"] for line in found} == {"cache"}
    # each call stands once in the histograms by second and rank
    over_time = [line for line in lines if line["event"] == "over_time" and line["case"]["layout"] != "broadcast"]
    of_case: dict[str, int] = {}
    for line in over_time:
        key = json.dumps({name: line["case"][name] for name in ("direction", "layout", "interface")})
        of_case[key] = of_case.get(key, 0) + line["bytes"]
    assert set(of_case.values()) == {3 * 393216}  # of three ranks
    for first, last in zip(blocks(lines, "first"), blocks(lines, "last"), strict=True):
        assert first["case"] == last["case"] and first["values"][0] > 0 and last["values"][0] > 0
    shares = [value for line in blocks(lines, "share") for value in line["values"]]
    assert all(0 < share < 1 for share in shares)


def test_what_was_in_the_page_cache_is_never_a_device_s(folder: Path) -> None:
    lines, _ = launched(
        folder,
        *EVERY,
        "layout=own,sections",
        "direction=read",
        "interface=posix,independent",
        ranks=2,
        **faulty("warm"),
    )
    times = blocks(lines, "time")
    assert len(times) == 4
    assert {line["case"]["source"] for line in times} == {"cache"}


def test_calls_of_what_the_kernel_read_ahead_are_copies_and_no_latency_of_the_device(folder: Path) -> None:
    """Calls of a page, of which the kernel reads many ahead: the pass is the device's, most of its calls are copies."""
    given = (
        "layout=own,records",
        "direction=read,mixed",
        "interface=posix,independent",
        "bytes=4096",
        "section=393216",
    )
    lines, _ = launched(folder, *given, ranks=2)
    of_device = 0
    for line in blocks(lines, "time"):
        case = line["case"]
        if case.get("operation", "read") != "read" or case["source"] != "device":
            continue
        of_device += 1
        own = {name: value for name, value in case.items() if name != "source"}
        latencies = {
            each["case"]["source"]: each["values"]
            for each in blocks(lines, "latency")
            if {name: value for name, value in each["case"].items() if name != "source"} == own
        }
        assert set(latencies) <= {"device", "cache"}
        if case["layout"] == "own" and case["direction"] == "read":
            assert len(latencies["cache"]) + len(latencies.get("device", [])) == 192  # each call has one source
            assert len(latencies["cache"]) > 96
    if not of_device:
        pytest.skip("no pass here was the device's")


def test_past_the_page_cache_bytes_are_right_and_calls_have_the_storage_s_source(folder: Path) -> None:
    given = ("layout=own,sections,records,append", "interface=direct", "direction=read,write", "bytes=65536")
    lines, complaint = launched(folder, *given, "section=393216")
    if any("O_DIRECT is refused" in text for text in texts(lines)):
        pytest.skip("O_DIRECT is refused here")
    checks = [line for line in lines if line["event"] == "check"]
    assert len(checks) == 7 and all(line["passed"] for line in checks), complaint
    for metric in ("time", "first", "last", "latency"):
        found = [line["case"] for line in blocks(lines, metric)]
        assert len(found) == 7 and {each["interface"] for each in found} == {"direct"}
        assert {each["source"] for each in found} <= {"device", "unknown"}  # never a cache's
    read = [line["case"]["source"] for line in blocks(lines, "time") if line["case"]["direction"] == "read"]
    lines, _ = launched(folder, *given, "section=393216", "direction=read", **faulty("warm"))
    warm = [line["case"]["source"] for line in blocks(lines, "time")]
    assert set(warm) == set(read)  # though the page cache has it all


MIXED = ("layout=own,sections,records", "interface=posix,direct,independent,collective", "direction=mixed",
         "bytes=65536", "section=786432")  # fmt: skip


def test_mixed_calls_read_what_was_there_and_write_the_others(folder: Path) -> None:
    lines, complaint = launched(folder, *MIXED)
    interfaces = {"posix", "direct", "independent", "collective"}
    if any("O_DIRECT is refused" in text for text in texts(lines)):
        interfaces.remove("direct")
    cases = {(layout, each) for layout in ("own", "sections", "records") for each in interfaces}
    cases.remove(("own", "collective"))
    checks = [line for line in lines if line["event"] == "check"]
    assert {(each["case"]["layout"], each["case"]["interface"]) for each in checks} == cases
    assert all(line["passed"] and "36 blocks" in line["detail"] for line in checks), complaint
    for metric in ("time", "latency"):
        found = [line["case"] for line in blocks(lines, metric)]
        kinds = {(each["layout"], each["interface"], each["operation"]) for each in found}
        assert kinds == {(*case, operation) for case in cases for operation in ("read", "write")}
    calls: Counter[tuple[str, ...]] = Counter()  # what was read ahead is a copy's, so that reads may have two sources
    for each in blocks(lines, "latency"):
        calls[tuple(each["case"][key] for key in ("layout", "interface", "operation"))] += len(each["values"])
    for case in cases:
        assert calls[*case, "read"] + calls[*case, "write"] == 36  # each block once, by three ranks
        assert 8 <= calls[*case, "write"] <= 28
    for line in blocks(lines, "latency"):
        if line["case"]["operation"] == "write" and line["case"]["interface"] != "direct":
            assert line["case"]["source"] == "cache"  # these calls end in the page cache
    reads = [line["case"]["source"] for line in blocks(lines, "time") if line["case"]["operation"] == "read"]
    assert set(reads) <= {"device", "unknown"}  # emptied beforehand: never a cache's


@pytest.mark.parametrize("fault", ["lost", "damage"])
def test_a_block_that_a_mixed_pass_did_not_write_fails_the_check(folder: Path, fault: str) -> None:
    """Twelve blocks of each rank lie there before; the first that the pass itself writes is the one that is harmed."""
    given = ("layout=own", "interface=posix", *MIXED[2:])
    lines, _ = launched(folder, *given, ranks=2, status=1, **faulty(fault, FAULT_AFTER=12))
    (check,) = [line for line in lines if line["event"] == "check"]
    assert not check["passed"] and "24 blocks" in check["detail"]


@pytest.mark.skipif(not SHM.is_dir(), reason="no memory file system")
def test_a_file_system_that_refuses_o_direct_is_named(tmp_path: Path) -> None:
    place = SHM / tmp_path.name
    place.mkdir()
    try:
        lines, complaint = launched(place, "interface=posix,direct", "bytes=65536", "section=65536", ranks=1)
        notes = texts(lines)
        kinds = {line["case"]["interface"] for line in blocks(lines, "time")}
        refused = any("interface=direct: O_DIRECT is refused by tmpfs" in each for each in [*notes, *complaint])
        assert refused == (kinds == {"posix"})  # kernels from 6.6 on take it
    finally:
        place.rmdir()


@pytest.mark.skipif(not SHM.is_dir(), reason="no memory file system")
def test_figures_reach_the_answer_and_memory_is_no_storage(tmp_path: Path) -> None:
    place = SHM / tmp_path.name
    place.mkdir()
    try:
        answer = assay(
            *("run", "parallel-files", "-n", "2", "--launches", "1", "--out", str(tmp_path / "run"), "--json"),
            *(word for each in (f"folder={place}", *EVERY[1:], "layout=records") for word in ("--set", each)),
        )
        assert answer.status == 0, answer.err
        assert f"writes files of {2 * 2 * 393216 / 1e6:.4g} MB at most" in answer.err
        rates = [each for each in answer.document["figures"] if each["name"] == "rate_aggregate"]
        assert len(rates) == 6 and {each["params"]["source"] for each in rates} == {"cache"}
        assert {"rate_first", "rate_last", "open", "sync", "close", "share", "latency"} <= {
            each["name"] for each in answer.document["figures"]
        }
        assert list(place.iterdir()) == []
    finally:
        place.rmdir()


def test_a_damaged_byte_fails_the_check_of_each_interface(folder: Path) -> None:
    lines, _ = launched(folder, *EVERY, "layout=sections", "direction=write", ranks=2, status=1, **faulty("damage"))
    failed = {line["case"]["interface"] for line in lines if line["event"] == "check" and not line["passed"]}
    assert "posix" in failed and "independent" in failed


@pytest.mark.parametrize("fault", ["lost", "twice"])
def test_what_ranks_append_is_there_once_or_the_check_fails(folder: Path, fault: str) -> None:
    given = ("layout=append", "interface=posix", "direction=write", "bytes=65536", "section=393216")
    lines, _ = launched(folder, *given, ranks=3, status=1, **faulty(fault, FAULT_AFTER=2))
    (check,) = [line for line in lines if line["event"] == "check"]
    assert not check["passed"] and "18 blocks" in check["detail"]


def test_a_section_too_large_for_the_room_names_one_that_is_taken(tmp_path: Path) -> None:
    with mounted_in_memory(tmp_path / "small", "size=24m") as place:
        _, complaint = launched(place, "bytes=65536", "section=4194304", ranks=2, status=2)
        found = re.search(r"got '4194304', expected up to (\d+) for each rank", " ".join(complaint))
        assert found is not None, complaint
        lines, _ = launched(place, "bytes=65536", f"section={found[1]}", "direction=read", ranks=2)
        assert blocks(lines, "time")
        launched(place, "bytes=65536", f"section={int(found[1]) + 65536}", ranks=2, status=2)


def test_some_ranks_work_while_the_others_wait(folder: Path) -> None:
    given = ("layout=own,sections", "interface=posix", "direction=read,write", "bytes=65536", "section=131072")
    lines, _ = launched(folder, *given, "active=1,2,0,3", ranks=3)
    checks = {(each["case"]["layout"], each["case"]["active"]): each["detail"].split()[0]
              for each in lines if each["event"] == "check" and each["passed"]}  # fmt: skip
    # two calls of each rank that works; of a shared file all work, and three of three are all
    assert checks == {("own", 1): "2", ("own", 2): "4", ("own", 3): "6", ("sections", 3): "6"}
    moved: dict[int, int] = {}
    for line in lines:
        if line["event"] == "over_time" and (line["case"]["layout"], line["case"]["direction"]) == ("own", "read"):
            moved[line["case"]["active"]] = moved.get(line["case"]["active"], 0) + line["bytes"]
    assert moved == {active: active * 131072 for active in (1, 2, 3)}


def test_space_is_allocated_where_the_case_says_so_and_nowhere_else(folder: Path) -> None:
    given = ("layout=own", "interface=posix,independent", "direction=write,read", "bytes=65536", "section=131072")
    lines, _ = launched(folder, *given, ranks=1, **faulty("nofallocate"))
    assert len(blocks(lines, "time")) >= 4
    _, complaint = launched(folder, *given, "direction=write", "preallocate=yes", ranks=1, status=2,
                            **faulty("nofallocate"))  # fmt: skip
    assert any(
        "preallocate: fallocate is refused by" in line and "got 'yes', expected no" in line for line in complaint
    ), complaint


@pytest.mark.parametrize(("fault", "said"), [
    ("full", "No space left"), ("quota", "Disk quota exceeded"), ("eio", "Input/output error"),
])  # fmt: skip
def test_a_fault_of_a_rank_is_said_and_nothing_is_left(folder: Path, fault: str, said: str) -> None:
    given = ("layout=own", "interface=posix", f"direction={'read' if fault == 'eio' else 'write'}", "bytes=65536")
    _, complaint = launched(folder, *given, "section=1048576", ranks=2, status=1, **faulty(fault))
    assert any(line.startswith("parallel-files: rank ") and said in line for line in complaint), complaint


@pytest.mark.parametrize(("given", "said"), [
    ("bytes=1000", "bytes: no whole sectors; got '1000', expected a multiple of 512"),
    ("section=65537", "section: no whole blocks; got '65537', expected a multiple of bytes, 65536"),
    ("io_nodes=2", "io_nodes: of a described machine; got '2', expected 0"),
    ("interface=collective", "interface=collective is of a file that all ranks share"),
    ("layout=append direction=read", "layout=append is of what is written"),
    ("layout=broadcast direction=mixed", "direction=mixed is of blocks that are there"),
    ("bytes=512 direction=mixed", "bytes: with direction=mixed, parts of pages are read"),
])  # fmt: skip
def test_what_cannot_be_is_one_line(folder: Path, given: str, said: str) -> None:
    _, complaint = launched(folder, *given.split(), ranks=1, status=2)
    assert any(said in line for line in complaint), complaint


def test_a_described_machine_has_no_mpi_io() -> None:
    words_of = ("--set", "interface=collective", "--set", "section=65536", "--json")
    answer = assay("run", "parallel-files", "--on", "delta", "-n", "2", *words_of)
    assert answer.status == 2
    assert "interface: a described machine has its own calls alone; got 'collective', expected posix" in answer.err
    words_of = ("--set", "layout=append", "--set", "section=65536", "--json")
    answer = assay("run", "parallel-files", "--on", "delta", "-n", "2", *words_of)
    assert answer.status == 2
    assert "layout: files of a described machine have no common end" in answer.err
