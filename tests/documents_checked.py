"""Documents under `--json` held to the schemas that are published, more strictly than these: no key may be unknown."""

from __future__ import annotations

import functools
import json
import sys
from typing import Any

import jsonschema

from assay.cli import plain_value
from assay.schemas.made import FOLDER

VERBS = sorted(path.stem for path in FOLDER.glob("*.json"))  # whose documents have a schema


def published(verb: str) -> Any:
    """The schema that is published for a verb's documents."""
    return json.loads((FOLDER / f"{verb}.json").read_text(encoding="utf-8"))


def closed(schema: Any) -> Any:
    """The schema without room for keys that it does not name, but where it says that there is."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(each) for key, each in schema.items()}
    if isinstance(made.get("properties"), dict) and "additionalProperties" not in made:
        made["additionalProperties"] = False
    return made


@functools.cache
def validator(verb: str) -> Any:
    """The validator of a verb's documents."""
    return jsonschema.Draft202012Validator(closed(published(verb)))


def fault(verb: str, document: Any) -> str | None:
    """What is wrong with a document, in words; None where nothing is."""
    plain = json.loads(json.dumps(document, default=plain_value))
    found = jsonschema.exceptions.best_match(validator(verb).iter_errors(plain))
    if found is None:
        return None
    where = ".".join(map(str, found.absolute_path))
    return f"assay {verb} --json: {where or 'the document'}: {found.message[:600]}"


def check_emitted(document: Any) -> None:
    """Fail where a verb of this process is about to give a document that its schema does not allow."""
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    if not sys.argv[0].endswith("assay") or not words or words[0] not in VERBS:
        return
    wrong = fault(words[0], document)
    assert wrong is None, wrong
