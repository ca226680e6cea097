/* Tables with a header line: ReFrame's performance logs, Thicket's data frames, anybody's CSV. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "track/exchange/exchange.h"

/* A table in memory, whose cells are cut out of a copy of the text. */
struct table {
    char *text;
    char **cell; /* [n_rows][n_columns]; row 0 is the header */
    int64_t *line;
    int64_t n_rows;
    int n_columns;
};

static void table_free(struct table *t)
{
    free(t->text);
    free(t->cell);
    free(t->line);
    memset(t, 0, sizeof *t);
}

/* Cuts one cell off; *at is then behind it, *end tells whether it was the last of its line. NULL: a
 * quote does not end. */
static char *cut(char **at, char separator, bool *end)
{
    char *begin = *at, *to = *at, *from = *at;
    bool quoted = false;
    for (; *from; from++) {
        if (separator == ',' && *from == '"' && quoted && from[1] == '"')
            from++;
        else if (separator == ',' && *from == '"' && (quoted || from == begin)) {
            quoted = !quoted;
            continue;
        } else if (!quoted && (*from == separator || *from == '\n'))
            break;
        *to++ = *from;
    }
    *end = *from != separator;
    *at = from + (*from != '\0');
    while (to > begin && (to[-1] == ' ' || to[-1] == '\r' || to[-1] == '\t'))
        to--;
    *to = '\0';
    return quoted ? NULL : begin + strspn(begin, " \t");
}

static enum sp_status add_cell(struct table *t, int64_t *most, int64_t n, char *cell, struct sp_error *err)
{
    if (n == *most) {
        const int64_t room = 2 * n + 256;
        char **more = realloc(t->cell, (size_t)room * sizeof *more);
        if (!more)
            return sp_fail(err, SP_MEMORY, NULL, "no memory for a table");
        t->cell = more;
        *most = room;
    }
    t->cell[n] = cell;
    return SP_OK;
}

static int64_t lines_between(const char *from, const char *to)
{
    int64_t n = 0;
    for (; from < to; from++)
        n += *from == '\n';
    return n;
}

/* `ends_so`: a separator may stand behind the last cell of a row. */
static enum sp_status table_of(const struct sp_outside_reading *r, char separator, bool ends_so,
                               struct table *t, struct sp_error *err)
{
    int64_t most = 0, n = 0, line = 1, most_rows = lines_between(r->text, r->text + r->size) + 2;
    memset(t, 0, sizeof *t);
    t->text = malloc(r->size + 1);
    t->line = malloc((size_t)most_rows * sizeof *t->line);
    if (!t->text || !t->line)
        return table_free(t), sp_fail(err, SP_MEMORY, NULL, "no memory for a table");
    memcpy(t->text, r->text, r->size + 1);
    char *at = t->text;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    enum sp_status status = SP_OK;
    while (*at && status == SP_OK) {
        char *const begin = at;
        if (at[strspn(at, " \t\r")] == '\n' || *at == '#') {
            at = strchr(at, '\n') ? strchr(at, '\n') + 1 : at + strlen(at);
            line++;
            continue;
        }
        int columns = 0;
        for (bool end = false; !end && status == SP_OK;) {
            char *cell = cut(&at, separator, &end);
            if (!cell)
                status = sp_fail_at(err, SP_INPUT, r->path, line, 0, NULL, "a quote does not end");
            else if (!(end && ends_so && *cell == '\0' && columns > 0)) {
                status = add_cell(t, &most, n++, cell, err);
                columns++;
            }
        }
        if (status == SP_OK && t->n_rows > 0 && columns != t->n_columns)
            status = sp_fail_at(err, SP_INPUT, r->path, line, 0, "quote cells that hold the separator",
                                "%d cells, but the header has %d", columns, t->n_columns);
        t->n_columns = t->n_rows == 0 ? columns : t->n_columns;
        t->line[t->n_rows++] = line;
        line += lines_between(r->text + (begin - t->text), r->text + (at - t->text));
    }
    if (status != SP_OK)
        table_free(t);
    return status;
}

static int find(const struct table *t, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        for (int c = 0; c < t->n_columns && t->n_rows > 0; c++)
            if (strcmp(t->cell[c], names[i]) == 0)
                return c;
    return -1;
}

/* NULL where there is no such column. */
static const char *cell(const struct table *t, int64_t row, int column)
{
    return column >= 0 ? t->cell[row * t->n_columns + column] : NULL;
}

static const char *const commits[] = {"commit", "git_commit", "commit_hash", NULL};
static const char *const branches[] = {"branch", NULL};

/* Of the header, which comments may stand before. */
static bool first_line_has(const char *text, size_t size, const char *word)
{
    const char *end;
    while (size > 0 && strchr("#\r\n", *text) && (end = memchr(text, '\n', size))) {
        size -= (size_t)(end + 1 - text);
        text = end + 1;
    }
    end = memchr(text, '\n', size);
    return memmem(text, end ? (size_t)(end - text) : size, word, strlen(word)) != NULL;
}

/* --- ReFrame --------------------------------------------------------------------------------- */

