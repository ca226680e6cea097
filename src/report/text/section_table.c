#include <string.h>

#include "base/figures.h"
#include "report/text/sections.h"
#include "report/text/table_cells.h"

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
