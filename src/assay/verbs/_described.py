"""The described machines in `assay catalogue`: the shipped ones, and a file's keys in its own units."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from assay import sanitised, versions
from assay.described.published_name import SHIPPED
from assay.described.shipped import shipped
from assay.toml.source import TomlTable, TomlValue, read, table_at


class KeyFound(TypedDict):
    """A key of a description, in its own unit, and what the value rests on."""

    key: str
    value: TomlValue
    origin: str | None


class DescriptionFound(TypedDict):
    """A description's file: its heading in words, and its keys."""

    name: str
    title: str
    about: str
    file: str
    keys: list[KeyFound]


def described() -> list[dict[str, str]]:
    """Every shipped description: its name, title and topology."""
    made = []
    for name, path in shipped().items():
        file, _ = read(path, versions.MACHINE)
        title, topology = str(file.get("title", name)), str(table_at(file, "network").get("topology", ""))
        made.append({"name": name, "title": title, "topology": topology})
    return made


def description(name: str) -> DescriptionFound | None:
    """The keys and values of a described machine's file, each with its origin; None where none ships."""
    if name not in shipped():
        return None
    path = shipped()[name]
    file, _ = read(path, versions.MACHINE)
    origins = table_at(file, "origin")
    head = " ".join(
        line.removeprefix("#").strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")
    )
    keys: list[KeyFound] = [
        {"key": key, "value": value, "origin": None if key not in origins else str(origins[key])}
        for key, value in _flat({key: value for key, value in file.items() if key not in ("name", "title", "origin")})
    ]
    return {"name": name, "title": str(file.get("title", name)), "about": head, "file": path.name, "keys": keys}


def _flat(table: TomlTable | list[TomlValue], before: str = "") -> list[tuple[str, TomlValue]]:
    items: Iterable[tuple[str | int, TomlValue]] = table.items() if isinstance(table, dict) else enumerate(table)
    found: list[tuple[str, TomlValue]] = []
    for key, value in items:
        path = f"{before}.{key}" if before else str(key)
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict) for each in value)):
            found += _flat(value, path)
        else:
            found.append((path, value))
    return found


def show_list() -> None:
    """Print which machines are described."""
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("described (--on)", "machine", "topology"):
        table.add_column(heading, no_wrap=heading.startswith("described"), overflow="fold")
    for each in described():
        table.add_row(each["name"], each["title"], each["topology"])
    console = sanitised.console()
    console.print()
    console.print(table)


def show(found: DescriptionFound) -> None:
    """Print one description: its source, and each key with what it rests on."""
    from rich.table import Table
    from rich.text import Text

    console = sanitised.console()
    console.print(Text.assemble((found["title"], "bold"), (f"  (described: {SHIPPED.name}/{found['file']})", "dim")))
    console.print(Text(found["about"]))
    table = Table(box=None, header_style="cyan", padding=(0, 2, 0, 0), pad_edge=False)
    for heading in ("key", "value", "rests on"):
        table.add_column(heading, overflow="fold")
    for each in found["keys"]:
        value = each["value"]
        text = ("true" if value else "false") if isinstance(value, bool) else str(value)
        table.add_row(each["key"], text, each["origin"] or "")
    console.print(table)
