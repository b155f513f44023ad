"""Nodes that Slurm keeps from jobs, on a real cluster: drained, down, in a reservation, powering down, full of others'
jobs; and how `sinfo` writes the states of nodes.
"""

from __future__ import annotations

import json
import re
import time

import pytest

import slurm_cluster
from assay.machine.slurm_nodes import ASLEEP, DOWN, DRAINED, FUTURE, NEVER_STARTS, RESERVED, UP, slurm_nodes
from command_line import assay
from slurm_cluster import SlurmCluster

STATES = {
    "idle": UP, "mixed": UP, "allocated": UP, "completing": UP, "planned": UP, "mixed-": UP, "idle@": UP,
    "idle~": ASLEEP, "idle%": ASLEEP, "idle#": ASLEEP, "mixed!": ASLEEP, "powered_down": ASLEEP, "idle^": ASLEEP,
    "powering_up": ASLEEP, "allocated*": DOWN, "idle*": DOWN, "down": DOWN, "down~": DOWN,
    "unknown*": DOWN, "fail": DOWN, "drained": DRAINED, "draining": DRAINED, "drain": DRAINED, "drained*": DOWN,
    "maint": RESERVED, "reserved": RESERVED, "idle$": RESERVED, "inval": DOWN, "drained~": DRAINED,
}  # fmt: skip
# Every state of sinfo(1), in its long and short form, and what its manual says jobs may do there.
OF_MANUAL = {
    UP: "allocated alloc completing comp idle mixed mix planned plnd perfctrs npc blocked",
    DOWN: "down fail failg failing unknown unk inval noresp no_respond not_responding error",
    DRAINED: "drained draining drain drng", RESERVED: "maint reserved resv", FUTURE: "future futr",
    ASLEEP: "power_down powered_down powering_down power_up powering_up pow_dn pow_up reboot_issued reboot_requested",
}  # fmt: skip
OF_SUFFIX = {
    "": None, "+": None, "-": None, "@": None, "*": DOWN, "$": RESERVED,
    "~": ASLEEP, "#": ASLEEP, "!": ASLEEP, "%": ASLEEP, "^": ASLEEP,
}  # fmt: skip
WORST_FIRST = (FUTURE, DOWN, DRAINED, RESERVED, ASLEEP, UP)


@pytest.mark.parametrize("word", STATES)
def test_a_state_with_its_suffix(word: str) -> None:
    (node,) = slurm_nodes(f"a notice\n\nn1|{word}|1/2/1/4|fan | twice\n").values()
    assert (node.kind, node.processors, node.allocated, node.reason) == (STATES[word], 4, 1, "fan | twice")
    assert node.usable == (STATES[word] in (UP, ASLEEP))
    assert not set("~*#%$@^!") & set(node.state) and node.state.startswith(re.sub(r"\W", "", word).replace("_", " "))


@pytest.mark.parametrize("suffix", OF_SUFFIX)
def test_every_state_of_the_manual_with_every_suffix(suffix: str) -> None:
    """Of a state and its suffix the worse counts; only nodes that are up or asleep are capacity."""
    for kind, words in OF_MANUAL.items():
        for word in words.split():
            (node,) = slurm_nodes(f"n1|{word.upper()}{suffix}|0/4/0/4|none\n").values()
            assert node.kind == min(kind, OF_SUFFIX[suffix] or UP, key=WORST_FIRST.index), word
            assert node.usable == (node.kind in (UP, ASLEEP)), word


def test_reasons_for_which_a_job_never_starts() -> None:
    never = """PartitionTimeLimit BadConstraints InvalidQOS AssocMaxCpuPerJobLimit QOSMaxNodePerJobLimit
        QOSMaxWallDurationPerJobLimit DependencyNeverSatisfied JobHeldAdmin PartitionConfig
        ReservationDeleted ReservationInvalid MaxMemPerLimit JobHoldMaxRequeue AssocMaxMemPerJob QOSMaxGRESPerNode
        AssocMaxWallDurationPerJobLimit QOSMaxBillingMinutesPerJob QOSMaxCpuMinutesPerJobLimit QOSMinCpuNotSatisfied"""
    held = ("launch failed requeued held", "user env retrieval failed requeued held", "job requeued in held state")
    later = """Resources Priority None Dependency QOSGrpCpuLimit AssocGrpCpuLimit BeginTime Licenses ReqNodeNotAvail
        QOSMaxJobsPerUserLimit QOSMaxCpuPerUserLimit JobHeldUser Reservation QOSMaxNodePerUserLimit MaxMemoryPerAccount
        AssocMaxJobsLimit QOSGrpMemLimit Cleaning"""
    for each in held:
        assert NEVER_STARTS.search(each) and NEVER_STARTS.search(each.replace(" ", "_"))
    assert all(NEVER_STARTS.search(each) for each in never.split())
    assert not any(NEVER_STARTS.search(each) for each in later.split())


class PowerSavingCluster(SlurmCluster):
    """A cluster that powers nodes down and up; what it does so is in its file `power`."""

    def configuration(self, text: str) -> str:
        program = self.folder / "power.sh"
        program.write_text(f'#!/bin/sh\necho "$@" >>{self.folder}/power\n')
        program.chmod(0o755)
        return text + (f"SuspendProgram={program}\nResumeProgram={program}\nSuspendTime=3600\n"
                       "SuspendTimeout=120\nResumeTimeout=120\n")  # fmt: skip


@pytest.mark.slurm
@pytest.mark.skipif(slurm_cluster.missing() is not None, reason=slurm_cluster.missing() or "")
def test_doctor_asks_no_node_that_is_kept_from_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is started on them, no job of doctor's waits for them, and none is powered up."""
    with PowerSavingCluster() as cluster:
        for words in ("nodename=n2 state=drain reason=fan", "nodename=n3 state=down reason=memory",
                      "nodename=n4 state=power_down"):  # fmt: skip
            cluster.ask("scontrol", "update", *words.split())
        reservation = "reservation=fixing nodes=n5 starttime=now duration=60 flags=maint users=root"
        cluster.ask("scontrol", "create", *reservation.split())
        cluster.ask("sbatch", "--exclusive", "--nodelist=n6", "--output=/dev/null", "--wrap", "sleep 60")
        end = time.monotonic() + 30
        while time.monotonic() < end and not (
            "maint" in cluster.ask("sinfo", "-h", "-n", "n5", "-o", "%T")
            and "alloc" in cluster.ask("sinfo", "-h", "-n", "n6", "-o", "%T")
            and (cluster.folder / "power").exists()
        ):
            time.sleep(0.2)
        asleep = (cluster.folder / "power").read_text()
        for key, value in cluster.environment.items():
            monkeypatch.setenv(key, value)
        monkeypatch.delenv("SLURM_JOB_ID", raising=False)
        answer = assay("doctor", "--via", "slurm", "--for", "40", "--json")
        found = json.loads(answer.out)
        assert [each["node"] for each in found["nodes"]] == ["n1", "n7", "n8"], found["silent"]
        assert found["silent"] == [{"node": "n3", "why": "Slurm reports it as down: memory"}]
        said = {each["node"]: each["why"] for each in found["not_asked"]}
        assert set(said) == {"n2", "n4", "n5", "n6"} and said["n2"] == "Slurm reports it as drained: fan"
        assert "powering down" in said["n4"] and "maint" in said["n5"] and "allocated" in said["n6"]
        assert answer.status == 1 and (cluster.folder / "power").read_text() == asleep
