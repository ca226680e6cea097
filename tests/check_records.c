/* check_records RECORD...: identities and bounds that every record of an analysis must satisfy [THEORY 2, 8].
 * Prints each broken one and exits 1. Used by the scripts in tests/cli. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/record/record.h"

static int n_broken;

static void expect(bool truth, const char *path, const char *what, double a, double b)
{
    if (truth)
        return;
    printf("%s: %s (%.17g and %.17g)\n", path, what, a, b);
    n_broken++;
}

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

static double metric(const struct sp_record *r, enum sp_record_field field)
{
    struct sp_value v = sp_record_value(r, field);
    return v.origin == SP_NONE ? NAN : v.value;
}

/* Where the machine allowed no verdict, none is given. */
static void check_silence(const struct sp_record *r, const char *path)
{
    const char *class = "";
    sp_record_text(r, SP_F_BOTTLENECK_CLASS, &class);
    expect(!sp_record_node(r, SP_F_LOSSES) && !sp_record_node(r, SP_F_HINTS), path,
           "losses or hints in spite of doubt", 0, 0);
    expect(isnan(metric(r, SP_F_METRICS_BANDWIDTH_FRACTION)) && isnan(metric(r, SP_F_METRICS_MODEL_FRACTION)),
           path, "a share of the roof in spite of doubt", metric(r, SP_F_METRICS_BANDWIDTH_FRACTION), 0);
    expect(strcmp(class, "unknown") == 0, path, "a bottleneck in spite of doubt", 0, 0);
}

/* What is possible does not take more time in the core than the losses show that execution takes. */
static void check_core(const struct sp_record *r, const char *path)
{
    double core;
    const double P = metric(r, SP_F_METRICS_PERFORMANCE), t = metric(r, SP_F_METRICS_TIME),
                 P_core = metric(r, SP_F_METRICS_P_CORE);
    if (sp_record_number(r, SP_F_LOSSES_CORE, &core) && core > 0 && P_core > 0)
        expect(core > 0.94 * P * t / P_core, path, "losses.core contradicts P_core", core, P * t / P_core);
}

static void check_losses(const struct sp_record *r, const char *path)
{
    static const enum sp_record_field parts[] = {SP_F_LOSSES_MIN_TRAFFIC, SP_F_LOSSES_PADDING,
                                                 SP_F_LOSSES_EXTRA_X,     SP_F_LOSSES_IMBALANCE,
                                                 SP_F_LOSSES_IN_CORE,     SP_F_LOSSES_REST};
    double sum = 0, part;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (sp_record_number(r, parts[i], &part)) {
            sum += part;
            expect(i == 5 || part >= 0, path, "a loss other than the rest is negative", part, 0);
        }
    }
    expect(near(sum, metric(r, SP_F_METRICS_TIME), 1e-9), path, "losses do not add up to the time", sum,
           metric(r, SP_F_METRICS_TIME));
}

/* V >= V(alpha_min) cold, V >= V(alpha_min) - 2 Z warm, for what crosses the memory interface. */
static void check_bounds(const struct sp_record *r, const char *path)
{
    const char *level = "", *cache = "";
    double Z = 0, V = metric(r, SP_F_METRICS_BYTES), V_min = metric(r, SP_F_METRICS_BYTES_MIN);
    int64_t n_domains = 1;
    sp_record_text(r, SP_F_BINDING_LEVEL, &level);
    sp_record_text(r, SP_F_CONFIG_CACHE, &cache);
    sp_record_count(r, SP_F_MACHINE_N_DOMAINS, &n_domains);
    const json_t *caches = sp_record_node(r, SP_F_MACHINE_CACHES);
    const json_t *last = json_array_get(caches, json_array_size(caches) - 1);
    Z = fmax(json_number_value(json_object_get(last, "size_B")),
             json_number_value(json_object_get(json_object_get(last, "effective_B"), "value")));
    if (strcmp(level, "MEM") != 0)
        return;
    double floor = strcmp(cache, "cold") == 0 ? V_min : fmax(0, V_min - 2 * Z * (double)n_domains);
    expect(V >= floor * (1 - 1e-9), path, "fewer bytes than the least possible", V, floor);
}

