#include <math.h>
#include <string.h>

#include "base/reading.h"
#include "base/text.h"
#include "io/record/record.h"
#include "io/record/record_losses.h"
#include "report/report_words.h"
#include "report/text/sections.h"

static void bytes_cell(struct sp_pen *pen, int column, double bytes)
{
    char text[32];
    sp_pen_right(pen, SP_INK_PLAIN, column,
                 isfinite(bytes) ? sp_text_bytes(text, sizeof text, bytes) : "unknown");
}

void sp_section_levels(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *levels = sp_record_node(record, SP_F_LEVELS), *level, *array;
    size_t i;
    const char *name;
    if (json_array_size(levels) == 0)
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "TRAFFIC");
    sp_pen_right(pen, SP_INK_DIM, 30, "read");
    sp_pen_right(pen, SP_INK_DIM, 42, "written");
    sp_pen_end(pen);
    json_array_foreach(levels, i, level)
    {
        const char *origin = sp_item_text(level, "origin");
        sp_pen_put(pen, SP_INK_PLAIN, " %s", sp_words_level(record, sp_item_text(level, "name")));
        bytes_cell(pen, 30, sp_item_number(level, "read_B"));
        bytes_cell(pen, 42, sp_item_number(level, "write_B"));
        sp_pen_put(pen, SP_INK_PLAIN, "   %s", origin ? origin : "of unknown origin");
        sp_pen_end(pen);
        /* jansson's own loop macro wants a json_t that is not const; nothing is changed. */
        json_t *arrays = json_object_get(level, "arrays");
        json_object_foreach(arrays, name, array)
        {
            sp_pen_put(pen, SP_INK_PLAIN, "   %.14s", name);
            bytes_cell(pen, 30, sp_item_number(array, "read_B"));
            bytes_cell(pen, 42, sp_item_number(array, "write_B"));
            sp_pen_end(pen);
        }
    }
}

/* "62 % from L1, 12 % from L2, 26 % from DRAM simulated;" */
static void say_origins(struct sp_pen *pen, const struct sp_record *record, const json_t *levels,
                        double ahead)
{
    const json_t *level;
    double all = 0, said = 0;
    size_t i;
    char share[32];
    json_array_foreach(levels, i, level) all += sp_record_value_of(json_object_get(level, "gathers")).value;
    json_array_foreach(levels, i, level)
    {
        const double n = sp_record_value_of(json_object_get(level, "gathers")).value;
        if (!(n > 0))
            continue;
        if (said == 0 && ahead > 0 && ahead < n) { /* L1 comes first */
            sp_pen_part(pen, SP_INK_PLAIN, 0, "%s from L1,",
                        sp_figure_percent(share, sizeof share, (n - ahead) / all));
            sp_pen_part(pen, SP_INK_PLAIN, 1, "%s fetched ahead by hardware%s",
                        sp_figure_percent(share, sizeof share, ahead / all), n < all ? "," : " simulated;");
            said += n;
            continue;
        }
        sp_pen_part(
            pen, SP_INK_PLAIN, said > 0, "%s from %s%s", sp_figure_percent(share, sizeof share, n / all),
            sp_words_level(record, sp_item_text(level, "level")), said + n < all ? "," : " simulated;");
        said += n;
    }
}

