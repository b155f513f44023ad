"""`python -m assay` is `assay`."""

from assay.start import main

if __name__ == "__main__":  # mpi4py.futures imports this in its workers, under another name
    main()
