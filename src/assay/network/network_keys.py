"""The reference of NETWORK.toml, made from the schema and from the core's records: every key, its default, its
meaning.
"""

from __future__ import annotations

import inspect

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from assay.network import network_tables, records


def rows(model: type[BaseModel]) -> list[tuple[str, str, str]]:
    """(key, default, meaning) of a table of the schema."""
    return [
        (name, _text(found.default, found.is_required()), (found.description or "") + _choices(found.annotation))
        for name, found in model.model_fields.items()
    ]


def _choices(annotation: object) -> str:
    words = [word for word in getattr(annotation, "__args__", ()) if isinstance(word, str)]
    return f" ({', '.join(words)})" if len(words) > 1 else ""


def _text(default: object, required: bool) -> str:
    if required or default is PydanticUndefined:
        return "must be given"
    if default is None:
        return "–"
    return str(default).lower() if isinstance(default, bool) else repr(default).replace("'", '"')


def _parameters(
    parameters: list[records.NetworkParameter] | tuple[records.NetworkParameter, ...],
) -> list[tuple[str, str, str]]:
    found = []
    for parameter in parameters:
        unit = f" [{parameter['unit']}]" if parameter["unit"] else ""
        text = f"{parameter['description']}{unit}; {parameter['accepts']}"
        found.append((parameter["name"], _text(parameter["default"], parameter["required"]), text))
    return found


def _network() -> list[tuple[str, str, str]]:
    common = _parameters(records.common())
    known = {name for name, _, _ in common}
    return [*common, *(row for row in rows(network_tables.NetworkTable) if row[0] not in known)]


def sections() -> list[tuple[str, str, list[tuple[str, str, str]]]]:
    """(heading, text, rows) of the whole reference, in the order of the file."""
    found = [
        ("[network]", network_tables.NetworkTable.__doc__ or "", _network()),
    ]
    for name, record in records.topologies().items():
        text = f"{record['description']}. {record.get('numbering', '')} Routing by default: {record.get('routing')}."
        found.append((f'[network] with topology = "{name}"', text, _parameters(record["parameters"])))
    for name, record in records.routings().items():
        if record["parameters"]:
            found.append(
                (f'[network] with routing = "{name}"', record["description"], _parameters(record["parameters"]))
            )
    for heading, model in (
        ("[[network.links]]", network_tables.SlowerLink),
        ("[traffic]", network_tables.TrafficTable),
        ("[traffic.flits]", network_tables.Lengths),
        ("[io]", network_tables.InputOutput),
        ("[io.files]", network_tables.IoFiles),
        ("[io.drive]", network_tables.IoDrive),
        ("[method]", network_tables.Method),
    ):
        found.append((heading, model.__doc__ or "", rows(model)))
    return found


def markdown() -> str:
    """The reference as Markdown tables."""
    lines = []
    for heading, text, table in sections():
        lines += [f"## {heading}", "", inspect.cleandoc(text.removeprefix(f"{heading}: ")), ""]
        if table:
            lines += ["| key | default | meaning |", "|---|---|---|"]
            lines += [f"| `{key}` | {default} | {meaning.replace('|', '/')} |" for key, default, meaning in table]
            lines.append("")
    return "\n".join(lines)
