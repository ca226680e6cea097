#include "io/perf_csv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "io/files/input_file.h"

enum { MOST_B = 64 << 20, MOST_ROWS = 20000, MAX_FIELDS = 24 };

static const char how[] = "make it with perf stat -x, -o FILE -e duration_time,EVENTS PROGRAM";

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

struct reader {
    const char *path;
    int64_t line;
    char separator;          /* 0: not yet known */
    bool intervals, summary; /* lines of -I, and their sum */
    int64_t room;
    char *field[MAX_FIELDS]; /* of the line */
    int n_fields;
    struct sp_perf_csv *out;
};

static enum sp_status refuse(const struct reader *r, const char *remedy, const char *what, const char *text,
                             struct sp_error *err)
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
static void split(struct reader *r, char *line)
{
    char *p = line;
    bool within = false;
    r->n_fields = 0;
    r->field[r->n_fields++] = p;
    for (; *p; p++) {
        if (*p == '/' && (within || strchr(p + 1, '/')) && isalnum((unsigned char)p[within ? -1 : 1]))
            within = !within;
        else if (*p == r->separator && !within && r->n_fields < MAX_FIELDS) {
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
static bool take_rest(const struct reader *r, int i, struct sp_perf_row *row)
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
static int find_value(struct reader *r, struct sp_perf_row *row)
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

static enum sp_status add(struct reader *r, const struct sp_perf_row *row, struct sp_error *err)
{
    struct sp_perf_csv *out = r->out;
    if (out->n >= MOST_ROWS)
        return refuse(r, how, "it has too many lines%s", "", err);
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

static enum sp_status take_line(struct reader *r, char *line, struct sp_error *err)
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
        return refuse(r, how, "it is the JSON of perf stat -j%s", "", err);
    if (is_for_people(line))
        return refuse(r, how, "it is what perf stat prints for people, without -x,%s", "", err);
    if (!r->separator)
        r->separator = separator_of(line);
    char shown[41];
    snprintf(shown, sizeof shown, "%.40s", line);
    if (!r->separator)
        return refuse(r, how, "no count of perf stat is in '%s'", shown, err);
    split(r, line);
    const bool was_summary = r->summary;
    r->summary = false;
    const int i = find_value(r, &row);
    const bool is_summary = r->summary;
    r->summary = was_summary || is_summary;
    if (i < 0) /* a metric of its own has all fields before it empty */
        return r->n_fields > 4 && !*r->field[0] && !*r->field[1] && !*r->field[2]
                   ? SP_OK
                   : refuse(r, how, "no count of perf stat is in '%s'", shown, err);
    if (is_summary && !was_summary)
        r->out->n = 0; /* those of the intervals, of which these are the sums */
    if (!*r->field[i + 2] || strlen(r->field[i + 2]) >= sizeof row.name)
        return refuse(r, how, "no event is named in '%s'", shown, err);
    snprintf(row.unit, sizeof row.unit, "%s", r->field[i + 1]);
    snprintf(row.name, sizeof row.name, "%s", r->field[i + 2]);
    if (row.state == SP_PERF_COUNTED && !(row.value >= 0))
        return refuse(r, "the file may be damaged", "a count is below 0 in '%s'", shown, err);
    if (!take_rest(r, i + 3, &row))
        return refuse(r, "the file may be damaged", "the share of time is no percentage in '%s'", shown, err);
    return add(r, &row, err);
}

static enum sp_status take_lines(struct reader *r, char *text, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (char *p = text, *next; p && status == SP_OK; p = next) {
        next = strchr(p, '\n');
        if (next)
            *next++ = '\0';
        p[strcspn(p, "\r")] = '\0';
        r->line++;
        status = take_line(r, p, err);
    }
    if (status != SP_OK)
        return status;
    r->line = 0;
    if (r->out->n == 0)
        return refuse(r, how, "no count of perf stat is in it%s", "", err);
    if (r->intervals && !r->summary)
        return refuse(r, "leave -I out, or have perf stat add its summary",
                      "it has counts of intervals (-I), not of the whole%s", "", err);
    return SP_OK;
}

enum sp_status sp_perf_csv_read(const char *path, struct sp_perf_csv *csv, struct sp_error *err)
{
    char *bytes = NULL;
    size_t size;
    struct reader r = {.path = path, .out = csv};
    memset(csv, 0, sizeof *csv);
    csv->elapsed_s = NAN;
    enum sp_status status = sp_input_bytes(path, MOST_B, &bytes, &size, err);
    if (status != SP_OK)
        return status;
    status =
        memchr(bytes, '\0', size) ? refuse(&r, how, "it is no text%s", "", err) : take_lines(&r, bytes, err);
    free(bytes);
    if (status != SP_OK)
        sp_perf_csv_free(csv);
    return status;
}
