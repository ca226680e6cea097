#include "io/ncu_csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "io/csv_table.h"

static const char how[] = "make it with ncu --csv --page raw --log-file FILE --metrics "
                          "gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum PROGRAM";

enum { MOST_VALUES = 10000000 };

void sp_ncu_csv_free(struct sp_ncu_csv *csv)
{
    if (!csv)
        return;
    free(csv->launch);
    free(csv->value);
    memset(csv, 0, sizeof *csv);
}

/* What a unit of ncu is in SI; 0: a share, a rate, or something else that is not looked at. */
static double factor_of(const char *unit)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"byte", 1},       {"Kbyte", 1e3},    {"Mbyte", 1e6}, {"Gbyte", 1e9}, {"Tbyte", 1e12},
                 {"B", 1},          {"KB", 1e3},       {"MB", 1e6},    {"GB", 1e9},    {"nsecond", 1e-9},
                 {"usecond", 1e-6}, {"msecond", 1e-3}, {"second", 1},  {"ns", 1e-9},   {"us", 1e-6},
                 {"ms", 1e-3},      {"s", 1},          {"sector", 1},  {"request", 1}, {"inst", 1},
                 {"Ksector", 1e3},  {"Msector", 1e6},  {"", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].unit) == 0)
            return units[i].factor;
    return 0;
}

/* "1,234,567.89", as people like them. */
static bool is_number(const char *text, double *x)
{
    char plain[64];
    size_t n = 0;
    for (const char *p = text; *p; p++)
        if (*p != ',' && n + 1 < sizeof plain)
            plain[n++] = *p;
    plain[n] = '\0';
    return sp_parse_number(plain, x) == 0;
}

struct reader {
    const char *path;
    const struct sp_csv_table *table;
    struct sp_ncu_csv *out;
    int id, kernel;
};

static void take_launch(struct reader *r, int64_t row)
{
    struct sp_ncu_launch *l = &r->out->launch[r->out->n_launches++];
    snprintf(l->id, sizeof l->id, "%.23s", sp_csv_table_cell(r->table, row, r->id));
    snprintf(l->kernel, sizeof l->kernel, "%.255s", sp_csv_table_cell(r->table, row, r->kernel));
    r->out->constructed = r->out->constructed || strncmp(l->kernel, "constructed", 11) == 0;
}

static void take_text(struct reader *r, const char *metric, const char *text)
{
    if (strcmp(metric, "device__attribute_display_name") == 0)
        snprintf(r->out->gpu, sizeof r->out->gpu, "%.127s", text);
}

static enum sp_status take_value(struct reader *r, int64_t row, const char *metric, const char *unit,
                                 const char *text, struct sp_error *err)
{
    const double factor = factor_of(unit);
    double x;
    if (!*text || strcmp(text, "n/a") == 0 || factor == 0 || !strstr(metric, "__") ||
        strlen(metric) >= sizeof r->out->value->metric) {
        take_text(r, metric, text);
        return SP_OK;
    }
    if (!is_number(text, &x)) { /* of a device's attributes some are words */
        take_text(r, metric, text);
        return strncmp(metric, "device__", 8) == 0 || strncmp(metric, "launch__", 8) == 0 ||
                       !strchr(metric, '.')
                   ? SP_OK
                   : sp_fail_at(err, SP_INPUT, r->path, r->table->line[row], 0, "the file may be damaged",
                                "%.60s of kernel %.60s is '%.30s', no number", metric,
                                sp_csv_table_cell(r->table, row, r->kernel), text);
    }
    if (x < 0)
        return sp_fail_at(err, SP_INPUT, r->path, r->table->line[row], 0, "the file may be damaged",
                          "%.60s is below 0", metric);
    struct sp_ncu_value *v = &r->out->value[r->out->n_values++];
    v->launch = r->out->n_launches - 1;
    v->value = factor * x;
    snprintf(v->metric, sizeof v->metric, "%s", metric);
    return SP_OK;
}

