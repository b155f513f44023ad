"""A model plays the cases of a run: each figure predicted, with an interval, beside what was measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from assay.described.machine_file import DescribedMachine
from assay.described.uncertainty import Uncertainty, drawn, uncertainty
from assay.document.model_prediction import ModelPrediction, PredictedCell, Transfer
from assay.document.reported_figure import FigureKey, ReportedFigure
from assay.document.run_document import Document
from assay.errors import InputError
from assay.fitting.chosen_cells import used_cells
from assay.prediction.counts import by_transfer, counts
from assay.prediction.plain_baseline import EchoLine, echo_line, plain_value
from assay.prediction.planned import measured_sizes, planned_alike
from assay.prediction.playing import simulated_draws, simulated_figures
from assay.prediction.spread import interval, repeat_error
from assay.prediction.subjects import Subject, subjects
from assay.prediction.transfer import UsedCells, kind_of
from assay.prediction.trust import trustworthy
from assay.report.derive.variants import reference
from assay.report.judge.comparison import nearest, size
from assay.store import Run

DRAWS, SEED = 40, 1
HOPS = "hops"  # a parameter of cases


def predict(
    run: Run,
    measured: Document,
    model: DescribedMachine,
    draws: int = DRAWS,
) -> ModelPrediction:
    """Predict every figure of a run that the model describes; `measured`: the run's document.

    `draws` of the model's parameters are simulated for the intervals. InputError where nothing of the run can be
    predicted.
    """
    skipped: list[str] = []
    whole, known = reference(measured), uncertainty(model)
    planned = list(planned_alike(run, whole, model, skipped.append, every_length=True))
    fitted = used_cells(whole) if known is not None else []
    records = {each.record.name: each.record for each in planned}
    found = subjects(whole, records.values(), measured_sizes(run), {f"{f.benchmark}.{f.name}" for f in fitted})
    made, reasons = simulated_figures(model, planned)
    matched = _matched(found, made)
    alone = Counter(each.figure.benchmark for each in found if each.key not in matched)
    for name, count in alone.items():
        reason = reasons.get(name, f"not described by {model.name}")
        skipped.append(f"{name}: {count} {'cell' if count == 1 else 'cells'}: {reason}")
    if not matched:
        raise InputError(
            f"has nothing that {model.name} describes",
            key="predict",
            value=measured.run,
            accepted="a run of echo, barrier, …, of as many ranks as the model has places",
        )
    others = _machines(model, known, draws)
    fitted_keys = {f.key for f in fitted}
    used = [each for each in found if each.figure.key in fitted_keys]
    places = {key: place for place, key in enumerate(dict.fromkeys(each.key[:2] for each in found))}
    behind = _Behind(
        used=UsedCells(used),
        line=echo_line(used),
        known=known,
        is_own=_is_of(model, measured.run),
        draws=simulated_draws(others, planned, frozenset(name for name, *_ in matched)),
        parts={name: record.part for name, record in records.items()},
    )
    ordered = sorted(found, key=lambda each: (places[each.key[:2]], size(each.figure.params)))
    cells = [_cell(each, *matched[each.key], behind) for each in ordered if each.key in matched]
    whole_prediction = ModelPrediction(
        **asdict(counts(cells)),
        machine=model.name,
        run=measured.run,
        level=None if known is None else known.level,
        draws=len(others),
        used=sum(each.used for each in cells),
        bounds=sum(each.state == "bound" and not each.used for each in cells),
        disturbed=sum(each.state == "disturbed" and each.counts for each in cells),
        cells=cells,
        classes=by_transfer(cells),
        skipped=list(dict.fromkeys(skipped)),
        not_determined=[] if known is None else list(known.not_determined),
        refusal=None,
    )
    return replace(whole_prediction, refusal=None if known is None else trustworthy(whole_prediction))


@dataclass(frozen=True)
class _Behind:
    """What predictions rest on; `is_own`: whether the model was fitted to the run that is predicted."""

    used: UsedCells
    line: EchoLine | None
    known: Uncertainty | None
    is_own: bool
    draws: Sequence[Mapping[FigureKey, float]]
    parts: Mapping[str, str]


def _matched(
    found: Sequence[Subject], made: Mapping[FigureKey, ReportedFigure]
) -> dict[FigureKey, tuple[FigureKey, float]]:
    """By subject the simulated figure that is alike in all that both state: its key and value.

    A model whose figure is of one distance alone, such as a crossbar, predicts the same for every number of hops.
    """
    by_figure: dict[tuple[str, str], dict[FigureKey, ReportedFigure]] = {}
    for key, figure in made.items():
        by_figure.setdefault(key[:2], {})[key] = figure
    for name, of in by_figure.items():
        if len({figure.params.get(HOPS) for figure in of.values()}) == 1:
            by_figure[name] = {key: replace(f, params=f.params.without((HOPS,))) for key, f in of.items()}
    matched = {}
    for each in found:
        among = by_figure.get(each.key[:2], {})
        other = nearest(each.key, each.figure, among)
        if other is not None and other.value is not None:
            matched[each.key] = (next(key for key, figure in among.items() if figure is other), other.value)
    return matched


def _machines(model: DescribedMachine, known: Uncertainty | None, count: int) -> list[DescribedMachine]:
    """The model with draws of its parameters; a draw that is no machine, such as crossed lengths, is left out."""
    made = []
    for draw in known.draws(count, SEED) if known is not None and known.keys else ():
        try:
            made.append(drawn(model, draw))
        except InputError:
            continue
    return made


def _is_of(model: DescribedMachine, run: str) -> bool:
    """Whether a model's file states this run as its source."""
    return run in re.split(r"[\s,;]+", model.source)


def _cell(of: Subject, key: FigureKey, value: float, behind: _Behind) -> PredictedCell:
    used = behind.is_own and of.key in behind.used.keys
    transfer: Transfer = "fitted" if used else behind.used.transfer(of)
    siblings, figure = behind.used.siblings(of), of.figure
    known, launches = behind.known, len(figure.by_launch) or 1
    low = high = None
    if known is not None:
        drawn_values = [found[key] for found in behind.draws if key in found]
        where = (figure.benchmark, figure.name, of.length)
        low, high = interval(
            value,
            drawn_values,
            known.spread(*where) or 0.0,
            launches,
            known.level,
            known.spread_of_runs(*where),
            known.freedom(*where),
        )
    plain = None if used else plain_value(of, behind.parts[figure.benchmark], siblings, behind.line)
    return PredictedCell(
        benchmark=figure.benchmark,
        figure=figure.name,
        params=figure.params,
        unit=figure.unit,
        measured=of.value,
        predicted=value,
        low=low,
        high=high,
        baseline=None if plain is None else plain[0],
        baseline_by=None if plain is None else plain[1],
        used=used,
        transfer=transfer,
        kind=kind_of(of, transfer, siblings),
        state=figure.state,
        launches=launches,
        repeat_error=repeat_error([each for _, each in figure.by_launch]),
    )
