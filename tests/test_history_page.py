"""The page of a machine's history in a browser: no part is cut at a phone's width, dark where that is wanted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assay.case import Case
from assay.decide.history_page import page
from assay.document.history import FigureHistory, HistoryRun, HistoryValue, MachineHistory

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")


def series(name: str, values: list[float]) -> FigureHistory:
    found = [HistoryValue(f"run-{at}", 1.7e9 + at, value, None, "clean") for at, value in enumerate(values)]
    return FigureHistory(name, Case(size=33554432, kernel="triad"), "s", "lower", found)


def history() -> MachineHistory:
    runs = [HistoryRun(f"run-{at}", 1.7e9 + at, None, {}) for at in range(6)]
    shown = [series("stream.rate", [1.0, 2.0] * 3), series("echo.time", [1.0])]
    return MachineHistory(machine="here", alarms_per_run=0.005, level=0.001, runs=runs, series=shown, changes=[])


def test_one_run_is_a_point() -> None:
    made = page(history())
    assert made.count("<polyline") == 1 and made.count("<circle") == 1


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
def test_on_a_phone_in_the_dark(tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    written = tmp_path / "history.html"
    written.write_text(page(history()), encoding="utf-8")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        opened = chromium.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
        opened.goto(written.as_uri())
        opened.screenshot(path=str(tmp_path / "history.png"))
        assert opened.evaluate("document.documentElement.scrollWidth") <= 390
        assert opened.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 23, 29)"
        chromium.close()
