"""Build variants: refused in a line before anything is measured, a factor of the plan, wrong results named, resumed."""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import made_documents as made
from assay.analysis.comparison import compare
from assay.benchmark import record
from assay.benchmark.record import benchmark, benchmarks, read_record
from assay.benchmark.variants import KEYS, Variant, labels, without
from assay.errors import InputError
from assay.execute import variants
from assay.execute.plan import make
from assay.report.derive.variants import of_variant
from assay.report.judge import comparison
from command_line import assay

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

# A recursion that -ffast-math breaks: Kahan's compensation is 0 by the rules of real numbers.
PROGRAM = """
#include <cmath>
#include <memory>
#include <vector>
#include "timing/program.hpp"
constexpr std::string_view record = R"record(
name = "recursion"
title = "Compensated recursion"
part = "kernels"
kind = "node"
summary = "s_i = s_(i-1) + y_i, each time less what the last addition lost"
cost = "4 additions"
check = "the sum in long double, within two units in the last place"
source = "Kahan 1965"
[unit.loop]
source = "recursion_loop.cpp"
[parameter.length]
type = "integer"
default = 10000
help = "terms"
[metric.time]
unit = "s"
help = "time of a term"
[figure.time]
metric = "time"
unit = "s"
help = "time of a term"
)record";
double compensated(const double* y, long n);
int main(int argc, char** argv) {
  using namespace assay::timing;
  return run_program(record, argc, argv, [](Case& at) {
    auto y = std::make_shared<std::vector<double>>(at.integer("length"), 1e-16);
    (*y)[0] = 1;
    auto sum = std::make_shared<double>();
    at.measure("time", [=](std::int64_t terms) {
      const auto n = static_cast<std::int64_t>(y->size());
      for (; terms > 0; terms -= n) *sum = compensated(y->data(), n);
    }, {.unit = at.integer("length")});
    at.check([=] {
      const double expected = static_cast<double>(1 + 1e-16L * (y->size() - 1));
      const double off = (*sum - expected) / 2.2e-16;
      return Check{std::abs(off) <= 2, "off by " + std::to_string(off) + " ulp"};
    });
  });
}
"""
LOOP = """
double compensated(const double* y, long n) {
  double sum = 0, lost = 0;
  for (long i = 0; i < n; ++i) {
    const double term = y[i] - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}
"""
SETS = ("--flags", "-O2", "--flags", "-O3 -ffast-math")


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A shipped program more, whose kernel lies in a unit beside it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "runs"))
    path = tmp_path / "recursion.cpp"
    path.write_text(PROGRAM)
    (tmp_path / "recursion_loop.cpp").write_text(LOOP)
    every = [*record._sources(), path]
    monkeypatch.setattr(record, "_sources", lambda: every)
    caches = (record.benchmarks, record._places, record.shipped, record._texts)
    for cache in caches:
        cache.cache_clear()
    yield path
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


def test_a_recursion_that_fast_math_breaks_is_named_everywhere_a_person_reads(planted: Path, tmp_path: Path) -> None:
    words = ("run", "recursion", *SETS, "--launches", "2", "--out", "run")
    answer = assay(*words, "--json")
    assert answer.status == 1, answer.err
    found = answer.document
    medians = [f for f in found["figures"] if f["statistic"] == "median" or f["state"] == "bound"]
    by_flags = {f["params"]["flags"]: f for f in medians}
    assert set(by_flags) == {"-O2", "-O3 -ffast-math"}
    assert all(set(KEYS) <= set(f["params"]) for f in found["figures"])
    assert by_flags["-O3 -ffast-math"]["state"] == "invalid" and by_flags["-O3 -ffast-math"]["value"] is None
    assert by_flags["-O2"]["state"] != "invalid" and by_flags["-O2"]["value"] > 0
    said = "with -O3 -ffast-math the check of recursion (length 10000) fails: off by "
    (wrong,) = found["variants"]["wrong"]
    assert wrong["text"].startswith(said) and wrong["label"] == "-O3 -ffast-math"
    version = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    for build, flags in zip(found["variants"]["builds"], ("-O2", "-O3 -ffast-math"), strict=True):
        assert build["by"] == f"g++ {version}" and version in build["version"]
        (command,) = build["commands"]
        assert f" {flags} " in command and "recursion_loop.cpp" in command
    launches = {line["program"]: line["flags"] for line in _lines(tmp_path / "run", "launch")}
    assert launches == {"recursion": "-O3 -march=native -Werror=unused-result -Werror=unused-value"}  # the harness
    journal = [json.loads(line) for line in (tmp_path / "run/journal.jsonl").read_text().splitlines()]
    assert sum(entry["event"] == "ended" for entry in journal) == 4  # wrong results do not end a variant's launches
    shown = assay("report", "run")
    assert shown.status in (0, 1)
    assert f"Tables of A (g++ {version} -march=native -O2), the first variant" in " ".join(shown.out.split())
    texts = {"terminal": shown.out, "page": (tmp_path / "run/report.html").read_text()}
    texts |= {name: (tmp_path / "run" / name).read_text() for name in ("report.md", "summary.md")}
    for name, text in texts.items():
        plain = " ".join(text.split()).replace("&#39;", "'")
        assert said.removesuffix(": off by ") in plain, name
        assert "invalid" in plain, name
    rows = assay("query", 'SELECT DISTINCT "case" FROM checks WHERE NOT passed', "--run", "run", "--json").document
    assert "-ffast-math" in json.dumps(rows) and "-O2" not in json.dumps(
        rows["rows"] if "rows" in rows else rows["query"]
    )
    exported = assay("export", "run").out
    assert "-O3 -ffast-math" in exported


