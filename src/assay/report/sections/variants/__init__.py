"""Build variants of a run: their tables, the accuracy of their results, and what compilers made of kernels."""
