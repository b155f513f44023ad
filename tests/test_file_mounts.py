"""Files on mounts of this host: one served by a process (FUSE), one in a file (loop), with a quota, one that hangs.

Where they cannot be made (no root, no /dev/fuse, no loop device) the tests are skipped and say so.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from command_line import Answer, assay

pytestmark = [pytest.mark.usefixtures("own_folder"), pytest.mark.paced]
INIT, READ = 26, 15  # requests of FUSE
SMALL = ("size=2097152", "bytes=65536")
USER, SET, GIVEN = 0, 0x800008, 1  # quotactl(2): USRQUOTA, Q_SETQUOTA, QIF_BLIMITS


def run(folder: Path, *settings: str, status: int = 0) -> Answer:
    words = [word for each in (f"folder={folder}", *SMALL, *settings) for word in ("--set", each)]
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

        def mounted(*options: str, make: tuple[str, ...] = ()) -> Path:
            image, place = tmp_path / "image", tmp_path / "looped"
            place.mkdir()
            with image.open("wb") as file:
                file.truncate(64 << 20)
            for command in (
                ["mkfs.ext4", "-q", *make, image],
                ["mount", "-o", ",".join(("loop", *options)), image, place],
            ):
                try:
                    done = subprocess.run(command, capture_output=True, text=True)
                except OSError as error:
                    pytest.skip(f"no file system in a file can be made here: {error}")
                if done.returncode != 0:
                    pytest.skip(f"no file system in a file can be mounted here: {done.stderr.strip()}")
            ends.callback(subprocess.run, ["umount", place], check=True)
            return place

        yield mounted


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
    document = run(place, "engine=buffered", "direction=write").document
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
