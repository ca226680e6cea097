#include <math.h>
#include <string.h>

#include "base/text.h"
#include "io/record/record_losses.h"
#include "report/text/sections.h"

/* A number, or what stands for one that is not known. */
static void number_cell(char *cell, double x, int digits)
{
    if (isfinite(x))
        sp_figure(cell, SP_TABLE_CELL, x, digits);
    else
        snprintf(cell, SP_TABLE_CELL, "unknown");
}

/* The shares of the roof (bandwidth_fraction) and of the model (model_fraction) of one row. */
static void fraction_cells(const struct sp_record *record, const json_t *row, bool measured,
                           struct sp_table_cells *t, int r)
{
    const char *name = sp_item_text(row, "fraction_name");
    double given = sp_item_number(row, "fraction"), roof = NAN, model = NAN;
    if (name && strcmp(name, "bandwidth_fraction") == 0)
        roof = given;
    if (name && strcmp(name, "model_fraction") == 0)
        model = given;
    if (measured) {
        struct sp_value v = sp_record_value(record, SP_F_METRICS_BANDWIDTH_FRACTION);
        if (!isfinite(roof) && sp_value_known(v))
            roof = v.value;
        v = sp_record_value(record, SP_F_METRICS_MODEL_FRACTION);
        if (!isfinite(model) && sp_value_known(v))
            model = v.value;
    }
    const char *missing = measured ? "unknown" : "";
    if (isfinite(roof))
        sp_figure_percent(t->cell[r][5], SP_TABLE_CELL, roof);
    else
        snprintf(t->cell[r][5], SP_TABLE_CELL, "%s", missing);
    if (isfinite(model))
        sp_figure_percent(t->cell[r][6], SP_TABLE_CELL, model);
    else
        snprintf(t->cell[r][6], SP_TABLE_CELL, "%s", missing);
    double high = fmax(isfinite(roof) ? roof : 0, isfinite(model) ? model : 0);
    if (measured && high > SP_ABOVE_ROOF) {
        t->marked[r] = true;
        t->above = high;
        strncat(t->cell[r][roof > SP_ABOVE_ROOF ? 5 : 6], " !", 3);
    }
}

static const char model[] = "model, ";

/* Of a run that was disturbed no time is shown, nor what follows from it. */
static void fill_row(const struct sp_record *record, const json_t *row, struct sp_scale time_scale,
                     struct sp_scale byte_scale, struct sp_table_cells *t)
{
    if (t->n_rows == SP_TABLE_ROWS)
        return;
    int r = ++t->n_rows;
    const char *name = sp_item_text(row, "row"), *whose = sp_words_row_bytes(record, row);
    bool measured = name && strncmp(name, "measured", 8) == 0;
    double time = sp_item_number(row, "time_s"), lo = sp_item_number(row, "time_lo_s"),
           hi = sp_item_number(row, "time_hi_s"), bytes = sp_item_number(row, "bytes"),
           bytes_lo = sp_item_number(row, "bytes_lo"), bytes_hi = sp_item_number(row, "bytes_hi");
    const bool roofline = t->has_ecm && name && strncmp(name, model, strlen(model)) == 0;
    snprintf(t->cell[r][0], SP_TABLE_CELL, "%s%.60s", roofline ? "roofline, " : "",
             roofline ? name + strlen(model)
             : name   ? name
                      : "?");
    const bool disturbed = sp_verdict_disturbed(record) != NULL;
    if (isfinite(time) && !disturbed)
        sp_figure_interval(t->cell[r][1], SP_TABLE_CELL, time, isfinite(lo) ? lo : time,
                           isfinite(hi) ? hi : time, time_scale.factor, 3);
    else
        snprintf(t->cell[r][1], SP_TABLE_CELL, "unknown");
    if (isfinite(bytes)) {
        char number[48];
        sp_figure_interval(number, sizeof number, bytes, isfinite(bytes_lo) ? bytes_lo : bytes,
                           isfinite(bytes_hi) ? bytes_hi : bytes, byte_scale.factor, 4);
        snprintf(t->cell[r][2], SP_TABLE_CELL, "%s %.24s", number, whose ? whose : "of unknown origin");
    } else {
        snprintf(t->cell[r][2], SP_TABLE_CELL, "unknown");
        t->unknown_bytes = true;
    }
    double performance = sp_item_number(row, "performance");
    number_cell(t->cell[r][3], sp_item_number(row, "balance"), 3);
    number_cell(t->cell[r][4], disturbed ? NAN : performance / 1e9, 3);
    if (!disturbed)
        fraction_cells(record, row, measured, t, r);
}

