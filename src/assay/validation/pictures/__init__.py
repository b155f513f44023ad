"""The papers' figures redrawn from simulated curves, published cells and measured curves."""
