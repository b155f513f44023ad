"""One shape of figures in the JSON of every verb that prints any: the list that a script reads by `.figures[]`."""

from __future__ import annotations

import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest

from assay import verbs
from command_line import assay
from example_inputs import CONSTANT, EXAMPLES, HYPERCUBE, SHORT, described_runs
from mpi_programs import resolved

SHAPE = {"name", "value", "unit", "statistic", "params", "ci95", "range", "state", "estimator", "disturbance"}
WITHOUT = {
    "accept",  # verdicts
    "build",
    "cache",
    "catalogue",
    "doctor",
    "examples",
    "export",
    "lab",
    "history",  # changes of figures
    *("mpicc", "mpicxx", "mpifort"),  # a compiler's
    "plan",
    "query",
    "runs",
    "tune",  # rows that compare
    "version",
    "watch",
}  # they tell no results


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return described_runs(tmp_path_factory.mktemp("figures"))


BISECTED = ("--saturation", "--set", "method.precision=0.2", "--set", "network.dimension=3")
CASES: dict[str, list[str]] = {
    "simulate": ["simulate", HYPERCUBE, *SHORT],
    "simulate, saturated": ["simulate", HYPERCUBE, *SHORT, "--set", "traffic.load=1.5"],
    "simulate, replications": ["simulate", HYPERCUBE, *SHORT, "--set", "method.replications=3"],
    "simulate --sweep": ["simulate", HYPERCUBE, *SHORT, "--sweep", "traffic.load=0.1,0.2"],
    "simulate --saturation": ["simulate", HYPERCUBE, *SHORT, *BISECTED],
    "simulate, I/O nodes": ["simulate", str(EXAMPLES / "io_nodes.toml"), *SHORT],
    "study": ["study", "study.toml"],
    "study, tables": ["study", "section6"],
    "throughput": ["throughput", "mix", "--jobs", "jobs.toml", "--on", "batch.toml"],
    "replay": ["replay", HYPERCUBE, "messages.csv", "-o", "delivered.csv"],
    "mpirun": ["mpirun", "--on", CONSTANT, "-n", "2", "mpi:pingpong", "8"],
    "run": ["run", "echo", "--on", CONSTANT, "--set", "bytes=8,64"],
    "run, quoted": ["run", "lock", "--on", "ksr1"],
    "run, quoted and doubtful": ["run", "thread-barrier", "--on", "paragon-mp"],
    "evaluate": ["evaluate", "--on", CONSTANT, "-N", "4", "--out", "whole"],
    "evaluate, all": ["evaluate", "--on", "all"],
    "report": ["report", "a"],
    "report, two": ["report", "a", "b"],
    "compare": ["compare", "a", "b"],
    "compare, published": ["compare", "a", "ipsc860"],
    "sensitivity": ["sensitivity", "echo", "--on", CONSTANT],
    "predict": ["predict", "model.toml", "a"],
    "fit": ["fit", "a"],
    "fit --on": ["fit", "--on", "ipsc860"],
}
NIGHTLY = dict.fromkeys(("evaluate, all", "study, tables"), pytest.mark.nightly)  # long; shown by shorter ones as well


def test_every_verb_is_here_or_has_no_figures() -> None:
    known = {module.name for module in pkgutil.iter_modules(verbs.__path__) if not module.name.startswith("_")}
    assert {words[0] for words in CASES.values()} | WITHOUT == known


