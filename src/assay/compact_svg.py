"""Matplotlib's SVG in a fifth of the bytes: pictures are committed with the pages that show them.

Groups, identifiers and metadata go; each style is one CSS class; coordinates are rounded to 0.1 pt; lines are relative;
markers of one style are one path. The picture looks the same.
"""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

NAMESPACE = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
FONTS = re.compile(r"font-family: [^;]*")
ALL = "*{stroke-linejoin:round}text{font-family:'DejaVu Sans',sans-serif;white-space:pre}"
Command = tuple[str, tuple[float, ...]]


def of_figure(figure: Any) -> str:
    """Return a figure of matplotlib's as one line of SVG, the same bytes every time."""
    import matplotlib

    target = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "assay"}):
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    return compact(target.getvalue())


def compact(text: str) -> str:
    """Return SVG that matplotlib wrote, with texts as texts, as one line."""
    root = ElementTree.fromstring(text)
    drawing = Drawing({str(each.get("id")): each for each in root.iter() if each.get("id")})
    for each in root:
        drawing.add(each, "", None)
    width, height = (_number(float(part)) for part in str(root.get("viewBox")).split()[2:])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt" viewBox="0 0 {width} {height}">'
    )
    rules = "".join(f".{name}{{{style}}}" for style, name in drawing.classes.items())
    clips = "".join(
        f'<clipPath id="{name}">{_rectangle(drawing.named[clip][0])}</clipPath>' for clip, name in drawing.clips.items()
    )
    return f"{head}<style>{ALL}{rules}</style>{clips}{''.join(each.text() for each in drawing.shapes)}</svg>\n"


@dataclass
class Shape:
    """A path of one style, or a text that is written already."""

    style: str
    clip: str
    path: list[Command] = field(default_factory=list)
    written: str = ""
    scope: object = None

    def text(self) -> str:
        """Return its element."""
        return self.written or f'<path{self.style}{self.clip} d="{_path(self.path)}"/>'


@dataclass
class Drawing:
    """What is drawn, in order; styles and clips by the short names that they get."""

    named: dict[str, ElementTree.Element]
    shapes: list[Shape] = field(default_factory=list)
    classes: dict[str, str] = field(default_factory=dict)
    clips: dict[str, str] = field(default_factory=dict)

    def add(self, element: ElementTree.Element, clip: str, scope: object) -> None:
        """Add an element and those inside it. `scope`: the axis in which the order of lines is not seen."""
        kind = element.tag.removeprefix(NAMESPACE)
        clip = element.get("clip-path", clip)
        if kind == "g" and element.get("transform") and element[0].tag == f"{NAMESPACE}text":
            self._text(element[0], str(element.get("transform")))
        elif kind == "g":
            if str(element.get("id")).startswith("matplotlib.axis"):
                scope = element
            for each in element:
                self.add(each, clip, scope)
        elif kind == "path":
            self._draw(list(_commands(str(element.get("d")))), str(element.get("style")), clip, scope)
        elif kind == "use":
            self._marker(element, clip, scope)
        elif kind == "text":
            self._text(element, element.get("transform", ""))

    def _marker(self, use: ElementTree.Element, clip: str, scope: object) -> None:
        x, y = float(use.get("x", 0)), float(use.get("y", 0))
        marker = self.named[str(use.get(LINK))[1:]]
        path = list(_commands(str(marker.get("d"))))
        style = _properties(str(use.get("style"))) | _properties(str(marker.get("style")))
        if any(letter == "C" for letter, _ in path):  # a filled circle: a dot with a round end
            across = 2 * max(abs(at) for _, ats in path for at in ats) + float(style.get("stroke-width", 1))
            dot = {"fill": "none", "stroke": style["stroke"], "stroke-width": f"{across:g}", "stroke-linecap": "round"}
            self._draw([("M", (x, y)), ("L", (x, y))], _css(dot), clip, scope)
            return
        moved = [(letter, tuple(at + (y if index % 2 else x) for index, at in enumerate(ats))) for letter, ats in path]
        self._draw(moved, _css({**style, "fill": "none"} if path[-1][0] != "z" else style), clip, scope)

    def _draw(self, path: list[Command], style: str, clip: str, scope: object) -> None:
        made = Shape(self._class(style), self._clip(clip), path, scope=scope)
        line = _properties(style).get("fill") == "none" and "opacity" not in style
        earlier = self.shapes[-1:] if scope is None else [each for each in self.shapes if each.scope is scope]
        for each in earlier if line else ():
            if each.path and (each.style, each.clip) == (made.style, made.clip):
                each.path += path
                return
        self.shapes.append(made)

    def _text(self, element: ElementTree.Element, transform: str) -> None:
        inner = "".join(
            f'<tspan{self._class(str(part.get("style")))} x="{_number(float(part.get("x", 0)))}" '
            f'y="{_number(float(part.get("y", 0)))}">{escape(part.text or "")}</tspan>'
            for part in element
        )
        style = element.get("style")
        placed = "".join(f' {key}="{_number(float(str(element.get(key))))}"' for key in ("x", "y") if element.get(key))
        if transform.startswith("rotate(-0 "):
            transform = ""
        moved = re.sub(r"-?[\d.]+", lambda found: _number(float(found[0])), transform)
        turned = f' transform="{moved}"' if moved else ""
        opening = f"<text{self._class(style) if style else ''}{placed}{turned}>"
        self.shapes.append(Shape("", "", written=f"{opening}{inner or escape((element.text or '').strip())}</text>"))

    def _class(self, style: str) -> str:
        css = _css(_properties(FONTS.sub("", style)))
        return f' class="{self.classes.setdefault(css, f"s{len(self.classes)}")}"' if css else ""

    def _clip(self, clip: str) -> str:
        return f' clip-path="url(#{self.clips.setdefault(clip[5:-1], f"c{len(self.clips)}")})"' if clip else ""


def _properties(style: str) -> dict[str, str]:
    parts = (part.partition(":") for part in style.split(";") if part.strip())
    return {key.strip(): value.strip() for key, _, value in parts}


def _css(properties: dict[str, str]) -> str:
    return ";".join(f"{key}:{value}" for key, value in properties.items())


def _commands(path: str) -> Iterator[Command]:
    for letter, numbers in re.findall(r"([MLQCz])([^MLQCz]*)", path):
        yield letter, tuple(float(number) for number in numbers.split())


def _path(commands: list[Command]) -> str:
    """Write a path in tenths of a point, each line relative to the point before."""
    words: list[str] = []
    here = (0, 0)
    for letter, ats in commands:
        to = [round(10 * at) for at in ats]
        if letter == "z":
            words.append("z")
        elif letter == "M":
            words.append(f"M{_pair(to)}")
        elif letter == "L":
            across, down = to[0] - here[0], to[1] - here[1]
            words.append(
                f"h{_tenths(across)}"
                if not down
                else f"v{_tenths(down)}"
                if not across
                else f"l{_pair([across, down])}"
            )
        else:
            words.append(letter + " ".join(_tenths(at) for at in to))
        here = (to[-2], to[-1]) if to else here
    return "".join(words)


def _pair(pair: list[int]) -> str:
    return f"{_tenths(pair[0])}{'' if pair[1] < 0 else ' '}{_tenths(pair[1])}"


def _tenths(number: int) -> str:
    return f"{number / 10:g}"


def _number(number: float) -> str:
    return _tenths(round(10 * number))


def _rectangle(element: ElementTree.Element) -> str:
    sides = " ".join(f'{key}="{_number(float(str(element.get(key))))}"' for key in ("x", "y", "width", "height"))
    return f"<rect {sides}/>"