bool sp_is_reframe(const char *text, size_t size)
{
    return first_line_has(text, size, "job_completion_time") && first_line_has(text, size, "_value");
}

/* The column of NAME_unit beside NAME_value; `length` of NAME. */
static int unit_of(const struct table *t, const char *head, size_t length)
{
    for (int c = 0; c < t->n_columns; c++)
        if (strncmp(t->cell[c], head, length) == 0 && strcmp(t->cell[c] + length, "_unit") == 0)
            return c;
    return -1;
}

static enum sp_status read_variable(const struct sp_outside_reading *r, const struct table *t, int64_t row,
                                    int column, const char *check, struct sp_outside_text *text,
                                    struct sp_error *err)
{
    const char *head = t->cell[column];
    const size_t length = strlen(head) - strlen("_value");
    const char *value = cell(t, row, column), *unit = cell(t, row, unit_of(t, head, length));
    char name[512];
    enum sp_tracked metric;
    double x, factor;
    snprintf(name, sizeof name, "%s %.*s", check, (int)length, head);
    text->name = name;
    if (!unit || !sp_outside_unit(unit, &metric, &factor)) {
        char why[64];
        snprintf(why, sizeof why, "its unit is '%.30s'", unit ? unit : "");
        sp_outside_leave_out(r, name, why);
        return SP_OK;
    }
    if (sp_parse_number(value, &x)) {
        if (*value == '\0' || strcmp(value, "None") == 0 || strcmp(value, "null") == 0)
            return sp_outside_leave_out(r, name, "it has no value"), SP_OK;
        return sp_fail_at(err, SP_INPUT, r->path, t->line[row], 0, NULL, "'%.40s' of %.80s is no number",
                          value, head);
    }
    return sp_outside_add(r, t->line[row], text, metric, factor * x, SP_MEASURED, err);
}

static enum sp_status read_log_row(const struct sp_outside_reading *r, const struct table *t, int64_t row,
                                   struct sp_error *err)
{
    static const char *const names[] = {"name", "unique_name", "display_name", "info", NULL},
                             *const dates[] = {"job_completion_time", "job_completion_time_unix", NULL},
                             *const results[] = {"result", NULL}, *const systems[] = {"system", NULL},
                             *const partitions[] = {"partition", NULL}, *const environs[] = {"environ", NULL};
    const char *check = cell(t, row, find(t, names)), *result = cell(t, row, find(t, results)),
               *system = cell(t, row, find(t, systems)), *partition = cell(t, row, find(t, partitions)),
               *environ = cell(t, row, find(t, environs));
    char machine[160], env[320];
    enum sp_status status = SP_OK;
    if (!check)
        return sp_fail_at(err, SP_INPUT, r->path, t->line[0], 0,
                          "keep check_name in 'format' of the perflog handler",
                          "no column with the check's name");
    if (result && strcmp(result, "pass") != 0)
        return sp_outside_leave_out(r, check, "its result is not pass"), SP_OK;
    snprintf(machine, sizeof machine, "%.30s%s%.30s", system ? system : "",
             partition && *partition ? ":" : "", partition ? partition : "");
    snprintf(env, sizeof env, "%s %.100s", machine, environ ? environ : "");
    struct sp_outside_text text = {.machine = machine,
                                   .env = system ? env : NULL,
                                   .commit = cell(t, row, find(t, commits)),
                                   .branch = cell(t, row, find(t, branches)),
                                   .date = cell(t, row, find(t, dates))};
    for (int c = 0; c < t->n_columns && status == SP_OK; c++) {
        const size_t length = strlen(t->cell[c]);
        if (length > 6 && strcmp(t->cell[c] + length - 6, "_value") == 0)
            status = read_variable(r, t, row, c, check, &text, err);
    }
    return status;
}

enum sp_status sp_read_reframe(const struct sp_outside_reading *r, struct sp_error *err)
{
    struct table t;
    const char separator = first_line_has(r->text, r->size, "|") ? '|' : ',';
    enum sp_status status = table_of(r, separator, true, &t, err);
    for (int64_t row = 1; status == SP_OK && row < t.n_rows; row++)
        status = read_log_row(r, &t, row, err);
    table_free(&t);
    return status;
}

/* --- Thicket and Hatchet --------------------------------------------------------------------- */

static const char *const profile_times[] = {"Avg time/rank", "time (inc)", "time", "Total time", NULL};

bool sp_is_thicket(const char *text, size_t size)
{
    return (first_line_has(text, size, "node,") || first_line_has(text, size, "profile,")) &&
           first_line_has(text, size, "name") && first_line_has(text, size, "ime");
}

