/* The ECM model's parts and times as JSON: of `spmodel model --json` and of records. */
#ifndef SP_IO_MODEL_JSON_H
#define SP_IO_MODEL_JSON_H

#include <jansson.h>

#include "model/ecm.h"
#include "model/gather.h"

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
