#include "cli/explain/explained.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/record/record.h"
#include "model/formulas/formulas.h"
#include "model/volume/volume.h"
#include "report/report_words.h"

static const char fact_not_here[] = "this record does not hold it";

/* How facts are made: `from` is copied, the other texts are static. */
static struct sp_fact fact_of(struct sp_value value, const char *unit, const char *from)
{
    struct sp_fact f = {.value = value, .unit = unit, .word = sp_origin_name(value.origin)};
    snprintf(f.from, sizeof f.from, "%s", from);
    return f;
}

static struct sp_fact fact_counted(double x, const char *from)
{
    struct sp_fact f = fact_of(sp_value_of(x, SP_STATED), "1", from);
    f.word = "counted";
    return f;
}

static struct sp_fact fact_unknown(const char *why, const char *unit, const char *from)
{
    return fact_of(sp_value_none(why), unit, from);
}

/* Losses are bare numbers; their source stands beside: "modelled: 233 MB at the roof of MEM". */
static enum sp_origin origin_of_loss(const struct sp_record *r, enum sp_record_field loss)
{
    char word[16];
    const char *text = sp_words_text(r, sp_loss_origin(loss), "");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ": "), text);
    const enum sp_origin origin = sp_origin_from_name(word);
    return origin != SP_NONE ? origin : SP_MODELLED;
}

struct sp_fact sp_fact_at(const struct sp_record *r, enum sp_record_field field)
{
    const char *path = sp_field_path(field), *its = sp_record_fields[field].unit, *unit = its ? its : "1";
    const json_t *node = sp_record_node(r, field);
    if (json_is_number(node) && sp_loss_origin(field))
        return fact_of(sp_value_of(json_number_value(node), origin_of_loss(r, field)), unit, path);
    if (json_is_number(node)) {
        struct sp_fact f = fact_counted(json_number_value(node), path);
        f.unit = unit;
        return f;
    }
    if (!json_is_object(node))
        return fact_unknown(fact_not_here, unit, path);
    struct sp_value v = sp_record_value_of(node);
    if (!sp_value_known(v) && !v.why)
        v.why = fact_not_here;
    const char *own = json_string_value(json_object_get(node, "unit"));
    return fact_of(v, own ? own : unit, path);
}

char *sp_fact_number(char *text, size_t size, double x, const char *unit)
{
    const bool bare = !unit || strcmp(unit, "1") == 0, seconds = unit && strcmp(unit, "s") == 0;
    if (bare && fabs(x) < 1e15 && x == floor(x))
        snprintf(text, size, "%.0f", x);
    else if (bare)
        snprintf(text, size, "%.4g", x);
    else if (seconds && x == 0)
        snprintf(text, size, "0 s");
    else if (seconds) {
        struct sp_scale scale = sp_scale_of_seconds(x);
        snprintf(text, size, "%.4g %s", x / scale.factor, scale.prefix);
    } else if (strcmp(unit, "B/flop") == 0 || strcmp(unit, "flop/B") == 0)
        snprintf(text, size, "%.4g %s", x, unit);
    else {
        struct sp_scale scale = sp_scale_of(x);
        const char *rate = strcmp(unit, "1/s") == 0 ? unit + 1 : unit; /* "6.7 G/s" */
        snprintf(text, size, "%.4g %s%s", x / scale.factor, scale.prefix, rate);
    }
    return text;
}

/* Symbols of the ECM part of a record. */

/* "L1L2", "L3Mem" */
static bool is_interface(const char *name)
{
    if (name[0] != 'L' || !isdigit((unsigned char)name[1]))
        return false;
    return strcmp(name + 2, "Mem") == 0 ||
           (name[2] == 'L' && isdigit((unsigned char)name[3]) && name[4] == '\0');
}