bool sp_table_cells_fill(const struct sp_record *record, struct sp_table_cells *t)
{
    const json_t *rows = sp_record_node(record, SP_F_TABLE);
    double longest = 0, most = 0;
    const json_t *row;
    size_t i;
    memset(t, 0, sizeof *t);
    json_array_foreach(rows, i, row)
    {
        longest = fmax(longest, sp_item_number(row, "time_s"));
        most = fmax(most, sp_item_number(row, "bytes"));
        const char *name = sp_item_text(row, "row");
        t->has_ecm = t->has_ecm || (name && strncmp(name, "ECM", 3) == 0);
    }
    if (sp_verdict_disturbed(record))
        longest = 1;
    struct sp_scale time_scale = sp_scale_of_seconds(longest), byte_scale = sp_scale_of(most);
    const char *level = NULL;
    sp_record_text(record, SP_F_BINDING_LEVEL, &level);
    if (level && strcmp(level, "core") == 0)
        level = NULL;
    snprintf(t->cell[0][1], SP_TABLE_CELL, "time %s", time_scale.prefix);
    snprintf(t->cell[0][2], SP_TABLE_CELL, "%.16s traffic %sB", level ? sp_words_level(record, level) : "",
             byte_scale.prefix);
    static const char *const heads[] = {"B/flop", "Gflop/s", "of roof", "of model"};
    for (int c = 3; c < SP_TABLE_COLUMNS; c++)
        snprintf(t->cell[0][c], SP_TABLE_CELL, "%s", heads[c - 3]);
    json_array_foreach(rows, i, row) fill_row(record, row, time_scale, byte_scale, t);
    return t->n_rows > 0;
}

static const char *by_whom(const struct sp_record *record, char *text, size_t size)
{
    const char *source = sp_words_text(record, SP_F_COUNTERS_SOURCE, "");
    bool added = sp_value_known(sp_record_value(record, SP_F_METRICS_BYTES_READ)) &&
                 !sp_value_known(sp_record_value(record, SP_F_METRICS_BYTES_WRITTEN)); /* flag Q27 */
    snprintf(text, size, *source ? " (%.32s%s)" : "%s", source, added ? ", and y modelled" : "");
    return text;
}

