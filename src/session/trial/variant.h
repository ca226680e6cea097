/* A configuration that differs from a run's by a few options: what hints propose, sweeps scan, trials
 * measure.
 */
#ifndef SP_SESSION_VARIANT_H
#define SP_SESSION_VARIANT_H

#include "session/analyze/analyze.h"

enum { SP_VARIANT_CHANGE = 200 };

struct sp_variant {
    char change[SP_VARIANT_CHANGE]; /* as typed: "--reorder rcm --format sell:8,1"; "": the run itself */
    /* Empty, -1 or 0: as in the run. */
    char reorder[48], format[48], schedule[32], isa[16];
    int precision, index, store_nt, small_pages, not_pinned, prefetch;
    bool drop_zeros; /* entries of value 0 are left out */
    int n_threads;
    int32_t r;                      /* width of the dense operands */
    const struct sp_kernel *kernel; /* the fastest, where a trial has found it; NULL: to be chosen */
};

/* The run itself. */
struct sp_variant sp_variant_none(void);

/* Adds options in the way a command line has them, separated by blanks; one that is there already takes the
 * new value. SP_USAGE: one is unknown here or does not take its value; *variant is as before then. */
enum sp_status sp_variant_add(struct sp_variant *variant, const char *change, struct sp_error *err);

/* Are these options and values that a variant takes, formats and schedules included? SP_USAGE with the right
 * forms. */
enum sp_status sp_variant_check(const char *change, struct sp_error *err);

/* Is one of these options among the variant's? */
bool sp_variant_has(const struct sp_variant *variant, const char *change);

/* Do both come to the same configuration of this run? The order in which options were added does not matter,
 * nor does an option that names what the run has anyway. */
bool sp_variant_is_same(const struct sp_variant *a, const struct sp_variant *b,
                        const struct sp_analyze_options *run);

/* The run's options with the variant's in their place; the texts are borrowed from both. The order of rows
 * and columns is not among them, nor are zeros left out: sp_trials_order() does both. */
struct sp_analyze_options sp_variant_options(const struct sp_variant *variant,
                                             const struct sp_analyze_options *run);

#endif
