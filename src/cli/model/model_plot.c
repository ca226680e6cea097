#include "cli/model/model_plot.h"

#include <string.h>

#include "base/escape.h"
#include "base/print.h"
#include "cli/analyze/plot_files.h"
#include "cli/core/output.h"
#include "cli/core/programs.h"
#include "session/gpu/record_gpu.h"

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
        status = sp_plot_write(kind, records, 1, (enum sp_term)sp_term_from_name(strrchr(d->path, '.') + 1),
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

/* The next machine's rows that are predicted level by level, from row `from` on; their number, 0: none. */
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