/* in_, out_, w_, b_ and T_ of an interface: "in_L1L2", "T_L3Mem". False: none of them. */
static bool ecm_fact(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
{
    static const struct {
        const char *prefix, *key, *unit;
    } parts[] = {{"in_", "read", "B"},
                 {"out_", "write", "B"},
                 {"b_", "bandwidth", "B/s"},
                 {"w_", "write_weight", "1"},
                 {"T_", "time", "s"}};
    const char *name = strchr(symbol, '_');
    size_t i, k;
    const json_t *one;
    char from[96];
    for (i = 0; i < sizeof parts / sizeof *parts; i++)
        if (name && is_interface(name + 1) && strncmp(symbol, parts[i].prefix, strlen(parts[i].prefix)) == 0)
            break;
    if (i == sizeof parts / sizeof *parts)
        return false;
    json_array_foreach(sp_record_node(record, SP_F_ECM_TRANSFERS), k, one)
    {
        const char *its = sp_item_text(one, "name");
        if (!its || strcmp(its, name + 1) != 0)
            continue;
        snprintf(from, sizeof from, "%s[%d]: %s, %s", sp_field_path(SP_F_ECM_TRANSFERS), (int)k, its,
                 parts[i].key);
        *fact = fact_of(sp_record_value_of(json_object_get(one, parts[i].key)), parts[i].unit, from);
        return true;
    }
    snprintf(from, sizeof from, "%s, %s", sp_field_path(SP_F_ECM_TRANSFERS), name + 1);
    *fact = fact_unknown(fact_not_here, parts[i].unit, from);
    return true;
}

/* What all threads wait for together; one thread waits for nobody. */
static struct sp_fact ecm_shared(const struct sp_record *record)
{
    const json_t *one, *all = sp_record_node(record, SP_F_ECM_TRANSFERS);
    const struct sp_fact n = sp_fact_at(record, SP_F_CONFIG_THREADS);
    struct sp_value most = sp_value_of(0, SP_MODELLED);
    size_t i;
    char from[96];
    snprintf(from, sizeof from, "%s: the longest shared_time", sp_field_path(SP_F_ECM_TRANSFERS));
    if (!all || !sp_value_known(n.value))
        return fact_unknown(fact_not_here, "s", from);
    json_array_foreach(all, i, one)
    {
        const struct sp_value v = sp_record_value_of(json_object_get(one, "shared_time"));
        if (n.value.value > 1 && sp_value_known(v) && v.value > most.value)
            most = v;
    }
    return fact_of(most, "s", n.value.value > 1 ? from : "one thread waits for no other");
}

/* Gathers from a level and their rate: "n_L1", "r_MEM". False: the symbol is none of them. */
static bool gather_fact(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
{
    static const char *const levels[] = {"L1", "L2", "L3", "L4", "MEM"};
    const bool is_rate = symbol[0] == 'r';
    const char *unit = is_rate ? "1/s" : "1";
    const json_t *one;
    char from[96];
    size_t i = 0, k;
    if ((symbol[0] != 'n' && !is_rate) || symbol[1] != '_')
        return false;
    while (i < sizeof levels / sizeof *levels && strcmp(levels[i], symbol + 2) != 0)
        i++;
    if (i == sizeof levels / sizeof *levels)
        return false;
    snprintf(from, sizeof from, "%s, %s", sp_field_path(SP_F_GATHERS_LEVELS), levels[i]);
    *fact = fact_unknown(fact_not_here, unit, from);
    json_array_foreach(sp_record_node(record, SP_F_GATHERS_LEVELS), k, one)
    {
        const char *its = sp_item_text(one, "level");
        if (its && strcmp(its, levels[i]) == 0)
            *fact =
                fact_of(sp_record_value_of(json_object_get(one, is_rate ? "rate" : "gathers")), unit, from);
    }
    return true;
}

/* Found by of(record), or by of_what(record, what) where several symbols differ by a word. */
struct derived {
    const char *name;
    struct sp_fact (*of)(const struct sp_record *record);
    struct sp_fact (*of_what)(const struct sp_record *record, const char *what);
    const char *what;
};

/* Symbols that are made of several fields of a record, or found in its lists. */

static struct sp_fact defined(double x, const char *unit, const char *from)
{
    struct sp_fact f = fact_of(sp_value_of(x, SP_STATED), unit, from);
    f.word = "by definition";
    return f;
}

static bool is_on_gpu(const struct sp_record *r)
{
    return strncmp(sp_words_text(r, SP_F_CONFIG_DEVICE, ""), "gpu", 3) == 0;
}

static struct sp_fact width(const struct sp_record *r)
{
    struct sp_fact f = sp_fact_at(r, SP_F_CONFIG_INNER);
    return sp_value_known(f.value) ? f : sp_fact_at(r, SP_F_CONFIG_RHS);
}

/* Rows or columns that have an entry. */
static struct sp_fact used(const struct sp_record *r, const char *which)
{
    const bool of_rows = *which == 'r';
    const enum sp_record_field all = of_rows ? SP_F_PROBLEM_ROWS : SP_F_PROBLEM_COLS,
                               empty = of_rows ? SP_F_STRUCTURE_EMPTY_ROWS : SP_F_STRUCTURE_EMPTY_COLS;
    char from[96];
    snprintf(from, sizeof from, "%s - %s", sp_field_path(all), sp_field_path(empty));
    const struct sp_fact a = sp_fact_at(r, all), e = sp_fact_at(r, empty);
    if (!sp_value_known(a.value) || !sp_value_known(e.value))
        return fact_unknown(fact_not_here, "1", from);
    return fact_counted(a.value.value - e.value.value, from);
}

static bool is_staged(const struct sp_record *r)
{
    return strcmp(sp_words_text(r, SP_F_CONFIG_FORMAT, ""), "staged") == 0;
}

/* The sizes of items by their places in struct sp_sizes. */
static struct sp_fact size_of(const struct sp_record *r, const char *which)
{
    char from[96];
    snprintf(from, sizeof from, "%s, %s", sp_field_path(SP_F_CONFIG_PRECISION),
             sp_field_path(SP_F_CONFIG_INDEX));
    int p = sp_precision_from_name(sp_words_text(r, SP_F_CONFIG_PRECISION, ""));
    int i = sp_index_from_name(sp_words_text(r, SP_F_CONFIG_INDEX, ""));
    struct sp_fact n_nz = sp_fact_at(r, SP_F_PROBLEM_NNZ), beta = sp_fact_at(r, SP_F_METRICS_BETA);
    if (p < 0 || i < 0 || !sp_value_known(n_nz.value))
        return fact_unknown(fact_not_here, "B", from);
    double stored = n_nz.value.value / (sp_value_known(beta.value) ? beta.value.value : 1);
    const struct sp_sizes s_of = sp_sizes_of((enum sp_precision)p, (enum sp_index)i, stored);
    const double row_ptr_B = json_number_value(sp_record_node(r, SP_F_REQUEST_ROW_PTR));
    struct sp_sizes s = sp_sizes_with_pointers(s_of, (int)row_ptr_B);
    if (is_staged(r))
        s.s_i = sizeof(uint16_t); /* places in the list of a block's columns, whatever the option says */
    double B = *which == 'a'   ? s.s_a
               : *which == 'x' ? s.s_x
               : *which == 'y' ? s.s_y
               : *which == 'i' ? s.s_i
               : *which == 'p' ? s.s_p
                               : s.s_b;
    return defined(B, "B", *which == 'p' && row_ptr_B > 0 ? sp_field_path(SP_F_REQUEST_ROW_PTR) : from);
}

static struct sp_fact flops_of_entry(const struct sp_record *r)
{
    const int p = sp_precision_from_name(sp_words_text(r, SP_F_CONFIG_PRECISION, ""));
    return p < 0 ? fact_unknown(fact_not_here, "flop", sp_field_path(SP_F_CONFIG_PRECISION))
                 : defined(sp_flops_per_entry((enum sp_precision)p), "flop",
                           sp_field_path(SP_F_CONFIG_PRECISION));
}

static struct sp_fact write_allocate(const struct sp_record *r)
{
    struct sp_fact f = sp_fact_at(r, SP_F_METRICS_W);
    if (sp_value_known(f.value) || !is_on_gpu(r))
        return f;
    return fact_of(sp_value_of(1, SP_MODELLED), "1", "a GPU does not read a line before it writes it");
}

/* Older records do not hold it. */
static struct sp_fact work(const struct sp_record *r)
{
    struct sp_fact f = sp_fact_at(r, SP_F_METRICS_FLOPS), n_nz = sp_fact_at(r, SP_F_PROBLEM_NNZ),
                   n = width(r);
    int p = sp_precision_from_name(sp_words_text(r, SP_F_CONFIG_PRECISION, ""));
    const char *op = sp_words_text(r, SP_F_CONFIG_OP, "");
    if (sp_value_known(f.value) || p < 0 || !sp_value_known(n_nz.value) || !sp_value_known(n.value))
        return f;
    double width_1 = n.value.value, each = sp_flops_per_entry((enum sp_precision)p) * width_1;
    if (strcmp(op, "sddmm") == 0)
        each = 2 * width_1 + 1;
    if (strcmp(op, "fusedmm") == 0)
        each = 4 * width_1;
    char from[96];
    snprintf(from, sizeof from, "operations an entry x n_nz: this record has no %s",
             sp_field_path(SP_F_METRICS_FLOPS));
    return fact_of(sp_value_of(each * n_nz.value.value, SP_MODELLED), "flop", from);
}

/* The first roof whose `key`, role or level, is `value`. */
static struct sp_fact roof_by(const struct sp_record *r, const char *key, const char *value, const char *unit)
{
    const json_t *roof;
    size_t i;
    char from[96];
    json_array_foreach(sp_record_node(r, SP_F_ROOFS), i, roof)
    {
        const char *its = sp_item_text(roof, key);
        if (!its || strcmp(its, value) != 0)
            continue;
        char words[64];
        snprintf(from, sizeof from, "roofs[%d]: %s", (int)i, sp_words_roof(words, sizeof words, r, roof));
        return fact_of(sp_record_value_of(roof), unit, from);
    }
    snprintf(from, sizeof from, "roofs, %s %s", key, value);
    return fact_unknown(fact_not_here, unit, from);
}
static struct sp_fact roof(const struct sp_record *r)
{
    return roof_by(r, "role", "roof", "B/s");
}

/* Of a GPU's ceiling for all SMs the part of those that have a block: what the model takes. */
static struct sp_fact part_of_SMs(const struct sp_record *r, struct sp_fact all)
{
    int64_t blocks, n_sms;
    char from[96];
    if (!is_on_gpu(r) || !sp_value_known(all.value) || !sp_record_count(r, SP_F_GPU_LAUNCH_BLOCKS, &blocks) ||
        !sp_record_count(r, SP_F_MACHINE_N_CORES, &n_sms) || blocks >= n_sms)
        return all;
    const double part = (double)blocks / (double)n_sms;
    const struct sp_value v = all.value;
    snprintf(from, sizeof from, "%.30s, %lld of %lld SMs have a block", all.from, (long long)blocks,
             (long long)n_sms);
    return fact_of(sp_value_between(v.value * part, v.lo * part, v.hi * part, SP_MODELLED), all.unit, from);
}

static struct sp_fact peak(const struct sp_record *r)
{
    return part_of_SMs(r, roof_by(r, "role", "peak", "flop/s"));
}

/* Of the level of the data the part of the roof that the model takes; of others the SMs' part. */
static struct sp_fact roof_of_level(const struct sp_record *r, const char *level)
{
    const struct sp_fact all = roof_by(r, "level", level, "B/s");
    const struct sp_value v = all.value, taken = sp_record_value(r, SP_F_GPU_ROOF_PART);
    const double part = sp_value_known(taken) ? taken.value : 1;
    char from[96];
    if (strcmp(level, sp_words_text(r, SP_F_BINDING_LEVEL, "")) != 0)
        return strcmp(level, "L2") == 0 ? part_of_SMs(r, all) : all;
    if (!sp_value_known(v) || part == 1)
        return all;
    snprintf(from, sizeof from, "%.50s x %s", all.from, sp_field_path(SP_F_GPU_ROOF_PART));
    return fact_of(sp_value_between(v.value * part, v.lo * part, v.hi * part, SP_MODELLED), all.unit, from);
}

/* Records of kernels without asynchronous copies did not always say so. */
static struct sp_fact copies(const struct sp_record *r)
{
    const struct sp_fact f = sp_fact_at(r, SP_F_GPU_L1_COPY), loads = sp_fact_at(r, SP_F_GPU_L1_LOAD);
    return sp_value_known(f.value) || !sp_value_known(loads.value)
               ? f
               : fact_of(sp_value_of(0, SP_SIMULATED), "B", "none in this record");
}

/* What a grid cuts a second one adds. */
static struct sp_fact launches(const struct sp_record *r)
{
    const char *map = sp_words_text(r, SP_F_GPU_LAUNCH_MAP, NULL);
    if (!map)
        return fact_unknown(fact_not_here, "1", sp_field_path(SP_F_GPU_LAUNCH_MAP));
    const bool is_cut = strcmp(map, "merge") == 0 || strcmp(map, "share") == 0;
    return fact_counted(is_cut ? 2 : 1, sp_field_path(SP_F_GPU_LAUNCH_MAP));
}

/* Bytes over the interface between a level and the next one inward, both ways. */
static struct sp_fact bytes_of_level(const struct sp_record *r, const char *level)
{
    const json_t *one;
    size_t i;
    char from[96];
    json_array_foreach(sp_record_node(r, SP_F_LEVELS), i, one)
    {
        const char *name = sp_item_text(one, "name"), *origin = sp_item_text(one, "origin");
        const double bytes = sp_item_number(one, "read_B") + sp_item_number(one, "write_B");
        if (!name || strcmp(name, level) != 0 || !isfinite(bytes))
            continue;
        snprintf(from, sizeof from, "levels[%d]: %s, read and written", (int)i, level);
        return fact_of(sp_value_of(bytes, origin ? sp_origin_from_name(origin) : SP_SIMULATED), "B", from);
    }
    snprintf(from, sizeof from, "levels, %s", level);
    return fact_unknown(fact_not_here, "B", from);
}

/* What one thread draws from the level that holds the data. */
static struct sp_fact one_thread(const struct sp_record *r)
{
    const char *level = sp_words_text(r, SP_F_BINDING_LEVEL, "MEM");
    const json_t *curve, *point;
    size_t i, k;
    json_array_foreach(sp_record_node(r, SP_F_CURVES_SATURATION), i, curve)
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
            snprintf(from, sizeof from, "%s[%d], one thread", sp_field_path(SP_F_CURVES_SATURATION), (int)i);
            if (isfinite(x))
                return fact_of(sp_value_between(x, isfinite(lo) ? lo : x, isfinite(hi) ? hi : x, origin),
                               "B/s", from);
        }
    }
    return fact_unknown(json_array_size(sp_record_node(r, SP_F_CURVES_SATURATION)) > 0
                            ? "the record's saturation curve is that of memory, the data are in a cache"
                            : "no saturation curve was measured: spmodel machine measure",
                        "B/s", sp_field_path(SP_F_CURVES_SATURATION));
}