/* What binds is what the possible is made of: a bandwidth, which is that of the level that holds the data,
 * takes as long for the bytes of the model with x once as that model does. */
static void check_term(const struct sp_record *r, const char *path)
{
    const char *level = "", *term = "";
    char its[40];
    const json_t *once = json_array_get(sp_record_node(r, SP_F_TABLE), 0);
    const struct sp_value roof = sp_record_value_of(sp_record_roof(r));
    sp_record_text(r, SP_F_BINDING_LEVEL, &level);
    sp_record_text(r, SP_F_BINDING_TERM, &term);
    if (!strstr(term, "bandwidth"))
        return;
    snprintf(its, sizeof its, "%s bandwidth", strcmp(level, "MEM") == 0 ? "memory" : level);
    expect(strcmp(term, its) == 0, path, "the bandwidth of another level binds", 0, 0);
    if (once && sp_value_known(roof))
        expect(near(sp_item_number(once, "bytes") / roof.value, sp_item_number(once, "time_s"), 0.01), path,
               "another roof binds", sp_item_number(once, "bytes") / roof.value,
               sp_item_number(once, "time_s"));
}

/* One word, one meaning: bytes of the rows of the model are the formula's. */
static void check_rows(const struct sp_record *r, const char *path)
{
    const json_t *row;
    size_t i;
    json_array_foreach(sp_record_node(r, SP_F_TABLE), i, row)
    {
        const char *name = sp_item_text(row, "row"), *origin = sp_item_text(row, "bytes_origin");
        if (name && strncmp(name, "model,", 6) == 0)
            expect(origin && strcmp(origin, "modelled") == 0, path, "bytes of a formula are called otherwise",
                   (double)i, 0);
    }
}

/* On a GPU the sectors that warps ask for follow from the addresses alone; those of a kernel of others are
 * not modelled. */
static void check_sectors(const struct sp_record *r, const char *path)
{
    static const enum sp_record_field counted[] = {SP_F_GPU_COUNTS_L1_LOAD, SP_F_GPU_COUNTS_L1_ASYNC,
                                                   SP_F_GPU_COUNTS_L1_STORE};
    static const enum sp_record_field modelled[] = {SP_F_GPU_L1_LOAD, SP_F_GPU_L1_COPY, SP_F_GPU_L1_STORE};
    const bool is_other = strcmp(sp_words_text(r, SP_F_COUNTERS_SOURCE, ""), "ncu") == 0;
    for (int i = 0; i < 3 && !is_other; i++) {
        struct sp_value sectors = sp_record_value(r, counted[i]), bytes = sp_record_value(r, modelled[i]);
        if (sp_value_known(sectors) && sp_value_known(bytes))
            expect(32 * sectors.value >= bytes.lo && 32 * sectors.value <= bytes.hi, path,
                   "counted sectors are not those of the model", 32 * sectors.value, bytes.value);
    }
}

static double known_or(struct sp_value v, double otherwise)
{
    return sp_value_known(v) ? v.value : otherwise;
}

/* No promise passes its floor: the record's, and bytes at the roof and execution put together here. Hints of
 * older versions have no floor. */
static void check_floor(const struct sp_record *r, const json_t *hint, const char *path)
{
    const json_t *o = json_object_get(hint, "then");
    const struct sp_value floor = sp_record_value_of(json_object_get(o, "floor")),
                          bytes = sp_record_value_of(json_object_get(o, "bytes")),
                          core = sp_record_value_of(json_object_get(o, "core")),
                          own_roof = sp_record_value_of(json_object_get(o, "roof")),
                          V = sp_record_value(r, SP_F_METRICS_BYTES),
                          roof = sp_record_value_of(sp_record_roof(r));
    const double hi = sp_item_number(json_object_get(hint, "gain"), "hi"),
                 then_s = (1 - hi) * metric(r, SP_F_METRICS_TIME), least = 1 - 1e-9,
                 b = known_or(own_roof, known_or(roof, NAN));
    /* Nothing is promised, also where the terms of a disturbed run come to more than its time. */
    if (!sp_value_known(floor) || isnan(then_s) || hi <= 0)
        return;
    expect(then_s >= least * floor.value, path, "a hint promises less time than its floor", then_s,
           floor.value);
    if (json_object_get(o, "instead_of")) /* its bytes are not said */
        return;
    /* As now: what the losses took for execution, at most W/P_core; older records have that alone. On a GPU
     * it is a term of this one kernel, and hints name others. */
    double executed_s = metric(r, SP_F_METRICS_FLOPS) / metric(r, SP_F_METRICS_P_CORE);
    if (!isnan(executed_s))
        sp_record_number(r, SP_F_LOSSES_CORE, &executed_s);
    const double data_s = (sp_value_known(bytes) ? bytes.lo : V.lo) / b,
                 core_s = sp_value_known(core) ? core.lo : executed_s;
    expect(!(data_s > then_s / least), path, "a hint promises more than its bytes can give", then_s, data_s);
    expect(!(core_s > then_s / least), path, "a hint promises more than its execution can give", then_s,
           core_s);
}

