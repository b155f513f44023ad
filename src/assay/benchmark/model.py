"""One record model: every key that a program's record may have is a typed field here, and nowhere else.

Shipped programs and a person's own are read by it (record.py); laws between keys are in laws.py.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, TypedDict

from assay.benchmark.decoding import PROFILES, Profile, Scalar, given, key, mapping
from assay.benchmark.parameter import REPETITIONS, OtherDefaults, Parameter, ParameterDescribed
from assay.benchmark.programs import programs_root
from assay.benchmark.sections import (
    NONE,
    AccuracyRecord,
    ChoiceRecord,
    ConvergenceRecord,
    Described,
    Figure,
    FirstLaunch,
    HeadlineRecord,
    Metric,
    PeakShareRecord,
    RoofRecord,
    SharesRecord,
    UnitSource,
)
from assay.case import Parameters
from assay.errors import InputError

PARTS = ("processor", "memory", "threads", "kernels", "devices", "messages", "files", "applications")
Part = Literal["processor", "memory", "threads", "kernels", "devices", "messages", "files", "applications"]
# Tables of a description that a benchmark cannot do without.
Need = Literal["storage", "self", "host", "progress", "forwarding", "forced"]
# What a program may use where it is (execute/libraries.py).
Library = Literal["blas", "lapack", "fftw"]
_NO_RANKS, _FROM_1 = "is no number of ranks", "a whole number from 1"


class PlainProgram(NamedTuple):
    """A program as the build needs it: its file, whether it passes messages (`ranks` or `node`), and its further
    sources, flags, libraries and header of a machine (execute/build.py).
    """

    name: str
    path: Path
    kind: str = "node"
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    units: Mapping[str, UnitSource] = NONE
    machine: str | None = None


class MetricDescribed(TypedDict):
    """What a program measures."""

    unit: str
    help: str


class FigureDescribed(TypedDict):
    """What is computed of a metric."""

    metric: str
    unit: str
    formula: str
    better: str
    help: str


class BenchmarkDescribed(TypedDict):
    """A record as plain data; `program`: its file in `programs/`, None of a person's own."""

    name: str
    title: str
    part: str
    kind: str
    summary: str
    cost: str
    check: str
    source: str
    published: list[str]
    historical: bool
    first_look: bool
    model: str | None
    program: str | None
    parameters: dict[str, ParameterDescribed]
    metrics: dict[str, MetricDescribed]
    figures: dict[str, FigureDescribed]


