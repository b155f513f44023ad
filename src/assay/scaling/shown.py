"""A study's answers in words, as figures of every verb's list, and which of its settings are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.case import Case
from assay.document.scaling import NoiseAdded, ScaledFigure, ScalingAnswers, ScalingPoint
from assay.network.documents import SimulatedFigure
from assay.network.figures import figure
from assay.scaling.study_file import LABEL, ScalingStudy

if TYPE_CHECKING:
    from pydantic import JsonValue


def shown_setting(study: ScalingStudy, setting: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A setting by the last parts of its keys: of a case with a label, the label replaces the case's keys."""
    keys = [LABEL, *study.sweep] if LABEL in setting else list(setting)
    return {key.rpartition(".")[2]: setting[key] for key in keys if key in setting}


class StudyFigure(SimulatedFigure):
    """A figure of a study's point, with its benchmark."""

    benchmark: str


def figures(answers: ScalingAnswers) -> list[StudyFigure]:
    """All figures in the shape of every verb's list; parameters are the setting's, with `on_ranks`, and the case's."""
    found: list[StudyFigure] = []
    for point in answers.points:
        for each in point.figures:
            setting = {key: value for key, value in point.setting.items() if key != "ranks"}
            about = {"study": answers.study, **setting, "on_ranks": point.ranks, **each.params}
            ends = None if each.low is None or each.high is None else [each.low, each.high]
            made = figure(
                each.name, each.value, each.unit, about, statistic="median", estimator="the simulated value",
                interval=ends, confidence=answers.level or 0.95,
            )  # fmt: skip
            found.append({"benchmark": each.benchmark, **made})
    return found


def by_figure(answers: ScalingAnswers) -> Iterator[tuple[str, str, list[tuple[ScalingPoint, ScaledFigure]]]]:
    """Benchmark and figure, with its value at each point and case."""
    names = dict.fromkeys((each.benchmark, each.name) for point in answers.points for each in point.figures)
    for benchmark, name in names:
        yield (
            benchmark,
            name,
            [
                (point, each)
                for point in answers.points
                for each in sorted(point.figures, key=_in_order)
                if (each.benchmark, each.name) == (benchmark, name)
            ],
        )


def differing(cases: Sequence[Case]) -> list[str]:
    """The parameters in which cases differ."""
    keys = dict.fromkeys(key for case in cases for key in case)
    return [key for key in keys if len({str(case.get(key)) for case in cases}) > 1]


def added(each: NoiseAdded) -> str:
    """What noise adds, in percent with its interval."""
    ends = "" if each.low is None or each.high is None else f" ({each.low:+.1%} to {each.high:+.1%})"
    return f"{each.share:+.1%}{ends}"


def _in_order(each: ScaledFigure) -> list[tuple[bool, int | float | str]]:
    return [(isinstance(value, str), value) for value in each.params.values() if isinstance(value, int | float | str)]
