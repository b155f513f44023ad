"""Variants measured in turn: what ends it, what is judged, and what the command line says and returns."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from assay.decide import live
from assay.decide.live import LiveSide, decide
from assay.errors import MeasurementError
from assay.execute.plan import Plan
from assay.report.derive.document import document
from assay.store import Run
from command_line import assay
from test_document import block, launch

pytestmark = pytest.mark.usefixtures("own_folder")


@dataclass
class MadeSide(LiveSide):
    """A side whose launches take the seconds that it is given, by length; it notes in which order sides are asked."""

    seconds: Callable[[int], Sequence[float]] = lambda pair: (1e-6,)
    asked: list[str] | None = None
    fails_at: int | None = None
    disturbed: Callable[[int], bool] = lambda pair: False

    def launch(self, pair: int, say: Callable[[str], None]) -> None:
        if self.asked is not None:
            self.asked.append(self.words)
        if pair == self.fails_at:
            raise MeasurementError(f"{self.words}: exit status 3")
        lengths = (8, 65536, 1024)
        found = self.seconds(pair)
        others, slower = (0.3, 2.5) if self.disturbed(pair) else (0.0, 1.0)  # but for one reading of each block
        accounting = {"steal": others, "others": 0.0, "own": 2.0, "wall": 1.0, "involuntary": 2, "major_faults": 0}
        events = [block(n, [s, *[slower * s] * 4]) for n, s in zip(lengths, found, strict=False)]
        launch(self.run, pair, [each | {"accounting": accounting} for each in events])


def side(tmp_path: Path, name: str, seconds: Callable[[int], Sequence[float]], **more: Any) -> MadeSide:
    run = Run.create(tmp_path / name, {"machine": "here", "host": {"usable_cpus": 4}, "wishes": {}})
    where: Any = None
    return MadeSide(name, run, Plan("quick", 20, 1, ()), where, seconds, **more)


def wobbling(scale: float) -> Callable[[int], Sequence[float]]:
    """Launches that differ by up to 1% and repeat after 7."""
    return lambda pair: [scale * 1e-6 * (1 + 0.002 * (pair * 3 % 7)), scale * 2e-6 * (1 + 0.002 * (pair * 5 % 7))]


def test_equal_and_different_variants_end_before_the_last_pair(tmp_path: Path) -> None:
    for name, scale, verdict in (("same", 1.001, "equal"), ("slower", 1.1, "differs"), ("faster", 0.9, "differs")):
        asked: list[str] = []
        a = side(tmp_path, f"{name}-a", wobbling(1.0), asked=asked)
        b = side(tmp_path, f"{name}-b", wobbling(scale), asked=asked)
        found = decide((a, b), margin=0.03, most=20, seed=1, words=["half_round_trip"])
        assert {each.decision.verdict.value for each in found.figures} == {verdict} and len(found.figures) == 2
        assert found.pairs in (8, 12) and found.ended == "every figure is decided"
        assert len(asked) == 2 * found.pairs and {asked[0], asked[1]} == {asked[-2], asked[-1]} == {a.words, b.words}
        firsts = asked[::2]
        assert 0 < firsts.count(a.words) < found.pairs  # the order within a pair is random
        assert found.figures[0].decision.ratio == pytest.approx(scale, rel=0.01)


def test_what_stays_unclear_uses_all_pairs_and_is_neither(tmp_path: Path) -> None:
    a = side(tmp_path, "a", lambda pair: [1e-6 * (1 + 0.5 * (pair % 2))])
    b = side(tmp_path, "b", lambda pair: [1e-6 * (1 + 0.5 * (pair // 2 % 2))])
    found = decide((a, b), margin=0.03, most=12, seed=1, words=None)
    assert found.pairs == 12 and found.ended == "all 12 pairs were made"
    assert found.figures and not any(each.decision.decided for each in found.figures)


def test_a_budget_ends_it_between_pairs(tmp_path: Path) -> None:
    a, b = side(tmp_path, "a", wobbling(1.0)), side(tmp_path, "b", wobbling(1.0))
    found = decide((a, b), margin=0.03, most=20, seed=1, words=None, budget=1e-6)
    assert found.pairs == 1 and found.ended == "another pair would pass the budget of 1e-06 s"


def test_a_launch_that_fails_ends_it_and_says_which_variant(tmp_path: Path) -> None:
    a, b = side(tmp_path, "a", wobbling(1.0)), side(tmp_path, "b", wobbling(1.0), fails_at=3)
    with pytest.raises(MeasurementError, match="b: exit status 3"):
        decide((a, b), margin=0.03, most=20, seed=1, words=None)


def test_variants_without_a_figure_in_common_are_refused(tmp_path: Path) -> None:
    a = side(tmp_path, "a", wobbling(1.0))
    with pytest.raises(MeasurementError, match="no figure in common"):
        decide((a, side(tmp_path, "b", wobbling(1.0))), margin=0.03, most=20, seed=1, words=["nosuch"])


def test_builds_of_a_kernel_are_told_apart_on_any_machine(tmp_path: Path) -> None:
    """Without optimisation the kernel takes several times as long in the first cache: no other load hides that."""
    words = "vectors --set kernel=axpy --set length=1000 --set repetitions=2"
    answer = assay("compare", "--live", f"{words} --flags -O0", f"{words} --flags -O2 --label fast", "--json")
    assert answer.status == 3, answer.err
    found = answer.document
    assert found["passed"] is False and found["judged"] is True and 8 <= found["pairs"] <= 20
    rates = [each for each in found["figures"] if each["name"] == "vectors.rate"]
    assert rates and all(each["verdict"] == "differs" and each["value"] > 1.3 for each in rates), found["figures"]
    assert [each["words"] for each in found["variants"]] == [
        f"{words} --flags -O0",
        f"{words} --flags -O2 --label fast",
    ]
    runs = assay("runs", "--json").document["runs"]
    assert [each["state"] for each in runs] == ["done", "done"] and "fast" in [each["label"] for each in runs]
    about = json.loads((Path(runs[0]["folder"]) / "run.json").read_text())
    assert about["command"][:2] == ["compare", "--live"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["clock"], "--live: compares two variants; got 1"),
        (["clock", "clock", "clock"], "--live: compares two variants; got 3"),
        (["clock", "nosuch"], "benchmark: no such benchmark"),
        (["clock", "clock --nosuch"], "no such option: --nosuch"),
        (["clock", "clock 'x"], "cannot be split into words (No closing quotation)"),
        (["clock", "clock --launches 3"], "has no effect with --live: --launches; got 'clock --launches 3'"),
        (["clock", "echo --on ipsc860"], "gives the same at every launch; got 'echo --on ipsc860'"),
        (["vectors", "vectors --flags -O1 --flags -O2"], "is more than one variant; got 'vectors --flags -O1"),
        (["clock", "clock", "--pairs", "9"], "--pairs"),
        (["clock", "clock", "--figures", "clock.nosuch"], "no run here has this figure; got 'clock.nosuch'"),
        (["clock", "clock --label 1"], "--label: is not a label"),
    ],
)
def test_what_cannot_be_compared_in_turn_is_refused_before_anything_is_made(
    words: list[str], said: str, tmp_path: Path
) -> None:
    answer = assay("compare", "--live", *words)
    assert answer.status == 2 and answer.out == "" and said in answer.err, answer
    assert not list(tmp_path.iterdir())


def test_pairs_and_budget_are_of_live_alone() -> None:
    for option in (("--pairs", "20"), ("--budget", "1min")):
        answer = assay("compare", "a", "b", *option)
        assert answer.status == 2 and f"{option[0]}: has no effect here" in answer.err and "with --live" in answer.err


@pytest.mark.parametrize("bound", [{"a", "b"}, {"b"}])
def test_where_only_best_readings_count_of_a_variant_those_of_both_decide(
    bound: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure of which others disturbed every launch has no median."""

    def seen(run: Run, **options: Any) -> Any:
        made = document(run, **options)
        if run.folder.name not in bound:
            return made
        figures = [replace(of, state="bound", by_launch=[]) for of in made.benchmarks[0].figures]
        return replace(made, benchmarks=[replace(made.benchmarks[0], figures=figures)])

    a, b = side(tmp_path, "a", wobbling(1.0)), side(tmp_path, "b", wobbling(1.1))
    monkeypatch.setattr(live, "document", seen)
    found = decide((a, b), margin=0.03, most=20, seed=1, words=["half_round_trip"])
    assert {each.decision.verdict.value for each in found.figures} == {"differs"} and len(found.figures) == 2


def test_launches_that_were_disturbed_as_a_whole_count_by_their_best_readings(tmp_path: Path) -> None:
    """Their medians are 2.5 times as long; without them no look would have the pairs that it was planned for."""
    a = side(tmp_path, "a", wobbling(1.0), disturbed=lambda pair: pair % 3 == 0)
    b = side(tmp_path, "b", wobbling(1.1), disturbed=lambda pair: pair % 4 == 0)
    found = decide((a, b), margin=0.03, most=20, seed=1, words=["half_round_trip"])
    assert {each.decision.verdict.value for each in found.figures} == {"differs"}
    figure = next(of for of in document(a.run).benchmarks[0].figures if of.name == "half_round_trip")
    assert figure.marked >= figure.blocks / 3
    assert {(each.statistic, each.decision.pairs) for each in found.figures} == {("best reading", found.pairs)}
