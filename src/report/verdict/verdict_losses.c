/* Where the time is lost between possible and reached, and which class of causes is the largest. */
#include "report/verdict/verdict_parts.h"

enum { MOST_CAUSES = 3 };
/* Below this the rest says that an input is wrong. */
#define DOUBTFUL_REST (-0.10)

static const char in_core[] = "in-core execution", waiting[] = "waiting for gathers",
                  row_ends[] = "mispredicted row ends", team[] = "start of the team";

/* Is what stands behind "in-core, latency" execution rather than waiting? The longer part decides where the
 * bottleneck does not say it. */
static bool is_execution(const struct sp_record *record)
{
    const char *class = sp_words_text(record, "bottleneck.class", "");
    const struct sp_value P = sp_record_metric(record, "p_core"), W = sp_record_metric(record, "flops"),
                          time = sp_record_metric(record, "time");
    double share[SP_N_LOSS_ROWS], moved = 0;
    if (strcmp(class, "latency") == 0 || strcmp(class, "in-core") == 0)
        return *class == 'i';
    if (!sp_verdict_loss_shares(record, share) || !sp_value_known(P) || !sp_value_known(W) || !(P.value > 0))
        return true;
    for (int i = MIN_TRAFFIC; i <= DOMAINS; i++)
        moved += isfinite(share[i]) ? share[i] : 0;
    return W.value / P.value / time.value - moved >= share[IN_CORE] / 2;
}

static void cause_words(const struct sp_record *record, int loss, char *text, size_t size)
{
    const struct sp_value loads = sp_record_metric(record, "x_loads");
    const bool is_x = strcmp(sp_words_text(record, "config.op", "spmv"), "spmv") == 0;
    snprintf(text, size, "%s", sp_loss_words[loss].words);
    if (loss == EXTRA_X && sp_value_known(loads) && loads.value >= 1.05 && loads.value < 1e4)
        snprintf(text, size, "%s %.1f times", is_x ? "x loaded" : "gathered", loads.value);
    else if (loss == IN_CORE)
        snprintf(text, size, "%s", is_execution(record) ? in_core : waiting);
}

static const char *no_losses(const struct sp_record *record, double share[SP_N_LOSS_ROWS], char *text,
                             size_t size);

/* A part of in-core time that has a row of its own. */
struct part {
    const char *path, *cause, *words;
    double share;
};

/* How the part itself was found; records that do not say it of the part say it of all that is in-core. */
static const char *how_of(const struct sp_record *record, const struct sp_verdict_row *row)
{
    const char *keys[] = {strcmp(row->cause, "in_core") == 0 ? "core" : row->cause,
                          sp_loss_words[row->loss].key};
    const char *how = "";
    for (int i = 0; i < 2 && !*how; i++) {
        char path[64];
        snprintf(path, sizeof path, "losses_origin.%s", keys[i]);
        how = sp_words_text(record, path, "");
    }
    return how;
}

int sp_verdict_rows(const struct sp_record *record, struct sp_verdict_row row[SP_VERDICT_ROWS])
{
    static const int hidden[] = {IN_CORE, EXTRA_X, DOMAINS};
    double share[SP_N_LOSS_ROWS] = {0}, within, execution = 0;
    char text[160] = "";
    int n = 0;
    if (no_losses(record, share, text, sizeof text))
        return 0;
    within = sp_verdict_share(record) - share[MIN_TRAFFIC] - (isfinite(share[PADDING]) ? share[PADDING] : 0);
    for (size_t i = 0; sp_verdict_is_in_core(record) && within > 0 && i < sizeof hidden / sizeof *hidden;
         i++) {
        double *one = &share[hidden[i]], taken = *one > 0 ? fmin(*one, within) : 0;
        *one -= taken;
        within -= taken;
        execution += taken;
    }
    /* A possible that is a little above the time is all of it. */
    double over = share[MIN_TRAFFIC] + (isfinite(share[PADDING]) ? share[PADDING] : 0) + execution - 1;
    for (int i = 0; over > 0 && i < 3; i++) {
        double *one = i == 0 ? &execution : &share[i == 1 ? MIN_TRAFFIC : PADDING], taken = fmin(*one, over);
        *one -= taken;
        over -= taken;
        share[REST] += taken;
    }
    /* parts of it that nothing hides */
    struct part parts[] = {{"losses.row_ends", "row_ends", row_ends, 0}, {"losses.team", "team", team, 0}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double seconds;
        if (!sp_record_number(record, parts[i].path, &seconds) || !(share[IN_CORE] > 0))
            continue;
        parts[i].share = fmin(share[IN_CORE], seconds / sp_record_metric(record, "time").value);
        share[IN_CORE] -= parts[i].share;
    }
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        if (isfinite(share[i])) {
            row[n] = (struct sp_verdict_row){
                .loss = i, .share = share[i], .is_lost = i > PADDING, .cause = sp_loss_words[i].key};
            cause_words(record, i, row[n].words, sizeof row->words);
            if (i == IN_CORE && execution > 0) /* the possible has all of the execution */
                snprintf(row[n].words, sizeof row->words, "%s", waiting);
            if (strcmp(row[n].words, waiting) == 0)
                row[n].cause = "waiting";
            n++;
        }
        for (size_t k = 0; i == IN_CORE && k < sizeof parts / sizeof *parts; k++)
            if (parts[k].share > 0) {
                row[n] = (struct sp_verdict_row){
                    .loss = IN_CORE, .share = parts[k].share, .is_lost = true, .cause = parts[k].cause};
                snprintf(row[n++].words, sizeof row->words, "%s", parts[k].words);
            }
        if (i == PADDING && execution > 0) {
            row[n] = (struct sp_verdict_row){.loss = IN_CORE, .share = execution, .cause = "in_core"};
            snprintf(row[n++].words, sizeof row->words, "%s", in_core);
        }
    }
    for (int i = 0; i < n; i++)
        row[i].how = how_of(record, &row[i]);
    return n;
}