static struct sp_fact domains_used(const struct sp_record *r)
{
    const json_t *one = sp_record_roof(r);
    double n = one ? sp_item_number(one, "domains") : NAN;
    if (isfinite(n))
        return fact_counted(n, "roofs, role roof: domains");
    return sp_fact_at(r, SP_F_MACHINE_N_DOMAINS);
}

static const json_t *last_cache(const struct sp_record *r)
{
    const json_t *caches = sp_record_node(r, SP_F_MACHINE_CACHES);
    return json_array_size(caches) > 0 ? json_array_get(caches, json_array_size(caches) - 1) : NULL;
}

static struct sp_fact of_last_cache(struct sp_value size_B, const char *key)
{
    char from[96];
    snprintf(from, sizeof from, "%s, last: %s", sp_field_path(SP_F_MACHINE_CACHES), key);
    return fact_of(size_B, "B", from);
}

/* As the simulation takes it: the effective capacity where it was found, else the claimed. */
static struct sp_fact last_level(const struct sp_record *r)
{
    const json_t *cache = last_cache(r);
    const struct sp_fact asked = sp_fact_at(r, SP_F_REQUEST_LLC);
    char from[96];
    snprintf(from, sizeof from, "%s: --sim-llc", sp_field_path(SP_F_REQUEST_LLC));
    if (sp_value_known(asked.value) && asked.value.value > 0)
        return fact_of(sp_value_of(asked.value.value, SP_STATED), "B", from);
    if (!cache)
        return fact_unknown("this record describes no caches", "B", sp_field_path(SP_F_MACHINE_CACHES));
    struct sp_value v = sp_record_value_of(json_object_get(cache, "effective_B"));
    if (sp_value_known(v))
        return of_last_cache(v, "effective_B");
    return of_last_cache(sp_value_of(sp_item_number(cache, "size_B"), SP_STATED), "size_B");
}

