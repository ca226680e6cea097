/* LIKWID's marker regions around each sample of a kernel, so that `likwid-perfctr -m spmodel
 * analyze M` tells what its groups count in the kernel alone. Without likwid-perfctr -m around this
 * program nothing happens and nothing is loaded. Regions are named after the kernel:
 * spmv_crs_avx512. */
#ifndef SP_PROBES_MARKERS_H
#define SP_PROBES_MARKERS_H

#include <stdbool.h>

/* Is likwid-perfctr -m around this program (LIKWID_MODE, LIKWID_FILEPATH)? */
bool sp_markers_wanted(void);
/* Each thread of a team enters or leaves the region of the job. Not thread-safe, not nested. */
void sp_markers_enter(const char *job, int n_threads);
void sp_markers_leave(const char *job, int n_threads);

#endif
