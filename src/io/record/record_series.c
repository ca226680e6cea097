#include "io/record/record_series.h"

#include <math.h>
#include <string.h>

#include "io/record/record_words.h"

/* Models that differ by less are not told apart. */
static const double SAME_MODEL = 0.02;

static double known(struct sp_value v)
{
    return sp_value_known(v) ? v.value : NAN;
}

/* The row of the table that the model computed from the bytes as seen. */
static double modelled_performance(const struct sp_record *record)
{
    const json_t *rows = sp_record_node(record, "table"), *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *name = sp_item_text(row, "row");
        if (name && strncmp(name, "model, x as", 11) == 0)
            return sp_item_number(row, "performance");
    }
    return NAN;
}

bool sp_series_point_of(const struct sp_record *record, struct sp_series_point *p)
{
    *p = (struct sp_series_point){.r = 1};
    if (!sp_record_count(record, "config.inner", &p->r))
        sp_record_count(record, "config.rhs", &p->r);
    p->time_s = sp_record_metric(record, "time");
    p->balance = sp_record_metric(record, "balance");
    p->balance_min = known(sp_record_metric(record, "balance_min"));
    p->performance = sp_record_metric(record, "performance");
    p->model = modelled_performance(record);
    p->core = known(sp_record_metric(record, "p_core"));
    double roof = known(sp_record_value_of(sp_record_roof(record)));
    p->bandwidth = sp_value_known(p->balance) && p->balance.value > 0 ? roof / p->balance.value : NAN;
    p->binding = isfinite(p->core) && p->core < p->bandwidth ? "in-core execution" : "bandwidth";
    return sp_value_known(p->time_s) && sp_value_known(p->balance) && sp_value_known(p->performance);
}

int sp_series_best(const struct sp_series_point *p, int n, bool modelled)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (modelled ? p[i].model > p[best].model : p[i].performance.value > p[best].performance.value)
            best = i;
    return best;
}

bool sp_series_ties(const struct sp_series_point *p, int i, int best, bool modelled)
{
    return modelled ? p[i].model >= (1 - SAME_MODEL) * p[best].model
                    : p[i].performance.hi >= p[best].performance.lo;
}
