"""Discovery reads other machines than this one: fake /proc and /sys trees of several shapes, and broken ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import MeasurementError
from assay.machine import reading
from assay.machine.accelerators import Accelerator, Accelerators, accelerators, add_driver_devices
from assay.machine.activity import UTMP, activity, users
from assay.machine.batch import batch
from assay.machine.caches import caches, numa, parse_getconf
from assay.machine.discovery import discover
from assay.machine.filesystems import filesystems, mount_of
from assay.machine.limits import limits
from assay.machine.memory import memory
from assay.machine.network import network
from assay.machine.processors import processors
from assay.machine.provenance import provenance
from assay.machine.software import software
from assay.machine.system import container, system, virtualisation

GIB = 1024**3


def plant(root: Path, files: dict[str, str]) -> Path:
    for name, words in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(words, encoding="utf-8")
    return root


def cpu_files(cpu: int, package: int, core_cpus: str, **more: str) -> dict[str, str]:
    base = f"sys/devices/system/cpu/cpu{cpu}"
    files = {f"{base}/topology/physical_package_id": f"{package}\n", f"{base}/topology/core_cpus_list": core_cpus}
    return files | {f"{base}/{name.replace('__', '/')}": words for name, words in more.items()}


@pytest.fixture
def two_sockets(tmp_path: Path) -> Path:
    """Two sockets of four cores with two threads each; four NUMA nodes; cpufreq with a powersave governor."""
    files = {"sys/devices/system/cpu/online": "0-15\n", "sys/devices/system/cpu/intel_pstate/no_turbo": "0\n"}
    cpuinfo = []
    for cpu in range(16):
        core = cpu % 8
        files |= cpu_files(
            cpu,
            core // 4,
            f"{core},{core + 8}",
            cpufreq__scaling_governor="powersave\n",
            cpufreq__cpuinfo_max_freq="3900000\n",
            cpufreq__base_frequency="2400000\n",
            cpufreq__scaling_driver="intel_pstate\n",
        )
        for index, (level, kind, size, shared) in enumerate(
            [
                (1, "Data", "48K", f"{core},{core + 8}"),
                (1, "Instruction", "32K", f"{core},{core + 8}"),
                (2, "Unified", "2048K", f"{core},{core + 8}"),
                (3, "Unified", "30M", "0-3,8-11" if core < 4 else "4-7,12-15"),
            ]
        ):
            folder = f"sys/devices/system/cpu/cpu{cpu}/cache/index{index}"
            files |= {
                f"{folder}/level": f"{level}\n",
                f"{folder}/type": f"{kind}\n",
                f"{folder}/size": f"{size}\n",
                f"{folder}/coherency_line_size": "64\n",
                f"{folder}/shared_cpu_list": f"{shared}\n",
            }
        cpuinfo.append(
            f"processor\t: {cpu}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R)  Gold 6542Y\n"
            f"cpu MHz\t\t: 2900.000\nphysical id\t: {core // 4}\ncore id\t\t: {core % 4}\n"
            "flags\t\t: fpu sse4_2 avx avx2 fma avx512f amx_tile amx_bf16 constant_tsc\n"
        )
    files["proc/cpuinfo"] = "\n".join(cpuinfo)
    for node in range(4):
        folder = f"sys/devices/system/node/node{node}"
        files |= {
            f"{folder}/cpulist": f"{2 * node}-{2 * node + 1},{2 * node + 8}-{2 * node + 9}\n",
            f"{folder}/distance": " ".join("10" if other == node else "21" for other in range(4)) + "\n",
            f"{folder}/meminfo": f"Node {node} MemTotal:  16777216 kB\nNode {node} MemFree:  1024 kB\n",
        }
    files["proc/meminfo"] = (
        "MemTotal:       67108864 kB\nMemFree:         1000 kB\nMemAvailable:   33554432 kB\nSwapTotal: 0 kB\n"
    )
    files["sys/kernel/mm/transparent_hugepage/enabled"] = "always [madvise] never\n"
    files["sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"] = "512\n"
    return plant(tmp_path, files)


def test_two_sockets(two_sockets: Path) -> None:
    found = processors(two_sockets, "x86_64")
    assert (found.sockets, found.cores, found.threads, found.threads_per_core) == (2, 8, 16, 2)
    assert found.model == "Intel Xeon Gold 6542Y"
    assert found.flags == ("sse4_2", "avx", "avx2", "fma", "avx512f", "amx_tile", "amx_bf16", "constant_tsc")
    assert (found.frequency_base, found.frequency_max, found.frequency_now) == (2.4e9, 3.9e9, 2.9e9)
    assert (found.governor, found.driver, found.boost) == ("powersave", "intel_pstate", True)
    assert not found.kinds and not found.notes


def test_two_sockets_caches_and_nodes(two_sockets: Path) -> None:
    by_name = {(each.level, each.type): each for each in caches(two_sockets).caches}
    assert by_name[1, "data"].size == 48 * 1024 and by_name[1, "data"].instances == 8
    assert by_name[1, "data"].shared_by == 2 and by_name[1, "data"].line == 64
    assert by_name[3, "unified"].size == 30 * 1024**2 and by_name[3, "unified"].instances == 2
    assert caches(two_sockets).last() == by_name[3, "unified"]
    nodes = numa(two_sockets).nodes
    assert [each.id for each in nodes] == [0, 1, 2, 3]
    assert nodes[1].cpus == (2, 3, 10, 11) and nodes[1].distances == (21, 10, 21, 21)
    assert sum(each.memory or 0 for each in nodes) == 64 * GIB


def test_two_sockets_memory(two_sockets: Path) -> None:
    found = memory(two_sockets)
    assert (found.total, found.available, found.usable) == (64 * GIB, 32 * GIB, 32 * GIB)
    assert found.transparent_huge_pages == "madvise"
    assert found.huge_pages[0].size == 2 * 1024**2 and found.huge_pages[0].reserved == 512


def test_arm_without_cpufreq(tmp_path: Path) -> None:
    block = "processor\t: {}\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd atomics sve sve2 bf16\n"
    block += "CPU implementer\t: 0x41\nCPU part\t: 0xd4f\n"
    files = {"proc/cpuinfo": "\n".join(block.format(cpu) for cpu in range(4)), "sys/devices/system/cpu/online": "0-3"}
    for cpu in range(4):
        files |= cpu_files(cpu, 0, str(cpu))
    found = processors(plant(tmp_path, files), "aarch64")
    assert (found.model, found.vendor, found.cores) == ("Arm Neoverse V2", "Arm", 4)
    assert {"asimd", "sve2", "bf16"} <= set(found.flags)
    assert found.governor is None and found.frequency_max is None
    assert any("cpufreq" in note for note in found.notes)


def test_hybrid_cores(tmp_path: Path) -> None:
    """Two performance cores with two threads, four efficiency cores: kinds by the PMU folders."""
    files = {"sys/devices/cpu_core/cpus": "0-3\n", "sys/devices/cpu_atom/cpus": "4-7\n"}
    files["sys/devices/system/cpu/online"] = "0-7\n"
    for cpu in range(8):
        core = f"{cpu & ~1}-{cpu | 1}" if cpu < 4 else str(cpu)
        files |= cpu_files(cpu, 0, core, cpufreq__cpuinfo_max_freq="5000000" if cpu < 4 else "3800000")
    found = processors(plant(tmp_path, files), "x86_64")
    assert [(kind.name, kind.cpus, kind.frequency_max) for kind in found.kinds] == [
        ("performance", (0, 1, 2, 3), 5e9),
        ("efficiency", (4, 5, 6, 7), 3.8e9),
    ]
    assert (found.cores, found.threads, found.frequency_max) == (6, 8, 5e9)


def test_big_little_by_parts(tmp_path: Path) -> None:
    parts = ["0xd03"] * 4 + ["0xd08"] * 2
    words = "\n".join(f"processor : {n}\nCPU implementer : 0x41\nCPU part : {part}\n" for n, part in enumerate(parts))
    found = processors(plant(tmp_path, {"proc/cpuinfo": words}), "aarch64")
    assert [(kind.name, len(kind.cpus)) for kind in found.kinds] == [("Arm Cortex-A53", 4), ("Arm Cortex-A72", 2)]


V2 = "26 25 0:23 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"


def test_limits_of_version_two_bind_from_above(tmp_path: Path) -> None:
    """The group itself has no limit; its parent has 1.5 processors and 2 GiB."""
    root = plant(
        tmp_path,
        {
            "proc/self/cgroup": "0::/pod/work\n",
            "proc/self/mountinfo": V2,
            "sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids\n",
            "sys/fs/cgroup/pod/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/pod/memory.max": f"{2 * GIB}\n",
            "sys/fs/cgroup/pod/memory.current": f"{GIB // 2}\n",
            "sys/fs/cgroup/pod/work/cpu.max": "max 100000\n",
            "sys/fs/cgroup/pod/work/memory.max": "max\n",
            "sys/fs/cgroup/pod/work/memory.current": f"{GIB // 2}\n",
            "sys/fs/cgroup/pod/work/cpuset.cpus.effective": "2-5\n",
            "proc/meminfo": "MemTotal: 67108864 kB\nMemAvailable: 50000000 kB\n",
        },
    )
    found = limits(root, affinity=(0, 1, 2, 3))
    assert found.cgroup_version == 2 and found.cpu_quota == 1.5
    assert found.cpuset == (2, 3, 4, 5) and found.cpus == 2 and found.usable_cpus == 1.5
    assert found.memory_limit == 2 * GIB and found.memory_used == GIB // 2
    assert memory(root, found).usable == 2 * GIB - GIB // 2


def test_limits_of_version_one_in_a_container(tmp_path: Path) -> None:
    """Without a cgroup namespace the group's path is the host's, and the mount shows only that group."""
    group = "/docker/abc"
    root = plant(
        tmp_path,
        {
            "proc/self/cgroup": f"4:memory:{group}\n3:cpuset:{group}\n2:cpu,cpuacct:{group}\n1:name=systemd:{group}\n",
            "proc/self/mountinfo": "".join(
                f"3{n} 30 0:2{n} {group} /sys/fs/cgroup/{name} ro - cgroup cgroup rw,{name}\n"
                for n, name in enumerate(("memory", "cpuset", "cpu,cpuacct"))
            ),
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "300000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/cpuset/cpuset.cpus": "0-7\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{4 * GIB}\n",
            "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{GIB}\n",
        },
    )
    found = limits(root, affinity=tuple(range(8)))
    assert (found.cgroup_version, found.cpu_quota, found.usable_cpus) == (1, 3.0, 3.0)
    assert (found.memory_limit, found.memory_used) == (4 * GIB, GIB)


def test_no_limit_is_none(tmp_path: Path) -> None:
    root = plant(
        tmp_path,
        {
            "proc/self/cgroup": "2:cpu:/\n1:memory:/\n",
            "proc/self/mountinfo": "1 0 0:1 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
            "2 0 0:2 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
    )
    found = limits(root, affinity=(0, 1))
    assert found.cpu_quota is None and found.memory_limit is None and found.usable_cpus == 2


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"proc/cpuinfo": "flags : fpu avx hypervisor\n", "sys/class/dmi/id/sys_vendor": "QEMU"}, (True, "qemu")),
        ({"proc/cpuinfo": "flags : fpu avx\n", "sys/class/dmi/id/sys_vendor": "Dell Inc."}, (False, None)),
        ({"proc/cpuinfo": "flags : hypervisor\n", "sys/hypervisor/type": "xen"}, (True, "xen")),
        (
            {"proc/cpuinfo": "flags : avx\n", "sys/hypervisor/type": "xen", "proc/xen/capabilities": "control_d"},
            (False, None),
        ),
        (
            {"proc/cpuinfo": "flags : hypervisor\n", "sys/class/dmi/id/product_name": "Virtual Machine"},
            (True, "hyper-v"),
        ),
        (
            {
                "proc/cpuinfo": "Features : asimd\n",
                "sys/class/dmi/id/sys_vendor": "Amazon EC2",
                "sys/class/dmi/id/product_name": "c7g.metal",
            },
            (False, None),
        ),
        ({"proc/cpuinfo": "Features : asimd\n", "sys/class/dmi/id/sys_vendor": "Amazon EC2"}, (True, "amazon ec2")),
        ({}, (None, None)),
    ],
)
def test_virtualisation(tmp_path: Path, files: dict[str, str], expected: tuple[bool | None, str | None]) -> None:
    assert virtualisation(plant(tmp_path, files)) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({".dockerenv": ""}, "docker"),
        ({"run/.containerenv": ""}, "podman"),
        ({"proc/1/environ": "PATH=/bin\0container=lxc\0TERM=x\0"}, "lxc"),
        ({"proc/1/cgroup": "1:name=systemd:/kubepods/besteffort/pod1\n"}, "kubepods"),
        ({"proc/1/cgroup": "0::/init.scope\n"}, None),
        ({}, None),
    ],
)
def test_containers(tmp_path: Path, files: dict[str, str], expected: str | None) -> None:
    assert container(plant(tmp_path, files), {}) == expected


def test_system(tmp_path: Path) -> None:
    root = plant(
        tmp_path,
        {
            "etc/os-release": 'PRETTY_NAME="Rocky Linux 9.4"\nID="rocky"\nID_LIKE="rhel centos fedora"\n',
            "proc/sys/kernel/osrelease": "5.14.0\n",
            "proc/sys/kernel/hostname": "n17\n",
            "proc/uptime": "100.5 200.0\n",
            "sys/bus/event_source/devices/cpu/type": "4",
            "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
        },
    )
    found = system(root, {})
    assert (found.host, found.kernel, found.distribution) == ("n17", "5.14.0", "Rocky Linux 9.4")
    assert (found.family, found.uptime, found.counters, found.clock_source) == ("fedora", 100.5, True, "tsc")


def test_accelerators_by_pci(tmp_path: Path) -> None:
    def device(address: str, class_: str, vendor: str) -> dict[str, str]:
        base = f"sys/bus/pci/devices/{address}"
        return {f"{base}/class": class_, f"{base}/vendor": vendor, f"{base}/device": "0x2335"}

    root = plant(
        tmp_path,
        device("0000:01:00.0", "0x030200", "0x10de")
        | device("0000:02:00.0", "0x030000", "0x1a03")
        | device("0000:03:00.0", "0x038000", "0x1002")
        | device("0000:04:00.0", "0x020000", "0x8086")
        | {"proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t\t NVIDIA H200\n", "dev/nvidia0": ""},
    )
    found = accelerators(root)
    assert [(each.vendor, each.kind, each.name) for each in found.devices] == [
        ("NVIDIA", "3d", "NVIDIA H200"),
        ("AMD", "display", "device 0x2335"),
    ]
    assert found.devices[0].device_file == "/dev/nvidia0" and found.devices[0].usable
    assert "no device file" in found.notes[0] and "AMD" in found.notes[0]


def test_mounts(tmp_path: Path) -> None:
    root = plant(
        tmp_path,
        {
            "proc/self/mounts": "proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw,relatime 0 0\n"
            "10.0.0.1@tcp:/work /lustre/my\\040work lustre rw,flock 0 0\nhome:/export /home nfs4 ro 0 0\n"
            "tmpfs /dev/shm tmpfs rw 0 0\ntmpfs /run tmpfs rw 0 0\n/dev/sda1 /again ext4 rw 0 0\nbroken\n",
            "sys/block/sda/queue/rotational": "1\n",
            "sys/block/sda/sda1/size": "1\n",
        },
    )
    found = {each.mount: each for each in filesystems(root, {}).mounts}
    assert {name: each.where for name, each in found.items()} == {
        "/": "local",
        "/lustre/my work": "parallel",
        "/home": "network",
        "/dev/shm": "memory",
    }
    assert found["/"].rotating is True and found["/home"].writable is False
    # what a folder lies on, of memory and the kernel's own file systems, too
    on = {path: mount_of(path, root) for path in ("/run/user", "/homes", "/lustre/my work/a", "/proc")}
    assert on == {
        "/run/user": ("/run", "tmpfs", "tmpfs"),
        "/homes": ("/", "ext4", "/dev/sda1"),
        "/lustre/my work/a": ("/lustre/my work", "lustre", "10.0.0.1@tcp:/work"),
        "/proc": ("/proc", "proc", "proc"),
    }
    assert mount_of("/home", tmp_path / "nothing") is None


def test_fabrics(tmp_path: Path) -> None:
    root = plant(
        tmp_path,
        {
            "sys/class/net/eth0/speed": "25000\n",
            "sys/class/net/eth0/device/vendor": "0x15b3",
            "sys/class/net/eth0/operstate": "up\n",
            "sys/class/net/lo/mtu": "65536",
            "sys/class/infiniband/mlx5_0/ports/1/rate": "400 Gb/sec (4X NDR)\n",
            "sys/class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
            "sys/class/infiniband/mlx5_0/ports/1/link_layer": "InfiniBand\n",
        },
    )
    found = network(root)
    assert [(each.name, each.rate, each.virtual) for each in found.interfaces] == [("eth0", 25e9 / 8, False)]
    port = found.fabrics[0]
    assert (port.device, port.port, port.kind, port.state, port.rate) == ("mlx5_0", 1, "InfiniBand", "active", 50e9)


def test_activity_counts_the_others(tmp_path: Path) -> None:
    """Over 2 s: the whole host 3 s busy and 0.5 s stolen, of which this process (7) used 1 s and process 8 two."""
    tick = os.sysconf("SC_CLK_TCK")

    def write(busy: int, steal: int, own: int, other: int) -> None:
        plant(
            tmp_path,
            {
                "proc/stat": f"cpu  {busy} 0 0 0 0 0 0 {steal} 0 0\ncpu0 0\n",
                "proc/7/stat": f"7 (me) R 1 1 1 0 -1 0 0 0 0 0 {own} 0 0 0\n",
                "proc/8/stat": f"8 (a (odd) name) R 1 1 1 0 -1 0 0 0 0 0 {other} 0 0 0\n",
                "proc/loadavg": "1.50 1.00 0.50 3/100 4711\n",
            },
        )

    write(1000, 10, 100, 200)
    found = activity(
        tmp_path,
        2.0,
        sleep=lambda _: write(1000 + 3 * tick, 10 + tick // 2, 100 + tick, 200 + 2 * tick),
        own=7,
    )
    assert found.others == pytest.approx(1.0) and found.steal == pytest.approx(0.25)
    assert [(each.pid, each.name) for each in found.busiest] == [(8, "a (odd) name")]
    assert found.busiest[0].share == pytest.approx(1.0)
    assert found.load == (1.5, 1.0, 0.5) and found.running == 3


def test_users_of_utmp(tmp_path: Path) -> None:
    def record(kind: int, name: bytes) -> bytes:
        return UTMP.pack(kind, 1, b"tty1", b"1", name, b"", 0, 0, 0, 0, 0, *([0] * 4))

    (tmp_path / "run").mkdir()
    (tmp_path / "run/utmp").write_bytes(record(7, b"tom") + record(8, b"gone") + record(7, b"ada") + b"torn")
    assert UTMP.size == 384
    assert users(tmp_path) == ("ada", "tom")
    assert users(tmp_path / "nowhere") is None


def test_batch_systems() -> None:
    here = {"sbatch": "/usr/bin/sbatch", "srun": "/usr/bin/srun", "qsub": "/usr/bin/qsub"}
    found = batch({"SLURM_JOB_ID": "12", "SLURM_JOB_NUM_NODES": "4"}, here.get, ask=False)
    assert [(each.name, each.job, each.nodes) for each in found.systems] == [("slurm", "12", 4)]
    assert not batch({}, {}.get, ask=False).systems
    assert not batch({"JOB_ID": "7"}, {}.get, ask=False).systems  # anybody may have a variable of this name


def test_compilers_are_tried() -> None:
    """A compiler that prints a version but refuses C++20 is listed and not chosen; CXX comes first."""

    def ask(command: Sequence[str], words: str | None) -> tuple[int, str]:
        name = command[0]
        if words is None:
            return 0, f"{name} 99.1\n"
        return (1, "error: coroutine: no such file\n") if name == "old++" else (0, "")

    paths = {"g++": "/usr/bin/g++", "old++": "/opt/old++"}
    found = software(Path("/nowhere"), {"CXX": "old++"}, ask, paths.get)
    assert [(each.command, each.cxx20) for each in found.compilers] == [("old++", False), ("g++", True)]
    assert found.compiler is None and "CXX=old++" in found.notes[0]
    assert "coroutine" in found.compilers[0].notes[0]
    chosen = software(Path("/nowhere"), {}, ask, paths.get).compiler
    assert chosen is not None and chosen.command == "g++" and chosen.version == "g++ 99.1"


def test_libraries_are_handed_in() -> None:
    """The finder is execute's; what it cannot tell is left out, and without it nothing is said of libraries."""

    def nothing(command: Sequence[str], words: str | None) -> tuple[int, str]:
        return 127, ""

    def find(name: str) -> SimpleNamespace | None:
        return SimpleNamespace(origin="-lopenblas") if name == "lapack" else None

    def no_compiler(name: str) -> SimpleNamespace | None:
        raise MeasurementError("no C++ compiler")

    nowhere = Path("/nowhere")
    found = software(nowhere, {}, nothing, lambda _: None, None, find, lambda file: file == "libmpfr.so.6").libraries
    assert {key: each and (each.name, each.where) for key, each in found.items()} == {
        "lapack": ("LAPACK", "-lopenblas"),
        "fftw": None,
        "mpfr": ("MPFR", "libmpfr.so.6"),
    }
    assert software(nowhere, {}, nothing, lambda _: None, None, no_compiler, lambda _: False).libraries == {
        "mpfr": None
    }
    assert software(nowhere, {}, nothing, lambda _: None).libraries == {}


