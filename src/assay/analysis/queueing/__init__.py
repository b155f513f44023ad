"""Queues for networks: waits of single queues, the paper's section 6 as written, and its method for any network."""
