"""Names of the files that verbs write: none ends like another form than the one that is written."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError

POINTS = (".jsonl", ".ndjson", ".json", ".txt")  # one JSON document a line
TABLE = (".csv", ".txt")
TRACE = (".json",)
GOAL = (".goal", ".txt")
DOCUMENT = (".json", ".txt")
PAGE = (".html", ".htm")
XML = (".xml",)
DESCRIPTION = (".toml",)
SCHEDULE = (".swf", ".txt", ".gz")  # the last one compressed
PICTURE = (".svg",)
PICTURES = (".svg", ".png", ".pdf", ".jpg", ".jpeg", ".html")  # names that a folder of pictures does not have


def check_suffix(option: str, path: Path | None, form: str, accepted: tuple[str, ...], other: str = "") -> None:
    """InputError where a file's suffix is that of another format; `accepted`: suffixes, the usual one first.

    A name without a suffix is accepted, and so is one whose last dot is a number's (`points-0.3`). `other`: by which
    option the verb writes another form, in words.
    """
    if path is None:
        return
    suffix = path.suffix.lower()
    if suffix not in accepted and any(each.isalpha() for each in suffix):
        wanted = f"a name that ends in {accepted[0]}{other}"
        raise InputError(f"is written as {form}", key=option, value=str(path), accepted=wanted)


def folder(option: str, path: Path | None, holds: tuple[str, ...]) -> None:
    """InputError where files are to be written into what is a file, or is named like one of them."""
    if path is not None and ((path.exists() and not path.is_dir()) or path.suffix.lower() in holds):
        accepted = f"a folder, into which {holds[0]} files are written"
        raise InputError("is no folder", key=option, value=str(path), accepted=accepted)