enum sp_status sp_read_thicket(const struct sp_outside_reading *r, struct sp_error *err)
{
    static const char *const names[] = {"name", NULL},
                             *const dates[] = {"date", "launchdate", "launchday", NULL},
                             *const machines[] = {"machine", "cluster", "host", "hostname", NULL};
    struct table t;
    enum sp_status status = table_of(r, ',', false, &t, err);
    const int name = status == SP_OK ? find(&t, names) : -1,
              time = status == SP_OK ? find(&t, profile_times) : -1;
    if (status == SP_OK && (name < 0 || time < 0))
        status = sp_fail_at(
            err, SP_INPUT, r->path, t.line ? t.line[0] : 1, 0, "tk.dataframe.to_csv(FILE) writes both",
            "no column 'name' beside one of 'Avg time/rank', 'time (inc)', 'time', 'Total time'");
    for (int64_t row = 1; status == SP_OK && row < t.n_rows; row++) {
        const struct sp_outside_text text = {.name = cell(&t, row, name),
                                             .machine = cell(&t, row, find(&t, machines)),
                                             .commit = cell(&t, row, find(&t, commits)),
                                             .branch = cell(&t, row, find(&t, branches)),
                                             .date = cell(&t, row, find(&t, dates))};
        const char *value = cell(&t, row, time);
        double x;
        if (*value == '\0' || strcmp(value, "nan") == 0 || strcmp(value, "NaN") == 0)
            sp_outside_leave_out(r, text.name, "it has no time");
        else if (sp_parse_number(value, &x))
            status = sp_fail_at(err, SP_INPUT, r->path, t.line[row], 0, NULL,
                                "'%.40s' of '%.40s' is no number", value, t.cell[time]);
        else if (x == 0)
            sp_outside_leave_out(r, text.name, "its time is 0");
        else
            status = sp_outside_add(r, t.line[row], &text, SP_TRACKED_TIME, x, SP_MEASURED, err);
    }
    table_free(&t);
    return status;
}

/* --- Anybody's ------------------------------------------------------------------------------- */

bool sp_is_series_csv(const char *text, size_t size)
{
    return first_line_has(text, size, "series") && first_line_has(text, size, "value") &&
           first_line_has(text, size, "unit");
}

static enum sp_status no_column(const struct sp_outside_reading *r, const char *name, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, r->path, 1, 0, "spmodel track import --formats says what columns mean",
                      "no column '%s' in the header", name);
}

static enum sp_status read_csv_row(const struct sp_outside_reading *r, const struct table *t, int64_t row,
                                   const int *column, struct sp_error *err)
{
    enum { SERIES, VALUE, UNIT, DATE, COMMIT, BRANCH, MACHINE, ENV, METRIC, ORIGIN };
    const struct sp_outside_text text = {.name = cell(t, row, column[SERIES]),
                                         .machine = cell(t, row, column[MACHINE]),
                                         .env = cell(t, row, column[ENV]),
                                         .commit = cell(t, row, column[COMMIT]),
                                         .branch = cell(t, row, column[BRANCH]),
                                         .date = cell(t, row, column[DATE])};
    const char *value = cell(t, row, column[VALUE]), *unit = cell(t, row, column[UNIT]),
               *named = cell(t, row, column[METRIC]), *origin = cell(t, row, column[ORIGIN]);
    enum sp_tracked metric;
    double x, factor;
    if (sp_parse_number(value, &x))
        return sp_fail_at(err, SP_INPUT, r->path, t->line[row], 0, NULL, "'%.40s' of 'value' is no number",
                          value);
    if (!sp_outside_unit(unit, &metric, &factor))
        return sp_fail_at(
            err, SP_INPUT, r->path, t->line[row], 0,
            "s, ms, us, ns; B/s, B and flop/s with k, M, G, T, B and B/s with Ki, Mi, Gi, Ti, too",
            "'%.40s' is no unit that can be tracked", unit);
    if (named && *named && sp_tracked_find(named) != (int)metric)
        return sp_fail_at(err, SP_INPUT, r->path, t->line[row], 0, NULL,
                          "the unit '%.20s' is that of %s, not of '%.40s'", unit,
                          sp_tracked_metrics[metric].name, named);
    const enum sp_origin as = origin && *origin ? sp_origin_from_name(origin) : SP_MEASURED;
    if (as == SP_NONE)
        return sp_fail_at(err, SP_INPUT, r->path, t->line[row], 0,
                          "measured, simulated, modelled, stated or constructed", "'%.40s' is no origin",
                          origin);
    return sp_outside_add(r, t->line[row], &text, metric, factor * x, as, err);
}

enum sp_status sp_read_series_csv(const struct sp_outside_reading *r, struct sp_error *err)
{
    static const char *const names[] = {"series", "value",   "unit", "date",   "commit",
                                        "branch", "machine", "env",  "metric", "origin"};
    enum { N = sizeof names / sizeof *names, NEEDED = 3 };
    struct table t;
    int column[N];
    enum sp_status status = table_of(r, ',', false, &t, err);
    for (int i = 0; i < N && status == SP_OK; i++) {
        column[i] = find(&t, (const char *const[]){names[i], NULL});
        if (column[i] < 0 && i < NEEDED)
            status = no_column(r, names[i], err);
    }
    for (int64_t row = 1; status == SP_OK && row < t.n_rows; row++)
        status = read_csv_row(r, &t, row, column, err);
    table_free(&t);
    return status;
}