def _lines(folder: Path, event: str) -> list[dict[str, Any]]:
    texts = [line for path in (folder / "launches").iterdir() for line in path.read_text().splitlines()]
    return [line for line in map(json.loads, texts) if line["event"] == event]


def test_an_interrupted_run_goes_on_with_its_variants(planted: Path, tmp_path: Path) -> None:
    sets = ("--flags", "-O1", "--flags", "-O2")
    assert assay("run", "recursion", *sets, "--launches", "2", "--out", "run").status in (0, 1)
    journal = tmp_path / "run/journal.jsonl"
    kept = [line for line in journal.read_text().splitlines(keepends=True) if '"ended"' not in line or "000-" in line]
    journal.write_text("".join(kept))
    answer = assay("evaluate", "--resume", "run", "--json")
    assert answer.status in (0, 1), answer.err
    ended = [json.loads(line) for line in journal.read_text().splitlines() if '"ended"' in line]
    names = Counter(entry["task"] for entry in ended)
    assert len(names) == 4 and set(names.values()) == {1}
    assert {figure["params"]["flags"] for figure in answer.document["figures"]} == {"-O1", "-O2"}
    compared = assay("compare", "run", "--json").document
    assert [each["with"] for each in compared["comparisons"]] == ["-O2"]
    assert all(
        row["a"]["run"] == "-O1" and row["pairs"] == 2 for row in compared["comparisons"][0]["rows"] if "pairs" in row
    )
    assert assay("compare", "run").status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("sieve", "--flags", "-O2"), "sieve: the kernel is not compiled separately"),
        (("vectors", "--compiler", "no-such++"), "compiler `no-such++`: there is no such program"),
        (("vectors", "--compiler", "/bin/ls"), "--compiler: compiles no C++: "),
        (("vectors", "--flags", "-O2 -fno-such-flag"), "unrecognized command-line option"),
        (("vectors", "--isa", "x86-64-v99"), "refuses it"),
        (("vectors", "--isa", "x86-64-v99"), "; got 'x86-64-v99', expected native, "),
        (("vectors", "--flags", "-Obogus"), "; got '-Obogus', expected the compiler's own flags"),
        (("vectors", "--flags", "-O2", "--flags", " -O2 "), "is given twice; got '-O2'"),
        (("vectors", "--flags", "O2"), "is no flag; got 'O2'"),
        (("vectors", "--flags", "-O2 -march=native"), "expected --isa native"),
        (("vectors", "--flags", "-O2 -std=c++98"), "--flags: chooses a language; got '-std=c++98'"),
        (("vectors", "--flags", "-xc"), "--flags: chooses a language; got '-xc'"),
        (("vectors", "--flags", "-O2 'x"), "cannot be read (No closing quotation)"),
        (("vectors", "--flags", "-fsanitize=address"), "undefined reference"),
        (("vectors", "--flags", "-O2 -m32"), "i386 architecture of input file"),  # not that the linker failed
        *(
            (("vectors", "--flags", f"-O2 {word}"), f"--flags: is no option of optimisation; got '{word}'")
            for word in ("-c", "-S", "-E", "-o", "-MD", "-fsyntax-only", "--version", "-lm", "-v")
        ),
        (("vectors", "--isa", "native; true"), "is no instruction set"),
        (("echo", "--on", "ipsc860", "--flags", "-O2"), "--flags: has no effect with --on ipsc860"),
    ],
)
def test_what_cannot_be_compiled_is_one_line_before_anything_is_measured(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = assay("run", *words, "--out", "run")
    assert answer.status == 2 and answer.out == ""
    assert len(answer.err.splitlines()) == 1 and said in answer.err, answer.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--compiler", "nothere++"), "there is no such program; got 'nothere++', expected clang++-99, g++"),
        (("--compiler", ""), "--compiler: names nothing; got '', expected clang++-99, g++"),
        (("--isa", ""), "--isa: names nothing; got '', expected native, x86-64-v3, default, …"),
    ],
)
def test_what_is_no_compiler_is_told_those_that_are_here(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those on PATH by the names that people give them: no tool of a like name, nothing that cannot be started."""
    for name in ("clang++-99", "g++", "g++-format", "mpicxx", "icpx"):
        (tmp_path / name).write_text("#!/bin/sh\necho g++ 12.2.0 Free Software Foundation\n")
        (tmp_path / name).chmod(0o644 if name == "icpx" else 0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    answer = assay("run", "vectors", *words)
    assert (answer.status, answer.out) == (2, "") and answer.err.endswith(f"{said}\n"), answer.err
    assert "CXX" not in answer.err


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x86's instruction sets")
def test_an_instruction_set_that_this_processor_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    old = {"sse", "sse2", "pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "cx16"}  # Nehalem, as Linux names it
    monkeypatch.setattr(variants, "processor_features", lambda: frozenset(old))

    def admit(isa: str, flags: str = "-O2", here: bool = True) -> None:
        variants.admit(["vectors"], [Variant("g++", flags, isa)], every=True, here=here)

    admit("x86-64-v2")
    admit("default")
    with pytest.raises(InputError, match=r"--isa: this processor cannot execute it: it has no .*avx2.*x86-64-v3"):
        admit("x86-64-v3")
    with pytest.raises(InputError, match=r"--flags: this processor cannot execute it: it has no .*avx2"):
        admit("default", "-O2 -mavx2")
    admit("x86-64-v3", here=False)  # other nodes execute it


def test_every_combination_takes_its_turn_in_every_round_in_another_order() -> None:
    asked = variants.product(["g++"], ["-O0", "-O1", "-O2", "-O3"], ["native", "default"])
    assert [(each.flags, each.isa) for each in asked] == list(
        itertools.product(["-O0", "-O1", "-O2", "-O3"], ["native", "default"])
    )
    plan = make([benchmark("vectors"), benchmark("sieve")], profile="quick", launches=12, seed=5, variants=asked)
    names = [task.name for task in plan.tasks]
    assert len(set(names)) == len(names) == 12 * (8 + 1)
    assert all("/" not in name and " " not in name and "@" not in name and len(name) < 200 for name in names)
    orders = set()
    for launch in range(12):
        of = [task for task in plan.tasks if task.launch == launch]
        seen = [Variant.of(task.factors) for task in of if task.benchmark == "vectors"]
        assert set(seen) == set(asked) and len(seen) == 8
        assert [task.factors for task in of if task.benchmark == "sieve"] == [{}]
        orders.add(tuple(seen))
    assert len(orders) > 8


def test_a_plan_of_an_evaluation_varies_what_can_be_varied_and_names_the_rest() -> None:
    words = ("plan", "--only", "processor", "--flags", "-O2", "--flags", "-O3", "--launches", "1")
    answer = assay(*words, "--json")
    assert answer.status == 0 and "measured without variants" in answer.err and "sieve" in answer.err
    factors: dict[str, list[str | None]] = {}
    for task in answer.document["tasks"]:
        factors.setdefault(task["benchmark"], []).append(task["factors"].get("flags"))
    assert factors["sieve"] == [None]
    assert {name for name, of in factors.items() if set(of) == {"-O2", "-O3"}} == {"dhrystone", "whetstone"}
    shown = assay(*words).out
    assert "-march=native -O3 " in shown and "-march=native -O2 " in shown


TEXT = st.text(st.characters(codec="ascii", exclude_categories=("Cc",)), min_size=1, max_size=8)


@given(st.lists(st.builds(Variant, TEXT, TEXT, TEXT), min_size=1, max_size=6, unique=True), st.integers(0, 9))
def test_names_of_files_and_labels_tell_variants_apart(asked: list[Variant], seed: int) -> None:
    plan = make([benchmark("vectors")], profile="quick", launches=1, seed=seed, variants=asked)
    assert len({task.name for task in plan.tasks}) == len(asked)
    assert not any(set(task.name) & set("/ @\0\n") for task in plan.tasks)
    assert {Variant.of(task.factors) for task in plan.tasks} == set(asked)
    assert all(without({"n": 1} | each.factors) == {"n": 1} for each in asked)
    if all(" " not in part for each in asked for part in each.factors.values()):
        assert len(set(labels(asked).values())) == len(asked)


def test_launches_of_two_variants_are_compared_in_pairs() -> None:
    """A machine that drifts by a quarter over twenty launches moves both alike: their ratio is as narrow as noise."""
    dice = random.Random(3)
    drift = [1.25 ** (launch / 20) for launch in range(20)]
    first, second = Variant("g++", "-O2", "native"), Variant("g++", "-O3", "native")
    figures = []
    for variant, factor in ((first, 1.0), (second, 2.0)):
        values = [[launch, factor * each * dice.uniform(0.999, 1.001)] for launch, each in enumerate(drift)]
        figure = made.figure("rate", factor * 3.0, "flop/s", kernel="dot", **variant.factors)
        figures.append(figure | {"by_launch": values, "launches": 20, "benchmark": "vectors"})
    document = made.document(made.section("vectors", figures), folder="/here")
    (row,) = comparison.against(of_variant(document, first, "-O2"), of_variant(document, second, "-O3"))
    assert (row.a.run, row.b.run, row.params) == ("-O2", "-O3", {"kernel": "dot"})
    assert row.verdict == "differs" and row.ci95 is not None and 1.998 < row.ci95[0] <= row.ci95[1] < 2.002
    apart = compare(*([value for _, value in figure["by_launch"]] for figure in figures), paired=False)
    assert apart.ci95 is not None and apart.ci95[1] - apart.ci95[0] > 0.1  # two runs, one after the other


def test_no_parameter_of_a_program_is_called_as_a_part_of_a_variant() -> None:
    assert not {f"{name}.{key}" for name, of in benchmarks().items() for key in of.parameters if key in KEYS}


@pytest.mark.parametrize("line", ["", 'flags = ["-O2"]\n', "source = 3\n"])
def test_a_unit_without_a_source_is_one_line(line: str, tmp_path: Path) -> None:
    path = tmp_path / "recursion.cpp"
    path.write_text(PROGRAM.replace('source = "recursion_loop.cpp"\n', line))
    with pytest.raises(
        InputError, match=r"recursion.cpp:\d+: unit\.loop\.source: must be a text; .*expected a C\+\+ file"
    ):
        read_record(path)


@pytest.mark.skipif(shutil.which("clang++") is None, reason="needs clang++")
def test_kernels_by_two_compilers_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "runs"))
    asked = ("--set", "kernel=dot,recursion1", "--set", "length=1000", "--compiler", "g++", "--compiler", "clang++")
    answer = assay("run", "vectors", *asked, "--flags", "-O3", "--launches", "1", "--out", "run", "--json")
    assert answer.status == 0, answer.err
    found = answer.document["variants"]
    assert [each["label"] for each in found["builds"]] == ["g++", "clang++"]
    assert [each["by"].split()[0] for each in found["builds"]] == ["g++", "clang++"]
    assert {(row["params"]["kernel"], row["a"]["run"], row["b"]["run"]) for row in found["rows"]} == {
        ("dot", "g++", "clang++"),
        ("recursion1", "g++", "clang++"),
    }
    assert not found["wrong"]
    page = assay("report", "run").out
    main = page[page.index("Of A (g++ ") :].splitlines()[1:]
    named = [line.partition("  ")[0] for line in main[: main.index("")] if line[:1].isalpha()]
    assert named == ["dot product, best length 1000"]  # the record's main figure, once: of the first variant alone
    made_of = page[page.index("What the compilers made") :]
    listed = [line for line in made_of.splitlines() if re.match(r"\W*(dot|recursion1|broadcast|copy) \(", line)]
    assert re.match(r"\W*dot \(", listed[0]) and sum("recursion1 (" in line for line in listed) == 4


@pytest.mark.skipif(not shutil.which("objdump") or os.uname().machine != "x86_64", reason="needs objdump on x86-64")
def test_units_of_one_name_are_told_apart_and_loops_stand_beside_their_mean(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scalar call of exp and a vector one; each of Livermore's loops, which flags move far and in both directions."""
    monkeypatch.chdir(tmp_path)
    sets = ("function=exp", "type=float32", "range=usual")
    words = [word for each in sets for word in ("--set", each)]
    found = assay("run", "intrinsics", *words, "--flags", "-O2", "--launches", "1", "--out", "exp", "--json").document
    bits = {each["kernel"]: each["bits"][0] for each in found["variants"]["vectorised"]}
    exps = {name: width for name, width in bits.items() if name.startswith("exp_of")}
    assert {"scalar", "vector", "fast", "fast vector"} <= {name.rpartition(" (")[2].rstrip(")") for name in exps}
    assert next(width for name, width in exps.items() if name.endswith("(scalar)")) == 0
    flags = ("--flags", "-O1", "--flags", "-O2")
    answer = assay("run", "livermore", *flags, "--launches", "1", "--out", "loops")
    text = " ".join(answer.out.split()).partition("side by side")[2]
    assert "rate harmonic mean" in text and "rate loop 2" in text and "geometric mean" not in text
