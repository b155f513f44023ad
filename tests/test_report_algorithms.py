"""Table 6.13, appendix B of the Paragon's report and figure 1 of the hypercubes' with a run's figures, by hand."""

from __future__ import annotations

import io

from rich.console import Console

from assay.document.section import Section
from assay.published.tables import dot_products, euroben_algorithms, paragon
from assay.report.render import terminal
from assay.report.render.markdown import markdown as as_markdown
from made_documents import document, figure, section

# As Table 6.13 prints them; section 6.2.2.1 has another number for mod2b on the IBM cluster.
QUOTED_2A = ("406 Mflop/s", "180 Mflop/s", "415 Mflop/s", "283 Mflop/s")
QUOTED_2B = ("374 Mflop/s", "101 Mflop/s ?", "177 Mflop/s", "200 Mflop/s")


def products() -> Section:
    rates = (
        ("ours", "dot", 50, 2e9),
        ("ours", "axpy", 200, 9e9),
        ("ours", "axpy", 2000, 4e9),
        ("library", "gemv", 200, 2e10),
    )
    figures = [figure("rate", rate, "flop/s", code=code, form=form, size=size) for code, form, size, rate in rates]
    figures.append(figure("rate", 9e10, "flop/s", "best", code="ours", form="dot", size=50))  # r_max is of medians
    return section("matrix-vector", figures, historical=True, published=["euroben.mod2a"])


def test_the_greatest_rates_stand_beside_table_6_13() -> None:
    wavelet = section("wavelet", [figure("rate", 3e9, "flop/s", size=32)], published=["euroben.mod2g"])
    linpack = section(
        "linpack",
        [
            figure("rate", None, "flop/s", code="ours", size=100, threads=1),
            figure("rate", 5e10, "flop/s", code="library", size=1000, threads=2),
        ],
        published=["linpack", "euroben.mod2b"],
    )
    (table,) = euroben_algorithms.tables(document(products(), wavelet, linpack))
    assert table.rows == (
        ("mod2a, matrix x vector", "9 Gflop/s (axpy, 200)", "20 Gflop/s (gemv, 200)", *QUOTED_2A),
        ("mod2b, A x = b, full", "–", "50 Gflop/s (1000, 2 threads)", *QUOTED_2B),
        ("mod2g, 2-D wavelet", "3 Gflop/s (32)", "–", "209 Mflop/s", "62.6 Mflop/s", "74.2 Mflop/s", "95.1 Mflop/s"),
    )
    assert euroben_algorithms.tables(document(section("echo", []))) == []


def test_a_size_known_only_by_its_best_reading_says_so() -> None:
    bound = figure("rate", 7e9, "flop/s", "best", size=64) | {"state": "bound"}
    invalid = figure("rate", 8e9, "flop/s", size=128) | {"state": "invalid"}
    found = [figure("rate", 3e9, "flop/s", size=32), bound, invalid]
    (table,) = euroben_algorithms.tables(document(section("wavelet", found, published=["euroben.mod2g"])))
    assert table.rows[0][1] == "7 Gflop/s (64, best reading)"


def test_a_person_sees_the_table_on_terminal_and_page() -> None:
    made = document(products())
    out = io.StringIO()
    terminal.show(made, Console(file=out, width=80))
    assert "Table 6.13" in out.getvalue() and "Table 6.13" in as_markdown(made)


def test_appendix_b_has_this_machines_linpack_and_dhrystone() -> None:
    rate = figure("rate", 2e9, "flop/s", code="ours", size=100, threads=1)
    other = figure("rate", 8e9, "flop/s", code="library", size=100, threads=1)
    mips = section("dhrystone", [figure("dmips", 12345.0, "DMIPS")])
    (table,) = paragon.tables(document(section("linpack", [other, rate]), mips))
    assert table.title == "Appendix B: other multiprocessors"
    assert table.rows == (
        ("LINPACK, 100 equations", "2 Gflop/s", "1 Mflop/s", "15 Mflop/s", "0.37 Mflop/s"),
        ("Dhrystone (Mips of a VAX 11/780)", "12,340 Mips", "19.4 Mips", "–", "3.6 Mips"),
    )


def test_figure_1_has_a_row_for_each_length_and_a_column_for_each_code() -> None:
    cases = (
        ("compiled", "float64", 1000, 3e9),
        ("vectorised", "float64", 1000, 4e10),
        ("compiled", "float64", 16, 2e9),
    )
    figures = [figure("rate", rate, "flop/s", code=code, type=kind, length=n) for code, kind, n, rate in cases]
    (table,) = dot_products.tables(made := document(section("dot-product", figures, historical=True)))
    assert table.rows == (("16", "2 Gflop/s", "–"), ("1000", "3 Gflop/s", "40 Gflop/s"))
    assert "compilers reach 15 Mflop/s" in table.note and dot_products.tables(document(products())) == []
    out = io.StringIO()
    terminal.show(made, Console(file=out, width=80))
    assert "Figure 1" in out.getvalue() and "Figure 1" in as_markdown(made)
