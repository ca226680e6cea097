/* FusedMM against the pair that it replaces: SDDMM, whose values are stored, and then SpMM with them. */
#ifndef SP_SESSION_UNFUSED_H
#define SP_SESSION_UNFUSED_H

#include "base/reading.h"
#include "base/status.h"

struct sp_analysis;

/* Bytes are those of executions that start with empty caches: what survives between the two, and between
 * executions, would hide what fusing saves. */
struct sp_unfused {
    /* of the pair, measured, warm; SP_NONE: not known, with the reason */
    struct sp_value time_s;
    /* through memory, simulated: of the pair, of FusedMM */
    struct sp_value bytes_B, fused_B;
    /* that fusing saves by the formulas: the values between (written with w, read once), the second reading
       of the pattern [THEORY 6]; and of S's values, which our SDDMM reads */
    struct sp_value predicted_B;
};

/* Runs and simulates the pair with the analysis's matrix, width, precision, threads and schedule, each by the
 * kernel with the highest P_core; SpMM takes pattern and values from where SDDMM has them. SP_INTERRUPTED,
 * SP_MEMORY. */
enum sp_status sp_unfused_compare(const struct sp_analysis *a, struct sp_unfused *out, struct sp_error *err);

#endif