/* What was tried: the words follow from the figures. */
static void check_try(const json_t *item, const char *path)
{
    const json_t *gain = json_object_get(item, "gain"), *trial = json_object_get(item, "trial");
    const struct sp_value seen = sp_record_value_of(json_object_get(item, "observed"));
    const char *outcome = json_string_value(json_object_get(item, "outcome"));
    const double lo = json_number_value(json_object_get(gain, "lo")),
                 hi = json_number_value(json_object_get(gain, "hi"));
    if (!trial || !outcome)
        return;
    const bool tried = sp_value_known(seen);
    expect(tried == (strcmp(outcome, "not tried") != 0) && tried == !json_object_get(trial, "failed"), path,
           "tried, and said not to be, or the other way round", tried, 0);
    if (!tried)
        return;
    const bool other = sp_conditions_differ(sp_item_number(item, "conditions"));
    const bool refuted = !other && seen.hi < lo && seen.lo <= 0,
               meets = !other && seen.lo <= hi && seen.hi >= lo;
    expect((strcmp(outcome, "other conditions") == 0) == other, path,
           "conditions are not what the figures say", sp_item_number(item, "conditions"), 1);
    expect(seen.lo <= seen.value && seen.value <= seen.hi && seen.hi < 1, path, "an interval is wrong",
           seen.lo, seen.hi);
    expect((strcmp(outcome, "refuted") == 0) == refuted, path, "refuted is not what the figures say", seen.hi,
           lo);
    expect((strcmp(outcome, "confirmed") == 0 || strcmp(outcome, "open") == 0) == meets, path,
           "confirmed or open is not what the figures say", seen.value, lo);
    expect(strcmp(outcome, "confirmed") != 0 || seen.value > 0, path, "confirmed without a gain", seen.value,
           0);
    const json_t *pays = json_object_get(trial, "pays_after");
    expect(json_is_number(pays) == (seen.value > 0), path, "what is slower cannot pay", seen.value, 0);
}

static void check_tries(const struct sp_record *r, const char *path)
{
    const json_t *item, *best = sp_record_node(r, SP_F_TRIES_BEST);
    size_t i;
    json_array_foreach(sp_record_node(r, SP_F_HINTS), i, item)
    {
        check_try(item, path);
        check_floor(r, item, path);
    }
    json_array_foreach(sp_record_node(r, SP_F_TRIES_FURTHER), i, item) check_try(item, path);
    check_try(best, path);
    const json_t *again = json_object_get(best, "trial"), *why = json_object_get(best, "unconfirmed");
    expect(!json_is_string(why) || sp_item_number(again, "processes") <= 1, path,
           "measured again, and said not to be", sp_item_number(again, "processes"), 1);
}

/* The machine was looked at before the first run and after the last; what is missing says why. */
static void check_sentinels(const struct sp_record *r, const char *path)
{
    static const char *const names[] = {"dram", "llc", "control"};
    int64_t version;
    if (!sp_record_count(r, SP_F_SENTINELS_VERSION, &version))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *one = json_object_get(sp_record_node(r, SP_F_SENTINELS), names[i]), *value;
        const json_t *values = json_object_get(one, "values");
        const size_t n = json_array_size(values);
        expect(n >= 2 || (i < 2 && json_is_string(json_object_get(one, "why"))), path,
               "a sentinel without two looks", (double)n, 2);
        size_t k;
        json_array_foreach(values, k, value)
            expect(json_number_value(value) > 0, path, "a look saw nothing", json_number_value(value), 0);
    }
}

