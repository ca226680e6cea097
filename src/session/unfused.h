/* FusedMM against the pair that it replaces: SDDMM, whose values are stored, and then SpMM with them. */
#ifndef SP_SESSION_UNFUSED_H
#define SP_SESSION_UNFUSED_H

#include "base/reading.h"
#include "base/status.h"

struct sp_analysis;

struct sp_unfused {
    struct sp_value time_s; /* of the pair, measured; SP_NONE: not run, with the reason */
    struct sp_value
        bytes_B; /* of the pair through the level that holds the data, simulated one after the other */
    struct sp_value fused_B; /* of FusedMM, likewise */
    struct sp_value
        predicted_B; /* that fusing saves: values written (w) and read, S's values, the pattern once */
};

/* Runs and simulates the pair with the analysis's matrix, width, precision, threads and schedule; the
 * row-wise kernels with the best rank. SP_INTERRUPTED, SP_MEMORY. */
enum sp_status sp_unfused_compare(const struct sp_analysis *a, struct sp_unfused *out, struct sp_error *err);

#endif
