"""The documentation site (`./x docs`): Sphinx with MyST and furo over docs; it opens from disk without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent

project = "Assay"
copyright = "the Assay contributors"  # the name that Sphinx asks for
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["site"]
root_doc = "index"
language = "en"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
highlight_language = "none"
pygments_style, pygments_dark_style = "friendly", "github-dark"

html_theme = "furo"
html_title = "Assay"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["../../LICENSE", "../../NOTICE"]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # a summary is fetched, which a browser refuses of files on disk
html_theme_options = {"navigation_with_keys": False}

# What is below what: the pages themselves stay plain Markdown. Each is here once, the parts of overviews excepted.
ORDER: dict[str, list[str]] = {
    "By task": [
        "tasks/first-evaluation",
        "tasks/accept-a-cluster",
        "tasks/slow-node",
        "tasks/compilers-and-mpis",
        "tasks/storage",
        "tasks/fat-tree-or-torus",
        "tasks/queue",
        "tasks/own-network",
        "tasks/describe-a-machine",
        "tutorial",
        "python",
        "tasks/dunigan-table-7",
        "tasks/ghosh-figure-4",
    ],
    "Guides": [
        "report",
        "clusters",
        "laboratory",
        "comparing",
        "prediction",
        "scaling",
        "tuning",
        "accepting",
        "history",
        "files",
        "devices",
        "applications",
        "mpi",
        "throughput",
    ],
    "Reference": ["usage", "commands", "benchmarks", "machine_keys", "network", "traces", "json", "intrinsics"],
    "How numbers are made": ["method", "disturbance", "glossary"],
    "Validation": ["machines", "ghosh", "coverage"],
    "Gallery": ["gallery"],
}
WITH_PARTS = ("benchmarks", "machines", "ghosh", "coverage")  # overviews, each with a folder of pages


def _tree(pages: list[str], caption: str = "") -> str:
    head = f":caption: {caption}\n" if caption else ""
    return "\n\n```{toctree}\n:hidden:\n" + head + "\n" + "\n".join(pages) + "\n```\n"


def _navigation() -> str:
    return "".join(_tree(pages, caption) for caption, pages in ORDER.items())


def add_navigation(_app: Any, page: str, text: list[str]) -> None:
    """Append what Sphinx needs to know of a page's place: the whole order to the index, its pages to an overview."""
    if page == root_doc:
        text[0] += _navigation()
    if page in WITH_PARTS:
        text[0] += _tree([str(path.relative_to(DOCS))[:-3] for path in sorted((DOCS / page).glob("*.md"))])


def setup(app: Any) -> None:
    """Called by Sphinx; a change of the order is one of the configuration, after which all pages are read again."""
    app.add_config_value("order", ORDER, "env")
    app.connect("source-read", add_navigation)
