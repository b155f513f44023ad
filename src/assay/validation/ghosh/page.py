"""`assay study --all`: docs/ghosh.md and a page for each study, written from results and from the catalogue."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.document import split_pages
from assay.machine import catalogue
from assay.machine import published as block
from assay.network import network_keys, network_tables
from assay.network.study.document import keys as latencies
from assay.network.study.file import Setting
from assay.network.study.plots import draw
from assay.network.study.results import Point, Results, StudyTable
from assay.published.cells import allowance
from assay.published.judge import OUTCOMES, SIGNS, ClaimVerdict
from assay.validation.claims import sensitivity
from assay.validation.ghosh.answered import tables
from assay.validation.ghosh.choices import CHOICES, MISMATCHES
from assay.validation.ghosh.claims import evaluate, published

PAPER = "ghosh_parallel_io"
INTRODUCTION = """\
# A parallel I/O subsystem for hypercube multicomputers, redone

Written by `assay study --all`; edit the studies (`src/assay/catalogue/studies`) and the code, not this page.

J. Ghosh, K. D. Goveas and J. T. Draper simulated, flit by flit, a hypercube multicomputer with wormhole routing
whose I/O nodes have a network of their own, and analysed it by queues. Below every figure, table and claim of the
paper is made again. Latencies are header latencies in microseconds, from generation to the head's arrival inside
the destination, queueing at the source included, start-up excluded. A read's is the sum over its messages. Each
point is the mean of up to {replications} runs of 150,000 messages, the first 50,000 left out, as in the paper, with 95%
intervals over the runs. The paper's total latency adds what is the same in every run, start-up and transfer:
201.55 us for 32 bytes, 404.75 us for a block and 406.35 us for a write (`total_us` in `assay study NAME --json`).
A point is *saturated* when the backlog of a run still grows when the run is made four
times as long, never because a mean is large; the paper leaves such points out, and so do the plots (a cross above
marks them; a band marks the bisected saturation point). Dashed lines are the queues of section 6 on exact channel
rates.

{messages:,} messages were simulated in {cpu:.0f} CPU seconds.
"""

if TYPE_CHECKING:
    from pydantic import JsonValue


def write(results: Sequence[Results], folder: Path) -> None:
    """The overview `folder`/ghosh.md, and the studies' pages and plots in `folder`/ghosh."""
    pictures = folder / "ghosh"
    pictures.mkdir(parents=True, exist_ok=True)
    for one in results:
        for name, plot in _pictures(one):
            (pictures / name).write_text(draw(one, plot), encoding="utf-8")
    split_pages.write(folder, pages("\n".join(page(results))))


def pages(text: str) -> dict[str, str]:
    """The overview and a page for each study, by path."""
    return split_pages.split(text, "ghosh", _page_name)


def _page_name(_: str, text: str) -> str | None:
    study = re.search(r"`assay study ([a-z0-9-]+)`\.", text)
    return study[1] if study else None


def _pictures(one: Results) -> Iterator[tuple[str, Any]]:
    for at, plot in enumerate(one.study.plots):
        yield f"{one.study.name}-{chr(ord('a') + at)}.svg", plot


def page(results: Sequence[Results]) -> Iterator[str]:
    """The lines of all its pages."""
    replications = max((len(samples) for one in results for p in one.points for samples in p.means.values()), default=0)
    messages, cpu = sum(one.messages for one in results), sum(one.cpu_seconds for one in results)
    yield INTRODUCTION.format(replications=replications, messages=messages, cpu=cpu)
    verdicts = [(one, verdict) for one in results for verdict in evaluate(one)]
    yield from _glance([verdict for _, verdict in verdicts])
    yield from _mismatches([verdict for _, verdict in verdicts])
    yield from _allowances(results)
    yield from _schema()
    yield from _ambiguities()
    for one in results:
        yield from _study(one)
    yield from _unreadable()


