/* The ECM model in a record. */
#include "io/ecm_json.h"
#include "session/analysis.h"
#include "session/record_parts.h"

void sp_record_ecm(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_ecm_found *e = &a->ecm;
    json_t *o = sp_ecm_json(&e->inputs, &e->times,
                            (struct sp_ecm_words){e->core_from, sp_analysis_caches(a)->ecm.how});
    sp_record_set_object(r, "ecm", o);
    sp_record_set_value(r, "ecm.loads", e->load_B, "B");
}

void sp_record_ecm_row(struct sp_record *r, const struct sp_analysis *a)
{
    const struct sp_ecm_found *e = &a->ecm;
    if (!sp_value_known(e->times.time_s))
        return;
    sp_record_append(r, "table",
                     sp_json_table_row("ECM, x as simulated", e->times.time_s,
                                       sp_value_known(e->bytes) ? e->bytes : a->evaluated.seen.volume_B,
                                       a->evaluated.balance_W,
                                       sp_value_none("this row is not compared with the roof"), NULL));
}
