#include "track/store/entry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/option/run_option.h"
#include "io/record/record_request.h"

const struct sp_tracked_metric sp_tracked_metrics[SP_N_TRACKED] = {
    [SP_TRACKED_TIME] = {"time", "s", true, SP_F_METRICS_TIME},
    [SP_TRACKED_BYTES] = {"bytes", "B", true, SP_F_METRICS_BYTES},
    [SP_TRACKED_BANDWIDTH] = {"bandwidth", "B/s", false, SP_F_METRICS_BANDWIDTH},
    [SP_TRACKED_ROOF] = {"roof", "B/s", false, SP_F_NONE},
    [SP_TRACKED_PERFORMANCE] = {"performance", "flop/s", false, SP_F_METRICS_PERFORMANCE},
    [SP_TRACKED_FRACTION] = {"bandwidth_fraction", "1", false, SP_F_METRICS_BANDWIDTH_FRACTION},
    [SP_TRACKED_MODEL_FRACTION] = {"model_fraction", "1", false, SP_F_METRICS_MODEL_FRACTION},
    [SP_TRACKED_ALPHA] = {"alpha", "1", true, SP_F_METRICS_ALPHA},
    [SP_TRACKED_LAMBDA] = {"lambda_t", "1", true, SP_F_METRICS_LAMBDA_T},
    [SP_TRACKED_INSTRUCTIONS] = {"instructions", "1", true, SP_F_NONE},
};

int sp_tracked_find(const char *name)
{
    for (int i = 0; i < SP_N_TRACKED; i++)
        if (strcmp(sp_tracked_metrics[i].name, name) == 0)
            return i;
    return -1;
}

/* What an execution was resolved to: evidence, never identity. A series is told apart by what was
 * asked for: the options of SP_OF_SERIES in their order, version SP_SERIES_VERSION. */
static const enum sp_record_field resolved[] = {
    SP_F_CONFIG_KERNEL,   SP_F_CONFIG_PAGES,   SP_F_CONFIG_SCHEDULE,     SP_F_CONFIG_PINNED,
    SP_F_CONFIG_STORE_NT, SP_F_CONFIG_THREADS, SP_F_CONFIG_FORMAT_OPTION};

bool sp_series_asks(const char *field)
{
    const enum sp_option option = sp_request_option(field);
    return (option < SP_N_OPTIONS && (sp_run_options[option].bits & SP_OF_SERIES)) ||
           strcmp(field, "version") == 0;
}

/* "name: value" of a JSON value in one way of writing. */
static uint64_t hash_node(uint64_t h, const char *name, const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const char *value_text = text ? text : "null";
    h = sp_hash64(name, strlen(name) + 1, h);
    h = sp_hash64(value_text, strlen(value_text) + 1, h);
    free(text);
    return h;
}

static void key_text(uint64_t h, char text[SP_KEY_TEXT])
{
    snprintf(text, SP_KEY_TEXT, "%016llx", (unsigned long long)h);
}

static void find_series(const struct sp_record *r, struct sp_entry *e)
{
    const json_t *request = sp_record_node(r, SP_F_REQUEST);
    if (!json_is_object(request))
        return;
    const json_t *matrix = sp_record_node(r, SP_F_PROBLEM_SHA256);
    uint64_t h = SP_SERIES_VERSION - 1;
    h = hash_node(h, "version", json_object_get(request, "version"));
    if (!matrix)
        matrix = sp_record_node(r, SP_F_PROBLEM_NAME);
    h = hash_node(h, "matrix", matrix ? matrix : sp_record_node(r, SP_F_OUTSIDE_SERIES));
    for (int i = 0; i < SP_N_OPTIONS; i++) {
        const unsigned bits = sp_run_options[i].bits;
        if (!(bits & SP_OF_SERIES))
            continue;
        const char *field = sp_request_key((enum sp_option)i);
        const json_t *value = json_object_get(request, field);
        if (value || !(bits & SP_IF_GIVEN))
            h = hash_node(h, field, value);
    }
    key_text(h, e->series);
}