def test_mpi_is_handed_in() -> None:
    """The finder is execute's; one that raises leaves a note and no traceback."""
    found = SimpleNamespace(mpicxx="a", mpiexec="b", implementation="Open MPI", version="5.0", embedded=True)

    def broken() -> None:
        raise MeasurementError("mpiexec hangs")

    def nothing(command: Sequence[str], words: str | None) -> tuple[int, str]:
        return 127, ""

    nowhere = Path("/nowhere")
    said = software(nowhere, {}, nothing, lambda _: None, lambda: found).mpi
    assert said is not None and (said.implementation, said.embedded) == ("Open MPI", True)
    said = software(nowhere, {}, nothing, lambda _: None, broken).mpi
    assert said is not None and said.mpiexec is None and said.notes == ("mpiexec hangs",)
    assert software(nowhere, {}, nothing, lambda _: None, lambda: None).mpi is None


def test_getconf() -> None:
    words = "LEVEL1_DCACHE_SIZE                 32768\nLEVEL1_DCACHE_LINESIZE 64\nLEVEL2_CACHE_SIZE 0\nPATH_MAX\n"
    (found,) = parse_getconf(words)
    assert (found.level, found.type, found.size, found.line, found.ways) == (1, "data", 32768, 64, None)


READERS = (
    processors,
    caches,
    numa,
    memory,
    lambda root: limits(root, ()),
    lambda root: system(root, {}),
    accelerators,
    network,
    lambda root: filesystems(root, {}),
    lambda root: activity(root, 0.0, sleep=lambda _: None, own=1),
    provenance,
)


