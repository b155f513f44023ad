"""Machines that state themselves in unusual ways: what is said of them, and that contradictions are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.machine import reading, topology
from assay.machine.caches import numa
from assay.machine.memory import memory
from assay.machine.processors import processors
from assay.machine.system import virtualisation
from sysfs_trees import CPU, MACHINES, listed, mask, plant

HEADER = "system type : generic-machine\n\nprocessor : 0\nModel Name : Loongson-3A5000\n\nprocessor : 1\n"
TRAILER = "processor : 0\n\nprocessor : 1\n\nCPU implementer : 0x41\nCPU part : 0xc0f\n"
MAINFRAME = "vendor_id : IBM/S390\nprocessor 0: version = FF,  identification = 29AA14,  machine = 2817\n"


def write(root: Path, name: str, words: str) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(words)


@given(st.sets(st.integers(0, 2047), min_size=1))
def test_a_mask_and_a_list_are_two_forms_of_one_set(cpus: set[int]) -> None:
    assert reading.mask(mask(cpus).strip()) == reading.cpus(listed(cpus).strip()) == tuple(sorted(cpus))


@pytest.mark.parametrize("words", ["", "xyz", "0000000g", "1,,2", "123456789", "-1", "0x"])
def test_a_garbled_mask_is_none(words: str) -> None:
    assert reading.mask(words) is None


@pytest.mark.parametrize(
    ("cpuinfo", "model"),
    [(HEADER, "Loongson-3A5000"), (TRAILER, "Arm Cortex-A15"), (MAINFRAME, "IBM machine type 2817")],
)
def test_the_model_is_found_wherever_cpuinfo_states_it(tmp_path: Path, cpuinfo: str, model: str) -> None:
    write(tmp_path, "proc/cpuinfo", cpuinfo)
    assert processors(tmp_path).model == model


def hybrid_arm(root: Path) -> tuple[int, ...]:
    """Ten small and ten large cores whose capacities differ by the frequency of each, too."""
    parts = [0xD87] * 5 + [0xD85] * 5 + [0xD87] * 5 + [0xD85] * 5
    write(root, f"{CPU}/online", "0-19\n")
    blocks = (f"processor : {cpu}\nCPU implementer : 0x41\nCPU part : {part:#x}\n" for cpu, part in enumerate(parts))
    write(root, "proc/cpuinfo", "\n".join(blocks))
    for cpu, capacity in enumerate([720, 721, 722, 723, 724] * 4):
        write(root, f"{CPU}/cpu{cpu}/cpu_capacity", f"{capacity}\n")
    return tuple(cpu for cpu, part in enumerate(parts) if part == 0xD87)


@pytest.mark.parametrize("source", ["cpuinfo", "register"])
def test_kinds_of_cores_are_parts_not_frequencies(tmp_path: Path, source: str) -> None:
    small = hybrid_arm(tmp_path)
    if source == "register":
        write(tmp_path, "proc/cpuinfo", "")
        for cpu in range(20):
            part = 0xD87 if cpu in small else 0xD85
            write(tmp_path, f"{CPU}/cpu{cpu}/regs/identification/midr_el1", f"{0x41 << 24 | part << 4:#018x}\n")
    found = processors(tmp_path)
    assert {each.name: each.cpus for each in found.kinds} == {
        "Arm Cortex-A725": small,
        "Arm Cortex-X925": tuple(sorted(set(range(20)) - set(small))),
    }
    assert found.model == "Arm Cortex-A725, Arm Cortex-X925"


def test_one_part_at_several_frequencies_is_one_kind(tmp_path: Path) -> None:
    hybrid_arm(tmp_path)
    for cpu in range(20):
        write(tmp_path, f"{CPU}/cpu{cpu}/regs/identification/midr_el1", f"{0x41 << 24 | 0xD87 << 4:#018x}\n")
    assert processors(tmp_path).kinds == ()


def test_a_package_called_minus_one_is_no_number(tmp_path: Path) -> None:
    write(tmp_path, f"{CPU}/online", "0\n")
    write(tmp_path, f"{CPU}/cpu0/topology/physical_package_id", "-1\n")
    assert processors(tmp_path).sockets is None


def test_memory_of_gpus_and_memory_alone_are_said(tmp_path: Path) -> None:
    root = plant(tmp_path, MACHINES["with-gpus"])
    found = numa(root)
    assert [node.id for node in found.nodes] == [0, 1]
    assert all(len(node.distances) == 2 for node in found.nodes)
    assert "left out: nodes 2-3, which are the memory of GPUs" in found.notes
    assert "nodes 1 are memory without processors" in found.notes
    assert memory(root).total == (65536 + 32768) << 20  # /proc/meminfo has that of the GPUs, too


def test_processors_in_no_node_are_said(tmp_path: Path) -> None:
    machine = replace(MACHINES["server"], nodes=MACHINES["server"].nodes[:3])
    assert "hardware threads 6-7,14-15 are in no node" in numa(plant(tmp_path, machine)).notes


@pytest.mark.parametrize(
    ("file", "words", "said"),
    [
        ("cpu3/topology/package_cpus", mask([3]), "state of their socket contradicts"),
        ("cpu3/topology/core_cpus", mask([3, 4]), "state of their core contradicts"),
        ("cpu5/cache/index2/shared_cpu_map", mask([5]), "level 2 unified cache"),
        ("../node/node1/cpumap", mask([0, 1]), "list and the mask of node 1"),
        ("../node/node1/cpumap", mask([0, 1]), "hardware threads 0-1 are in several"),
    ],
)
def test_what_contradicts_itself_is_said(tmp_path: Path, file: str, words: str, said: str) -> None:
    root = plant(tmp_path, MACHINES["server"])
    assert not topology.contradictions(root)
    (root / CPU / file).write_text(words)
    assert any(said in each for each in topology.contradictions(root)), topology.contradictions(root)
    assert set(topology.contradictions(root)) <= set(processors(root).notes)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"sys/class/dmi/id/product_name": "VirtualBox"}, (True, "virtualbox")),
        ({"proc/bus/pci/devices": "0010\t80eebeef\t12\n"}, (True, "virtualbox")),
        (
            {"sys/bus/pci/devices/a/vendor": "0x80ee\n", "sys/bus/pci/devices/a/device": "0xcafe\n"},
            (True, "virtualbox"),
        ),
        ({"sys/class/dmi/id/sys_vendor": "Google", "proc/bus/pci/devices": "0010\t80861237\t12\n"}, (False, None)),
        ({"proc/sysinfo": "LPAR Number: 41\nVM00 Control Program: KVM/Linux\n"}, (True, "kvm")),
        ({"proc/sysinfo": "LPAR Number: 41\nVM00 Control Program: z/VM    6.1.0\n"}, (True, "z/vm")),
        ({"proc/sysinfo": "LPAR Number: 41\n"}, (True, "pr/sm")),
    ],
)
def test_a_virtual_machine_without_the_processor_s_flag(
    tmp_path: Path, files: dict[str, str], expected: tuple[bool | None, str | None]
) -> None:
    for name, words in ({"proc/cpuinfo": "flags : fpu avx\n"} | files).items():
        write(tmp_path, name, words)
    assert virtualisation(tmp_path) == expected
