"""What tells two runs apart: machine, options of their launches, build; and their cases, matched in spite of it.

What a run has one value of, as of the flags that all of its kernels were compiled by, is the run's and not its cases':
two runs that differ in it alone have every case in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.benchmark.variants import USUAL
from assay.document.comparison import FigureRow, LoneFigure, RunDifference
from assay.document.reported_figure import ReportedFigure
from assay.document.run_document import Document
from assay.report.derive import ranks_per_node
from assay.report.derive.variants import reference
from assay.report.judge.comparison import Key, compared, size
from assay.report.judge.machine_facts import used
from assay.report.units import few

# Of what a person asked for (run.json), with the words that a heading has for it. Launches are counted as made.
ASKED = {
    "ranks": "ranks",
    "nodes": "nodes",
    "ppn": "ranks per node",
    "placement": "placement",
    "via": "launcher",
    "profile": "profile",
    "seed": "seed",
}
MOST_VALUES = 4  # of a parameter in which runs have nothing in common


def matched(documents: Sequence[Document]) -> list[Document]:
    """Give documents that are to stand beside one another, with cases that say what tells them apart within a run.

    Where one has several variants, the others' cases keep theirs, to be matched with them.
    """
    if all(each.variants is None or len(each.variants.builds) == 1 for each in documents):
        documents = [reference(each) for each in documents]
    return ranks_per_node.stated_alike(documents)


def differences(a: tuple[Document, Mapping[str, Any]], b: tuple[Document, Mapping[str, Any]]) -> list[RunDifference]:
    """In what two runs are unlike, each given as its document and its run.json."""
    one, other = _made_with(*a), _made_with(*b)
    return [
        RunDifference(key=key, a=one.get(key), b=other.get(key))
        for key in dict.fromkeys([*one, *other])
        if one.get(key) != other.get(key)
    ]


def lone(document: Document, rows: Iterable[FigureRow], side: str) -> list[LoneFigure]:
    """The figures of a run that have no row, as the other run has no such case; `side`: `a` or `b`."""
    paired = {(row.benchmark, row.figure, getattr(row, side).params) for row in rows}
    left = [(key, figure) for key, figure in compared(document).items() if key not in paired]
    order = {key: place for place, key in enumerate(dict.fromkeys(key[:2] for key, _ in left))}
    left.sort(key=lambda each: (order[each[0][:2]], size(each[1].params)))
    return [LoneFigure(benchmark=key[0], figure=key[1], params=figure.params) for key, figure in left]


def why_nothing(a: Document, b: Document) -> str:
    """Why two documents have no figure in common: benchmarks, figures, or the parameters whose values are unlike."""
    found = ranks_per_node.unlike(a, b)
    if found is not None:
        return found
    first, second = compared(a), compared(b)
    if not first or not second:
        return f"{(b if first else a).run} has no figure at all"
    for what, length in (("benchmark", 1), ("figure", 2)):
        one, other = ({".".join(key[:2][:length]) for key in of} for of in (first, second))
        if not one & other:
            return f"they have no {what} in common: {few(sorted(one))} in one, {few(sorted(other))} in the other"
    return _unlike_cases(first, second)


def _unlike_cases(first: Mapping[Key, ReportedFigure], second: Mapping[Key, ReportedFigure]) -> str:
    """The parameters by which no case of a figure of one run is a case of the other."""
    both = {key[:2] for key in first} & {key[:2] for key in second}
    values: list[dict[str, dict[str, None]]] = []
    for of in (first, second):
        values.append({})
        for key, figure in of.items():
            for name, value in figure.params.items() if key[:2] in both else ():
                values[-1].setdefault(name, {})[str(value)] = None
    one, other = values
    unlike = [
        f"{name.replace('_', ' ')} ({_listed(one.get(name, {}))} and {_listed(other.get(name, {}))})"
        for name in dict.fromkeys([*one, *other])
        if not one.get(name, {}).keys() & other.get(name, {}).keys()
    ]
    return f"their cases differ in {', '.join(unlike)}" if unlike else "no case of one is a case of the other"


def _listed(values: Iterable[str]) -> str:
    return few(list(values), MOST_VALUES) or "none"


def _made_with(document: Document, about: Mapping[str, Any]) -> dict[str, str]:
    """What a run was made with, in words by key; what was left to its default is not there."""
    wishes = about.get("wishes")
    given = wishes if isinstance(wishes, dict) else {}
    found = {"machine": document.machine, "processor": document.facts.cpu}
    found |= {words: _text(given.get(key)) for key, words in ASKED.items()}
    launches = max((section.launches for section in document.benchmarks), default=0)
    found["launches"] = str(launches) if launches else None
    for prefix, key in (("", "settings"), ("machine.", "machine")):
        stated = given.get(key)
        found |= {f"{prefix}{name}": str(value) for name, value in stated.items()} if isinstance(stated, dict) else {}
    variables = dict.fromkeys(_text(facts.stated.get("variables")) for facts in document.provenance.values())
    found["variables"] = " or ".join(text for text in variables if text)
    return {key: text for key, text in (found | _build(document)).items() if text}


def _text(value: object) -> str | None:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return None if value is None else str(value)


def _build(document: Document) -> dict[str, str]:
    """By what a run's kernels were compiled, and which MPI started them; that of all its programs without variants."""
    builds = document.variants.builds if document.variants else []
    stated: list[dict[str, str | None]] = []
    if builds:
        stated = [
            {"compiler": each.compiler if each.mpi else each.by or each.compiler}
            | {"transport": None if each.transport == USUAL else each.transport}
            | ({} if each.flags is None else {"flags": _flags(each.flags, each.isa)})
            for each in builds
        ]
    if not any(each["compiler"] for each in stated):  # an MPI variant names none where it is the usual one
        programs = [facts.stated.get("programs") for facts in document.provenance.values()]
        stated += [
            {"compiler": of.get("compiler"), "flags": _flags(str(of.get("flags") or ""))}
            for each in programs
            if isinstance(each, dict)
            for of in each.values()
            if isinstance(of, dict)
        ]
    keys = dict.fromkeys(key for each in stated for key in each)
    texts = {key: dict.fromkeys(str(each[key]) for each in stated if each.get(key)) for key in keys}
    found = {key: " or ".join(of) for key, of in texts.items()}
    started = " or ".join(used(document))
    return found | ({"MPI": started} if started else {})


def _flags(flags: str, isa: str | None = None) -> str:
    """Flags with what they say of the instruction set before all others, however a run stated that."""
    words = flags.split()
    if isa not in (None, "default"):
        words.append(f"-march={isa}")
    return " ".join(sorted(words, key=lambda word: not word.startswith("-march=")))
