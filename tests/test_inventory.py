"""`assay doctor --via`: the node that differs, the silent one and the slow one of a cluster of eight are each named."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import slurm_cluster
from assay.benchmark.record import PlainProgram, programs_root
from assay.described.machine_file import DescribedMachine
from assay.execute import node_exchange, process_tree
from assay.execute.build import build
from assay.execute.node_exchange import LENGTH, Exchanged, exchange, rates
from assay.machine import node_inventory
from assay.machine.node_inventory import (
    ClusterInventory,
    NodeFacts,
    NodeSpeed,
    differences,
    laid_out,
    slow_exchanges,
    slow_nodes,
)
from assay.verbs import _doctor_nodes
from cgroup_quota import processor_share
from command_line import assay
from mpis_here import MPI
from started import play

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


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_measured_peak_is_no_more_than_two_units_give_and_its_chains_are_twelve() -> None:
    """Chains that are alike were once compiled as one: its latency was counted twelve times."""
    source = PlainProgram("node_speed", programs_root() / "jobs/node_speed.cpp")
    program = build([source], mpi=None)["node_speed"].path
    flags = Path("/proc/cpuinfo").read_text().split()
    lanes = 8 if "avx512f" in flags else 4 if "avx2" in flags else 2
    clock = peak = 0.0
    for _ in range(6):  # what others take of the processor lowers a clock, and raises none
        found = json.loads(subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout)
        assert found["right"]
        clock, peak = max(clock, found["clock"]), max(peak, found["peak"])
        if peak <= 1.03 * clock * 2 * 2 * lanes:
            break
    assert peak <= 1.03 * clock * 2 * 2 * lanes
    if shutil.which("objdump") and "fma" in flags:
        code = subprocess.run(["objdump", "-d", program], capture_output=True, text=True, check=True).stdout
        assert len(re.findall(r"\tvfmadd\w+pd .*%[yz]mm", code)) >= 12


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


def test_nodes_exchange_at_the_median_over_their_partners(tmp_path: Path) -> None:
    """Five nodes of a described machine, 10 us and 1 ns per byte, one of which does everything at half the pace."""
    machine = DescribedMachine.model_validate(
        {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
    ).for_core()
    given = ("--set", f"bytes=8,{LENGTH}", "--set", "passes=1", "--blocks", "1")
    hosts = [f"n{i}" for i in range(5)]
    for slower in (1.0, 2.0):
        lines = []
        for line in play("tournament", machine, 5, list(given)).splitlines():
            event = json.loads(line)
            if event["event"] == "pairs":
                pairs = [(a, b) for a in range(5) for b in range(5) if a != b]
                event["seconds"] = [
                    each * (slower if 3 in pair else 1) for pair, each in zip(pairs, event["seconds"], strict=True)
                ]
            lines.append(json.dumps(event))
        (tmp_path / "lines").write_text("\n".join(lines))
        found = rates(tmp_path / "lines", LENGTH, hosts)
        usual = LENGTH / (1e-5 + 1e-9 * LENGTH)
        assert found == {host: pytest.approx(usual / (slower if host == "n3" else 1), rel=1e-4) for host in hosts}
        assert [(each.node, pytest.approx(each.pace)) for each in slow_exchanges(found)] == (
            [] if slower == 1 else [("n3", 0.5)]
        )
    assert slow_exchanges({"a": 1e8, "b": 1e9}) == []


def test_of_nodes_on_one_host_one_takes_part_or_two_where_there_is_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[list[str], bool]] = []

    def launched(via: str, nodes: list[str], one_host: bool, *_: object) -> Exchanged:
        asked.append((nodes, one_host))
        return Exchanged()

    monkeypatch.setattr(node_exchange, "_launched", launched)
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    for boots in ({"a": "1", "b": "1", "c": "2"}, {"a": "1", "b": "1", "c": "1"}):
        exchange("slurm", boots, False, 1)
    assert asked == [(["a", "c"], False), (["a", "b"], True)]
    assert exchange("slurm", {"a": "1"}, False, 1).how == "not measured: it takes two nodes"
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    assert "some do not answer" in exchange("slurm", {"a": "1", "b": "2"}, True, 1).how


def test_what_has_no_nodes_is_refused(tmp_path: Path) -> None:
    for words, message in (
        (("--via", "mpiexec"), "--via: has no nodes to query; got 'mpiexec', expected hosts:FILE, slurm"),
        (("--via", "slurm", "--watch"), "--watch: looks at this host only"),
        (("--via", f"hosts:{tmp_path / 'none'}"), f"{tmp_path / 'none'}: cannot be read: No such file or directory"),
    ):
        answer = assay("doctor", *words)
        assert (answer.status, answer.out) == (2, "")
        (line,) = answer.err.splitlines()
        assert message in line


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Eight nodes: n2 is drained, n3 has another processor, n4 a job, n5 a tenth of a hardware thread, n7 is silent."""
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
        daemons = process_tree.ProcessTree(
            [
                process_tree.Command((*namespace, "slurmd", "-D", "-N", "n3"), log, log),
                process_tree.Command((*quota, "slurmd", "-D", "-N", "n5"), log, log),
            ],
            environment=cluster.environment,
        )
        stopped = pid("n7")
        os.kill(stopped, signal.SIGSTOP)
        cluster.ask("scontrol", "update", "NodeName=n2", "State=DRAIN", "Reason=disk")
        cluster.ask("sbatch", "--nodelist=n4", "-n2", "--output=/dev/null", "--wrap", "sleep 600")
        time.sleep(1)
        try:
            if not daemons.alive():
                pytest.skip(f"no node can be planted here: {log.read_text()[-200:]}")
            yield "slurm"
        finally:
            os.kill(stopped, signal.SIGCONT)
            daemons.release()


