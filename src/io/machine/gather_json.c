#include "io/machine/gather_json.h"

#include "io/record/record.h"

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
    return json_pack("{s:o, s:o, s:o, s:o}", "time", sp_record_value_json(g->time_s, "s"), "roof",
                     sp_record_value_json(g->roof_ps, "1/s"), "beyond_L1",
                     sp_record_value_json(sp_gather_beyond_first(g), "s"), "levels", levels_json(g));
}
