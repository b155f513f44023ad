"""`assay doctor --via`: the node that differs, the silent one and the slow one of a cluster of eight are each named."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import slurm_cluster
from assay.execute import leash
from assay.machine import node_inventory
from assay.machine.node_inventory import (
    ClusterInventory,
    NodeFacts,
    NodeSpeed,
    differences,
    laid_out,
    slow_nodes,
    theoretical_peak,
)
from assay.verbs import _inventory
from cgroup_quota import processor_share
from command_line import assay

pytestmark = pytest.mark.measures


def test_a_nodes_words_are_laid_out_and_read_as_this_hosts_are(tmp_path: Path) -> None:
    """What the script says of this host against what the readers find in its own /proc and /sys."""
    done = subprocess.run(["sh", str(node_inventory.SCRIPT)], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("=end")
    commands = laid_out(done.stdout, tmp_path)
    there, here = node_inventory.facts(tmp_path, commands), node_inventory.facts(Path("/"), commands)
    for fact in (
        "processor",
        "sockets",
        "cores",
        "threads",
        "memory",
        "kernel",
        "distribution",
        "cpu_quota",
        "network",
    ):
        assert getattr(there, fact) == getattr(here, fact), fact
    assert there.cores and there.memory and there.kernel == os.uname().release
    assert there.compilers and "g++: " in there.compilers


def test_a_node_writes_nowhere_but_in_its_own_tree(tmp_path: Path) -> None:
    answer = "=file /proc/../../../escape\nx\n=file /root/x\ny\n=file proc/z\nz\n=file /sys/good\nyes\n=end\n"
    laid_out(answer, tmp_path / "a" / "b" / "c")
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["good"]


def test_a_card_without_link_and_its_rate_are_shown(tmp_path: Path) -> None:
    """An Ethernet card of 100 Mbit/s and an InfiniBand port of 200 Gbit/s, as the kernel shows them."""
    answer = (
        "=file /sys/class/net/eth0/speed\n100\n=file /sys/class/net/eth0/operstate\ndown\n"
        "=link /sys/class/net/eth0/device\n/x\n=link /sys/class/net/eth0/device/driver\n/y/tulip\n"
        "=file /sys/class/infiniband/mlx5_0/ports/1/rate\n200 Gb/sec (4X HDR)\n"
        "=file /sys/class/infiniband/mlx5_0/ports/1/state\n4: ACTIVE\n=end\n"
    )
    found = node_inventory.facts(tmp_path, laid_out(answer, tmp_path)).network
    assert found == "eth0 tulip down 0.1 Gbit/s; InfiniBand mlx5_0 active 200 Gbit/s"


def test_the_peak_of_a_published_machine_and_of_one_without_flags() -> None:
    """Xeon Platinum 8280: 28 cores x 2.7 GHz x 32 flops = 2,419 Gflop/s, as Intel's own table has it."""
    assert theoretical_peak(28, 2.7e9, ("fma", "avx512f")) == pytest.approx(2419.2e9)
    assert theoretical_peak(28, 2.7e9, ()) is None and theoretical_peak(None, 2.7e9, ("fma",)) is None


def test_differences_name_the_minority_or_all() -> None:
    plain = NodeFacts(kernel="6.1", memory=64 * 2**30)
    nodes = {f"n{i}": plain for i in range(1, 6)}
    assert differences(nodes) == []
    nodes["n2"] = NodeFacts(kernel="5.10", memory=int(63.5 * 2**30))  # firmware's share of the memory is no difference
    (found,) = differences(nodes)
    assert (found.fact, found.majority, found.count, found.nodes) == ("kernel", "6.1", 4, {"n2": "5.10"})
    (split,) = differences({"a": plain, "b": NodeFacts(kernel="5", memory=64 * 2**30)})
    assert split.majority is None and split.nodes == {"a": "6.1", "b": "5"}


