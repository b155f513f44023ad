"""The numbers of a description fitted again: on published cells, or on a run's figures."""
