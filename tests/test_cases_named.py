"""Cases by their names: in the table of causes, among a run's first figures, and in the words of a fit."""

from __future__ import annotations

import numpy as np
import pytest

from assay.analysis.figures import CaseSamples
from assay.analysis.fits import fits
from assay.benchmark.record import benchmark
from assay.case import Case
from assay.document.cause import DisturbanceCause, MovedFigure
from assay.document.json_form import to_json
from assay.report.judge import verdict
from assay.report.render import plots
from assay.report.sections import disturbance
from made_documents import Json, document, figure, section


def test_a_figure_that_was_moved_is_named_with_its_case() -> None:
    about: Json = {"benchmark": "livermore", "figure": "mean_rate", "params": {"loop": 7, "span": 471}}
    moved = MovedFigure(**about, state="disturbed", low=None, high=None)
    cause = DisturbanceCause(
        **{"cause": "others", "host": "h", "text": "others worked", "begin": None, "end": None, "amount": 1.0},
        **{"figures": [moved], "processes": [], "advice": ""},
    )
    (grid,) = disturbance.tables(document(section("livermore", []), causes=[to_json(cause)]))
    assert grid.rows[0][2] == "livermore mean rate of loop 7, span 471 (by how much is not known)"


def test_first_figures_name_what_was_chosen_of_many_in_the_records_order() -> None:
    """The function stands although all cases have it alike; scalar before vector, usual before all."""
    cases = [(kind, variant, where) for kind in ("float64", "float32") for variant in ("vector", "scalar")
             for where in ("all", "usual")]  # fmt: skip
    made = [
        figure("time", 1e-9, "s", function="exp", type=kind, variant=variant, range=where)
        for kind, variant, where in cases
    ]
    about = {"time": "time", "error": "ulp_max", "across": "variant", "over": "range"}
    run = document(section("intrinsics", made, accuracy=about))
    titles = [line.title for line in verdict.of(run).lines]
    assert titles == [f"intrinsics, exp, usual: {kind}, {variant}" for kind in ("float32", "float64")
                      for variant in ("scalar", "vector")]  # fmt: skip


def test_curves_come_in_the_records_order_and_no_two_look_alike() -> None:
    """Launches are shuffled; twelve curves in eight colours."""
    kernels, levels = ("copy", "store", "load"), ("memory", "L3", "L2", "L1")
    made = [
        figure("rate", 1e9 * bits, "B/s", kernel=kernel, level=level, vector=bits) | {"headline": True}
        for level in levels
        for kernel in kernels
        for bits in (64, 128, 256, 512)
    ]
    (plot,) = plots.curves(section("roofs", made))
    names = [trace["name"] for trace in plot["data"]]
    assert names == [f"kernel {k}, level {n}" for k in ("load", "store", "copy") for n in ("L1", "L2", "L3", "memory")]
    looks = {(trace["line"]["color"], trace["line"]["dash"]) for trace in plot["data"]}
    assert len(looks) == len(names)


def test_a_start_up_is_not_called_absent_and_given_at_once() -> None:
    """Times through the origin have no start-up, cycles of the same loop a small one: neither is to be relied on."""
    case = {"kernel": "axpy", "access": "contiguous"}
    lengths = (64, 128, 256, 512)
    made = []
    for metric, start, each in (("time", -4e-9, 1e-9), ("cycles", 28.9, 2.0)):
        for n in lengths:
            values = {("h", i): np.array([start / n + each]) for i in range(3)}
            made.append(CaseSamples(metric, Case({**case, "length": n}), values, [], 1))
    made.append(CaseSamples("cache", Case({"level": 1}), {("h", 0): np.array([49152.0])}, [], 1))
    (fit,) = (each for each in fits(benchmark("vectors"), made) if each["level"] == "L1")
    assert fit["start_up_cycles"] is fit["n_half"] is fit["start_up_cycles_range"] is None
    assert fit["reason"] == "no start-up: by the line of times the fitted start-up is not positive"
    assert "start-up 28.9 cycles" not in fit["text"] and fit["cycles_per_element"] == pytest.approx(2.0)
