"""Variants measured in turn: what ends it, what is judged, and what the command line says and returns."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.analysis.launch_statistics import BEST, MEDIAN, PILOT
from assay.decide.live import LiveSide, decide
from assay.errors import MeasurementError
from assay.execute.compiler import DEFAULT_FLAGS
from assay.execute.plan import Plan
from assay.report.derive.document import document
from assay.store import Run
from assay.verbs import _compare_live
from command_line import assay
from compiled import own_cache
from mpis_here import MPI
from planted_work import PLANTED, RANKS
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
        assert {each.verdict for each in found.figures} == {verdict} and len(found.figures) == 2
        assert found.pairs in (8, 12) and found.ended == "every figure is decided"
        assert len(asked) == 2 * (PILOT + found.pairs) and {asked[0], asked[1]} == {asked[-2], asked[-1]} == {
            a.words,
            b.words,
        }
        firsts = asked[::2]
        assert 0 < firsts.count(a.words) < len(firsts)  # the order within a pair is random
        assert found.figures[0].decision is not None
        assert found.figures[0].decision.ratio == pytest.approx(scale, rel=0.01)
        assert {each.statistic for each in found.figures} == {MEDIAN}


def test_what_stays_unclear_uses_all_pairs_and_is_neither(tmp_path: Path) -> None:
    a = side(tmp_path, "a", lambda pair: [1e-6 * (1 + 0.5 * (pair % 2))])
    b = side(tmp_path, "b", lambda pair: [1e-6 * (1 + 0.5 * (pair // 2 % 2))])
    found = decide((a, b), margin=0.03, most=12, seed=1, words=None)
    assert found.pairs == 12 and found.ended == "all 12 pairs were made"
    assert found.figures and not any(each.decided for each in found.figures)


def test_a_budget_ends_it_between_pairs_and_what_a_pilot_cannot_show_is_inconclusive(tmp_path: Path) -> None:
    a, b = side(tmp_path, "a", wobbling(1.0)), side(tmp_path, "b", wobbling(1.0))
    found = decide((a, b), margin=0.03, most=20, seed=1, words=None, budget=1e-6)
    assert found.pairs == 0 and found.ended == "another pair would pass the budget of 1e-06 s"
    assert {(each.verdict, each.reason) for each in found.figures} == {
        ("inconclusive", "the budget ended before the first judged pair")
    }


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


def test_what_one_variant_lacks_is_not_met(tmp_path: Path) -> None:
    """A figure that is named, or a headline, and that only one has: the others are equal, and that is not all."""
    for words in (["half_round_trip"], None):
        name = "named" if words else "headlines"
        a = side(tmp_path, f"{name}-a", wobbling(1.0))
        b = side(tmp_path, f"{name}-b", lambda pair: wobbling(1.0)(pair)[:1])
        found = decide((a, b), margin=0.03, most=10, seed=1, words=words)
        lacking = [each for each in found.figures if each.reason == "not measured in B"]
        assert lacking and {each.verdict for each in lacking} == {"inconclusive"}, found.figures
        assert {each.params["bytes"] for each in lacking} == {65536}
        assert found.pairs == 10 and found.ended == "all 10 pairs were made"
    twice = decide(
        (side(tmp_path, "c", lambda pair: wobbling(1.0)(pair)[:1]), side(tmp_path, "d", wobbling(1.0))),
        margin=0.03, most=10, seed=1, words=["half_round_trip"],
    )  # fmt: skip
    assert {each.reason for each in twice.figures if each.verdict != "equal"} == {"not measured in A"}


def test_a_figure_whose_check_fails_in_one_variant_is_not_met(tmp_path: Path) -> None:
    class Broken(MadeSide):
        def launch(self, pair: int, say: Callable[[str], None]) -> None:
            times = wobbling(1.0)(pair)
            wrong = {"event": "check", "case": {"bytes": 65536, "hops": None}, "passed": False, "detail": "byte 7"}
            launch(self.run, pair, [*(block(n, [t] * 5) for n, t in zip((8, 65536), times, strict=True)), wrong])

    a, made = side(tmp_path, "a", wobbling(1.0)), side(tmp_path, "b", wobbling(1.0))
    b = Broken(made.words, made.run, made.plan, made.where)
    found = decide((a, b), margin=0.03, most=10, seed=1, words=["half_round_trip"])
    assert {(each.params["bytes"], each.verdict, each.reason) for each in found.figures} == {
        (8, "equal", None),
        (65536, "inconclusive", "invalid in B"),
    }


def test_launches_that_others_disturbed_count_by_their_best_readings(tmp_path: Path) -> None:
    """Their medians are 2.5 times as long, in the pilot too: best readings are fixed, and all pairs count."""
    a = side(tmp_path, "a", wobbling(1.0), disturbed=lambda pair: pair % 3 == 0)
    b = side(tmp_path, "b", wobbling(1.1), disturbed=lambda pair: pair % 4 == 0)
    found = decide((a, b), margin=0.03, most=20, seed=1, words=["half_round_trip"])
    assert {each.verdict for each in found.figures} == {"differs"}
    figure = next(of for of in document(a.run).benchmarks[0].figures if of.name == "half_round_trip")
    assert figure.marked >= figure.blocks / 3
    assert {each.statistic for each in found.figures} == {BEST}
    assert {each.decision.pairs for each in found.figures if each.decision} == {found.pairs}


def test_a_disturbance_after_the_pilot_changes_no_estimator(tmp_path: Path) -> None:
    """Chosen again at each look, the statistic would be the one that happens to decide."""
    a = side(tmp_path, "a", wobbling(1.0), disturbed=lambda pair: pair >= PILOT and pair % 3 == 0)
    b = side(tmp_path, "b", wobbling(1.0), disturbed=lambda pair: pair >= PILOT and pair % 4 == 0)
    found = decide((a, b), margin=0.03, most=20, seed=1, words=["half_round_trip"])
    assert {each.statistic for each in found.figures} == {MEDIAN}
    assert {each.decision.pairs for each in found.figures if each.decision} == {20}


def test_an_improvement_misses_nothing_where_only_worse_counts(tmp_path: Path) -> None:
    """The status, by the direction of each figure: a time that falls, a rate that falls."""
    for scale, status in ((0.8, 0), (1.25, 3), (1.0, 0)):
        a = side(tmp_path, f"{scale}-a", wobbling(1.0))
        b = side(tmp_path, f"{scale}-b", wobbling(scale))
        found = decide((a, b), margin=0.03, most=20, seed=1, words=["echo"], only_worse=True)
        assert {each.better for each in found.figures} == {"lower", "higher"}
        assert _compare_live._status(found, True) == status, (scale, found.figures)
        assert _compare_live._status(found, False) == (0 if scale == 1.0 else 3)


def built(name: str, flags: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run of the sieve, compiled with these flags; its program's key."""
    with monkeypatch.context() as patch:
        patch.setenv("CXXFLAGS", flags)
        answer = assay("run", "sieve", "--launches", "1", "--label", name, "--json")
    assert answer.status == 0, answer.err
    return key_of(Path(answer.document["folder"]))


