#include "cli/model/model_output.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "cli/analyze/analyze_output.h"
#include "io/files/places.h"
#include "io/record/record.h"
#include "model/cache/partition.h"
#include "session/gpu/gpu_analysis.h"
#include "session/model/case.h"

enum sp_status sp_model_write_json(const struct sp_model_result *r, FILE *out, struct sp_error *err)
{
    json_t *root;
    enum sp_status status = sp_model_json(r, &root, err);
    return status != SP_OK ? status : sp_put_json(root, JSON_COMPACT | JSON_REAL_PRECISION(12), out, err);
}

static void put_header(FILE *out)
{
    static bool is_there; /* before the first row that there is */
    if (is_there)
        return;
    is_there = true;
    fputs("matrix,rows,cols,nnz,machine,threads,domains,format,precision,alpha,alpha_origin,alpha_min,beta,"
          "bytes_B,bytes_origin,balance_Bpflop,level,roof_Bps,time_s,performance_flops,bound_by,volume_B,"
          "alpha_from_volume,kind,best,L1_B,L2_B,memory_lo_B,memory_hi_B,here\n",
          out);
}

void sp_model_csv_value(struct sp_value v, FILE *out)
{
    if (sp_value_known(v))
        sp_print(out, "%.12g", v.value);
    fputc(',', out);
}

static void put_quoted(const char *text, FILE *out)
{
    sp_csv_text(out, text);
    fputc(',', out);
}

/* Loaded and stored; empty but for GPU kernels. */
static void put_levels(const struct sp_gpu_prediction *g, FILE *out)
{
    if (!g) {
        fputs(",,,,", out);
        return;
    }
    const struct sp_gpu_traffic *t = &g->traffic;
    sp_print(out, "%.12g,%.12g,%.12g,%.12g,", sp_gpu_asked_B(t).value,
             t->L2_load_B.value + t->L2_store_B.value, t->memory_load_B.lo + t->memory_store_B.lo,
             t->memory_load_B.hi + t->memory_store_B.hi);
}

void sp_model_csv_rows(const struct sp_model_result *r, FILE *out)
{
    const struct sp_model_subject *s = r->subject;
    put_header(out);
    for (int i = 0; i < r->n_rows; i++) {
        const struct sp_model_row *row = &r->row[i];
        const struct sp_prediction *p = &row->prediction;
        put_quoted(s->name, out);
        sp_print(out, "%lld,%lld,%lld,", (long long)s->n_r, (long long)s->n_c, (long long)s->n_nz);
        put_quoted(row->machine->name, out);
        sp_print(out, "%d,%d,%s,%s,%.12g,%s,%.12g,%.12g,%.12g,%s,%.12g,", row->n_threads, row->n_domains,
                 row->format, sp_precision_name(row->precision), row->alpha.value,
                 sp_origin_name(row->alpha.origin), row->alpha_min.value, row->beta.value, p->volume_B.value,
                 sp_origin_name(p->volume_B.origin), p->balance.value);
        sp_csv_field(out, p->residence.name);
        fputc(',', out);
        sp_model_csv_value(p->roof_Bps, out);
        sp_model_csv_value(p->roofline.time_s, out);
        sp_model_csv_value(p->roofline.performance, out);
        sp_csv_field(out, p->binding);
        fputc(',', out);
        if (r->request->volume_B > 0) {
            sp_print(out, "%.12g,", r->request->volume_B);
            if (sp_value_known(row->inverse.alpha))
                sp_print(out, "%.12g", row->inverse.alpha.value);
        } else {
            fputc(',', out);
        }
        sp_print(out, ",%s,%d,", sp_machine_kind_name(row->machine->kind), sp_model_is_best(r, i));
        put_levels(row->gpu, out);
        sp_print(out, "%s\n", !*row->machine->name ? "" : sp_model_is_here(r, row) ? "1" : "0");
    }
}

enum { MOST_GUESSES = 16 };

bool sp_model_is_on_gpus(const struct sp_model_result *r)
{
    for (int i = 0; i < r->n_rows; i++)
        if (!r->row[i].gpu)
            return false;
    return r->n_rows > 0;
}

/* Rows of the machine of row[0], of n that follow. */
static int rows_of_machine(const struct sp_model_row *row, int n)
{
    int same = 1;
    while (same < n && row[same].machine == row[0].machine)
        same++;
    return same;
}