/* Lines of one launch follow each other. */
static enum sp_status read_details(struct reader *r, int metric, int unit, int value, struct sp_error *err)
{
    const struct sp_csv_table *t = r->table;
    enum sp_status status = SP_OK;
    for (int64_t i = 0; i < t->n_rows && status == SP_OK; i++) {
        const bool is_first =
            i == 0 || strcmp(sp_csv_table_cell(t, i, r->id), sp_csv_table_cell(t, i - 1, r->id)) != 0;
        if (is_first)
            take_launch(r, i);
        if (*sp_csv_table_cell(t, i, metric))
            status = take_value(r, i, sp_csv_table_cell(t, i, metric), sp_csv_table_cell(t, i, unit),
                                sp_csv_table_cell(t, i, value), err);
    }
    return status;
}

/* The first line below the header has the units. */
static enum sp_status read_raw(struct reader *r, struct sp_error *err)
{
    const struct sp_csv_table *t = r->table;
    enum sp_status status = SP_OK;
    if (t->n_rows < 1 || *sp_csv_table_cell(t, 0, r->id))
        return sp_fail_at(err, SP_INPUT, r->path, t->n_rows > 0 ? t->line[0] : 0, 0, how,
                          "below the header there is no line of units");
    for (int64_t i = 1; i < t->n_rows && status == SP_OK; i++) {
        take_launch(r, i);
        for (int c = 0; c < t->n_columns && status == SP_OK; c++)
            status =
                take_value(r, i, t->column[c], sp_csv_table_cell(t, 0, c), sp_csv_table_cell(t, i, c), err);
    }
    return status;
}

static enum sp_status read_table(struct reader *r, struct sp_error *err)
{
    const struct sp_csv_table *t = r->table;
    const int metric = sp_csv_table_column(t, "Metric Name"), unit = sp_csv_table_column(t, "Metric Unit"),
              value = sp_csv_table_column(t, "Metric Value"), cc = sp_csv_table_column(t, "CC");
    r->id = sp_csv_table_column(t, "ID");
    r->kernel = sp_csv_table_column(t, "Kernel Name");
    if (r->id < 0 || r->kernel < 0)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, how,
                          "it has no columns 'ID' and 'Kernel Name' of ncu");
    const bool details = metric >= 0 && unit >= 0 && value >= 0;
    const int64_t most = details ? t->n_rows : t->n_rows * t->n_columns;
    if (most > MOST_VALUES)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "profile fewer launches",
                          "more than %d values are in it", MOST_VALUES);
    void *launches = NULL, *values = NULL;
    enum sp_status status = sp_new_array(t->n_rows, sizeof *r->out->launch, "launches", &launches, err);
    r->out->launch = launches;
    if (status == SP_OK)
        status = sp_new_array(most, sizeof *r->out->value, "metrics", &values, err);
    r->out->value = values;
    if (status == SP_OK && cc >= 0 && t->n_rows > 0)
        snprintf(r->out->cc, sizeof r->out->cc, "%.15s", sp_csv_table_cell(t, t->n_rows - 1, cc));
    if (status == SP_OK)
        status = details ? read_details(r, metric, unit, value, err) : read_raw(r, err);
    if (status == SP_OK && r->out->n_launches == 0)
        status = sp_fail_at(err, SP_INPUT, r->path, 0, 0, how, "no launch of a kernel is in it");
    return status;
}

enum sp_status sp_ncu_csv_read(const char *path, struct sp_ncu_csv *csv, struct sp_error *err)
{
    struct sp_csv_table table = {0};
    memset(csv, 0, sizeof *csv);
    enum sp_status status = sp_csv_table_read(path, &table, err);
    if (status != SP_OK)
        return status;
    struct reader r = {.path = path, .table = &table, .out = csv};
    status = read_table(&r, err);
    sp_csv_table_free(&table);
    if (status != SP_OK)
        sp_ncu_csv_free(csv);
    return status;
}
