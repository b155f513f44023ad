"""A benchmark is one file: its record makes it part of plans, of runs and of their documents; nothing else names it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.benchmark import record
from assay.execute.plan import select_benchmarks
from command_line import assay

TOY = """
// A node program: what it times is compiled elsewhere; a described machine answers by its rate.
constexpr std::string_view record = R"record(
name = "toy"
title = "A toy"
part = "kernels"
kind = "node"
summary = "sums"
cost = "n additions"
check = "the sum is n (n + 1) / 2"
source = "here"
exact = ["count"]
slice_quick = 0.01
[parameter.n]
type = "integer"
default = [10, 1000]
sweep = true
[metric.time]
unit = "s"
[metric.count]
unit = "1"
[figure.rate]
metric = "time"
formula = "n / value"
unit = "1/s"
better = "higher"
help = "additions"
[headline.largest]
figure = "rate"
title = "the toy"
most = "n"
[described]
kernel = "linpack"
metric = { time = "unit * n", count = "n" }
)record";
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The one file, among the shipped programs."""
    path = tmp_path / "toy.cpp"
    path.write_text(TOY)
    shipped = list(record._sources())
    caches = (record._texts, record._places, record._record, record.benchmarks)
    monkeypatch.setattr(record, "_sources", lambda: iter([*shipped, path]))
    for each in caches:
        each.cache_clear()
    yield path
    for each in caches:
        each.cache_clear()


def test_a_toy_benchmark_is_one_file(toy: Path, tmp_path: Path) -> None:
    made = record.benchmark("toy")
    assert made.exact == {"count"} and made.slices == {"quick": 0.01} and made.headlines["largest"].most == "n"
    assert made in select_benchmarks("kernels")
    answer = assay("run", "toy", "--on", "ipsc860", "--json", "--out", str(tmp_path / "run"))
    assert answer.status == 0, answer.err
    found = {figure["params"]["n"]: figure["value"] for figure in answer.document["figures"]}
    assert set(found) == {10, 1000} and found[10] == pytest.approx(found[1000]) and found[10] > 0
    (headline,) = answer.document["headlines"]
    assert headline["title"] == "the toy" and headline["params"]["n"] == 1000
