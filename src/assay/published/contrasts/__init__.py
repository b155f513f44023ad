"""The paper's contrasts between kernels, by its own tables and by a run."""
