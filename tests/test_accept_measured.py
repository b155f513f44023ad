"""`assay accept` that measures: only what is required, at looks fixed beforehand, until each requirement is decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.decide.contract import read_contract
from assay.decide.contract_plan import plan_contract
from assay.decide.live import LiveSide
from assay.decide.measured_contract import MeasuredBenchmark, measured_contract
from assay.errors import MeasurementError
from assay.execute.plan import Plan
from command_line import assay
from described_echo import MACHINE
from test_accept import LATENCY, contract, made_run
from test_document import block, launch

pytestmark = pytest.mark.usefixtures("own_folder")
CLOCK = 'name = "clock"\nbenchmark = "clock"\nfigure = "frequency"\nat_least = "1 MHz"\n'


@dataclass
class MadeSide(LiveSide):
    """A benchmark whose launches take the seconds that it is given."""

    seconds: Callable[[int], float] = lambda number: 1e-6
    fails_at: int | None = None

    def launch(self, pair: int, say: Callable[[str], None]) -> None:
        if pair == self.fails_at:
            raise MeasurementError("echo: exit status 3")
        launch(self.run, pair, [block(8, [2 * self.seconds(pair)] * 5)])


def measured(limit: str, seconds: Callable[[int], float], **more: Any) -> Any:
    read = read_contract(contract(f'{LATENCY}at_most = "{limit}"\n'))
    (one,) = plan_contract(read, 1)
    where: Any = None
    side = MadeSide("echo", made_run(), Plan("quick", 12, 1, ()), where, seconds, **more)
    return measured_contract(read, [MeasuredBenchmark(one, side)], seed=1)


def wobbling(scale: float) -> Callable[[int], float]:
    """Launches that differ by up to 1.4% and repeat after 7."""
    return lambda number: scale * (1 + 0.002 * (number * 3 % 7))


@pytest.mark.parametrize(("scale", "verdict"), [(0.9e-6, "accepted"), (1.1e-6, "rejected")])
def test_clear_machines_are_decided_before_the_last_launch(scale: float, verdict: str) -> None:
    found = measured("1 us", wobbling(scale))
    assert found.verdict == verdict and found.requirements[0].launches == 7
    assert found.ended == "decided after 7 of at most 11 launches"


def test_a_machine_at_the_limit_uses_all_launches_and_is_not_shown() -> None:
    found = measured("1 us", lambda number: 1e-6 * (0.98 if number % 2 else 1.02))
    assert found.verdict == "not shown" and found.requirements[0].launches == 11
    assert found.ended == "the launches planned were made"


def test_a_launch_that_fails_ends_it() -> None:
    with pytest.raises(MeasurementError, match="exit status 3"):
        measured("1 us", wobbling(1e-6), fails_at=2)


def test_the_plan_is_by_spread_shortfall_risks_requirements_and_nodes() -> None:
    def launches(more: str = "", risks: str = "", nodes: int = 1) -> int:
        (one,) = plan_contract(read_contract(contract(f"{CLOCK}{more}", risks=risks)), nodes)
        return one.looks[-1]

    usual = launches()
    assert launches('spread = "10%"\n') > usual > launches('spread = "0.5%"\n')
    assert launches('indifference = "2%"\n') > usual
    assert launches(risks="[risks]\nbuyer = 0.001\nvendor = 0.001\n") > usual
    assert launches(nodes=64) > usual
    answer = assay("accept", "contract.toml", "--plan", "--json")
    assert answer.document["planned"] == [{"benchmark": "clock", "settings": {}, "looks": [5, 7, 9, 11]}]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            "case = { bytes = 8 }",
            "",
            "contract.toml:8: requirement.1.case: has no bytes, which another",
        ),
        (
            'spread = "90%"\nindifference = "0.1%"',
            "",
            "contract.toml:8: requirement.0.indifference: a shortfall of 0.0",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused_at_its_line(first: str, second: str, said: str) -> None:
    one, two = (
        f'name = "{name}"\nbenchmark = "echo"\nfigure = "half_round_trip"\nat_most = "1 s"\n{more}\n'
        for name, more in (("a", first), ("b", second))
    )
    answer = assay("accept", str(contract(one, two)), "--out", "kept")
    assert answer.status == 2 and said in answer.err and not Path("kept").exists()


def test_on_a_described_machine_one_launch_decides(tmp_path: Path) -> None:
    Path("constant.toml").write_text(MACHINE)
    for limit, status in (("73.3 us", 0), ("73.1 us", 3)):
        path = contract(f'{LATENCY}at_most = "{limit}"\n')
        answer = assay("accept", str(path), "--on", "constant.toml", "--out", f"run{status}", "--json")
        assert answer.status == status, answer.err
        (run,) = answer.document["runs"]
        assert run["kind"] == "simulated" and answer.document["requirements"][0]["launches"] == 1
        again = assay("accept", str(path), "--run", run["folder"], "--json")
        assert again.document["requirements"] == answer.document["requirements"]
        assert again.document["runs"] == answer.document["runs"]  # the digests are of the run as it ended


def test_a_real_benchmark_is_measured_and_judged(tmp_path: Path) -> None:
    """A limit far below any processor's clock: accepted, or not shown where others disturb it; never rejected."""
    answer = assay("accept", str(contract(CLOCK)), "--out", "kept", "--json")
    assert answer.status in (0, 4), answer.err
    (found,) = answer.document["requirements"]
    assert found["value"] > 1e8 and found["launches"] in (5, 7, 9, 11)
    assert answer.document["runs"][0]["folder"] == str(tmp_path / "kept")
    about = assay("runs", "--json").document["runs"]
    assert [each["benchmarks"] for each in about] == [["clock"]] and about[0]["state"] == "done"
