#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "base/text.h"
#include "report/sections.h"

enum { N_COLUMNS = 7, MAX_ROWS = 16, CELL = 96 };

struct table {
    char cell[MAX_ROWS + 1][N_COLUMNS][CELL]; /* [0] is the head */
    bool marked[MAX_ROWS + 1];                /* the point lies above its roof */
    int n_rows;
    bool unknown_bytes;
    double above; /* largest fraction above SP_ABOVE_ROOF, 0: none */
};

/* A number, or what stands for one that is not known. */
static void number_cell(char *cell, double x, int digits)
{
    if (isfinite(x))
        sp_figure(cell, CELL, x, digits);
    else
        snprintf(cell, CELL, "unknown");
}

/* The share of the roof (bandwidth_fraction) and of the model (model_fraction) that belong to one row. */
static void fraction_cells(const struct sp_record *record, const json_t *row, bool measured, struct table *t,
                           int r)
{
    const char *name = sp_item_text(row, "fraction_name");
    double given = sp_item_number(row, "fraction"), roof = NAN, model = NAN;
    if (name && strcmp(name, "bandwidth_fraction") == 0)
        roof = given;
    if (name && strcmp(name, "model_fraction") == 0)
        model = given;
    if (measured) {
        struct sp_value v = sp_record_metric(record, "bandwidth_fraction");
        if (!isfinite(roof) && sp_value_known(v))
            roof = v.value;
        v = sp_record_metric(record, "model_fraction");
        if (!isfinite(model) && sp_value_known(v))
            model = v.value;
    }
    const char *missing = measured ? "unknown" : "";
    if (isfinite(roof))
        sp_figure_percent(t->cell[r][5], CELL, roof);
    else
        snprintf(t->cell[r][5], CELL, "%s", missing);
    if (isfinite(model))
        sp_figure_percent(t->cell[r][6], CELL, model);
    else
        snprintf(t->cell[r][6], CELL, "%s", missing);
    double high = fmax(isfinite(roof) ? roof : 0, isfinite(model) ? model : 0);
    if (measured && high > SP_ABOVE_ROOF) {
        t->marked[r] = true;
        t->above = high;
        strncat(t->cell[r][roof > SP_ABOVE_ROOF ? 5 : 6], " !", 3);
    }
}

static void fill_row(const struct sp_record *record, const json_t *row, struct sp_scale time_scale,
                     struct sp_scale byte_scale, struct table *t)
{
    if (t->n_rows == MAX_ROWS)
        return;
    int r = ++t->n_rows;
    const char *name = sp_item_text(row, "row"), *origin = sp_item_text(row, "bytes_origin");
    bool measured = name && strncmp(name, "measured", 8) == 0;
    double time = sp_item_number(row, "time_s"), lo = sp_item_number(row, "time_lo_s"),
           hi = sp_item_number(row, "time_hi_s"), bytes = sp_item_number(row, "bytes"),
           bytes_lo = sp_item_number(row, "bytes_lo"), bytes_hi = sp_item_number(row, "bytes_hi");
    snprintf(t->cell[r][0], CELL, "%.60s", name ? name : "?");
    if (isfinite(time))
        sp_figure_interval(t->cell[r][1], CELL, time, isfinite(lo) ? lo : time, isfinite(hi) ? hi : time,
                           time_scale.factor, 3);
    else
        snprintf(t->cell[r][1], CELL, "unknown");
    if (isfinite(bytes)) {
        char number[48];
        sp_figure_interval(number, sizeof number, bytes, isfinite(bytes_lo) ? bytes_lo : bytes,
                           isfinite(bytes_hi) ? bytes_hi : bytes, byte_scale.factor, 4);
        const char *source = sp_item_text(row, "bytes_source");
        snprintf(t->cell[r][2], CELL, "%s %.24s", number,
                 source   ? source
                 : origin ? origin
                          : "of unknown origin");
    } else {
        snprintf(t->cell[r][2], CELL, "unknown");
        t->unknown_bytes = true;
    }
    double performance = sp_item_number(row, "performance");
    number_cell(t->cell[r][3], sp_item_number(row, "balance"), 3);
    number_cell(t->cell[r][4], performance / 1e9, 3);
    fraction_cells(record, row, measured, t, r);
}

