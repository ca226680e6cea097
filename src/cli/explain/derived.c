#include "cli/explain/derived.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain/facts.h"
#include "io/record/record_words.h"
#include "model/volume/volume_spmv.h"
#include "report/report_words.h"

/* Symbols that are made of several fields of a record, or found in its lists. */

static struct sp_fact defined(double x, const char *unit, const char *from)
{
    struct sp_fact f = sp_fact_of(sp_value_of(x, SP_STATED), unit, from);
    f.word = "by definition";
    return f;
}

static struct sp_fact metric(const struct sp_record *r, const char *name, const char *unit)
{
    char path[64];
    snprintf(path, sizeof path, "metrics.%s", name);
    return sp_fact_at(r, path, unit);
}

static bool is_on_gpu(const struct sp_record *r)
{
    return strncmp(sp_words_text(r, "config.device", ""), "gpu", 3) == 0;
}

static struct sp_fact width(const struct sp_record *r)
{
    struct sp_fact f = sp_fact_at(r, "config.inner", "1");
    return sp_value_known(f.value) ? f : sp_fact_at(r, "config.rhs", "1");
}

static struct sp_fact without(const struct sp_record *r, const char *all, const char *empty)
{
    struct sp_fact a = sp_fact_at(r, all, "1"), e = sp_fact_at(r, empty, "1");
    char from[96];
    snprintf(from, sizeof from, "%s - %s", all, empty);
    if (!sp_value_known(a.value) || !sp_value_known(e.value))
        return sp_fact_unknown(sp_fact_not_here, "1", from);
    return sp_fact_counted(a.value.value - e.value.value, from);
}
static struct sp_fact rows_used(const struct sp_record *r)
{
    return without(r, "problem.rows", "structure.empty_rows");
}
static struct sp_fact columns_used(const struct sp_record *r)
{
    return without(r, "problem.cols", "structure.empty_cols");
}

/* The sizes of items by their places in struct sp_sizes. */
static struct sp_fact size_of(const struct sp_record *r, char which)
{
    static const char from[] = "config.precision, config.index";
    int p = sp_precision_from_name(sp_words_text(r, "config.precision", ""));
    int i = sp_index_from_name(sp_words_text(r, "config.index", ""));
    struct sp_fact n_nz = sp_fact_at(r, "problem.nnz", "1"), beta = metric(r, "beta", "1");
    if (p < 0 || i < 0 || !sp_value_known(n_nz.value))
        return sp_fact_unknown(sp_fact_not_here, "B", from);
    double stored = n_nz.value.value / (sp_value_known(beta.value) ? beta.value.value : 1);
    struct sp_sizes s = sp_sizes_of((enum sp_precision)p, (enum sp_index)i, stored);
    if (strcmp(sp_words_text(r, "config.format", ""), "staged") == 0)
        s.s_i = sizeof(uint16_t); /* places in the list of a block's columns, whatever the option says */
    double B = which == 'a'   ? s.s_a
               : which == 'x' ? s.s_x
               : which == 'y' ? s.s_y
               : which == 'i' ? s.s_i
               : which == 'p' ? s.s_p
                              : s.s_b;
    return defined(B, "B", from);
}
static struct sp_fact size_a(const struct sp_record *r)
{
    return size_of(r, 'a');
}
static struct sp_fact size_x(const struct sp_record *r)
{
    return size_of(r, 'x');
}
static struct sp_fact size_y(const struct sp_record *r)
{
    return size_of(r, 'y');
}
static struct sp_fact size_i(const struct sp_record *r)
{
    return size_of(r, 'i');
}
static struct sp_fact size_p(const struct sp_record *r)
{
    return size_of(r, 'p');
}
static struct sp_fact size_b(const struct sp_record *r)
{
    return size_of(r, 'b');
}

static struct sp_fact flops_of_entry(const struct sp_record *r)
{
    const int p = sp_precision_from_name(sp_words_text(r, "config.precision", ""));
    return p < 0 ? sp_fact_unknown(sp_fact_not_here, "flop", "config.precision")
                 : defined(sp_flops_per_entry((enum sp_precision)p), "flop", "config.precision");
}

