#include "io/record/record_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/figures.h"
#include "base/samples.h"

const struct sp_loss_words sp_loss_words[SP_N_LOSS_ROWS] = {
    {"min_traffic", "minimum traffic"}, {"padding", "padding"},
    {"extra_x", "extra x traffic"},     {"extra_x_domains", "x in several caches"},
    {"imbalance", "load imbalance"},    {"in_core", "in-core, latency"},
    {"rest", "not explained"},
};

const char *sp_item_text(const json_t *item, const char *key)
{
    return json_string_value(json_object_get(item, key));
}

double sp_item_number(const json_t *item, const char *key)
{
    const json_t *number = json_object_get(item, key);
    return json_is_number(number) ? json_number_value(number) : NAN;
}

double sp_list_median(const json_t *list)
{
    enum { FEW = 4096 }; /* all samples of a usual record: refused memory does not make them unknown */
    const size_t n = json_array_size(list);
    double few[FEW], *x = n <= FEW ? few : malloc(n * sizeof *x), median = NAN;
    size_t kept = 0;
    for (size_t i = 0; x && i < n; i++)
        if (json_is_number(json_array_get(list, i)))
            x[kept++] = json_number_value(json_array_get(list, i));
    if (kept > 0)
        median = sp_median(x, (int64_t)kept);
    if (x != few)
        free(x);
    return median;
}

const char *sp_words_level(const char *level)
{
    return level && strcmp(level, "MEM") == 0 ? "DRAM" : level ? level : "?";
}

bool sp_roof_is_flops(const json_t *roof)
{
    const char *unit = sp_item_text(roof, "unit");
    return unit && strcmp(unit, "flop/s") == 0;
}

char *sp_words_roof(char *text, size_t size, const json_t *roof)
{
    static const struct {
        const char *name, *words;
    } names[] = {{"load", "load"},         {"load_mix", "load"},    {"load_own", "load of its arrays"},
                 {"copy", "copy"},         {"copy_nt", "copy NT"},  {"triad", "triad"},
                 {"triad_nt", "triad NT"}, {"scalar", "scalar"},    {"simd", "SIMD"},
                 {"fma", "FMA"},           {"mma", "matrix units"}, {"gather", "gathers of x"}};
    const char *name = sp_item_text(roof, "name"), *words = name ? name : "?";
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            words = names[i].words;
    const char *precision = sp_item_text(roof, "precision");
    if (name && strcmp(name, "mma") == 0)
        snprintf(text, size, "%s %s", words, precision ? precision : "?");
    else if (name && strcmp(name, "gather") == 0)
        snprintf(text, size, "%s", words);
    else if (sp_roof_is_flops(roof))
        snprintf(text, size, "%s %s", precision && strcmp(precision, "f32") == 0 ? "SP" : "DP", words);
    else
        snprintf(text, size, "%s %s", sp_words_level(sp_item_text(roof, "level")), words);
    return text;
}

char *sp_words_roof_value(char *text, size_t size, const json_t *roof)
{
    return sp_figure_value(text, size, sp_record_value_of(roof), 1e9,
                           sp_roof_is_flops(roof) ? "Gflop/s" : "GB/s", 3);
}

const char *sp_words_op(const char *op)
{
    static const struct {
        const char *op, *words;
    } ops[] = {
        {"spmv", "SpMV"}, {"spmmv", "SpMMV"}, {"spmm", "SpMM"}, {"sddmm", "SDDMM"}, {"fusedmm", "FusedMM"}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(ops[i].op, op) == 0)
            return ops[i].words;
    return op;
}

const char *sp_words_text(const struct sp_record *record, const char *path, const char *otherwise)
{
    const char *text = NULL;
    return sp_record_text(record, path, &text) ? text : otherwise;
}

bool sp_conditions_differ(double ratio)
{
    static const double same = 1.15;
    return ratio > same || ratio < 1 / same;
}

const char *sp_words_row_bytes(const struct sp_record *record, const json_t *row)
{
    const char *name = sp_item_text(row, "row"), *source = sp_item_text(row, "bytes_source");
    if (name && strncmp(name, "model,", 6) == 0 &&
        strncmp(sp_words_text(record, "config.device", "cpu"), "gpu", 3) != 0)
        return sp_origin_name(SP_MODELLED);
    return source ? source : sp_item_text(row, "bytes_origin");
}

const json_t *sp_record_roof(const struct sp_record *record)
{
    const json_t *roofs = sp_record_node(record, "roofs"), *roof;
    size_t i;
    json_array_foreach(roofs, i, roof)
    {
        const char *role = sp_item_text(roof, "role");
        if (role && strcmp(role, "roof") == 0)
            return roof;
    }
    return NULL;
}

bool sp_record_loss(const struct sp_record *record, int i, double *seconds)
{
    char path[64];
    double within = 0;
    snprintf(path, sizeof path, "losses.%s", sp_loss_words[i].key);
    if (!sp_record_number(record, path, seconds))
        return false;
    if (strcmp(sp_loss_words[i].key, "extra_x") == 0 &&
        sp_record_number(record, "losses.extra_x_domains", &within))
        *seconds -= within;
    return true;
}
