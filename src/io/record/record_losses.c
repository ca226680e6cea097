#include "io/record/record_losses.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/record/record.h"

/* Rows of sp_loss_words. */
enum { MIN_TRAFFIC, PADDING, EXTRA_X, DOMAINS, IMBALANCE, IN_CORE, REST };

bool sp_verdict_is_status(const struct sp_record *record, const char *status)
{
    return strcmp(sp_words_text(record, SP_F_STATUS, "complete"), status) == 0;
}

const char *sp_verdict_doubt(const struct sp_record *record)
{
    return sp_words_text(record, SP_F_CONDITIONS_DOUBT, "");
}

bool sp_verdict_is_unusable(const struct sp_record *record)
{
    return strcmp(sp_words_text(record, SP_F_CONDITIONS_STATE, ""), "unusable") == 0;
}

const char *sp_verdict_disturbed(const struct sp_record *record)
{
    return sp_verdict_is_unusable(record) && *sp_verdict_doubt(record) ? "too many samples were disturbed"
                                                                       : NULL;
}

bool sp_verdict_is_foreign(const struct sp_record *record)
{
    bool foreign = false;
    return sp_record_flag(record, SP_F_MACHINE_FOREIGN, &foreign) && foreign;
}

bool sp_verdict_is_stated(const struct sp_record *record)
{
    return sp_record_value(record, SP_F_METRICS_TIME).origin == SP_STATED;
}

static bool is_empty(const struct sp_record *record)
{
    int64_t nnz = 1;
    return sp_record_count(record, SP_F_PROBLEM_NNZ, &nnz) && nnz == 0;
}

const char *sp_verdict_no_time(const struct sp_record *record)
{
    if (is_empty(record))
        return "the matrix has no entries";
    if (sp_verdict_is_status(record, "failed"))
        return "the run failed";
    if (sp_verdict_is_status(record, "interrupted"))
        return "the analysis was interrupted";
    return NULL;
}

struct sp_value sp_verdict_possible(const struct sp_record *record)
{
    const json_t *row = json_array_get(sp_record_node(record, SP_F_TABLE), 0);
    const double P = sp_item_number(row, "performance"), t = sp_item_number(row, "time_s"),
                 lo = sp_item_number(row, "time_lo_s"), hi = sp_item_number(row, "time_hi_s");
    if (!(P > 0) || !isfinite(P))
        return sp_value_none("the record has no model of this run");
    return lo > 0 && hi >= lo ? sp_value_between(P, P * t / hi, P * t / lo, SP_MODELLED)
                              : sp_value_of(P, SP_MODELLED);
}

double sp_verdict_share(const struct sp_record *record)
{
    const struct sp_value v = sp_record_value(record, SP_F_METRICS_MODEL_FRACTION),
                          possible = sp_verdict_possible(record),
                          rate = sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    if (*sp_verdict_doubt(record))
        return NAN;
    if (sp_value_known(v))
        return v.value;
    return sp_value_known(possible) && sp_value_known(rate) ? rate.value / possible.value : NAN;
}

static bool is_on_gpu(const struct sp_record *record)
{
    return strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0;
}

bool sp_verdict_is_in_core(const struct sp_record *record)
{
    const char *term = sp_words_text(record, SP_F_BINDING_TERM, "");
    const bool is_of_memory = strcmp(sp_words_text(record, SP_F_BINDING_LEVEL, ""), "MEM") == 0;
    return strstr(term, "bandwidth") == NULL ||
           (is_on_gpu(record) && is_of_memory && strncmp(term, "memory", strlen("memory")) != 0);
}

bool sp_verdict_loss_shares(const struct sp_record *record, double share[SP_N_LOSS_ROWS])
{
    const struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME);
    if (!json_is_object(sp_record_node(record, SP_F_LOSSES)) || !sp_value_known(time) || !(time.value > 0))
        return false;
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        double x;
        share[i] = sp_record_loss(record, i, &x) ? x / time.value : NAN;
    }
    return true;
}

bool sp_verdict_beats_model(const struct sp_record *record)
{
    const struct sp_value possible = sp_verdict_possible(record),
                          rate = sp_record_value(record, SP_F_METRICS_PERFORMANCE);
    return sp_verdict_share(record) > SP_VERDICT_DOUBTFUL &&
           (!sp_value_known(possible) || !sp_value_known(rate) || rate.lo > possible.hi);
}

/* Below this the rest says that an input is wrong. */
#define DOUBTFUL_REST (-0.10)

static const char in_core[] = "in-core execution", waiting[] = "waiting for gathers",
                  row_ends[] = "mispredicted row ends", launch_ends[] = "start and last wave";

/* Is what stands behind "in-core, latency" execution rather than waiting? The longer part decides
 * where the bottleneck does not say it. */