static struct sp_fact write_allocate(const struct sp_record *r)
{
    struct sp_fact f = metric(r, "w", "1");
    if (sp_value_known(f.value) || !is_on_gpu(r))
        return f;
    return sp_fact_of(sp_value_of(1, SP_MODELLED), "1", "a GPU does not read a line before it writes it");
}

/* Older records hold no metrics.flops. */
static struct sp_fact work(const struct sp_record *r)
{
    struct sp_fact f = metric(r, "flops", "flop"), n_nz = sp_fact_at(r, "problem.nnz", "1"), n = width(r);
    int p = sp_precision_from_name(sp_words_text(r, "config.precision", ""));
    const char *op = sp_words_text(r, "config.op", "");
    if (sp_value_known(f.value) || p < 0 || !sp_value_known(n_nz.value) || !sp_value_known(n.value))
        return f;
    double width_1 = n.value.value, each = sp_flops_per_entry((enum sp_precision)p) * width_1;
    if (strcmp(op, "sddmm") == 0)
        each = 2 * width_1 + 1;
    if (strcmp(op, "fusedmm") == 0)
        each = 4 * width_1;
    return sp_fact_of(sp_value_of(each * n_nz.value.value, SP_MODELLED), "flop",
                      "operations an entry x n_nz: this record has no metrics.flops");
}

static struct sp_fact roof_of_role(const struct sp_record *r, const char *role, const char *level,
                                   const char *unit)
{
    const json_t *roof;
    size_t i;
    char from[96];
    json_array_foreach(sp_record_node(r, "roofs"), i, roof)
    {
        const char *its_role = sp_item_text(roof, "role"), *its_level = sp_item_text(roof, "level");
        if ((role && (!its_role || strcmp(its_role, role) != 0)) ||
            (level && (!its_level || strcmp(its_level, level) != 0)))
            continue;
        char words[64];
        snprintf(from, sizeof from, "roofs[%d]: %s", (int)i, sp_words_roof(words, sizeof words, roof));
        return sp_fact_of(sp_record_value_of(roof), unit, from);
    }
    snprintf(from, sizeof from, "roofs, %s %s", role ? "role" : "level", role ? role : level);
    return sp_fact_unknown(sp_fact_not_here, unit, from);
}
static struct sp_fact roof(const struct sp_record *r)
{
    return roof_of_role(r, "roof", NULL, "B/s");
}
static struct sp_fact peak(const struct sp_record *r)
{
    return roof_of_role(r, "peak", NULL, "flop/s");
}
static struct sp_fact roof_of_L2(const struct sp_record *r)
{
    return roof_of_role(r, NULL, "L2", "B/s");
}

static struct sp_fact roof_of_L1(const struct sp_record *r)
{
    return roof_of_role(r, NULL, "L1", "B/s");
}
static struct sp_fact roof_of_L3(const struct sp_record *r)
{
    return roof_of_role(r, NULL, "L3", "B/s");
}
static struct sp_fact roof_of_memory(const struct sp_record *r)
{
    return roof_of_role(r, NULL, "MEM", "B/s");
}

/* Bytes over the interface between a level and the next one inward, both ways. */
static struct sp_fact bytes_of_level(const struct sp_record *r, const char *level)
{
    const json_t *one;
    size_t i;
    char from[96];
    json_array_foreach(sp_record_node(r, "levels"), i, one)
    {
        const char *name = sp_item_text(one, "name"), *origin = sp_item_text(one, "origin");
        const double bytes = sp_item_number(one, "read_B") + sp_item_number(one, "write_B");
        if (!name || strcmp(name, level) != 0 || !isfinite(bytes))
            continue;
        snprintf(from, sizeof from, "levels[%d]: %s, read and written", (int)i, level);
        return sp_fact_of(sp_value_of(bytes, origin ? sp_origin_from_name(origin) : SP_SIMULATED), "B", from);
    }
    snprintf(from, sizeof from, "levels, %s", level);
    return sp_fact_unknown(sp_fact_not_here, "B", from);
}
static struct sp_fact bytes_of_L2(const struct sp_record *r)
{
    return bytes_of_level(r, "L2");
}
static struct sp_fact bytes_of_L3(const struct sp_record *r)
{
    return bytes_of_level(r, "L3");
}
static struct sp_fact bytes_of_memory(const struct sp_record *r)
{
    return bytes_of_level(r, "MEM");
}