static void add_cause(json_t *list, const struct sp_verdict_row *row)
{
    char percent[32], text[160];
    const bool is_twice = row->loss == REST && row->share < 0;
    snprintf(text, sizeof text, "%s %s", sp_figure_percent(percent, sizeof percent, fabs(row->share)),
             is_twice ? "explained twice" : row->words);
    json_t *item = sp_verdict_line(text, text);
    json_object_set_new(item, "cause", json_string(row->cause));
    json_object_set_new(item, "share", sp_verdict_number(row->share));
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

/* Which input of losses that exceed the time is doubtful. */
static const char *doubtful_input(const struct sp_record *record)
{
    const char *how = sp_words_text(record, "losses_origin.rest", "");
    if (strcmp(sp_words_text(record, "config.device", "cpu"), "gpu") == 0)
        return "a ceiling is too low";
    return strstr(how, "P_core")     ? "P_core is too low"
           : strstr(how, "can keep") ? "fewer bytes move than modelled"
                                     : "roof too low, or fewer bytes move";
}

/* Why no loss can be named; NULL: they can. */
static const char *no_losses(const struct sp_record *record, double share[SP_N_LOSS_ROWS], char *text,
                             size_t size)
{
    if (sp_verdict_is_unusable(record) && *sp_verdict_doubt(record))
        return "too many samples were disturbed";
    if (*sp_verdict_doubt(record))
        return "the roof is in doubt";
    if (sp_verdict_no_time(record))
        return sp_verdict_no_time(record);
    if (!sp_verdict_loss_shares(record, share))
        return "the record has no losses";
    if (!isfinite(share[MIN_TRAFFIC]) || !isfinite(share[REST]))
        return "the time has no model";
    bool too_much = share[REST] < DOUBTFUL_REST;
    for (int i = 0; i < REST; i++)
        too_much = too_much || share[i] > (i == MIN_TRAFFIC ? SP_VERDICT_DOUBTFUL : 1) ||
                   share[i] < -SP_VERDICT_LEAST;
    if (too_much)
        snprintf(text, size, "parts exceed the time: %s", doubtful_input(record));
    else if (sp_verdict_share(record) > SP_VERDICT_DOUBTFUL)
        snprintf(text, size, "the time is shorter than the model allows");
    return *text ? text : NULL;
}

json_t *sp_verdict_lost(const struct sp_record *record)
{
    static const char nothing[] = "nothing worth naming: no cause takes 0.5 % of the time";
    double share[SP_N_LOSS_ROWS];
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    char text[160] = "";
    const char *why = no_losses(record, share, text, sizeof text);
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

const char *sp_verdict_bottleneck(const struct sp_record *record)
{
    static const char *const classes[] = {"bandwidth", "imbalance", "in-core", "latency"};
    enum { N = sizeof classes / sizeof *classes };
    const char *class = NULL;
    struct sp_verdict_row row[SP_VERDICT_ROWS];
    double of[N] = {0}, rest = 0;
    const int n = sp_verdict_rows(record, row);
    if (n == 0 || !sp_record_text(record, "bottleneck.class", &class))
        return NULL;
    for (int i = 0; i < n; i++) {
        if (row[i].loss == REST)
            rest = row[i].share;
        else
            of[row[i].loss == IMBALANCE             ? 1
               : row[i].loss != IN_CORE             ? 0
               : strcmp(row[i].words, waiting) == 0 ? 3
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
