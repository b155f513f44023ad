"""TOML that Assay writes: whole files, and single values put into a file that a person wrote; by tomlkit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def write_toml(tables: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """Return a file's text: comments, plain keys, then [tables] and [[lists of tables]], a blank line before each.

    Values are what `tomllib` gives; a key of `tables` that is a mapping, or a list of mappings, becomes a table.
    """
    import tomlkit

    made = tomlkit.document()
    for text in comments:
        made.add(tomlkit.comment("".join(each if each.isprintable() else " " for each in text)))
    plain = {key: value for key, value in tables.items() if not _is_table(value)}
    for key, value in plain.items():
        made.add(key, tomlkit.item(value))
    parts = [made.as_string()]
    for key, value in tables.items():
        if key not in plain:
            several = isinstance(value, list)
            parts += [tomlkit.dumps({key: [each] if several else each}) for each in (value if several else [value])]
    return "\n".join(part for part in parts if part)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def replace_values(text: str, values: Mapping[str, str]) -> str:
    """Return the text with other values (as TOML writes them: `"63.9 us"`, `35`) at dotted keys; all else stays.

    Entries of lists count from 0. A key that the text does not have is passed over.
    """
    import tomlkit
    from tomlkit.exceptions import NonExistentKey

    made = tomlkit.parse(text)
    for dotted, value in values.items():
        *outer, last = (int(part) if part.isdigit() else part for part in dotted.split("."))
        holder: Any = made
        try:
            for part in outer:
                holder = holder[part]
            holder[last]
        except (NonExistentKey, IndexError, KeyError, TypeError):
            continue
        holder[last] = tomlkit.value(value)  # the comment behind the value before stays
    return made.as_string()