static bool is_execution(const struct sp_record *record)
{
    const char *class = sp_words_text(record, SP_F_BOTTLENECK_CLASS, "");
    const struct sp_value P = sp_record_value(record, SP_F_METRICS_P_CORE),
                          W = sp_record_value(record, SP_F_METRICS_FLOPS),
                          time = sp_record_value(record, SP_F_METRICS_TIME);
    double share[SP_N_LOSS_ROWS], moved = 0;
    if (strcmp(class, "latency") == 0 || strcmp(class, "in-core") == 0)
        return *class == 'i';
    if (!sp_verdict_loss_shares(record, share) || !sp_value_known(P) || !sp_value_known(W) || !(P.value > 0))
        return true;
    for (int i = MIN_TRAFFIC; i <= DOMAINS; i++)
        moved += isfinite(share[i]) ? share[i] : 0;
    return W.value / P.value / time.value - moved >= share[IN_CORE] / 2;
}

/* Of a GPU no kernel ran without memory: what takes longer than the roof is a term of its model. */
static const char *execution_words(const struct sp_record *record)
{
    return is_on_gpu(record) && sp_verdict_is_in_core(record)
               ? sp_words_text(record, SP_F_BINDING_BESIDE, sp_words_text(record, SP_F_BINDING_TERM, in_core))
               : in_core;
}

static void cause_words(const struct sp_record *record, int loss, double share, char *text, size_t size)
{
    const struct sp_value loads = sp_record_value(record, SP_F_METRICS_X_LOADS);
    const bool is_x = strcmp(sp_words_text(record, SP_F_CONFIG_OP, "spmv"), "spmv") == 0;
    snprintf(text, size, "%s", loss == REST && share < 0 ? "overlap of these" : sp_loss_words[loss].words);
    if (loss == EXTRA_X && sp_value_known(loads) && loads.value >= 1.05 && loads.value < 1e4)
        snprintf(text, size, "%s %.1f times", is_x ? "x loaded" : "gathered", loads.value);
    else if (loss == IN_CORE)
        snprintf(text, size, "%s", is_execution(record) ? execution_words(record) : waiting);
}

/* Which input of losses that exceed the time is doubtful; hidden transfers are none. */
static const char *doubtful_input(const struct sp_record *record, const double share[SP_N_LOSS_ROWS])
{
    const char *how = sp_words_text(record, SP_F_LOSSES_ORIGIN_REST, "");
    const bool is_modelled =
        strncmp(sp_words_text(record, SP_F_LOSSES_ORIGIN_WAITING, ""), "modelled", 8) == 0;
    const double time = sp_record_value(record, SP_F_METRICS_TIME).value;
    double waits = 0;
    if (is_on_gpu(record))
        return "a ceiling is too low";
    if (is_modelled && sp_record_number(record, SP_F_LOSSES_WAITING, &waits) && waits > 0 &&
        share[REST] + waits / time >= DOUBTFUL_REST)
        return "gathers wait less than modelled";
    if (strstr(how, "P_core") || sp_verdict_is_in_core(record)) /* a shared core has several speeds */
        return strcmp(sp_words_text(record, SP_F_CONDITIONS_STATE, ""), "busy") == 0
                   ? "P_core is of a busier moment"
                   : "P_core is too low";
    return strstr(how, "can keep") ? "fewer bytes move than modelled" : "roof too low, or fewer bytes move";
}

bool sp_verdict_lacks_roof(const struct sp_record *record)
{
    return *sp_verdict_doubt(record) && sp_record_roof(record) &&
           !sp_value_known(sp_record_value_of(sp_record_roof(record)));
}

const char *sp_verdict_in_doubt(const struct sp_record *record)
{
    return !*sp_verdict_doubt(record)      ? NULL
           : sp_verdict_is_foreign(record) ? "caches and ceilings are of another machine"
           : sp_verdict_lacks_roof(record) ? "no bandwidth of its cache is known"
           : sp_verdict_is_stated(record)  ? "the time is in doubt"
                                           : "the roof is in doubt";
}

const char *sp_verdict_no_losses(const struct sp_record *record, char *text, size_t size)
{
    double share[SP_N_LOSS_ROWS];
    *text = '\0';
    if (sp_verdict_disturbed(record))
        return sp_verdict_disturbed(record);
    if (sp_verdict_in_doubt(record))
        return sp_verdict_in_doubt(record);
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
        snprintf(text, size, "parts exceed the time: %s", doubtful_input(record, share));
    else if (sp_verdict_beats_model(record))
        snprintf(text, size, "the time is shorter than the model allows");
    return *text ? text : NULL;
}

/* A part of in-core time that has a row of its own. */
struct part {
    enum sp_record_field field;
    const char *words;
    double share;
};

/* How the part was found; records that do not say so say it of all that is in-core. */
static const char *how_of(const struct sp_record *record, const struct sp_verdict_row *row)
{
    const char *all = sp_words_text(record, sp_loss_origin(sp_loss_words[row->loss].field), ""),
               *own = sp_words_text(record, sp_field_in(SP_F_LOSSES_ORIGIN, row->cause), "");
    return *own ? own : all;
}

const char *sp_loss_origin_word(const char *how)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(how, ": "), how);
    const enum sp_origin origin = sp_origin_from_name(word);
    return origin != SP_NONE ? sp_origin_name(origin) : "derived";
}

