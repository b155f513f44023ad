"""The notebooks in examples/: every cell runs in order, and what a cell's last line gives can be shown."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_something(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    document = json.loads(notebook.read_text())
    assert document["nbformat"] == 4 and len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    names: dict[str, Any] = {}
    for cell in document["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, "notebooks are kept without outputs"
        text = "".join(cell["source"])
        tree = ast.parse(text)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{notebook.name}:{cell['id']}", "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), f"{notebook.name}:{cell['id']}", "eval"), names)
            html = getattr(shown, "_repr_html_", lambda shown=shown: repr(shown))()
            assert shown is None or len(html) > 3
    assert "False" in capsys.readouterr().out


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS
