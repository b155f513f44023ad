"""Build variants of a run: each compared with the first one, wrong results by name, what compilers made of kernels.

Launches of variants take turns within a round, so that the i-th of one is paired with the i-th of the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.benchmark.variants import KEYS, Variant, labels, without
from assay.document.build_variants import BuildVariants, VariantBuild, VectorisedKernel, WrongResult
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.units import params
from assay.store import Run

Failed = Mapping[str, Sequence[tuple[str, str]]]  # failed checks by benchmark: case as text, and detail


def variants(about: Mapping[str, Any]) -> tuple[Variant, ...]:
    """The variants that a run was made for, from its run.json; () where there were none."""
    wishes = about.get("wishes")
    stated = wishes.get("variants") if isinstance(wishes, dict) else None
    found = [Variant.of(each) for each in stated or () if isinstance(each, dict)]
    return tuple(each for each in found if each is not None)


def build_variants(run: Run, document: Document, failed: Failed) -> BuildVariants | None:
    """Set a run's variants beside one another; None where it has none."""
    wanted = variants(run.about)
    if not wanted:
        return None
    from assay.report import comparing  # heavy, and most runs have no variants

    names = labels(wanted)
    first = of_variant(document, wanted[0], names[wanted[0]])
    rows = [row for each in wanted[1:] for row in comparing.against(first, of_variant(document, each, names[each]))]
    return BuildVariants(
        builds=[_build(each, names[each], document) for each in wanted],
        rows=rows,
        wrong=_wrong(failed, names),
        vectorised=_vectorised(run, wanted),
    )


def of_variant(document: Document, variant: Variant, label: str | None = None) -> Document:
    """What a document says of one variant alone, whose parts are no parameters then; as `run` its label."""
    sections = [_section_of(section, variant) for section in document.benchmarks]
    kept = [section for section in sections if section is not None]
    return replace(document, run=label or document.run, benchmarks=kept)


def reference(document: Document) -> Document:
    """What stands beside other machines: of varied benchmarks the first variant, all others as they are."""
    if document.variants is None:
        return document
    first = document.variants.builds[0]
    variant = Variant(first.compiler, first.flags, first.isa)
    sections = [_section_of(section, variant) or section for section in document.benchmarks]
    return replace(document, benchmarks=sections)


def is_varied(section: Section) -> bool:
    """Whether a section's figures are of build variants."""
    return any(Variant.of(figure.params) for figure in section.figures)


def _section_of(section: Section, variant: Variant) -> Section | None:
    """A section with the cases of one variant; None where it is not varied."""
    if not is_varied(section):
        return None

    def kept(found: Sequence[Any]) -> list[Any]:
        return [replace(each, params=without(each.params)) for each in found if Variant.of(each.params) == variant]

    return replace(section, figures=kept(section.figures), fits=kept(section.fits), headlines=kept(section.headlines))


def _build(variant: Variant, label: str, document: Document) -> VariantBuild:
    """What the circumstances of launches say of a variant."""
    stated = [
        each
        for facts in document.provenance.values()
        for program in (facts.stated.get("programs") or {}).values()
        if isinstance(program, dict)
        for each in (program.get("variants") or {}).values()
        if Variant.of(each) == variant
    ]
    commands = dict.fromkeys(str(command) for each in stated for command in each.get("commands") or ())
    last: dict[str, Any] = stated[-1] if stated else {}
    return VariantBuild(
        label=label, **variant.factors, by=last.get("by"), version=last.get("version"), commands=list(commands)
    )


def _wrong(failed: Failed, names: Mapping[Variant, str]) -> list[WrongResult]:
    """Failed checks of variants, each once: what it says may change from launch to launch."""
    found: dict[tuple[str, str], WrongResult] = {}
    for benchmark, checks in failed.items():
        for text, detail in checks:
            case = json.loads(text)
            variant = Variant.of(case)
            if variant is None:
                continue
            own = {key: value for key, value in without(case).items() if value is not None}
            label = names.get(variant, variant.words)
            of = f"{benchmark} ({params(own)})" if own else benchmark
            statement = f"with {label} the check of {of} fails: {detail}"
            wrong = WrongResult(label=label, benchmark=benchmark, params=own, detail=detail, text=statement)
            found.setdefault((benchmark, text), wrong)
    return list(found.values())


def _vectorised(run: Run, wanted: Sequence[Variant]) -> list[VectorisedKernel] | None:
    """Widths by function, from what was journaled when the kernels were compiled."""
    by: dict[str, dict[Variant, dict[str, Mapping[str, Any]]]] = {}
    for entry in run.entries():
        if entry.get("event") != "compiled" or entry.get("vectorised") is None:
            continue
        variant = Variant.of({key: entry[key] for key in KEYS})
        if variant is not None and variant in wanted:
            of = by.setdefault(entry["benchmark"], {})
            of[variant] = {str(each["name"]): each for each in entry["vectorised"] if isinstance(each, dict)}
    if not by:
        return None
    made = []
    for benchmark, found in by.items():
        for kernel in dict.fromkeys(name for each in wanted for name in found.get(each, ())):
            of_each = [found.get(each, {}).get(kernel) for each in wanted]
            bits = [None if each is None else int(each["bits"]) for each in of_each]
            texts = [None if each is None else str(each["text"]) for each in of_each]
            made.append(VectorisedKernel(benchmark=benchmark, kernel=kernel, bits=bits, texts=texts))
    return made