/* A GPU fetches sectors. */
static struct sp_fact line(const struct sp_record *r)
{
    const json_t *cache = last_cache(r);
    if (!cache)
        return fact_unknown("this record describes no caches", "B", sp_field_path(SP_F_MACHINE_CACHES));
    double sector = sp_item_number(cache, "sector_B"), whole = sp_item_number(cache, "line_B");
    bool sectored = isfinite(sector) && sector > 0;
    return of_last_cache(sp_value_of(sectored ? sector : whole, SP_STATED), sectored ? "sector_B" : "line_B");
}

/* Rows of the report's table. */
static struct sp_fact time_of_row(const struct sp_record *r, const char *name)
{
    const json_t *row;
    size_t i;
    char from[96];
    snprintf(from, sizeof from, "table, row '%s'", name);
    json_array_foreach(sp_record_node(r, SP_F_TABLE), i, row)
    {
        const char *its = sp_item_text(row, "row");
        double s = sp_item_number(row, "time_s"), lo = sp_item_number(row, "time_lo_s"),
               hi = sp_item_number(row, "time_hi_s");
        if (its && strncmp(its, name, strlen(name)) == 0 && isfinite(s))
            return fact_of(sp_value_between(s, isfinite(lo) ? lo : s, isfinite(hi) ? hi : s, SP_MODELLED),
                           "s", from);
    }
    return fact_unknown(fact_not_here, "s", from);
}