void sp_section_gathers(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *levels = sp_record_node(record, SP_F_GATHERS_LEVELS);
    const struct sp_value roof = sp_record_value(record, SP_F_GATHERS_ROOF),
                          beyond = sp_record_value(record, SP_F_GATHERS_BEYOND_L1);
    const struct sp_value time = sp_record_value(record, SP_F_METRICS_TIME),
                          linear = sp_record_linear_time(record);
    const bool saves = sp_value_known(linear) && linear.value < time.value;
    char text[32];
    if (json_array_size(levels) == 0)
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "GATHERS");
    sp_pen_tab(pen, 9);
    pen->indent = 9;
    const struct sp_value ahead = sp_record_value(record, SP_F_GATHERS_AHEAD);
    say_origins(pen, record, levels, sp_value_known(ahead) ? ahead.value : 0);
    if (!sp_value_known(roof)) {
        sp_pen_part(pen, SP_INK_DIM, 1, "their roof is unknown: %s", roof.why ? roof.why : "not said");
        sp_pen_end(pen);
        return;
    }
    sp_pen_part(pen, SP_INK_PLAIN, 1, "roof %s Ggather/s modelled%s",
                sp_figure(text, sizeof text, roof.value / 1e9, 3), sp_value_known(beyond) ? ";" : "");
    if (sp_value_known(beyond))
        sp_pen_part(pen, SP_INK_PLAIN, 1, "beyond L1 takes %s longer modelled%s",
                    sp_text_seconds(text, sizeof text, beyond.value), saves ? ";" : "");
    if (saves)
        sp_pen_part(pen, SP_INK_PLAIN, 1, "all gathers from L1 (test) save %s measured",
                    sp_text_seconds(text, sizeof text, time.value - linear.value));
    sp_pen_end(pen);
}

static void spread_line(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *runs = sp_record_node(record, SP_F_RUNS), *run;
    size_t i, k;
    json_array_foreach(runs, i, run)
    {
        const json_t *times = json_object_get(run, "time_s"), *time;
        double x[4096], lowest = INFINITY, highest = 0;
        int64_t n = 0;
        json_array_foreach(times, k, time)
        {
            if (n == 4096 || !json_is_number(time))
                break;
            x[n] = json_number_value(time);
            lowest = fmin(lowest, x[n]);
            highest = fmax(highest, x[n++]);
        }
        if (n == 0)
            continue;
        char a[32], b[32], c[32], d[32];
        sp_pen_put(pen, SP_INK_PLAIN, " run %zu", i + 1);
        pen->indent = 9;
        sp_pen_tab(pen, 9);
        sp_pen_part(pen, SP_INK_PLAIN, 0, "%lld samples, %s ... %s, median %s, quartile spread %s",
                    (long long)n, sp_text_seconds(a, sizeof a, lowest), sp_text_seconds(b, sizeof b, highest),
                    sp_text_seconds(c, sizeof c, sp_median(x, n)),
                    sp_figure_percent(d, sizeof d, sp_relative_spread(x, n)));
        sp_pen_end(pen);
    }
}

/* Who counted the events that follow, where that is another than before. perf_event repeats the job
 * warm, whatever state of the caches was asked for. */
static void say_source(struct sp_pen *pen, const struct sp_record *record, const json_t *item,
                       struct sp_value v, const char **before)
{
    const char *source = sp_item_text(item, "source");
    if (!source || (*before && strcmp(source, *before) == 0))
        return;
    bool repeated = strcmp(source, "perf_event") == 0 &&
                    strcmp(sp_words_text(record, SP_F_CONFIG_CACHE, "warm"), "warm") != 0;
    sp_pen_part(pen, SP_INK_PLAIN, *before ? 2 : 0,
                "%s%s by %s%s:", *before ? "" : "in one execution, all threads, ", sp_origin_name(v.origin),
                source, repeated ? " in warm repetitions" : "");
    *before = source;
}

