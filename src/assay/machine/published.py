"""The blocks of a published paper's file, typed: the keys that `catalogue/published/*.toml` may have.

Every model is frozen and refuses keys that it does not know, so that a fact that has no place here is an error and not
lost in silence; only a machine's facts are open (their keys name quantity and unit: `clock_MHz`, `memory_per_node_B`).
Numbers stay as printed; `assay.machine.catalogue` turns them into SI.
"""

# ruff: noqa: N815 (the keys of the files carry their units: message_B)

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Number = int | float
Label = str | int | float


class PublishedBlock(BaseModel):
    """A block of a paper's file; `paper` is the id of its paper."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    paper: str = Field(default="", description="id of the paper, filled in by the loader")


class Paper(PublishedBlock):
    """The source itself."""

    id: str
    title: str
    authors: tuple[str, ...]
    institution: str | None = None
    year: int | None = None
    year_basis: str
    venue: str
    received: str | None = None
    source_file: str
    conventions: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()


class PublishedMachine(PublishedBlock):
    """A machine as one paper states it; `facts` is every further key of the block, with its printed value."""

    model_config = ConfigDict(frozen=True, extra="allow")
    id: str
    name: str
    source: str
    vendor: str | None = None
    kind: str | None = None
    topology: str | None = None
    nodes: int | None = None
    note: str | None = None

    @property
    def facts(self) -> dict[str, object]:
        """All that the paper states of it but identity, source and note, in the order of the file."""
        named = {"vendor": self.vendor, "kind": self.kind, "topology": self.topology, "nodes": self.nodes}
        return {key: value for key, value in named.items() if value is not None} | dict(self.model_extra or {})


class PublishedBenchmark(PublishedBlock):
    """What a paper measured and how; `parts` are ids of sub-benchmarks that have no block of their own."""

    id: str
    title: str
    definition: str
    source: str
    metric: str | None = None
    parts: tuple[str, ...] = ()
    timed: str | None = None
    origin: str | None = None
    note: str | None = None
    repetitions: int | None = None
    size: int | None = None
    step_B: int | None = None
    message_B: tuple[int, ...] = ()
    message_B_range: tuple[int, ...] = ()
    message_B_largest_DELTA: int | None = None
    calls: str | None = None
    route: str | None = None
    senders: tuple[int, ...] = ()
    cpus: tuple[int, ...] = ()
    throughput_cpus: int | None = None
    parallel_model: str | None = None
    ideal_speedup: str | None = None


class Note(BaseModel):
    """A remark on a table; on one row, one column or one cell where it names them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    text: str
    row: Label | None = None
    col: Label | None = None
    doubtful: bool = False
    ocr: str | None = None

    def touches(self, row: Label, col: Label) -> bool:
        """Whether it speaks of this cell; a note that names neither row nor column speaks of all."""
        return self.row in (None, row) and self.col in (None, col)