static void find_caches(const struct sp_record *r, struct sp_entry *e)
{
    uint64_t h = hash_node(0, "caches", sp_record_node(r, SP_F_MACHINE_CACHES));
    h = hash_node(h, "threads", sp_record_node(r, SP_F_CONFIG_THREADS));
    key_text(h, e->caches);
}

static void find_resolved(const struct sp_record *r, struct sp_entry *e)
{
    uint64_t h = 0;
    for (size_t i = 0; i < sizeof resolved / sizeof *resolved; i++)
        h = hash_node(h, sp_field_path(resolved[i]), sp_record_node(r, resolved[i]));
    key_text(h, e->resolved);
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

/* An option without value is named by its field, which says whether it was given. */
static void name_option(const json_t *request, enum sp_option option, char *text, size_t size)
{
    const struct sp_run_option *o = &sp_run_options[option];
    const json_t *value = json_object_get(request, sp_request_key(option));
    char *json = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    const char *shown = json_is_string(value) ? json_string_value(value) : json;
    const size_t used = strlen(text);
    if (shown && !json_is_null(value) && (strcmp(shown, o->otherwise) == 0) == !o->argument)
        snprintf(text + used, size - used, " %s=%s",
                 o->argument ? sp_option_name(option) : sp_request_key(option), shown);
    free(json);
}

/* What another program measured says no more than how it came here. */
#define SP_FROM_OUTSIDE "imported from "

/* Options that were asked for otherwise than the program would choose them, behind those that every
 * title has: " pages=small isa=avx2". */
static void name_options(const struct sp_record *r, char *text, size_t size)
{
    for (int place = 1, n = 1; n > 0; place++) {
        n = 0;
        for (int i = 0; i < SP_N_OPTIONS; i++)
            if (sp_run_options[i].title == place) {
                name_option(sp_record_node(r, SP_F_REQUEST), (enum sp_option)i, text, size);
                n++;
            }
    }
}

static void find_words(const struct sp_record *r, struct sp_entry *e)
{
    int64_t threads = 0, width = 1;
    char of_width[24] = "";
    sp_record_count(r, SP_F_CONFIG_THREADS, &threads);
    if (sp_record_count(r, SP_F_CONFIG_RHS, &width) && width > 1)
        snprintf(of_width, sizeof of_width, " r=%lld", (long long)width);
    const char *reorder = sp_words_text(r, SP_F_PROBLEM_REORDER, "none");
    const char *outside = sp_words_text(r, SP_F_OUTSIDE_FORMAT, "");
    copy(e->matrix, sizeof e->matrix,
         sp_words_text(r, SP_F_PROBLEM_NAME, sp_words_text(r, SP_F_OUTSIDE_SERIES, "?")));
    snprintf(e->what, sizeof e->what, "%s%s %s %s/%s %s%s%s %lld thread%s%s",
             sp_words_text(r, SP_F_CONFIG_OP, "?"), of_width,
             sp_words_text(r, SP_F_CONFIG_FORMAT_OPTION, "?"), sp_words_text(r, SP_F_CONFIG_PRECISION, "?"),
             sp_words_text(r, SP_F_CONFIG_INDEX, "?"), sp_words_text(r, SP_F_CONFIG_SCHEDULE, "?"),
             strcmp(reorder, "none") != 0 ? " " : "", strcmp(reorder, "none") != 0 ? reorder : "",
             (long long)threads, threads == 1 ? "" : "s",
             strcmp(sp_words_text(r, SP_F_CONFIG_CACHE, "warm"), "warm") != 0 ? " cold" : "");
    name_options(r, e->what, sizeof e->what);
    if (*outside)
        snprintf(e->what, sizeof e->what, SP_FROM_OUTSIDE "%s", outside);
    copy(e->machine, sizeof e->machine, sp_words_text(r, SP_F_MACHINE_NAME, "?"));
    copy(e->commit, sizeof e->commit, sp_words_text(r, SP_F_SOURCE_COMMIT, ""));
    copy(e->branch, sizeof e->branch, sp_words_text(r, SP_F_SOURCE_BRANCH, ""));
    snprintf(e->tool, sizeof e->tool, "%s %s", sp_words_text(r, SP_F_TOOL_VERSION, "?"),
             sp_words_text(r, SP_F_TOOL_GIT, ""));
}

/* Its samples were disturbed, so its times say nothing of the kernel; its bytes do. */
static bool has_no_times(const struct sp_record *r)
{
    return strcmp(sp_words_text(r, SP_F_CONDITIONS_STATE, ""), "unusable") == 0;
}

static bool is_made_of_times(int metric)
{
    return metric != SP_TRACKED_BYTES && metric != SP_TRACKED_ALPHA && metric != SP_TRACKED_INSTRUCTIONS;
}

bool sp_entry_is_from_outside(const struct sp_entry *e)
{
    return strncmp(e->what, SP_FROM_OUTSIDE, sizeof SP_FROM_OUTSIDE - 1) == 0;
}

const char *sp_entry_mode_name(int mode)
{
    static const char *const names[SP_N_ENTRY_MODES] = {"unknown", "single", "smt", "shared", "split"};
    return names[mode >= 0 && mode < SP_N_ENTRY_MODES ? mode : 0];
}

/* One word for all samples of a run, or one each; several are none. */
static int mode_of(const json_t *run)
{
    const json_t *mode = json_object_get(run, "mode"), *other;
    const json_t *first = json_is_array(mode) ? json_array_get(mode, 0) : mode;
    size_t i;
    if (json_is_array(mode))
        json_array_foreach(mode, i, other) if (!json_equal(first, other)) return 0;
    for (int g = 1; json_is_string(first) && g < SP_N_ENTRY_MODES; g++)
        if (strcmp(json_string_value(first), sp_entry_mode_name(g)) == 0)
            return g;
    return 0;
}

static void find_runs(const struct sp_record *r, struct sp_entry *e)
{
    if (has_no_times(r))
        return;
    const json_t *runs = sp_record_node(r, SP_F_RUNS), *run;
    bool some_clean = false;
    size_t i;
    json_array_foreach(runs, i, run) some_clean = some_clean || json_is_true(json_object_get(run, "clean"));
    json_array_foreach(runs, i, run)
    {
        if (some_clean && json_is_false(json_object_get(run, "clean")))
            continue;
        const double t = sp_list_median(json_object_get(run, "time_s"));
        const double roof = sp_list_median(json_object_get(run, "roof_Bps"));
        if (e->n_runs == SP_ENTRY_RUNS || !(t > 0))
            continue;
        e->time_s[e->n_runs] = t;
        e->mode[e->n_runs] = (signed char)mode_of(run);
        e->roof_Bps[e->n_runs++] = roof > 0 ? roof : 0;
    }
}

static void find_sentinels(const struct sp_record *r, struct sp_entry *e)
{
    static const enum sp_record_field fields[SP_N_ENTRY_SENTINELS] = {
        SP_F_SENTINELS_DRAM_VALUES, SP_F_SENTINELS_LLC_VALUES, SP_F_SENTINELS_CONTROL_VALUES};
    sp_record_count(r, SP_F_SENTINELS_VERSION, &e->sentinel_version);
    for (int i = 0; i < SP_N_ENTRY_SENTINELS; i++)
        e->sentinel[i] = sp_list_median(sp_record_node(r, fields[i]));
}

static void find_level(const struct sp_record *r, struct sp_entry *e)
{
    const char *level = sp_words_text(r, SP_F_BINDING_LEVEL, "");
    const json_t *caches = sp_record_node(r, SP_F_MACHINE_CACHES), *last;
    const size_t n = json_array_size(caches);
    int64_t outermost = n > 0 && (last = json_array_get(caches, n - 1))
                            ? json_integer_value(json_object_get(last, "level"))
                            : 0;
    e->level = strcmp(level, "MEM") == 0                              ? SP_ENTRY_MEMORY
               : level[0] != 'L' || outermost == 0                    ? SP_ENTRY_LEVEL_UNKNOWN
               : strtoll(level + 1, NULL, 10) == (long long)outermost ? SP_ENTRY_LAST
                                                                      : SP_ENTRY_INNER;
}

/* Where counters were on for the whole time only: what was scaled up is no gate. */
static void find_instructions(const struct sp_record *r, struct sp_entry *e)
{
    static const double whole = 0.999;
    const json_t *events = sp_record_node(r, SP_F_CORE_EVENTS), *event;
    int64_t nnz = 0;
    size_t i;
    sp_record_count(r, SP_F_PROBLEM_NNZ, &nnz);
    e->metric[SP_TRACKED_INSTRUCTIONS] = NAN;
    json_array_foreach(events, i, event)
    {
        const char *name = sp_item_text(event, "name");
        const struct sp_value each = sp_record_value_of(json_object_get(event, "each"));
        if (!name || strcmp(name, "instructions") != 0 || !sp_value_known(each) || nnz <= 0 ||
            sp_item_number(event, "running_share") < whole || !(each.value > 0))
            continue;
        e->metric[SP_TRACKED_INSTRUCTIONS] = each.value / (double)nnz;
        copy(e->origin[SP_TRACKED_INSTRUCTIONS], sizeof e->origin[0], sp_origin_name(each.origin));
        return;
    }
}

int sp_entry_order(const struct sp_entry *x, const struct sp_entry *y)
{
    const int order = strcmp(x->start, y->start);
    return order ? order : strcmp(x->id, y->id);
}

int64_t sp_record_bytes_version(const struct sp_record *r)
{
    int64_t version;
    return sp_record_count(r, SP_F_METRICS_BYTES_VERSION, &version) ? version : 1;
}

/* Nothing is below 0, and no execution takes no time: a record is not trusted. */
static bool is_possible(struct sp_value v, int metric)
{
    return sp_value_known(v) && (metric == SP_TRACKED_TIME ? v.value > 0 : v.value >= 0);
}

void sp_entry_of(const struct sp_record *r, struct sp_entry *e)
{
    memset(e, 0, sizeof *e);
    copy(e->id, sizeof e->id, sp_words_text(r, SP_F_ID, ""));
    copy(e->start, sizeof e->start, sp_words_text(r, SP_F_TIME_START, ""));
    copy(e->status, sizeof e->status, sp_words_text(r, SP_F_STATUS, ""));
    copy(e->confirms, sizeof e->confirms, sp_words_text(r, SP_F_CONFIRMS, ""));
    copy(e->env, sizeof e->env, sp_words_text(r, SP_F_ENV_KEY, ""));
    find_series(r, e);
    find_caches(r, e);
    find_resolved(r, e);
    find_words(r, e);
    find_runs(r, e);
    find_sentinels(r, e);
    find_level(r, e);
    for (int i = 0; i < SP_N_TRACKED; i++) {
        const struct sp_value v = has_no_times(r) && is_made_of_times(i)
                                      ? sp_value_none("other programs disturbed the samples")
                                      : sp_record_value(r, sp_tracked_metrics[i].field);
        e->metric[i] = is_possible(v, i) ? v.value : NAN;
        if (sp_value_known(v))
            copy(e->origin[i], sizeof e->origin[i], sp_origin_name(v.origin));
    }
    e->bytes_version = sp_record_bytes_version(r);
    find_instructions(r, e);
    const struct sp_value huge = sp_record_value(r, SP_F_PLACEMENT_PAGES_HUGE_SHARE);
    e->huge_share = sp_value_known(huge) ? huge.value : NAN;
    copy(e->kernel, sizeof e->kernel, sp_words_text(r, SP_F_CONFIG_KERNEL, ""));
    copy(e->code, sizeof e->code, sp_words_text(r, SP_F_CONFIG_CODE_HASH, ""));
    copy(e->partition, sizeof e->partition, sp_words_text(r, SP_F_CONFIG_PARTITION_HASH, ""));
    const json_t *roof = sp_record_roof(r);
    const double b = roof && !has_no_times(r) ? sp_item_number(roof, "value") : NAN;
    e->metric[SP_TRACKED_ROOF] = b > 0 ? b : NAN;
    copy(e->origin[SP_TRACKED_ROOF], sizeof e->origin[0], b > 0 ? sp_item_text(roof, "origin") : "");
}

bool sp_entry_is_among(const struct sp_entry *e, const struct sp_entry *const *list, int n)
{
    for (int i = 0; i < n; i++)
        if (list[i] == e || (e->id[0] && strcmp(list[i]->id, e->id) == 0))
            return true;
    return false;
}
