"""Compact SVG shows what matplotlib's own SVG shows: the same texts, the same points, the same pixels in a browser."""

from __future__ import annotations

import io
import re
import shutil
import xml.etree.ElementTree as ElementTree
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import image
from matplotlib.figure import Figure

from assay import compact_svg
from by_night import by_night

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
SVG = "{http://www.w3.org/2000/svg}"


def drawn(*, log: bool) -> Figure:
    """Lines, dashes, dots, error bars, crosses, a shaded span, exponents, signs that XML reserves."""
    figure = Figure(figsize=(5, 3), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(color="#e5e7eb")
    x = np.arange(1, 9)
    axes.plot(x, x**2, "--", color="#0b5fa5", label="a < b & c")
    axes.plot(x, 3.0 * x, linestyle="", marker="o", markersize=2.6, color="#c2410c")
    axes.errorbar(x, 70 - 7.0 * x, 0.5 * x, color="#15803d", marker="o", markersize=3, capsize=2, label="with error")
    axes.plot(x[:3], [60] * 3, "x", color="#7e22ce", markersize=6)
    axes.axvspan(3, 4, color="#374151", alpha=0.25, linewidth=0)
    if log:
        axes.set_yscale("log")
    axes.set_ylabel("y, B/s")
    axes.set_title("lines <and> dots", loc="left")
    axes.legend()
    return figure


def original(figure: Figure) -> str:
    target = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none"}):
        figure.savefig(target, format="svg")
    return target.getvalue()


def words(svg: str) -> list[str]:
    texts = ("".join(each.itertext()).split() for each in ElementTree.fromstring(svg).iter(f"{SVG}text"))
    return ["".join(text) for text in texts]


@pytest.mark.parametrize("log", [False, True])
def test_every_text_and_every_dot_is_there(log: bool) -> None:
    figure = drawn(log=log)
    before, after = original(figure), compact_svg.of_figure(figure)
    assert after.count("\n") == 1 and 3 * len(after) < len(before)
    assert sorted(words(after)) == sorted(words(before))
    circles = {str(e.get("id")) for e in ElementTree.fromstring(before).iter(f"{SVG}path") if "C" in str(e.get("d"))}
    uses = ElementTree.fromstring(before).iter(f"{SVG}use")
    placed = [
        (float(str(use.get("x"))), float(str(use.get("y"))))
        for use in uses
        if str(use.get("{http://www.w3.org/1999/xlink}href"))[1:] in circles
    ]
    dots = [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+)[ ]([\d.]+)h0", after)]
    assert len(dots) == len(placed) > 16
    assert np.abs(np.array(dots) - np.array(placed)).max() <= 0.051


def test_lines_do_not_drift() -> None:
    """A thousand steps of a third of the rounding end where they should."""
    figure = Figure(figsize=(5, 3))
    figure.add_subplot().plot(np.arange(1000) / 29.7, np.arange(1000) % 2)
    path = max(
        (e.get("d") for e in ElementTree.fromstring(original(figure)).iter(f"{SVG}path")), key=lambda d: len(str(d))
    )
    end = np.array([float(number) for number in str(path).split()[-2:]])
    short = max(
        (e.get("d") for e in ElementTree.fromstring(compact_svg.of_figure(figure)).iter(f"{SVG}path")),
        key=lambda d: len(str(d)),
    )
    at = np.zeros(2)
    for letter, text in re.findall(r"([MLlhv])([^MLlhv]*)", str(short)):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", text)]
        at += {"M": numbers, "l": numbers, "h": [numbers[0], 0], "v": [0, numbers[0]]}[letter]
    assert np.abs(at - end).max() <= 0.051


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@pytest.mark.parametrize("log", by_night([False, True], [True]))
def test_a_browser_shows_the_same_picture(log: bool) -> None:
    sync = pytest.importorskip("playwright.sync_api")
    figure = drawn(log=log)
    with sync.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        shots = [
            shot(browser, svg)
            for svg in (original(figure), compact_svg.of_figure(figure), original(drawn(log=not log)))
        ]
        browser.close()
    unlike = [np.mean(np.abs(shots[0] - other).max(axis=2) > 0.5) for other in shots[1:]]
    assert unlike[0] < 0.002 < 0.01 < unlike[1]


def shot(browser: Any, svg: str) -> np.ndarray[Any, Any]:
    page = browser.new_page(viewport={"width": 500, "height": 320})
    page.set_content(svg[svg.index("<svg") :])
    picture: np.ndarray[Any, Any] = image.imread(io.BytesIO(page.screenshot()))[:, :, :3]
    page.close()
    return picture