def test_nothing_there_is_no_error(tmp_path: Path) -> None:
    for reader in READERS:
        reader(tmp_path)
    assert processors(tmp_path).notes and memory(tmp_path).notes and limits(tmp_path, ()).notes


@given(st.one_of(st.binary(max_size=60), st.text("0129.:-,/ \n()KGabcpu", max_size=60).map(str.encode)))
def test_garbage_is_no_error(tmp_path_factory: pytest.TempPathFactory, junk: bytes) -> None:
    """Every file that the readers open holds the same garbage."""
    root = tmp_path_factory.mktemp("junk")
    names = [
        "proc/cpuinfo",
        "proc/meminfo",
        "proc/stat",
        "proc/loadavg",
        "proc/uptime",
        "proc/7/stat",
        "proc/self/mounts",
        "proc/self/cgroup",
        "proc/self/mountinfo",
        "proc/1/environ",
        "run/utmp",
        "etc/os-release",
        "sys/hypervisor/type",
        "sys/devices/system/cpu/online",
        "sys/devices/system/cpu/cpu0/topology/physical_package_id",
        "sys/devices/system/cpu/cpu0/topology/core_cpus_list",
        "sys/devices/system/cpu/cpu0/cpu_capacity",
        "sys/devices/system/cpu/cpu0/cache/index0/size",
        "sys/devices/system/cpu/cpu0/cache/index0/level",
        "sys/devices/system/node/node0/meminfo",
        "sys/devices/system/node/node0/distance",
        "sys/class/net/eth0/speed",
        "sys/class/infiniband/x/ports/1/rate",
        "sys/class/infiniband/x/ports/1/state",
        "sys/bus/pci/devices/a/class",
        "sys/bus/pci/devices/a/vendor",
        "sys/kernel/mm/hugepages/odd/nr_hugepages",
        "sys/kernel/mm/transparent_hugepage/enabled",
    ]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(junk)
    for reader in READERS:
        reader(root)


