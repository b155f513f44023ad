"""The page on disturbance states the rules' own numbers."""

from pathlib import Path

import pytest

from assay.analysis.disturbance import accounts, block, levels, steps, verdict, waiting

TEXT = (Path(__file__).parents[1] / "docs" / "disturbance.md").read_text()


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (accounts.OTHERS, "used more than {:g} hardware threads"),
        (accounts.OTHERS_A_PROCESSOR, "{:g} more per hardware thread of the host"),
        (accounts.STEAL, "took more than {:g} hardware threads"),
        (accounts.SWITCHES, "more than {:g} involuntary switches"),
        (accounts.SWITCHES_A_RANK, "{:g} more per further rank"),
        (100 * waiting.WAITED, "waited for a processor for more than {:g}% of the block"),
        (100 * waiting.WAITED_A_THREAD, "{:g}% more per further thread"),
        (100 * accounts.STARVED, "below {:g}% of that in the best blocks"),
        (1e3 * accounts.DISK, "{:g} ms each"),
        (100 * accounts.FREQUENCY, "is {:g}% below its best"),
        (100 * block.REFERENCE, "before and after the launch is {:g}% slower than usual on this host"),
        (100 * steps.EFFECT, "{:g}% at least"),
        (100 * steps.SIGNIFICANT, "{:g}% over all launches"),
        (accounts.WINDOW, "windows of {:g} s"),
        (1e3 * accounts.EVENT, "long compared with a slice ({:g} ms)"),
        (1e3 * accounts.SWITCH, "a slice of {:g} ms"),
        (accounts.IDLE, "an idle machine ({:g} and"),
        (accounts.IDLE_A_PROCESSOR, "and {:g} per hardware thread;"),
        (accounts.IDLE_STEAL, "{:g} of stolen time"),
        (100 * verdict.CLEAN, "by no more than {:g}%"),
        (100 * verdict.MOST_MOVED, "off by {:g}% at most"),
    ],
)
def test_a_number_in_the_docs_is_the_one_that_counts(number: float, words: str) -> None:
    assert words.format(number) in " ".join(TEXT.split())


def test_the_docs_name_every_rule_and_estimator() -> None:
    assert verdict.FEWEST == 1 / 5 and steps.SLACK == 2 and levels.PREEMPTED == 1 / 2  # written in words
    for rule in ("others", "steal", "taken", "switches", "waited", "starved", "faults", "frequency", "reference"):
        assert f"| `{rule}` |" in TEXT
    assert "| `step` |" in TEXT
    for words in ("median of all blocks", verdict.Estimator.UNMARKED.value, "best reading, as a bound"):
        assert words in TEXT
