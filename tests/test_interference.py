"""Victims beside aggressors: closed forms where nothing is shared, sides, a link that both use, faults on MPI."""

from __future__ import annotations

import json
import math
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slurm_cluster
from assay.benchmark.record import benchmark
from assay.benchmark.resolved import program_words
from assay.described.machine_file import DescribedMachine
from assay.described.shipped import open_described
from assay.execute.mpi import launch_environment
from command_line import assay
from compiled import compile_to
from mpis_here import MPI, yielding

A, B, LONG = 1e-5, 1e-9, 16384
OPERATION, LOAD = 1, 31  # tags: of the victims' operations, of the aggressors' messages
MACHINE = DescribedMachine.model_validate(
    {"name": "m", "messages": {"startup": "10 us", "per_byte": "1 ns/B"}}
).for_core()
# Two nodes below one switch: all that leaves or enters a node crosses its one link.
PAIR = open_described("fat-tree-hdr", {"network.children": "[2,2]", "network.parents": "[2]"}).for_core(2)
EVERY = ("--set", "aggressor=none,incast,alltoall,broadcast")
Samples = dict[tuple[str, str, str], list[float]]


def played(machine: dict[str, Any], ranks: int, *given: str) -> tuple[list[dict[str, Any]], list[dict[str, int]]]:
    """The lines of the program on a described machine, and its messages in order of their calls."""
    from assay._core import ranks as core

    resolved = program_words(benchmark("interference"), given, simulated=True)
    launch, log = core.logged("interference", machine, ranks, list(resolved))
    keys = ("source", "destination", "tag", "called", "delivered")
    sent = [dict(zip(keys, row, strict=True)) for row in zip(*(log["sent"][key] for key in keys), strict=True)]
    return [json.loads(line) for line in launch.lines.splitlines()], sent


def tagged(sent: list[dict[str, int]], tag: int) -> list[dict[str, int]]:
    """Messages with this tag in any group: the bits above the lowest 15 tell groups apart."""
    return [each for each in sent if each["tag"] & 0x7FFF == tag]


def samples(events: list[dict[str, Any]]) -> Samples:
    """Values by victim, aggressor and metric."""
    return {
        (event["case"]["victim"], event["case"]["aggressor"], event["metric"]): event["values"]
        for event in events
        if event["event"] == "block"
    }


def test_where_nothing_is_shared_nothing_is_slower() -> None:
    """On T = A + B n four victims take as long beside four aggressors as alone, and both do as the closed forms say.

    A round of aggressors is 4 messages of each sender (incast), 12 of the one sender, 6 of each of all; then a word of
    each to the first and two levels of a tree back, of no or one byte.
    """
    events, _ = played(MACHINE, 8, *EVERY)
    found = samples(events)
    once = {"latency": A + 8 * B, "bandwidth": A + LONG * B, "allreduce": 2 * (A + 8 * B)}
    sent = {"incast": (12, 4), "broadcast": (12, 12), "alltoall": (24, 6)}  # messages of a round, of one sender
    for victim, seconds in once.items():
        for aggressor in ("none", *sent):
            for phase in ("alone", "beside"):
                assert found[victim, aggressor, phase] == pytest.approx(
                    [seconds] * len(found[victim, aggressor, phase])
                )
            assert found[victim, aggressor, "slowdown"] == [pytest.approx(1)]
            assert len(found[victim, aggressor, "alone"]) == (16 if victim == "allreduce" else 32)
        for aggressor, (messages, turns) in sent.items():
            (load,) = found[victim, aggressor, "load"]
            assert load == pytest.approx(messages * LONG / (turns * (A + B * LONG) + 3 * A + 2 * B), rel=1e-3)
        assert (victim, "none", "load") not in found
    checks = [event for event in events if event["event"] == "check"]
    assert len(checks) == 12 and all(each["passed"] for each in checks)


