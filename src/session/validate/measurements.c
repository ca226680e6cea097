#include "session/validate/measurements.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/formula.h"
#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/text.h"
#include "io/files/input_file.h"

const struct sp_measured_name sp_measured_texts[SP_N_MEASURED_TEXTS] = {
    {"matrix", NULL, "a generator (gen:...) or a name of the collection"},
    {"machine", NULL, "a described machine"},
    {"schedule", NULL, "rows, nnz (default), cyclic:N or merge"},
    {"format", NULL, "crs (default), sell:C,SIGMA and the like"},
    {"precision", NULL, "f64 (default), f32, mixed or c128"},
    {"state", NULL, "warm (default) or cold"},
    {"source", NULL, "who measured"},
};

const struct sp_measured_name sp_measured_numbers[SP_N_MEASURED_NUMBERS] = {
    {"threads", "n_threads", "threads"},
    {"row_ptr", NULL, "bytes of a row pointer, 4 or 8"},
    {"partition", NULL, "ways of the last level kept for the matrix, 0: none"},
    {"partition_L1", NULL, "the same of the L1"},
    {"read_B", "bytes_read", "bytes read from memory"},
    {"write_B", "bytes_written", "bytes written to memory"},
    {"time_s", "time", "seconds"},
    {"executions", NULL, "that bytes and time are sums of; default: 1"},
    {"rows", "n_r", "of the matrix"},
    {"cols", "n_c", "of the matrix"},
    {"nnz", "n_nz", "of the matrix"},
    {"theirs_B", NULL, "bytes read as the source predicted them"},
};

static int find_name(const struct sp_measured_name *names, int n, const char *name, size_t length)
{
    for (int i = 0; i < n; i++)
        if (strlen(names[i].name) == length && strncmp(names[i].name, name, length) == 0)
            return i;
    return -1;
}

static const char *blanks(const char *c)
{
    while (isspace((unsigned char)*c))
        c++;
    return c;
}

static size_t trimmed_length(const char *text, size_t n)
{
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        n--;
    return n;
}

static enum sp_status keep(char **place, const char *text, size_t length, struct sp_error *err)
{
    char *copy = strndup(text, length);
    if (!copy)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for a mapping");
    free(*place);
    *place = copy;
    return SP_OK;
}

static const char names_there_are[] =
    "it maps matrix, machine, schedule, format, precision, state, source, threads, row_ptr, partition, "
    "partition_L1, "
    "read_B, write_B, time_s, executions, rows, cols, nnz, theirs_B";

enum sp_status sp_mapping_add(struct sp_mapping *m, const char *entry, const char *path, int64_t line,
                              struct sp_error *err)
{
    const enum sp_status kind = path ? SP_INPUT : SP_USAGE;
    const char *name = blanks(entry), *equal = strchr(name, '=');
    if (!equal)
        return sp_fail_at(err, kind, path ? path : "", line, 0, "write NAME = EXPRESSION",
                          "no '=' in the mapping '%s'", entry);
    const size_t length = trimmed_length(name, (size_t)(equal - name));
    const char *what = blanks(equal + 1);
    const size_t n = trimmed_length(what, strlen(what));
    const int text = find_name(sp_measured_texts, SP_N_MEASURED_TEXTS, name, length),
              number = find_name(sp_measured_numbers, SP_N_MEASURED_NUMBERS, name, length);
    if (text < 0 && number < 0)
        return sp_fail_at(err, kind, path ? path : "", line, 0, names_there_are,
                          "a mapping has no quantity '%.*s'", (int)length, name);
    if (n == 0)
        return sp_fail_at(err, kind, path ? path : "", line, 0, "write NAME = EXPRESSION",
                          "nothing stands behind '%.*s ='", (int)length, name);
    return keep(text >= 0 ? &m->text[text] : &m->number[number], what, n, err);
}

enum sp_status sp_mapping_say(struct sp_mapping *m, enum sp_measured_text what, const char *text,
                              struct sp_error *err)
{
    char quoted[256];
    const char quote = strchr(text, '"') ? '\'' : '"';
    snprintf(quoted, sizeof quoted, "%c%s%c", quote, text, quote);
    return keep(&m->text[what], quoted, strlen(quoted), err);
}