static struct sp_fact time_linear(const struct sp_record *r)
{
    return fact_of(sp_record_linear_time(r), "s", "interventions: all gathers from L1 (test)");
}

/* The two numbers of "bcsr:4x8", "tiled:64,32", the one of "striped:4096". */
static struct sp_fact number_of_format(const struct sp_record *r, const char *place)
{
    const int which = *place - '0';
    int n[2] = {0, 0};
    const char *option = sp_words_text(r, SP_F_CONFIG_FORMAT_OPTION, ""), *colon = strchr(option, ':');
    if (colon && sscanf(colon + 1, "%d%*[x,]%d", &n[0], &n[1]) > which)
        return fact_counted(n[which], sp_field_path(SP_F_CONFIG_FORMAT_OPTION));
    return fact_unknown("the format has no such number", "1", sp_field_path(SP_F_CONFIG_FORMAT_OPTION));
}

static struct sp_fact is_sorted(const struct sp_record *r)
{
    struct sp_fact sigma = sp_fact_at(r, SP_F_CONFIG_SIGMA);
    if (!sp_value_known(sigma.value))
        return sigma;
    char from[96];
    snprintf(from, sizeof from, "%s > 1: rows are permuted", sp_field_path(SP_F_CONFIG_SIGMA));
    return fact_counted(sigma.value.value > 1 ? 1 : 0, from);
}

