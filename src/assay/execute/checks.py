"""Failed checks in messages: they come first, whatever else failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def failed_checks(failed: Sequence[Mapping[str, object]], reason: str | None = None) -> str:
    """The first failed check (its event), of which case, how many more; then `reason`, unless that is the same."""
    stated = failed[0].get("case")
    of = stated if isinstance(stated, dict) else {}
    case = ", ".join(f"{key} {value}" for key, value in of.items() if value is not None)
    more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
    failure = f"check failed{f' for {case}' if case else ''}: {failed[0].get('detail')}{more}"
    if not reason or failure == reason:
        return failure
    return reason if failure in reason else f"{failure}; then {reason}"