/* Events of the threads in one execution: what can be counted, the rest by name. */
static void event_line(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *list = sp_record_node(record, SP_F_CORE_EVENTS), *item;
    size_t i;
    char absent[256] = "", figure[48];
    double instructions = NAN, cycles = NAN;
    if (json_array_size(list) == 0)
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "EVENTS");
    pen->indent = 9;
    sp_pen_tab(pen, 9);
    const char *source = NULL;
    json_array_foreach(list, i, item)
    {
        const char *name = sp_item_text(item, "name");
        struct sp_value v = sp_record_value_of(json_object_get(item, "each"));
        if (!name)
            continue;
        instructions = strcmp(name, "instructions") == 0 && sp_value_known(v) ? v.value : instructions;
        cycles = strcmp(name, "cycles") == 0 && sp_value_known(v) ? v.value : cycles;
        if (sp_value_known(v)) {
            say_source(pen, record, item, v, &source);
            sp_pen_part(pen, SP_INK_PLAIN, 2, "%s %s", name,
                        strcmp(name, "processor time") == 0 ? sp_text_seconds(figure, sizeof figure, v.value)
                                                            : sp_figure(figure, sizeof figure, v.value, 3));
        } else if (strlen(absent) + strlen(name) + 4 < sizeof absent)
            snprintf(absent + strlen(absent), sizeof absent - strlen(absent), "%s%s", *absent ? ", " : "",
                     name);
    }
    if (instructions > 0 && cycles > 0)
        sp_pen_part(pen, SP_INK_PLAIN, 2, "%.2f instructions a cycle", instructions / cycles);
    if (*absent)
        sp_pen_part(pen, SP_INK_DIM, 2, "not counted here: %s", absent);
    sp_pen_end(pen);
}

/* Where the time of the analysis went, beside what its measurements were allowed. */
static void plan_lines(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *steps = sp_record_node(record, SP_F_PLAN_STEPS), *step;
    char text[32];
    double budget;
    size_t i;
    if (!sp_record_number(record, SP_F_PLAN_BUDGET_S, &budget))
        return;
    sp_pen_put(pen, SP_INK_BOLD, "PLAN");
    pen->indent = 9;
    sp_pen_tab(pen, 9);
    if (budget > 0)
        sp_pen_put(pen, SP_INK_PLAIN, "%s of measurements; took, of what was allowed, and adds",
                   sp_text_seconds(text, sizeof text, budget));
    else
        sp_pen_put(pen, SP_INK_PLAIN, "nothing was measured; what each step took and adds");
    sp_pen_end(pen);
    json_array_foreach(steps, i, step)
    {
        const double allowed = sp_item_number(step, "allowed_s");
        const char *name = sp_item_text(step, "name"), *adds = sp_item_text(step, "adds");
        pen->indent = 41;
        sp_pen_tab(pen, 9);
        sp_pen_put(pen, SP_INK_PLAIN, "%s", name ? name : "?");
        sp_pen_right(pen, SP_INK_PLAIN, 28,
                     sp_text_seconds(text, sizeof text, sp_item_number(step, "took_s")));
        sp_pen_right(pen, SP_INK_DIM, 39, allowed > 0 ? sp_text_seconds(text, sizeof text, allowed) : "");
        sp_pen_tab(pen, 41);
        sp_pen_words(pen, SP_INK_PLAIN, adds ? adds : "");
        sp_pen_end(pen);
    }
}

void sp_section_costs(struct sp_pen *pen, const struct sp_record *record)
{
    static const struct {
        enum sp_record_field field;
        const char *words;
    } costs[] = {{SP_F_COST_LOAD_S, "read the matrix"},
                 {SP_F_COST_REORDER_S, "reorder"},
                 {SP_F_COST_LAYOUT_S, "build the format"},
                 {SP_F_COST_UPLOAD_S, "copy to the GPU"},
                 {SP_F_COST_SIMULATE_S, "simulate"}};
    double setup, x;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "COSTS");
    pen->indent = 9;
    sp_pen_tab(pen, 9);
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        char text[32];
        if (sp_record_number(record, costs[i].field, &x))
            sp_pen_part(pen, SP_INK_PLAIN, 3, "%s %s", costs[i].words, sp_text_seconds(text, sizeof text, x));
    }
    if (sp_record_number(record, SP_F_COST_SETUP_SPMV, &setup) && !sp_verdict_disturbed(record))
        sp_pen_part(pen, SP_INK_PLAIN, 3,
                    setup < 0.5   ? "set-up: less than an execution"
                    : setup < 1.5 ? "set-up: one execution"
                                  : "set-up: %.0f executions",
                    setup);
    sp_pen_end(pen);
    plan_lines(pen, record);
    spread_line(pen, record);
    event_line(pen, record);
}