static void fill(const struct sp_record *record, const json_t *rows, struct table *t)
{
    double longest = 0, most = 0;
    const json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        longest = fmax(longest, sp_item_number(row, "time_s"));
        most = fmax(most, sp_item_number(row, "bytes"));
    }
    struct sp_scale time_scale = sp_scale_of_seconds(longest), byte_scale = sp_scale_of(most);
    const char *level = NULL;
    sp_record_text(record, "binding.level", &level);
    if (level && strcmp(level, "core") == 0)
        level = NULL;
    snprintf(t->cell[0][1], CELL, "time %s", time_scale.prefix);
    snprintf(t->cell[0][2], CELL, "%.16s traffic %sB", level ? sp_words_level(level) : "", byte_scale.prefix);
    static const char *const heads[] = {"B/flop", "Gflop/s", "of roof", "of model"};
    for (int c = 3; c < N_COLUMNS; c++)
        snprintf(t->cell[0][c], CELL, "%s", heads[c - 3]);
    json_array_foreach(rows, i, row) fill_row(record, row, time_scale, byte_scale, t);
}

/* Texts start and numbers with a word go to the left, other numbers to the right of their column. */
static int measure(const struct sp_pen *pen, const struct table *t, int width[N_COLUMNS])
{
    int total = 1;
    for (int c = 0; c < N_COLUMNS; c++) {
        width[c] = 0;
        for (int r = 0; r <= t->n_rows; r++) {
            int columns = sp_pen_columns(pen, t->cell[r][c]);
            width[c] = columns > width[c] ? columns : width[c];
        }
        total += width[c];
    }
    return total;
}

static void print(struct sp_pen *pen, struct table *t)
{
    int width[N_COLUMNS], total = measure(pen, t, width), gaps = N_COLUMNS - 1;
    if (total + gaps > pen->width) {
        snprintf(t->cell[0][5], CELL, "roof");
        snprintf(t->cell[0][6], CELL, "model");
        total = measure(pen, t, width);
    }
    int gap = total + 3 * gaps <= pen->width ? 3 : total + 2 * gaps <= pen->width ? 2 : 1;
    for (int r = 0; r <= t->n_rows; r++) {
        enum sp_ink ink = r == 0                                       ? SP_INK_DIM
                          : strncmp(t->cell[r][0], "measured", 8) == 0 ? SP_INK_BOLD
                                                                       : SP_INK_PLAIN;
        int column = 1, last = N_COLUMNS - 1;
        while (last > 0 && !t->cell[r][last][0])
            last--;
        for (int c = 0; c <= last; c++) {
            if (c <= 2 && t->cell[r][c][0]) {
                sp_pen_tab(pen, column);
                sp_pen_put(pen, ink, "%s", t->cell[r][c]);
            } else if (c > 2) {
                enum sp_ink cell_ink = t->marked[r] && strchr(t->cell[r][c], '!') ? SP_INK_RED : ink;
                sp_pen_right(pen, cell_ink, column + width[c], t->cell[r][c]);
            }
            column += width[c] + gap;
        }
        sp_pen_end(pen);
    }
}

static const char *by_whom(const struct sp_record *record, char *text, size_t size)
{
    const char *source = sp_words_text(record, "counters.source", "");
    bool added = sp_value_known(sp_record_metric(record, "bytes_read")) &&
                 !sp_value_known(sp_record_metric(record, "bytes_written")); /* flag Q27 */
    snprintf(text, size, *source ? " (%.32s%s)" : "%s", source, added ? ", and y modelled" : "");
    return text;
}

