"""The tournament of all pairs: who meets whom, what of it is planned, data checked, and what is slow on MPI named."""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slurm_cluster
from assay.benchmark.formula import evaluate
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.described.machine_file import DescribedMachine
from assay.document.tournament import TournamentFound
from assay.report.sections.pairs.tournament import Layout, _rounds, _text
from command_line import assay
from mpis_here import MPI

A, B = 1e-5, 1e-9
MACHINE = DescribedMachine.model_validate(
    {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
).for_core()
MESSAGE = 21  # the tag of those that are timed


def played(ranks: int, *words: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The lines of a tournament on a machine whose messages cost A + B n, and its timed messages."""
    from assay._core import ranks as core

    resolved = program_words(benchmark("tournament"), words, simulated=True)
    launch, log = core.logged("tournament", MACHINE, ranks, list(resolved))
    timed = [at for at, tag in enumerate(log["sent"]["tag"]) if tag == MESSAGE]
    sent = {key: [log["sent"][key][at] for at in timed] for key in ("source", "destination", "called", "delivered")}
    return [json.loads(line) for line in launch.lines.splitlines()], sent


@settings(max_examples=30, deadline=None)
@given(ranks=st.integers(2, 17), passes=st.integers(1, 3), seed=st.integers(0, 10**6))
def test_every_pair_meets_once_a_pass_and_nobody_twice_at_the_same_time(ranks: int, passes: int, seed: int) -> None:
    """All messages cost the same, so that those of a round begin at the same instant, and its answers at another."""
    words = ("--seed", str(seed), "--set", "bytes=8", "--set", f"passes={passes}")
    events, sent = played(ranks, *words)
    met = Counter(zip(sent["source"], sent["destination"], strict=True))
    assert met == {(a, b): passes for a in range(ranks) for b in range(ranks) if a != b}
    together = defaultdict(list)
    for source, destination, called in zip(sent["source"], sent["destination"], sent["called"], strict=True):
        together[called].append((source, destination))
    rounds = ranks - 1 + ranks % 2
    assert len(together) == 2 * rounds * passes  # one way, then back
    for pairs in together.values():
        busy = [rank for pair in pairs for rank in pair]
        assert len(set(busy)) == len(busy) == ranks - ranks % 2
    # the report's own account of what was made at the same time is the program's
    layout = Layout(ranks, np.arange(ranks), [str(rank) for rank in range(ranks)])
    made = {frozenset(pairs) for pairs in together.values()}
    thought = set()
    for event in events:
        if "seconds" in event:
            for readings in (each for both in _rounds(event["places"], layout.reading) for each in both):
                thought.add(frozenset((int(layout.source[at]), int(layout.target[at])) for at in readings))
    assert thought == made


def test_rounds_and_places_are_drawn_anew_for_each_pass() -> None:
    events, _ = played(9, "--set", "bytes=8", "--set", "passes=3")
    places = [tuple(event["places"]) for event in events if "seconds" in event]
    assert len(set(places)) == 3
    assert all(sorted(each) == list(range(9)) for each in places)


def test_times_are_the_closed_form_and_the_data_are_checked() -> None:
    events, _ = played(5, "--set", "bytes=8,100000")
    for event in (each for each in events if "seconds" in each):
        assert event["seconds"] == pytest.approx([A + B * event["case"]["bytes"]] * 20)
    checks = [event for event in events if event["event"] == "check"]
    assert len(checks) == 2 and all(event["passed"] for event in checks)


def test_1024_nodes_take_under_a_quarter_of_an_hour() -> None:
    """By the record's plan of messages, which is counted here once more from what a round does."""
    record = benchmark("tournament")
    blocks, launches = 3, record.extra["launches"]
    planned = sum(
        evaluate(record.extra["takes"], {"ranks": 1024, "bytes": each, "trips": 3, "passes": 1}) or math.inf
        for each in (8, 262144)
    )
    message = {each: 1e-4 + each / 1e8 for each in (8, 262144)}
    counted = sum(1023 * (10 * 1e-4 + 4 * 2 * 1e-4 + (1 + 3) * 2 * message[each]) for each in (8, 262144))
    assert planned == pytest.approx(counted, rel=1e-3)
    assert launches * blocks * planned < 900


# Knows no MPI's header, as any may be the one that starts the ranks: communicators and types, which are numbers in one
# and pointers in another, pass through as words.
SLOW = r"""
#include <unistd.h>
int PMPI_Comm_rank(void* comm, int* rank);
int PMPI_Send(const void* data, int count, void* type, int to, int tag, void* comm);
int MPI_Send(const void* data, int count, void* type, int to, int tag, void* comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  if (rank + to == 4 && rank != to && rank % 2 == 1) usleep(50000);
  return PMPI_Send(data, count, type, to, tag, comm);
}
"""


def held_up(folder: Path, monkeypatch: pytest.MonkeyPatch, *where: str) -> dict[str, Any]:
    """The document of four ranks with MPI_Send between ranks 1 and 3 held up by 50 ms, by a library before MPI's."""
    (folder / "slow.c").write_text(SLOW)
    library = folder / "slow.so"
    subprocess.run(["g++", "-x", "c", "-shared", "-fPIC", "-o", str(library), str(folder / "slow.c")], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    words = ("--set", "bytes=8", "--set", "trips=1", "--out", str(folder / "run"), "--json")
    answer = assay("run", "tournament", *where, *words)
    monkeypatch.delenv("LD_PRELOAD")
    assert answer.status == 0, answer.err
    found: dict[str, Any] = answer.document
    return found


needs_mpi = pytest.mark.skipif(MPI is None, reason="no MPI here")


@pytest.mark.measures
@needs_mpi
def test_the_pair_whose_messages_are_held_up_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = held_up(tmp_path, monkeypatch, "-n", "4")
    found = document["tournament"]
    assert (found["ranks"], found["nodes"], found["passes"], found["launches"]) == (4, 1, 9, 3)
    first = found["slow"][0]
    assert (first["kind"], first["ranks"]) == ("pair", [1, 3])
    times = found["lengths"][0]["seconds"]
    assert times[1][3] > 0.05 and times[3][1] > 0.05
    assert document["failed_checks"] == 0
    assert any(note.startswith("slow: pair rank 1 ") for note in document["notes"])


@pytest.mark.nightly
@pytest.mark.measures
@needs_mpi
@pytest.mark.skipif(slurm_cluster.missing() is not None, reason=str(slurm_cluster.missing()))
def test_the_pair_of_nodes_of_a_slurm_cluster_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in [key for key in os.environ if key.startswith(("SLURM", "SBATCH", "SALLOC"))]:
        monkeypatch.delenv(key)
    with slurm_cluster.SlurmCluster() as cluster:
        monkeypatch.setenv("SLURM_CONF", str(cluster.folder / "slurm.conf"))
        found = held_up(tmp_path, monkeypatch, "--via", "slurm", "-N", "4")["tournament"]
    first = found["slow"][0]
    assert (found["nodes"], first["kind"], first["nodes"]) == (4, "pair", ["n2", "n4"])


@pytest.mark.parametrize(
    ("ranks", "nodes", "routes", "judged"),
    [
        (2, 1, False, "pairs and directions"),
        (4, 1, False, "ranks, pairs and directions"),
        (4, 4, False, "nodes, pairs and directions"),
        (8, 4, True, "nodes, ranks, links, pairs and directions"),
    ],
)
def test_nothing_is_said_to_be_judged_that_was_not(ranks: int, nodes: int, routes: bool, judged: str) -> None:
    """Two ranks of one host are no two nodes, and of two nodes nobody can say which one is slow."""
    found = TournamentFound(
        ranks=ranks, nodes=nodes, launches=2, passes=4, replicates="passes", routes=routes, candidates=3,
        false_alarms=0.01, too_many=0, lengths=[], slow=[], text=[],
    )  # fmt: skip
    (line,) = _text(found, "")
    assert line.startswith(f"nothing slow: 3 {judged}")
