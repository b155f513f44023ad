"""Parts of the programs of files: order, pattern, histogram, and where bytes are said to have come from."""

from __future__ import annotations

import lzma
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from compiled import WARNINGS, compile_to

SOURCE = Path(__file__).parent / "native" / "files_parts.cpp"
DEVICE, MEMORY, REMOTE, UNKNOWN = range(4)
MIB = 1 << 20
Stack = Callable[..., tuple[str, list[str], str, str]]  # kind, devices counted, words, caveat


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
    sent: int = -1,
    direct: bool = False,
    synced: bool = True,
    unflushed: str = "",
) -> tuple[list[str], list[str], str]:
    """Labels of rate and latency by what was found (nothing, held, came, part), and of writes (device, bytes)."""
    given = (below, *read, fetched, device, *written, sent, int(direct), int(synced), unflushed)
    words = said(program, "source", *given)[0].split()
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


def test_what_another_process_writes_to_the_device_meanwhile_proves_nothing(program: Path) -> None:
    """The device moved enough, but the kernel counts nothing of it as this process's."""
    nothing, wrote = (0, 0, 0, 0), (64 * MIB, 8 * MIB)
    assert judged(program, DEVICE, nothing, 0, 0, wrote, sent=8 * MIB)[2] == "device"
    assert judged(program, DEVICE, nothing, 0, 0, wrote, sent=0)[2] == "unknown"
    assert judged(program, MEMORY, nothing, 0, 0, wrote, sent=0)[2] == "cache"


@pytest.mark.parametrize(("below", "past"), [(DEVICE, "device"), (REMOTE, "remote"), (MEMORY, "cache")])
def test_where_fsync_does_nothing_only_what_passed_the_cache_by_is_the_storage_s(
    program: Path, below: int, past: str
) -> None:
    of = ((0, 0, 0, 0), 0, 0, (8 * MIB, 8 * MIB), 8 * MIB)
    assert judged(program, below, *of, direct=True, synced=False)[2] == past
    assert judged(program, below, *of, direct=False, synced=False)[2] == ("cache" if below == MEMORY else "unknown")


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


# --- what the way to the storage carries


PCI = "devices/pci0000:00/0000:00:1d.0"


def written(at: Path, **files: str) -> Path:
    at.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (at / name).write_text(text + "\n")
    return at