/* What one thread draws from the level that holds the data. */
static struct sp_fact one_thread(const struct sp_record *r)
{
    const char *level = sp_words_text(r, "binding.level", "MEM");
    const json_t *curve, *point;
    size_t i, k;
    json_array_foreach(sp_record_node(r, "curves.saturation"), i, curve)
    {
        const char *its = sp_item_text(curve, "level");
        json_array_foreach(json_object_get(curve, "points"), k, point)
        {
            char from[96];
            if (!its || strcmp(its, level) != 0 || sp_item_number(point, "threads") != 1)
                continue;
            enum sp_origin origin = sp_origin_from_name(
                sp_item_text(curve, "origin") ? sp_item_text(curve, "origin") : "measured");
            double x = sp_item_number(point, "value"), lo = sp_item_number(point, "lo"),
                   hi = sp_item_number(point, "hi");
            snprintf(from, sizeof from, "curves.saturation[%d], one thread", (int)i);
            if (isfinite(x))
                return sp_fact_of(sp_value_between(x, isfinite(lo) ? lo : x, isfinite(hi) ? hi : x, origin),
                                  "B/s", from);
        }
    }
    return sp_fact_unknown("no saturation curve was measured: spmodel machine measure", "B/s",
                           "curves.saturation");
}

static struct sp_fact domains_used(const struct sp_record *r)
{
    const json_t *one = sp_record_roof(r);
    double n = one ? sp_item_number(one, "domains") : NAN;
    if (isfinite(n))
        return sp_fact_counted(n, "roofs, role roof: domains");
    return sp_fact_at(r, "machine.n_domains", "1");
}

static const json_t *last_cache(const struct sp_record *r)
{
    const json_t *caches = sp_record_node(r, "machine.caches");
    return json_array_size(caches) > 0 ? json_array_get(caches, json_array_size(caches) - 1) : NULL;
}

/* As the simulation takes it: the capacity that was found effective, else the one that the system claims. */
static struct sp_fact last_level(const struct sp_record *r)
{
    const json_t *cache = last_cache(r);
    struct sp_fact asked = sp_fact_at(r, "request.llc", "B");
    if (sp_value_known(asked.value) && asked.value.value > 0)
        return sp_fact_of(sp_value_of(asked.value.value, SP_STATED), "B", "request.llc: --sim-llc");
    if (!cache)
        return sp_fact_unknown("this record describes no caches", "B", "machine.caches");
    struct sp_value v = sp_record_value_of(json_object_get(cache, "effective_B"));
    if (sp_value_known(v))
        return sp_fact_of(v, "B", "machine.caches, last: effective_B");
    return sp_fact_of(sp_value_of(sp_item_number(cache, "size_B"), SP_STATED), "B",
                      "machine.caches, last: size_B");
}

/* A GPU fetches sectors. */
static struct sp_fact line(const struct sp_record *r)
{
    const json_t *cache = last_cache(r);
    if (!cache)
        return sp_fact_unknown("this record describes no caches", "B", "machine.caches");
    double sector = sp_item_number(cache, "sector_B"), whole = sp_item_number(cache, "line_B");
    bool sectored = isfinite(sector) && sector > 0;
    return sp_fact_of(sp_value_of(sectored ? sector : whole, SP_STATED), "B",
                      sectored ? "machine.caches, last: sector_B" : "machine.caches, last: line_B");
}

