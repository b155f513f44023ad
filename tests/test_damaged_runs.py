"""Run folders that were damaged in every way: each verb answers, or says in a line what is wrong; none breaks."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from assay.report.derive import message_library
from by_night import by_night
from command_line import assay

pytestmark = pytest.mark.usefixtures("own_folder")

VALUES: list[Any] = [
    *(None, True, 0, -1, 3, 2**70, 10**400, 0.5, 1e308, 5e-324, float("nan"), float("inf"), -float("inf")),
    *("", "text", "12", "é", "\ud800", "<!--<script>", "[/b]", "a\nb", "../x", "\0", [], {}, [None], [[]], ["x"]),
    *({"x": 1}, [1.0, float("nan")]),
]
VERBS: dict[str, tuple[str, ...]] = {
    "report": ("report", "RUN", "--json"),
    "page": ("report", "RUN"),
    "markdown": ("report", "RUN", "--markdown"),
    "samples": ("export", "RUN"),
    "launches": ("export", "RUN", "--table", "launches", "--json"),
    "compare": ("compare", "RUN", "WHOLE", "--json"),
    "fit": ("fit", "RUN", "--json"),
    "query": ("query", "SELECT benchmark, median(value) FROM samples GROUP BY 1", "--run", "RUN", "--json"),
    "runs": ("runs", "--json"),
    "resume": ("evaluate", "--resume", "RUN", "--json"),
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("measured") / "run"
    assert assay("run", "sieve", "--launches", "2", "--out", str(folder), "--json").status in (0, 1)
    return folder


# -- damage ---------------------------------------------------------------------------------------------------------


def paths_of(value: Any) -> list[tuple[Any, ...]]:
    """Every place in a JSON document."""
    found: list[tuple[Any, ...]] = [()]
    each = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in each:
        found += [(key, *rest) for rest in paths_of(inner)]
    return found


def changed(document: Any, dice: random.Random) -> Any:
    """Give a document with one place changed, removed or added to."""
    made = copy.deepcopy(document)
    place = dice.choice(paths_of(made))
    value = dice.choice(VALUES)
    if not place:
        return value
    holder = made
    for key in place[:-1]:
        holder = holder[key]
    what = dice.choice(["changed", "changed", "changed", "removed", "added"])
    if what == "removed":
        del holder[place[-1]]
    elif what == "added" and isinstance(holder, dict):
        holder["newer"] = value
    else:
        holder[place[-1]] = value
    return made


def damage(folder: Path, dice: random.Random) -> None:
    """Damage one file of a run."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in ("lock", "report.html"))
    if not files:
        return
    kinds = sorted({path.parent.name + path.suffix for path in files})
    kind = dice.choice(kinds)
    path = dice.choice([path for path in files if path.parent.name + path.suffix == kind])
    data = path.read_bytes()
    ways = ["cut", "bytes", "removed", "empty", "a folder"]
    ways += ["value"] * 6 + ["twice", "swapped"] if path.suffix in (".json", ".jsonl") else []
    way = dice.choice(ways)
    lines = data.splitlines(keepends=True)
    if way == "cut":
        path.write_bytes(data[: dice.randint(0, len(data))])
    elif way == "bytes":
        at = dice.randint(0, len(data))
        path.write_bytes(data[:at] + dice.randbytes(dice.randint(1, 4)) + data[at + dice.randint(0, 4) :])
    elif way == "empty":
        path.write_bytes(b"")
    elif way in ("removed", "a folder"):
        path.unlink()
        if way == "a folder":
            path.mkdir()
    elif way == "twice":
        path.write_bytes(data + data)
    elif way == "swapped":
        path.write_bytes(b"".join(dice.sample(lines, len(lines))))
    elif path.suffix == ".json":
        try:
            path.write_text(json.dumps(changed(json.loads(data), dice)))
        except ValueError:
            path.write_bytes(b"{}")
    elif lines:
        which = dice.randrange(len(lines))
        try:
            lines[which] = json.dumps(changed(json.loads(lines[which]), dice)).encode() + b"\n"
        except ValueError:
            lines[which] = b"{}\n"
        path.write_bytes(b"".join(lines))


def ask(verb: str, folder: Path, whole: Path) -> None:
    """Run one verb: it answers, or complains in a line; an exception that passes `main` is a traceback."""
    words = [{"RUN": str(folder), "WHOLE": str(whole)}.get(word, word) for word in VERBS[verb]]
    answer = assay(*words)
    assert answer.status in (0, 1, 2), answer
    if answer.status == 2:
        assert answer.err.startswith("assay: ") and answer.out == "", answer
    elif "--json" in words and answer.out:
        json.loads(answer.out, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))


# Drawn alike in every run of the suite: what a new draw finds is no fault of the change under test.
FUZZ = settings(
    max_examples=8, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("verb", VERBS)
@FUZZ
@given(seed=SEEDS)
def test_no_damage_to_a_described_run_breaks_a_verb(verb: str, seed: int, echo_run: Path) -> None:
    one(verb, seed, echo_run)


@pytest.mark.parametrize("verb", by_night(["report", "page", "compare", "launches"], ["report", "launches"]))
@FUZZ
@given(seed=SEEDS)
def test_no_damage_to_a_measured_run_breaks_a_verb(verb: str, seed: int, measured: Path) -> None:
    one(verb, seed, measured)


def one(verb: str, seed: int, whole: Path) -> None:
    """Damage a copy of a run in one to three places, and ask a verb."""
    folder, dice = Path("runs") / "one", random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("report.*"))
    for _ in range(dice.randint(1, 3)):
        damage(folder, dice)
    ask(verb, folder, whole)


