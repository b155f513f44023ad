"""`./x bench files`: fio's answer and ours are read right, what is no device's is not compared, nothing is left."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import files
from bench._file_peers import ELBENCHO, FIO, HEAP, IOR, FilePeer, Pass

from assay.errors import MeasurementError

HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
MAPPING_OF_A_BLOCK = """
import ctypes
malloc = ctypes.CDLL(None).malloc
malloc.restype = ctypes.c_void_p
block, inside = malloc(ctypes.c_size_t((1 << 20) + 4096)), False
for line in open("/proc/self/smaps"):
    first, *rest = line.split()
    if not first.endswith(":"):
        low, high = (int(each, 16) for each in first.split("-"))
        inside = low <= block < high
    if inside and first == "VmFlags:":
        print(*rest)
"""


def asks_for_huge_pages() -> bool:
    """Whether the C library's tunable does something here."""
    name, version = platform.libc_ver()
    glibc = name == "glibc" and tuple(map(int, version.split("."))) >= (2, 35)
    return glibc and HUGE_PAGES.exists() and "[madvise]" in HUGE_PAGES.read_text()


def fio_answer(**job: object) -> str:
    about = {"error": 0, "read": {"io_bytes": 1 << 20, "runtime": 250, "bw_bytes": 1}}
    return "fio: a note before the JSON\n" + json.dumps({"fio version": "fio-3.33", "jobs": [about | job]})


def block(value: float, source: str) -> str:
    return json.dumps({"event": "block", "metric": "time", "case": {"source": source}, "values": [value]})


def one_pass(folder: Path, peer: FilePeer, direction: str = "read", size: int = 1 << 20) -> Pass:
    (match, *_) = (each for each in files.MATCHES if each.direction == direction)
    return Pass(match, folder / "peer-file", size, 1, folder / "answer.json")


def test_fios_time_per_byte_is_its_runtime_over_its_bytes(tmp_path: Path) -> None:
    assert FIO.read(fio_answer(), one_pass(tmp_path, FIO)) == pytest.approx(0.25 / 2**20)


@pytest.mark.parametrize("peer", [FIO, IOR, ELBENCHO])
def test_a_peers_long_blocks_lie_in_huge_pages_as_ours_do_and_short_ones_as_they_come(
    tmp_path: Path, peer: FilePeer
) -> None:
    for match in files.MATCHES:
        words = peer.command("peer", Pass(match, tmp_path / "file", 1 << 20, 1, tmp_path / "answer"))
        huge = any(word.startswith("GLIBC_TUNABLES=glibc.malloc.hugetlb=1") for word in words)
        assert huge == (match.bytes == 1 << 20)
        assert words.index("peer") == (2 if huge else 0)
        assert any("iomem_align" in word for word in words) == (huge and peer is FIO)


@pytest.mark.skipif(not asks_for_huge_pages(), reason="needs GNU's C library 2.35, and huge pages for who asks")
@pytest.mark.parametrize("tunables", ["", HEAP])
def test_what_ior_allocates_lies_where_huge_pages_were_asked_for(tunables: str) -> None:
    """The flags of the mapping that an unaligned block is in (proc_pid_smaps(5)): hg."""
    done = subprocess.run(
        [sys.executable, "-c", MAPPING_OF_A_BLOCK],
        capture_output=True, text=True, check=True, env={"GLIBC_TUNABLES": tunables},
    )  # fmt: skip
    assert ("hg" in done.stdout.split()) == bool(tunables)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [(fio_answer(error=5), 1 << 20), (fio_answer(), 1 << 21), ("{}", 1), ("nothing", 1), (fio_answer(read={}), 1)],
)
def test_what_fio_did_not_do_is_not_compared(tmp_path: Path, text: str, wanted: int) -> None:
    with pytest.raises(MeasurementError, match="fio"):
        FIO.read(text, one_pass(tmp_path, FIO, size=wanted))


def ior_answer(**more: object) -> str:
    """As IOR writes it: tests, of these the results of each pass, and numbers of four digits."""
    about = {"access": "read", "blockKiB": 1024.0, "xferKiB": 1024.0, "wrRdTime": 0.25, "totalTime": 0.5}
    return json.dumps({"Version": "4.1.0", "tests": [{"Parameters": {}, "Results": [about | more]}]})


def elbencho_answer(**more: object) -> str:
    """As elbencho appends it, phase by phase, all numbers as text."""
    last = {"elapsed_time_ms": "250", "bytes": str(1 << 20)}
    phases = [{"phase_type": "SYNC"}, {"phase_type": "READ", "first_done": {}, "last_done": last | more}]
    return "".join(json.dumps(each, indent=4) + "\n" for each in phases)


