"""`assay run file-rate`: where bytes came from is named, results are verified, faults are one line, no file is left."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from assay.samples import Circumstance
from assay.store import Run
from command_line import Answer, assay
from file_faults import faulty, shim

pytestmark = pytest.mark.usefixtures("own_folder")
SMALL = ("--set", "size=2097152", "--set", "bytes=65536", "--launches", "1", "--json")
SHM = Path("/dev/shm")


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A folder on this host's disk; tests of a device's label are skipped where there is none."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "theirs").write_text("precious")
    return folder


def type_of(folder: Path) -> str:
    return subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True).stdout.strip()


def writes_back(folder: Path) -> bool:
    """Whether the drive below has a cache of its own, by the kernel's word."""
    number = folder.stat().st_dev
    device = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()
    cache = (device.parent if (device / "partition").exists() else device) / "queue/write_cache"
    return cache.exists() and cache.read_text().strip() == "write back"


def run(folder: Path, *settings: str, status: int = 0) -> Answer:
    given = {"size": "2097152", "bytes": "65536"} | dict(each.split("=", 1) for each in settings)
    words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    answer = assay("run", "file-rate", "--set", f"folder={folder}", "--launches", "1", "--json", *words)
    assert answer.status == status, answer.err
    return answer


def sources(document: Any, name: str = "rate", **case: object) -> set[str]:
    """Where the figures of a case say that their bytes came from."""
    found = [each for each in document["figures"] if each["name"] == name]
    return {
        each["params"]["source"] for each in found if all(each["params"][key] == value for key, value in case.items())
    }


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_each_engine_reads_back_what_it_wrote_and_says_from_where(disk: Path) -> None:
    document = run(disk, "engine=buffered,direct,uring,mmap", "direction=write,read,reread", "depth=1,3").document
    assert document["valid"]
    assert left(disk) == ["theirs"]
    for engine in ("buffered", "mmap"):  # a warm cache is never a device, whatever the file system
        assert sources(document, engine=engine, direction="reread") == {"cache"}
        assert sources(document, "latency", engine=engine, direction="reread") == {"cache"}
        assert sources(document, "latency", engine=engine, direction="write") == {"cache"}
        assert "cache" in sources(document, engine=engine, direction="write")
    copies = [each for each in document["figures"] if each["name"] == "copy"]
    assert {each["params"]["engine"] for each in copies} >= {"buffered", "mmap"}
    assert "direct" not in {each["params"]["engine"] for each in copies} or type_of(disk) != "ext2/ext3"
    for figure in document["figures"]:
        assert "folder" not in figure["params"]
        if figure["name"] == "rate":
            assert figure["value"] > 0
    assert str(disk) in str(document["provenance"]) or str(disk) in str(document["notes"])
    if type_of(disk) == "ext2/ext3":
        assert sources(document, engine="direct", direction="read") <= {"device", "unknown"}
        assert "device" in sources(document, engine="buffered", direction="read") | sources(document, engine="direct")