def test_a_parameter_that_became_text_is_in_no_fit(echo_run: Path) -> None:
    folder = Path("runs") / "one"
    shutil.copytree(echo_run, folder)
    path = next(iter(sorted((folder / "launches").glob("*.jsonl"))))
    path.write_text(path.read_text().replace('"bytes":64', '"bytes":"text"'))
    ask("page", folder, echo_run)


def test_the_page_says_which_files_are_damaged(echo_run: Path) -> None:
    folder = Path("runs") / "one"
    shutil.copytree(echo_run, folder)
    assert assay("report", str(folder)).status == 0 and "Damaged files" not in (folder / "report.html").read_text()
    path = next(iter(sorted((folder / "launches").glob("*.jsonl"))))
    path.write_text(path.read_text()[:-200])
    assert assay("report", str(folder)).status == 0
    page = (folder / "report.html").read_text()
    assert "Damaged files" in page and f"<li>launches/{path.name}: was cut short" in page


KINDS = [[1], {"a": [1]}, "text", -5, True, 1e300]  # each is the wrong kind of most keys


def of_provenance(whole: Path, verb: str, kinds: Callable[[int], list[Any]]) -> None:
    """Put each value of `kinds` in a place of a run's circumstances, by its number, in every place; ask a verb."""
    folder = Path("runs") / "one"
    kept = min((whole / "provenance").glob("*.json"))  # launches of different seconds have their own
    document = json.loads(kept.read_text())
    for program in document.get("programs", {}).values():
        program["libraries"] = {"blas": "pkg-config"}
    for number, place in enumerate(paths_of(document)):
        for value in kinds(number):
            made: Any = copy.deepcopy(document)
            holder = made
            for key in place[:-1]:
                holder = holder[key]
            if place:
                holder[place[-1]] = value
            else:
                made = value
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("report.*"))
            (folder / "provenance" / kept.name).write_text(json.dumps(made))
            ask(verb, folder, whole)


@pytest.mark.parametrize("place", [("barrier",), ("barrier", "algorithm"), ("barrier", "step"), ("mpi",)])
@pytest.mark.parametrize("value", KINDS)
def test_a_description_of_any_kind_has_a_barrier_or_a_library(place: tuple[str, ...], value: Any) -> None:
    described: dict[str, Any] = {"barrier": {"algorithm": "tree", "step": 1e-6}}
    (described if len(place) == 1 else described["barrier"])[place[-1]] = value
    assert message_library.instead_of_library({"a": {"description": described}}) in (
        message_library.OWN, message_library.OF_MESSAGES, None
    )  # fmt: skip


def changed_in_provenance(whole: Path, place: tuple[str, ...]) -> Path:
    """A copy of a run with a list of a number in one place of its circumstances."""
    folder = Path("runs") / "one"
    shutil.copytree(whole, folder, ignore=shutil.ignore_patterns("report.*"))
    kept = min((folder / "provenance").glob("*.json"))
    document = holder = json.loads(kept.read_text())
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = [1]
    kept.write_text(json.dumps(document))
    return folder


def test_a_network_of_a_wrong_kind_is_no_traceback(echo_run: Path) -> None:
    ask("fit", changed_in_provenance(echo_run, ("description", "network")), echo_run)


def test_a_refused_export_has_written_nothing(measured: Path) -> None:
    ask("launches", changed_in_provenance(measured, ("version",)), measured)


@pytest.mark.nightly
def test_no_kind_of_value_in_provenance_breaks_a_report(measured: Path) -> None:
    of_provenance(measured, "report", lambda place: [KINDS[place % len(KINDS)]])


@pytest.mark.nightly
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("verb", VERBS)
def test_every_kind_of_value_in_provenance_is_answered_by_every_verb(verb: str, measured: Path, echo_run: Path) -> None:
    """Of a described run every verb meets every kind in every place; of a measured one, which has far more places,
    each verb meets one kind in every place, and the next verb the next kind, so that each place has all of them.
    """
    turn = list(VERBS).index(verb)
    of_provenance(echo_run, verb, lambda place: KINDS)
    of_provenance(measured, verb, lambda place: [KINDS[(place + turn) % len(KINDS)]])


@pytest.mark.parametrize("key", ["compiler", "flags", "libraries"])
def test_what_a_program_was_built_by_is_named_where_it_is_of_a_wrong_kind(key: str, measured: Path) -> None:
    folder = Path("runs") / "one"
    shutil.copytree(measured, folder, ignore=shutil.ignore_patterns("report.*"))
    kept = min((folder / "provenance").glob("*.json"))
    document = json.loads(kept.read_text())
    document["programs"]["sieve"][key] = [1]
    kept.write_text(json.dumps(document))
    answer = assay("report", str(folder), "--json")
    assert answer.status in (0, 1)
    assert f"provenance/{kept.name}: programs.sieve.{key}: got [1]; not used" in " ".join(answer.document["warnings"])
