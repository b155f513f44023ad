"""A library that is beaten at its own work by the code that was compiled beside it is named, where that is shown."""

from __future__ import annotations

import numpy as np
import pytest

from assay.document.section import Section
from assay.report.render import page, summary
from assay.report.sections.slow_libraries import slow
from made_documents import document, figure, section

NOTE = "library: OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH Haswell MAX_THREADS=64, kernels for Haswell"
Cases = dict[tuple[str, int, int], float]  # code, size, threads: seconds


def product(times: Cases, launches: int = 10, note: str = NOTE, benchmark: str = "gemm") -> Section:
    """A section of that benchmark, each launch within 1% of its time."""
    noise = np.random.default_rng(1)
    figures = []
    for (code, size, threads), seconds in times.items():
        values = seconds * noise.uniform(0.99, 1.01, launches)
        one = figure("time", float(np.median(values)), "s", code=code, size=size, threads=threads, type="float64")
        figures.append(one | {"by_launch": [[i, v] for i, v in enumerate(values.tolist())], "better": "lower"})
    return section(benchmark, figures, title="Matrix product", notes=[note], part="kernels", launches=launches)


def sizes(ratio: float, small: float = 1.0) -> Cases:
    """The library's times beside ours at two sizes: `ratio` of ours at the larger, `small` at the smaller."""
    return {("library", 64, 1): small * 1e-5, ("ours", 64, 1): 1e-5} | {
        ("library", 1024, 1): ratio * 0.02,
        ("ours", 1024, 1): 0.02,
    }


def test_a_library_that_takes_half_as_long_again_is_named_wherever_the_run_is_read() -> None:
    run = document(product(sizes(1.5)))
    ((ratio, text),) = slow(run.benchmarks[0])
    assert ratio == pytest.approx(1.5, rel=0.02)
    words = "Matrix product: OpenBLAS 0.3.21 with kernels for Haswell takes 1.5"
    assert text.startswith(words) and text.endswith("size 1024, threads 1, float64")
    low, high = (float(word) for word in text.partition("(95%: ")[2].partition(")")[0].split(" to "))
    assert 1.45 <= low <= 1.5 <= high <= 1.55
    everywhere = [
        "\n".join(summary.terminal(run)),
        "\n".join(summary.brief(run)),
        summary.markdown(run),
        page.html(run),
    ]
    for shown in everywhere:
        assert words in " ".join(shown.split())


@pytest.mark.parametrize(
    ("times", "launches"),
    [
        (sizes(1.05), 10),  # within what kernels may differ
        (sizes(0.5), 10),
        (sizes(1.0, small=3.0), 10),  # a call costs more than what it does
        (sizes(1.5), 3),  # too few launches to show it
    ],
)
def test_nothing_is_said_where_nothing_is_shown(times: Cases, launches: int) -> None:
    assert list(slow(document(product(times, launches)).benchmarks[0])) == []


def test_each_number_of_threads_is_a_case_of_its_own() -> None:
    two: Cases = {("library", 1024, 2): 0.03, ("ours", 1024, 2): 0.01}
    ((_, text),) = slow(document(product(sizes(1.5) | two)).benchmarks[0])
    assert "takes 3" in text and "threads 2" in text and text.endswith("longer in 1 more case")


def test_a_generator_of_the_language_is_no_library_that_knows_processors() -> None:
    run = document(product(sizes(3.0), benchmark="random-numbers", note="library: std::mt19937_64"))
    assert list(slow(run.benchmarks[0])) == []


def test_a_library_without_a_name_is_the_library() -> None:
    ((_, text),) = slow(document(product(sizes(1.5), note="something else")).benchmarks[0])
    assert text.startswith("Matrix product: the library takes")
