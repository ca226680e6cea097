#include "report/html/html_sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/print.h"
#include "base/text.h"
#include "io/record/record_losses.h"
#include "plots/plot.h"
#include "report/html/html_page.h"

enum { WORDS = 1024, CELL = 64 };

static enum sp_status draw(const struct sp_page *page, const struct sp_plot_kind *kind,
                           const struct sp_record *const *records, int n, const char *title, const char *text,
                           struct sp_error *err)
{
    char id[64], *svg;
    size_t size;
    snprintf(id, sizeof id, "r%d-plot-%s", page->part, kind->name);
    enum sp_status status =
        sp_plot_picture(kind, records, n, SP_TERM_SVG, &page->options->tool, &svg, &size, err);
    if (status == SP_OK) {
        /* A scale of colours means nothing in other colours. */
        const bool scale = strcmp(kind->name, "beta") == 0 || strcmp(kind->name, "spy") == 0;
        const struct sp_inline_svg picture = {id, title, text, kind->width, kind->height, scale};
        status = sp_inline_svg(svg, &picture, page->out, err);
    }
    free(svg);
    return status;
}

/* Why there is no picture; what it would say is in numbers on the page all the same. */
static void explain_absence(struct sp_page *page, const char *title, const char *why)
{
    sp_page_put(page, "<p class=\"undrawn\">");
    sp_page_text(page, "%s: not drawn. %s", title, why);
    sp_page_put(page, "</p>\n");
}

/* A plot of records[n], or why it is not drawn; nothing without its data. Was it drawn? */
static bool draw_plot(struct sp_page *page, const char *kind_name, const struct sp_record *const *records,
                      int n, const char *title, const char *text)
{
    const struct sp_plot_kind *kind = sp_plot_kind_find(kind_name);
    struct sp_error err;
    if (page->options->no_plots || !sp_plot_takes(kind, records, n))
        return false;
    if (!page->options->tool.gnuplot) {
        explain_absence(
            page, title,
            page->has_told_of_gnuplot
                ? "It needs gnuplot."
                : "Plots need gnuplot, which is not installed where this page was made. Install it "
                  "(package gnuplot-nox), then `spmodel plot " SP_O_HTML " FILE RECORD.json` makes the page "
                  "again from the record, with plots.");
        page->has_told_of_gnuplot = true;
        return false;
    }
    sp_page_put(page, "<figure>\n");
    sp_page_box_begin(page, title);
    const bool drawn = draw(page, kind, records, n, title, text, &err) == SP_OK;
    if (!drawn)
        explain_absence(page, title, err.what);
    sp_page_box_end(page);
    if (drawn)
        sp_page_element(page, "figcaption", NULL, "%s", text);
    sp_page_put(page, "</figure>\n");
    return drawn;
}

/* How many of n records the plot does not show, and why; `lacks`: what the first one lacks. */
static void tell_left_out(struct sp_page *page, int n, int n_drawn, int n_lacking,
                          const struct sp_lack *lacks)
{
    const int n_left = n - n_drawn;
    char text[128];
    if (n_left == 0)
        return;
    sp_page_put(page, "<p>");
    sp_page_text(page, "%d of the %d records %s not in this plot: ", n_left, n, n_left == 1 ? "is" : "are");
    if (n_lacking > 0)
        sp_page_text(page, "%d lack%s what it needs, %s%s", n_lacking, n_lacking == 1 ? "s" : "",
                     n_lacking == 1 ? "" : "the first of them ", sp_lack_text(text, sizeof text, lacks));
    if (n_lacking < n_left)
        sp_page_text(page, "%sit has room for %d", n_lacking > 0 ? "; " : "", n_drawn);
    sp_page_put(page, ".</p>\n");
}

