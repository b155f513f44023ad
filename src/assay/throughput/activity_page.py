"""One self-contained page: the results of a workload on some systems, side by side, with the activity graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from assay.throughput.activity import JobActivity
from assay.throughput.activity_svg import activity_svg

STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:right}"
    "td:first-child,th:first-child,td.long{text-align:left}td:not(.long):not(:first-child){white-space:nowrap}.graph{overflow-x:auto}.bad{color:#b00000}p.hint{color:#666}"
)
LONG = 50  # characters of a cell, from which on it is broken into lines
# The wheel zooms time about the pointer, a drag moves it, a double click shows all again.
ZOOM = """
document.querySelectorAll("svg.activity").forEach(svg => {
  const left = +svg.dataset.left, right = +svg.dataset.right;
  let scale = 1, shift = 0, grabbed = null;
  const made = name => document.createElementNS(svg.namespaceURI, name);
  const clip = made("clipPath"), box = made("rect");
  clip.id = "time"; box.setAttribute("x", left); box.setAttribute("width", right - left);
  box.setAttribute("height", svg.viewBox.baseVal.height); clip.append(box); svg.append(clip);
  svg.querySelectorAll(".zoomed").forEach(group => {
    const outer = made("g");
    outer.setAttribute("clip-path", "url(#time)");
    group.replaceWith(outer);
    outer.append(group);
  });
  const unit = () => svg.viewBox.baseVal.width / svg.clientWidth;
  const place = event => (event.clientX - svg.getBoundingClientRect().left) * unit();
  const draw = () => {
    shift = Math.min(left * (1 - scale), Math.max(right * (1 - scale), shift));
    const moved = `translate(${shift} 0) scale(${scale} 1)`;
    svg.querySelectorAll(".zoomed").forEach(group => group.setAttribute("transform", moved));
    svg.querySelectorAll(".tick").forEach(t => {
      const x = t.dataset.x * scale + shift;
      t.setAttribute("x", x); t.style.display = x < left - 1 || x > right + 1 ? "none" : "";
    });
  };
  svg.addEventListener("wheel", event => {
    event.preventDefault();
    const at = place(event), next = Math.min(200, Math.max(1, scale * Math.exp(-event.deltaY / 400)));
    shift = at - (at - shift) * next / scale; scale = next; draw();
  }, {passive: false});
  svg.addEventListener("pointerdown", event => { grabbed = place(event) - shift; });
  svg.addEventListener("pointermove", event => {
    if (grabbed !== null && event.buttons) { shift = place(event) - grabbed; draw(); }
  });
  svg.addEventListener("dblclick", () => { scale = 1; shift = 0; draw(); });
});
"""


@dataclass(frozen=True, kw_only=True)
class PageTable:
    """A table of the page: the first column's cells are names."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class PagePlot:
    """A plot of the page."""

    title: str
    svg: str


def activity_page(
    verdict: str, activities: Sequence[JobActivity], tables: Sequence[PageTable], notes: Sequence[str],
    plots: Sequence[PagePlot] = (),
) -> str:  # fmt: skip
    """The whole page; `notes` are remarks on single jobs, `plots` follow the tables."""
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    listed = f'<h2>Jobs to look at</h2><ul class="bad">{items}</ul>' if items else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Throughput</title><style>{STYLE}</style>'
        f"</head><body><h1>Throughput</h1><p>{escape(verdict)}</p>{listed}"
        '<h2>Activity</h2><p class="hint">A row for each job: dotted while it waits, solid while it runs, in '
        "red where it did not complete, whatever its colour in the legend; below, the processors in use. The wheel "
        "zooms, a drag moves, a double click shows all.</p>"
        f'<div class="graph">{activity_svg(activities)}</div>{"".join(map(_table, tables))}'
        f"{''.join(f'<h2>{escape(plot.title)}</h2>{plot.svg}' for plot in plots)}"
        f"<script>{ZOOM}</script></body></html>\n"
    )


def _cell(text: str) -> str:
    kind = ' class="long"' if len(text) > LONG else ""
    return f"<td{kind}>{escape(text)}</td>"


def _table(table: PageTable) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in table.rows)
    return f"<h2>{escape(table.title)}</h2><table><tr>{head}</tr>{rows}</table>"