static void check_record(const char *path)
{
    struct sp_record r;
    struct sp_error err;
    if (sp_record_read(path, &r, &err) != SP_OK) {
        printf("%s: %s\n", path, err.what);
        n_broken++;
        return;
    }
    bool ok = false;
    int64_t nnz = 0;
    double W = metric(&r, SP_F_METRICS_FLOPS), t = metric(&r, SP_F_METRICS_TIME),
           V = metric(&r, SP_F_METRICS_BYTES);
    sp_record_count(&r, SP_F_PROBLEM_NNZ, &nnz);
    const char *elsewhere = "";
    bool replayed =
        sp_record_text(&r, SP_F_VERIFY_WHY, &elsewhere) && strstr(elsewhere, "recorded elsewhere");
    expect(replayed || (sp_record_flag(&r, SP_F_VERIFY_OK, &ok) && ok), path, "the result was not checked", 0,
           0);
    expect(t > 0, path, "no time", t, 0);
    int64_t runs = 0;
    size_t n_runs = json_array_size(sp_record_node(&r, SP_F_RUNS));
    sp_record_count(&r, SP_F_CONFIG_RUNS, &runs);
    expect(runs == (int64_t)n_runs, path, "config.runs is not the number of runs", (double)runs,
           (double)n_runs);
    check_sentinels(&r, path);
    if (nnz > 0) {
        double beta = metric(&r, SP_F_METRICS_BETA), alpha = metric(&r, SP_F_METRICS_ALPHA),
               alpha_min = metric(&r, SP_F_METRICS_ALPHA_MIN);
        double fraction = metric(&r, SP_F_METRICS_BANDWIDTH_FRACTION);
        const bool doubtful = sp_record_node(&r, SP_F_CONDITIONS_DOUBT);
        const bool streamed = sp_value_known(sp_record_value(&r, SP_F_GPU_STREAMED));
        expect(near(metric(&r, SP_F_METRICS_PERFORMANCE), W / t, 1e-9), path, "performance is not W/t", W, t);
        expect(near(metric(&r, SP_F_METRICS_BALANCE), V / W, 1e-9), path, "balance is not V/W", V, W);
        expect(beta > 0 && beta <= 1, path, "beta is not in (0, 1]", beta, 1);
        expect(alpha >= 0 && alpha <= 16.0, path, "alpha is out of range", alpha, alpha_min);
        expect(alpha_min > 0, path, "alpha_min is not positive", alpha_min, 0);
        expect(streamed || doubtful || fraction > 0, path, "no share of the roof", fraction, 0);
        expect(streamed || doubtful || fraction <= 1.03 ||
                   json_array_size(sp_record_node(&r, SP_F_FLAGS)) > 0,
               path, "above the roof without a flag", fraction, 1.03);
        enum sp_origin bytes = sp_record_value(&r, SP_F_METRICS_BYTES).origin;
        bool counted = bytes == SP_MEASURED || bytes == SP_CONSTRUCTED;
        const char *source = "";
        expect(!counted || sp_record_text(&r, SP_F_COUNTERS_SOURCE, &source), path,
               "nobody counted the bytes", V, 0);
        expect(counted == sp_value_known(sp_record_value(&r, SP_F_METRICS_ALPHA_SIMULATED)), path,
               "measured alpha without the simulated one beside it", 0, 0);
        if (doubtful)
            check_silence(&r, path);
        else if (streamed)
            expect(!sp_record_node(&r, SP_F_LOSSES), path, "losses of a time that the host link decides", 0,
                   0);
        else {
            check_losses(&r, path);
            check_core(&r, path);
        }
        check_sectors(&r, path);
        check_tries(&r, path);
        check_bounds(&r, path);
        if (strncmp(sp_words_text(&r, SP_F_CONFIG_DEVICE, "cpu"), "gpu", 3) !=
            0) { /* of a GPU, what is simulated is what the model takes */
            check_rows(&r, path);
            check_term(&r, path);
        }
    }
    sp_record_free(&r);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        check_record(argv[i]);
    printf("%d records, %d broken promises\n", argc - 1, n_broken);
    return n_broken || argc < 2 ? 1 : 0;
}
