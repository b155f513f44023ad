"""A run as one document: from the lines of its launches to figures, states, fits and notes."""
