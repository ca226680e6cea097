/* Where the time is lost between possible and reached, and which class of causes is the largest. */
#include "report/verdict/verdict.h"

enum { MOST_CAUSES = 3 };

static void add_cause(json_t *list, const struct sp_verdict_row *row)
{
    char percent[32], text[160];
    snprintf(text, sizeof text, "%s %s", sp_figure_percent(percent, sizeof percent, fabs(row->share)),
             row->words);
    json_t *item = sp_verdict_line(text, text);
    json_object_set_new(item, "cause", json_string(row->cause));
    json_object_set_new(item, "share", sp_json_number(row->share));
    json_array_append_new(list, item);
}

static json_t *one_line(json_t *item)
{
    json_t *list = json_array();
    json_object_set_new(item, "cause", json_null());
    json_object_set_new(item, "share", json_null());
    json_array_append_new(list, item);
    return list;
}

const char *sp_verdict_bottleneck(const struct sp_record *record)
{
    static const char *const classes[] = {"bandwidth", "imbalance", "in-core", "latency"};
    enum { N = sizeof classes / sizeof *classes };
    const char *class = NULL;
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    double of[N] = {0}, rest = 0;
    const int n = sp_verdict_rows(record, row);
    if (n == 0 || !sp_record_text(record, SP_F_BOTTLENECK_CLASS, &class))
        return NULL;
    for (int i = 0; i < n; i++) {
        if (row[i].loss == REST)
            rest = row[i].share;
        else
            of[row[i].loss == IMBALANCE               ? 1
               : row[i].loss != IN_CORE               ? 0
               : strcmp(row[i].cause, "waiting") == 0 ? 3
                                                      : 2] += row[i].share;
    }
    for (int i = 0; i < N; i++) {
        bool is_largest = of[i] >= rest;
        for (int k = 0; k < N; k++)
            is_largest = is_largest && of[i] >= of[k] - (i == 2 ? of[0] : 0); /* transfers are hidden by it */
        if (strcmp(class, classes[i]) == 0 && is_largest)
            return classes[i];
    }
    return NULL;
}

bool sp_verdict_contradicts(const struct sp_record *record, const json_t *not_a_problem)
{
    static const struct {
        const char *rule;
        int loss;
    } rules[] = {{"A01", EXTRA_X}, {"B01", IMBALANCE}, {"C01", IN_CORE}, {"D01", PADDING}};
    const char *rule = sp_item_text(not_a_problem, "rule");
    double share[SP_N_LOSS_ROWS];
    if (!rule || !sp_verdict_loss_shares(record, share))
        return false;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i].rule, rule) == 0 && share[rules[i].loss] >= SP_VERDICT_GAIN)
            return true;
    return false;
}

/* What a job of ranks lost: the parts between its time and what its bytes take at the roof of
 * all. */

/* Own time of a rank: both blocks, each alone; NAN: not known. */
static double own_of(const json_t *rank)
{
    const json_t *median = json_object_get(rank, "median_s");
    return sp_item_number(median, "local") + sp_item_number(median, "remote");
}

static void add(json_t *list, const char *cause, const char *words, double share)
{
    char percent[32], text[160];
    if (!(share >= SP_VERDICT_LEAST))
        return;
    snprintf(text, sizeof text, "%s %s", sp_figure_percent(percent, sizeof percent, share), words);
    json_t *item = sp_verdict_line(text, text);
    json_object_set_new(item, "cause", json_string(cause));
    json_object_set_new(item, "share", sp_json_number(share));
    size_t at = 0; /* the largest first */
    while (at < json_array_size(list) && sp_item_number(json_array_get(list, at), "share") >= share)
        at++;
    json_array_insert_new(list, at, item);
}

/* The same of a job of ranks: what its blocks, their inequality and the exchange take beyond V/b.
 * NULL: the record is of none, or its times do not hold. */
static json_t *lost_by_ranks(const struct sp_record *record)
{
    const json_t *each = sp_record_node(record, SP_F_RANKS_EACH), *rank;
    const struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME);
    const double reached = sp_verdict_share(record);
    double most = 0, sum = 0;
    size_t i;
    if (json_array_size(each) == 0 || !sp_value_known(time) || !(time.value > 0) || !isfinite(reached))
        return NULL;
    json_array_foreach(each, i, rank)
    {
        most = fmax(most, own_of(rank));
        sum += own_of(rank);
    }
    const double mean = sum / (double)json_array_size(each);
    if (!isfinite(mean) || !(mean > 0))
        return NULL;
    /* Blocks of all, the longest of them, and the product follow each other; where noise or overlap
     * turns two round, the earlier part has both. */
    const double top = fmin(most, time.value), middle = fmin(mean, top), left = 1 - fmin(reached, 1),
                 beside = 1 - middle / time.value, all = beside > left ? left / beside : 1;
    json_t *list = json_array();
    add(list, "exchange", "exchange", all * (time.value - top) / time.value);
    add(list, "imbalance", "waiting for the rank with most work", all * (top - middle) / time.value);
    add(list, "blocks", "not explained in the blocks", left - all * beside);
    if (json_array_size(list) == 0)
        json_array_append_new(list,
                              sp_verdict_line("nothing worth naming: no cause takes 0.5 % of the time",
                                              "nothing worth naming: no cause takes 0.5 % of the time"));
    return list;
}

json_t *sp_verdict_lost(const struct sp_record *record)
{
    static const char nothing[] = "nothing worth naming: no cause takes 0.5 % of the time";
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    char text[160];
    json_t *by_ranks = lost_by_ranks(record);
    if (by_ranks)
        return by_ranks;
    const char *why = sp_verdict_no_losses(record, text, sizeof text);
    if (why)
        return one_line(sp_verdict_not_known(why, NULL));
    const int n = sp_verdict_rows(record, row);
    json_t *list = json_array();
    for (int found = 0; found < MOST_CAUSES; found++) {
        int most = -1;
        for (int i = 0; i < n; i++)
            if (row[i].is_lost && row[i].loss != REST && row[i].share >= SP_VERDICT_LEAST &&
                (most < 0 || row[i].share > row[most].share))
                most = i;
        if (most < 0)
            break;
        add_cause(list, &row[most]);
        row[most].is_lost = false;
    }
    if (n > 0 && row[n - 1].loss == REST && fabs(row[n - 1].share) >= SP_VERDICT_LEAST)
        add_cause(list, &row[n - 1]);
    if (json_array_size(list) > 0)
        return list;
    json_decref(list);
    return one_line(sp_verdict_line(nothing, nothing));
}
