/* Formats compared without running them: bytes by formula, core time from P_core. */
#ifndef SP_SESSION_FORMAT_MODEL_H
#define SP_SESSION_FORMAT_MODEL_H

#include "base/reading.h"
#include "base/status.h"
#include "model/machine.h"
#include "model/volume/volume.h"
#include "session/analyze/plan.h"
#include "sparse/product/workload.h"

/* Formats of an operation that are worth a look on a CPU and whose bytes follow from the alpha of
 * another one; ends with NULL. */
const char *const *sp_format_choices(enum sp_op op);

/* Those that a user means with "all": also the ones that gather in another way. */
const char *const *sp_format_every(enum sp_op op);

/* Modelled bytes of one execution and beta of the workload's format at this alpha and w. Where no
 * formula of sizes tells (SELLU's unit-stride slots, operations with dense operands) the layout is
 * made without values. */
enum sp_status sp_format_volume(const struct sp_workload *workload, double alpha, double w, double *V_B,
                                double *beta, struct sp_error *err);

/* V at alpha_min and w = 1 of SpMV and SpMMV, whatever the format and the caches: the matrix once,
 * each of the n_c_used rows of x that have entries in their column once, y once. Formats that
 * update y do so, and windows, often, and caches may keep all of that. What an execution can show
 * of it: sp_volume_floor(). */
enum sp_status sp_format_least_volume(const struct sp_workload *workload, int64_t n_c_used,
                                      struct sp_volume *least, struct sp_error *err);

/* SDDMM besides: tiles from a measured density on (model/volume/volume.h). The format among
 * sp_format_choices() (put into *workload) whose max(V/b_S, W/P_core) is least, at alpha_min, with
 * the roof of the level that holds its arrays between executions (warm) or memory's; complex
 * values: CRS. The plan gives the time for P_core (sp_pcore_options_for). */
enum sp_status sp_format_choose(struct sp_workload *workload, const struct sp_machine *machine, bool warm,
                                const char *isa, struct sp_plan *plan, struct sp_error *err);

/* The least time that the model leaves a configuration: what a sweep may rule it out by, so that
 * every part errs on the side of the configuration. */

/* The most that n threads can move through the interface of a level [B/s]: n times the best of one
 * thread, and the best of all thread counts where one of them is n or more. Upper ends of
 * intervals, whatever the kind of stream. 0: not known. */
double sp_bandwidth_bound(const struct sp_machine *machine, const char *level, int n_threads);

/* The least time that the transfers of an execution can take [s]: sp_format_least_volume(), less
 * what caches keep from one execution to the next (sp_volume_floor()), at sp_bandwidth_bound() of
 * the level where the arrays live. SpMV and SpMMV; n_c_used: columns with entries. 0: not known. */
double sp_transfer_bound(const struct sp_workload *workload, int64_t n_c_used,
                         const struct sp_machine *machine, bool warm);

#endif
