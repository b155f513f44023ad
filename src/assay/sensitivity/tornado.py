"""A figure's elasticities as a tornado: bars from the longest to the shortest, in a picture and on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from assay import compact_svg
from assay.document.sensitivity import Elasticity

MOST_BARS = 12
LEAST = 0.001  # a shorter bar is not drawn
WIDTH = 30  # letters of the longest bar
MORE, LESS, UNSURE = "#0b5fa5", "#c2410c", "#374151"


def bars(keys: Sequence[Elasticity]) -> list[Elasticity]:
    """The keys of one figure that are drawn, the longest first."""
    known = [each for each in keys if abs(each.elasticity or 0.0) >= LEAST]
    return sorted(known, key=lambda each: -abs(each.elasticity or 0.0))[:MOST_BARS]


def letters(elasticity: float, longest: float) -> str:
    """A bar of a terminal; `longest`: the greatest of its figure."""
    return ("█" if elasticity > 0 else "░") * max(1, round(WIDTH * abs(elasticity) / longest))


def picture(keys: Sequence[Elasticity], title: str) -> str:
    """One figure's bars as SVG; next to each bar how much the key's interval moves the figure, where that is known."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    matplotlib.rcParams.update({"font.size": 8, "font.family": "sans-serif"})
    drawn = bars(keys)[::-1]
    figure = Figure(figsize=(5.6, 0.9 + 0.24 * max(len(drawn), 1)), layout="constrained")
    axes = figure.add_subplot()
    axes.grid(color="#e5e7eb", linewidth=0.6, axis="x")
    axes.spines[["top", "right"]].set_visible(False)
    values = [each.elasticity or 0.0 for each in drawn]
    axes.barh(range(len(drawn)), values, color=[MORE if value > 0 else LESS for value in values], height=0.7)
    for place, each in enumerate(drawn):
        if each.unsure is not None:
            axes.text(values[place], place, f" ±{each.unsure:.1%} ", va="center", color=UNSURE,
                      ha="left" if values[place] > 0 else "right")  # fmt: skip
    axes.set_yticks(range(len(drawn)), [each.key for each in drawn])
    axes.axvline(0, color="#111827", linewidth=0.8)
    axes.margins(x=0.18)
    axes.set_xlabel("elasticity: share that the figure changes by, for each share of the key")
    axes.set_title(title, fontsize=9, loc="left")
    return compact_svg.of_figure(figure)