void sp_page_plot_of_several(struct sp_page *page, const char *kind_name,
                             const struct sp_record *const *records, int n, const char *title,
                             const char *text)
{
    const struct sp_plot_kind *kind = sp_plot_kind_find(kind_name);
    const struct sp_record **fit = calloc((size_t)n + 1, sizeof *fit);
    const struct sp_lack *first_lack = NULL;
    int n_fit = 0, n_lacking = 0;
    for (int i = 0; fit && i < n; i++) {
        const struct sp_lack *lacks = kind->lacks(records[i]);
        n_lacking += lacks != NULL;
        first_lack = first_lack ? first_lack : lacks;
        if (!lacks && n_fit < kind->max_records)
            fit[n_fit++] = records[i];
    }
    if (n_fit == 0 && first_lack && !page->options->no_plots) {
        char why[256], lack[128];
        snprintf(why, sizeof why, "No record has what it needs; the first lacks %s.",
                 sp_lack_text(lack, sizeof lack, first_lack));
        explain_absence(page, title, why);
    } else if (draw_plot(page, kind_name, fit, n_fit, title, text)) {
        tell_left_out(page, n, n_fit, n_lacking, first_lack);
    }
    free(fit);
}

/* Cells of the tables below: what a record lacks is unknown there, too. */
static void figure_cell(struct sp_page *page, const json_t *item, const char *key, int digits)
{
    const double x = sp_item_number(item, key);
    char cell[CELL];
    sp_page_cell(page, 'r', isfinite(x) ? sp_figure(cell, sizeof cell, x, digits) : "unknown");
}

static void count_cell(struct sp_page *page, const json_t *item, const char *key)
{
    const double x = sp_item_number(item, key);
    char cell[CELL];
    sp_page_cell(page, 'r', fabs(x) < 1e15 ? sp_text_count(cell, sizeof cell, (int64_t)x) : "unknown");
}

/* The numbers of a plot are folded away beside it, and open where it is not drawn. */
static void begin_numbers(struct sp_page *page, bool drawn)
{
    sp_print(page->out, "<details%s>\n<summary>The numbers of this plot</summary>\n",
             drawn ? "" : " open=\"open\"");
}

static void end_numbers(struct sp_page *page)
{
    sp_page_put(page, "</details>\n");
}

/* The first part of a page of several records with the same pattern, which has it drawn; 0: this
 * one draws it. */
static int part_with_pattern(const struct sp_page *page, const struct sp_record *record)
{
    const json_t *spy = sp_record_node(record, SP_F_CURVES_SPY);
    for (int k = 1; page->parts && k < page->part; k++)
        if (json_equal(sp_record_node(page->parts[k - 1], SP_F_CURVES_SPY), spy))
            return k;
    return 0;
}

void sp_page_spy(struct sp_page *page, const struct sp_record *record)
{
    int64_t rows = 0, cols = 0;
    char text[256], name[400];
    if (sp_plot_kind_find("spy")->lacks(record) || page->options->no_plots)
        return;
    sp_record_count(record, SP_F_CURVES_SPY_ROWS, &rows);
    sp_record_count(record, SP_F_CURVES_SPY_COLS, &cols);
    const json_t *counts = sp_record_node(record, SP_F_CURVES_SPY_COUNTS), *count;
    size_t i;
    int64_t taken = 0;
    json_array_foreach(counts, i, count) taken += json_number_value(count) > 0;
    snprintf(text, sizeof text,
             "Where the nonzeros lie: of a grid of %lld x %lld cells over the matrix %lld hold entries; the "
             "darker, the more.",
             (long long)rows, (long long)cols, (long long)taken);
    sp_page_heading(page, page->level, "pattern", "Pattern of the matrix");
    const int drawn = part_with_pattern(page, record);
    if (drawn > 0) {
        sp_print(page->out, "<p>It is the one of <a href=\"#r%d-pattern\">", drawn);
        sp_page_text(page, "%s", sp_html_name(page->parts[drawn - 1], name, sizeof name));
        sp_page_put(page, "</a>.</p>\n");
        return;
    }
    draw_plot(page, "spy", &record, 1, "Pattern of the matrix", text);
}

/* "DRAM load 76.0 ±0.8 GB/s measured; ..." */
static void list_roofs(const struct sp_record *record, char *text, size_t size)
{
    const json_t *roofs = sp_record_node(record, SP_F_ROOFS), *roof;
    char name[CELL], value[160];
    size_t i;
    json_array_foreach(roofs, i, roof)
    {
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s %s", i ? "; " : "",
                 sp_words_roof(name, sizeof name, record, roof),
                 sp_words_roof_value(value, sizeof value, roof));
    }
}