/* What the two fractions are made of, so that neither stands without its words. */
static void explain_fractions(const struct sp_record *record, const struct sp_table_cells *t,
                              sp_table_remark *remark, void *context)
{
    char text[256], number[64], who[64];
    struct sp_value bytes = sp_record_value(record, SP_F_METRICS_BYTES);
    struct sp_value roof = sp_record_value_of(sp_record_roof(record));
    if (sp_value_known(bytes) && sp_value_known(roof)) {
        snprintf(text, sizeof text, "of roof: %s bytes%s / (time x %s GB/s %s), median of pairs",
                 sp_origin_name(bytes.origin),
                 bytes.origin == SP_MEASURED || bytes.origin == SP_CONSTRUCTED
                     ? by_whom(record, who, sizeof who)
                     : "",
                 sp_figure(number, sizeof number, roof.value / 1e9, 3), sp_origin_name(roof.origin));
        remark(context, SP_INK_DIM, text);
    }
    remark(context, SP_INK_DIM,
           t->has_ecm ? "of model: the roofline's time with x loaded once / time"
                      : "of model: modelled time with x loaded once / time");
    if (strncmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu", 3) != 0)
        remark(context, SP_INK_DIM, "modelled bytes: the formula's, with alpha as its row says");
}

/* What "x" stands for in the rows of other operations than SpMV; NULL: nothing else. */
static const char *words_for_x(const struct sp_record *record)
{
    const char *op = sp_words_text(record, SP_F_CONFIG_OP, "spmv");
    return strcmp(op, "spmmv") == 0 || strcmp(op, "spmm") == 0 ? "x: the rows of X that entries gather"
           : strcmp(op, "sddmm") == 0   ? "x: the rows of B that entries gather; A is read row by row"
           : strcmp(op, "fusedmm") == 0 ? "x: the rows of B and of D that entries gather"
                                        : NULL;
}

void sp_table_remarks(const struct sp_record *record, const struct sp_table_cells *t, sp_table_remark *remark,
                      void *context)
{
    char text[256], percent[32];
    struct sp_value bytes = sp_record_value(record, SP_F_METRICS_BYTES);
    if (!sp_verdict_disturbed(record))
        explain_fractions(record, t, remark, context);
    else
        remark(context, SP_INK_DIM, "times unknown: too many samples were disturbed");
    if (t->unknown_bytes && !sp_value_known(bytes)) {
        snprintf(text, sizeof text, "traffic unknown: %s", bytes.why);
        remark(context, SP_INK_YELLOW, text);
    }
    if (t->above > 0) {
        snprintf(text, sizeof text,
                 "! %s is above the ceiling: either part of the data stayed in a cache, or the bytes are "
                 "overstated, or the machine was slower when the ceiling was measured. The flags say what is "
                 "known.",
                 sp_figure_percent(percent, sizeof percent, t->above));
        remark(context, SP_INK_RED, text);
    }
    if (words_for_x(record))
        remark(context, SP_INK_DIM, words_for_x(record));
}

/* Texts start and numbers with a word go to the left, other numbers to the right of a column. */
static int measure(const struct sp_pen *pen, const struct sp_table_cells *t, int width[SP_TABLE_COLUMNS])
{
    int total = 1;
    for (int c = 0; c < SP_TABLE_COLUMNS; c++) {
        width[c] = 0;
        for (int r = 0; r <= t->n_rows; r++) {
            int columns = sp_pen_columns(pen, t->cell[r][c]);
            width[c] = columns > width[c] ? columns : width[c];
        }
        total += width[c];
    }
    return total;
}

static void print(struct sp_pen *pen, struct sp_table_cells *t)
{
    int width[SP_TABLE_COLUMNS], total = measure(pen, t, width), gaps = SP_TABLE_COLUMNS - 1;
    if (total + gaps > pen->width) {
        snprintf(t->cell[0][5], SP_TABLE_CELL, "roof");
        snprintf(t->cell[0][6], SP_TABLE_CELL, "model");
        total = measure(pen, t, width);
    }
    int gap = total + 3 * gaps <= pen->width ? 3 : total + 2 * gaps <= pen->width ? 2 : 1;
    for (int r = 0; r <= t->n_rows; r++) {
        enum sp_ink ink = r == 0                                       ? SP_INK_DIM
                          : strncmp(t->cell[r][0], "measured", 8) == 0 ? SP_INK_BOLD
                                                                       : SP_INK_PLAIN;
        int column = 1, last = SP_TABLE_COLUMNS - 1;
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

static void alpha_line(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_value alpha = sp_record_value(record, SP_F_METRICS_ALPHA),
                    second = sp_record_value(record, SP_F_METRICS_ALPHA_SIMULATED),
                    least = sp_record_value(record, SP_F_METRICS_ALPHA_MIN),
                    loads = sp_record_value(record, SP_F_METRICS_X_LOADS);
    const json_t *node = sp_record_node(record, SP_F_METRICS_ALPHA);
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
        sp_pen_part(pen, SP_INK_PLAIN, 4, "cold minimum %s%s",
                    sp_figure_value(text, sizeof text, least, 1, "", 2), times);
    }
    sp_pen_end(pen);
}

static void beta_line(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_value beta = sp_record_value(record, SP_F_METRICS_BETA);
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

void sp_section_alpha(struct sp_pen *pen, const struct sp_record *record)
{
    alpha_line(pen, record);
    beta_line(pen, record);
}

static void print_remark(void *context, enum sp_ink ink, const char *text)
{
    struct sp_pen *pen = context;
    pen->indent = 1;
    sp_pen_tab(pen, 1);
    sp_pen_words(pen, ink, text);
    sp_pen_end(pen);
}

void sp_section_table(struct sp_pen *pen, const struct sp_record *record)
{
    struct sp_table_cells t;
    if (sp_table_cells_fill(record, &t)) {
        fputc('\n', pen->out);
        print(pen, &t);
        sp_table_remarks(record, &t, print_remark, pen);
    }
    sp_section_alpha(pen, record);
}
