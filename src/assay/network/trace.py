"""Message traces: messages.csv in (id, cycle, source, destination, flits), delivered.csv out (id, head, tail, hops)."""

from __future__ import annotations

from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv
from numpy.typing import NDArray

from assay import input_file, output_file
from assay.errors import InputError

COLUMNS = ("id", "cycle", "source", "destination", "flits")
Integers = NDArray[np.int64]
LARGEST = {"id": 2**63 - 1, "cycle": 2**62 - 1, "source": 2**32 - 2, "destination": 2**32 - 2, "flits": 2**30 - 1}


@dataclass(frozen=True)
class MessageTrace:
    """A trace in the order of its file, `path`."""

    path: Path
    id: Integers
    cycle: Integers
    source: Integers
    destination: Integers
    flits: Integers

    def __len__(self) -> int:
        return len(self.id)

    def order(self) -> Integers:
        """Rows by cycle, then id: the order in which the core takes them."""
        return np.lexsort((self.id, self.cycle))


def load(path: Path) -> MessageTrace:
    """Read a trace; InputError names the line of a row that is wrong whatever the network is."""
    try:
        with input_file.opened(path, input_file.TABLE) as file:
            names = _header(path, file.readline(1 << 16))
            options = csv.ReadOptions(block_size=1 << 24, column_names=names)
            types = csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pa.int64()), include_columns=list(COLUMNS))
            if not cast(BufferedReader, file).peek(1):  # no messages
                return MessageTrace(path, *(np.empty(0, np.int64) for _ in COLUMNS))
            table = csv.read_csv(file, read_options=options, convert_options=types)
    except (pa.ArrowInvalid, pa.ArrowKeyError, OSError, UnicodeDecodeError) as error:
        raise _fault(path, None, error) from None
    columns = {name: table.column(name) for name in COLUMNS}
    if any(column.null_count for column in columns.values()):
        raise _fault(path, None, None)
    messages = MessageTrace(
        path, **{name: column.to_numpy().astype(np.int64, copy=False) for name, column in columns.items()}
    )
    if _wrong(messages, None):
        raise _fault(path, None, None)
    return messages


def check(messages: MessageTrace, nodes: int) -> None:
    """InputError names the line of a message from or to a node that a network of so many does not have."""
    if _wrong(messages, nodes):
        raise _fault(messages.path, nodes, None)


def _header(path: Path, line: bytes) -> list[str]:
    """The columns' names in the first line; InputError unless there is one of each that a trace needs."""
    accepted = ",".join(COLUMNS)
    try:
        first = line.decode("utf-8-sig").strip("\r\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8 text", file=path, line=1, accepted=f"CSV with the columns {accepted}") from None
    if not first.strip():
        raise InputError("is empty", file=path, accepted=f"a first line {accepted}")
    names = [name.strip().strip('"') for name in first.split(",")]
    if missing := [name for name in COLUMNS if names.count(name) != 1]:
        problem = f"there must be one column {', one '.join(missing)}"
        raise InputError(problem, file=path, line=1, value=first[:80], accepted=accepted)
    return names


def _wrong(messages: MessageTrace, nodes: int | None) -> bool:
    if len(messages) == 0:
        return False
    least = {"flits": 1}
    most = dict(LARGEST)
    if nodes is not None:
        most["source"] = most["destination"] = nodes - 1
    for name in COLUMNS:
        values = getattr(messages, name)
        if values.min() < least.get(name, 0) or values.max() > most[name]:
            return True
    identities = np.sort(messages.id)
    return bool((identities[1:] == identities[:-1]).any())


def _fault(path: Path, nodes: int | None, error: Exception | None) -> InputError:
    """Find what is wrong by reading line by line; only after the fast reader has refused."""
    if isinstance(error, OSError) and not isinstance(error, pa.ArrowInvalid) and error.strerror:
        return InputError(f"cannot be read: {error.strerror}", file=path)
    accepted = ",".join(COLUMNS)
    try:
        rows = path.read_bytes().decode().splitlines()
    except UnicodeDecodeError as undecodable:
        line = path.read_bytes()[: undecodable.start].count(b"\n") + 1
        return InputError("is not UTF-8 text", file=path, line=line, accepted=f"CSV with the columns {accepted}")
    except OSError as unreadable:
        return InputError(f"cannot be read: {unreadable.strerror}", file=path)
    header = _header(path, rows[0].encode())
    seen: dict[int, int] = {}
    for line, row in enumerate(rows[1:], 2):
        if not row:
            continue
        fields = [item.strip().strip('"') for item in row.split(",")]
        if len(fields) != len(header):
            problem = f"has {len(fields)} fields, the first line {len(header)}"
            return InputError(problem, file=path, line=line, value=row[:80], accepted=",".join(header))
        for name in COLUMNS:
            text = fields[header.index(name)]
            least = 1 if name == "flits" else 0
            most = nodes - 1 if nodes is not None and name in ("source", "destination") else LARGEST[name]
            plain = text.isascii() and text.isdigit() and len(text) < 20
            if not plain or not least <= int(text) <= most:
                upper = f"to {most}"
                if nodes is None and name in ("source", "destination"):  # before the network is made
                    upper = "on, below the network's number of nodes"
                accepted = f"an integer from {least} {upper}"
                return InputError("is wrong", file=path, line=line, key=name, value=text[:40], accepted=accepted)
        identity = int(fields[header.index("id")])
        if identity in seen:
            return InputError(f"is in line {seen[identity]} already", file=path, line=line, key="id", value=identity)
        seen[identity] = line
    return InputError(f"cannot be read: {error}", file=path, accepted=f"CSV with the columns {accepted}")


def save(path: Path, messages: MessageTrace, head: Integers, tail: Integers, hops: Integers) -> None:
    """Write delivered.csv, rows in the order of the trace; head and tail are -1 where a message was never delivered."""
    table = pa.table({"id": messages.id, "head": head, "tail": tail, "hops": hops})
    try:
        with output_file.opened(path) as file:
            csv.write_csv(table, file.buffer, csv.WriteOptions(quoting_header="none"))
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=path) from None