void sp_page_roofline(struct sp_page *page, const struct sp_record *record)
{
    const struct sp_value rate = sp_record_value(record, SP_F_METRICS_PERFORMANCE),
                          balance = sp_record_value(record, SP_F_METRICS_BALANCE);
    char text[WORDS] = "Ceilings: ", a[160], b[160], point[400];
    const char *disturbed = sp_verdict_disturbed(record);
    const bool on_gpu = strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0;
    if (sp_plot_kind_find("roofline")->lacks(record) &&
        (!on_gpu || sp_plot_kind_find("levels")->lacks(record)))
        return;
    if (page->options->no_plots)
        return;
    sp_page_heading(page, page->level, "roofline", "Roofline");
    list_roofs(record, text, sizeof text);
    const size_t used = strlen(text);
    if (disturbed)
        snprintf(point, sizeof point, "none, %s", disturbed);
    else
        snprintf(point, sizeof point, "%s at a code balance of %s",
                 sp_figure_value(a, sizeof a, rate, 1e9, "Gflop/s", 3),
                 sp_figure_value(b, sizeof b, balance, 1, "B/flop", 3));
    snprintf(
        text + used, sizeof text - used,
        ". Measured point: %s; hollow points are the model's, and the line that joins them is the excess "
        "traffic.%s",
        point, !sp_plot_kind_find("losses")->lacks(record) ? " The bars beside it are the losses." : "");
    draw_plot(page, "roofline", &record, 1, "Roofline", text);
    if (on_gpu)
        draw_plot(page, "levels", &record, 1, "Roofline of each level of the GPU",
                  "For each way to share the work among the GPU's threads: its rate over the work done for "
                  "a byte of L1, L2 and memory, below the roof of that level.");
}

static void alpha_words(const json_t *points, char *text, size_t size)
{
    const json_t *first = json_array_get(points, 0),
                 *last = json_array_get(points, json_array_size(points) - 1);
    char a[CELL], b[CELL], c[CELL], d[CELL];
    const bool known = isfinite(sp_item_number(first, "alpha")) && isfinite(sp_item_number(last, "alpha"));
    if (!known || !isfinite(sp_item_number(first, "capacity_B") + sp_item_number(last, "capacity_B"))) {
        snprintf(text, size, "Traffic of x for each entry, over the size of a fully associative cache.");
        return;
    }
    snprintf(
        text, size,
        "Traffic of x for each entry, over the size of a fully associative cache: alpha is %s with %s and "
        "%s with %s. Lines mark the caches of this machine and x loaded once. Where the run lies above "
        "the curve, lines of x share the sets of its cache.",
        sp_figure(a, sizeof a, sp_item_number(first, "alpha"), 2),
        sp_text_bytes(b, sizeof b, sp_item_number(first, "capacity_B")),
        sp_figure(c, sizeof c, sp_item_number(last, "alpha"), 2),
        sp_text_bytes(d, sizeof d, sp_item_number(last, "capacity_B")));
}

void sp_page_alpha_curve(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"cache size", "alpha"};
    const json_t *points = sp_record_node(record, SP_F_CURVES_ALPHA_CACHE_POINTS), *point;
    char text[WORDS], cell[CELL];
    size_t i;
    if (json_array_size(points) < 2)
        return;
    sp_page_heading(page, page->level, "alpha", "Traffic of x over cache size");
    alpha_words(points, text, sizeof text);
    begin_numbers(page, draw_plot(page, "alpha", &record, 1, "Alpha over cache size", text));
    snprintf(text, sizeof text, "Alpha over cache size, %s",
             sp_words_text(record, SP_F_CURVES_ALPHA_CACHE_ORIGIN, "of unknown origin"));
    sp_page_table_begin(page, text, "rr", heads);
    json_array_foreach(points, i, point)
    {
        const double capacity = sp_item_number(point, "capacity_B");
        sp_page_row_begin(page, NULL);
        sp_page_cell(page, 'r', isfinite(capacity) ? sp_text_bytes(cell, sizeof cell, capacity) : "unknown");
        figure_cell(page, point, "alpha", 3);
        sp_page_row_end(page);
    }
    sp_page_table_end(page);
    end_numbers(page);
}

