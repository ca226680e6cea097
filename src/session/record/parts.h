/* Pieces of records that several kinds of analysis share. */
#ifndef SP_SESSION_RECORD_PARTS_H
#define SP_SESSION_RECORD_PARTS_H

#include <jansson.h>

#include "io/record/record.h"
#include "kernels/gpu_module.h"
#include "model/ecm.h"
#include "model/gather.h"
#include "model/hints/hints.h"
#include "model/losses.h"
#include "model/machine.h"
#include "session/analyze/setup.h"
#include "session/measure/conditions.h"
#include "sys/machine/topology.h"

struct sp_analysis;
struct sp_analyze_options;
struct sp_layout;
struct sp_conditions;
struct sp_pairs;
struct sp_plan;
struct sp_steps_taken;
struct sp_sentinels;
struct sp_setup;
struct sp_trial;
struct sp_variant;

/* A ceiling as an item of roofs[]; role: "roof", "floor", "peak", "gathers", "other". */
json_t *sp_json_ceiling(const struct sp_ceiling *ceiling, const char *role);
/* A row of the report's table; its share of the roof or model, and the metric it is. */
json_t *sp_json_table_row(const char *name, struct sp_value time, struct sp_value bytes, double W,
                          struct sp_value fraction, const char *fraction_name);
/* An item of runs[] without counters. */
json_t *sp_json_run(const struct sp_pairs *pairs);
/* conditions: the state of the machine, said once for every reader; doubt: "" none. */
void sp_record_conditions(struct sp_record *record, const struct sp_conditions *conditions,
                          const char *doubt);
/* bottleneck: unknown, and why. */
void sp_record_no_bottleneck(struct sp_record *record, const char *doubt);
/* plan: the steps, what their measurements were allowed, and where the time went. */
void sp_record_plan(struct sp_record *record, const struct sp_plan *plan, const struct sp_steps_taken *steps);
/* A trial of a variant: "failed" where it could not be measured. */
void sp_json_change(json_t *item, const struct sp_change *change); /* its `change`, as typed */
json_t *sp_json_trial(const struct sp_variant *variant, const struct sp_trial *trial);
/* config.op, format, precision, index, width, order. */
void sp_record_workload(struct sp_record *record, const struct sp_workload *workload);
/* layout: what was stored, and each array's bytes once. */
void sp_record_layout(struct sp_record *record, const struct sp_layout *layout);
void sp_record_losses(struct sp_record *record, const struct sp_losses *losses);
/* hints and not_a_problem: an empty list says that they were looked for. */
void sp_record_hints(struct sp_record *record, const struct sp_hints *hints);
/* One more; `hints` has what commands repeat. */
void sp_record_hint(struct sp_record *record, const struct sp_hints *hints, const struct sp_hint *hint);
void sp_record_machine(struct sp_record *record, const struct sp_machine *machine);
/* request: what was asked for, null where it was left to the program. It tells series apart. */
void sp_record_request(struct sp_record *record, const struct sp_analyze_options *options,
                       const char *reorder, const char *device);
/* config.code_hash and config.partition_hash: evidence that the kernel's code and the threads'
 * shares are those of another record. */
void sp_record_code(struct sp_record *record, const struct sp_setup *setup);
/* env: key, facts, host and kernel of the machine that this program runs on; gpu: the device in
 * use, part of the key with its driver, or NULL. */
void sp_record_environment(struct sp_record *record, const struct sp_topology *topology,
                           const struct sp_gpu_device *gpu);
/* source: commit and branch of what is measured, from SPMODEL_COMMIT, SPMODEL_BRANCH or the
 * variables of continuous integration (GITHUB_SHA, CI_COMMIT_SHA, GIT_COMMIT ...); nothing where
 * none is set. */
void sp_record_source(struct sp_record *record);
/* The commit that it takes, NULL where none is set; *variable: the name of the one that says so. */
const char *sp_source_commit(const char **variable);
/* problem, structure and the spy counts. */
void sp_record_subject(struct sp_record *record, const struct sp_subject *subject);
/* counters: null where bytes are simulated; with the log, the trust and what else was tried. */
void sp_record_counters(struct sp_record *record, const struct sp_analysis *analysis);
/* sentinels, null where nothing was run; flag Q28 where the control kernel drifted, or the level
 * that the data come from (lives_on; SP_SENTINEL_CONTROL: an inner cache). */
void sp_record_sentinels(struct sp_record *record, const struct sp_sentinels *sentinels,
                         enum sp_sentinel_kind lives_on);
/* ecm: the execution-cache-memory model of the run. */
void sp_record_ecm(struct sp_record *record, const struct sp_analysis *analysis);
/* Its row of the table; nothing where its time is not known. */
void sp_record_ecm_row(struct sp_record *record, const struct sp_analysis *analysis);
/* gathers: the levels that gathers of x come from, and their roof; where simulated. */
void sp_record_gathers(struct sp_record *record, const struct sp_analysis *analysis);
/* That roof among the ceilings, in flop/s. */
void sp_record_gather_roof(struct sp_record *record, const struct sp_analysis *analysis);
/* curves: alpha over cache size, beta(C, sigma), saturation. */
void sp_record_curves(struct sp_record *record, const struct sp_analysis *analysis);

/* The ECM model's parts and times as JSON: of `spmodel model --json` and of records. */

/* What was computed, and on whose word. */
struct sp_ecm_words {
    const char *core_from;   /* what T_OL was made of: "P_core of the team" */
    const char *overlap_how; /* how the machine's rule was found; "" or NULL: nobody says */
};

/* {"T_OL", "T_OL_from", "T_nOL", "transfers": [{"name", "read", "write", "bandwidth",
 * "write_weight", "time", "shared_time"}], "overlap", "overlap_how", "no_overlap", "full_overlap",
 * "one_thread", "time", "n_sat"}. Values as sp_record_value_json() writes them, in s, B, B/s: all
 * work by one thread, but "time" and "shared_time", which are of all threads. New reference; NULL:
 * memory is short. */
json_t *sp_ecm_json(const struct sp_ecm_inputs *inputs, const struct sp_ecm_times *times,
                    struct sp_ecm_words words);

/* Where gathers of x come from, and their roof, as JSON: of `spmodel model --json` and of records.
 * {"time", "roof", "beyond_L1", "levels": [{"level", "gathers", "rate"}]}. Values as
 * sp_record_value_json() writes them, in s and 1/s, of all threads. New reference; NULL: memory is
 * short. */
json_t *sp_gather_json(const struct sp_gather_roof *roof);

#endif