/* Share of the shorter of transfers and execution that is not hidden (docs/advice.md). */
static struct sp_fact overlap(const struct sp_record *r)
{
    static const char from[] = "t, V/b_S, W/P_core and t_linear";
    struct sp_fact t = sp_fact_at(r, SP_F_METRICS_TIME), V = sp_fact_at(r, SP_F_METRICS_BYTES), b_S = roof(r),
                   W = work(r), core = sp_fact_at(r, SP_F_METRICS_P_CORE), linear = time_linear(r);
    if (!sp_value_known(t.value) || !sp_value_known(V.value) || !sp_value_known(b_S.value) ||
        !sp_value_known(W.value) || !sp_value_known(core.value) || core.value.value <= 0)
        return fact_unknown("one of time, bytes, roof and P_core is not known", "1", from);
    const double data_s = V.value.value / b_S.value.value, core_s = W.value.value / core.value.value;
    const double longer = fmax(data_s, core_s), shorter = fmin(data_s, core_s);
    double fed = fmax(t.value.value, longer);
    if (sp_value_known(linear.value)) /* the time if no gather waited */
        fed = fmin(fed, fmax(linear.value.value, longer));
    const double omega = shorter > 0 ? SP_FORMULA(omega_of_parts, .t = fed, .T_V = data_s, .T_W = core_s) : 0;
    return fact_of(sp_value_of(omega, SP_MODELLED), "1", from);
}

