"""Which nodes are a batch system's capacity: Slurm's options that choose nodes, LSF's hosts without a limit."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from assay.errors import InputError, MeasurementError
from assay.throughput.batch_system import SystemRequest, opened
from throughput_transcripts import Replayed, begun

LSHOSTS = """HOST_NAME                       type       model  cpuf ncpus maxmem maxswp server RESOURCES
node01                        X86_64  Intel_EM64T  60.0     6   15.5G   4.0G    Yes (mg linux)
node02                        X86_64  Intel_EM64T  60.0     2   15.5G   4.0G    Yes ()
node03                       UNKNOWN   UNKNOWN_A   1.0     -      -      -    Yes ()
"""  # in the form of lshosts(1): a host that is away has no ncpus


@pytest.mark.parametrize("around", ["", "Your project has used 12 of 100 hours\n"])
def test_hosts_of_lsf_without_a_limit_of_slots_have_their_processors(
    around: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MAX `-` of all hosts, of which one is away; without lshosts a host that is up is named."""
    made = Replayed("lsf", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (path,) = [each for each in tmp_path.glob("always.*") if "HOST_NAME" in each.read_text()]
    path.write_text(re.sub(r"-      4 ", "-      - ", path.read_text()))
    with pytest.raises(MeasurementError, match="node01 has no limit of slots"):
        opened("lsf", SystemRequest()).facts()
    (tmp_path / "hosts").write_text(around + LSHOSTS + around)
    (made.folder / "now.sh").write_text(f'[ "$asked" = "lshosts -w" ] && cat {tmp_path}/hosts && exit 0\n')
    system = opened("lsf", SystemRequest())
    facts = system.facts()
    assert (facts.nodes, facts.processors, facts.whole) == (("node01", "node02"), 8, 8)


RESERVATION = ("ReservationName=lab StartTime=2026-11-23T06:00:00 Nodes=node[02-03,09] NodeCnt=3 Features=(null) "
               "Flags=SPEC_NODES State=ACTIVE")  # fmt: skip
CHOSEN = {  # the nodes that jobs may use, processors of these and of nodes that are away or of others' reservations
    "": (["node01", "node04"], 20, 8),
    "--reservation=lab": (["node02", "node03"], 12, 0),
    "--exclude=node[03-04]": (["node01"], 12, 4),
    "-x node01": (["node04"], 16, 8),
    "-C fast": (["node01"], 12, 4),
    "--constraint=fast|big": (["node01", "node04"], 16, 4),
    "--constraint fast&big": ([], 4, 0),
    "--reservation=lab -Cfast": (["node02"], 8, 0),
}


def five_nodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes 02 and 03 are in the reservation `lab`, another node of which is down; one does not exist yet."""
    made = Replayed("slurm", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    states = ("node01|idle", "node02|reserved", "node03|idle$", "node04|mixed", "node05|future", "node09|down*")
    features = ("node01|fast,x", "node02|fast", "node03|(null)", "node04|big", "node05|fast", "node09|fast,big")
    answers = {
        "states": "".join(f"{each}|0/4/0/4|none\n" for each in states),
        "features": "".join(f"{each}\n" for each in features), "lab": f"Notice.\n{RESERVATION}\n",
    }  # fmt: skip
    for name, text in answers.items():
        (tmp_path / name).write_text(text)
    cases = (f"'sinfo -h -N '*'%N|%f') cat {tmp_path}/features; exit 0;;\n"
             f"'sinfo -h -N '*) cat {tmp_path}/states; exit 0;;\n"
             f"'scontrol show reservation lab'*) cat {tmp_path}/lab; exit 0;;\n"
             "'scontrol show reservation '*) echo 'Reservation none not found' >&2; exit 1;;\n")  # fmt: skip
    path = made.folder / "now.sh"
    path.write_text(f'case "$asked" in\n{cases}esac\n' + path.read_text())


@pytest.mark.parametrize("option", CHOSEN)
def test_slurms_options_choose_the_nodes(option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What jobs may use now, and with what is away; a node that does not exist yet is none of either."""
    five_nodes(tmp_path, monkeypatch)
    system = begun("slurm", tmp_path, [], {}, option)
    nodes, total, reserved = CHOSEN[option]
    facts, seen = system.facts(), system.occupancy()
    assert (list(facts.nodes), facts.processors) == (nodes, 4 * len(nodes))
    assert (seen.total, seen.reserved) == (total, reserved)
    assert facts.whole == (total if option else 12)  # Slurm's TotalCPUs


REFUSED = {
    "--reservation=none": "there is no such reservation", "-w node01": "--nodelist gives every job all these nodes",
    "--nodelist=node01": "--nodelist gives", "-F /tmp/x": "--nodefile gives", "--constraint=[a|b]": "names and & or |",
    "-C a*2": "names and & or |", "--exclude=/tmp/x": "a file of nodes",
}  # fmt: skip


@pytest.mark.parametrize("option", REFUSED)
def test_slurms_options_whose_nodes_are_not_known_are_refused(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    five_nodes(tmp_path, monkeypatch)
    with pytest.raises(InputError, match=re.escape(REFUSED[option])):
        opened(f"slurm:{option}", SystemRequest()).facts()