/* Rows of the report's table. */
static struct sp_fact time_of_row(const struct sp_record *r, const char *name)
{
    const json_t *row;
    size_t i;
    char from[96];
    snprintf(from, sizeof from, "table, row '%s'", name);
    json_array_foreach(sp_record_node(r, "table"), i, row)
    {
        const char *its = sp_item_text(row, "row");
        double s = sp_item_number(row, "time_s"), lo = sp_item_number(row, "time_lo_s"),
               hi = sp_item_number(row, "time_hi_s");
        if (its && strncmp(its, name, strlen(name)) == 0 && isfinite(s))
            return sp_fact_of(sp_value_between(s, isfinite(lo) ? lo : s, isfinite(hi) ? hi : s, SP_MODELLED),
                              "s", from);
    }
    return sp_fact_unknown(sp_fact_not_here, "s", from);
}
static struct sp_fact time_once(const struct sp_record *r)
{
    return time_of_row(r, "model, x once");
}
static struct sp_fact time_seen(const struct sp_record *r)
{
    return time_of_row(r, "model, x as");
}

static struct sp_fact time_linear(const struct sp_record *r)
{
    return sp_fact_of(sp_record_linear_time(r), "s", "interventions: all gathers from L1 (test)");
}

/* The two numbers of "bcsr:4x8", "tiled:64,32", the one of "striped:4096". */
static struct sp_fact number_of_format(const struct sp_record *r, int which)
{
    int n[2] = {0, 0};
    const char *option = sp_words_text(r, "config.format_option", ""), *colon = strchr(option, ':');
    if (colon && sscanf(colon + 1, "%d%*[x,]%d", &n[0], &n[1]) > which)
        return sp_fact_counted(n[which], "config.format_option");
    return sp_fact_unknown("the format has no such number", "1", "config.format_option");
}
static struct sp_fact first_number(const struct sp_record *r)
{
    return number_of_format(r, 0);
}
static struct sp_fact second_number(const struct sp_record *r)
{
    return number_of_format(r, 1);
}

static struct sp_fact is_sorted(const struct sp_record *r)
{
    struct sp_fact sigma = sp_fact_at(r, "config.sigma", "1");
    if (!sp_value_known(sigma.value))
        return sigma;
    return sp_fact_counted(sigma.value.value > 1 ? 1 : 0, "config.sigma > 1: rows are permuted");
}

/* Share of the shorter of transfers and execution that the longer one does not hide (docs/advice.md). */
static struct sp_fact overlap(const struct sp_record *r)
{
    static const char from[] = "t, V/b_S, W/P_core and t_linear";
    struct sp_fact t = metric(r, "time", "s"), V = metric(r, "bytes", "B"), b_S = roof(r), W = work(r),
                   core = metric(r, "p_core", "flop/s"), linear = time_linear(r);
    if (!sp_value_known(t.value) || !sp_value_known(V.value) || !sp_value_known(b_S.value) ||
        !sp_value_known(W.value) || !sp_value_known(core.value) || core.value.value <= 0)
        return sp_fact_unknown("one of time, bytes, roof and P_core is not known", "1", from);
    const double data_s = V.value.value / b_S.value.value, core_s = W.value.value / core.value.value;
    const double longer = fmax(data_s, core_s), shorter = fmin(data_s, core_s);
    double fed = fmax(t.value.value, longer);
    if (sp_value_known(linear.value)) /* the time if no gather waited */
        fed = fmin(fed, fmax(linear.value.value, longer));
    const double omega = shorter > 0 ? fmin(1, fmax(0, fed - longer) / shorter) : 0;
    return sp_fact_of(sp_value_of(omega, SP_MODELLED), "1", from);
}

static struct sp_fact fitted(const struct sp_record *r)
{
    (void)r;
    return sp_fact_unknown("it is fitted to the times of several sizes: spmodel lab 8, bench_bcsr", "s",
                           "not of one record");
}
static struct sp_fact of_machine(const struct sp_record *r)
{
    (void)r;
    return sp_fact_unknown("the machine file may have it: spmodel machine show", "s", "not in records");
}

