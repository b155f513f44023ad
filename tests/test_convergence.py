"""Orders of convergence: what the solvers find on their grids, and the table of them."""

from __future__ import annotations

import io
import math
import shutil

import pytest
from rich.console import Console

from assay.benchmark.record import benchmark
from assay.report.render import page, terminal
from assay.report.render.markdown import markdown as as_markdown
from assay.report.sections import convergence
from by_night import by_night
from made_documents import document, figure, section
from test_solvers import of, run

STATED = {"multigrid": 2, "block-gauss-seidel": 2, "boundary-value": 4, "elliptic": 2}


def _found(name: str, broken: int = 0) -> dict[str, dict[int, float]]:
    """By metric and intervals."""
    made: dict[str, dict[int, float]] = {}
    for line in of(run(name, broken), "block"):
        if "intervals" in line["case"]:
            made.setdefault(line["metric"], {})[int(line["case"]["intervals"])] = line["values"][0]
    return made


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("name", STATED)
def test_errors_fall_by_the_order_of_the_method_and_stay_below_their_bounds(name: str) -> None:
    """log2(error(h) / error(h/2)), formed here: the program's own orders are held to the same errors."""
    stated = benchmark(name).convergence
    assert stated is not None and stated.order == STATED[name]
    found = _found(name)
    errors = found["error"]
    assert all(errors[n] <= found["error_bound"][n] for n in errors)
    between = math.log2(errors[32] / errors[64])
    assert between == pytest.approx(STATED[name], abs=0.1)
    assert found["order"][64] == pytest.approx(between, rel=1e-9)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("name", by_night(STATED, ["boundary-value"]))
def test_a_broken_kernel_shows_in_the_errors_or_in_the_order(name: str) -> None:
    found = _found(name, 1)
    within = [found["error"][n] <= found["error_bound"][n] for n in found.get("error", {})]
    orders = [abs(order - STATED[name]) <= 0.1 for order in found.get("order", {}).values()]
    assert not within or not all(within) or not all(orders)


def test_where_rounding_is_seen_no_order_is_given() -> None:
    """Numerov's error at 10,000 intervals is rounding's: log2 of a quotient of it is no order."""
    if shutil.which("g++") is None:
        pytest.skip("needs g++")
    assert 10000 not in _found("boundary-value")["order"]


def test_the_table_has_a_row_a_grid_in_the_order_of_their_steps() -> None:
    errors = {16: 0.04, 128: 5e-4, 32: 0.01}
    made = [figure("error", error, "1", size=128, intervals=str(n)) for n, error in errors.items()]
    made += [figure("error_bound", 2 * error, "1", size=128, intervals=str(n)) for n, error in errors.items()]
    made += [figure("order", 2.0, "1", size=128, intervals="32"), figure("time", 1e-3, "s", size=128)]
    stated = {"order": 2, "solution": "u = exp(x) sin(pi y)"}
    solved = section("multigrid", made, historical=True, convergence=stated, title="PDE by multigrid")
    (table,) = convergence.tables(solved)
    assert table.rows == (
        ("16", "0.04", "0.08", "–", "2"),
        ("32", "0.01", "0.02", "2.00", "2"),
        ("128", "0.0005", "0.001", "–", "2"),
    )
    assert "u = exp(x) sin(pi y)" in table.note and "rounding" in table.note
    out = io.StringIO()
    terminal.show(document(solved), Console(file=out, width=90))
    for text in (out.getvalue(), as_markdown(document(solved)), page.html(document(solved))):
        assert "PDE by multigrid: order of convergence" in text
    assert "intervals 16" not in out.getvalue()  # its rows stand in the table alone
    assert convergence.tables(section("multigrid", made)) == []
