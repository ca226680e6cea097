/* Formats compared without running them: bytes by formula, core time from P_core. */
#ifndef SP_SESSION_FORMAT_MODEL_H
#define SP_SESSION_FORMAT_MODEL_H

#include "base/reading.h"
#include "base/status.h"
#include "model/machine.h"
#include "model/volume/volume.h"
#include "session/analyze/plan.h"
#include "sparse/product/workload.h"

/* Formats of an operation that are worth a look on a CPU and whose bytes follow from the alpha of another
 * one; ends with NULL. */
const char *const *sp_format_choices(enum sp_op op);

/* Those that a user means with "all": also the ones that gather in another way. */
const char *const *sp_format_every(enum sp_op op);

/* Modelled bytes of one execution and beta of the workload's format at this alpha and w. Where
 * no formula of sizes tells (SELLU's unit-stride slots, operations with dense operands) the layout is made
 * without values. */
enum sp_status sp_format_volume(const struct sp_workload *workload, double alpha, double w, double *V_B,
                                double *beta, struct sp_error *err);

/* V at alpha_min and w = 1 of SpMV and SpMMV, whatever the format and the caches: the matrix once, each of
 * the n_c_used rows of x that have entries in their column once, y once. Half storage and stripes update y
 * and windows often, and caches may keep all of that. What an execution can show of it: sp_volume_floor(). */
enum sp_status sp_format_least_volume(const struct sp_workload *workload, int64_t n_c_used,
                                      struct sp_volume *least, struct sp_error *err);

/* SDDMM besides: tiles from a measured density on (model/volume/sddmm_choice.h). The format among
 * sp_format_choices() (put into *workload) whose max(V/b_S, W/P_core) is least, at alpha_min, with the roof
 * of the level that holds its arrays between executions (warm) or memory's; complex values: CRS. The plan
 * gives the time for P_core (sp_pcore_options_for). */
enum sp_status sp_format_choose(struct sp_workload *workload, const struct sp_machine *machine, bool warm,
                                const char *isa, struct sp_plan *plan, struct sp_error *err);

#endif
