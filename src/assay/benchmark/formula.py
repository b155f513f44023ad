"""Formulas of records: arithmetic over a metric's value and a case's parameters."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import InputError

_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {"log2": math.log2, "min": min, "max": max, "ceil": math.ceil}


def evaluate(formula: str, names: Mapping[str, Any]) -> float | None:
    """Value of a record's formula; None where it divides by zero or needs a parameter that is unknown here."""

    def value(node: ast.AST) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in names:
                raise InputError("formula names what is neither value nor parameter", key=formula, value=node.id)
            return names[node.id]  # type: ignore[no-any-return]
        if isinstance(node, ast.BinOp):
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            return _OPERATORS[type(node.op)](value(node.operand))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return _FUNCTIONS[node.func.id](*(value(argument) for argument in node.args))
        raise InputError("formula may hold numbers, names, + - * / ** and log2, min, max, ceil", key=formula)

    try:
        result = float(value(ast.parse(formula, mode="eval").body))
    except (ZeroDivisionError, TypeError):
        return None
    return result if math.isfinite(result) else None