/* What the two fractions are made of, so that neither stands without its words. */
static void legend(struct sp_pen *pen, const struct sp_record *record, const struct table *t)
{
    char text[256], number[64], who[64];
    pen->indent = 1;
    sp_pen_tab(pen, 1);
    struct sp_value bytes = sp_record_metric(record, "bytes");
    struct sp_value roof = sp_record_value_of(sp_record_roof(record));
    if (sp_value_known(bytes) && sp_value_known(roof)) {
        snprintf(text, sizeof text, "of roof: %s bytes%s / (time x %s GB/s %s), median of pairs",
                 sp_origin_name(bytes.origin),
                 bytes.origin == SP_MEASURED || bytes.origin == SP_CONSTRUCTED
                     ? by_whom(record, who, sizeof who)
                     : "",
                 sp_figure(number, sizeof number, roof.value / 1e9, 3), sp_origin_name(roof.origin));
        sp_pen_words(pen, SP_INK_DIM, text);
        sp_pen_end(pen);
        pen->indent = 1;
        sp_pen_tab(pen, 1);
    }
    sp_pen_words(pen, SP_INK_DIM, "of model: modelled time with x loaded once / time");
    sp_pen_end(pen);
    if (t->unknown_bytes && !sp_value_known(bytes)) {
        snprintf(text, sizeof text, "traffic unknown: %s", bytes.why);
        pen->indent = 1;
        sp_pen_tab(pen, 1);
        sp_pen_words(pen, SP_INK_YELLOW, text);
        sp_pen_end(pen);
    }
    if (t->above > 0) {
        char percent[32];
        snprintf(
            text, sizeof text,
            "! %s is above the ceiling: either part of the data stayed in a cache, or the bytes are "
            "overstated, or the ceiling was measured under other conditions. The flags say what is known.",
            sp_figure_percent(percent, sizeof percent, t->above));
        pen->indent = 1;
        sp_pen_tab(pen, 1);
        sp_pen_words(pen, SP_INK_RED, text);
        sp_pen_end(pen);
    }
}

/* What "x" stands for in the rows of other operations than SpMV. */
static void name_x(struct sp_pen *pen, const struct sp_record *record)
{
    const char *op = sp_words_text(record, "config.op", "spmv");
    const char *words =
        strcmp(op, "spmmv") == 0 || strcmp(op, "spmm") == 0 ? "x: the rows of X that entries gather"
        : strcmp(op, "sddmm") == 0   ? "x: the rows of B that entries gather; A is read row by row"
        : strcmp(op, "fusedmm") == 0 ? "x: the rows of B and of D that entries gather"
                                     : NULL;
    if (!words)
        return;
    pen->indent = 1;
    sp_pen_tab(pen, 1);
    sp_pen_words(pen, SP_INK_DIM, words);
    sp_pen_end(pen);
}

static void alpha_line(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_value alpha = sp_record_metric(record, "alpha"),
                    second = sp_record_metric(record, "alpha_simulated"),
                    least = sp_record_metric(record, "alpha_min"),
                    loads = sp_record_metric(record, "x_loads");
    const json_t *node = sp_record_node(record, "metrics.alpha");
    if (!node && !sp_value_known(least))
        return;
    char text[256];
    fputc('\n', pen->out);
    pen->indent = 8;
    sp_pen_put(pen, SP_INK_PLAIN, " alpha  ");
    sp_pen_part(pen, SP_INK_BOLD, 0, "%s", sp_figure_value(text, sizeof text, alpha, 1, "", 2));
    if (sp_value_known(second) && alpha.origin != SP_SIMULATED)
        sp_pen_put(pen, SP_INK_PLAIN, ", %s", sp_figure_value(text, sizeof text, second, 1, "", 2));
    if (sp_value_known(least)) {
        char times[64] = "";
        if (sp_value_known(loads) && loads.value < 0.95) /* warm, and x fits further in */
            snprintf(times, sizeof times, " for one load: x stays in inner caches");
        else if (sp_value_known(loads))
            snprintf(times, sizeof times, ": x is loaded %.1f times", loads.value);
        sp_pen_part(pen, SP_INK_PLAIN, 4, "lowest possible %s%s",
                    sp_figure_value(text, sizeof text, least, 1, "", 2), times);
    }
    sp_pen_end(pen);
}

static void beta_line(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_value beta = sp_record_metric(record, "beta");
    if (!sp_value_known(beta) || beta.value >= 1)
        return;
    char text[128], fill[32];
    pen->indent = 8;
    sp_pen_put(pen, SP_INK_PLAIN, " beta   ");
    sp_pen_put(pen, SP_INK_BOLD, "%s", sp_figure_value(text, sizeof text, beta, 1, "", 3));
    sp_pen_part(pen, SP_INK_PLAIN, 4, "%s of the stored entries are fill",
                sp_figure_percent(fill, sizeof fill, 1 - beta.value));
    sp_pen_end(pen);
}

void sp_section_table(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *rows = sp_record_node(record, "table");
    if (json_array_size(rows) > 0) {
        struct table t = {0};
        fill(record, rows, &t);
        fputc('\n', pen->out);
        print(pen, &t);
        legend(pen, record, &t);
        name_x(pen, record);
    }
    alpha_line(pen, record);
    beta_line(pen, record);
}