def test_slow_nodes_are_judged_by_the_median_and_say_why() -> None:
    speeds = {f"n{i}": NodeSpeed(clock=3e9, peak=48e9, share=1) for i in range(1, 6)}
    assert slow_nodes(speeds, {}) == []
    speeds |= {"n2": NodeSpeed(clock=3e9, peak=24e9, share=1), "n4": NodeSpeed(clock=0.9e9, peak=14.4e9, share=0.3)}
    found = slow_nodes(speeds, {"n4": NodeFacts(cpu_quota=0.3)})
    assert [each.node for each in found] == ["n4", "n2"]
    assert [each.pace for each in found] == pytest.approx([0.3, 0.5])
    assert found[0].why == "its program got 30% of a hardware thread: a CPU quota of 0.3 processors"
    assert found[1].why == "a slower processor"


def test_what_has_no_nodes_is_refused(tmp_path: Path) -> None:
    for words, message in (
        (("--via", "mpiexec"), "--via: has no nodes to ask; seen: 'mpiexec'; accepted: hosts:FILE, slurm"),
        (("--via", "slurm", "--watch"), "--watch: looks at this host only"),
        (("--via", f"hosts:{tmp_path / 'none'}"), "the file of hosts cannot be read"),
    ):
        answer = assay("doctor", *words)
        assert (answer.status, answer.out) == (2, "")
        (line,) = answer.err.splitlines()
        assert message in line


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Eight nodes: n3 has another processor, n5 a tenth of a hardware thread, n7 does not answer."""
    if reason := slurm_cluster.missing():
        pytest.skip(reason)
    for key in [key for key in os.environ if key.startswith(("SLURM", "SBATCH", "SALLOC"))]:
        monkeypatch.delenv(key)
    other = tmp_path / "cpuinfo"
    text = "\n".join(
        "model name\t: Alpha 21264" if line.startswith("model name") else line
        for line in Path("/proc/cpuinfo").read_text().splitlines()
    )
    other.write_text(text + "\n")
    with processor_share(0.1) as quota, slurm_cluster.SlurmCluster() as cluster:
        monkeypatch.setenv("SLURM_CONF", str(cluster.folder / "slurm.conf"))

        def pid(node: str) -> int:
            return int((cluster.folder / f"{node}.pid").read_text())

        for node in ("n3", "n5"):
            os.kill(pid(node), signal.SIGKILL)
        namespace = ("unshare", "-m", "sh", "-c", f'mount --bind {other} /proc/cpuinfo && exec "$@"', "sh")
        log = tmp_path / "planted.log"
        daemons = leash.Leash(
            [
                leash.Command((*namespace, "slurmd", "-D", "-N", "n3"), log, log),
                leash.Command((*quota, "slurmd", "-D", "-N", "n5"), log, log),
            ],
            environment=cluster.environment,
        )
        stopped = pid("n7")
        os.kill(stopped, signal.SIGSTOP)
        time.sleep(1)
        try:
            if not daemons.alive():
                pytest.skip(f"no node can be planted here: {log.read_text()[-200:]}")
            yield "slurm"
        finally:
            os.kill(stopped, signal.SIGCONT)
            daemons.release()


@pytest.mark.slurm
def test_the_node_that_differs_the_silent_and_the_slow_one_are_named(planted: str) -> None:
    answer = assay("doctor", "--via", planted, "--for", "40", "--json")
    assert answer.status == 1, answer.err
    found = json.loads(answer.out)
    assert [each["node"] for each in found["silent"]] == ["n7"], found["silent"]
    (processor,) = [each for each in found["differences"] if each["fact"] == "processor"]
    assert processor["nodes"] == {"n3": "Alpha 21264"} and processor["count"] == 6
    (quoted,) = [each for each in found["differences"] if each["fact"] == "cpu_quota"]
    assert quoted["nodes"] == {"n5": "0.1"}
    speeds = {each["node"]: each["measured"] for each in found["nodes"]}
    assert speeds["n5"]["share"] < 0.15  # a quota of a tenth, whatever else runs here
    if statistics.median(each["share"] for each in speeds.values()) < 0.3:
        pytest.skip("others leave less than a third of a hardware thread to every node: none stands out")
    slowest = found["slow"][0]
    assert slowest["node"] == "n5" and "a CPU quota of 0.1 processors" in slowest["why"], found["slow"]
    kept = {key: value for key, value in found.items() if key != "version"}
    assert "slow: n5: " in "\n".join(_inventory.table(ClusterInventory.model_validate(kept)))