void sp_page_beta_map(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"C", "sigma", "beta"};
    const json_t *map = sp_record_node(record, SP_F_CURVES_BETA_MAP), *one;
    double least = INFINITY, most = 0;
    char text[256], a[CELL], b[CELL];
    size_t i;
    json_array_foreach(map, i, one)
    {
        least = fmin(least, sp_item_number(one, "beta"));
        most = fmax(most, sp_item_number(one, "beta"));
    }
    if (!(most >= least)) /* none is known */
        return;
    sp_page_heading(page, page->level, "beta", "Fill of SELL-C-sigma");
    snprintf(text, sizeof text,
             "beta, the share of stored entries that are nonzeros, over chunk height C and sorting window "
             "sigma: from %s to %s, modelled.",
             sp_figure(a, sizeof a, least, 3), sp_figure(b, sizeof b, most, 3));
    begin_numbers(page, draw_plot(page, "beta", &record, 1, "Beta over C and sigma", text));
    sp_page_table_begin(page, "Beta over C and sigma, modelled", "rrr", heads);
    json_array_foreach(map, i, one)
    {
        sp_page_row_begin(page, NULL);
        count_cell(page, one, "C");
        count_cell(page, one, "sigma");
        figure_cell(page, one, "beta", 3);
        sp_page_row_end(page);
    }
    sp_page_table_end(page);
    end_numbers(page);
}

void sp_page_balance(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"vectors", "B/flop"};
    const json_t *points = sp_record_node(record, SP_F_CURVES_BALANCE_POINTS), *point;
    char text[256];
    size_t i;
    if (json_array_size(points) < 2)
        return;
    sp_page_heading(page, page->level, "balance", "Balance over the number of vectors");
    snprintf(text, sizeof text,
             "Code balance when several vectors are multiplied at once, %s: the matrix is read once for all.",
             sp_words_text(record, SP_F_CURVES_BALANCE_ORIGIN, "of unknown origin"));
    begin_numbers(page, draw_plot(page, "balance", &record, 1, "Code balance over vectors", text));
    sp_page_table_begin(page, text, "rr", heads);
    json_array_foreach(points, i, point)
    {
        sp_page_row_begin(page, NULL);
        count_cell(page, point, "r");
        figure_cell(page, point, "balance", 3);
        sp_page_row_end(page);
    }
    sp_page_table_end(page);
    end_numbers(page);
}

static void saturation_rows(struct sp_page *page, const struct sp_record *record, const json_t *curve)
{
    const json_t *points = json_object_get(curve, "points"), *point;
    const char *origin = sp_item_text(curve, "origin");
    char cell[CELL], name[CELL];
    size_t i;
    json_array_foreach(points, i, point)
    {
        const double lo = sp_item_number(point, "lo"), hi = sp_item_number(point, "hi"),
                     v = sp_item_number(point, "value");
        sp_page_row_begin(page, NULL);
        sp_page_cell(page, 'h', sp_words_roof(name, sizeof name, record, curve));
        count_cell(page, point, "threads");
        sp_page_cell(page, 'r',
                     isfinite(v) ? sp_figure_interval(cell, sizeof cell, v, isfinite(lo) ? lo : v,
                                                      isfinite(hi) ? hi : v, 1e9, 3)
                                 : "unknown");
        sp_page_cell(page, 'l', origin ? origin : "measured");
        sp_page_row_end(page);
    }
}

void sp_page_saturation(struct sp_page *page, const struct sp_record *record)
{
    static const char *const heads[] = {"bandwidth", "threads", "GB/s", "origin"};
    const json_t *curves = sp_record_node(record, SP_F_CURVES_SATURATION), *curve;
    size_t i, n_points = 0;
    json_array_foreach(curves, i, curve) n_points += json_array_size(json_object_get(curve, "points"));
    if (n_points < 2)
        return;
    sp_page_heading(page, page->level, "saturation", "Bandwidth over threads");
    begin_numbers(page, draw_plot(page, "saturation", &record, 1, "Saturation of the memory",
                                  "Bandwidth over the number of threads; where it no longer grows, "
                                  "threads share what there is."));
    sp_page_table_begin(page, "Bandwidth over threads", "hrrl", heads);
    json_array_foreach(curves, i, curve) saturation_rows(page, record, curve);
    sp_page_table_end(page);
    end_numbers(page);
}
