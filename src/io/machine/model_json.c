#include "io/machine/model_json.h"

#include "io/record/record.h"

/* As it is said, where nobody said more. */
static struct sp_value with_reason(struct sp_value v, const char *why)
{
    return sp_value_known(v) || v.why ? v : sp_value_none(why);
}

static json_t *transfer_json(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t, int k)
{
    const struct sp_ecm_transfer *x = &in->transfer[k];
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", x->name, "read",
                     sp_record_value_json(x->read_B, "B"), "write", sp_record_value_json(x->write_B, "B"),
                     "bandwidth", sp_record_value_json(x->one_Bps, "B/s"), "write_weight",
                     sp_record_value_json(with_reason(x->write_weight, "taken as anything from 0 to 1"), "1"),
                     "time", sp_record_value_json(t->transfer_s[k], "s"), "shared_time",
                     sp_record_value_json(t->shared_s[k], "s"));
}

/* False: memory was short for the value or for its place. */
static bool put(json_t *o, const char *key, json_t *value)
{
    return json_object_set_new(o, key, value) == 0;
}

static json_t *transfers_json(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t)
{
    json_t *list = json_array();
    for (int k = 0; list && k < in->n_transfers; k++)
        if (json_array_append_new(list, transfer_json(in, t, k)) != 0) {
            json_decref(list);
            list = NULL;
        }
    return list;
}

json_t *sp_ecm_json(const struct sp_ecm_inputs *in, const struct sp_ecm_times *t, struct sp_ecm_words words)
{
    json_t *o = json_object();
    const bool says = words.overlap_how && *words.overlap_how;
    const struct sp_value overlap = with_reason(in->overlap, "the machine's overlap rule is not known");
    bool done = put(o, "T_OL", sp_record_value_json(t->core_s, "s"));
    done &= put(o, "T_OL_from", json_string(words.core_from));
    done &= put(o, "T_nOL", sp_record_value_json(t->load_s, "s"));
    done &= put(o, "transfers", transfers_json(in, t));
    done &= put(o, "overlap", sp_record_value_json(overlap, "1"));
    if (says)
        done &= put(o, "overlap_how", json_string(words.overlap_how));
    done &= put(o, "no_overlap", sp_record_value_json(t->none_s, "s"));
    done &= put(o, "full_overlap", sp_record_value_json(t->all_s, "s"));
    done &= put(o, "one_thread", sp_record_value_json(t->one_s, "s"));
    done &= put(o, "time", sp_record_value_json(t->time_s, "s"));
    done &= put(o, "n_sat", sp_record_value_json(t->n_sat, "1"));
    if (!done) {
        json_decref(o);
        o = NULL;
    }
    return o;
}

static json_t *levels_json(const struct sp_gather_roof *g)
{
    json_t *list = json_array();
    for (int k = 0; list && k < g->hits.n_levels; k++) {
        const struct sp_value n = sp_value_of(g->hits.count[k], g->hits.origin);
        json_t *one =
            json_pack("{s:s, s:o, s:o}", "level", g->hits.level[k], "gathers", sp_record_value_json(n, "1"),
                      "rate", sp_record_value_json(g->rate[k], "1/s"));
        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

json_t *sp_gather_json(const struct sp_gather_roof *g)
{
    json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "time", sp_record_value_json(g->time_s, "s"), "roof",
                          sp_record_value_json(g->roof_ps, "1/s"), "beyond_L1",
                          sp_record_value_json(sp_gather_beyond_first(g), "s"), "levels", levels_json(g));
    const struct sp_value ahead = sp_value_of(g->hits.ahead, SP_MODELLED);
    if (o && g->hits.ahead > 0)
        json_object_set_new(o, "ahead", sp_record_value_json(ahead, "1"));
    return o;
}