enum sp_status sp_mapping_read(struct sp_mapping *m, const char *path, struct sp_error *err)
{
    enum { MOST_B = 1 << 20 };
    char *bytes;
    size_t size;
    enum sp_status status = sp_input_bytes(path, MOST_B, &bytes, &size, err);
    if (status != SP_OK)
        return status;
    int64_t line = 1;
    for (char *at = bytes; status == SP_OK && at && *at; line++) {
        char *end = strchr(at, '\n');
        if (end)
            *end++ = '\0';
        at[strcspn(at, "#")] = '\0';
        if (*blanks(at))
            status = sp_mapping_add(m, at, path, line, err);
        at = end;
    }
    free(bytes);
    return status;
}

void sp_mapping_free(struct sp_mapping *m)
{
    for (int i = 0; i < SP_N_MEASURED_TEXTS; i++)
        free(m->text[i]);
    for (int i = 0; i < SP_N_MEASURED_NUMBERS; i++)
        free(m->number[i]);
    memset(m, 0, sizeof *m);
}

enum sp_status sp_line_filter_parse(const char *text, struct sp_line_filter *f, struct sp_error *err)
{
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || !equal[1])
        return sp_fail(err, SP_USAGE, NULL,
                       SP_O_ONLY " takes COLUMN=VALUE[,VALUE...], for example threads=48, not '%s'", text);
    *f = (struct sp_line_filter){.name = text, .name_length = (int)(equal - text), .values = equal + 1};
    return SP_OK;
}

/* Which of the values, separated by commas, a cell is; -1: none. */
static int index_in(const char *cell, const char *values)
{
    double a, b;
    const bool number = !sp_parse_number(cell, &a);
    for (int i = 0; *values; i++) {
        char word[128];
        const size_t n = strcspn(values, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, values);
        if (strcmp(word, cell) == 0 || (number && !sp_parse_number(word, &b) && a == b))
            return i;
        values += n + (values[n] == ',');
    }
    return -1;
}

char *sp_line_filter_unseen(const struct sp_line_filter *f, char *text, size_t size)
{
    size_t n = 0;
    int i = 0;
    *text = '\0';
    for (const char *value = f->values; *value && i < SP_FILTER_VALUES; i++) {
        char word[128];
        const size_t length = strcspn(value, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, value);
        if (!f->seen[i] && length > 0 && n < size && index_in(word, f->values) == i)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", word);
        value += length + (value[length] == ',');
    }
    return text;
}

/* One line of the table, for formulas. */
struct row {
    const char *path;
    const struct sp_csv_table *table;
    int64_t row;
    bool is_empty; /* a cell that was asked for is */
};

static enum sp_status fail_row(const struct row *r, struct sp_error *err, const char *remedy,
                               const char *what, const char *of)
{
    return sp_fail_at(err, SP_INPUT, r->path, r->table->line[r->row], 0, remedy, what, of);
}

static enum sp_status cell_number(struct row *r, const char *name, struct sp_quantity *out,
                                  struct sp_error *err)
{
    const int column = sp_csv_table_column(r->table, name);
    if (column < 0)
        return sp_fail_at(err, SP_INPUT, r->path, 1, 0, "its first line names the columns",
                          "the mapping asks for a column '%s', which is not there", name);
    const char *cell = sp_csv_table_cell(r->table, r->row, column);
    double x = NAN;
    if (!*cell)
        r->is_empty = true;
    else if (sp_parse_number(cell, &x))
        return sp_fail_at(err, SP_INPUT, r->path, r->table->line[r->row], 0,
                          "leave it empty where it is not known", "'%s' in column '%s' is no number", cell,
                          name);
    *out = (struct sp_quantity){x, x, x};
    return SP_OK;
}

static enum sp_status by_name(void *context, const char *name, struct sp_quantity *out, struct sp_error *err)
{
    return cell_number(context, name, out, err);
}

