/* What the sentinels saw, and whether the machine stayed the same while it was measured on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "session/analyze/analysis.h"
#include "session/record/parts.h"

static json_t *sentinel_json(const struct sp_sentinel *s, const char *unit)
{
    json_t *values = json_array();
    for (int i = 0; i < s->n; i++)
        json_array_append_new(values, json_real(s->value[i]));
    json_t *o = json_pack("{s:s, s:s, s:o}", "unit", unit, "origin",
                          sp_origin_name(s->n > 0 ? SP_MEASURED : SP_NONE), "values", values);
    json_object_set_new(o, "spread", s->n > 0 ? json_real(s->spread) : json_null());
    if (s->bytes > 0)
        json_object_set_new(o, "bytes", json_real(s->bytes));
    if (s->n == 0)
        json_object_set_new(o, "why", json_string(s->why ? s->why : "it was not reached"));
    return o;
}

static void flag_drift(struct sp_record *r, const struct sp_sentinels *s)
{
    static const char *const words[SP_N_SENTINELS] = {"DRAM sentinel", "last-level cache sentinel",
                                                      "control kernel"};
    char text[160] = "";
    size_t used = 0;
    for (int i = 0; i < SP_N_SENTINELS; i++) {
        double change;
        if (sp_sentinel_drifted(&s->of[i], &change) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %+.0f %%", used > 0 ? ", " : "",
                                     words[i], 100 * change);
    }
    if (used > 0)
        sp_record_add_flag(r, "Q28", "the machine drifted while it was measured on: %s from first to last",
                           text);
}

void sp_record_sentinels(struct sp_record *r, const struct sp_sentinels *s)
{
    if (s->n_threads == 0) {
        sp_record_set_null(r, "sentinels", "nothing was run here");
        return;
    }
    char path[32];
    sp_record_set_count(r, "sentinels.version", SP_SENTINEL_VERSION);
    sp_record_set_count(r, "sentinels.threads", s->n_threads);
    for (int i = 0; i < SP_N_SENTINELS; i++) {
        snprintf(path, sizeof path, "sentinels.%s", sp_sentinel_name((enum sp_sentinel_kind)i));
        sp_record_set_object(r, path, sentinel_json(&s->of[i], i == SP_SENTINEL_CONTROL ? "1/s" : "B/s"));
    }
    sp_record_set_number(r, "sentinels.seconds", s->seconds);
    flag_drift(r, s);
}