def test_an_engine_that_the_kernel_refuses_gives_no_figure(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Containers refuse io_uring: what pread did must not be called uring."""
    for name, value in faulty("nouring").items():
        monkeypatch.setenv(name, value)
    document = run(disk, "engine=buffered,uring", "direction=write,read").document
    engines = {each["params"]["engine"] for each in document["figures"]}
    assert engines == {"buffered"}
    assert any(
        "io_uring is refused here (Operation not permitted); engine=direct" in each for each in document["notes"]
    )


def test_a_file_that_is_half_cached_gives_a_figure_per_source(disk: Path) -> None:
    document = run(disk, "engine=buffered", "direction=read", "before=half", "access=sequential,random").document
    held = [each["value"] for each in document["figures"] if each["name"] == "held"]
    assert held == [pytest.approx(0.5)] * 2 or type_of(disk) == "tmpfs"
    for access in ("sequential", "random"):
        found = sources(document, access=access)
        assert "cache" in found
        if type_of(disk) == "ext2/ext3":
            assert len(found) == 2
            assert found <= {"cache", "device", "unknown"}


@pytest.mark.parametrize("before", ["written", "all"])
def test_a_file_that_is_in_the_page_cache_is_never_a_device_s(disk: Path, before: str) -> None:
    """What was all there is called the cache's and nothing else; where the kernel dropped a page meanwhile, the blocks
    that were not whole are named beside it.
    """
    document = run(disk, "engine=buffered,mmap", "direction=read", f"before={before}").document
    held = {each["params"]["engine"]: each for each in document["figures"] if each["name"] == "held"}
    assert set(held) == {"buffered", "mmap"}
    for engine, figure in held.items():
        assert figure["state"] == "clean", "a count of pages, which a busy host does not move"
        assert 0.8 < figure["value"] <= 1
        found = sources(document, engine=engine), sources(document, "latency", engine=engine)
        assert all("cache" in each for each in found)
        if figure["value"] == 1 or not any("ended by its time" in note for note in document["notes"]):
            assert all((each == {"cache"}) == (figure["value"] == 1) for each in found)


def test_what_was_held_is_a_count_that_a_busy_host_does_not_make_invalid(tmp_path: Path) -> None:
    """Two processors, others on one and a half of them: times are in doubt then, pages that were counted are not."""
    run = Run.create(tmp_path / "run", {"machine": "here", "host": {"host": "n1", "usable_cpus": 2}, "wishes": {}})
    about = Circumstance(run.about["id"], "file-rate", "files", "here", 0, 0, 1, "p")
    run.journal({"event": "begun", "task": "000-file-rate", "file": "0.jsonl", "about": asdict(about)})
    busy = {"steal": 0.0, "others": 0.45, "own": 0.1, "wall": 0.3, "involuntary": 9, "major_faults": 0}
    block = {"event": "block", "block": 0, "batch": 1, "first": None, "t0": 1.0, "t1": 1.3, "accounting": busy}
    kept = {
        "engine": "buffered",
        "direction": "read",
        "access": "sequential",
        "bytes": 65536,
        "depth": 1,
        "processes": 1,
    }
    lines = [
        {"event": "launch", "ranks": 1, "placement": [{"host": "n1"}], "hosts": [{"host": "n1", "usable_cpus": 2}]},
        block | {"metric": "held", "case": kept, "values": [1.0]},
        block | {"metric": "time", "case": kept | {"source": "cache"}, "values": [1e-9]},
        {"event": "done"},
    ]
    (run.folder / "launches" / "0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run.journal({"event": "ended", "task": "000-file-rate", "status": 0, "reason": None, "binding": None,
                 "warnings": []})  # fmt: skip
    run.finish("done")
    figures = {each["name"]: each for each in assay("report", str(run.folder), "--json").document["figures"]}
    assert figures["rate"]["state"] != "clean"
    assert (figures["held"]["state"], figures["held"]["value"]) == ("clean", 1.0)


@pytest.mark.skipif(not SHM.is_dir() or type_of(SHM) != "tmpfs", reason="no tmpfs")
def test_memory_is_never_called_a_device(tmp_path: Path) -> None:
    folder = SHM / tmp_path.name
    folder.mkdir()
    try:
        document = run(folder, "engine=buffered,direct,uring,mmap", "direction=write,read,reread").document
        assert sources(document) == sources(document, "latency") == {"cache"}
        assert any("memory" in note for note in document["notes"])
        assert document["headlines"] and all("age cache" in each["title"] for each in document["headlines"])
        assert left(folder) == []
    finally:
        folder.rmdir()


@pytest.mark.parametrize("layout", ["own", "segmented", "strided"])
def test_several_processes_share_files_and_find_their_own_blocks(disk: Path, layout: str) -> None:
    document = run(
        disk, "engine=buffered", "direction=write,read", "processes=3", f"layout={layout}", "access=random"
    ).document
    assert document["valid"]
    first, last = (
        next(f["value"] for f in document["figures"] if f["name"] == name and f["params"]["direction"] == "write")
        for name in ("rate_first", "rate_last")
    )
    assert first > 0
    assert last > 0


def test_the_page_cache_is_named_where_a_person_reads(disk: Path) -> None:
    words = [each for each in SMALL if each != "--json"]
    answer = assay("run", "file-rate", "--set", f"folder={disk}", *words, "--set", "direction=write,read,reread")
    assert answer.status == 0
    assert "The page cache is memory, not storage." in " ".join(answer.out.split())
    titles = " ".join(re.sub(r"  .*", "", line) for line in answer.out.splitlines())  # a long one goes on below
    assert "reread, buffered, page cache, not storage" in titles
    said = answer.err.splitlines()[0]
    assert said.startswith("file-rate: writes files of 4.194 MB at most, in a folder of its own in " + str(disk))


@pytest.mark.parametrize(("setting", "said"), [
    ("bytes=1000", "expected a multiple of 512"), ("bytes=67108864", "expected at most the parameter 'size'"),
])  # fmt: skip
def test_blocks_that_do_not_fit_are_refused(disk: Path, setting: str, said: str) -> None:
    answer = assay(
        "run", "file-rate", "--set", f"folder={disk}", "--launches", "1", "--set", "size=2097152", "--set", setting
    )
    assert answer.status != 0
    assert said in answer.err
    assert left(disk) == ["theirs"]


def test_files_that_would_fill_the_disk_are_left_out(disk: Path) -> None:
    """With these settings nothing was measured: that is said as of any bad input."""
    answer = run(disk, "size=1099511627776", "bytes=67108864", "engine=buffered", "direction=write", status=2)
    reason = answer.document["left_out"][0]["reason"]
    assert answer.err.splitlines()[-1] == f"assay: file-rate: nothing was measured: {reason}"
    assert (answer.document["state"], answer.document["valid"]) == ("invalid", False)
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    if free < 8 << 40:
        assert "a quarter of what" in reason
        assert "leaves" in reason
    assert left(disk) == ["theirs"]


def test_mixed_passes_give_a_figure_for_reads_and_one_for_writes(disk: Path) -> None:
    """Blocks that are written carry another version than those that are read: the check finds each as it must be."""
    document = run(disk, "engine=buffered,direct,mmap", "direction=mixed", "access=random", "processes=2",
                   "layout=strided", "depth=2").document  # fmt: skip
    assert document["valid"]
    rates = [each["params"] for each in document["figures"] if each["name"] == "rate"]
    assert {each["operation"] for each in rates} == {"read", "write"}
    buffered = [each for each in rates if each["engine"] == "buffered"]
    assert "cache" in {each["source"] for each in buffered if each["operation"] == "write"}
    assert {each["name"] for each in document["figures"]} >= {"latency", "sync", "held", "open", "close"}
    assert left(disk) == ["theirs"]
    assert {each["engine"] for each in rates} <= {"buffered", "direct"}
    assert any("to write them the kernel reads the page" in note for note in document["notes"])


def test_blocks_are_appended_where_the_file_ends_though_space_is_allocated_beyond(disk: Path) -> None:
    document = run(disk, "engine=buffered,direct", "direction=write", "access=append", "allocated=yes").document
    assert document["valid"]
    assert {each["params"]["access"] for each in document["figures"] if each["name"] == "rate"} == {"append"}
    assert left(disk) == ["theirs"]


def test_several_append_to_one_file_and_each_block_is_there_once(disk: Path) -> None:
    """Whose block comes first is the kernel's choice: the check finds every one by what is in it."""
    document = run(disk, "engine=buffered,direct,uring", "direction=write,read", "access=append", "processes=3",
                   "depth=1,2", "layout=own,segmented,strided").document  # fmt: skip
    assert document["valid"] and left(disk) == ["theirs"]
    rates = [each["params"] for each in document["figures"] if each["name"] == "rate"]
    found = {(each["engine"], each["depth"], each["layout"]) for each in rates}
    assert {each[0] for each in found} >= {"buffered", "uring"} and len(found) in (12, 18)
    assert {each["direction"] for each in rates} == {"write"} and "that is of writing" in str(document["notes"])


@pytest.fixture
def preloaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LD_PRELOAD", str(shim()))
    monkeypatch.setenv("ASSAY_FILES_PATIENCE", "2")
    yield
    monkeypatch.delenv("LD_PRELOAD")


@pytest.mark.usefixtures("preloaded")
@pytest.mark.parametrize(("direction", "access"), [
    ("write", "sequential"), ("read", "sequential"), ("write", "append"), ("mixed", "random"),
])  # fmt: skip
def test_a_damaged_byte_makes_the_rate_invalid(
    disk: Path, monkeypatch: pytest.MonkeyPatch, direction: str, access: str
) -> None:
    monkeypatch.setenv("FAULT", "damage")
    answer = run(disk, "engine=buffered", f"direction={direction}", f"access={access}", status=1)
    assert "are not as they were written" in answer.err
    rates = [each for each in answer.document["figures"] if each["name"] == "rate"]
    assert rates
    assert all(each["state"] == "invalid" and each["value"] is None for each in rates)


@pytest.mark.usefixtures("preloaded")
@pytest.mark.parametrize("fault", ["damage", "lost", "twice"])
def test_what_is_appended_by_several_is_there_whole_and_once_or_the_rate_is_invalid(
    disk: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setenv("FAULT", fault)
    given = ("engine=buffered", "direction=write", "access=append", "processes=3", "layout=segmented")
    answer = run(disk, *given, status=1)
    assert "are not as they were written" in answer.err
    assert all(each["value"] is None for each in answer.document["figures"] if each["name"] == "rate")


@pytest.mark.usefixtures("preloaded")
def test_a_file_system_that_allocates_no_space_ahead_is_named(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULT", "nofallocate")
    document = run(disk, "engine=buffered", "direction=write", "allocated=yes", status=2).document
    assert "refuses fallocate (Operation not supported)" in str(document["left_out"])


@pytest.mark.usefixtures("preloaded")
def test_where_fsync_does_nothing_no_write_is_a_device_s(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By O_DIRECT the bytes reach the device, but nothing has it empty its own cache."""
    given = ("engine=direct,buffered", "direction=write")
    monkeypatch.setenv("FAULT", "nosync")
    document = run(disk, *given).document
    said = [note for note in document["notes"] if "source=unknown: fsync had no drive empty its cache" in note]
    monkeypatch.setenv("FAULT", "")
    honest = run(disk, *given).document
    if "device" in sources(honest, engine="direct") and writes_back(disk):
        assert said and sources(document) == {"cache", "unknown"}
    assert "empty its cache" not in str(honest["notes"])


@pytest.mark.usefixtures("preloaded")
@pytest.mark.parametrize(("fault", "direction", "said"), [
    ("eio", "read", "Input/output error"),
    ("full", "write", "No space left on device"),
    ("quota", "write", "Disk quota exceeded"),
    ("short", "read", "it ends there: another has truncated it"),
    ("stall", "read", "no operation ended within 2 s: the storage does not answer"),
])  # fmt: skip
def test_a_fault_is_one_clear_line_and_nothing_is_left(
    disk: Path, monkeypatch: pytest.MonkeyPatch, fault: str, direction: str, said: str
) -> None:
    monkeypatch.setenv("FAULT", fault)
    document = run(disk, "engine=buffered", f"direction={direction}", status=1)
    assert said in document.err
    assert left(disk) == ["theirs"]