static enum sp_status by_field(void *context, const char *kind, const char *name, struct sp_quantity *out,
                               struct sp_error *err)
{
    struct row *r = context;
    if (strcmp(kind, "column") != 0)
        return fail_row(r, err, "write [column:NAME]", "the mapping asks for '%s' in brackets", kind);
    return cell_number(r, name, out, err);
}

static enum sp_status number_of(struct row *r, const char *expression, double *out, struct sp_error *err)
{
    struct sp_formula_source source = {by_name, by_field, r};
    struct sp_quantity q;
    r->is_empty = false;
    enum sp_status status = sp_formula_evaluate(expression, &source, &q, err);
    *out = status == SP_OK ? q.value : NAN;
    if (status == SP_UNDECIDED && r->is_empty)
        return SP_OK;
    return status == SP_UNDECIDED
               ? fail_row(r, err, "correct the line or the mapping", "'%s' has no finite value", expression)
               : status;
}

/* What each quantity is taken from. */
struct plan {
    int text_column[SP_N_MEASURED_TEXTS]; /* -1: said or not there */
    char said[SP_N_MEASURED_TEXTS][128];
    const char *formula[SP_N_MEASURED_NUMBERS]; /* NULL: not there */
    int number_column[SP_N_MEASURED_NUMBERS];
};

static enum sp_status column_for(const char *path, const struct sp_csv_table *t,
                                 const struct sp_measured_name *name, int *column, struct sp_error *err)
{
    *column = sp_csv_table_column(t, name->name);
    const int other = name->other ? sp_csv_table_column(t, name->other) : -1;
    if (*column >= 0 && other >= 0)
        return sp_fail_at(err, SP_INPUT, path, 1, 0, "say which with " SP_O_MAP,
                          "columns '%s' and '%s' both may be '%s'", name->name, name->other, name->name);
    *column = *column >= 0 ? *column : other;
    return SP_OK;
}

static enum sp_status plan_text(const char *path, const struct sp_csv_table *t, const struct sp_mapping *m,
                                int i, struct plan *plan, struct sp_error *err)
{
    const char *entry = m->text[i];
    if (!entry)
        return column_for(path, t, &sp_measured_texts[i], &plan->text_column[i], err);
    const size_t n = strlen(entry);
    if (n >= 2 && (*entry == '"' || *entry == '\'') && entry[n - 1] == *entry) {
        snprintf(plan->said[i], sizeof plan->said[i], "%.*s", (int)n - 2, entry + 1);
        plan->text_column[i] = -1;
        return SP_OK;
    }
    plan->text_column[i] = sp_csv_table_column(t, entry);
    return plan->text_column[i] >= 0 ? SP_OK
                                     : sp_fail_at(err, SP_INPUT, path, 1, 0, "a column, or a text in quotes",
                                                  "'%s' is mapped to a column '%s', which is not there",
                                                  sp_measured_texts[i].name, entry);
}

static enum sp_status missing(const char *path, const char *what, const char *remedy, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, path, 1, 0, remedy, "no column gives %s", what);
}

static enum sp_status plan_make(const char *path, const struct sp_csv_table *t, const struct sp_mapping *m,
                                struct plan *plan, struct sp_error *err)
{
    memset(plan, 0, sizeof *plan);
    if (t->n_columns == 1 && strpbrk(t->column[0], ";\t"))
        return sp_fail_at(err, SP_INPUT, path, 1, 0, "separate the columns by commas",
                          "the header has one column, '%s'", t->column[0]);
    enum sp_status status = SP_OK;
    for (int i = 0; i < SP_N_MEASURED_TEXTS && status == SP_OK; i++)
        status = plan_text(path, t, m, i, plan, err);
    for (int i = 0; i < SP_N_MEASURED_NUMBERS && status == SP_OK; i++) {
        plan->number_column[i] = -1;
        plan->formula[i] = m->number[i];
        if (!m->number[i])
            status = column_for(path, t, &sp_measured_numbers[i], &plan->number_column[i], err);
    }
    if (status != SP_OK)
        return status;
    const int matrix = SP_MEASURED_MATRIX, machine = SP_MEASURED_MACHINE, threads = SP_MEASURED_THREADS;
    if (plan->text_column[matrix] < 0 && !*plan->said[matrix])
        return missing(path, "the matrix",
                       "map it: " SP_O_MAP
                       " 'matrix = COLUMN'; what a profiler wrote of one run: `spmodel import`",
                       err);
    if (plan->text_column[machine] < 0 && !*plan->said[machine])
        return missing(path, "the machine", "say it: " SP_O_MACHINE " NAME", err);
    if (!plan->formula[threads] && plan->number_column[threads] < 0)
        return missing(path, "the threads", "say them: " SP_O_THREADS " N", err);
    for (int i = SP_MEASURED_READ; i <= SP_MEASURED_TIME; i++)
        if (plan->formula[i] || plan->number_column[i] >= 0)
            return SP_OK;
    return missing(path, "anything measured: bytes read, bytes written or a time",
                   "map one: " SP_O_MAP " 'read_B = FORMULA'", err);
}

