"""`assay simulate` and `assay replay` as a person types them: the documents, sweeps, traces, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from assay.cli import application
from assay.errors import InputError
from assay.network import description, network_tables, replaying, simulation, sweep, trace
from example_inputs import EXAMPLES, HYPERCUBE

SHORT = ("--set", "method.cycles=20000")


def document(*arguments: object) -> dict[str, Any]:
    result = CliRunner().invoke(
        application(), [str(argument) for argument in (*arguments, "--json")], catch_exceptions=False
    )
    assert result.exit_code == 0
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def simulate(*arguments: object) -> dict[str, Any]:
    found = document("simulate", HYPERCUBE, *SHORT, *arguments)
    found.pop("cpu_seconds", None)
    found.get("warmup", {}).pop("pilot_cpu_seconds", None)
    return found


def test_the_document_has_what_it_promises() -> None:
    found = document("simulate", HYPERCUBE, *SHORT)
    assert found["engine"] == "worm"
    assert found["simulated_cycles"] == 22_000
    assert found["cpu_seconds"] > 0
    assert found["saturated"] is False
    assert found["deadlock"] is None
    assert "utilisation" not in found
    assert found["messages"] == pytest.approx(128 * 0.2 / 32 * 20_000, rel=0.05)
    # Distances on a 7-cube without oneself: 7 * 64 / 127 links, and those into and out of the network.
    assert found["head_hops"] / found["messages"] == pytest.approx(7 * 64 / 127 + 2, rel=0.15)
    cycles = found["estimates"]["header_latency"]["cycles"]
    low, high = cycles["interval"]
    assert low < cycles["mean"] < high
    assert 7 * 64 / 127 + 2 < cycles["mean"] < 20
    assert found["estimates"]["header_latency"]["seconds"]["mean"] == pytest.approx(cycles["mean"] * 5e-8)
    assert set(cycles["quantiles"]) == {"0.5", "0.9", "0.99"}
    assert found["estimates"]["throughput"]["flits_per_node_per_cycle"]["mean"] == pytest.approx(0.2, rel=0.05)


def test_each_warm_up_goes_with_each_end() -> None:
    """A warm-up by cycles was left out where messages end the run, and one by deliveries where cycles do."""
    by_cycles = simulate("--set", "method.messages=5000")
    assert by_cycles["simulated_cycles"] - by_cycles["measured_cycles"] == 2_000
    assert by_cycles["messages"] == pytest.approx(5_000, rel=0.05)
    by_deliveries = simulate("--set", "method.warmup_cycles=detect", "--set", "method.warmup_messages=5000")
    assert by_deliveries["measured_cycles"] == 20_000
    warm = by_deliveries["simulated_cycles"] - 20_000
    assert warm == pytest.approx(5_000 / (128 * 0.2 / 32), rel=0.05)


def test_the_same_seed_gives_the_same_bits_on_any_workers() -> None:
    again = ("--set", "method.replications=4")
    alone = simulate(*again)
    assert alone == simulate(*again)
    assert alone == simulate(*again, "--workers", 3)
    assert alone == simulate(*again, "--workers", 2, "--executor", "processes")
    assert alone != simulate(*again, "--set", "method.seed=2")
    assert alone["simulated_cycles"] == 4 * 22_000


def test_replications_go_on_until_the_interval_is_as_asked(tmp_path: Path) -> None:
    file = Path(HYPERCUBE).read_text().split("[method]")[0]
    precise = tmp_path / "precise.toml"
    precise.write_text(file + "[method]\nprecision = 0.01\n")
    found = document("simulate", precise)
    interval = found["estimates"]["header_latency"]["cycles"]["interval"]
    assert found["replications"] in (10, 20, 40, 80, 160)
    assert (interval[1] - interval[0]) / 2 <= 0.01 * found["estimates"]["header_latency"]["cycles"]["mean"]
    assert found["warmup"]["how"] == "10 autocorrelation times"
    assert found["warmup"]["cycles"] >= 10 * found["warmup"]["correlation_cycles"]


def test_saturation_is_a_result() -> None:
    found = simulate("--set", "traffic.load=1.2")
    assert found["saturated"] is True
    assert found["estimates"]["throughput"]["flits_per_node_per_cycle"]["mean"] < 1


def test_the_saturation_of_a_single_link_is_its_capacity(tmp_path: Path) -> None:
    """Two nodes on a bus: whatever the lengths, one flit a cycle passes, half of it from each node."""
    file = tmp_path / "bus.toml"
    file.write_text(
        '[network]\ntopology = "bus"\nnodes = 2\nbuffer_flits = 64\n'
        "[traffic]\nload = 0.2\nflits = 8\n[method]\ncycles = 20000\n"
    )
    found = document("simulate", file, "--saturation", "--set", "method.precision=0.1")
    low, high = found["saturation"]["interval"]
    assert (high - low) / high <= 0.1
    assert low <= 0.5 <= high


def test_a_deadlock_is_a_result(tmp_path: Path) -> None:
    file = tmp_path / "ring.toml"
    file.write_text(
        '[network]\ntopology = "ring"\nnodes = 8\ndateline = "none"\n[traffic]\nload = 0.9\n[method]\ncycles = 20000\n'
    )
    found = document("simulate", file)
    assert found["saturated"] is True
    assert len(found["deadlock"]["cycle"]) >= 2


def test_a_sweep_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    out = tmp_path / "points.jsonl"
    axes = ("--sweep", "traffic.load=0.1,0.2,0.3", "--sweep", "traffic.flits=8,16", "--out", out)
    whole = document("simulate", HYPERCUBE, *SHORT, *axes)
    assert [point["setting"] for point in whole["points"]][:2] == [
        {"traffic.load": "0.1", "traffic.flits": "8"},
        {"traffic.load": "0.1", "traffic.flits": "16"},
    ]
    lines = out.read_text().splitlines()
    assert len(lines) == 6
    out.write_text("\n".join(lines[:3]) + "\n" + lines[3][: len(lines[3]) // 2])  # as kill -9 would leave it
    resumed = document("simulate", HYPERCUBE, *SHORT, *axes)
    kept = [json.loads(line)["key"] for line in lines[:3]]
    assert len(sweep.finished(out)) == 6
    for before, after in zip(whole["points"], resumed["points"], strict=True):
        for point in (before, after):
            point.pop("cpu_seconds"), point["warmup"].pop("pilot_cpu_seconds")
        assert before == after
    assert out.read_text().splitlines()[:3] == lines[:3]
    assert kept == [json.loads(line)["key"] for line in out.read_text().splitlines()[:3]]


@pytest.mark.mpi
def test_a_sweep_runs_over_mpi(tmp_path: Path) -> None:
    mpiexec = Path(sys.executable).parent / "mpiexec"
    launcher = str(mpiexec) if mpiexec.exists() else shutil.which("mpiexec")
    if launcher is None:
        pytest.skip("no mpiexec")
    axes = ["--sweep", "traffic.load=0.1,0.2,0.3,0.4", *SHORT, "--json"]
    allowed = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    }
    command = [launcher, "-n", "3", sys.executable, "-P", "-m", "mpi4py.futures", "-m", "assay", "simulate", HYPERCUBE]
    ran = subprocess.run(
        [*command, *axes, "--executor", "mpi"], env=os.environ | allowed, capture_output=True, text=True, timeout=240
    )
    assert ran.returncode == 0, ran.stderr
    found, here = json.loads(ran.stdout), document("simulate", HYPERCUBE, *axes[:-1])
    for point in (*found["points"], *here["points"]):
        point.pop("cpu_seconds"), point["warmup"].pop("pilot_cpu_seconds")
    assert found == here


def test_utilisation_names_the_busiest() -> None:
    found = simulate("--set", "method.utilisation=true", "--set", "network.dimension=3")
    channels = found["utilisation"]
    busy = [channel["busy"] for channel in channels]
    assert busy == sorted(busy, reverse=True)
    between = [channel["busy"] for channel in channels if channel["kind"] == "network"]
    # 8 nodes, 0.2 flits a cycle each, over 12/7 links of 24: every channel alike.
    assert np.mean(between) == pytest.approx(8 * 0.2 * (12 / 7) / 24, rel=0.1)


def test_io_nodes_simulate() -> None:
    found = document("simulate", EXAMPLES / "io_nodes.toml", "--set", "method.cycles=50000")
    assert {"pe_pe_latency", "io_io_latency", "read_latency"} <= set(found["estimates"])
    assert found["estimates"]["pe_pe_latency"]["cycles"]["mean"] > 7 * 64 / 127 + 2


def test_a_trace_is_replayed_to_the_cycle(tmp_path: Path) -> None:
    """Free paths: the head crosses one link a cycle from the cycle of generation on, the tail follows flit by flit."""
    messages, out = tmp_path / "messages.csv", tmp_path / "delivered.csv"
    messages.write_text("id,cycle,source,destination,flits\n7,1000,0,127,5\n3,0,1,3,1\n9,50,4,4,2\n")
    found = document("replay", HYPERCUBE, messages, "-o", out)
    assert (found["messages"], found["delivered"], found["simulated_cycles"]) == (3, 3, 1013)
    assert out.read_text().splitlines() == ["id,head,tail,hops", "7,1008,1012,9", "3,2,2,3", "9,51,52,2"]


def test_a_trace_reaches_io_nodes(tmp_path: Path) -> None:
    """A 3-cube with I/O nodes at 0 and 7 (numbers 8 and 9): out by m, across by the I/O network, back past node 8."""
    file, messages, out = tmp_path / "io.toml", tmp_path / "messages.csv", tmp_path / "delivered.csv"
    file.write_text('[network]\ntopology = "hypercube"\ndimension = 3\n[network.io]\nnodes = [0, 7]\nb = 1\n')
    messages.write_text("id,cycle,source,destination,flits\n1,0,3,9,4\n2,100,8,9,4\n3,200,9,4,4\n")
    document("replay", file, messages, "-o", out)
    # 3 > 7 and in, out; r, b, r; r, b, n, 0 > 4 and out.
    assert out.read_text().splitlines()[1:] == ["1,2,5,3", "2,102,105,3", "3,204,207,5"]


def test_what_must_end_in_want_of_memory_is_refused() -> None:
    with pytest.raises(InputError, match=r"traffic\.load.*waiting at their sources"):
        simulation_of(["traffic.load=100000"])


def simulation_of(overrides: list[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    plan = simulation.steps(description.load(Path(HYPERCUBE), overrides))
    sweep.drive([plan], None, lambda index, document: found.append(document))
    return found


TOPOLOGIES = (
    ["network.topology=mesh", "network.extents=[3, 4]"],
    ["network.topology=torus", "network.extents=[4, 3]"],
    ["network.topology=ring", "network.nodes=5", "network.dateline=none"],
    ["network.topology=star", "network.nodes=4"],
    ["network.topology=crossbar", "network.nodes=6"],
    ["network.topology=bus", "network.nodes=3"],
    ["network.topology=omega", "network.stages=3"],
    ["network.topology=k-ary-n-tree", "network.radix=2", "network.levels=3"],
    ["network.topology=dragonfly", "network.p=1", "network.a=2", "network.h=1"],
    ["network.topology=hyperx", "network.extents=[3, 2]"],
    ["network.topology=hypercube", "network.dimension=3", "network.routing=e-cube"],
)
VALUES: dict[str, st.SearchStrategy[object]] = {
    "network.switching": st.sampled_from(["wormhole", "cut-through", "store-and-forward", "circuit"]),
    "network.buffer_flits": st.integers(-1, 70),
    "network.buffer_packets": st.integers(-1, 4),
    "network.injection_channels": st.integers(0, 12),
    "network.channels": st.integers(0, 12),
    "network.flit_ticks": st.integers(0, 5),
    "network.body_ticks": st.integers(0, 5),
    "network.head_ticks": st.integers(0, 5),
    "network.credit_ticks": st.integers(0, 5),
    "network.lanes": st.integers(0, 5),
    "network.packet_flits": st.integers(0, 40),
    "network.buffers": st.sampled_from(["shared", "fifo"]),
    "network.failed_nodes": st.lists(st.integers(-1, 12), max_size=3),
    "network.failed_links": st.lists(st.lists(st.integers(-1, 8), min_size=2, max_size=2), max_size=3),
    "traffic.pattern": st.sampled_from(list(network_tables.TrafficTable.model_fields["pattern"].annotation.__args__)),  # type: ignore[union-attr]
    "traffic.arrivals": st.sampled_from(["poisson", "bernoulli", "burst"]),
    "traffic.load": st.floats(0.001, 3),
    "traffic.flits": st.integers(0, 300),
    "traffic.hotspots": st.lists(st.integers(0, 20), max_size=3),
    "traffic.radius": st.integers(0, 9),
    "method.cycles": st.integers(1, 3000),
    "method.warmup_cycles": st.integers(0, 3000),
    "method.replications": st.integers(1, 3),
    "method.utilisation": st.booleans(),
}


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(TOPOLOGIES),
    st.lists(st.sampled_from(sorted(VALUES)).flatmap(lambda key: st.tuples(st.just(key), VALUES[key])), max_size=6),
)
def test_any_values_simulate_or_are_refused(topology: list[str], values: list[tuple[str, object]]) -> None:
    text = Path(HYPERCUBE).read_text().replace("dimension = 7", "").replace('routing = "e-cube"', "")
    given_file = Path(os.environ.get("TMPDIR", "/tmp")) / f"assay-values-{os.getpid()}.toml"
    given_file.write_text(text)
    words = [f"{key}={json.dumps(value)}" for key, value in values]
    found: list[dict[str, Any]] = []
    try:
        loaded = description.load(given_file, ["method.cycles=500", "method.warmup_cycles=100", *topology, *words])
        sweep.drive([simulation.steps(loaded)], None, lambda index, document: found.append(document))
        json.dumps(found, allow_nan=False)
    except InputError as error:
        assert str(error)
    finally:
        given_file.unlink()


def test_a_trace_may_have_no_messages_or_spaces_in_its_head(tmp_path: Path) -> None:
    messages, out = tmp_path / "messages.csv", tmp_path / "delivered.csv"
    messages.write_text("id,cycle,source,destination,flits\n")
    assert document("replay", HYPERCUBE, messages, "-o", out)["messages"] == 0
    assert out.read_text() == "id,head,tail,hops\n"
    messages.write_text("id, cycle, source, destination, flits\n7, 1000, 0, 127, 5\n")
    document("replay", HYPERCUBE, messages, "-o", out)
    assert out.read_text() == "id,head,tail,hops\n7,1008,1012,9\n"


def test_messages_without_a_way_and_deadlocks_are_told_apart(tmp_path: Path) -> None:
    messages, out, ring = tmp_path / "messages.csv", tmp_path / "delivered.csv", tmp_path / "ring.toml"
    messages.write_text("id,cycle,source,destination,flits\n1,0,0,1,4\n2,0,2,3,4\n")
    found = document("replay", HYPERCUBE, messages, "-o", out, "--set", "network.failed_nodes=[1]")
    assert (found["delivered"], found["unroutable"], found["deadlock"]) == (1, 1, None)
    assert out.read_text().splitlines()[1:] == ["1,-1,-1,-1", "2,2,5,3"]
    ring.write_text('[network]\ntopology = "ring"\nnodes = 5\ndateline = "none"\n')
    messages.write_text(
        "id,cycle,source,destination,flits\n" + "".join(f"{i},9,{i},{(i + 2) % 5},50\n" for i in range(5))
    )
    found = document("replay", ring, messages, "-o", out)
    assert (found["delivered"], found["unroutable"], found["deadlock"]["messages"]) == (0, 0, 5)
    assert found["simulated_cycles"] == 12  # in cycle 11 each has asked for the link that the next one holds


def test_columns_may_come_in_any_order(tmp_path: Path) -> None:
    messages, out = tmp_path / "messages.csv", tmp_path / "delivered.csv"
    messages.write_text("flits,extra,source,destination,cycle,id\n5,x,0,127,1000,7\n")
    document("replay", HYPERCUBE, messages, "-o", out)
    assert out.read_text() == "id,head,tail,hops\n7,1008,1012,9\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", [": is empty"]),
        ("id,cycle,source,destination\n1,2,3,4\n", [":1: ", "flits"]),
        ("id,id,cycle,source,destination,flits\n1,1,0,0,1,5\n", [":1: ", "one column id"]),
        ("id,cycle,source,destination,flits\n1,0,0,1,1073741824\n", [":2: flits", "1073741823"]),
        ("id,cycle,source,destination,flits\n1,0,0,1,5\n2,0,zero,1,5\n", [":3: source", "'zero'"]),
        ("id,cycle,source,destination,flits\n1,0,0,1,5\n2,0,0,1\n", [":3: has 4 fields"]),
        ("id,cycle,source,destination,flits\n1,0,0,1,5\n2,0,0,128,5\n", [":3: destination", "0 to 127"]),
        ("id,cycle,source,destination,flits\n1,0,0,1,0\n", [":2: flits", "from 1"]),
        ("id,cycle,source,destination,flits\n1,-1,0,1,1\n", [":2: cycle", "'-1'"]),
        ("id,cycle,source,destination,flits\n1,0,0,1,1\n\n1,0,0,1,1\n", [":4: id", "line 2"]),
        ("id,cycle,source,destination,flits\n1,0,0,1,\n", [":2: flits"]),
        ("id,cycle,source,destination,flits\n1.5,0,0,1,1\n", [":2: id", "'1.5'"]),
        ("id,cycle,source,destination,flits\n99999999999999999999,0,0,1,1\n", [":2: id"]),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, text: str, words: list[str]) -> None:
    messages = tmp_path / "messages.csv"
    messages.write_text(text)
    with pytest.raises(InputError) as caught:
        trace.check(trace.load(messages), 128)
    for word in (str(messages), *words):
        assert word in str(caught.value)


ROWS = "id,cycle,source,destination,flits\n" + "".join(
    f"{i},{3 * i},{i % 8},{(i * 5 + 1) % 8},{1 + i % 40}\n" for i in range(60)
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_garbled_traces_are_played_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    text = list(ROWS)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        piece = data.draw(
            st.one_of(st.text(max_size=4), st.sampled_from(["\n", ",", '"', "\r", "-", "9" * 25, "1e3", "\0"]))
        )
        text[at : at + data.draw(st.integers(0, 9))] = piece
    messages = tmp_path / "messages.csv"
    messages.write_bytes("".join(text).encode(errors="ignore"))
    network = description.load(Path(HYPERCUBE), ["network.dimension=3"])
    try:
        replaying.replay(network, trace.load(messages), tmp_path / "delivered.csv")
    except InputError as error:
        assert str(messages) in str(error)


def test_a_million_rows_are_read_at_once(tmp_path: Path) -> None:
    count = 1_000_000
    rows = np.stack(
        [
            np.arange(count),
            np.arange(count) * 2,
            np.arange(count) % 128,
            (np.arange(count) + 1) % 128,
            np.full(count, 4),
        ],
        1,
    )
    import pyarrow as pa
    import pyarrow.csv as csv

    messages = tmp_path / "messages.csv"
    csv.write_csv(pa.table({name: rows[:, i] for i, name in enumerate(trace.COLUMNS)}), messages)
    found = trace.load(messages)
    assert len(found) == count
    assert (found.cycle == rows[:, 1]).all()


def test_replications_that_deliver_nothing_leave_no_number_that_is_none() -> None:
    """Six cycles: some replications deliver a message or two, others none, and have no mean."""
    few = ("--set", "method.cycles=6", "--set", "method.replications=3", "--set", "method.warmup_cycles=100")
    for seed in range(1, 9):
        setting = (*few, "--set", f"method.seed={seed}", "--set", "traffic.load=0.005", "--json")
        text = CliRunner().invoke(application(), ["simulate", HYPERCUBE, *setting]).stdout
        assert text.startswith("{") and "NaN" not in text and "Infinity" not in text


@pytest.mark.parametrize(
    ("flits", "head", "credit"), [(5, 5, 0), (5, 2, 0), (5, 5, 3), (1, 5, 0), (1, 1, 3), (5, 1, 0)]
)
def test_a_link_is_held_longer_with_finite_buffers_as_its_keys_say(
    flits: int, head: int, credit: int, tmp_path: Path
) -> None:
    """A link goes on with the next message head + credit - flit ticks later than with whole messages in its buffers."""
    file, messages, out = (tmp_path / name for name in ("mesh.toml", "messages.csv", "delivered.csv"))
    messages.write_text("id,cycle,source,destination,flits\n" + "".join(f"{i},0,0,1,{flits}\n" for i in range(5)))
    for buffer in (0, flits, 100, 1000):
        file.write_text(
            f'[network]\ntopology = "mesh"\nextents = [4, 4]\nbuffer_flits = {buffer}\nflit_ticks = 2\nbody_ticks = 1\n'
            f"head_ticks = {head}\n" + (f"credit_ticks = {credit}\n" if credit and buffer else "")
        )
        document("replay", file, messages, "-o", out)
        heads = [int(line.split(",")[1]) for line in out.read_text().splitlines()[1:]]
        longer = max(head + credit - 2, 0) if buffer else 0
        assert heads == [2 * head + i * (2 * flits + longer) for i in range(5)]  # the last link's are two links on
    words = " ".join((network_tables.NetworkTable.__doc__ or "").split())
    assert "each message holds a link for head_ticks + credit_ticks - flit_ticks longer" in words
