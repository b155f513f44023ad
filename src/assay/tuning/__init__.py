"""An MPI library's choices of algorithms, changed where a run shows that another one is faster."""