double sp_verdict_launch_s(const struct sp_record *record)
{
    double seconds;
    return is_on_gpu(record) && sp_record_number(record, SP_F_LOSSES_TEAM, &seconds) ? fmax(0, seconds) : 0;
}

int sp_verdict_rows(const struct sp_record *record, struct sp_verdict_row row[SP_VERDICT_ROWS])
{
    static const int hidden[] = {IN_CORE, EXTRA_X, DOMAINS};
    static const double ROUNDING = 1e-9;
    double share[SP_N_LOSS_ROWS], within, execution = 0;
    char text[160] = "";
    int n = 0;
    if (sp_verdict_no_losses(record, text, sizeof text) || !sp_verdict_loss_shares(record, share))
        return 0;
    /* the possible of a GPU has its launches */
    double launch = sp_verdict_launch_s(record) / sp_record_value(record, SP_F_METRICS_TIME).value;
    launch = fmin(launch, isfinite(share[IN_CORE]) ? fmax(0, share[IN_CORE]) : 0);
    share[IN_CORE] -= launch;
    within = sp_verdict_share(record) - launch - share[MIN_TRAFFIC] -
             (isfinite(share[PADDING]) ? share[PADDING] : 0);
    for (size_t i = 0;
         sp_verdict_is_in_core(record) && within > ROUNDING && i < sizeof hidden / sizeof *hidden; i++) {
        double *one = &share[hidden[i]], taken = *one > 0 ? fmin(*one, within) : 0;
        if (*one - taken < ROUNDING)
            taken = fmax(0, *one);
        *one -= taken;
        within -= taken;
        execution += taken;
    }
    /* A possible that is a little above the time is all of it. */
    double *const possible[] = {&execution, &launch, &share[MIN_TRAFFIC], &share[PADDING]};
    double over =
        share[MIN_TRAFFIC] + (isfinite(share[PADDING]) ? share[PADDING] : 0) + execution + launch - 1;
    for (size_t i = 0; over > 0 && i < sizeof possible / sizeof *possible; i++) {
        double *one = possible[i], taken = fmin(*one, over);
        *one -= taken;
        over -= taken;
        share[REST] += taken;
    }
    /* parts of it that nothing hides */
    int64_t threads = 0;
    const char *team = sp_record_count(record, SP_F_CONFIG_THREADS, &threads) && threads == 1
                           ? "start of an execution"
                           : "start of the team";
    struct part parts[] = {{SP_F_LOSSES_ROW_ENDS, row_ends, 0}, {SP_F_LOSSES_TEAM, team, 0}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double seconds;
        if (!sp_record_number(record, parts[i].field, &seconds) || !(share[IN_CORE] > 0) ||
            (parts[i].field == SP_F_LOSSES_TEAM && is_on_gpu(record)))
            continue;
        parts[i].share = fmin(share[IN_CORE], seconds / sp_record_value(record, SP_F_METRICS_TIME).value);
        share[IN_CORE] -= parts[i].share;
    }
    for (int i = 0; i < SP_N_LOSS_ROWS; i++) {
        /* where nothing is left, nothing of a GPU's waits for gathers */
        const bool is_taken =
            i == IN_CORE && execution + launch > 0 && !(share[i] > ROUNDING) && is_on_gpu(record);
        if (isfinite(share[i]) && !is_taken) {
            row[n] = (struct sp_verdict_row){.loss = i,
                                             .share = share[i],
                                             .is_lost = i > PADDING,
                                             .cause = sp_field_key(sp_loss_words[i].field)};
            cause_words(record, i, share[i], row[n].words, sizeof row->words);
            if (i == IN_CORE && execution > 0) /* the possible has all of the execution */
                snprintf(row[n].words, sizeof row->words, "%s", waiting);
            if (strcmp(row[n].words, waiting) == 0)
                row[n].cause = "waiting";
            n++;
        }
        for (size_t k = 0; i == IN_CORE && k < sizeof parts / sizeof *parts; k++)
            if (parts[k].share > 0) {
                row[n] = (struct sp_verdict_row){.loss = IN_CORE,
                                                 .share = parts[k].share,
                                                 .is_lost = true,
                                                 .cause = sp_field_key(parts[k].field)};
                snprintf(row[n++].words, sizeof row->words, "%s", parts[k].words);
            }
        if (i == PADDING && execution > 0) {
            row[n] = (struct sp_verdict_row){.loss = IN_CORE, .share = execution, .cause = "in_core"};
            snprintf(row[n++].words, sizeof row->words, "%s", execution_words(record));
        }
        if (i == PADDING && launch > 0) {
            row[n] = (struct sp_verdict_row){.loss = IN_CORE, .share = launch, .cause = "team"};
            snprintf(row[n++].words, sizeof row->words, "%s", launch_ends);
        }
    }
    for (int i = 0; i < n; i++)
        row[i].how = how_of(record, &row[i]);
    return n;
}