def key_of(folder: Path) -> str:
    stated = [json.loads(path.read_text()) for path in (folder / "provenance").glob("*.json")]
    (key,) = {each["programs"]["sieve"]["key"] for each in stated}
    return str(key)


@pytest.mark.measures
def test_a_run_is_a_variant_with_the_program_that_it_was_made_by(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys = [built("plain", "-O0", monkeypatch), built("fast", DEFAULT_FLAGS, monkeypatch)]
    answer = assay("compare", "--live", "plain", "latest", "--pairs", "10", "--json")
    assert answer.status == 3, answer.err
    runs = [Path("runs") / each["run"] for each in answer.document["variants"]]
    assert [key_of(run) for run in runs] == keys
    (figure,) = [each for each in answer.document["figures"] if each["name"] == "sieve.time"]
    assert figure["value"] < 0.8 and figure["sides"]["median"]["b"] < figure["sides"]["median"]["a"]
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "emptied"))
    gone = assay("compare", "--live", "plain", "fast")
    assert gone.status == 2 and len(gone.err.splitlines()) == 1
    assert f"its program is not in the cache any more (sieve-{keys[0]})" in gone.err


@pytest.mark.mpi
@pytest.mark.measures
@pytest.mark.timeout(900)
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_both_states_of_an_own_program_that_was_edited_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their binaries are kept; the file has the newer source only."""
    monkeypatch.setenv("ASSAY_CACHE", str(own_cache(tmp_path / "cache")))
    file = tmp_path / "planted.hpp"
    for label, steps in (("before", 300_000), ("after", 100_000)):
        file.write_text(PLANTED.replace("#define STEPS 100000", f"#define STEPS {steps}"))
        made = assay("build", str(file)), assay("run", "planted", *RANKS, "--launches", "1", "--label", label)
        assert [each.status for each in made] == [0, 0], made
    answer = assay("compare", "--live", "before", "after", "--pairs", "10", "--only-worse", "--json")
    assert answer.status == 0, answer.err  # three times as fast is no loss
    (figure,) = answer.document["figures"]
    assert figure["verdict"] == "differs" and figure["value"] == pytest.approx(1 / 3, rel=0.3)
    worse = assay("compare", "--live", "after", "before", "--pairs", "10", "--only-worse", "--json")
    assert worse.status == 3 and worse.document["passed"] is False


@pytest.mark.mpi
@pytest.mark.measures
@pytest.mark.skipif(MPI is None, reason="no MPI here")
def test_transports_of_an_mpi_are_told_apart() -> None:
    """Within a node TCP takes several times as long as shared memory, whatever else runs."""
    words = "echo -n 2 --set bytes=8 --mpi default"
    answer = assay(
        "compare", "--live", f"{words} --transport shm", f"{words} --transport tcp", "--pairs", "10", "--json"
    )
    assert answer.status == 3, answer.err
    (figure,) = [each for each in answer.document["figures"] if each["name"] == "echo.half_round_trip"]
    assert figure["verdict"] == "differs" and figure["value"] > 1.5