/* DOMAINS: the parts of several last-level-cache domains. */

enum { MOST = 16, N_COLUMNS = 9, CELL = 40 };
static const char *const heads[N_COLUMNS] = {"domain",  "threads", "entries", "bytes",     "x once",
                                             "x again", "busy",    "waits",   "pages here"};
static const int ends[N_COLUMNS] = {7, 16, 25, 36, 47, 58, 69, 80, 92};

static void seconds_cell(char *cell, struct sp_value v)
{
    if (sp_value_known(v))
        sp_text_seconds(cell, CELL, v.value);
    else
        snprintf(cell, CELL, "unknown");
}

static void line(struct sp_pen *pen, const json_t *domain)
{
    char cell[N_COLUMNS][CELL];
    struct sp_value local = sp_record_value_of(json_object_get(domain, "local_share"));
    snprintf(cell[0], CELL, "%.0f", sp_item_number(domain, "domain"));
    snprintf(cell[1], CELL, "%.0f", sp_item_number(domain, "threads"));
    sp_figure_percent(cell[2], CELL, sp_item_number(domain, "entries_share"));
    sp_text_bytes(cell[3], CELL, sp_item_number(domain, "bytes"));
    sp_text_bytes(cell[4], CELL, sp_item_number(domain, "x_once_B"));
    sp_text_seconds(cell[5], CELL, sp_item_number(domain, "x_again_s"));
    seconds_cell(cell[6], sp_record_value_of(json_object_get(domain, "busy")));
    seconds_cell(cell[7], sp_record_value_of(json_object_get(domain, "waits")));
    if (sp_value_known(local))
        sp_figure_percent(cell[8], CELL, local.value);
    else
        snprintf(cell[8], CELL, "unknown");
    for (int c = 0; c < N_COLUMNS; c++)
        sp_pen_right(pen, SP_INK_PLAIN, ends[c], cell[c]);
    sp_pen_end(pen);
}

void sp_section_domains(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *domains = sp_record_node(record, SP_F_DOMAINS), *domain;
    size_t n = json_array_size(domains), i;
    if (n < 2)
        return;
    fputc('\n', pen->out);
    sp_pen_put(pen, SP_INK_BOLD, "DOMAINS  ");
    pen->indent = 9;
    sp_pen_words(
        pen, SP_INK_PLAIN,
        "last-level caches: entries and bytes (modelled) of their threads, lines of x that each must "
        "load and the time for those that others load too (modelled), longest busy time and the wait "
        "after it, share of the values on their own NUMA nodes");
    sp_pen_end(pen);
    for (int c = 0; c < N_COLUMNS; c++)
        sp_pen_right(pen, SP_INK_DIM, ends[c], heads[c]);
    sp_pen_end(pen);
    json_array_foreach(domains, i, domain)
    {
        if (i == MOST && n > MOST + 1)
            break;
        line(pen, domain);
    }
    if (i < n) {
        sp_pen_put(pen, SP_INK_DIM, " and %zu more, in the record", n - i);
        sp_pen_end(pen);
    }
}