static bool is_count(double x, double least, double most)
{
    return x >= least && x <= most && x == floor(x);
}

static enum sp_status check(const struct row *r, const struct sp_measurement *m, struct sp_error *err)
{
    const double *x = m->number;
    for (int i = 0; i < SP_N_MEASURED_NUMBERS; i++) {
        const double most = i == SP_MEASURED_THREADS ? 4096 : 9e15;
        const bool whole = i == SP_MEASURED_THREADS || i == SP_MEASURED_PARTITION ||
                           i == SP_MEASURED_PARTITION_L1 || (i >= SP_MEASURED_ROWS && i <= SP_MEASURED_NNZ);
        const bool positive =
            i == SP_MEASURED_THREADS || i == SP_MEASURED_TIME || i == SP_MEASURED_EXECUTIONS;
        if (!isnan(x[i]) && (whole ? !is_count(x[i], positive, most) : positive ? !(x[i] > 0) : x[i] < 0))
            return sp_fail_at(err, SP_INPUT, r->path, m->line, 0, "correct the line or the mapping",
                              "%s is %g", sp_measured_numbers[i].name, x[i]);
    }
    if (!*m->text[SP_MEASURED_MATRIX])
        return fail_row(r, err, NULL, "the %s is empty", "matrix");
    if (!*m->text[SP_MEASURED_MACHINE])
        return fail_row(r, err, NULL, "the %s is empty", "machine");
    if (isnan(x[SP_MEASURED_THREADS]))
        return fail_row(r, err, NULL, "%s are empty", "threads");
    if (!isnan(x[SP_MEASURED_ROW_PTR]) && x[SP_MEASURED_ROW_PTR] != 4 && x[SP_MEASURED_ROW_PTR] != 8)
        return fail_row(r, err, "say 4 or 8", "%s is neither 4 nor 8", "row_ptr");
    const char *state = m->text[SP_MEASURED_STATE];
    if (*state && strcmp(state, "warm") != 0 && strcmp(state, "cold") != 0)
        return fail_row(r, err, "say warm or cold", "the state '%s' is neither warm nor cold", state);
    return SP_OK;
}

static enum sp_status read_row(struct row *r, const struct plan *plan, struct sp_measurement *m,
                               struct sp_error *err)
{
    memset(m, 0, sizeof *m);
    m->line = r->table->line[r->row];
    for (int i = 0; i < SP_N_MEASURED_TEXTS; i++) {
        const int column = plan->text_column[i];
        const char *text = column >= 0 ? sp_csv_table_cell(r->table, r->row, column) : plan->said[i];
        if (strlen(text) >= sizeof m->text[i])
            return fail_row(r, err, "shorten it", "'%s' is longer than 127 characters",
                            sp_measured_texts[i].name);
        snprintf(m->text[i], sizeof m->text[i], "%s", text);
    }
    enum sp_status status = SP_OK;
    for (int i = 0; i < SP_N_MEASURED_NUMBERS && status == SP_OK; i++) {
        struct sp_quantity q = {NAN, NAN, NAN};
        if (plan->formula[i])
            status = number_of(r, plan->formula[i], &m->number[i], err);
        else if (plan->number_column[i] >= 0)
            status = cell_number(r, r->table->column[plan->number_column[i]], &q, err);
        if (!plan->formula[i])
            m->number[i] = q.value;
    }
    if (status == SP_OK)
        status = check(r, m, err);
    const double n = m->number[SP_MEASURED_EXECUTIONS];
    for (int i = SP_MEASURED_READ; i <= SP_MEASURED_TIME && !isnan(n); i++)
        m->number[i] /= n;
    return status;
}

