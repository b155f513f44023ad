"""The schema of a verb's documents, made of their types; `./x docs` writes them beside this file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from assay import versions
from assay.network.documents import AnyFigure
from assay.schemas.forms import WithFigures, forms

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FOLDER = Path(__file__).parent
VERSION = {"type": "integer", "minimum": 0, "description": "of the document's form"}
Schema = dict[str, Any]


def made(verb: str) -> Schema:
    """Make the schema of a verb's documents: one of several forms, each an object with its version."""
    named: Schema = {}
    kinds = [_form(kind, named) for kind in forms()[verb]]
    return {
        "$schema": DIALECT,
        "$id": f"assay/{versions.DOCUMENT.version}/{verb}.json",
        "title": f"assay {verb} --json",
        **(kinds[0] if len(kinds) == 1 else {"anyOf": kinds}),
        **({"$defs": dict(sorted(named.items()))} if named else {}),
    }


def files() -> dict[Path, str]:
    """The text of every verb's file."""
    return {FOLDER / f"{verb}.json": json.dumps(made(verb), indent=1) + "\n" for verb in forms()}


def _form(kind: Any, named: Schema) -> Schema:
    inner = kind.kind if isinstance(kind, WithFigures) else kind
    form = _of_type(inner, named)
    if isinstance(kind, WithFigures):
        figure = _of_type(AnyFigure, named)
        named["AnyFigure"] = figure
        own = {"figures": {"type": "array", "items": {"$ref": "#/$defs/AnyFigure"}}}
        form = form | {"properties": own | form["properties"], "required": ["figures", *form.get("required", [])]}
    properties = form["properties"]
    stated = {} if "version" in properties else {"version": VERSION}
    required = [*stated, *form.get("required", [])]
    return form | {"properties": stated | properties, "required": required}


def _of_type(kind: Any, named: Schema) -> Schema:
    """The schema of a type alone; what it refers to goes to `named`."""
    found: Schema = TypeAdapter(kind).json_schema(mode="serialization", by_alias=True)
    if isinstance(kind, type) and issubclass(kind, BaseModel):  # which say no more than they know
        _not_required(found)
    named.update(found.pop("$defs", {}))
    if "$ref" in found:  # a type that holds itself
        found = named[found["$ref"].rpartition("/")[2]]
    return found


def _not_required(schema: Any) -> None:
    if isinstance(schema, dict):
        if isinstance(schema.get("required"), list):
            schema.pop("required")
        for each in schema.values():
            _not_required(each)
    elif isinstance(schema, list):
        for each in schema:
            _not_required(each)
