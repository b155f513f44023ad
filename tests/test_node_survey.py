"""Nodes that are asked what they are: of each that is silent, what happened to it and not to another."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.execute.node_exchange import Exchanged
from assay.execute.node_survey import Cluster, ask_nodes
from assay.machine.node_inventory import FALSE_NAMES, NodeSpeed, repeats_needed
from assay.verbs._doctor_nodes import judged, table
from small_programs import script

SSH = r"""
while :; do case "$1" in -T) shift ;; -o) shift 2 ;; *) break ;; esac; done
case $1 in
  refused) echo "ssh: connect to host refused port 22: Connection refused" >&2; exit 255 ;;
  mute) exit 0 ;;
  hangs) exec sleep 100 ;;
esac
exec sh -c "$2"
"""


def test_a_node_that_hangs_says_nothing_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "bin", "ssh", SSH)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    (tmp_path / "hosts").write_text("alive\nrefused\nhangs\nmute\n")
    cluster = ask_nodes(f"hosts:{tmp_path / 'hosts'}", None, 4)
    assert list(cluster.facts) == ["alive"]
    assert cluster.silent == {
        "refused": "it ended without an answer (ssh: connect to host refused port 22: Connection refused)",
        "hangs": "no answer in 4 s",
        "mute": "it ended without an answer",
    }


PACED = r"""
while :; do case "$1" in -T) shift ;; -o) shift 2 ;; *) break ;; esac; done
export NODE=$1
exec sh -c "$2"
"""
# n3 is always slow, n5 at its first measurement only; each measurement leaves a line with its node and its arguments.
SPEED = r"""
n=$(grep -c "^$NODE " "$LOG"); clock=3e9
[ "$NODE" = n3 ] && clock=1.5e9
[ "$NODE" = n5 ] && [ "$n" = 0 ] && clock=2e9
echo "$NODE $*" >>"$LOG"
echo "{\"clock\": $clock, \"peak\": 48e9, \"share\": 1}"
"""


def test_only_suspects_and_two_usual_nodes_are_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / "bin", "ssh", PACED)
    speed = script(tmp_path, "speed", SPEED)
    log = tmp_path / "log"
    log.touch()
    monkeypatch.setenv("LOG", str(log))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    (tmp_path / "hosts").write_text("".join(f"n{at}\n" for at in range(1, 7)))
    cluster = ask_nodes(f"hosts:{tmp_path / 'hosts'}", lambda: speed, 20)
    assert cluster.unmeasured == {} and cluster.slow_repeats == {"n3": repeats_needed(2), "n5": 0}
    counts = Counter(line.split()[0] for line in log.read_text().splitlines())
    usual = [counts[f"n{at}"] for at in (1, 2, 4, 6)]
    assert counts["n3"] == 1 + repeats_needed(2) and counts["n5"] == 2
    assert sorted(usual) == [1, 1, 1 + repeats_needed(2), 1 + repeats_needed(2)]
    named, suspect = judged(cluster, Exchanged(), "slurm").slow
    assert (named.node, named.named, suspect.node, suspect.named) == ("n3", True, "n5", False)
    assert named.drain.startswith("scontrol update NodeName=n3 State=DRAIN ") and suspect.drain == ""
    told = "\n".join(table(judged(cluster, Exchanged(), "slurm")))
    assert (
        "slow: n5: 67% of the median; a slower processor; a suspect: not confirmed" in told and "1% of surveys" in told
    )


def test_a_node_that_jobs_share_is_said_so_and_not_drained() -> None:
    speeds = {f"n{at}": NodeSpeed(clock=3e9 if at else 1e9, peak=48e9, share=1 if at else 0.3) for at in range(5)}
    cluster = Cluster(speeds=speeds, slow_repeats={"n0": 9}, shared={"n0": "jobs have 1 of its 2 processors"})
    (slow,) = judged(cluster, Exchanged(), "slurm").slow
    assert slow.named and slow.drain == "" and slow.why.endswith("jobs have 1 of its 2 processors")


@given(st.integers(1, 100_000))
def test_the_repetitions_hold_the_rate_among_all_suspects(suspects: int) -> None:
    """Bonferroni over the suspects of exact binomial probabilities, and no repetition more than that takes."""
    needed = repeats_needed(suspects)
    assert suspects * stats.binom.sf(needed - 1, needed, 0.5) <= FALSE_NAMES * (1 + 1e-9)
    assert suspects * stats.binom.sf(needed - 2, needed - 1, 0.5) > FALSE_NAMES
