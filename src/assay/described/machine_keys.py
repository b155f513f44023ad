"""The reference of a machine's description, made from its schema: every table, key, default, unit and meaning."""

from __future__ import annotations

import typing
from typing import TypedDict

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from assay.described import machine_tables, storage_tables, uncertainty_tables, validation_table
from assay.described.kernels import KERNELS
from assay.toml.checking import Table, extra

SECTIONS: tuple[type[Table], ...] = (
    machine_tables.MachineTable,
    machine_tables.ProtocolTable,
    machine_tables.ForcedTable,
    machine_tables.OneSidedTable,
    machine_tables.PathTable,
    machine_tables.NodeTable,
    machine_tables.SecondCacheTable,
    machine_tables.ForwardingTable,
    machine_tables.ProgressTable,
    machine_tables.MpiTable,
    machine_tables.BarrierTable,
    machine_tables.ComputeTable,
    machine_tables.NodeDeviceTable,
    machine_tables.MessagesTable,
    storage_tables.StorageTable,
    storage_tables.CacheTable,
    storage_tables.DiskTable,
    storage_tables.SolidStateTable,
    storage_tables.DeviceTable,
    uncertainty_tables.UncertaintyTable,
    uncertainty_tables.LaunchSpreadTable,
    validation_table.ValidationTable,
)


class KeyRow(TypedDict):
    """A key of a table: its unit, its default and its meaning in words."""

    key: str
    unit: str
    default: str
    meaning: str


class KeySection(TypedDict):
    """A table of a description: what it is, and its keys."""

    table: str
    text: str
    keys: list[KeyRow]


def sections() -> list[KeySection]:
    """Each table of a description: heading, what it is, and its keys."""
    found: list[KeySection] = []
    for model in SECTIONS:
        text = " ".join((model.__doc__ or "").split())
        heading, colon, rest = text.partition(": ")
        if not heading.startswith("["):
            heading, rest = "At the top", text
        found.append({"table": heading, "text": rest if colon or rest else "", "keys": _rows(model)})
    network = "As [network] of the network's own files (docs/network.md), and nothing else of them; `cycle` is the tick"
    text = f"{network}, a whole number of picoseconds. How many nodes there are follows from the topology."
    found.insert(1, {"table": "[network]", "text": text, "keys": []})
    return found


def _rows(model: type[BaseModel]) -> list[KeyRow]:
    rows: list[KeyRow] = []
    for name, field in model.model_fields.items():
        key = field.alias or name
        default = field.get_default(call_default_factory=True) if not field.is_required() else PydanticUndefined
        rows.append(
            {
                "key": key,
                "unit": extra(field, "unit") or "",
                "default": "must be given" if field.is_required() else _default(default),
                "meaning": (field.description or "") + _words(field.annotation),
            }
        )
    return rows


def _words(annotation: object) -> str:
    words = [word for word in typing.get_args(annotation) if isinstance(word, str)]
    return f" ({', '.join(words)})" if words else ""


def _default(value: object) -> str:
    if value is None or value in ([], {}):
        return "–"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def markdown() -> str:
    """The reference as Markdown tables."""
    lines = []
    for section in sections():
        lines += [f"## {section['table']}", "", section["text"], ""]
        if section["keys"]:
            lines += ["| key | unit | default | meaning |", "|---|---|---|---|"]
            for row in section["keys"]:
                meaning = row["meaning"].replace("|", "/")
                lines.append(f"| `{row['key']}` | {row['unit']} | {row['default']} | {meaning} |")
            lines.append("")
        if section["table"] == "[compute]":
            lines += _kernels()
    return "\n".join(lines)


def _kernels() -> list[str]:
    """The kernels that node programs and rank programs name."""
    lines = [
        "### Kernels",
        "",
        'What node programs take and what `compute(Work{"KERNEL", count}, ...)` of a rank program is charged; a '
        "program may name others. A kernel without a rate of its own has that of the first of `like` that the "
        "description has; `read` and `written` are bytes per unit that pass to and from memory where no cache holds "
        "the data; after a semicolon where caches do not even hold what a loop works on again and again (`memory` of "
        "Work). On the bus, which a node's processors share, a byte takes as long as one of `dot` does, where that "
        "has both rate and cached and the kernel is not faster than that; else the time by [node] bus.",
        "",
        "| kernel | unit | what it is | like | read | written |",
        "|---|---|---|---|---:|---:|",
    ]
    for name, kind in KERNELS.items():
        like = ", ".join(kind.like) or " + ".join(f"{share:g} {part}" for part, share in kind.made_of) or "–"
        more = (0.0, 0.0) if kind.beyond is None else kind.beyond
        read, written = (
            f"{here:.3g}" + (f"; {there:.3g}" if there else "")
            for here, there in zip((kind.read, kind.written), more, strict=True)
        )
        lines.append(f"| `{name}` | {kind.unit} | {kind.meaning} | {like} | {read} | {written} |")
    return [*lines, ""]