static struct sp_fact fitted(const struct sp_record *r)
{
    (void)r;
    return fact_unknown("it is fitted to the times of several sizes: spmodel lab 8, bench_bcsr", "s",
                        "not of one record");
}

/* Symbols of what a layout stores, and each array's bytes through the level of the data. */

/* Arrays without traffic are left out of a level; one without any was not told apart by array. */
static struct sp_fact bytes_of(const struct sp_record *r, const char *array)
{
    const char *level = sp_words_text(r, SP_F_BINDING_LEVEL, "MEM");
    const json_t *one;
    size_t i;
    char from[96];
    snprintf(from, sizeof from, "levels, %s: arrays.%s", level, array);
    json_array_foreach(sp_record_node(r, SP_F_LEVELS), i, one)
    {
        const char *name = sp_item_text(one, "name"), *origin = sp_item_text(one, "origin");
        const json_t *arrays = json_object_get(one, "arrays"), *its = json_object_get(arrays, array);
        if (!name || strcmp(name, level) != 0 || json_object_size(arrays) == 0)
            continue;
        const double read_B = its ? sp_item_number(its, "read_B") : 0,
                     write_B = its ? sp_item_number(its, "write_B") : 0;
        if (isfinite(read_B) && isfinite(write_B))
            return fact_of(sp_value_of(read_B + write_B, sp_origin_from_name(origin ? origin : "")), "B",
                           from);
    }
    return fact_unknown("bytes were not told apart by array", "B", from);
}

/* How often a row of W_h moves: cleared before phases; windows are cleared, read and added to y. */
static struct sp_fact conflict(const struct sp_record *r)
{
    const json_t *phased = sp_record_node(r, SP_F_LAYOUT_PHASED);
    if (!json_is_boolean(phased))
        return fact_unknown(fact_not_here, "1", sp_field_path(SP_F_LAYOUT_PHASED));
    char from[96];
    snprintf(from, sizeof from, "%s: %s", sp_field_path(SP_F_LAYOUT_PHASED),
             json_is_true(phased) ? "two phases" : "windows");
    return fact_counted(json_is_true(phased) ? 2 : 5, from);
}

