#include "io/profiler_output.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/text.h"
#include "io/csv_table.h"
#include "io/files/input_file.h"

enum { LIKWID_FIELDS = 4100, MAX_LINE = 1 << 18 };

struct likwid_reader {
    const char *path;
    FILE *file;
    int line;
    char *text;                 /* [MAX_LINE] */
    char *field[LIKWID_FIELDS]; /* of the line in text; trailing empty ones left out */
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

static bool next_line(struct likwid_reader *r)
{
    if (!fgets(r->text, MAX_LINE, r->file))
        return false;
    r->line++;
    r->text[strcspn(r->text, "\r\n")] = '\0';
    r->n_fields = 0;
    for (char *p = r->text; p && r->n_fields < LIKWID_FIELDS;) {
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
static enum sp_status find_table(struct likwid_reader *r, struct sp_likwid_csv *csv, const char *region,
                                 int number, const char *group, struct sp_error *err)
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
static enum sp_status begin_table(struct likwid_reader *r, struct sp_likwid_csv *csv, struct sp_error *err)
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
static enum sp_status take_head(struct likwid_reader *r, struct sp_error *err)
{
    int first = strcmp(r->field[0], "Event") == 0 ? 2 : 1, n = r->n_fields - first;
    if (n < 1 || (r->to->n_threads > 0 && n != r->to->n_threads))
        return sp_fail_at(err, SP_INPUT, r->path, r->line, 0, "the file may be cut, or edited",
                          "a table with %d columns where there were %d before", n < 0 ? 0 : n,
                          r->to->n_threads);
    r->to->n_threads = n;
    return SP_OK;
}

static enum sp_status take_row(struct likwid_reader *r, struct sp_error *err)
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

static enum sp_status take_likwid_line(struct likwid_reader *r, struct sp_likwid_csv *csv,
                                       struct sp_error *err)
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
    struct likwid_reader r = {.path = path};
    memset(csv, 0, sizeof *csv);
    enum sp_status status = sp_input_open(path, &r.file, err);
    if (status != SP_OK)
        return status;
    r.text = malloc(MAX_LINE);
    if (!r.text)
        status = no_memory(err);
    while (status == SP_OK && next_line(&r))
        status = take_likwid_line(&r, csv, err);
    if (status == SP_OK && csv->n_tables == 0)
        status = sp_fail_at(
            err, SP_INPUT, path, 0, 0,
            "write it with likwid-perfctr -O -g MEM [-m] -o FILE.csv; of ncu or perf stat it stands "
            "behind " SP_O_NCU " or " SP_O_PERF,
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

enum { MOST_B = 64 << 20, MOST_ROWS = 20000, PERF_FIELDS = 24 };

static const char make_perf_csv[] = "make it with perf stat -x, -o FILE -e duration_time,EVENTS PROGRAM";

const char *sp_perf_state_name(enum sp_perf_state state)
{
    static const char *const names[] = {"counted", "<not counted>", "<not supported>"};
    return names[state];
}

void sp_perf_csv_free(struct sp_perf_csv *csv)
{
    if (!csv)
        return;
    free(csv->row);
    memset(csv, 0, sizeof *csv);
}

struct perf_reader {
    const char *path;
    int64_t line;
    char separator;          /* 0: not yet known */
    bool intervals, summary; /* lines of -I, and their sum */
    int64_t room;
    char *field[PERF_FIELDS]; /* of the line */
    int n_fields;
    struct sp_perf_csv *out;
};

static enum sp_status refuse(const struct perf_reader *r, const char *remedy, const char *what,
                             const char *text, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, r->path, r->line, 0, remedy, what, text);
}

/* The value, a number or <not ...>, ends at the separator; it or what stands before it. */
static char separator_of(const char *line)
{
    const char *p = line + strcspn(line, ",;|\t:");
    return *p;
}

/* An event's name may hold commas, between slashes: "uncore_imc_0/event=0x4,umask=0x3/". */
static void split(struct perf_reader *r, char *line)
{
    char *p = line;
    bool within = false;
    r->n_fields = 0;
    r->field[r->n_fields++] = p;
    for (; *p; p++) {
        if (*p == '/' && (within || strchr(p + 1, '/')) && isalnum((unsigned char)p[within ? -1 : 1]))
            within = !within;
        else if (*p == r->separator && !within && r->n_fields < PERF_FIELDS) {
            *p = '\0';
            r->field[r->n_fields++] = p + 1;
        }
    }
}

static bool is_number(const char *text, double *x)
{
    return sp_parse_number(text, x) == 0;
}

/* Is it what perf prints in the place of a count? */
static bool is_value(const char *text, struct sp_perf_row *row)
{
    row->state = strcmp(text, "<not counted>") == 0     ? SP_PERF_NOT_COUNTED
                 : strcmp(text, "<not supported>") == 0 ? SP_PERF_NOT_SUPPORTED
                                                        : SP_PERF_COUNTED;
    row->value = NAN;
    return row->state != SP_PERF_COUNTED || is_number(text, &row->value);
}

/* "CPU0", "S0-D0-C1", "S0", "N0", "S0-D0-L3-ID0", or a thread of the program "name-1234". */
static bool is_place(const char *text)
{
    const char *last = text + strlen(text);
    while (last > text && isdigit((unsigned char)last[-1]))
        last--;
    return isalpha((unsigned char)*text) && *last && last > text;
}

static bool is_unit(const char *text)
{
    return strlen(text) < sizeof((struct sp_perf_row *)0)->unit &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/%")] == '\0';
}

/* Behind the name: spread of -r, or a cgroup, nanoseconds on a counter, percent of the time. */
static bool take_rest(const struct perf_reader *r, int i, struct sp_perf_row *row)
{
    double ns, percent;
    row->spread = NAN;
    row->running = 1;
    for (; i < r->n_fields && !is_number(r->field[i], &ns); i++) {
        char number[32];
        const size_t n = strlen(r->field[i]);
        if (n > 1 && n < sizeof number && r->field[i][n - 1] == '%') {
            snprintf(number, sizeof number, "%.*s", (int)(n - 1), r->field[i]);
            if (!is_number(number, &row->spread) || row->spread < 0)
                return false;
            row->spread /= 100;
        }
    }
    if (i + 1 >= r->n_fields)
        return true; /* perf 3 had no more */
    if (!is_number(r->field[i + 1], &percent) || percent < 0 || percent > 100.5)
        return false;
    row->running = fmin(1, percent / 100);
    return true;
}

/* Where the count stands among the fields, -1: nowhere, behind [time of -I][place, how many]. */
static int find_value(struct perf_reader *r, struct sp_perf_row *row)
{
    double x;
    int i = 0;
    const bool is_summary = strcmp(r->field[0], "summary") == 0;
    if (is_summary) {
        r->summary = true;
        i = 1;
    }
    if (i < r->n_fields && is_place(r->field[i])) {
        snprintf(row->place, sizeof row->place, "%.47s", r->field[i++]);
        /* perf says how many processors were added up, but not with -A */
        if (i + 3 < r->n_fields && is_number(r->field[i], &x) && is_value(r->field[i + 1], row) &&
            is_unit(r->field[i + 2]) && r->field[i + 3][0] && !is_number(r->field[i + 3], &x))
            i++;
    } else if (!is_summary && i + 3 < r->n_fields && strchr(r->field[0], '.') && is_number(r->field[0], &x) &&
               is_value(r->field[1], row) && is_unit(r->field[2]) && *r->field[3] &&
               !is_number(r->field[3], &x) && !strchr(r->field[3], '%')) {
        r->intervals = true;
        i = 1;
    }
    return i + 2 < r->n_fields && is_value(r->field[i], row) && is_unit(r->field[i + 1]) ? i : -1;
}

static enum sp_status add(struct perf_reader *r, const struct sp_perf_row *row, struct sp_error *err)
{
    struct sp_perf_csv *out = r->out;
    if (out->n >= MOST_ROWS)
        return refuse(r, make_perf_csv, "it has too many lines%s", "", err);
    if (out->n == r->room) {
        const int64_t more = r->room > 0 ? 2 * r->room : 32;
        void *p = realloc(out->row, (size_t)more * sizeof *out->row);
        if (!p)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld counts", (long long)more);
        out->row = p;
        r->room = more;
    }
    out->row[out->n++] = *row;
    return SP_OK;
}

static bool is_for_people(const char *line)
{
    return strstr(line, "Performance counter stats for") || strstr(line, "seconds user");
}

/* "0.001169742 seconds time elapsed". */
static bool take_elapsed(const char *line, struct sp_perf_csv *out)
{
    char number[40];
    const char *words = strstr(line, "seconds time elapsed");
    double x;
    if (!words)
        return false;
    const size_t n = strspn(line, " \t"), digits = strspn(line + n, "0123456789.");
    snprintf(number, sizeof number, "%.*s", (int)(digits < 39 ? digits : 39), line + n);
    if (is_number(number, &x) && x > 0)
        out->elapsed_s = x;
    return true;
}

static enum sp_status take_perf_line(struct perf_reader *r, char *line, struct sp_error *err)
{
    struct sp_perf_row row = {.line = r->line};
    line += strspn(line, " \t");
    if (!*line || *line == '#') {
        r->out->constructed = r->out->constructed || strncmp(line, "# constructed", 13) == 0;
        return SP_OK;
    }
    if (take_elapsed(line, r->out))
        return SP_OK;
    if (*line == '{')
        return refuse(r, make_perf_csv, "it is the JSON of perf stat -j%s", "", err);
    if (is_for_people(line))
        return refuse(r, make_perf_csv, "it is what perf stat prints for people, without -x,%s", "", err);
    if (!r->separator)
        r->separator = separator_of(line);
    char shown[41];
    snprintf(shown, sizeof shown, "%.40s", line);
    if (!r->separator)
        return refuse(r, make_perf_csv, "no count of perf stat is in '%s'", shown, err);
    split(r, line);
    const bool was_summary = r->summary;
    r->summary = false;
    const int i = find_value(r, &row);
    const bool is_summary = r->summary;
    r->summary = was_summary || is_summary;
    if (i < 0) /* a metric of its own has all fields before it empty */
        return r->n_fields > 4 && !*r->field[0] && !*r->field[1] && !*r->field[2]
                   ? SP_OK
                   : refuse(r, make_perf_csv, "no count of perf stat is in '%s'", shown, err);
    if (is_summary && !was_summary)
        r->out->n = 0; /* those of the intervals, of which these are the sums */
    if (!*r->field[i + 2] || strlen(r->field[i + 2]) >= sizeof row.name)
        return refuse(r, make_perf_csv, "no event is named in '%s'", shown, err);
    snprintf(row.unit, sizeof row.unit, "%s", r->field[i + 1]);
    snprintf(row.name, sizeof row.name, "%s", r->field[i + 2]);
    if (row.state == SP_PERF_COUNTED && !(row.value >= 0))
        return refuse(r, "the file may be damaged", "a count is below 0 in '%s'", shown, err);
    if (!take_rest(r, i + 3, &row))
        return refuse(r, "the file may be damaged", "the share of time is no percentage in '%s'", shown, err);
    return add(r, &row, err);
}

static enum sp_status take_lines(struct perf_reader *r, char *text, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (char *p = text, *next; p && status == SP_OK; p = next) {
        next = strchr(p, '\n');
        if (next)
            *next++ = '\0';
        p[strcspn(p, "\r")] = '\0';
        r->line++;
        status = take_perf_line(r, p, err);
    }
    if (status != SP_OK)
        return status;
    r->line = 0;
    if (r->out->n == 0)
        return refuse(r, make_perf_csv, "no count of perf stat is in it%s", "", err);
    if (r->intervals && !r->summary)
        return refuse(r, "leave -I out, or have perf stat add its summary",
                      "it has counts of intervals (-I), not of the whole%s", "", err);
    return SP_OK;
}

enum sp_status sp_perf_csv_read(const char *path, struct sp_perf_csv *csv, struct sp_error *err)
{
    char *bytes = NULL;
    size_t size;
    struct perf_reader r = {.path = path, .out = csv};
    memset(csv, 0, sizeof *csv);
    csv->elapsed_s = NAN;
    enum sp_status status = sp_input_bytes(path, MOST_B, &bytes, &size, err);
    if (status != SP_OK)
        return status;
    status = memchr(bytes, '\0', size) ? refuse(&r, make_perf_csv, "it is no text%s", "", err)
                                       : take_lines(&r, bytes, err);
    free(bytes);
    if (status != SP_OK)
        sp_perf_csv_free(csv);
    return status;
}

static const char make_ncu_csv[] =
    "make it with ncu --csv --page raw --log-file FILE --metrics "
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
static bool is_grouped_number(const char *text, double *x)
{
    char plain[64];
    size_t n = 0;
    for (const char *p = text; *p; p++)
        if (*p != ',' && n + 1 < sizeof plain)
            plain[n++] = *p;
    plain[n] = '\0';
    return sp_parse_number(plain, x) == 0;
}

struct ncu_reader {
    const char *path;
    const struct sp_csv_table *table;
    struct sp_ncu_csv *out;
    int id, kernel;
};

static void take_launch(struct ncu_reader *r, int64_t row)
{
    struct sp_ncu_launch *l = &r->out->launch[r->out->n_launches++];
    snprintf(l->id, sizeof l->id, "%.23s", sp_csv_table_cell(r->table, row, r->id));
    snprintf(l->kernel, sizeof l->kernel, "%.255s", sp_csv_table_cell(r->table, row, r->kernel));
    r->out->constructed = r->out->constructed || strncmp(l->kernel, "constructed", 11) == 0;
}

static void take_text(struct ncu_reader *r, const char *metric, const char *text)
{
    if (strcmp(metric, "device__attribute_display_name") == 0)
        snprintf(r->out->gpu, sizeof r->out->gpu, "%.127s", text);
}

static enum sp_status take_value(struct ncu_reader *r, int64_t row, const char *metric, const char *unit,
                                 const char *text, struct sp_error *err)
{
    const double factor = factor_of(unit);
    double x;
    if (!*text || strcmp(text, "n/a") == 0 || factor == 0 || !strstr(metric, "__") ||
        strlen(metric) >= sizeof r->out->value->metric) {
        take_text(r, metric, text);
        return SP_OK;
    }
    if (!is_grouped_number(text, &x)) { /* of a device's attributes some are words */
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
static enum sp_status read_details(struct ncu_reader *r, int metric, int unit, int value,
                                   struct sp_error *err)
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
static enum sp_status read_raw(struct ncu_reader *r, struct sp_error *err)
{
    const struct sp_csv_table *t = r->table;
    enum sp_status status = SP_OK;
    if (t->n_rows < 1 || *sp_csv_table_cell(t, 0, r->id))
        return sp_fail_at(err, SP_INPUT, r->path, t->n_rows > 0 ? t->line[0] : 0, 0, make_ncu_csv,
                          "below the header there is no line of units");
    for (int64_t i = 1; i < t->n_rows && status == SP_OK; i++) {
        take_launch(r, i);
        for (int c = 0; c < t->n_columns && status == SP_OK; c++)
            status =
                take_value(r, i, t->column[c], sp_csv_table_cell(t, 0, c), sp_csv_table_cell(t, i, c), err);
    }
    return status;
}

static enum sp_status read_table(struct ncu_reader *r, struct sp_error *err)
{
    const struct sp_csv_table *t = r->table;
    const int metric = sp_csv_table_column(t, "Metric Name"), unit = sp_csv_table_column(t, "Metric Unit"),
              value = sp_csv_table_column(t, "Metric Value"), cc = sp_csv_table_column(t, "CC");
    r->id = sp_csv_table_column(t, "ID");
    r->kernel = sp_csv_table_column(t, "Kernel Name");
    if (r->id < 0 || r->kernel < 0)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, make_ncu_csv,
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
        status = sp_fail_at(err, SP_INPUT, r->path, 0, 0, make_ncu_csv, "no launch of a kernel is in it");
    return status;
}

enum sp_status sp_ncu_csv_read(const char *path, struct sp_ncu_csv *csv, struct sp_error *err)
{
    struct sp_csv_table table = {0};
    memset(csv, 0, sizeof *csv);
    enum sp_status status = sp_csv_table_read(path, &table, err);
    if (status != SP_OK)
        return status;
    struct ncu_reader r = {.path = path, .table = &table, .out = csv};
    status = read_table(&r, err);
    sp_csv_table_free(&table);
    if (status != SP_OK)
        sp_ncu_csv_free(csv);
    return status;
}

enum { MOST_TIMES = 1000000, TIMES_MOST_B = 64 << 20 };

struct scan {
    const char *at, *from;
    int64_t line;          /* 0: no file */
    enum sp_status status; /* of what is refused */
    int64_t n_units;       /* times that had one */
    int64_t room;
    struct sp_times *times;
};

void sp_times_free(struct sp_times *t)
{
    if (!t)
        return;
    free(t->time_s);
    memset(t, 0, sizeof *t);
}

/* To the next time; false at the end, or where two commas have none between them (*missing). */
static bool skip(struct scan *s, bool *missing)
{
    bool comma = false;
    for (;; s->at++) {
        if (*s->at == ',' || *s->at == ';') {
            *missing = comma;
            comma = true;
            if (*missing)
                return false;
        } else if (*s->at == '\n' && s->line > 0) {
            s->line++;
            comma = false;
        } else if (*s->at == '#' && s->line > 0)
            s->at += strcspn(s->at, "\n") - 1;
        else if (!*s->at || !strchr(" \t\r\n", *s->at))
            return *s->at != '\0';
    }
}

static enum sp_status refuse_time(const struct scan *s, const char *text, struct sp_error *err)
{
    return sp_fail_at(err, s->status, s->from, s->line, 0,
                      "times look like 1.23ms, 850us or 0.00123, above 0 and up to 31 years",
                      "'%.40s' is no time", text);
}

/* "ms" or "us" with a Greek letter, in either encoding; the rest as sp_parse_seconds() has it. */
static int in_seconds(const char *number, const char *unit, double *seconds)
{
    char text[64];
    if (strcmp(unit, "\xc2\xb5s") == 0 || strcmp(unit, "\xce\xbcs") == 0)
        unit = "us";
    snprintf(text, sizeof text, "%s%s", number, unit);
    return sp_parse_seconds(text, seconds) == 0 && *seconds > 0 ? 0 : -1;
}

static enum sp_status add_time(struct sp_times *t, int64_t *room, double seconds, struct sp_error *err)
{
    if (t->n == *room) {
        const int64_t more = *room > 0 ? 2 * *room : 64;
        void *p = realloc(t->time_s, (size_t)more * sizeof *t->time_s);
        if (!p)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for %lld times", (long long)more);
        t->time_s = p;
        *room = more;
    }
    t->time_s[t->n++] = seconds;
    return SP_OK;
}

static enum sp_status take_one(struct scan *s, struct sp_error *err)
{
    const char *begin = s->at;
    char number[32] = "", unit[8] = "", whole[48];
    const size_t digits = strspn(begin, "0123456789.+-eE");
    const char *word = begin + digits + strspn(begin + digits, " \t");
    const size_t letters = strcspn(word, " \t\r\n,;#0123456789.+-");
    const size_t length = letters > 0 ? (size_t)(word - begin) + letters : digits;
    double seconds;
    snprintf(whole, sizeof whole, "%.*s", (int)(length > 0 && length < 40 ? length : 40), begin);
    if (digits == 0 || digits >= sizeof number || letters >= sizeof unit)
        return refuse_time(s, whole, err);
    memcpy(number, begin, digits);
    memcpy(unit, word, letters);
    if (!isdigit((unsigned char)*number) && *number != '.')
        return refuse_time(s, whole, err);
    if (in_seconds(number, unit, &seconds) != 0)
        return refuse_time(s, whole, err);
    s->n_units += letters > 0;
    s->at = begin + length;
    if (s->n_units != 0 && s->n_units != s->times->n + 1)
        return sp_fail_at(err, s->status, s->from, s->line, 0,
                          "a comma stands between times, a decimal point within one: 1.23ms",
                          "some times have a unit and some have none, at '%s'", whole);
    if (s->times->n >= MOST_TIMES)
        return sp_fail_at(err, s->status, s->from, s->line, 0, "give some of them", "more than %d times",
                          MOST_TIMES);
    return add_time(s->times, &s->room, seconds, err);
}

static enum sp_status take_all(struct scan *s, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    bool missing = false;
    memset(s->times, 0, sizeof *s->times);
    while (status == SP_OK && skip(s, &missing))
        status = take_one(s, err);
    if (status == SP_OK && missing)
        status = sp_fail_at(err, s->status, s->from, s->line, 0, "take one of them away",
                            "no time stands between two commas, after %lld times", (long long)s->times->n);
    if (status == SP_OK && s->times->n == 0)
        status = sp_fail_at(err, s->status, s->from, 0, 0, "give the time of a product, such as 1.23ms",
                            "there is no time in it");
    if (status != SP_OK)
        sp_times_free(s->times);
    return status;
}

enum sp_status sp_times_of_text(const char *text, const char *from, struct sp_times *times,
                                struct sp_error *err)
{
    struct scan s = {.at = text, .from = from, .status = SP_USAGE, .times = times};
    return take_all(&s, err);
}

enum sp_status sp_times_read(const char *path, struct sp_times *times, struct sp_error *err)
{
    char *bytes = NULL;
    size_t size;
    memset(times, 0, sizeof *times);
    enum sp_status status = sp_input_bytes(path, TIMES_MOST_B, &bytes, &size, err);
    if (status != SP_OK)
        return status;
    if (memchr(bytes, '\0', size)) {
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, "give a file of numbers with units", "it is no text");
    } else {
        struct scan s = {.at = bytes, .from = path, .line = 1, .status = SP_INPUT, .times = times};
        status = take_all(&s, err);
    }
    free(bytes);
    return status;
}