@pytest.mark.slurm
def test_slow_silent_drained_used_and_differing_nodes_are_each_named_for_what_they_are(planted: str) -> None:
    answer = assay("doctor", "--via", planted, "--for", "40", "--json")
    assert answer.status == 1, answer.err
    found = json.loads(answer.out)
    assert [each["node"] for each in found["silent"]] == ["n7"], found["silent"]
    (processor,) = [each for each in found["differences"] if each["fact"] == "processor"]
    assert processor["nodes"] == {"n3": "Alpha 21264"} and processor["count"] == 4
    not_asked = {each["node"]: each["why"] for each in found["not_asked"]}
    assert set(not_asked) == {"n2", "n4"} and "drained: disk" in not_asked["n2"] and "allocated" in not_asked["n4"]
    (quoted,) = [each for each in found["differences"] if each["fact"] == "cpu_quota"]
    assert quoted["nodes"] == {"n5": "0.1"}
    speeds = {each["node"]: each["measured"] for each in found["nodes"]}
    exchanged = {each["node"]: each["exchanges"] for each in found["nodes"] if each["exchanges"]}
    assert MPI is None or (set(exchanged) == {"n1", "n3"} and found["exchange"].endswith(", on one host")), found[
        "exchange"
    ]
    assert speeds["n5"]["share"] < 0.15  # a quota of a tenth, whatever else runs here
    if statistics.median(each["share"] for each in speeds.values()) < 0.3:
        pytest.skip("others leave less than a third of a hardware thread to every node: none stands out")
    slowest = found["slow"][0]
    assert slowest["node"] == "n5" and "a CPU quota of 0.1 processors" in slowest["why"], found["slow"]
    assert slowest["named"] and slowest["repeats"] >= 7 and found["false_names"] == 0.01, found["slow"]
    assert slowest["drain"].startswith("scontrol update NodeName=n5 State=DRAIN 'Reason=assay: ")
    kept = {key: value for key, value in found.items() if key != "version"}
    assert "slow: n5: " in "\n".join(_doctor_nodes.table(ClusterInventory.model_validate(kept)))
