"""Variants of a run: each compared with the first one, wrong results by name, what compilers made of kernels.

Launches of variants take turns within a round, so that the i-th of one is paired with the i-th of the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from assay.benchmark.variants import KEYS, USUAL, AnyVariant, MpiVariant, Variant, labels, variant_of, without
from assay.case import Case
from assay.document.build_variants import BuildVariants, VariantBuild, VectorisedKernel, WrongResult
from assay.document.run_document import Document
from assay.document.section import Section
from assay.report.units import params
from assay.store import Run

Failed = Mapping[str, Sequence[tuple[Case, str]]]  # failed checks by benchmark: case and detail


def variants(about: Mapping[str, Any]) -> tuple[AnyVariant, ...]:
    """The variants that a run was made for, from its run.json; () where there were none."""
    wishes = about.get("wishes")
    stated = wishes.get("variants") if isinstance(wishes, dict) else None
    found = [variant_of(each) for each in stated or () if isinstance(each, dict)]
    return tuple(each for each in found if each is not None)


def build_variants(run: Run, document: Document, failed: Failed) -> BuildVariants | None:
    """Set a run's variants beside one another; None where it has none."""
    wanted = variants(run.about)
    if not wanted:
        return None
    from assay.report.judge import comparison

    names = labels(wanted)
    first = of_variant(document, wanted[0], names[wanted[0]])
    rows = [row for each in wanted[1:] for row in comparison.against(first, of_variant(document, each, names[each]))]
    return BuildVariants(
        builds=[_build(each, names[each], document) for each in wanted],
        rows=rows,
        wrong=_wrong(failed, names),
        vectorised=_vectorised(run, wanted),
    )


def of_variant(document: Document, variant: AnyVariant, label: str | None = None) -> Document:
    """What a document says of one variant alone, whose parts are no parameters then; as `run` its label."""
    sections = [_section_of(section, variant) for section in document.benchmarks]
    kept = [section for section in sections if section is not None]
    return replace(document, run=label or document.run, benchmarks=kept)


def parts(build: VariantBuild) -> AnyVariant:
    """The parts of a variant alone, as a case has them."""
    if build.mpi is not None and build.transport is not None:
        return MpiVariant(build.mpi, build.transport, build.compiler or USUAL)
    return Variant(build.compiler or "", build.flags or "", build.isa or "")


def reference(document: Document) -> Document:
    """What stands beside other machines: of varied benchmarks the first variant, all others as they are."""
    if document.variants is None:
        return document
    variant = parts(document.variants.builds[0])
    sections = [_section_of(section, variant) or section for section in document.benchmarks]
    return replace(document, benchmarks=sections)


def is_varied(section: Section) -> bool:
    """Whether a section's figures are of variants."""
    return any(variant_of(figure.params) for figure in section.figures)


def _section_of(section: Section, variant: AnyVariant) -> Section | None:
    """A section with the cases of one variant; None where it is not varied."""
    if not is_varied(section):
        return None

    def kept(found: Sequence[Any]) -> list[Any]:
        return [replace(each, params=without(each.params)) for each in found if variant_of(each.params) == variant]

    return replace(
        section,
        figures=kept(section.figures),
        peak_shares=kept(section.peak_shares or ()) or None,
        fits=kept(section.fits),
        headlines=[replace(each, figure=figure) for each in section.headlines for figure in kept([each.figure])],
    )


class StatedVariant(TypedDict, total=False):
    """What the circumstances of a launch have of a variant, with its factors: commands, and who made them."""

    by: str | None
    version: str | None
    commands: list[str]


def _build(variant: AnyVariant, label: str, document: Document) -> VariantBuild:
    """What the circumstances of launches say of a variant."""
    stated_in = _stated_exchanges if isinstance(variant, MpiVariant) else _stated_builds
    stated = [
        each
        for facts in document.provenance.values()
        for each in stated_in(facts.stated)
        if variant_of(each) == variant
    ]
    commands = dict.fromkeys(str(command) for each in stated for command in each.get("commands") or ())
    last: StatedVariant = stated[-1] if stated else {}
    return VariantBuild(
        label=label, **variant.factors, by=last.get("by"), version=last.get("version"), commands=list(commands)
    )


def _stated_builds(facts: Mapping[str, Any]) -> list[StatedVariant]:
    programs = (facts.get("programs") or {}).values()
    return [each for of in programs if isinstance(of, dict) for each in (of.get("variants") or {}).values()]


def _stated_exchanges(facts: Mapping[str, Any]) -> list[StatedVariant]:
    stated: Sequence[StatedVariant] = facts.get("mpi_variants") or ()
    return [each for each in stated if isinstance(each, dict)]


def _wrong(failed: Failed, names: Mapping[AnyVariant, str]) -> list[WrongResult]:
    """Failed checks of variants, each once: what it says may change from launch to launch."""
    found: dict[tuple[str, Case], WrongResult] = {}
    for benchmark, checks in failed.items():
        for case, detail in checks:
            variant = variant_of(case)
            if variant is None:
                continue
            own = {key: value for key, value in without(case).items() if value is not None}
            label = names.get(variant, variant.title)
            of = f"{benchmark} ({params(own)})" if own else benchmark
            statement = f"with {label} the check of {of} fails: {detail}"
            wrong = WrongResult(label=label, benchmark=benchmark, params=Case(own), detail=detail, text=statement)
            found.setdefault((benchmark, case), wrong)
    return list(found.values())


def _vectorised(run: Run, wanted: Sequence[AnyVariant]) -> list[VectorisedKernel] | None:
    """Widths by function, from what was journaled when the kernels were compiled."""
    by: dict[str, dict[AnyVariant, dict[str, Mapping[str, Any]]]] = {}
    for entry in run.entries():
        if entry["event"] != "compiled" or (vectorised := entry.get("vectorised")) is None:
            continue
        variant = Variant.of({key: text for key, text in entry.items() if key in KEYS})
        if variant is not None and variant in wanted:
            of = by.setdefault(entry["benchmark"], {})
            of[variant] = {str(each["name"]): each for each in vectorised if isinstance(each, dict)}
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