def finite(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@pytest.mark.parametrize("case", [pytest.param(each, marks=NIGHTLY.get(each, ())) for each in CASES])
def test_figures_have_one_shape(case: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    monkeypatch.setenv("ASSAY_RUNS", str(here / "runs"))
    verb, *words = CASES[case]
    found = assay(verb, "--json", *resolved(*words))
    assert found.status in (0, 3), found.err
    figures = found.document["figures"]
    assert isinstance(figures, list)
    assert figures or case == "study, tables"
    for figure in figures:
        assert set(figure) >= SHAPE, (case, figure)
        assert isinstance(figure["name"], str) and isinstance(figure["statistic"], str)
        assert isinstance(figure["unit"], str) and isinstance(figure["params"], dict)
        for ends in (figure["ci95"], figure["range"]):
            assert ends is None or (len(ends) == 2 and all(map(finite, ends)) and ends[0] <= ends[1])
        states = {"clean", "disturbed", "bound", "invalid"} | ({None} if figure.get("kind") == "quoted" else set())
        assert figure["state"] in states
        assert finite(figure["value"]) or (figure["value"] is None and figure["state"] == "invalid")
    told = [
        (
            f["name"],
            f["statistic"],
            f.get("benchmark"),
            f.get("run"),
            f.get("machine"),
            f.get("source"),
            json.dumps(f["params"], sort_keys=True),
        )
        for f in figures
    ]
    if "published" not in case and "quoted" not in case:
        assert len(set(told)) == len(told), "two figures that nothing tells apart"


def simulated(*words: str) -> dict[str, Any]:
    found = assay("simulate", HYPERCUBE, *SHORT, *words, "--json")
    assert found.status == 0
    document: dict[str, Any] = found.document
    return document


def test_the_list_says_what_the_estimates_say() -> None:
    found = simulated("--set", "method.replications=3")
    by = {(figure["name"], figure["statistic"]): figure for figure in found["figures"]}
    latency = found["estimates"]["header_latency"]["seconds"]
    assert by["header_latency", "mean"]["value"] == latency["mean"]
    assert by["header_latency", "mean"]["ci95"] == latency["interval"]
    low, high = by["header_latency", "mean"]["range"]
    assert low < latency["mean"] < high
    assert by["header_latency", "q0.9"]["value"] == latency["quantiles"]["0.9"]
    throughput = found["estimates"]["throughput"]["flits_per_node_per_cycle"]["mean"]
    assert by["throughput", "mean"]["value"] == throughput
    assert by["bandwidth", "mean"]["value"] == pytest.approx(throughput * 1.0 / 5e-8)  # flits of one byte
    assert found["version"] == 4


def test_a_mean_that_is_none_is_invalid() -> None:
    """Beyond saturation latencies grow as long as one looks; what is accepted stands."""
    states = {figure["name"]: figure["state"] for figure in simulated("--set", "traffic.load=1.5")["figures"]}
    assert states["header_latency"] == "invalid" and states["throughput"] == "clean"


def test_intervals_of_another_confidence_are_no_ci95() -> None:
    """They are said with their confidence, so that nobody takes them for 95%; those of 95% are said in both ways."""
    words = ("--set", "method.confidence=0.9", "--set", "method.cycles=20000")
    found: dict[str, Any] = assay("simulate", HYPERCUBE, *words, "--json").document
    assert {figure["ci95"] is None for figure in found["figures"]} == {True}
    low, high = found["estimates"]["header_latency"]["seconds"]["interval"]
    assert found["figures"][0]["interval"] == {"low": low, "high": high, "confidence": 0.9}
    usual: dict[str, Any] = assay("simulate", HYPERCUBE, *words[2:], "--json").document
    known = {figure["name"]: figure for figure in usual["figures"] if figure["statistic"] == "mean"}
    for name in ("header_latency", "throughput", "bandwidth"):
        low, high = known[name]["ci95"]
        assert known[name]["interval"] == {"low": low, "high": high, "confidence": 0.95}
    for figure in simulated(*BISECTED, "--set", "method.confidence=0.9")["figures"]:
        bracket = figure["statistic"] == "bracket"
        assert figure["ci95"] is None and (figure["interval"] or {}).get("confidence") == (0.9 if bracket else None)


def test_a_sweep_is_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ("--sweep", "traffic.load=0.1,1.5", "--sweep", "traffic.flits=8,16")
    out = assay("simulate", HYPERCUBE, *SHORT, *words).out.splitlines()
    assert out[0].rstrip() == "Mean header latency and accepted load"
    assert out[1].split() == ["load", "flits", "cycles", "±", "us", "flits/node/cycle", "±", "state"]
    rows = [line.split() for line in out[2:6]]
    assert [row[:2] for row in rows] == [["0.1", "8"], ["0.1", "16"], ["1.5", "8"], ["1.5", "16"]]
    assert [" ".join(row[7:]) for row in rows] == ["not saturated", "not saturated", "saturated", "saturated"]
    points = simulated(*words)["points"]
    assert [row[2] for row in rows] == [
        f"{point['estimates']['header_latency']['cycles']['mean']:.4g}" for point in points
    ]
    assert out[6] == "±: at 95% confidence" and out[-1].endswith("CPU s")
    assert all(len(line.rstrip()) <= 80 for line in out[:6])


def test_bisections_of_a_sweep_are_one_table() -> None:
    words = (*BISECTED, "--sweep", "traffic.flits=8,16")
    out = assay("simulate", HYPERCUBE, *SHORT, *words).out.splitlines()
    assert out[0].rstrip() == "Saturation, flits/node/cycle"
    assert out[1].split() == ["flits", "from", "to", "middle,", "flits/node/ms", "state"]
    assert out[4] == "from, to: at 95% confidence"
    assert [line.split()[0] for line in out[2:4]] == ["8", "16"]
    assert [float(line.split()[1]) < float(line.split()[2]) for line in out[2:4]] == [True, True]


def test_rates_of_a_node_say_so_in_every_document(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate in flit/cycle could be the whole network's; "per ms" was of messages in studies and of flits here."""
    expected = {"throughput": "flit/node/cycle", "bandwidth": "B/node/s"}
    found = {"saturation": "flit/node/cycle", "saturation_rate": "flit/node/s", "accepted": "flit/node/cycle"}
    for words, units in (((), expected), (BISECTED, found)):
        for sweep in ((), ("--sweep", "traffic.flits=8")):
            document = simulated(*words, *sweep)
            assert document["version"] == (5 if words else 4)
            told = {
                figure["name"]: figure["unit"] for figure in document["figures"] if figure["unit"] not in ("s", "1")
            }
            assert told == units
    monkeypatch.chdir(here)
    study = assay("study", "study.toml", "--json").document
    assert study["version"] == 2
    assert {one["unit"] for one in study["figures"] if one["name"] == "saturation"} == {"flit/node/cycle"}


def test_a_bisection_says_per_node_what_it_says_per_ms() -> None:
    small = ("--set", "network.dimension=3", "--set", "method.precision=0.2")
    words = ("simulate", HYPERCUBE, *SHORT, "--saturation", *small)
    found = assay(*words, "--json").document["saturation"]
    low, high = found["interval"]
    rates = [end / 50e-9 * 1e-3 for end in (low, high)]  # cycles of 50 ns
    assert assay(*words).out.splitlines()[0] == (
        f"saturates between {low:.4g} and {high:.4g} flits per node per cycle ({rates[0]:,.0f} to {rates[1]:,.0f} "
        "flits per node per ms), at 95% confidence"
    )
    middle = (low + high) / 2
    assert (found["load"], found["estimator"]) == (pytest.approx(middle), "middle of the interval")
    assert found["per_millisecond"] == pytest.approx(sum(rates) / 2)
    assert assay(*words).out.splitlines()[1] == "higher loads, in flits per node per cycle:"


def test_a_bisection_with_io_nodes_is_in_messages_of_an_element() -> None:
    small = ("--set", "network.dimension=3", "--set", "io.nodes=[0,7]", "--set", "method.precision=0.5")
    words = ("simulate", str(EXAMPLES / "io_nodes.toml"), *SHORT, "--saturation", *small)
    first, heading, *higher = assay(*words).out.splitlines()[:-1]
    assert " messages per element per cycle (" in first and " messages per element per ms), at 95% " in first
    document = assay(*words, "--json").document
    found = document["saturation"]
    offered, accepted = "messages per element per cycle", "flits per node per cycle"
    assert heading == f"higher loads, offered in {offered}, accepted in {accepted}:"
    assert (found["unit"], found["accepted_unit"]) == (offered, accepted)
    beyond = found["accepted_beyond"]
    assert [line.split(", worst node")[0] for line in higher] == [
        f"  offered {one['load']:.4g}: accepts {one['throughput']:.4g}" for one in beyond
    ]
    assert len(beyond) == 3 and all(one["load"] > found["interval"][1] for one in beyond)
    low, high = (end / document["cycle_seconds"] * 1e-3 for end in found["interval"])
    assert f" ({low:.4g} to {high:.4g} messages per element per ms), " in first
    units = {one["name"]: one["unit"] for one in document["figures"]}
    assert units["saturation"] == "message/element/cycle" and units["saturation_rate"] == "message/element/s"
    assert units["accepted"] == "flit/node/cycle"