def block_device(system: Path, way: str, name: str) -> None:
    made = written(system / "sys" / way / "block" / name)
    (system / "sys/class/block").mkdir(parents=True, exist_ok=True)
    (system / "sys/class/block" / name).symlink_to(made)


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A host with a root port of 8 GT/s x4, and behind it an NVMe device, SATA ports, and USB."""
    sys = tmp_path / "sys"
    written(tmp_path / "proc", cpuinfo="flags\t\t: fpu sse2")
    written(sys / PCI, current_link_speed="8.0 GT/s PCIe", current_link_width="4")
    written(sys / PCI / "0000:02:00.0", current_link_speed="16.0 GT/s PCIe", current_link_width="4")
    block_device(tmp_path, f"{PCI}/0000:02:00.0/nvme/nvme0", "nvme0n1")
    block_device(tmp_path, f"{PCI}/0000:02:00.0/nvme/nvme0/block/nvme0n1", "nvme0n1p2")
    for port in (1, 2):
        block_device(tmp_path, f"{PCI}/ata{port}/host{port}/target0:0:0/0:0:0:0", f"sd{'ab'[port - 1]}")
        written(sys / f"class/ata_link/link{port}", sata_spd="6.0 Gbps" if port == 1 else "3.0 Gbps")
    block_device(tmp_path, "devices/platform/host9/session1/target9:0:0/9:0:0:1", "sdi")  # iSCSI
    written(sys / "devices/pci0000:00/0000:00:14.0/usb2/2-1", idVendor="1234", speed="5000")
    block_device(tmp_path, "devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host5", "sdu")
    for name, parts in (("md0", ("sda", "sdb")), ("dm-0", ("md0",)), ("md1", ("sda", "sdi"))):
        block_device(tmp_path, "devices/virtual", name)
        for part in parts:
            written(sys / "devices/virtual/block" / name / "slaves" / part)
    return tmp_path


@pytest.mark.parametrize(("device", "rate", "words"), [
    ("nvme0n1", 8e9 * 4 * 128 / 130 / 8, "PCI Express link of 8 GT/s x4"),  # the slowest of the way
    ("nvme0n1p2", 8e9 * 4 * 128 / 130 / 8, "PCI Express link of 8 GT/s x4"),
    ("sda", 6e9 * 8 / 10 / 8, "SATA link of 6.0 Gbps"), ("sdb", 3e9 * 8 / 10 / 8, "SATA link of 3.0 Gbps"),
    ("sdu", 5e9 / 8, "USB link of 5000 Mbit/s"),
    ("md0", 9e8, "and"), ("dm-0", 9e8, "and"),  # side by side
    ("sdi", 0, ""), ("md1", 0, ""), ("absent", 0, ""),
])  # fmt: skip
def test_the_slowest_link_on_the_way_to_a_device_is_found(
    program: Path, system: Path, device: str, rate: float, words: str
) -> None:
    found, _, said_words = said(program, "link", device, f"{system}/")[0].partition(" ")
    assert float(found) == pytest.approx(rate, rel=1e-8)
    assert words in said_words and bool(words) == bool(said_words)


@pytest.mark.parametrize(("speed", "width", "lane"), [
    ("2.5", "1", 2.5e9 * 0.8), ("5.0", "2", 5e9 * 0.8), ("32.0", "16", 32e9 * 128 / 130),
    ("64.0", "4", 64e9 * 242 / 256), ("Unknown", "4", 0), ("8.0", "63", 0), ("8.0", "0", 0),
])  # fmt: skip
def test_pci_express_carries_what_its_coding_leaves(
    program: Path, tmp_path: Path, speed: str, width: str, lane: float
) -> None:
    written(tmp_path / "sys" / PCI, current_link_speed=f"{speed} GT/s PCIe", current_link_width=width)
    block_device(tmp_path, f"{PCI}/nvme/nvme1", "nvme1n1")
    rate = float(said(program, "link", "nvme1n1", f"{tmp_path}/")[0].split()[0])
    assert rate == pytest.approx(lane * int(width) / 8, rel=1e-8)


def test_no_link_is_believed_in_a_virtual_machine(program: Path, system: Path) -> None:
    written(system / "proc", cpuinfo="flags\t\t: fpu hypervisor sse2")
    assert said(program, "link", "sda", f"{system}/")[0].split() == ["0"]


def interface(system: Path, name: str, speed: str, state: str = "up", device: bool = True) -> None:
    at = written(system / "sys/class/net" / name, speed=speed, operstate=state)
    if device:
        (at / "device").mkdir()


def test_the_network_carries_what_all_its_links_do_together(program: Path, tmp_path: Path) -> None:
    def rate() -> float:
        return float(said(program, "network", f"{tmp_path}/")[0].split()[0])

    assert rate() == 0
    interface(tmp_path, "eth0", "1000")
    interface(tmp_path, "eth1", "10000", state="down")
    interface(tmp_path, "bond0", "1000", device=False)
    assert rate() == pytest.approx(1e9 / 8)
    port = written(tmp_path / "sys/class/infiniband/mlx5_0/ports/1", state="4: ACTIVE", rate="100 Gb/sec (4X EDR)")
    assert rate() == pytest.approx(101e9 / 8)
    (port / "state").write_text("1: DOWN\n")
    assert rate() == pytest.approx(1e9 / 8)
    interface(tmp_path, "eth2", "-1")  # one that is not rated may carry anything
    assert rate() == 0


@pytest.mark.parametrize(("mount", "rate"), [
    ("nfs4 server:/home rw,vers=4.2,addr=192.0.2.7", 1e9 / 8), ("nfs4 me:/home rw,addr=127.0.0.1", 0),
    ("nfs4 me:/home rw,vers=4.2,addr=::1", 0), ("fuse.sshfs me: rw", 0), ("lustre 192.0.2.7@tcp:/fs rw", 1e9 / 8),
    ("ext4 /dev/sda rw", 6e8), ("tmpfs none rw", 0),
])  # fmt: skip
def test_a_mount_has_the_link_that_its_bytes_come_by(program: Path, system: Path, mount: str, rate: float) -> None:
    interface(system, "eth0", "1000")
    (system / "proc/self").mkdir()
    written(system / "proc", diskstats="8 0 sda 1 0 8 0 1 0 8 0 0 0 0")
    written(system / "proc/self", mountinfo=f"36 35 98:0 / / rw,noatime master:1 - {mount}")
    found = said(program, "below", system, f"{system}/")[0].split()[0]
    assert float(found) == pytest.approx(rate, rel=1e-8)


# --- what a folder's bytes rest on


@pytest.fixture
def stack(system: Path) -> Stack:
    """What lies below a folder `place` by mounts of "PATH: TYPE SOURCE OPTIONS"."""
    (system / "place").mkdir()
    (system / "proc/self").mkdir()
    names = ["sda", "sdb", "loop0", "loop1", "md0", "md2", "md2p1", "scsi"]
    written(system / "proc", diskstats="\n".join(f"8 {at} {name} 1 0 8 0 1 0 8 0 0 0 0"
                                                for at, name in enumerate(names)))  # fmt: skip

    def found(program: Path, *mounts: str) -> tuple[str, list[str], str, str]:
        lines = []
        for each in mounts:
            path, about = each.split(": ")
            lines.append(f"36 35 98:0 / {system / path} rw - {about.replace('SYSTEM', str(system))}")
        written(system / "proc/self", mountinfo="\n".join(lines))
        _, below, counted, words_of, caveat, _ = said(program, "below", system / "place", f"{system}/")
        return below, counted.split(), words_of, caveat

    return found


def loop(system: Path, name: str, file: Path | str, *, direct: bool) -> None:
    block_device(system, "devices/virtual", name)
    written(system / "sys/block" / name / "loop", backing_file=str(file), dio=str(int(direct)))


@pytest.mark.parametrize(("direct", "on", "below", "counted"), [
    (True, "tmpfs none rw", "memory", []), (False, "tmpfs none rw", "memory", []),
    (True, "ext4 /dev/sdb rw", "device", ["sdb"]), (False, "ext4 /dev/sdb rw", "unknown", ["loop0"]),
    (True, "nfs4 server:/home rw", "remote", []), (True, "odd none rw", "unknown", ["loop0"]),
    (True, "ext4 /dev/loop1 rw", "memory", []),  # whose file lies in memory in turn
])  # fmt: skip
def test_a_loop_device_is_what_its_file_lies_on(
    program: Path, system: Path, stack: Stack,
    direct: bool, on: str, below: str, counted: list[str],
) -> None:  # fmt: skip
    image = written(system / "under", image="") / "image"
    memory = written(system / "shm", image="") / "image"
    loop(system, "loop0", image, direct=direct)
    loop(system, "loop1", memory, direct=True)
    found = stack(program, "place: ext4 /dev/loop0 rw", f"under: {on}", "shm: tmpfs none rw")
    assert found[:2] == (below, counted)
    assert ("loop0 is a file" in found[3]) == (below == "unknown")


def test_a_loop_device_whose_file_is_gone_is_unknown_and_one_on_a_disk_is_that_disk(
    program: Path, system: Path, stack: Stack
) -> None:
    loop(system, "loop0", f"{system}/gone (deleted)", direct=True)
    found = stack(program, "place: ext4 /dev/loop0 rw")
    assert found[0] == "unknown" and "what that lies on is not known" in found[3]
    loop(system, "loop1", "/dev/sda", direct=True)
    assert stack(program, "place: ext4 /dev/loop1 rw", "dev: devtmpfs none rw")[0] == "device"


def test_a_partition_rests_on_what_its_whole_does(program: Path, system: Path, stack: Stack) -> None:
    image = written(system / "shm", image="") / "image"
    loop(system, "loop0", image, direct=True)
    block_device(system, "devices/virtual", "md2")
    part = written(system / "sys/devices/virtual/block/md2/md2p1", partition="1")
    (system / "sys/class/block/md2p1").symlink_to(part)
    for name in ("sda", "loop0"):
        written(system / "sys/devices/virtual/block/md2/slaves" / name)
    assert stack(program, "place: xfs /dev/md2p1 rw", "shm: tmpfs none rw")[0] == "memory"


def drive(system: Path, name: str, cache: str, flushed: int, fields: int = 17) -> None:
    """Its cache, and its counters (Documentation/block/stat.rst), of which the sixteenth are flushes."""
    at = (system / "sys/class/block" / name).resolve()
    written(at / "queue", write_cache=cache)
    written(at, stat=" ".join(map(str, ([7] * 15 + [flushed, 9])[:fields])))


@pytest.mark.parametrize(("cache", "flushed", "fields", "found"), [
    ("write back", 41, 17, 41), ("write through", 41, 17, -1),  # a drive without a cache of its own is sent none
    ("write back", 0, 17, -1), ("write back", 41, 15, -1),  # not counted there; a kernel before 5.5
])  # fmt: skip
def test_flushes_are_those_of_the_drives_that_have_a_cache(
    program: Path, system: Path, stack: Stack, cache: str, flushed: int, fields: int, found: int
) -> None:
    def counted(mount: str) -> int:
        stack(program, f"place: {mount}")
        return int(said(program, "below", system / "place", f"{system}/")[-1])

    drive(system, "sda", cache, flushed, fields)
    drive(system, "sdb", "write back", 1000)
    assert counted("ext4 /dev/sda rw") == found
    block_device(system, "devices/virtual", "md2")
    for name in ("sda", "sdb"):
        (system / "sys/class/block/md2/slaves").mkdir(exist_ok=True)
        written(system / "sys/class/block/md2/slaves" / name)
    assert counted("ext4 /dev/md2 rw") == 1000 + max(0, found)
    assert counted("overlay overlay rw,upperdir=/nowhere") == -1  # any of this host's drives


def test_what_fsync_did_not_bring_out_of_the_drive_s_own_cache_is_no_device_s(program: Path) -> None:
    wrote = (8 * MIB, 8 * MIB)
    for direct in (False, True):
        known = judged(program, DEVICE, (0, 0, 0, 0), 0, 0, wrote, direct=direct)
        assert known[2] == "device"
        assert judged(program, DEVICE, (0, 0, 0, 0), 0, 0, wrote, direct=direct, unflushed="why")[2] == "unknown"
    assert judged(program, MEMORY, (0, 0, 0, 0), 0, 0, wrote, unflushed="why")[2] == "cache"


@pytest.mark.parametrize("model", ["scsi_debug", "RAMDISK-MCP"])
def test_disks_that_are_made_of_memory_are_no_devices(program: Path, system: Path, stack: Stack, model: str) -> None:
    block_device(system, "devices/pseudo", "scsi")
    written(system / "sys/devices/pseudo/block/scsi/device", model=f"{model}      ")
    assert stack(program, "place: ext4 /dev/scsi rw")[:2] == ("memory", [])


@pytest.mark.parametrize(("upper", "below", "counted", "words_of"), [
    ("tmpfs none rw", "memory", [], "overlay, whose upper layer is tmpfs on none"),
    ("ext4 /dev/sda rw", "device", ["sda"], "overlay, whose upper layer is ext4 on /dev/sda"),
    ("nfs4 server:/home rw", "remote", [], "overlay, whose upper layer is nfs4 on server:/home"),
])  # fmt: skip
def test_an_overlay_is_what_its_upper_layer_lies_on(
    program: Path, system: Path, stack: Stack,
    upper: str, below: str, counted: list[str], words_of: str,
) -> None:  # fmt: skip
    (system / "layer/a b").mkdir(parents=True)
    mounts = ("place: overlay overlay rw,lowerdir=/l,upperdir=SYSTEM/layer/a\\040b,workdir=/w", f"layer: {upper}")
    assert stack(program, *mounts)[:3] == (below, counted, words_of)
    volatile = mounts[0].replace("rw,", "rw,fsync=volatile,")
    assert stack(program, volatile, mounts[1])[0] == f"{below} volatile"
    assert stack(program, mounts[0].replace("rw,", "rw,volatile,"), mounts[1])[0] == f"{below} volatile"


def test_an_overlay_whose_upper_layer_is_not_to_be_seen_may_be_on_any_device(program: Path, stack: Stack) -> None:
    below, counted, words_of, _ = stack(program, "place: overlay overlay rw,lowerdir=/l,upperdir=/nowhere/up")
    assert below == "device" and {"sda", "sdb"} < set(counted) and words_of == "overlay on overlay"


@pytest.mark.parametrize(("label", "rate", "link", "may"), [
    (DEVICE, 7e8, 6e8, "unknown"), (REMOTE, 7e8, 6e8, "unknown"), (DEVICE, 5e8, 6e8, "device"),
    (1, 7e8, 6e8, "cache"), (UNKNOWN, 7e8, 6e8, "unknown"), (DEVICE, 7e8, 0, "device"),
])  # fmt: skip
def test_what_no_link_could_carry_is_no_storage(program: Path, label: int, rate: float, link: float, may: str) -> None:
    found = said(program, "behind", label, 1 / rate, link)[0]
    assert found.split()[0] == may
    if may == "unknown" and label in (DEVICE, REMOTE):
        assert "700 MB/s are more than the 600 MB/s of the SATA link of 6.0 Gbps: not from the storage" in found
