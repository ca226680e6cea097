/* Time in the core by the lengths of what a kernel goes through: rows of CRS, chunks of SELL, with
 * all data in the innermost cache. It stands in for P_core where a matrix is not run.
 *
 *     T = T_team + max over threads of [sum over its units of c(length) + s(n) u]
 *
 * T_team: an execution of one entry a thread, so the start of the team and its barrier. c: a unit's
 * time among units of its own length, measured for some lengths and straight between them;
 *    beyond the longest one as between the last two. It holds what a unit costs however short it
 *    is, and the ends that a processor foretells. Of SELLU's chunks it lies between those without
 *    unit-stride slots and with no others, by their share; rows of CRS whose columns move on by one
 *    from row to row have their own.
 * u: of the thread's n units those whose length the four before it did not foretell, by a table of
 *    which length mostly followed the same four, as a branch predictor with the same history keeps
 *    [Yeh, Patt, "Two-level adaptive training branch prediction", MICRO 1991]. Lengths that repeat
 *    or follow a pattern are foretold; of random ones the most frequent.
 * s(n): what one of those costs, measured on random sequences of n units that are gone through
 * again
 *    and again: a processor learns short ones by heart. */
#ifndef SP_MODEL_UNIT_COSTS_H
#define SP_MODEL_UNIT_COSTS_H

#include "base/reading.h"
#include "model/machine.h"
#include "sparse/formats/layout.h"

/* Times fitted to published figures of whole executions (`how`) have ends, factors of all. */

/* c(length) [s]; length >= 0. A unit without entries costs what one of the least length does. */
double sp_unit_cost(const struct sp_unit_costs *costs, double length);

/* Leaves out lengths whose time cannot be beside the others': more than three times that of a
 * longer unit, or of shorter ones that have as many entries together, since what disturbs a
 * measurement prolongs it. Two stay at least. Returns how many went. */
int sp_unit_costs_settle(struct sp_unit_costs *costs);

/* s(n) [s], straight in log n between the sequences measured; 0 where there are none. */
double sp_unit_surprise_cost(const struct sp_unit_costs *costs, double n);

/* u of n lengths, length[i] for unit i; the first four count. SP_MEMORY: no table. */
enum sp_status sp_unit_surprises(const int32_t *length, int64_t n, int64_t *surprises, struct sp_error *err);

struct sp_unit_time {
    const struct sp_unit_costs *by; /* the kernel that takes the least time; NULL: the machine has none */
    struct sp_value time_s;     /* of the slowest thread; lo: all ends are foretold, hi: none is; modelled.
                                   SP_NONE: says why */
    struct sp_value surprise_s; /* of it: ends that are not foretold */
    struct sp_value team_s;     /* of it: T_team */
    double sum_s;               /* of all threads' units together, T_team in none: all work by one of them */
};

/* SP_NONE in time_s: formats and precisions that the machine's measurement does not have, a
 * schedule that cuts rows (merge). Where it has not the layout's number of threads, from those of
 * one thread; hi from those of all. SP_MEMORY where the lengths cannot be kept. */
enum sp_status sp_unit_time_of(const struct sp_machine *machine, const struct sp_layout *layout,
                               struct sp_unit_time *out, struct sp_error *err);

/* What one thread has to move, at the bandwidths that it has alone [s]. */
struct sp_own_transfers {
    struct sp_value all_s, memory_s; /* all of it; of that, what comes from memory */
    struct sp_value overlap;         /* f of the ECM model (model/ecm.h) */
};

/* The time of an execution from its parts [s]. In the core, ends that are not foretold and waiting
 * for gathers from beyond the innermost cache (sp_gather_beyond_first()) hide behind each other:
 *
 *     T_in = core - ends + max(ends, gathers)
 *
 * Transfers (V/b of the level where the data live) hide behind it or the reverse, but for those
 * from memory: what hardware fetches ahead it asks for by what the thread loads, so that while the
 * thread computes too few lines are on their way. Of the shorter of both a share 1 - f shows, until
 * the threads together have all of memory's bandwidth:
 *
 *     T = max(transfers, max(T_in, own) + (1 - f) min(T_in, own from memory))
 *
 * own NULL: nothing is known of it, f = 1. lo: everything hides; hi: gathers wait behind nothing,
 * and f is at its lower end. SP_NONE where a part is not known.
 * How well this does: docs/results/2026-11-26-predicted-times.md. */
struct sp_value sp_expected_time(const struct sp_unit_time *core, struct sp_value transfers_s,
                                 struct sp_value gathers_s, const struct sp_own_transfers *own);

/* Of a kernel without vectors: the remote block of a rank has such a loop of its own
 * (kernels/distributed.h). */
bool sp_unit_is_plain(const struct sp_unit_costs *costs);

#endif