static enum sp_status make_record(const struct sp_model_result *r, const struct sp_model_row *row, int n,
                                  struct sp_record *record, struct sp_error *err)
{
    const struct sp_model_subject *s = r->subject;
    const int best = sp_model_best(row, n);
    struct sp_gpu_guess guess[MOST_GUESSES];
    struct sp_workload w = r->request->workload;
    struct sp_gpu_forecast forecast = {.matrix = s->name,
                                       .n_r = s->n_r,
                                       .n_c = s->n_c,
                                       .n_nz = s->n_nz,
                                       .workload = &w,
                                       .machine = row->machine,
                                       .cold = r->request->cold,
                                       .work = row->prediction.work,
                                       .guess = guess};
    w.precision = row->precision;
    for (int i = 0; i < n && forecast.n_guesses < MOST_GUESSES; i++) {
        if (!row[i].gpu)
            continue;
        if (i == best)
            forecast.best = forecast.n_guesses;
        guess[forecast.n_guesses++] =
            (struct sp_gpu_guess){row[i].format, row[i].gpu_option, row[i].alpha, row[i].gpu};
    }
    return sp_gpu_forecast_record(&forecast, record, err);
}

/* What is drawn of a machine, and where. */
struct drawing {
    const char *path; /* NULL: standard output */
    bool say;
    struct sp_plot_tool tool;
};

static enum sp_status draw_machine(const struct sp_model_result *r, const struct sp_model_row *row, int n,
                                   const struct drawing *d, struct sp_error *err)
{
    const struct sp_plot_kind *kind = sp_plot_kind_find("levels");
    struct sp_record record;
    const struct sp_record *records[] = {&record};
    enum sp_status status = make_record(r, row, n, &record, err);
    if (status == SP_OK && d->path) {
        status = sp_plot_write(kind, records, 1, (enum sp_image)sp_term_from_name(strrchr(d->path, '.') + 1),
                               &d->tool, d->path, err);
        if (status == SP_OK && d->say)
            sp_print(stdout, "saved  %s\n", d->path);
    } else if (status == SP_OK && !kind->lacks(&record)) {
        putchar('\n');
        status = sp_draw_to_stdout(kind, records, 1, SP_TERM_TXT, &d->tool, err);
    }
    sp_record_free(&record);
    return status;
}

/* The next machine's rows predicted level by level, from row `from` on; their number. */
static int next_gpu(const struct sp_model_result *r, int from, int *first)
{
    for (int i = from, n; i < r->n_rows; i += n) {
        n = rows_of_machine(&r->row[i], r->n_rows - i);
        for (int k = i; k < i + n; k++)
            if (r->row[k].gpu) {
                *first = i;
                return n;
            }
    }
    return 0;
}

enum sp_status sp_model_plot_text(const struct sp_model_result *r, struct sp_error *err)
{
    static bool remarked;
    char gnuplot[1024];
    const struct drawing d = {.tool.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)};
    enum sp_status status = SP_OK;
    int first = 0, n = 0;
    if (!d.tool.gnuplot) {
        if (!remarked)
            fputs("spmodel: remark: no plot, as gnuplot is not installed here\n", stderr);
        remarked = true;
        return SP_OK;
    }
    while (status == SP_OK && (n = next_gpu(r, first + n, &first)) > 0)
        status = draw_machine(r, &r->row[first], n, &d, err);
    return status;
}

enum sp_status sp_model_plot_images(const struct sp_model_result *r, const char *path, bool say,
                                    struct sp_error *err)
{
    char gnuplot[1024], name[1100], machine[100];
    struct drawing d = {
        .path = path, .say = say, .tool.gnuplot = sp_find_program("gnuplot", gnuplot, sizeof gnuplot)};
    enum sp_status status = SP_OK;
    int first = 0, n = next_gpu(r, 0, &first), next = 0;
    if (n == 0)
        return sp_fail(err, SP_USAGE, "name one: --machine h200, without --alpha and --volume",
                       "--plot shows SpMV on described GPUs, and none is asked for");
    const bool several = next_gpu(r, first + n, &next) > 0;
    for (; status == SP_OK && n > 0; n = next_gpu(r, first + n, &first)) {
        const char *dot = strrchr(path, '.');
        if (several) {
            sp_file_stem(machine, sizeof machine, r->row[first].machine->name);
            snprintf(name, sizeof name, "%.*s-%s%s", (int)(dot - path), path, machine, dot);
            d.path = name;
        }
        status = draw_machine(r, &r->row[first], n, &d, err);
    }
    return status;
}
