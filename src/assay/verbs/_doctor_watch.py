"""`assay doctor --watch`: noise and activity live in the terminal, or as one document."""

from __future__ import annotations

import importlib
import signal
import sys
import time
from typing import TYPE_CHECKING

from assay import sanitised, stops

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assay.execute.live_noise import Watch
    from assay.machine.noise_traces import Trace
    from assay.schemas.listed import NoiseOfThread

ACTIVE = 0.5  # s, between two looks at noise


def watch(seconds: float | None, json: bool) -> int:
    """Look repeatedly, for `seconds` or until Ctrl-C, which is an ordinary end too; at least once.

    Returns the exit status: 1 where the program that shows noise failed, 143 after SIGTERM.
    """
    from rich.live import Live
    from rich.text import Text

    from assay.cli import emit
    from assay.execute.live_noise import Watcher

    importlib.import_module("assay.report.derive.node_noise")  # slow, and not on the clock
    began = time.monotonic()

    def left() -> float:
        return float("inf") if seconds is None else seconds - (time.monotonic() - began)

    notices = sanitised.console(stderr=True)
    watcher = Watcher(lambda text: notices.print(text, highlight=False, markup=False))
    began = time.monotonic()  # without the time of compiling
    seen = watcher.watch
    console = sanitised.console(file=sys.stderr if json else None)
    first = Text("" if json else "looking …", style="dim")
    try:
        with Live(first, console=console, auto_refresh=False, transient=json, redirect_stdout=False) as live:
            live.refresh()
            try:
                while seen.looks == 0 or left() > 0:
                    seen = watcher.look(min(ACTIVE, max(0.05, left())))
                    seen.seconds = time.monotonic() - began
                    if not json:
                        live.update(picture(seen, console.width), refresh=True)
            except KeyboardInterrupt:
                stops.current().answered = True
                seen.seconds = time.monotonic() - began
            if not json and seen.looks:
                live.update(picture(seen, console.width, ended=True), refresh=True)
    except KeyboardInterrupt:  # while the picture was drawn, or a second one
        stops.current().answered = True
    if json:
        emit(document(seen))
    elif not console.is_terminal:
        console.print()  # Live ends the last line on terminals only
    if (stop := stops.current()).number == signal.SIGTERM:
        return stop.status
    return 1 if seen.failed else 0


def document(seen: Watch) -> dict[str, object]:
    """Give what was seen as plain data: shares of the time, seconds, and events per second."""
    from assay.document.json_form import to_json
    from assay.report.derive.node_noise import of_node

    whole = of_node(seen.traces[0].host, seen.traces) if seen.traces else None
    return {
        "seconds": seen.seconds,
        "looks": seen.looks,
        "noise": None if whole is None else {**to_json(whole), "processors": processors(seen.traces)},
        "activity": seen.activity.model_dump(mode="json"),
        "history": seen.history,
        "notes": seen.notes,
    }


def processors(traces: list[Trace]) -> list[NoiseOfThread]:
    """Sum up the fixed-work traces of each hardware thread."""
    found: list[NoiseOfThread] = []
    for cpu in sorted({trace.cpu for trace in traces}):
        own = [trace for trace in traces if trace.cpu == cpu and trace.method == "work"]
        lengths = sorted(length for trace in own for length in trace.length)
        seconds = sum(trace.seconds for trace in own)
        if seconds > 0:
            found.append(
                {
                    "cpu": cpu,
                    "lost": sum(lengths) / seconds,
                    "detours": len(lengths) / seconds,
                    "median_detour": lengths[len(lengths) // 2] if lengths else None,
                    "largest_detour": lengths[-1] if lengths else None,
                }
            )
    return found


def picture(seen: Watch, width: int, ended: bool = False) -> RenderableType:
    """Compose one frame for a terminal of `width` columns; `ended`: the last one."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from assay.report.derive.node_noise import of_node
    from assay.report.render.sparks import spark
    from assay.report.units import human

    parts: list[RenderableType] = []
    if seen.traces:
        table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False)
        for heading in ("processor", "lost now", "so far", "per second", "median", "largest"):
            table.add_column(heading, justify="left" if heading == "processor" else "right", no_wrap=True)
        now = {each["cpu"]: each for each in processors(seen.last)}
        rows = processors(seen.traces)
        for each in sorted(rows, key=lambda row: -row["lost"])[:16] if len(rows) > 16 else rows:
            shown = [f"{now[each['cpu']]['lost']:.2%}" if each["cpu"] in now else "–", f"{each['lost']:.2%}"]
            shown += [f"{each['detours']:.4g}"]
            shown += [human(of, "s", 3) if of else "–" for of in (each["median_detour"], each["largest_detour"])]
            table.add_row(str(each["cpu"]), *shown)
        if len(rows) > 16:
            table.add_row("…", *[""] * 5)
        parts += [Text("Noise: time lost in detours, by processor", style="bold"), table]
        parts.append(Text(f"lost, look by look: {spark([h['lost'] for h in seen.history], max(8, width - 24))}"))
        parts += [Text(text, style="dim") for text in of_node(seen.traces[0].host, seen.traces).text[1:]]
    parts += [Text(""), Text("Activity of others", style="bold")]
    active = seen.activity
    words = []
    if active.load:
        words.append("load " + " ".join(f"{each:.2f}" for each in active.load))
    if active.others is not None:
        words.append(f"others use {active.others:.2f} processors")
    if active.steal:
        words.append(f"the hypervisor {active.steal:.2f}")
    parts.append(Text(", ".join(words) or "not visible"))
    parts += [Text(f"{each.share:5.0%}  {each.name} ({each.pid})") for each in active.busiest]
    parts += [Text(note, style="yellow") for note in seen.notes]
    looks = f"{seen.looks} look{'s' * (seen.looks != 1)} in {seen.seconds:.0f} s"
    parts.append(Text(looks if ended else f"{looks}; Ctrl-C ends", style="dim"))
    return Group(*parts)
