"""Pages of HTML from the templates of this folder, in the report's colours, each in one file that needs no other."""

from __future__ import annotations

from collections.abc import Mapping

from assay.sanitised import visible


def page_from(template: str, filters: Mapping[str, object], **given: object) -> str:
    """Lay out a page; texts are escaped, and what a terminal or browser would act on is made visible."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader

    pages = Environment(
        loader=ChoiceLoader([PackageLoader("assay.decide", ""), PackageLoader("assay.report.render", "pages")]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    pages.filters |= filters
    return pages.get_template(template).render(**given)
