#include "report/report_series.h"

#include <math.h>
#include <string.h>

#include "base/figures.h"
#include "base/print.h"
#include "io/record/record.h"
#include "io/record/record_losses.h"

enum { MOST = 32, N_COLUMNS = 8, CELL = 40 };

struct table {
    char cell[MOST + 1][N_COLUMNS][CELL];
    int n_rows;
};

static void number(char cell[CELL], double x, double scale)
{
    if (isfinite(x))
        sp_figure(cell, CELL, x / scale, 3);
    else
        snprintf(cell, CELL, "unknown");
}

static void fill(const struct sp_series_point *p, int n, struct table *t)
{
    static const char *const heads[N_COLUMNS] = {"r",       "time ms",  "B/flop", "x once",
                                                 "Gflop/s", "of limit", "P_core", "b_S/B"};
    double longest = 0;
    for (int i = 0; i < n; i++)
        longest = fmax(longest, p[i].time_s.value);
    struct sp_scale time = sp_scale_of_seconds(longest);
    for (int c = 0; c < N_COLUMNS; c++)
        snprintf(t->cell[0][c], CELL, "%s", heads[c]);
    snprintf(t->cell[0][1], CELL, "time %s", time.prefix);
    for (int i = 0; i < n; i++) {
        char(*row)[CELL] = t->cell[++t->n_rows];
        snprintf(row[0], CELL, "%lld", (long long)p[i].r);
        sp_figure_interval(row[1], CELL, p[i].time_s.value, p[i].time_s.lo, p[i].time_s.hi, time.factor, 3);
        number(row[2], p[i].balance.value, 1);
        number(row[3], p[i].balance_min, 1);
        number(row[4], p[i].performance.value, 1e9);
        if (isfinite(p[i].model) && p[i].model > 0)
            sp_figure_percent(row[5], CELL, p[i].performance.value / p[i].model);
        else
            snprintf(row[5], CELL, "unknown");
        number(row[6], p[i].core, 1e9);
        number(row[7], p[i].bandwidth, 1e9);
    }
}

static void print(struct sp_pen *pen, const struct table *t, const struct sp_series_point *p)
{
    int width[N_COLUMNS];
    for (int c = 0; c < N_COLUMNS; c++) {
        width[c] = 0;
        for (int r = 0; r <= t->n_rows; r++) {
            int columns = sp_pen_columns(pen, t->cell[r][c]);
            width[c] = columns > width[c] ? columns : width[c];
        }
    }
    for (int r = 0; r <= t->n_rows; r++) {
        int column = 1;
        enum sp_ink ink = r == 0 ? SP_INK_DIM : SP_INK_PLAIN;
        for (int c = 0; c < N_COLUMNS; c++) {
            sp_pen_right(pen, ink, column + width[c], t->cell[r][c]);
            column += width[c] + 2;
        }
        sp_pen_tab(pen, column);
        sp_pen_put(pen, ink, "%s", r == 0 ? "limited by" : p[r - 1].binding);
        sp_pen_end(pen);
    }
}

/* "best r: predicted 16 (no worse: 8)". */
static void best_part(struct sp_pen *pen, const char *words, const struct sp_series_point *p, int n, int best,
                      bool modelled)
{
    bool ties = false;
    sp_pen_put(pen, SP_INK_BOLD, "%s %lld", words, (long long)p[best].r);
    for (int i = 0; i < n; i++)
        if (i != best && sp_series_ties(p, i, best, modelled)) {
            sp_pen_put(pen, SP_INK_PLAIN, "%s %lld", ties ? "," : " (no worse:", (long long)p[i].r);
            ties = true;
        }
    if (ties)
        sp_pen_put(pen, SP_INK_PLAIN, ")");
}

/* Where the limit changes, and which r is best. */
static void verdict(struct sp_pen *pen, const struct sp_series_point *p, int n)
{
    pen->indent = 1;
    for (int i = 1; i < n; i++)
        if (strcmp(p[i].binding, p[i - 1].binding) != 0) {
            sp_pen_tab(pen, 1);
            sp_pen_part(pen, SP_INK_PLAIN, 0, "from r = %lld on %s limits, below it %s", (long long)p[i].r,
                        p[i].binding, p[i - 1].binding);
            sp_pen_end(pen);
        }
    int predicted = sp_series_best(p, n, true), found = sp_series_best(p, n, false);
    sp_pen_tab(pen, 1);
    if (isfinite(p[predicted].model))
        best_part(pen, "best r: predicted", p, n, predicted, true);
    best_part(pen, isfinite(p[predicted].model) ? ", measured" : "best r: not predicted, measured", p, n,
              found, false);
    if (p[found].r > p[0].r && !sp_series_ties(p, 0, found, false))
        sp_pen_part(pen, SP_INK_PLAIN, 2, "a vector costs %.2f times less than with r = %lld",
                    p[found].performance.value / p[0].performance.value, (long long)p[0].r);
    sp_pen_end(pen);
}

void sp_report_series(const struct sp_record *const *records, int n_records,
                      const struct sp_report_style *style, FILE *out)
{
    struct sp_series_point point[MOST];
    struct sp_pen pen;
    struct table t = {.n_rows = 0};
    int n = 0, n_disturbed = 0;
    for (int i = 0; i < n_records && n < MOST; i++) {
        const bool has_point = sp_series_point_of(records[i], &point[n]),
                   is_disturbed = has_point && sp_verdict_disturbed(records[i]) != NULL;
        n_disturbed += is_disturbed;
        n += has_point && !is_disturbed;
    }
    if (n < 2)
        return;
    sp_pen_open(&pen, style, out);
    fputc('\n', out);
    sp_pen_put(&pen, SP_INK_BOLD, "OVER r");
    sp_pen_part(&pen, SP_INK_PLAIN, 3, "%s %s", sp_words_op(sp_words_text(records[0], SP_F_CONFIG_OP, "?")),
                sp_words_text(records[0], SP_F_CONFIG_FORMAT_TEXT, "?"));
    sp_pen_part(&pen, SP_INK_DIM, 3,
                "times and P_core measured, bytes %s, x once [B/flop] and b_S/B modelled; P_core and b_S/B "
                "in Gflop/s",
                sp_origin_name(point[0].balance.origin));
    sp_pen_end(&pen);
    fill(point, n, &t);
    print(&pen, &t, point);
    verdict(&pen, point, n);
    if (n_disturbed > 0)
        sp_print(out, " %d left out: too many samples were disturbed\n", n_disturbed);
}
