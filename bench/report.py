"""`./x bench report RUN`: how large the page of a run is, and how long a browser takes to its first screen.

In headless Chromium, from disk, a fresh context each time: navigation to the first contentful paint, and from a click
on the first part to its plots. Medians of some openings; speed is asserted nowhere.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.report.derive.document import document
from assay.report.render import page
from assay.store import Run

PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
DRAWN = "[...document.querySelectorAll('.part[open] > .plots .plot')].every(e => e.querySelector('.main-svg'))"


def main(arguments: Sequence[str]) -> int:
    """Print bytes, height and times of one run's page."""
    parser = argparse.ArgumentParser(prog="./x bench report")
    parser.add_argument("run", help="a run: its folder or id")
    parser.add_argument("--openings", type=int, default=5)
    given = parser.parse_args(arguments)
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
    if chromium is None:
        parser.error("needs Chromium: apt-get install chromium")
    run = Run.open(given.run)
    began = time.monotonic()
    written = page.write(run, document(run))
    made = time.monotonic() - began
    screens, plots, height = _opened(chromium, written, given.openings)
    print(f"{written}: {written.stat().st_size / 1e6:.2f} MB, {height} px with all blocks closed, made in {made:.1f} s")
    print(
        f"first screen after {statistics.median(screens):.0f} ms, plots {statistics.median(plots):.0f} ms after a click"
    )
    return 0


def _opened(chromium: str, written: Path, openings: int) -> tuple[list[float], list[float], int]:
    """Times (ms) to the first paint and from a click to the plots of the first part that has any; height in pixels."""
    from playwright.sync_api import sync_playwright

    screens, plots, height = list[float](), list[float](), 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(openings):
            opened: Any = browser.new_page(viewport={"width": 1400, "height": 1000})
            opened.goto(written.as_uri())
            opened.wait_for_function(PAINT)
            screens.append(float(opened.evaluate(PAINT)))
            height = int(opened.evaluate("document.documentElement.scrollHeight"))
            began = time.monotonic()
            opened.click(".part:has(> .plots) > summary")
            opened.wait_for_function(DRAWN)
            plots.append(1e3 * (time.monotonic() - began))
            opened.close()
        browser.close()
    return screens, plots, height
