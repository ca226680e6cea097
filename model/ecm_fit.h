/* The overlap rule of a machine and what one thread draws over each interface, fitted to the streams that
 * were measured in each level with one thread.
 *
 * Per line that is loaded, streams move over every interface inside the level of their data
 *     load, load_mix  1 line in
 *     copy            2 lines in (one of them the write-allocate), 1 out
 *     triad           3 lines in, 1 out
 * and their T_OL is the time measured in L1, their T_nOL the L1 time of their loads. For each overlap f the
 * time of a line t_k and the weight of writes w_k are fitted level by level from the inside, by the least sum
 * of squares of T_model/T_measured - 1 over the streams; f is the one that leaves the least residual. Load
 * alone fits every f, so copy or triad is needed in at least two levels beyond L1. Even these tell little
 * where writes may cost anything between nothing and a read: w then stands in for f, and the interval of f is
 * wide. The time of any of these streams is then well predicted all the same; what depends on f are mixtures
 * of levels. */
#ifndef SP_MODEL_ECM_FIT_H
#define SP_MODEL_ECM_FIT_H

#include "model/machine.h"

/* overlap: value with the interval of f whose residual is nearly as small; error: its residual (root mean
 * square); interfaces: all of them, one_Bps which falls as f rises: its ends are those fitted to the ends of
 * f; origin measured. Where it cannot be fitted overlap is SP_NONE, n_interfaces 0, and `how` says what is
 * missing. */
struct sp_machine_ecm sp_ecm_fit(const struct sp_machine *machine);

/* Fits anew where the machine's rule is not a stated one, and keeps the old one where that fails. */
void sp_ecm_refit(struct sp_machine *machine);

#endif