static const struct derived derived_symbols[] = {
    {"n_r_used", .of_what = used, .what = "rows"},
    {"n_c_used", .of_what = used, .what = "cols"},
    {"r", .of = width},
    {"sorted", .of = is_sorted},
    {"b_h", .of_what = number_of_format, .what = "0"},
    {"b_w", .of_what = number_of_format, .what = "1"},
    {"T_i", .of_what = number_of_format, .what = "0"},
    {"T_k", .of_what = number_of_format, .what = "1"},
    {"n_d", .of = domains_used},
    {"s_a", .of_what = size_of, .what = "a"},
    {"s_x", .of_what = size_of, .what = "x"},
    {"s_y", .of_what = size_of, .what = "y"},
    {"s_i", .of_what = size_of, .what = "i"},
    {"s_p", .of_what = size_of, .what = "p"},
    {"s_b", .of_what = size_of, .what = "b"},
    {"f_e", .of = flops_of_entry},
    {"w", .of = write_allocate},
    {"W", .of = work},
    {"t_once", .of_what = time_of_row, .what = "model, x once"},
    {"t_seen", .of_what = time_of_row, .what = "model, x as"},
    {"t_linear", .of = time_linear},
    {"omega", .of = overlap},
    {"T_shared", .of = ecm_shared},
    {"T_e", .of = fitted},
    {"T_init", .of = fitted},
    {"P_peak", .of = peak},
    {"launches", .of = launches},
    {"L1_copy", .of = copies},
    {"b_S", .of = roof},
    {"b_1", .of = one_thread},
    {"b_L1", .of_what = roof_of_level, .what = "L1"},
    {"b_L2", .of_what = roof_of_level, .what = "L2"},
    {"b_L3", .of_what = roof_of_level, .what = "L3"},
    {"b_MEM", .of_what = roof_of_level, .what = "MEM"},
    {"V_L2", .of_what = bytes_of_level, .what = "L2"},
    {"V_L3", .of_what = bytes_of_level, .what = "L3"},
    {"V_MEM", .of_what = bytes_of_level, .what = "MEM"},
    {"Z", .of = last_level},
    {"line", .of = line},
    {"V_x", .of_what = bytes_of, .what = "x"},
    {"V_y", .of_what = bytes_of, .what = "y"},
    {"V_values", .of_what = bytes_of, .what = "values"},
    {"V_indices", .of_what = bytes_of, .what = "indices"},
    {"V_pointers", .of_what = bytes_of, .what = "pointers"},
    {"V_permutation", .of_what = bytes_of, .what = "permutation"},
    {"V_rows", .of_what = bytes_of, .what = "rows"},
    {"V_other", .of_what = bytes_of, .what = "other"},
    {"c", .of = conflict},
    {0},
};

static bool derived(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
{
    const struct derived *d = derived_symbols;
    while (d->name && strcmp(d->name, symbol) != 0)
        d++;
    if (d->name)
        *fact = d->of ? d->of(record) : d->of_what(record, d->what);
    return d->name != NULL;
}

bool sp_fact_find(const struct sp_record *record, const char *symbol, struct sp_fact *fact)
{
    if (strcmp(symbol, "n") == 0 && is_on_gpu(record) && is_staged(record)) {
        *fact = fact_of(sp_value_of(0, SP_MODELLED), "1", "a GPU stages rows in shared memory");
        return true;
    }
    const enum sp_record_field field = sp_field_of_symbol(symbol);
    if (field == SP_F_METRICS_BYTES_READ && is_on_gpu(record) &&
        strcmp(sp_words_text(record, SP_F_BINDING_LEVEL, ""), "L2") == 0) {
        *fact = fact_unknown("an L2 delivers sectors of the matrix again, too", "B", sp_field_path(field));
        return true;
    }
    if (field) {
        *fact = sp_fact_at(record, field);
        return true;
    }
    return derived(record, symbol, fact) || ecm_fact(record, symbol, fact) ||
           gather_fact(record, symbol, fact);
}