@given(st.sets(st.integers(0, 5000), min_size=1))
def test_processor_lists_go_round(numbers: set[int]) -> None:
    ordered = tuple(sorted(numbers))
    assert reading.cpus(reading.spans(ordered)) == ordered


@pytest.mark.parametrize("words", ["", "a", "1-", "-1", "3-1", "1,,2", "0-99999999999", None])
def test_bad_processor_lists_are_none(words: str | None) -> None:
    assert reading.cpus(words) is None


def test_this_host() -> None:
    """What can be asked elsewhere agrees: os, and the running process's own limits."""
    host = discover()
    assert host.processors.threads == os.cpu_count()
    assert host.limits.affinity == tuple(sorted(os.sched_getaffinity(0)))
    assert host.memory.total == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert host.memory.usable is not None and 0 < host.memory.usable <= (host.memory.total or 0)
    assert host.model_dump_json()


def test_provenance_is_flat() -> None:
    said = provenance()
    assert {"host", "cpu", "kernel", "governor", "load", "virtualised", "container", "memory_limit", "assay"} <= set(
        said
    )
    assert all(not isinstance(value, dict) for value in said.values())


def test_what_drivers_show_joins_the_device_at_its_address(tmp_path: Path) -> None:
    shown = Accelerators(
        devices=(Accelerator(vendor="NVIDIA", kind="3d", name="device 0x2335", address="0000:01:00.0", usable=False),)
    )
    gpu = {"api": "cuda:0", "name": "H200", "kind": "GPU", "memory": 1 << 37, "units": 132, "driver": "CUDA 12.4"}
    cpu = {"api": "opencl:0", "name": "EPYC", "kind": "CPU through OpenCL", "memory": 1, "units": 2, "driver": "3.1"}
    found = add_driver_devices(shown, {"devices": [cpu, gpu | {"address": "00000000:01:00.0"}], "missing": {}})
    first, second = found.devices
    assert (first.vendor, first.name, first.api, first.units, first.is_device) == (
        "NVIDIA",
        "H200",
        "cuda:0",
        132,
        True,
    )
    assert (second.api, second.address, second.is_device) == ("opencl:0", None, False) and not found.notes
    twin = gpu | {"api": "opencl:1", "name": "NVIDIA H200", "address": "0000:01:00.0"}
    both = add_driver_devices(shown, {"devices": [cpu, twin, gpu | {"address": "00000000:01:00.0"}], "missing": {}})
    assert [each.api for each in both.devices] == ["opencl:1, cuda:0", "opencl:0"] and both.devices[0].name == "H200"
    other = add_driver_devices(shown, {"devices": [cpu], "missing": {"cuda": "libcuda.so.1: not there"}})
    assert [each.api for each in other.devices] == [None, "opencl:0"]
    assert other.notes == (
        "no program reaches the accelerators here (cuda: libcuda.so.1: not there): "
        "install the vendor's driver, or its OpenCL",
    )
    assert add_driver_devices(Accelerators(), {}) == Accelerators()