class Restated(BaseModel):
    """Cells of a table that are functions of other published cells: `of` names those (`assay.published.cells.clauses`).

    Of one row or one column where it names them; a machine whose column is meant is filled in.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    of: tuple[str, ...]
    row: Label | None = None
    col: Label | None = None

    def touches(self, row: Label, col: Label) -> bool:
        """Whether it speaks of this cell."""
        return self.row in (None, row) and self.col in (None, col)


class PublishedTable(PublishedBlock):
    """A regular table: `values[row][col]`, NaN where nothing is printed or readable."""

    id: str
    source: str
    title: str | None = None
    row_key: str
    rows: tuple[Label, ...]
    col_key: str
    cols: tuple[Label, ...]
    values: tuple[tuple[Number, ...], ...]
    unit: str | None = None
    row_units: tuple[str, ...] | None = None
    col_units: tuple[str, ...] | None = None
    machine: str | None = None
    benchmark: str | None = None
    metric: str | None = None
    params: dict[str, object] = {}
    row_set: tuple[dict[str, object], ...] | None = None
    row_labels: tuple[str, ...] | None = None
    notes: tuple[Note, ...] = ()
    restates: tuple[Restated, ...] = ()


class Result(PublishedBlock):
    """One number of the running text."""

    benchmark: str
    metric: str
    value: Number
    unit: str
    source: str
    machine: str | None = None
    params: dict[str, object] = {}
    note: str | None = None
    doubtful: bool = False
    probable_unit: str | None = None
    basis: str | None = None
    restates: tuple[str, ...] = ()


class Claim(PublishedBlock):
    """A statement of the text: a number, a range, a ratio, a comparison, a trend, or words only.

    `rests_on`: the claim that is equivalent for the same simulation; `untested`: clauses that nothing tests.
    """

    id: str
    text: str
    kind: Literal["value", "range", "ratio", "compare", "trend", "qualitative"]
    source: str
    machine: str | None = None
    machines: tuple[str, ...] = ()
    benchmark: str | None = None
    benchmarks: tuple[str, ...] = ()
    metric: str | None = None
    params: dict[str, object] = {}
    versus: dict[str, object] = {}
    op: Literal["==", "~=", "<", ">", "<=", ">="] | None = None
    value: Number | None = None
    value_min: Number | None = None
    value_max: Number | None = None
    unit: str | None = None
    tol_rel: float | None = None
    tol_abs: float | None = None
    tol_basis: str | None = None
    restates: tuple[str, ...] = ()
    over: str | None = None
    direction: str | None = None
    condition: str | None = None
    exception: str | None = None
    expected: str | None = None
    form: str | None = None
    formula_latex: str | None = None
    basis: str = "measured"
    value_basis: str | None = None
    derived: bool = False
    rests_on: str | None = None
    untested: tuple[str, ...] = ()
    note: str | None = None

    @property
    def about(self) -> tuple[str, ...]:
        """Ids of the machines that it speaks of."""
        return self.machines + ((self.machine,) if self.machine else ())

    @property
    def of(self) -> tuple[str, ...]:
        """Ids of the benchmarks that it speaks of."""
        return self.benchmarks + ((self.benchmark,) if self.benchmark else ())


class PublishedFigure(PublishedBlock):
    """A figure; only its caption is in the text."""

    id: str
    caption: str
    data: str


class Fragment(BaseModel):
    """A line of a broken table, as in the text, and the row that it may belong to.

    reading: whose numbers they may be, by machine; doubtful.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    label: Label
    text: str
    reading: dict[str, int] = {}


class Unreadable(PublishedBlock):
    """What could not be read, and why; whole lines of it are no numbers of any machine, only text to look at."""

    where: str
    why: str
    benchmark: str | None = None
    machines: tuple[str, ...] = ()
    fragments: tuple[Fragment, ...] = ()


class Program(PublishedBlock):
    """A program of a workload, and the numbers of processors that it runs on (van der Steen)."""

    id: str
    job: str
    cpus: tuple[int, ...]


class Pattern(PublishedBlock):
    """A communication pattern (van der Steen, mod1h)."""

    number: int
    id: str
    title: str
    description: str | None = None


class Arrival(PublishedBlock):
    """One line of the throughput schedule: at `time_s`, `count` jobs (van der Steen)."""

    time_s: int
    count: int
    job: str
    part: int


class Placement(PublishedBlock):
    """Where the I/O nodes of a cube sit (Ghosh)."""

    machine: tuple[str, ...]
    dimension: int
    io_nodes_at: tuple[int, ...]
    printed: bool
    source: str
    note: str | None = None
    printed_as: str | None = None


class PublishedParameter(PublishedBlock):
    """A parameter of a published simulation (Ghosh)."""

    id: str
    text: str
    source: str
    value: Number | None = None
    value_min: Number | None = None
    value_max: Number | None = None
    unit: str | None = None
    symbol: str | None = None
    params: dict[str, object] = {}
    formula: str | None = None
    note: str | None = None


class Traffic(PublishedBlock):
    """A rule of the generated traffic (Ghosh)."""

    id: str
    text: str
    source: str
    formula_latex: str | None = None


class Experiment(PublishedBlock):
    """What a figure of the paper varies and holds fixed (Ghosh)."""

    id: str
    text: str
    machines: tuple[str, ...]
    sweep: dict[str, object]
    fixed: dict[str, object]
    outputs: tuple[str, ...]
    source: str
    sweep_note: str | None = None


class Symbol(PublishedBlock):
    """A symbol of the formulas (Ghosh)."""

    symbol: str
    meaning: str
    value_test_case: Number | None = None


class Formula(PublishedBlock):
    """A formula in words and in LaTeX (Ghosh)."""

    id: str
    words: str
    latex: str
    source: str
    note: str | None = None


class Ambiguity(PublishedBlock):
    """What the paper leaves open, and how it is read here (Ghosh)."""

    id: str
    text: str
    resolution: str


class Event(PublishedBlock):
    """A dated event of a machine's life (Paragon)."""

    date: str
    text: str