@settings(max_examples=20, deadline=None)
@given(ranks=st.integers(4, 17), seed=st.integers(0, 10**6))
def test_every_rank_is_on_one_side_and_aggressors_send_throughout(ranks: int, seed: int) -> None:
    given_words = ("--seed", str(seed), "--set", "victim=allreduce", "--set", "aggressor=alltoall")
    _, sent = played(MACHINE, ranks, *given_words, "--set", "operations=5")
    load, of_victims = (tagged(sent, tag) for tag in (LOAD, OPERATION))
    victims, aggressors = ({each["source"] for each in side} for side in (of_victims, load))
    assert victims == {each["destination"] for each in of_victims}
    assert victims | aggressors == set(range(ranks)) and not victims & aggressors
    assert 0 in victims and len(victims) - len(aggressors) == ranks % 2
    # 6 operations alone, of which the first is not timed, 6 beside the aggressors, and one of the check
    own = {rank: [each for each in of_victims if each["source"] == rank] for rank in victims}
    alone = [each for of in own.values() for each in of[: 6 * len(of) // 13]]
    beside = [each for of in own.values() for each in of[6 * len(of) // 13 : 12 * len(of) // 13]]
    begin, end = min(each["called"] for each in beside), max(each["delivered"] for each in beside)
    assert max(each["delivered"] for each in alone) <= load[0]["called"] < load[0]["delivered"] <= begin
    # until then the load pauses for the words of a round's end at most
    words_of_a_round = (1 + math.ceil(math.log2(len(aggressors)))) * (A + B) * 1e12
    last = begin
    for each in sorted(load, key=lambda one: one["called"]):
        if each["called"] <= end and each["delivered"] > last:
            assert each["called"] - last <= words_of_a_round * 1.001
            last = each["delivered"]
    assert last >= end - words_of_a_round * 1.001


def test_one_rank_of_each_node_is_dealt_to_each_side() -> None:
    machine = open_described("fat-tree-hdr", {"network.children": "[2,4]", "network.parents": "[2]"}).for_core(2)
    _, sent = played(machine, 16, "--set", "victim=allreduce", "--set", "aggressor=alltoall", "--set", "operations=2")
    victims = {each["source"] for each in tagged(sent, OPERATION)}
    assert sorted(rank // 2 for rank in victims) == list(range(8))


def test_nodes_of_one_rank_are_dealt_by_seed() -> None:
    sides = set()
    for seed in range(1, 6):
        given_words = ("--seed", str(seed), "--set", "victim=allreduce", "--set", "aggressor=incast")
        _, sent = played(MACHINE, 16, *given_words, "--set", "operations=1")
        sides.add(frozenset(each["source"] for each in tagged(sent, OPERATION)))
    assert len(sides) > 1


def test_a_link_that_both_sides_use_is_shared() -> None:
    """Two nodes with a victim and an aggressor each; an incast has one sender, whose node's link the reply needs too.

    Half of that way's bandwidth at least is the victim's, so that its round trip takes at most half as long again, and
    a packet or two of the stream (4096 bytes) for each of its own.
    """
    events, _ = played(PAIR, 4, "--set", "victim=bandwidth", "--set", "bytes=1048576")
    found = samples(events)
    assert found["bandwidth", "none", "slowdown"] == [pytest.approx(1, rel=1e-6)]
    assert 1.1 < found["bandwidth", "incast", "slowdown"][0] < 1.6
    assert found["bandwidth", "alltoall", "slowdown"][0] > found["bandwidth", "incast", "slowdown"][0]


def test_a_run_is_compared_with_a_machine_that_draws_alike(tmp_path: Path) -> None:
    """Sides are drawn from the seed: the same machine answers the same in a comparison, whatever the run's seed."""
    run = str(tmp_path / "run")
    assert assay("run", "interference", "--on", "ipsc860", "-n", "8", "--seed", "2", "-o", run).status == 0
    answer = assay("compare", run, "ipsc860", "--margin", "1%", "--json")
    rows = json.loads(answer.out)["comparisons"][0]["rows"]
    assert answer.status == 0 and rows and {row["verdict"] for row in rows} == {"equal"}


def test_tails_are_compared_where_there_are_readings_enough() -> None:
    for operations, given_tail in ((367, False), (368, True)):
        words_given = ("--set", "victim=latency", "--set", "aggressor=incast", "--set", f"operations={operations}")
        found = samples(played(PAIR, 4, *words_given)[0])
        alone, beside = (found["latency", "incast", phase] for phase in ("alone", "beside"))
        assert len(alone) == len(beside) == operations
        assert found["latency", "incast", "slowdown"] == [pytest.approx(np.median(beside) / np.median(alone))]
        tails = [float(np.quantile(of, 0.99, method="inverted_cdf")) for of in (alone, beside)]
        assert found.get(("latency", "incast", "tail_slowdown"), []) == (
            [pytest.approx(tails[1] / tails[0])] if given_tail else []
        )


def test_the_ratio_is_seen_in_json_and_on_the_terminal(tmp_path: Path) -> None:
    where = ("--on", str(Path(__file__).parent.parent / "examples" / "constant.toml"), "-n", "8")
    answer = assay("run", "interference", *where, "--set", "victim=latency", "--out", str(tmp_path / "run"), "--json")
    assert answer.status == 0, answer.err
    figures = {
        (each["params"]["aggressor"], each["name"]): each["value"]
        for each in answer.document["figures"]
        if each["statistic"] == "median"
    }
    assert [figures[aggressor, "slowdown"] for aggressor in ("none", "incast", "alltoall")] == [pytest.approx(1)] * 3
    assert figures["incast", "alone"] == figures["incast", "beside"] == pytest.approx(70e-6 + 8 * 0.4e-6)
    shown = assay("report", str(tmp_path / "run"))
    assert shown.status == 0 and "Victim and aggressor" in shown.out and "slowdown" in shown.out


def test_one_sided_congestors_where_the_description_prices_them() -> None:
    """On a mesh of the Paragon's kind: right data, and a victim beside gets and puts is no faster than alone."""
    machine = open_described("paragon-mp", {}).for_core(1)
    given_words = ("--set", "victim=bandwidth", "--set", "aggressor=none,put,get", "--set", "operations=4")
    events, _ = played(machine, 16, *given_words)
    checks = [event for event in events if event["event"] == "check"]
    assert len(checks) == 3 and all(each["passed"] for each in checks)
    found = samples(events)
    assert found["bandwidth", "none", "slowdown"] == [pytest.approx(1)]
    for aggressor in ("put", "get"):
        assert found["bandwidth", aggressor, "slowdown"][0] >= 1
        assert found["bandwidth", aggressor, "load"][0] > 0


@pytest.mark.parametrize(
    ("aggressor", "said"), [("put", "not described: .one_sided."), ("accumulate", "adding to another's memory")]
)
def test_congestors_that_are_not_described_are_refused_in_one_line(aggressor: str, said: str) -> None:
    machine = open_described("fat-tree-hdr" if aggressor == "put" else "paragon-mp", {}).for_core(1)
    with pytest.raises(ValueError, match=said) as caught:
        played(machine, 8, "--set", f"aggressor={aggressor}")
    assert "\n" not in str(caught.value)


def test_fewer_than_four_ranks_are_refused_in_one_line() -> None:
    with pytest.raises(ValueError, match="4 ranks or more; got 3"):
        played(MACHINE, 3)


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_on_mpi_data_are_right_and_ratios_are_those_of_the_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More ranks than hardware threads perhaps: what is held here is right and wrong, not time."""
    for key, value in yielding().items():
        monkeypatch.setenv(key, value)
    given_words = ("--launches", "1", "--set", "operations=3", "--set", "bytes=20000", "--json")
    aggressors = "incast,alltoall,broadcast,put,get,accumulate"
    cases = ("--set", "victim=bandwidth,allreduce", "--set", f"aggressor={aggressors}")
    answer = assay("run", "interference", "-n", "4", *given_words, *cases, "--out", str(tmp_path / "run"))
    assert answer.status == 0, answer.err
    assert answer.document["failed_checks"] == 0
    (file,) = (tmp_path / "run").rglob("000-interference.jsonl")
    events = [json.loads(line) for line in file.read_text().splitlines()]
    checks = [event for event in events if event["event"] == "check"]
    assert len(checks) == 12 and all(each["passed"] for each in checks)
    ratios: dict[tuple[str, str], list[float]] = {}
    for block in range(3):
        found = samples([event for event in events if event.get("block") == block])
        assert len(found) == 4 * 12
        for victim, aggressor, metric in found:
            alone, beside = (found[victim, aggressor, phase] for phase in ("alone", "beside"))
            assert len(alone) == len(beside) == 3  # the two victims are a pair
            if metric == "slowdown":
                (ratio,) = found[victim, aggressor, metric]
                assert ratio == pytest.approx(np.median(beside) / np.median(alone))
                ratios.setdefault((victim, aggressor), []).append(ratio)
            assert metric != "load" or found[victim, aggressor, metric][0] > 0
    # crowded or not, a ratio's figure is no least of several: that bounds nothing
    figures = [each for each in answer.document["figures"] if each["name"] == "slowdown"]
    assert len(figures) == 12 and {each["statistic"] for each in figures} == {"median"}
    for each in figures:
        of = ratios[each["params"]["victim"], each["params"]["aggressor"]]
        assert min(of) <= each["value"] <= max(of)


# Programs tell nodes by their kernels' boot ids; on the one-host cluster each node of Slurm's gets one of its own.
NODES_OF_THEIR_OWN = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
FILE* fopen(const char* path, const char* mode) {
  static FILE* (*real)(const char*, const char*);
  char* node = getenv("ASSAY_NODE");
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "fopen");
  if (node && !strcmp(path, "/proc/sys/kernel/random/boot_id")) return fmemopen(node, strlen(node), "r");
  return real(path, mode);
}
"""


@pytest.mark.nightly
@pytest.mark.mpi
@pytest.mark.slurm
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.skipif(slurm_cluster.missing() is not None, reason=str(slurm_cluster.missing()))
def test_on_the_nodes_of_a_slurm_cluster_each_has_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight ranks on the two processors of one host: sides are dealt by node and data right; times are nothing here."""
    for key in [key for key in os.environ if key.startswith(("SLURM", "SBATCH", "SALLOC"))]:
        monkeypatch.delenv(key)
    (tmp_path / "nodes.c").write_text(NODES_OF_THEIR_OWN)
    library = tmp_path / "nodes.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "nodes.c")], check=True)
    preloaded = yielding()
    for key, value in (preloaded | {"LD_PRELOAD": f"{preloaded['LD_PRELOAD']}:{library}"}).items():
        monkeypatch.setenv(key, value)
    given_words = ("--launches", "1", "--set", "operations=3", "--set", "bytes=20000", "--json")
    cases = (
        "--set",
        "victim=latency,allreduce",
        "--set",
        "aggressor=none,incast,alltoall,broadcast,put,get,accumulate",
    )
    with slurm_cluster.SlurmCluster() as cluster:
        monkeypatch.setenv("SLURM_CONF", str(cluster.folder / "slurm.conf"))
        where = ("--via", "slurm", "-N", "4", "--ppn", "2")
        answer = assay("run", "interference", *where, *given_words, *cases, "--out", str(tmp_path / "run"))
    assert answer.status == 0, answer.err
    document = answer.document
    assert document["failed_checks"] == 0
    assert [each["node"] for each in document["nodes_over_time"]] == ["n1", "n2", "n3", "n4"]
    assert not any("all ranks are on one node" in note for note in document["notes"])
    found = {(f["params"]["victim"], f["params"]["aggressor"]) for f in document["figures"] if f["name"] == "slowdown"}
    assert len(found) == 2 * 7


SILENT = r"""
#include <mpi.h>
extern "C" int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Send(data, tag == 31 ? 0 : count, type, to, tag, comm);
}
extern "C" int MPI_Accumulate(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Op, MPI_Win) {
  return MPI_SUCCESS;
}
extern "C" int MPI_Put(const void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win) {
  return MPI_SUCCESS;
}
extern "C" int MPI_Get(void*, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, MPI_Win) { return MPI_SUCCESS; }
// Ranks that share memory put and get by copies of their own: each is told that it is alone.
extern "C" int MPI_Comm_split_type(MPI_Comm, int, int, MPI_Info, MPI_Comm* made) {
  return PMPI_Comm_dup(MPI_COMM_SELF, made);
}
"""


@pytest.mark.mpi
@pytest.mark.skipif(MPI is None, reason="no MPI here")
@pytest.mark.parametrize("aggressor", ["incast", "accumulate", "put", "get"])
def test_aggressors_that_send_nothing_give_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, aggressor: str
) -> None:
    assert MPI is not None
    source, library = tmp_path / "silent.cpp", tmp_path / "silent.so"
    source.write_text(SILENT)
    command = [MPI.mpicxx, "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True, env=launch_environment(os.environ))
    monkeypatch.setenv("LD_PRELOAD", str(library))
    given_words = ("--launches", "1", "--set", "victim=latency", "--set", f"aggressor={aggressor}")
    given_words += ("--set", "operations=5")
    answer = assay("run", "interference", "-n", "4", *given_words, "--out", str(tmp_path / "run"), "--json")
    monkeypatch.delenv("LD_PRELOAD")
    assert answer.status == 1
    document = answer.document
    assert document["failed_checks"] > 0 and not document["valid"] and not document["figures"]
    assert any("the aggressors moved nothing" in warning for warning in document["warnings"]), document["warnings"]


QUANTILES = r"""
#include <cstdio>
#include "ranks/interference/quantile.hpp"
int main() {
  for (std::size_t count = 0; std::scanf("%zu", &count) == 1;) {
    std::vector<double> values(count);
    for (double& each : values)
      if (std::scanf("%lf", &each) != 1) return 1;
    std::printf("%.17g %.17g\n", assay::ranks::quantile(values, 0.5), assay::ranks::quantile(values, 0.99));
  }
}
"""


def test_medians_and_99th_percentiles_are_numpys(tmp_path: Path) -> None:
    (tmp_path / "quantiles.cpp").write_text(QUANTILES)
    draw = np.random.default_rng(1)
    samples = [draw.lognormal(size=count) for count in (1, 2, 3, 99, 100, 101, 367, 368, 400, 1000)]
    given = "\n".join(f"{len(each)} {' '.join(map(repr, each.tolist()))}" for each in samples)
    program = compile_to(tmp_path / "quantiles", tmp_path / "quantiles.cpp", base="-O0")
    printed = subprocess.run([program], input=given, capture_output=True, text=True, check=True).stdout
    found = np.array([list(map(float, line.split())) for line in printed.splitlines()])
    expected = [[np.median(each), np.quantile(each, 0.99, method="inverted_cdf")] for each in samples]
    assert found == pytest.approx(np.array(expected), rel=1e-15)
