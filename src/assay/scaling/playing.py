"""A study's programs at its points, with the machine's estimates and with draws of its [uncertainty].

The same draws are played at every point, so that what two points differ by is not blurred by what both do not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.benchmark.record import Benchmark
from assay.case import Case
from assay.described.machine_file import DescribedMachine
from assay.described.uncertainty import Uncertainty, drawn, uncertainty
from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.document.scaling import NoiseAdded, ScaledFigure, ScalingAnswers, ScalingPoint
from assay.errors import AssayError, InputError
from assay.prediction.spread import interval
from assay.prediction.trust import refusal
from assay.published.cells.answers import Setting, play
from assay.scaling.assumptions import assumptions
from assay.scaling.points import MachinePoint, points, records, texts, words
from assay.scaling.study_file import ScalingStudy, StudiedProgram

LENGTHS = ("bytes", "length")


@dataclass
class PlayedPoint:
    """A point's figures by the estimates, and their values by each draw."""

    at: MachinePoint
    figures: dict[FigureKey, ReportedFigure]
    draws: list[dict[FigureKey, float]] = field(default_factory=list)


def answers(
    study: ScalingStudy,
    *,
    quick: bool = False,
    force: bool = False,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> ScalingAnswers:
    """Play all points. InputError for what cannot be, and where the machine's answers are refused and not forced.

    `quick`: a quarter of the draws. `progress`: how many machines were simulated, and of how many.
    """
    programs, found = records(study), list(points(study))
    refused = next((why for each in found if (why := refusal(each.machine)) is not None), None)
    if refused is not None and not force:
        raise InputError(
            f"answers are refused: {refused}", file=study.source.path, key="machine.on", accepted="--force"
        )
    wanted = study.machine.draws // 4 if quick else study.machine.draws
    known = [uncertainty(each.machine) for each in found]
    drawing = any(each is not None and each.keys for each in known)
    draws = wanted if drawing else 0
    of = len(found) * (1 + draws)
    played: list[PlayedPoint] = []
    for at, unsure in zip(found, known, strict=True):
        point = PlayedPoint(at, {f.key: f for f in _figures(study, programs, at, at.machine)})
        progress(len(played) * (1 + draws) + 1, of)
        for done, draw in enumerate(unsure.draws(draws, study.machine.seed) if unsure is not None and draws else []):
            try:
                other = _figures(study, programs, at, drawn(at.machine, draw))
            except AssayError:
                other = []  # no machine, such as lengths that cross
            point.draws.append({f.key: f.value for f in other if f.value})
            progress(len(played) * (1 + draws) + 2 + done, of)
        played.append(point)
    first = next((each for each in known if each is not None), None)
    return ScalingAnswers(
        study=study.name,
        title=study.head.title,
        source=study.head.source,
        machine=found[0].machine.name,
        draws=draws,
        level=first.level if first is not None and draws else None,
        points=[_document(each, unsure) for each, unsure in zip(played, known, strict=True)],
        noise=noise_added(played, first.level if first is not None else None),
        assumptions=assumptions(study, found),
        forced=refused,
    )


def _figures(
    study: ScalingStudy, programs: Sequence[Benchmark], at: MachinePoint, machine: DescribedMachine
) -> list[ReportedFigure]:
    found = []
    for program, record in zip(study.programs, programs, strict=True):
        settings: dict[str, Setting] = {**texts(program.set)}
        on_ranks = at.ranks[record.name]
        if on_ranks is not None:
            settings |= {"on_ranks": on_ranks, "per_node": at.ppn or 0}
        try:
            played = play(machine if at.noise else without_noise(machine), record.name, settings).figures
        except AssayError as error:
            raise InputError(f"{study.source.path}: {words(at.setting)}: {error}") from None
        names = program.figures or [name for name, figure in record.figures.items() if figure.headline]
        names = names or list(record.figures)[:1]
        found += [each for each in played if each.name in names and _of_all(each, program, at.ranks[record.name])]
    return found


def _of_all(figure: ReportedFigure, program: StudiedProgram, ranks: int | None) -> bool:
    """Whether a figure is an estimate, and of cases by number of ranks, where none was set, that of all."""
    counts = "ranks" in program.set or figure.params.get("ranks", ranks) == ranks
    return counts and figure.statistic == "median" and bool(figure.value)


def without_noise(machine: DescribedMachine) -> DescribedMachine:
    """The same machine, whose ranks compute undisturbed."""
    return machine.model_copy(update={"node": machine.node and machine.node.model_copy(update={"noise": None})})


def _document(point: PlayedPoint, known: Uncertainty | None) -> ScalingPoint:
    made = []
    for key, figure in point.figures.items():
        value, draws = figure.value or 0.0, [each[key] for each in point.draws if key in each]
        ends: tuple[float, float] | tuple[None, None] = (None, None)
        if known is not None and draws:
            length = next((figure.params[name] for name in LENGTHS if name in figure.params), None)
            of = figure.benchmark, figure.name, length
            ends = interval(value, draws, known.spread(*of) or 0.0, 1, known.level, freedom=known.freedom(*of))
        about = {"benchmark": figure.benchmark, "name": figure.name, "unit": figure.unit, "better": figure.better}
        made.append(ScaledFigure(**about, params=figure.params, value=value, low=ends[0], high=ends[1]))
    ranks = [each for each in point.at.ranks.values() if each is not None]
    return ScalingPoint(setting=Case(point.at.setting), ranks=max(ranks, default=None), figures=made)


def noise_added(played: Sequence[PlayedPoint], level: float | None) -> list[NoiseAdded]:
    """Of each pair of points that differ by the noise alone: what it adds to each figure that is a time."""
    without = {_but_noise(each.at.setting): each for each in played if not each.at.noise}
    made = []
    for each in played:
        other = without.get(_but_noise(each.at.setting))
        if other is None or not each.at.noise:
            continue
        for key, figure in each.figures.items():
            if key not in other.figures or figure.unit != "s":
                continue
            ratio = (figure.value or 0.0) / (other.figures[key].value or 1.0)
            pairs = [a[key] / b[key] for a, b in zip(each.draws, other.draws, strict=True) if key in a and key in b]
            low, high = interval(ratio, pairs, 0.0, 1, level) if pairs and level is not None else (None, None)
            benchmark, name, params = key
            made.append(
                NoiseAdded(
                    setting=_but_noise(each.at.setting),
                    benchmark=benchmark,
                    name=name,
                    params=params,
                    share=ratio - 1,
                    low=None if low is None else low - 1,
                    high=None if high is None else high - 1,
                )
            )
    return made


def _but_noise(setting: Mapping[str, object]) -> Case:
    return Case({key: value for key, value in setting.items() if key != "noise"})
