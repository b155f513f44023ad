"""What a command gives in Python: its document, its figures as a table, a picture of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.api.commands import CommandDocument
from assay.document.verb_figure import VerbFigure
from assay.errors import InputError

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects
    import polars
    import pyarrow


@dataclass(frozen=True, repr=False)
class CommandResult:
    """A command's answer. `document` is what it prints with `--json`; `status` its exit status."""

    document: dict[str, Any]
    status: int = 0
    messages: pyarrow.Table | None = field(default=None, compare=False)

    @staticmethod
    def of(answered: CommandDocument) -> CommandResult:
        """Take a command's answer."""
        return CommandResult(answered.document, answered.status)

    def with_samples(self, messages: pyarrow.Table) -> CommandResult:
        """Give the same with what came of each message, which `samples` is then."""
        return replace(self, messages=messages)

    @property
    def figures(self) -> list[VerbFigure]:
        """Every figure: name, value, unit, statistic, params, ci95, state …; SI units."""
        found: list[VerbFigure] = self.document.get("figures", [])
        return found

    @property
    def passed(self) -> bool:
        """Whether the command succeeded: valid results, a comparison within its margin."""
        return self.status == 0

    @property
    def folder(self) -> Path:
        """The run's folder. InputError where the command made none."""
        if "folder" not in self.document:
            raise InputError("no run belongs to this result", accepted="a result of run, evaluate or open")
        return Path(self.document["folder"])

    @property
    def samples(self) -> pyarrow.Table:
        """Every reading of the run, as `assay export` writes them; of messages sent, each with its arrival."""
        if self.messages is not None:
            return self.messages
        from assay.store import Run

        return Run.open(self.folder).tables()["samples"]

    def to_arrow(self) -> pyarrow.Table:
        """Give the figures as a table: a row a figure, a column a parameter."""
        from assay.api.table import table

        return table(self.figures)

    def to_pandas(self) -> pandas.DataFrame:
        """Give the same as a DataFrame; needs pandas."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Give the same as a DataFrame of polars, which it needs."""
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame

    def plot(self, x: str | None = None, name: str | None = None) -> plotly.graph_objects.Figure:
        """Draw figures against a parameter with numbers (default: the one with most values), with their intervals.

        `name`: only the figure of that name.
        """
        from assay.api.plotted import plotted

        return plotted(self.figures, x, name)

    def __repr__(self) -> str:
        return f"CommandResult(status={self.status}, {len(self.figures)} figures)"

    def _repr_html_(self) -> str:
        from assay.api.table import html

        return html(self.figures)