def _glance(verdicts: Sequence[ClaimVerdict]) -> Iterator[str]:
    count = Counter(verdict.outcome for verdict in verdicts)
    known = published()
    missing = sorted(set(known) - {verdict.claim for verdict in verdicts})
    yield "## The claims at a glance\n"
    summary = f"{count['holds']} hold, {count['inconclusive']} inconclusive, {count['differs']} differ"
    yield f"{len(verdicts)} of the paper's {len(known)} claims: {summary}."
    yield (
        "*Holds* and *differs* each need the whole interval on their side, at 95% over all parts of a claim together; "
        "what quotes other work is inconclusive here. An *input* gave a number by which a reading of the paper was "
        "chosen: it is no evidence.\n"
    )
    yield "| | claim | source |\n|---|---|---|"
    for verdict in verdicts:
        claim = known.get(verdict.claim)
        text, source = (claim.text, claim.source) if claim else (verdict.claim, "")
        mark = f" ({verdict.mark})" if verdict.mark else ""
        yield f"| {SIGNS[verdict.outcome]} {verdict.outcome}{mark} | {_cell(text)} | {source} |"
    if missing:
        yield f"\nNot judged: {', '.join(missing)}."
    yield ""


def _mismatches(verdicts: Sequence[ClaimVerdict]) -> Iterator[str]:
    yield "## What differs, and what was taken differently\n"
    found = {verdict.claim: verdict for verdict in verdicts}
    for name, text in MISMATCHES.items():
        verdict = found.get(name)
        numbers = f" *{verdict.outcome}*: {'; '.join(part.numbers for part in verdict.parts[:2])}." if verdict else ""
        yield f"* `{name}`.{numbers} {text}"
    for verdict in verdicts:
        if verdict.outcome == "differs" and verdict.claim not in MISMATCHES:
            against = [part.numbers for part in verdict.parts if part.outcome == "differs"]
            yield f"* `{verdict.claim}`. {'; '.join(against[:3])}."
    yield ""


def _allowances(results: Sequence[Results]) -> Iterator[str]:
    yield "## Allowances that no print gives\n"
    yield (
        f"How near 'the same' and 'unaffected' are ({allowance.SAME:.0%}), 'little difference', 'marginal' and 'very "
        f"closely' ({allowance.LITTLE:.0%}), and what a plot shows of a curve ({allowance.FLAT:.0%}) is our choice, as "
        "are 'much more' (1.5 times), 'levels off' (half the growth of a network that is not saturated) and what may "
        "be left of a limit (10%). The paper prints no number for any of them. All other allowances are from print.\n"
    )
    yield from sensitivity.lines(sensitivity.changed(lambda: [v for one in results for v in evaluate(one)]))


def _schema() -> Iterator[str]:
    yield "## Parameters\n"
    yield (
        "The machine is a NETWORK.toml: a hypercube under `[network]` and these keys under `[io]`. The letters are "
        "those of "
        "figure 2; the placement is `nodes`; `interval` is t_a.\n"
    )
    yield "| key | default | meaning |\n|---|---|---|"
    for name, default, text in network_keys.rows(network_tables.InputOutput):
        if name in ("files", "drive"):  # tables of their own: docs/network.md
            continue
        yield f"| `{name}` | {default} | {_cell(text)} |"
    yield ""
    yield "The paper's own values:\n"
    yield "| parameter | value | source |\n|---|---|---|"
    for parameter in catalogue.load().of(block.PublishedParameter):
        if parameter.paper == PAPER:
            low, high = parameter.value_min, parameter.value_max
            value = parameter.value if low is None else f"{low} to {high}"
            unit = "" if parameter.unit in (None, "1") else f" {parameter.unit}"
            shown = parameter.formula if value is None else f"{value}{unit}"
            yield f"| {_cell(parameter.text)} | {shown} | {parameter.source} |"
    yield ""


def _ambiguities() -> Iterator[str]:
    yield "## What the paper leaves open, and what is done here\n"
    yield "| open point | choice |\n|---|---|"
    for one in catalogue.load().of(block.Ambiguity):
        if one.paper == PAPER:
            yield f"| **{one.id}**: {_cell(one.text)} | {_cell(CHOICES.get(one.id, one.resolution))} |"
    yield ""


