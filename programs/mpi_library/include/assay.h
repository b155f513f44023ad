/* Regions of an MPI program for `assay mpirun` (docs/mpi.md): their simulated times are figures of the run, and with
   `--compute regions:FACTOR` only what is computed inside of them takes time.

     #include <assay.h>
     assay_region_begin("solve");
     ...
     assay_region_end("solve");

   A name is 1 to 100 printable ASCII characters. Regions may be nested; the one that began last ends first. Both
   functions are for ranks between MPI_Init and MPI_Finalize. Over any other MPI library they do nothing. */
#ifndef ASSAY_H
#define ASSAY_H

#ifdef __cplusplus
extern "C" {
#endif

void assay_mpi_region_begin(const char* name) __attribute__((weak)); /* null where the library is not Assay's */
void assay_mpi_region_end(const char* name) __attribute__((weak));

static inline void assay_region_begin(const char* name) {
  if (assay_mpi_region_begin) assay_mpi_region_begin(name);
}

static inline void assay_region_end(const char* name) {
  if (assay_mpi_region_end) assay_mpi_region_end(name);
}

#ifdef __cplusplus
}
#endif

#endif
