"""The median of a few numbers is numpy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analysis.median import median

NUMBERS = st.floats(allow_nan=False) | st.floats(-1, 1)


@given(st.lists(NUMBERS, min_size=1, max_size=40), st.booleans())
def test_it_is_numpys_to_the_bit(values: list[float], as_array: bool) -> None:
    with np.errstate(all="ignore"):
        expected = float(np.median(values))
        found = median(np.array(values) if as_array else values)
    assert found == expected or (np.isnan(found) and np.isnan(expected))


def test_many_values_one_that_is_no_number_and_none() -> None:
    many = np.random.default_rng(1).normal(size=1002)
    assert median(many) == float(np.median(many))
    assert np.isnan(median([1.0, float("nan"), 2.0]))
    with pytest.raises(ValueError, match="no value"):
        median([])
