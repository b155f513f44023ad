"""What objects that represent a TOML file share: plain values, errors without a file's name, the text."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay import output_file
from assay.errors import InputError


def plain_table(table: Mapping[str, Any]) -> dict[str, object]:
    """Give a table with the plain values that TOML has: numbers of numpy, tuples and arrays too; None is left out."""
    return {str(key): _plain(value) for key, value in table.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain_table(value)
    if isinstance(value, (list, tuple, range)):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):  # numpy's, scalars too
        return value.tolist()
    return str(value) if isinstance(value, Path) else value


@contextlib.contextmanager
def without_file(path: Path) -> Iterator[None]:
    """Take the name of a file that no person has out of errors."""
    try:
        yield
    except InputError as error:
        raise InputError(re.sub(rf"{re.escape(str(path))}(:\d+)?: ", "", str(error))) from None


def toml(tables: Mapping[str, Any]) -> str:
    """Give the text of a file; a value of several lines is written as such."""
    from assay.toml.writing import write_toml

    return write_toml({key: _by_lines(value) for key, value in tables.items()})


def _by_lines(value: Any) -> Any:
    import tomlkit

    if isinstance(value, dict):
        return {key: _by_lines(each) for key, each in value.items()}
    if isinstance(value, str) and "\n" in value and value.isascii() and '"""' not in value and "\\" not in value:
        return tomlkit.string("\n" + value if value.startswith("\n") else value, multiline=True)
    return value


def written_to(path: Path, text: str) -> Path:
    """Write a text. InputError where the file cannot be written."""
    output_file.write_text(path, text)
    return path
