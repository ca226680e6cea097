/* A configuration that differs from a run's by a few options: what hints propose, sweeps scan, trials
 * measure.
 */
#ifndef SP_SESSION_VARIANT_H
#define SP_SESSION_VARIANT_H

#include "base/option/change.h"
#include "session/analyze/analyze.h"

/* Zero-initialise: the run itself. */
struct sp_variant {
    struct sp_change change;
    const struct sp_kernel *kernel; /* the fastest, where a trial has found it; NULL: to be chosen */
};

/* Adds options; one that is there already takes the new value. SP_USAGE: one may not be changed or does not
 * take its value; *variant is as before then. */
enum sp_status sp_variant_add(struct sp_variant *variant, const struct sp_change *change,
                              struct sp_error *err);

/* Are these options and values that a variant takes, formats and schedules included? SP_USAGE with the right
 * forms. */
enum sp_status sp_variant_check(const struct sp_change *change, struct sp_error *err);

/* Its order of rows and columns, "": as in the run; does it leave out entries of value 0? */
const char *sp_variant_order(const struct sp_variant *variant);
bool sp_variant_drops_zeros(const struct sp_variant *variant);

/* Do both come to the same configuration of this run? The order in which options were added does not matter,
 * nor does an option that names what the run has anyway. */
bool sp_variant_is_same(const struct sp_variant *a, const struct sp_variant *b,
                        const struct sp_analyze_options *run);

/* The run's options with the variant's in their place; the texts are borrowed from both. The order of rows
 * and columns is not among them, nor are zeros left out: sp_trials_order() does both. */
struct sp_analyze_options sp_variant_options(const struct sp_variant *variant,
                                             const struct sp_analyze_options *run);

#endif