/* By column, else by the quantity of that name, which is in `m`: which value the line has, -1:
 * none. */
static enum sp_status pass(const struct row *r, const struct sp_line_filter *f,
                           const struct sp_measurement *m, int *value, struct sp_error *err)
{
    char name[128], number[32];
    snprintf(name, sizeof name, "%.*s", f->name_length, f->name);
    const int column = sp_csv_table_column(r->table, name);
    const int text = find_name(sp_measured_texts, SP_N_MEASURED_TEXTS, name, strlen(name)),
              count = find_name(sp_measured_numbers, SP_N_MEASURED_NUMBERS, name, strlen(name));
    if (column < 0 && text < 0 && count < 0)
        return sp_fail_at(err, SP_USAGE, r->path, 1, 0, "its first line names the columns",
                          SP_O_ONLY " asks for a column '%s', which is not there", name);
    if (column < 0 && count >= 0)
        snprintf(number, sizeof number, "%.17g", m->number[count]);
    *value = index_in(column >= 0 ? sp_csv_table_cell(r->table, r->row, column)
                      : text >= 0 ? m->text[text]
                                  : number,
                      f->values);
    return SP_OK;
}

/* The row, where it passes all filters. */
static enum sp_status take_row(struct row *r, const struct plan *plan, struct sp_line_filter *filter,
                               int n_filters, struct sp_measurement *m, bool *is_taken, struct sp_error *err)
{
    int value;
    *is_taken = false;
    /* What a filter leaves out need not be right. */
    for (int k = 0; k < n_filters; k++) {
        char name[128];
        snprintf(name, sizeof name, "%.*s", filter[k].name_length, filter[k].name);
        const int column = sp_csv_table_column(r->table, name);
        if (column >= 0 && index_in(sp_csv_table_cell(r->table, r->row, column), filter[k].values) < 0)
            return SP_OK;
    }
    enum sp_status status = read_row(r, plan, m, err);
    for (int k = 0; k < n_filters && status == SP_OK; k++) {
        status = pass(r, &filter[k], m, &value, err);
        if (status == SP_OK && value < 0)
            return SP_OK;
    }
    *is_taken = status == SP_OK;
    for (int k = 0; k < n_filters && *is_taken; k++)
        if (pass(r, &filter[k], m, &value, err) == SP_OK && value >= 0 && value < SP_FILTER_VALUES)
            filter[k].seen[value] = true;
    return status;
}

enum sp_status sp_measurements_of(const char *path, const struct sp_csv_table *table,
                                  const struct sp_mapping *mapping, struct sp_line_filter *filter,
                                  int n_filters, struct sp_measurement **out, int64_t *n,
                                  struct sp_error *err)
{
    struct plan plan;
    void *memory;
    *out = NULL;
    *n = 0;
    if (table->n_rows == 0)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "add a line for each execution",
                          "there are no lines behind the header");
    enum sp_status status = plan_make(path, table, mapping, &plan, err);
    if (status == SP_OK)
        status = sp_new_array(table->n_rows, sizeof **out, "measurements", &memory, err);
    if (status != SP_OK)
        return status;
    *out = memory;
    for (int64_t i = 0; i < table->n_rows && status == SP_OK; i++) {
        struct row r = {path, table, i, false};
        bool is_taken;
        status = take_row(&r, &plan, filter, n_filters, &(*out)[*n], &is_taken, err);
        *n += is_taken;
    }
    if (status != SP_OK) {
        free(*out);
        *out = NULL;
        *n = 0;
    }
    return status;
}