const struct sp_derived sp_derived_symbols[] = {
    {"n_r_used", rows_used},
    {"n_c_used", columns_used},
    {"r", width},
    {"sorted", is_sorted},
    {"b_h", first_number},
    {"b_w", second_number},
    {"T_i", first_number},
    {"T_k", second_number},
    {"n_d", domains_used},
    {"s_a", size_a},
    {"s_x", size_x},
    {"s_y", size_y},
    {"s_i", size_i},
    {"s_p", size_p},
    {"s_b", size_b},
    {"f_e", flops_of_entry},
    {"w", write_allocate},
    {"W", work},
    {"t_once", time_once},
    {"t_seen", time_seen},
    {"t_linear", time_linear},
    {"t_latency", of_machine},
    {"t_launch", of_machine},
    {"omega", overlap},
    {"T_shared", sp_ecm_shared},
    {"T_e", fitted},
    {"T_init", fitted},
    {"P_peak", peak},
    {"b_S", roof},
    {"b_1", one_thread},
    {"b_L1", roof_of_L1},
    {"b_L2", roof_of_L2},
    {"b_L3", roof_of_L3},
    {"b_MEM", roof_of_memory},
    {"V_L2", bytes_of_L2},
    {"V_L3", bytes_of_L3},
    {"V_MEM", bytes_of_memory},
    {"Z", last_level},
    {"line", line},
    {NULL, NULL},
};

/* Symbols of what a layout stores, and bytes of each of its arrays through the interface of the level that
 * holds the data. */

/* Arrays without traffic are left out of a level; one without any was not told apart by array. */
static struct sp_fact bytes_of(const struct sp_record *r, const char *array)
{
    const char *level = sp_words_text(r, "binding.level", "MEM");
    const json_t *one;
    size_t i;
    char from[96];
    snprintf(from, sizeof from, "levels, %s: arrays.%s", level, array);
    json_array_foreach(sp_record_node(r, "levels"), i, one)
    {
        const char *name = sp_item_text(one, "name"), *origin = sp_item_text(one, "origin");
        const json_t *arrays = json_object_get(one, "arrays"), *its = json_object_get(arrays, array);
        if (!name || strcmp(name, level) != 0 || json_object_size(arrays) == 0)
            continue;
        const double read_B = its ? sp_item_number(its, "read_B") : 0,
                     write_B = its ? sp_item_number(its, "write_B") : 0;
        if (isfinite(read_B) && isfinite(write_B))
            return sp_fact_of(sp_value_of(read_B + write_B, sp_origin_from_name(origin ? origin : "")), "B",
                              from);
    }
    return sp_fact_unknown("bytes were not told apart by array", "B", from);
}

static struct sp_fact bytes_of_values(const struct sp_record *r)
{
    return bytes_of(r, "values");
}
static struct sp_fact bytes_of_indices(const struct sp_record *r)
{
    return bytes_of(r, "indices");
}
static struct sp_fact bytes_of_pointers(const struct sp_record *r)
{
    return bytes_of(r, "pointers");
}
static struct sp_fact bytes_of_permutation(const struct sp_record *r)
{
    return bytes_of(r, "permutation");
}
static struct sp_fact bytes_of_x(const struct sp_record *r)
{
    return bytes_of(r, "x");
}
static struct sp_fact bytes_of_rows(const struct sp_record *r)
{
    return bytes_of(r, "rows");
}
static struct sp_fact bytes_of_y(const struct sp_record *r)
{
    return bytes_of(r, "y");
}
static struct sp_fact bytes_of_other(const struct sp_record *r)
{
    return bytes_of(r, "other");
}

/* How often a row of W_h moves: cleared before phases; windows are cleared, read and added to y. */
static struct sp_fact conflict(const struct sp_record *r)
{
    const json_t *phased = sp_record_node(r, "layout.phased");
    if (!json_is_boolean(phased))
        return sp_fact_unknown(sp_fact_not_here, "1", "layout.phased");
    return sp_fact_counted(json_is_true(phased) ? 2 : 5,
                           json_is_true(phased) ? "layout.phased: two phases" : "layout.phased: windows");
}

const struct sp_derived sp_stored_symbols[] = {
    {"V_x", bytes_of_x},
    {"V_y", bytes_of_y},
    {"V_values", bytes_of_values},
    {"V_indices", bytes_of_indices},
    {"V_pointers", bytes_of_pointers},
    {"V_permutation", bytes_of_permutation},
    {"V_rows", bytes_of_rows},
    {"V_other", bytes_of_other},
    {"c", conflict},
    {NULL, NULL},
};
