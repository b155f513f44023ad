"""From samples to figures: one law a file."""