@pytest.mark.parametrize(("peer", "answer", "harm"), [
    (IOR, ior_answer, {"access": "write"}), (IOR, ior_answer, {"blockKiB": 512.0}), (IOR, ior_answer, {"wrRdTime": 0}),
    (IOR, ior_answer, {"xferKiB": 4.0}), (ELBENCHO, elbencho_answer, {"bytes": "5"}),
    (ELBENCHO, elbencho_answer, {"elapsed_time_ms": "0"}),
])  # fmt: skip
def test_other_peers_answers_are_read_by_their_files(
    tmp_path: Path, peer: FilePeer, answer: Callable[..., str], harm: dict[str, object]
) -> None:
    one = one_pass(tmp_path, peer)
    one.answer.write_text(answer())
    assert peer.read("", one) == pytest.approx(0.25 / 2**20)
    one.answer.write_text(answer(**harm))
    with pytest.raises(MeasurementError, match=peer.name):
        peer.read("", one)
    one.answer.unlink()
    with pytest.raises(MeasurementError, match=rf"{peer.name}'s answer has no such figure"):
        peer.read("what it printed", one)


@pytest.mark.parametrize(("peer", "path"), [(IOR, "--ior"), (ELBENCHO, "--elbencho")])
def test_a_peer_is_told_the_same_pass_as_ours(tmp_path: Path, peer: FilePeer, path: str) -> None:
    """A file that is read is laid out once; O_DIRECT, the block and the size are the same in every pass."""
    program = tmp_path / "peer"
    program.write_text(f"""#!/bin/sh
printf '%s ' "$@" >> {tmp_path}/asked; echo >> {tmp_path}/asked
touch {tmp_path}/peer-file
cp {tmp_path}/kept {tmp_path}/answer.json
""")
    program.chmod(0o755)
    (tmp_path / "kept").write_text(ior_answer() if peer is IOR else elbencho_answer())
    one = one_pass(tmp_path, peer)
    for _ in range(2):
        assert peer.seconds_per_byte(str(program), one) == pytest.approx(0.25 / 2**20)
    asked = (tmp_path / "asked").read_text().splitlines()
    assert [" -w " in each for each in asked] == [True, False, False] and all(" -r " in each for each in asked[1:])
    assert all("direct" in each and " 1048576 " in each and str(one.file) in each for each in asked)


def test_a_peer_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert files.main(["--folder", str(tmp_path), "--ior", str(tmp_path / "ior")]) == 2
    assert capsys.readouterr().out == f"--ior {tmp_path / 'ior'}: no such program; expected a program's path\n"


def test_ours_counts_only_where_all_came_from_the_device() -> None:
    assert files.our_seconds_per_byte([block(2e-9, "device")]) == 2e-9
    note = json.dumps({"event": "note", "text": "files there lie in memory"})
    for lines in ([block(1e-9, "cache")], [block(1e-9, "device"), block(1e-9, "unknown")], []):
        with pytest.raises(MeasurementError, match=r"not the device alone.*lie in memory"):
            files.our_seconds_per_byte([*lines, note])
    refused = json.dumps({"event": "skip", "text": "engine uring: io_uring is refused here (ENOSYS)"})
    with pytest.raises(MeasurementError, match="io_uring is refused"):
        files.our_seconds_per_byte([refused])


@pytest.mark.skipif(shutil.which("fio") is None or shutil.which("g++") is None, reason="needs fio and g++")
def test_both_move_the_same_bytes_and_leave_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert files.main(["--folder", str(tmp_path), "--launches", "2", "--size", str(1 << 24)]) in (0, 1)
    out = capsys.readouterr().out
    for match in files.MATCHES:
        lines = [line for line in out.splitlines() if line.startswith((f"{match.name},", f"{match.name}:"))]
        compared = len(lines) == 2 and "plain with itself" in lines[0] and "ours over plain" in lines[1]
        assert compared or len(lines) == 1, (
            lines
        )  # one: a file system without O_DIRECT, a host whose devices are not seen
    assert list(tmp_path.iterdir()) == []


def test_without_fio_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert files.main(["--folder", str(tmp_path)]) == 2
    assert capsys.readouterr().out == (
        "fio is not here: apt-get install fio, or --fio PATH, --ior PATH, --elbencho PATH\n"
    )
