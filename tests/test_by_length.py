"""Times and rates by length in the terminal, and what stands beside them there."""

from __future__ import annotations

import pytest
from rich.console import Console

from assay.report.render import terminal
from assay.report.sections import message_lengths
from made_documents import document, figure, section


def test_what_stands_by_length_is_not_listed_again_and_the_rest_is(capsys: pytest.CaptureFixture[str]) -> None:
    """A pattern has two rates: the table by length has the first one, the other one stands below it, by its name."""
    values = {8: 1e6, 1024: 2e6}
    figures = [
        figure(name, value, unit, statistic, bytes=n)
        for n, rate in values.items()
        for name, value, unit, statistic in (
            ("rate", rate, "B/s", "median"),
            ("rate", 5 * rate, "B/s", "best"),
            ("time", n / rate, "s", "median"),
            ("wire_rate", 3 * rate, "B/s", "median"),
        )
    ]
    made = section("patterns", figures)
    (table,) = message_lengths.tables(made)
    assert [row[4] for row in table.rows] == ["1.00", "2.00"]  # the medians
    terminal.show(document(made), Console(width=80))
    out = capsys.readouterr().out
    below = out[out.index("Least and most") :]
    assert "wire rate" in below and "rate, best" in below and "time" not in below
    assert below.count(" 3 MB/s ") == below.count(" 6 MB/s ") == 1