@dataclass(frozen=True)
class Benchmark:
    """One program: its record, and the file it was read from."""

    RENAMED: ClassVar[Mapping[str, str]] = {"unmoved": "is now called noise_immune"}

    name: str
    title: str
    part: Part
    kind: Literal["node", "ranks"]
    summary: str
    cost: str
    check: str
    source: str
    path: Path = given()
    published: tuple[str, ...] = ()
    related: tuple[str, ...] = ()  # published benchmarks of the same subject by another program
    unlike: Mapping[str, str] = mapping()  # by published benchmark: in what its work differs
    rows: Mapping[str, Mapping[str, Scalar]] = mapping("row")  # an `id` that is published, and the case that it is
    historical: bool = False
    first_look: bool = False  # part of a quick evaluation: what a buyer asks first, in little time
    model: str | None = None
    parameters: Mapping[str, Parameter] = mapping("parameter")
    metrics: Mapping[str, Metric] = mapping("metric")
    figures: Mapping[str, Figure] = mapping("figure")

    # How it is measured.
    profiles: tuple[Profile, ...] = PROFILES
    slices: Mapping[str, float] = mapping("slice_", by_profile=True, above=0)  # s, of a case in a block
    blocks: Mapping[str, float] = mapping("blocks_", by_profile=True, above=0)  # per launch
    timeouts: Mapping[str, float] = mapping("timeout_", by_profile=True, above=0)  # s, of a launch
    launches: int | None = key(default=None, least=1)  # at most so many
    takes: str | None = None  # a formula: seconds of a case of a block
    takes_memory: str | None = None  # the parameter that is a share of the free memory
    writes: tuple[Scalar, ...] = ()  # numbers and parameters, whose product is the most bytes of its files
    first_launch: FirstLaunch | None = None
    with_data: str | None = None  # the case whose messages carry data on a described machine only by --verify
    or_nothing: bool = False
    ranks: int | Literal["all"] | None = key(default=None, problem=_NO_RANKS, accepted=f'{_FROM_1}, or "all"', least=1)
    least_ranks: int = key(default=1, problem=_NO_RANKS, accepted=_FROM_1, least=1)
    most_ranks: int | None = key(default=None, problem=_NO_RANKS, accepted=_FROM_1, least=1)
    host: bool = False
    needs: tuple[Need, ...] = ()
    needs_device: bool = False

    # How it is compiled.
    flags: tuple[str, ...] = ()
    libraries: tuple[Library, ...] = ()
    units: Mapping[str, UnitSource] = mapping("unit")  # kernels that a build variant may change
    machine: str | None = None

    # On a described machine.
    described: Described | None = None
    computes: tuple[str, ...] = ()
    answers_for: tuple[str, ...] = ()

    # How its readings are judged.
    statistics: tuple[Literal["median", "best"], ...] = ()
    exact: frozenset[str] = frozenset()  # metrics without an error: counts, sizes, the error of a result
    noise_immune: frozenset[str] = frozenset()  # metrics that no other process can change, and that vary by themselves
    unjudged: frozenset[str] = frozenset()  # metrics that vary by their nature: no sign of a disturbance
    outcomes: frozenset[str] = frozenset()  # labels that only a case's result says: no two runs differ by them

    # What is shown of it.
    headlines: Mapping[str, HeadlineRecord] = mapping("headline")
    matrix: tuple[str, ...] | None = None
    apart: tuple[str, ...] = ()
    shares: SharesRecord | None = None
    roof: RoofRecord | None = None
    accuracy: AccuracyRecord | None = None
    choice: ChoiceRecord | None = None
    convergence: ConvergenceRecord | None = None
    peak_share: PeakShareRecord | None = None
    traces: bool = False
    pairs: bool = False
    choice_constants: Mapping[str, Mapping[str, Mapping[str, Scalar]]] = mapping("constants")
    constants_mean: str | None = None

    @property
    def errors(self) -> frozenset[str]:
        """The metrics that say how far others' readings may be off: no subject of their own."""
        return frozenset(name for name, metric in self.metrics.items() if metric.error_of)

    @property
    def undisturbed(self) -> frozenset[str]:
        """The metrics that no other process can change: those that are exact, and others that vary by themselves."""
        return self.exact | self.noise_immune

    @property
    def published_cases(self) -> dict[str, dict[str, Scalar]]:
        """By a published benchmark's name, the case of this one that it is (`[row.NAME]`)."""
        return {str(row["id"]): {k: v for k, v in row.items() if k != "id"} for row in self.rows.values()}

    @property
    def paths(self) -> tuple[str, ...]:
        """The parameters that name folders: part of no case."""
        return tuple(name for name, parameter in self.parameters.items() if parameter.kind == "path")

    def constants(self, case: Parameters) -> dict[str, Scalar]:
        """What the record says of a case's choices: `[constants.PARAMETER] CHOICE = { NAME = number }`, by NAME."""
        found: dict[str, Scalar] = {}
        for parameter, choices in self.choice_constants.items():
            found |= choices.get(str(case.get(parameter)), {})
        return found

    def settings(self, given: Mapping[str, str]) -> dict[str, Scalar | tuple[Scalar, ...]]:
        """Check what a person set (`key=value` texts) against the record; returns parsed values by key."""
        parsed = {}
        known = {REPETITIONS.name: REPETITIONS, **self.parameters}
        for name, text in given.items():
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                hint = f" (did you mean {near[0]}?)" if near else ""
                raise InputError(
                    f"{self.name} has no such parameter{hint}",
                    key=f"--set {name}",
                    value=text,
                    accepted=", ".join([*sorted(self.parameters), REPETITIONS.name]),
                )
            parsed[name] = known[name].parse(text)
        return parsed

    def describe(self) -> BenchmarkDescribed:
        """Give the record as plain data, for JSON and tables."""
        return {
            "name": self.name,
            "title": self.title,
            "part": self.part,
            "kind": self.kind,
            "summary": self.summary,
            "cost": self.cost,
            "check": self.check,
            "source": self.source,
            "published": list(self.published),
            "historical": self.historical,
            "first_look": self.first_look,
            "model": self.model,
            "program": str(self.path.relative_to(programs_root())) if programs_root() in self.path.parents else None,
            "parameters": {
                p.name: {
                    "kind": p.kind,
                    "unit": p.unit,
                    "default": p.default,
                    **_other_defaults(p),
                    "accepted": p.accepted(),
                    "help": p.help,
                }
                for p in self.parameters.values()
            },
            "metrics": {m.name: {"unit": m.unit, "help": m.help} for m in self.metrics.values()},
            "figures": {
                f.name: {"metric": f.metric, "unit": f.unit, "formula": f.formula, "better": f.better, "help": f.help}
                for f in self.figures.values()
            },
        }


def _other_defaults(parameter: Parameter) -> OtherDefaults:
    found: OtherDefaults = {}
    if parameter.profiles:
        found["profiles"] = dict(parameter.profiles)
    if parameter.simulated is not None:
        found["described"] = parameter.simulated
    return found
