#include "io/likwid_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/input_file.h"

enum { MAX_FIELDS = 4100, MAX_LINE = 1 << 18 };

struct reader {
    const char *path;
    FILE *file;
    int line;
    char *text;              /* [MAX_LINE] */
    char *field[MAX_FIELDS]; /* of the line in text; trailing empty ones left out */
    int n_fields;
    struct sp_likwid_table *to; /* the table that rows belong to, NULL: rows are not wanted */
};

void sp_likwid_csv_free(struct sp_likwid_csv *csv)
{
    if (!csv)
        return;
    for (int i = 0; i < csv->n_tables; i++) {
        free(csv->table[i].name);
        free(csv->table[i].value);
    }
    free(csv->table);
    memset(csv, 0, sizeof *csv);
}

static bool next_line(struct reader *r)
{
    if (!fgets(r->text, MAX_LINE, r->file))
        return false;
    r->line++;
    r->text[strcspn(r->text, "\r\n")] = '\0';
    r->n_fields = 0;
    for (char *p = r->text; p && r->n_fields < MAX_FIELDS;) {
        r->field[r->n_fields++] = p;
        p = strchr(p, ',');
        if (p)
            *p++ = '\0';
    }
    while (r->n_fields > 1 && !*r->field[r->n_fields - 1])
        r->n_fields--;
    return true;
}

static enum sp_status no_memory(struct sp_error *err)
{
    return sp_fail(err, SP_MEMORY, NULL, "no memory for a table of likwid-perfctr");
}

/* The table of a region and group: raw counts (with the region's times) and metrics are one. */
static enum sp_status find_table(struct reader *r, struct sp_likwid_csv *csv, const char *region, int number,
                                 const char *group, struct sp_error *err)
{
    for (int i = 0; i < csv->n_tables; i++)
        if (strcmp(csv->table[i].region, region) == 0 && csv->table[i].number == number) {
            r->to = &csv->table[i];
            return SP_OK;
        }
    void *p = realloc(csv->table, (size_t)(csv->n_tables + 1) * sizeof *csv->table);
    if (!p)
        return no_memory(err);
    csv->table = p;
    r->to = &csv->table[csv->n_tables++];
    memset(r->to, 0, sizeof *r->to);
    snprintf(r->to->region, sizeof r->to->region, "%s", region);
    snprintf(r->to->group, sizeof r->to->group, "%s", group);
    r->to->number = number;
    return SP_OK;
}

/* "TABLE,Group 1 Metric,MEM,10" or "TABLE,Region spmv,Group 1 Metric,MEM,10". */
static enum sp_status begin_table(struct reader *r, struct sp_likwid_csv *csv, struct sp_error *err)
{
    const char *region = "";
    int at = 1, number = 0, used = 0;
    r->to = NULL;
    if (r->n_fields > 2 && strncmp(r->field[1], "Region ", 7) == 0) {
        region = r->field[1] + 7;
        at = 2;
    }
    if (at + 1 >= r->n_fields || sscanf(r->field[at], "Group %d %n", &number, &used) < 1)
        return sp_fail_at(err, SP_INPUT, r->path, r->line, 0, "write it with likwid-perfctr -O",
                          "a TABLE without its group");
    const char *kind = r->field[at] + used;
    if (strcmp(kind, "Raw") != 0 && strcmp(kind, "Metric") != 0)
        return SP_OK; /* statistics follow from what is read */
    return find_table(r, csv, region, number, r->field[at + 1], err);
}

static bool is_head(const char *word)
{
    return strcmp(word, "Metric") == 0 || strcmp(word, "Event") == 0 || strcmp(word, "Region Info") == 0;
}

/* Names of columns: "Metric,HWThread 0,HWThread 1", of LIKWID 4 "Core 0". */
static enum sp_status take_head(struct reader *r, struct sp_error *err)
{
    int first = strcmp(r->field[0], "Event") == 0 ? 2 : 1, n = r->n_fields - first;
    if (n < 1 || (r->to->n_threads > 0 && n != r->to->n_threads))
        return sp_fail_at(err, SP_INPUT, r->path, r->line, 0, "the file may be cut, or edited",
                          "a table with %d columns where there were %d before", n < 0 ? 0 : n,
                          r->to->n_threads);
    r->to->n_threads = n;
    return SP_OK;
}

static enum sp_status take_row(struct reader *r, struct sp_error *err)
{
    struct sp_likwid_table *t = r->to;
    /* rows of events have a counter's name in the second column: they are not wanted */
    if (r->n_fields > t->n_threads + 1)
        return SP_OK;
    void *names = realloc(t->name, (size_t)(t->n_rows + 1) * sizeof *t->name);
    if (!names)
        return no_memory(err);
    t->name = names;
    void *values = realloc(t->value, (size_t)(t->n_rows + 1) * (size_t)t->n_threads * sizeof *t->value);
    if (!values)
        return no_memory(err);
    t->value = values;
    snprintf(t->name[t->n_rows], sizeof t->name[t->n_rows], "%s", r->field[0]);
    for (int k = 0; k < t->n_threads; k++) {
        double *v = &t->value[t->n_rows * t->n_threads + k];
        char *end;
        const char *text = k + 1 < r->n_fields ? r->field[k + 1] : "";
        *v = strtod(text, &end);
        if (end == text || *end || !isfinite(*v))
            *v = NAN;
    }
    t->n_rows++;
    return SP_OK;
}

static enum sp_status take_line(struct reader *r, struct sp_likwid_csv *csv, struct sp_error *err)
{
    if (r->text[0] == '#') {
        csv->constructed = csv->constructed || strstr(r->text, "constructed") != NULL;
        return SP_OK;
    }
    if (strcmp(r->field[0], "TABLE") == 0)
        return begin_table(r, csv, err);
    if (strcmp(r->field[0], "STRUCT") == 0) {
        r->to = NULL;
        return SP_OK;
    }
    if (strcmp(r->field[0], "CPU name:") == 0 && r->n_fields > 1)
        snprintf(csv->cpu, sizeof csv->cpu, "%s", r->field[1]);
    if (!r->to || !*r->field[0])
        return SP_OK;
    if (is_head(r->field[0]))
        return take_head(r, err);
    return r->to->n_threads > 0 ? take_row(r, err) : SP_OK;
}

enum sp_status sp_likwid_csv_read(const char *path, struct sp_likwid_csv *csv, struct sp_error *err)
{
    struct reader r = {.path = path};
    memset(csv, 0, sizeof *csv);
    enum sp_status status = sp_input_open(path, &r.file, err);
    if (status != SP_OK)
        return status;
    r.text = malloc(MAX_LINE);
    if (!r.text)
        status = no_memory(err);
    while (status == SP_OK && next_line(&r))
        status = take_line(&r, csv, err);
    if (status == SP_OK && csv->n_tables == 0)
        status =
            sp_fail_at(err, SP_INPUT, path, 0, 0, "write it with likwid-perfctr -O -g MEM [-m] -o FILE.csv",
                       "no table of likwid-perfctr is in it");
    free(r.text);
    fclose(r.file);
    if (status != SP_OK)
        sp_likwid_csv_free(csv);
    return status;
}

const double *sp_likwid_row(const struct sp_likwid_table *t, const char *words)
{
    for (int i = 0; i < t->n_rows; i++)
        if (strncmp(t->name[i], words, strlen(words)) == 0)
            return &t->value[i * t->n_threads];
    return NULL;
}
