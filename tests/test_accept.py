"""`assay accept` of runs that are there: verdicts, exit status, JSON, and what is never accepted."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from assay.case import Case
from assay.decide.contract import read_contract
from assay.decide.contract_verdict import judged_requirement
from assay.decide.evidence import NodeEvidence
from assay.document.reported_figure import Moved, ReportedFigure
from assay.store import Run
from command_line import Answer, assay
from described_echo import described_echo
from test_document import block, launch

pytestmark = pytest.mark.usefixtures("own_folder")
LATENCY = 'name = "latency"\nbenchmark = "echo"\nfigure = "half_round_trip"\ncase = { bytes = 8 }\n'


def contract(*requirements: str, risks: str = "") -> Path:
    path = Path("contract.toml")
    path.write_text(f'name = "delivery"\n{risks}' + "".join(f"[[requirement]]\n{each}" for each in requirements))
    return path


def made_run(name: str = "run", **request: Any) -> Run:
    """A run in this folder whose launches have circumstances, as those of a real one."""
    run = Run.create(Path(name), {"machine": "here", "host": {"usable_cpus": 4}, "wishes": request})
    key, journal = run.keep_provenance({"kernel": "1"}), run.journal

    def with_circumstances(entry: dict[str, Any]) -> None:
        journal(entry | ({"about": entry["about"] | {"provenance": key}} if "about" in entry else {}))

    run.journal = with_circumstances  # type: ignore[method-assign]
    return run


def measured(values: list[float], **more: Any) -> Run:
    """A run whose launches have these half round trips."""
    run = made_run()
    for number, value in enumerate(values):
        launch(run, number, [block(8, [2 * value] * 5), block(64, [4 * value] * 5)], **more)
    run.finish("done")
    return run


def judged(limit: str, *words: str, more: str = "", run: str = "run") -> Answer:
    return assay("accept", str(contract(f"{LATENCY}{limit}\n{more}")), "--run", run, *words)


# Eight launches at about 1 us.
EIGHT = [1e-6, 1.01e-6, 1.02e-6, 0.99e-6, 1.0e-6, 1.03e-6, 0.98e-6, 1.01e-6]


@pytest.mark.parametrize(
    ("limit", "verdict", "status"),
    [("1.1 us", "accepted", 0), ("0.9 us", "rejected", 3), ("1.005 us", "not shown", 4)],
)
def test_a_measured_run_is_judged_by_its_launches(limit: str, verdict: str, status: int) -> None:
    measured(EIGHT)
    answer = judged(f'at_most = "{limit}"', "--json")
    assert answer.status == status, answer.err
    (found,) = answer.document["requirements"]
    assert answer.document["verdict"] == found["verdict"] == found["nodes"][0]["verdict"] == verdict
    assert found["value"] == pytest.approx(1.005e-6) and found["interval"] == pytest.approx([0.98e-6, 1.03e-6])
    assert found["limit"] == pytest.approx(float(limit.split()[0]) * 1e-6) and found["launches"] == 8
    assert answer.document["risks"] == {"vendor": 0.05, "buyer": 0.05}
    (run,) = answer.document["runs"]
    assert run["files"]["run.json"] == hashlib.sha256(Path("run/run.json").read_bytes()).hexdigest()
    assert answer.document["contract"]["sha256"] == hashlib.sha256(Path("contract.toml").read_bytes()).hexdigest()


def test_too_few_launches_show_nothing() -> None:
    """Of four launches the probability that all meet a limit that they do not is 1/16."""
    measured(EIGHT[:4])
    for limit in ("2 us", "0.5 us"):
        answer = judged(f'at_most = "{limit}"')
        assert answer.status == 4 and "of 4 launches met the limit" in answer.out


def test_a_smaller_risk_needs_more_launches() -> None:
    measured(EIGHT)
    path = contract(f'{LATENCY}at_most = "1.1 us"\n', risks="[risks]\nbuyer = 0.001\n")
    assert assay("accept", str(path), "--run", "run").status == 4


def test_a_disturbed_figure_is_not_shown() -> None:
    measured(EIGHT, binding="none", warnings=["5 ranks share 2 processors of a node (oversubscribed, not bound)"])
    for limit in ("2 us", "0.5 us"):
        answer = judged(f'at_most = "{limit}"', "--json")
        (found,) = answer.document["requirements"]
        assert answer.status == 4 and found["nodes"][0]["state"] == "disturbed" and found["reason"]


@pytest.mark.parametrize(
    ("state", "moved", "limit", "verdict"),
    [
        ("disturbed", (0.0, 0.1), 0.85e-6, "rejected"),  # 1 us at most a tenth too slow: at best 0.91 us
        ("disturbed", (0.0, 0.1), 0.95e-6, "not shown"),
        ("disturbed", (0.0, 0.1), 2e-6, "not shown"),
        ("bound", (-0.2, 0.1), 0.85e-6, "rejected"),
        ("bound", (-0.2, 0.1), 2e-6, "not shown"),
        ("bound", None, 0.1e-6, "not shown"),  # how far it was moved is not known
        ("invalid", (0.0, 0.0), 2e-6, "not shown"),
        ("invalid", (0.0, 0.0), 0.1e-6, "not shown"),
    ],
)
def test_doubtful_figures_are_rejected_where_nothing_can_have_moved_them_so_far_and_never_accepted(
    state: str, moved: tuple[float, float] | None, limit: float, verdict: str
) -> None:
    read = read_contract(contract(f'{LATENCY}at_most = "{limit} s"\n'))
    launches = [[float(n), 1e-6] for n in range(8)]
    figure = ReportedFigure(
        benchmark="echo", name="half_round_trip", value=1e-6, unit="s", statistic="median", params=Case(), state=state,
        disturbance=None if moved is None else Moved(*moved), reasons=["others"],
        by_launch=[] if state == "bound" else launches, best_by_launch=launches if state == "bound" else None,
    )  # fmt: skip
    found = judged_requirement(read, read.requirements[0], [NodeEvidence("n1", figure, "others")])
    assert found.verdict == verdict and found.reason


def test_a_failed_check_is_not_shown() -> None:
    run = measured(EIGHT)
    launch(
        run,
        8,
        [
            block(8, [2e-6] * 5),
            {"event": "check", "name": "data", "case": {"bytes": 8}, "passed": False, "detail": "x"},
        ],
    )
    answer = judged('at_most = "2 us"', "--json")
    assert answer.status == 4 and answer.document["requirements"][0]["value"] is None


def test_a_failed_launch_is_not_passed_over() -> None:
    """What failed is no evidence: the others alone would be a choice."""
    run = measured(EIGHT)
    launch(run, 8, [], status=3, reason="exit status 3")
    answer = judged('at_most = "2 us"')
    assert answer.status == 4 and "1 launch failed" in answer.out


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("{ bytes = 16 }", "no case has bytes = 16 (there is: 8, 64, 1000)"),
        ("{}", "3 cases fit: the case must also give bytes"),
        ("{ bytes = 8, colour = 1 }", "no case has colour = 1 (there is: no such parameter: bytes"),
    ],
)
def test_a_case_that_is_not_one_of_the_run_is_not_shown(case: str, said: str, echo_run: Path) -> None:
    path = contract(LATENCY.replace("{ bytes = 8 }", case) + 'at_most = "1 s"\n')
    answer = assay("accept", str(path), "--run", str(echo_run))
    assert answer.status == 4 and said in answer.out


def test_described_machines_are_exact_and_one_missed_limit_rejects_all(tmp_path: Path) -> None:
    """70 us and 0.4 us a byte: 73.2 us for 8 bytes, by the description's own law."""
    run = described_echo(tmp_path, launches=1)
    met, missed = (f'{LATENCY}at_most = "{limit} us"\n' for limit in (73.3, 73.1))
    for requirements, verdict, status in (((met,), "accepted", 0), ((missed,), "rejected", 3)):
        answer = assay("accept", str(contract(*requirements)), "--run", str(run), "--json")
        assert (answer.status, answer.document["verdict"]) == (status, verdict)
        assert answer.document["requirements"][0]["value"] == pytest.approx(73.2e-6)
    both = contract(met, missed.replace('"latency"', '"another"'))
    answer = assay("accept", str(both), "--run", str(run), "--json")
    assert answer.status == 3 and [each["verdict"] for each in answer.document["requirements"]] == [
        "accepted",
        "rejected",
    ]
    unmeasured = contract(met, 'name = "a"\nbenchmark = "clock"\nfigure = "frequency"\nat_least = "1 Hz"\n')
    assert assay("accept", str(unmeasured), "--run", str(run)).status == 4
    rejected = contract(missed, 'name = "a"\nbenchmark = "clock"\nfigure = "frequency"\nat_least = "1 Hz"\n')
    assert assay("accept", str(rejected), "--run", str(run)).status == 3  # 3 before 4


