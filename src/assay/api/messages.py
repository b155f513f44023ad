"""Messages that Python has, as the file that `assay replay` reads, and what came of each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InputError

if TYPE_CHECKING:
    import pyarrow

COLUMNS = ("id", "cycle", "source", "destination", "flits")
ACCEPTED = "an array of 4 or 5 columns, a DataFrame, an Arrow table, rows as mappings, or a CSV file"


@contextlib.contextmanager
def as_rows(messages: Any) -> Iterator[str | Path]:
    """Give messages as a file; ids are the rows' numbers where there are none. InputError where they are no such."""
    if isinstance(messages, (str, Path)):
        yield messages
        return
    import pyarrow.csv

    from assay.api.plain import without_file
    from assay.execute.stale_files import temporary_folder

    with temporary_folder("assay-messages-") as folder:
        path = folder / "messages.csv"
        pyarrow.csv.write_csv(_table(messages), path)
        with without_file(path):
            yield path


def _table(messages: Any) -> pyarrow.Table:
    import numpy as np
    import pyarrow

    if isinstance(messages, pyarrow.Table):
        columns = {name: messages.column(name).to_numpy() for name in messages.column_names}
    elif hasattr(messages, "columns") and hasattr(messages, "to_numpy"):  # a DataFrame of pandas or polars
        columns = {str(name): messages[name].to_numpy() for name in messages.columns}
    elif isinstance(messages, (list, tuple)) and all(isinstance(each, Mapping) for each in messages):
        columns = {name: np.array([each.get(name) for each in messages]) for name in {k for m in messages for k in m}}
        columns = columns if messages else {name: np.empty(0, np.int64) for name in COLUMNS}
    else:
        array = np.asarray(messages)
        if array.ndim != 2 or array.shape[1] not in (4, 5):
            raise InputError("are no messages", key="messages", value=array.shape, accepted=ACCEPTED)
        columns = dict(zip(COLUMNS[5 - array.shape[1] :], array.T, strict=True))
    if missing := [name for name in COLUMNS[1:] if name not in columns]:
        raise InputError("a column is missing", key="messages", value=missing[0], accepted=", ".join(COLUMNS[1:]))
    columns.setdefault("id", np.arange(len(columns["cycle"])))
    return pyarrow.table({name: _whole(name, columns[name]) for name in COLUMNS})


def _whole(name: str, values: Any) -> Any:
    import numpy as np

    found = np.asarray(values)
    if found.dtype.kind not in "iu":
        try:
            whole = found.astype(np.int64)
        except (TypeError, ValueError):
            whole = None
        if whole is None or found.dtype.kind not in "fO" or not bool((whole == found).all()):
            raise InputError("is no column of whole numbers", key=name, value=str(found[:3]), accepted="whole numbers")
        found = whole
    return found


def delivered(sent: Path, arrived: Path) -> pyarrow.Table:
    """Each message, in the order given, with the cycles in which its head and its tail arrive (-1: never) and hops."""
    import pyarrow.csv

    both = [pyarrow.csv.read_csv(path) for path in (sent, arrived)]
    made = both[0]
    for name in ("head", "tail", "hops"):
        made = made.append_column(name, both[1].column(name))
    return made
