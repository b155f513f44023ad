"""Files on mounts of this host: served by a process (FUSE), in a file (loop), laid over another, with a quota, hanging.

Where they cannot be made (no root, no /dev/fuse, no loop device) the tests are skipped and say so.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from command_line import Answer, assay
from memory_mounts import mounted_in_memory

pytestmark = [pytest.mark.usefixtures("own_folder"), pytest.mark.paced]
INIT, READ = 26, 15  # requests of FUSE
SMALL = ("size=2097152", "bytes=65536")
USER, SET, GIVEN = 0, 0x800008, 1  # quotactl(2): USRQUOTA, Q_SETQUOTA, QIF_BLIMITS


def run(folder: Path, *settings: str, status: int = 0) -> Answer:
    given = dict(each.split("=", 1) for each in (f"folder={folder}", *SMALL, *settings))
    words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    answer = assay("run", "file-rate", "--launches", "1", "--json", *words)
    assert answer.status == status, answer.err
    return answer


def sources(document: Any, name: str = "rate", **case: object) -> set[str]:
    found = [each["params"] for each in document["figures"] if each["name"] == name]
    return {each["source"] for each in found if all(each[key] == value for key, value in case.items())}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mounts a file system that a process serves; given a request, it answers none after the first of these."""
    with ExitStack() as ends:

        def mounted(silent: int = 0) -> Path:
            place = tmp_path / "served"
            place.mkdir()
            program = Path(__file__).parent / "fuse_memory.py"
            server = subprocess.Popen(
                [sys.executable, program, place, str(silent)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            ends.callback(server.wait, 30)
            ends.callback(server.kill)  # who still waits for an answer has an error then
            assert server.stdout is not None and server.stderr is not None
            if not server.stdout.readline():
                pytest.skip(f"no file system of a process can be mounted here: {server.stderr.read().strip()}")
            ends.callback(subprocess.run, ["umount", "-l", place], check=True)
            return place

        yield mounted


@pytest.fixture
def looped(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mounts an ext4 file system of 64 MiB that lies in a file."""
    with ExitStack() as ends:

        def mounted(*options: str, make: tuple[str, ...] = (), under: Path | None = None) -> Path:
            image, place = (under or tmp_path) / "image", tmp_path / "looped"
            place.mkdir()
            with image.open("wb") as file:
                file.truncate(64 << 20)
            loop = loop_device(image, direct=under is not None)
            ends.callback(subprocess.run, ["losetup", "-d", loop], check=True)
            done(["mkfs.ext4", "-q", *make, loop])
            done(["mount", "-o", ",".join(("rw", *options)), loop, str(place)])
            ends.callback(subprocess.run, ["umount", place], check=True)
            return place

        yield mounted


def done(command: list[str]) -> str:
    """What it said; the test is skipped where it may not be done here."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        pytest.skip(f"not possible here: {error}")
    if ended.returncode != 0:
        pytest.skip(f"not possible here: {' '.join(command)}: {ended.stderr.strip()}")
    return ended.stdout


def loop_device(image: Path, *, direct: bool) -> str:
    how = "on" if direct else "off"
    return done(["losetup", "--find", "--show", f"--direct-io={how}", str(image)]).strip()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory."""
    place = tmp_path / "memory"
    place.mkdir()
    done(["mount", "-t", "tmpfs", "none", str(place)])
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def overlaid(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mounts an overlay that writes into folders of `under`."""
    with ExitStack() as ends:

        def mounted(under: Path, *options: str) -> Path:
            place, lower, upper, work = tmp_path / "overlaid", tmp_path / "lower", under / "upper", under / "work"
            for folder in (place, lower, upper, work):
                folder.mkdir()
            layers = f"lowerdir={lower},upperdir={upper},workdir={work}"
            done(["mount", "-t", "overlay", "overlay", "-o", ",".join((layers, *options)), str(place)])
            ends.callback(subprocess.run, ["umount", "-l", place], check=True)
            return place

        yield mounted


@pytest.fixture
def others(tmp_path: Path) -> Iterator[None]:
    """Another process that writes to this host's disk all the while, so that the devices' counters prove nothing."""
    command = ["sh", "-c", f"while :; do dd if=/dev/zero of={tmp_path}/noise bs=1M count=64 conv=fsync; done"]
    noise = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    yield
    os.killpg(noise.pid, signal.SIGKILL)
    noise.wait(30)


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "lost+found")


def test_what_a_process_serves_is_remote_and_what_the_page_cache_holds_is_the_cache_s(
    served: Callable[..., Path],
) -> None:
    place = served()
    document = run(place, "engine=buffered,direct", "direction=write,read,reread", "processes=1,2").document
    assert document["valid"] and left(place) == []
    assert sources(document, engine="direct") <= {"remote"}
    assert sources(document, engine="buffered", direction="reread") == {"cache"}
    assert sources(document, engine="buffered", direction="read") <= {"remote", "cache", "unknown"}
    assert "device" not in sources(document) | sources(document, "latency")
    assert not [each for each in document["figures"] if each["name"] == "link"]  # its process may be here


def test_half_a_file_in_the_page_cache_of_a_served_file_system_is_told_apart(served: Callable[..., Path]) -> None:
    document = run(served(), "engine=buffered", "direction=read", "before=half", "access=random").document
    assert "cache" in sources(document) and len(sources(document)) == 2
    assert "device" not in sources(document)


def test_a_file_system_in_a_file_is_no_device(looped: Callable[..., Path]) -> None:
    """The loop device reads its file through the page cache, even where ours was passed by."""
    place = looped()
    document = run(place, "engine=buffered,direct", "direction=write,read,reread").document
    assert document["valid"] and left(place) == []
    assert sources(document) <= {"cache", "unknown"}
    assert sources(document, engine="direct") == {"unknown"}
    assert any("read through the page cache (a loop device)" in note for note in document["notes"])


@pytest.mark.usefixtures("others")
def test_a_loop_device_past_the_page_cache_whose_file_lies_in_memory_is_no_device(
    looped: Callable[..., Path], memory: Path
) -> None:
    place = looped(under=memory)
    document = run(place, "engine=buffered,direct", "direction=write,read").document
    assert document["valid"] and left(place) == []
    assert sources(document) == sources(document, "latency") == {"cache"}
    assert any("files there lie in memory" in note for note in document["notes"])


EVERY = ("engine=buffered,direct,uring,mmap", "direction=write,read")


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize("hidden", [False, True])
def test_an_overlay_that_writes_into_memory_is_no_device(
    overlaid: Callable[..., Path], memory: Path, hidden: bool
) -> None:
    """Hidden: a container's, whose layers are not to be seen. Others write to the disk, whose counters go up."""
    place = overlaid(memory)
    if hidden:
        done(["mount", "-t", "tmpfs", "none", str(memory)])
    try:
        document = run(place, *EVERY).document
    finally:
        if hidden:
            subprocess.run(["umount", "-l", memory], check=True)
    assert document["valid"] and left(place) == []
    assert "device" not in sources(document) | sources(document, "latency")
    if not hidden:
        assert sources(document) == {"cache"}
        assert any("overlay, whose upper layer is tmpfs on none" in note for note in document["notes"])


@pytest.mark.usefixtures("others")
def test_where_fsync_does_nothing_what_was_written_through_the_page_cache_is_no_device_s(
    overlaid: Callable[..., Path], tmp_path: Path
) -> None:
    document = run(overlaid(tmp_path, "volatile"), "engine=buffered,mmap", "direction=write").document
    assert sources(document, direction="write") == {"cache", "unknown"}
    assert any("fsync does nothing there" in note for note in document["notes"])


def test_an_overlay_on_a_disk_is_that_disk_s(overlaid: Callable[..., Path], tmp_path: Path) -> None:
    place = overlaid(tmp_path)
    document = run(place, *EVERY, "before=emptied").document
    assert document["valid"] and left(place) == []
    for engine in ("buffered", "mmap"):
        assert sources(document, "latency", engine=engine, direction="write") <= {"cache"}
    warm = run(place, "engine=buffered,mmap", "direction=read", "before=all").document
    assert sources(warm) == sources(warm, "latency") == {"cache"}
    half = run(place, "engine=buffered", "direction=read", "before=half", "access=random").document
    assert "cache" in sources(half) and len(sources(half)) == 2


def test_what_is_said_beforehand_names_the_file_system_that_the_folder_lies_on(memory: Path) -> None:
    """Of one in memory, mounted anywhere, too: it was said to lie on the disk around it."""
    answer = run(memory, "engine=buffered", "direction=write")
    assert f"in a folder of its own in {memory} (tmpfs on none)" in answer.err
    assert all(each["title"].count("age cache") for each in answer.document["headlines"])


def test_a_file_system_with_little_room_names_the_greatest_size_and_takes_it(tmp_path: Path) -> None:
    """24 MiB, of which a quarter may be written: what is announced is no more, and the advice is heard."""
    with mounted_in_memory(tmp_path / "small", "size=24m") as place:
        answer = run(place, "engine=buffered", "size=16777216", "bytes=65536", status=2)
        assert "writes files of 6.29" in answer.err and "up to 33.55 MB as set, is not measured in full" in answer.err
        (line,) = {each["reason"] for each in answer.document["left_out"]}
        assert line.startswith("--set size=")  # the first lines of a report cut the end
        found = re.search(r"--set size=(\d+) --set bytes=65536 is the most that fits with 1 process", line)
        assert found is not None and "as files to read and files to write lie there at once" in line
        again = run(place, "engine=buffered", f"size={found[1]}", "bytes=65536")
        assert again.document["valid"] and again.document["figures"] and not again.document["left_out"]
        more = run(place, "engine=buffered", f"size={int(found[1]) + 65536}", "bytes=65536", status=2).document
        assert more["left_out"] and not more["figures"]


def test_the_size_that_is_advised_is_taken_with_the_blocks_that_are_named(tmp_path: Path) -> None:
    """2 MiB may be written: files of half of that are shorter than the longest blocks of a launch."""
    with mounted_in_memory(tmp_path / "tiny", "size=8m") as place:
        answer = run(place, "engine=buffered", "direction=write", "bytes=4096,1048576", status=2)
        reasons = {each["reason"] for each in answer.document["left_out"]}
        (found,) = (found for each in reasons if (found := re.match(r"--set (size=\d+) --set (bytes=\d+) is", each)))
        again = run(place, "engine=buffered", "direction=write", *found.groups())
        assert again.document["valid"] and again.document["figures"] and not again.document["left_out"]


def test_a_file_system_that_is_mounted_read_only_is_refused(looped: Callable[..., Path]) -> None:
    assert "lies on a file system that is mounted read-only" in run(looped("ro"), status=2).err


def test_a_quota_bounds_what_is_written(looped: Callable[..., Path]) -> None:
    place = looped(make=("-O", "quota", "-E", "quotatype=usrquota"))
    mounts = Path("/proc/self/mounts").read_text().splitlines()
    (device,) = [line.split()[0] for line in mounts if line.split()[1] == str(place)]
    limits = struct.pack("<8QI4x", 0, 4096, 0, 0, 0, 0, 0, 0, GIVEN)  # a soft limit of 4 MiB
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.quotactl(SET << 8 | USER, device.encode(), os.getuid(), limits) != 0:
        pytest.skip(f"no quota can be set here: {os.strerror(ctypes.get_errno())}")
    document = run(place, "engine=buffered", "direction=write", status=2).document
    assert "a quarter of what the user's quota leaves" in str(document["left_out"])
    assert run(place, "engine=buffered", "direction=write", "size=262144").document["valid"]


def test_a_file_system_that_hangs_from_the_first_question_on_costs_a_line(served: Callable[..., Path]) -> None:
    answer = run(served(INIT), status=2)
    assert "its file system does not answer within 5 s" in answer.err


def test_a_file_system_that_hangs_while_it_is_read_costs_a_time_out_and_a_line(
    served: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_FILES_PATIENCE", "2")
    answer = run(served(READ), "engine=direct", "direction=read", status=1)
    assert "no operation ended within 2 s: the storage does not answer" in answer.err