def _study(one: Results) -> Iterator[str]:
    head = one.study.head
    yield f"## {head.title}\n"
    where = ", ".join(part for part in (head.figure, head.source) if part)
    yield f"{where}. `assay study {one.study.name}`. {head.text.strip()}\n"
    for name, plot in _pictures(one):
        yield f"![{plot.title}](ghosh/{name})"
    for table in tables(one):
        yield from _table(table)
    if one.brackets:
        yield from _table(_brackets(one))
    if one.points:
        yield f"\n<details><summary>{len(one.points)} points</summary>\n"
        yield from _points(one)
        yield "\n</details>\n"
    for verdict in evaluate(one):
        yield from _verdict(verdict)
    yield ""


def _table(table: StudyTable) -> Iterator[str]:
    yield f"\n{table.caption}\n"
    yield f"| {' | '.join(table.columns)} |\n|{'---|' * len(table.columns)}"
    for row in table.rows:
        yield f"| {' | '.join(_cell(str(cell)) for cell in row)} |"
    yield ""


def _brackets(one: Results) -> StudyTable:
    rows: list[list[JsonValue]] = [
        [
            _setting(found.setting),
            f"{found.low:.4g} to {found.high:.4g}",
            len(found.brackets),
            "–" if found.predicted is None else f"{found.predicted:.3g}",
            "–" if found.busiest is None else f"{found.busiest:.3g}",
        ]
        for found in one.brackets
    ]
    unit = "messages/ms per PE" if one.with_io else "flits per node per cycle"
    columns = ["machine", unit, "seeds", "queues", "busiest channel full"]
    return StudyTable("Saturation by bisection on the backlog, over all seeds.", columns, rows)


def _points(one: Results) -> Iterator[str]:
    names = latencies(one)
    yield f"| point | {' | '.join(names)} | backlog, quarter and whole run |\n|{'---|' * (len(names) + 2)}"
    for point in one.points:
        cells = [_estimate(point, name) for name in names]
        state = "**saturated** " if point.saturated else ""
        backlog = f"{state}{point.backlog[0]:.0f}, {point.backlog[1]:.0f}"
        yield f"| {_setting(point.setting)} | {' | '.join(cells)} | {backlog} |"


def _estimate(point: Point, name: str) -> str:
    found = point.estimate(name)
    if not point.means.get(name):
        return "–"
    return f"{found.mean:.4g}" + ("" if found.half is None else f" ± {found.half:.2g}")


def _setting(setting: Setting) -> str:
    found = []
    if "label" in setting:
        load = f", load {setting['traffic.load']:g}" if "traffic.load" in setting else ""
        return f"{setting['label']}{load}"
    for dotted, value in setting.items():
        name = dotted.rpartition(".")[2]
        if name == "interval" and isinstance(value, (int, float)):
            found.append(f"t_a {value * 0.05:g} us")
        else:
            found.append(f"{name} {value:g}" if isinstance(value, (int, float)) else f"{name} {value}")
    return ", ".join(found)


def _verdict(verdict: ClaimVerdict) -> Iterator[str]:
    claim = published().get(verdict.claim)
    text = f"{claim.text} (`{verdict.claim}`, {claim.source})" if claim else f"`{verdict.claim}`"
    yield f"\n**{SIGNS[verdict.outcome]} {verdict.outcome}**: {text}\n"
    if verdict.note:
        yield f"  {verdict.note}\n"
    shown = sorted(verdict.parts, key=lambda part: OUTCOMES[::-1].index(part.outcome))
    for part in shown[:8]:
        yield f"* {SIGNS[part.outcome]} {part.numbers}"
    if len(shown) > 8:
        yield f"* and {len(shown) - 8} more, of which {sum(p.outcome == 'holds' for p in shown[8:])} hold"


def _unreadable() -> Iterator[str]:
    yield "## What could not be read\n"
    for one in catalogue.load().of(block.Unreadable):
        if one.paper == PAPER:
            yield f"* {one.where}: {one.why}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