/* FusedMM beside SDDMM and SpMM: time, bytes, and whether as many were saved as predicted. */
void sp_section_unfused(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_value bytes = sp_record_value(record, SP_F_UNFUSED_BYTES),
                    fused = sp_record_value(record, SP_F_UNFUSED_BYTES_FUSED),
                    predicted = sp_record_value(record, SP_F_UNFUSED_SAVED_PREDICTED),
                    pair = sp_record_value(record, SP_F_UNFUSED_TIME),
                    time = sp_record_value(record, SP_F_METRICS_TIME);
    char a[64], b[64];
    if (!sp_value_known(bytes) || !sp_value_known(fused) || !sp_value_known(predicted))
        return;
    fputc('\n', pen->out);
    pen->indent = 9;
    sp_pen_put(pen, SP_INK_BOLD, "UNFUSED");
    sp_pen_tab(pen, 9);
    if (sp_value_known(pair) && sp_value_known(time)) {
        struct sp_scale s = sp_scale_of_seconds(pair.value);
        sp_figure_interval(a, sizeof a, pair.value, pair.lo, pair.hi, s.factor, 3);
        sp_pen_part(pen, SP_INK_PLAIN, 0, "SDDMM, then SpMM: %s %s measured;", a, s.prefix);
        sp_pen_part(pen, SP_INK_BOLD, 1, "fused %s times as fast",
                    sp_figure(b, sizeof b, pair.value / time.value, 3));
    } else {
        sp_pen_part(pen, SP_INK_PLAIN, 0, "SDDMM, then SpMM: time unknown (%s)", pair.why);
    }
    struct sp_scale s = sp_scale_of(bytes.value);
    double saved = bytes.value - fused.value;
    sp_pen_part(pen, SP_INK_PLAIN, 2, "from empty caches %s %sB through memory instead of",
                sp_figure(a, sizeof a, bytes.value / s.factor, 4), s.prefix);
    sp_pen_part(pen, SP_INK_PLAIN, 1, "%s %sB, simulated:", sp_figure(a, sizeof a, fused.value / s.factor, 4),
                s.prefix);
    struct sp_scale d = sp_scale_of(predicted.value);
    sp_figure(a, sizeof a, fabs(saved) / d.factor, 3);
    sp_figure(b, sizeof b, predicted.value / d.factor, 3);
    sp_pen_part(pen, SP_INK_BOLD, 1, "%s %sB %s, %s %sB modelled (S's values, which SDDMM reads, included)",
                a, d.prefix, saved >= 0 ? "saved" : "more", b, d.prefix);
    if (saved < 0.5 * predicted.value)
        sp_pen_part(pen, SP_INK_PLAIN, 1,
                    "(B and D together do not stay in the cache where one of them does)");
    sp_pen_end(pen);
}

/* What the bytes of the kernel rest on. */
static const char *walk_text(const char *walk)
{
    return strcmp(walk, "traced") == 0   ? "bytes simulated from its own trace"
           : strcmp(walk, "stored") == 0 ? "bytes simulated: its own arrays; x assumed as in the rows of CRS"
                                         : "bytes simulated, assuming that it walks the rows of CRS";
}

/* A kernel of the user's own beside the built-in one. */
void sp_section_own(struct sp_pen *pen, const struct sp_record *record)
{
    const char *name = sp_words_text(record, SP_F_OWN_NAME, ""),
               *built_in = sp_words_text(record, SP_F_OWN_BUILT_IN, "the built-in kernel");
    const struct sp_value ratio = sp_record_value(record, SP_F_OWN_RATIO),
                          other = sp_record_value(record, SP_F_OWN_BUILT_IN_TIME);
    char a[64], b[64];
    if (!*name)
        return;
    pen->indent = 11;
    sp_pen_put(pen, SP_INK_BOLD, "yours");
    sp_pen_tab(pen, 11);
    sp_pen_part(pen, SP_INK_PLAIN, 0, "%s:", name);
    if (sp_value_known(ratio) && sp_value_known(other)) {
        const struct sp_scale s = sp_scale_of_seconds(other.value);
        sp_pen_part(pen, SP_INK_BOLD, 1, "%s x",
                    sp_figure_interval(a, sizeof a, ratio.value, ratio.lo, ratio.hi, 1, 3));
        sp_pen_part(pen, SP_INK_PLAIN, 1, "the time of %s (%s %s)", built_in,
                    sp_figure(b, sizeof b, other.value / s.factor, 3), s.prefix);
    } else {
        char none[200];
        snprintf(none, sizeof none, "no built-in kernel beside it (%.150s)",
                 ratio.why ? ratio.why : "not run");
        sp_pen_words(pen, SP_INK_PLAIN, none);
    }
    sp_pen_put(pen, SP_INK_PLAIN, ";");
    sp_pen_words(pen, SP_INK_PLAIN, walk_text(sp_words_text(record, SP_F_OWN_WALK, "")));
    sp_pen_end(pen);
}
