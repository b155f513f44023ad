"""`assay accept` with a requirement on links, switches, nodes or pairs: what is slow is rejected by its name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench._slow_links import link_trial, tree_of_trials
from scipy import stats

from assay.analysis.part_effects import effects_by_launch, readings_left
from assay.analysis.slow_pairs import CandidateKind
from assay.decide.contract import read_contract
from assay.decide.contract_plan import plan_contract
from assay.decide.contract_verdict import judged_requirement
from assay.store import Run
from command_line import Answer, assay
from test_accept import contract
from test_document import block, launch

pytestmark = pytest.mark.usefixtures("own_folder")
LINKS = (
    'name = "links"\nbenchmark = "tournament"\nfigure = "time"\nparts = ["links"]\ncase = { bytes = 262144 }\n'
    'at_most = "4%"\nspread = "2%"\n'
)
TREE = {"machine.network.children": "[4,4]", "machine.network.parents": "[4]", "bytes": "262144"}
SLOW = {"machine.network.links": "[{routers=[6,3], slower=1.1, one_way=true}]"}


def described(folder: str, **more: str) -> None:
    words = [word for key, value in {**TREE, **more}.items() for word in ("--set", f"{key}={value}")]
    answer = assay("run", "tournament", "--on", "fat-tree-hdr", "-n", "16", *words, "--out", folder, "--json")
    assert answer.status == 0, answer.err


def judged(requirement: str, run: str) -> Answer:
    return assay("accept", str(contract(requirement)), "--run", run, "--json")


def verdicts(found: Answer) -> dict[str, list[str]]:
    (requirement,) = found.document["requirements"]
    named: dict[str, list[str]] = {}
    for node in requirement["nodes"]:
        named.setdefault(node["verdict"], []).append(node["node"])
    return named


def test_a_slow_link_of_a_described_fat_tree_is_rejected_by_its_name() -> None:
    described("healthy")
    described("slow", **SLOW)
    healthy, slow = judged(LINKS, "healthy"), judged(LINKS, "slow")
    assert healthy.status == 0 and set(verdicts(healthy)) == {"accepted"}, healthy.out
    assert slow.status == 3 and verdicts(slow)["rejected"] == ["link router 6 to 3"], slow.out
    (found,) = slow.document["requirements"]
    assert found["value"] == pytest.approx(0.083, abs=0.002) and (found["limit"], found["unit"]) == (0.04, "1")
    assert found["parts"] == ["links"]
    assert judged(LINKS.replace("4%", "9%"), "slow").status == 0


def test_a_slow_link_makes_no_node_slow_that_it_leads_to() -> None:
    """12 of the 15 messages to node 14 cross the link: the node is not shown, and not rejected."""
    described("slow", **SLOW)
    found = judged(LINKS.replace('"links"', '"nodes"'), "slow")
    assert found.status == 4 and "rejected" not in verdicts(found)
    assert verdicts(found)["not shown"] == ["node 14, receiving"]
    (requirement,) = found.document["requirements"]
    assert "its messages are mostly those of link router 6 to 3" in requirement["reason"]


NODES = [f"n{at}" for at in range(8)]
TOPOLOGY = "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=c Switches=a,b\n"
FOUR = (
    "".join(f"SwitchName=s{at} Nodes=n[{4 * at}-{4 * at + 3}]\n" for at in range(4)) + "SwitchName=c Switches=s[0-3]\n"
)


def tournament(nodes: int, slow: Any, launches: int = 16, switches: str = "") -> Run:
    """A measured run of pairs of nodes; `slow` (from, to): which messages take a quarter longer."""
    run = Run.create(Path("pairs"), {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    key, journal = run.keep_provenance({"kernel": "1", **({"switches": switches} if switches else {})}), run.journal
    run.journal = lambda entry: journal(  # type: ignore[method-assign]
        entry | ({"about": entry["about"] | {"provenance": key}} if "about" in entry else {})
    )
    dice = np.random.default_rng(4)
    places = [{"rank": at, "host": f"n{at}"} for at in range(nodes)]
    case = {"bytes": 262144, "ranks": nodes}
    for number in range(launches):
        times = [
            1e-4 * (1.25 if slow(a, b) else 1.0) * float(np.exp(0.005 * dice.normal()))
            for a in range(nodes)
            for b in range(nodes)
            if a != b
        ]
        pairs = {"event": "pairs", "pass": 0, "case": case, "places": list(range(nodes)), "seconds": times}
        values = block(262144, times[:20]) | {"metric": "time", "case": case}
        launch(run, number, [values, pairs], benchmark="tournament")
        file = run.folder / "launches" / f"{number:03d}-tournament.jsonl"
        begun, *rest = (json.loads(line) for line in file.read_text().splitlines())
        begun |= {"placement": places, "ranks": nodes}
        file.write_text("".join(json.dumps(line) + "\n" for line in (begun, *rest)))
    run.finish("done")
    return run


def test_links_and_switches_are_those_of_a_topology_file() -> None:
    tournament(16, lambda a, b: a // 4 == 1 and b // 4 != 1)
    Path("topology.conf").write_text(FOUR)
    assert judged(LINKS, "pairs").status == 4  # no topology is known
    found = judged(f'{LINKS}topology = "topology.conf"\n', "pairs")
    assert found.status == 3 and verdicts(found)["rejected"] == ["link s1 to c"], found.out
    assert assay("accept", "contract.toml", "--run", "pairs", "--sheet", "sheet.html").status == 3
    assert "100% of 8 parts must meet the limit" in Path("sheet.html").read_text()
    switches = judged(f'{LINKS}topology = "topology.conf"\n'.replace('"links"', '"switches"'), "pairs")
    assert "rejected" not in verdicts(switches), switches.out


def test_a_report_names_links_along_the_switches_that_the_batch_system_stated() -> None:
    tournament(16, lambda a, b: a // 4 == 1 and b // 4 != 1, switches=FOUR)
    (section,) = assay("report", "pairs", "--json").document["benchmarks"]
    (slow,) = section["tournament"]["slow"]
    assert (slow["kind"], slow["link"]) == ("link", "s1 to c")
    assert judged(LINKS, "pairs").status == 3


def test_a_slow_switch_and_a_slow_node_are_named_as_such() -> None:
    tournament(16, lambda a, b: 2 in (a // 4, b // 4), switches=FOUR)
    (section,) = assay("report", "pairs", "--json").document["benchmarks"]
    assert [slow["text"].partition(":")[0] for slow in section["tournament"]["slow"]] == ["switch s2"]


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        (LINKS.replace("tournament", "echo").replace('"time"', '"half_round_trip"'), "parts: has no effect here"),
        (LINKS.replace('parts = ["links"]', 'topology = "x"').replace("4%", "4 us"), "topology: has no effect here"),
        (LINKS.replace('"links"', '"cards"'), "requirement.0.parts"),
        (LINKS.replace('"4%"', '"4 us"'), "at_most"),
        (f'{LINKS}topology = "nowhere.conf"\n', "nowhere.conf: cannot be read"),
    ],
)
def test_what_makes_no_requirement_on_parts_is_refused(requirement: str, said: str) -> None:
    answer = assay("accept", str(contract(requirement)), "--plan")
    assert answer.status == 2 and said in answer.err and len(answer.err.splitlines()) == 1, answer.err


def test_the_plan_is_for_as_many_tests_as_there_are_parts() -> None:
    def looks(more: str = "", parts: str = '"links"') -> int:
        read = read_contract(contract(LINKS.replace('["links"]', f"[{parts}]") + more))
        return plan_contract(read, 16)[0].looks[-1]

    Path("topology.conf").write_text(FOUR)
    assert looks('topology = "topology.conf"\n') < looks() <= looks(parts='"links", "pairs"')


def test_effects_are_medians_of_differences_from_the_others_of_a_class() -> None:
    """Against loops over readings, with classes in which a part is most of the readings, and none left to compare."""
    dice = np.random.default_rng(2)
    times, classes = dice.normal(size=(4, 40)), dice.integers(5, size=(4, 40))
    of = np.full((1, 40), -1)
    of[0, :24] = np.repeat([0, 1, 2], [2, 12, 10])
    classes[:, 30:], of[0, 30:] = 9, 3
    kind = CandidateKind("part", of)
    usable = dice.random(40) < 0.9
    found = effects_by_launch(times, classes, [0, 0, 1, 1], kind, usable)
    for launch_, candidate in ((launch_, candidate) for launch_ in (0, 1) for candidate in (1, 2, 3)):
        passes = []
        for at in (2 * launch_, 2 * launch_ + 1):
            differences = []
            for reading in np.flatnonzero((of[0] == candidate) & usable):
                same = usable & (classes[at] == classes[at][reading])
                others = same & (of[0] != candidate) if _large(same, of[0] == candidate, classes[at]) else same
                if others.any() and same.sum() > 1:
                    differences.append(times[at][reading] - np.median(times[at][others]))
            passes.append(np.median(differences) if differences else np.nan)
        expected = np.nan if np.isnan(passes).all() else np.nanmedian(passes)
        assert found[launch_, candidate] == pytest.approx(expected, nan_ok=True)
    assert np.isnan(found[:, 3]).all()  # nothing else is in its class
    assert readings_left(kind, usable)[1] == pytest.approx(usable[2:14].mean())


def _large(same: np.ndarray, own: np.ndarray, classes: np.ndarray) -> bool:
    return True  # each of these parts has more than a tenth of some class


@pytest.mark.parametrize("fault", [0.0, 0.1])
def test_risks_of_a_requirement_on_links_hold_on_recorded_noise(fault: float) -> None:
    """A few of the acceptances that `./x bench acceptance` makes by the thousand."""
    read = read_contract(contract(LINKS))
    (one,) = plan_contract(read, 64)
    tree, dice, trials = tree_of_trials(), np.random.default_rng(3), 8
    wrong = others = 0
    for _ in range(trials):
        evidence, slow = link_trial(read.requirements[0], tree, one.looks[-1], dice, fault)
        found = judged_requirement(read, read.requirements[0], evidence, one.looks)
        rejected = [each.node for each in found.nodes if each.verdict == "rejected"]
        wrong += found.verdict != ("rejected" if fault else "accepted")
        others += bool(set(rejected) - {slow})
    assert wrong <= stats.binom.ppf(0.999, trials, 0.05) and others <= stats.binom.ppf(0.999, trials, 0.01)
