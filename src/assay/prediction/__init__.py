"""Predictions of a run's cells by a model, held against what was measured; whether the model may be trusted."""