def test_two_runs_of_one_benchmark_are_refused(echo_run: Path) -> None:
    path = contract(f'{LATENCY}at_most = "1 s"\n')
    answer = assay("accept", str(path), "--run", str(echo_run), "--run", str(echo_run))
    assert answer.status == 2 and "echo is in two runs" in answer.err and answer.out == ""


def test_nodes_are_judged_one_by_one(tmp_path: Path) -> None:
    """Three nodes, one of them slow, one that was asked for missing: the share of nodes decides."""
    run = made_run(nodes=4)
    for number in range(12):
        launch(run, number, [block_of_clock(5e-10)], benchmark="clock")
        for node, seconds in (("n1", 5e-10), ("n2", 5e-10), ("n3", 1e-9)):
            path = run.folder / "launches" / f"{number:03d}-clock@{node}.jsonl"
            begun = {"event": "launch", "seed": 1, "ranks": 1, "placement": [{"rank": 0, "host": node}], "t": 1.0}
            path.write_text(
                "".join(json.dumps(each) + "\n" for each in (begun, block_of_clock(seconds), {"event": "done"}))
            )
        (run.folder / "launches" / f"{number:03d}-clock.jsonl").unlink()
    run.finish("done")
    asked = 'name = "a"\nbenchmark = "clock"\nfigure = "frequency"\nat_least = "1.5 GHz"\n'
    found = assay("accept", str(contract(asked)), "--run", "run", "--json")
    (one,) = found.document["requirements"]
    assert [(each["node"], each["verdict"]) for each in one["nodes"]] == [
        ("n1", "accepted"), ("n2", "accepted"), ("n3", "rejected"), ("node 4 of 4, without a result", "not shown"),
    ]  # fmt: skip
    assert found.status == 3 and one["value"] == pytest.approx(1e9)
    half = assay("accept", str(contract(f"{asked}share = 0.5\n")), "--run", "run", "--json")
    assert half.status == 0 and half.document["requirements"][0]["value"] == pytest.approx(2e9)
    most = assay("accept", str(contract(f"{asked}share = 0.75\n")), "--run", "run")
    assert most.status == 4


def block_of_clock(seconds: float) -> dict[str, Any]:
    about = {"case": {}, "metric": "time", "block": 0, "batch": 1}
    return {"event": "block", **about, "values": [seconds] * 5, "first": None, "t0": 1.0, "t1": 2.0}
