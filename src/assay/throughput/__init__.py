"""A machine under many users' jobs: workloads, batch systems real and simulated, and what became of every job."""
