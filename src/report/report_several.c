#include "report/report_several.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/option/run_option.h"
#include "base/print.h"
#include "base/text.h"
#include "io/files/part_file.h"
#include "io/record/record.h"
#include "io/record/record_losses.h"
#include "report/report_words.h"
#include "report/text/sections.h"

/* The field whose columns come in this place; SP_F_NONE behind the last. */
static enum sp_record_field field_at(int place)
{
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
        if (sp_record_fields[i].csv.place == place)
            return (enum sp_record_field)i;
    return SP_F_NONE;
}

/* A loss as rows that add up to the time have it; false: the column is none, or not known. */
static bool loss_of(const struct sp_record *record, enum sp_record_field field, double *seconds)
{
    for (int i = 0; i < SP_N_LOSS_ROWS; i++)
        if (sp_loss_words[i].field == field)
            return sp_record_loss(record, i, seconds);
    return false;
}

/* jansson writes C numbers in every locale, printf would not. */
static void put_number(const json_t *node, FILE *out)
{
    char number[48];
    size_t n = json_dumpb(node, number, sizeof number - 1, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    number[n < sizeof number ? n : 0] = '\0';
    fputs(number, out);
}

static void put_loss(double seconds, FILE *out)
{
    json_t *node = json_real(seconds);
    put_number(node, out);
    json_decref(node);
}

/* "_s", "_B_per_flop"; nothing of a pure number. */
static void put_unit(const char *unit, FILE *out)
{
    const char *slash = strchr(unit, '/');
    if (slash)
        sp_print(out, "_%.*s_per_%s", (int)(slash - unit), unit, slash + 1);
    else if (strcmp(unit, "1") != 0)
        sp_print(out, "_%s", unit);
}

static void put_names(const struct sp_field_facts *f, FILE *out)
{
    static const char *const parts[] = {"", "_lo", "_hi"};
    const int n = f->csv.parts & SP_CSV_ENDS ? 3 : 1;
    if (f->type != SP_A_METRIC) {
        sp_print(out, "%s", f->csv.name);
        return;
    }
    for (int i = 0; i < n; i++) {
        sp_print(out, "%s%s%s", i ? "," : "", f->csv.name, parts[i]);
        put_unit(f->unit, out);
    }
    if (f->csv.parts & SP_CSV_ORIGIN)
        sp_print(out, ",%s_origin", f->csv.name);
}

void sp_report_csv_header(FILE *out)
{
    enum sp_record_field field;
    for (int place = 1; (field = field_at(place)); place++) {
        if (place > 1)
            fputc(',', out);
        put_names(&sp_record_fields[field], out);
    }
    fputc('\n', out);
}

/* "Q01 Q05" */
static void put_codes(const json_t *flags, FILE *out)
{
    char text[256] = "";
    size_t i, used = 0;
    const json_t *flag;
    json_array_foreach(flags, i, flag)
    {
        const char *code = sp_item_text(flag, "code");
        if (code && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", code);
    }
    sp_csv_field(out, text);
}

static void put_node(const json_t *node, FILE *out)
{
    if (json_is_array(node))
        put_codes(node, out);
    else if (json_is_string(node))
        sp_csv_field(out, json_string_value(node));
    else if (json_is_integer(node))
        sp_print(out, "%lld", (long long)json_integer_value(node));
    else if (json_is_real(node))
        put_number(node, out);
}

static void put_metric(const json_t *node, unsigned csv_parts, FILE *out)
{
    static const struct {
        const char *key;
        unsigned part;
    } parts[] = {{"lo", SP_CSV_ENDS}, {"hi", SP_CSV_ENDS}, {"origin", SP_CSV_ORIGIN}};
    put_node(json_object_get(node, "value"), out);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (csv_parts & parts[i].part) {
            fputc(',', out);
            put_node(json_object_get(node, parts[i].key), out);
        }
}

void sp_report_csv_row(const struct sp_record *record, FILE *out)
{
    enum sp_record_field field;
    for (int place = 1; (field = field_at(place)); place++) {
        const json_t *node = sp_record_node(record, field);
        double seconds;
        if (place > 1)
            fputc(',', out);
        if (loss_of(record, field, &seconds))
            put_loss(seconds, out);
        else if (sp_record_fields[field].type == SP_A_METRIC)
            put_metric(node, sp_record_fields[field].csv.parts, out);
        else
            put_node(node, out);
    }
    fputc('\n', out);
}

/* Until it is closed, other processes that add rows in this folder wait: each replaces the file.
 * -1: no lock, where the file system has none, or somebody keeps it for long. */
static int lock_folder(const char *path)
{
    enum { TRIES = 3000 };
    const struct timespec pause = {.tv_nsec = 10000000};
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    for (int i = 0; fd >= 0; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return fd;
        if ((errno != EWOULDBLOCK && errno != EINTR) || i == TRIES)
            break;
        nanosleep(&pause, NULL);
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The whole file, "" where there is none; to be freed. */
static enum sp_status old_content(const char *path, char **text, size_t *size, struct sp_error *err)
{
    *text = NULL;
    *size = 0;
    FILE *in = fopen(path, "r");
    if (!in && errno == ENOENT)
        return SP_OK;
    if (!in)
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, "choose a file that you may read and write",
                          "cannot read the CSV file to add to it: %s", strerror(errno));
    FILE *memory = open_memstream(text, size);
    char block[65536];
    size_t n;
    while (memory && (n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, memory);
    bool failed = ferror(in) || !memory;
    fclose(in);
    if (memory && fclose(memory) != 0)
        failed = true;
    if (!failed)
        return SP_OK;
    free(*text);
    *text = NULL;
    *size = 0;
    return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "cannot read the CSV file to add to it");
}

/* Opens a new version of the file at `path`; what that holds, and the header, to be freed. */
static enum sp_status begin_to_append(const char *path, char **old, size_t *old_size, char **header,
                                      struct sp_atomic_file *file, struct sp_error *err)
{
    size_t header_size = 0;
    *header = NULL;
    enum sp_status status = old_content(path, old, old_size, err);
    if (status != SP_OK)
        return status;
    FILE *memory = open_memstream(header, &header_size);
    if (memory)
        sp_report_csv_header(memory);
    if (!memory || fclose(memory) != 0)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the CSV header");
    if (*old_size > 0 && (*old_size < header_size || memcmp(*old, *header, header_size) != 0))
        return sp_fail_at(err, SP_INPUT, path, 1, 0, "give another file name",
                          "the file exists and does not begin with the columns of this version");
    return sp_atomic_open(path, file, err);
}

enum sp_status sp_report_csv_check(const char *path, struct sp_error *err)
{
    char *old, *header;
    size_t old_size;
    struct sp_atomic_file file = {0};
    const enum sp_status status = begin_to_append(path, &old, &old_size, &header, &file, err);
    if (status == SP_OK)
        sp_atomic_abort(&file);
    free(old);
    free(header);
    return status;
}

enum sp_status sp_report_csv_append(const char *path, const struct sp_record *const *records, int n,
                                    struct sp_error *err)
{
    char *old, *header;
    size_t old_size;
    struct sp_atomic_file file = {0};
    const int lock = lock_folder(path);
    enum sp_status status = begin_to_append(path, &old, &old_size, &header, &file, err);
    if (status != SP_OK)
        goto done;
    if (old_size == 0)
        fputs(header, file.stream);
    fwrite(old ? old : "", 1, old_size, file.stream);
    if (old_size > 0 && old[old_size - 1] != '\n')
        fputc('\n', file.stream);
    for (int i = 0; i < n; i++)
        sp_report_csv_row(records[i], file.stream);
    status = sp_atomic_commit(&file, err);
done:
    if (lock >= 0)
        close(lock);
    free(old);
    free(header);
    return status;
}

enum { MOST = 32, N_COLUMNS = 8, SERIES_CELL = 40 };

struct table {
    char cell[MOST + 1][N_COLUMNS][SERIES_CELL];
    int n_rows;
};

static void number(char cell[SERIES_CELL], double x, double scale)
{
    if (isfinite(x))
        sp_figure(cell, SERIES_CELL, x / scale, 3);
    else
        snprintf(cell, SERIES_CELL, "unknown");
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
        snprintf(t->cell[0][c], SERIES_CELL, "%s", heads[c]);
    snprintf(t->cell[0][1], SERIES_CELL, "time %s", time.prefix);
    for (int i = 0; i < n; i++) {
        char(*row)[SERIES_CELL] = t->cell[++t->n_rows];
        snprintf(row[0], SERIES_CELL, "%lld", (long long)p[i].r);
        sp_figure_interval(row[1], SERIES_CELL, p[i].time_s.value, p[i].time_s.lo, p[i].time_s.hi,
                           time.factor, 3);
        number(row[2], p[i].balance.value, 1);
        number(row[3], p[i].balance_min, 1);
        number(row[4], p[i].performance.value, 1e9);
        if (isfinite(p[i].model) && p[i].model > 0)
            sp_figure_percent(row[5], SERIES_CELL, p[i].performance.value / p[i].model);
        else
            snprintf(row[5], SERIES_CELL, "unknown");
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

enum { CELL = 64, TIME = 52, GAIN = 72, BOUND = 82, SETUP = 92, SHOWN = 20, NAMED = 8, MOST_MAP = 16 };

/* A column of the table; a narrow terminal leaves changes less room. */
static int at(const struct sp_pen *pen, int column)
{
    static const int narrowest = 80;
    const int width = pen->width > narrowest ? pen->width : narrowest;
    return width < SETUP ? column - (SETUP - width) : column;
}

static const char *fate_of(const json_t *point)
{
    const char *fate = sp_item_text(point, "fate");
    if (json_is_true(json_object_get(point, "disturbed"))) /* of older records, which gave it a figure */
        return "disturbed";
    return fate ? fate : "?";
}

static bool is_measured(const json_t *point)
{
    return strcmp(fate_of(point), "measured") == 0;
}

static bool is_the_run(const json_t *point)
{
    const char *change = sp_item_text(point, "change");
    return !change || !*change;
}

static const char *change_of(const json_t *point)
{
    return is_the_run(point) ? "the run" : sp_item_text(point, "change");
}

/* Time of the point [s]: of the run, less what it saves. */
static double time_of(const json_t *point, double base_s)
{
    const struct sp_value gain = sp_record_value_of(json_object_get(point, "gain"));
    return sp_value_known(gain) ? base_s * (1 - gain.value) : NAN;
}

/* What stands above every figure; older records do not say it. */
static void state_line(struct sp_pen *pen, const struct sp_record *record)
{
    const char *state = sp_words_text(record, SP_F_CONDITIONS_STATE, NULL);
    if (!state)
        return;
    const bool unusable = strcmp(state, "unusable") == 0;
    sp_pen_put(pen,
               unusable                      ? SP_INK_RED
               : strcmp(state, "clean") == 0 ? SP_INK_GREEN
                                             : SP_INK_YELLOW,
               "%s", state);
    sp_pen_put(pen, SP_INK_PLAIN, ":");
    char text[512];
    snprintf(text, sizeof text, "%.300s%s", sp_words_text(record, SP_F_CONDITIONS_TEXT, "no words"),
             unusable
                 ? "; no time says anything: `spmodel doctor` names who computes here; then again, with a "
                   "longer " SP_O_BUDGET
                 : "");
    sp_pen_words(pen, SP_INK_PLAIN, text);
    sp_pen_end(pen);
}

static void head(struct sp_pen *pen, const struct sp_record *record)
{
    char took[CELL];
    double cost = NAN, combinations = NAN;
    const char *name = "?";
    sp_record_text(record, SP_F_PROBLEM_NAME, &name);
    sp_record_number(record, SP_F_SWEEP_COST_S, &cost);
    sp_record_number(record, SP_F_SWEEP_COMBINATIONS, &combinations);
    sp_pen_put(pen, SP_INK_BOLD, "SWEEP");
    sp_pen_put(pen, SP_INK_PLAIN, "  %s, %.0f combinations, %s", name, combinations,
               sp_text_seconds(took, sizeof took, cost));
    sp_pen_end(pen);
    state_line(pen, record);
}

static void column_heads(struct sp_pen *pen, struct sp_scale scale)
{
    char cell[CELL];
    fputc('\n', pen->out);
    snprintf(cell, sizeof cell, "time %s", scale.prefix);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, TIME), cell);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, GAIN), "against the run");
    snprintf(cell, sizeof cell, "bound %s", scale.prefix);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, BOUND), cell);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, SETUP), "set-up*");
    sp_pen_end(pen);
}

static void point_line(struct sp_pen *pen, const json_t *point, int rank, double base_s,
                       struct sp_scale scale)
{
    char cell[CELL];
    const struct sp_value gain = sp_record_value_of(json_object_get(point, "gain"));
    const double time = time_of(point, base_s), bound = sp_item_number(point, "bound_s"),
                 setup = sp_item_number(json_object_get(point, "trial"), "setup_executions");
    const bool tied = json_is_true(json_object_get(point, "tied"));
    sp_pen_put(pen, tied ? SP_INK_GREEN : SP_INK_PLAIN, " %2d%s %s", rank, tied ? "=" : " ",
               change_of(point));
    if (pen->column > at(pen, TIME) - 8)
        sp_pen_end(pen);
    sp_pen_right(pen, SP_INK_PLAIN, at(pen, TIME), sp_figure(cell, sizeof cell, time / scale.factor, 3));
    sp_pen_right(pen, gain.value > 0 ? SP_INK_GREEN : SP_INK_PLAIN, at(pen, GAIN),
                 is_the_run(point) ? "itself" : sp_change_text(gain, cell, sizeof cell));
    if (isfinite(bound))
        sp_pen_right(pen, SP_INK_DIM, at(pen, BOUND), sp_figure(cell, sizeof cell, bound / scale.factor, 3));
    if (isfinite(setup))
        sp_pen_right(pen, SP_INK_DIM, at(pen, SETUP), sp_figure(cell, sizeof cell, setup, 3));
    sp_pen_end(pen);
}

static int compare_numbers(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static int add_number(long *list, int n, long value)
{
    for (int i = 0; i < n; i++)
        if (list[i] == value)
            return n;
    if (n < MOST_MAP)
        list[n++] = value;
    return n;
}

/* C and sigma of "... sell:32,256 ..."; false: another format. */
static bool sell_of(const json_t *point, long *C, long *sigma)
{
    struct sp_change change;
    const char *format = is_measured(point) && sp_change_parse(change_of(point), &change)
                             ? sp_change_value(&change, SP_OPTION_FORMAT)
                             : NULL;
    return format && sscanf(format, "sell:%ld,%ld", C, sigma) == 2;
}

/* Best time of each C and sigma, where there are several of both. */
static void map(struct sp_pen *pen, const json_t *points, double base_s, struct sp_scale scale)
{
    long C[MOST_MAP], sigma[MOST_MAP], c, s;
    int n_C = 0, n_sigma = 0;
    const json_t *point;
    size_t i;
    json_array_foreach(points, i, point) if (sell_of(point, &c, &s))
    {
        n_C = add_number(C, n_C, c);
        n_sigma = add_number(sigma, n_sigma, s);
    }
    if (n_C < 2 || n_sigma < 2)
        return;
    sp_sort_by(C, n_C, sizeof *C, compare_numbers);
    sp_sort_by(sigma, n_sigma, sizeof *sigma, compare_numbers);
    sp_print(pen->out,
             "\nSELL-C-sigma: least time in %s, with any other options; C down, sigma across\n      ",
             scale.prefix);
    for (int k = 0; k < n_sigma; k++)
        sp_print(pen->out, "%9ld", sigma[k]);
    fputc('\n', pen->out);
    for (int r = 0; r < n_C; r++) {
        sp_print(pen->out, " %4ld ", C[r]);
        for (int k = 0; k < n_sigma; k++) {
            double best = NAN;
            char cell[CELL];
            json_array_foreach(points, i, point) if (sell_of(point, &c, &s) && c == C[r] && s == sigma[k])
                best = fmin(isnan(best) ? INFINITY : best, time_of(point, base_s));
            sp_print(pen->out, "%9s",
                     isnan(best) ? "." : sp_figure(cell, sizeof cell, best / scale.factor, 3));
        }
        fputc('\n', pen->out);
    }
}

/* How many have this fate, and which: all of them, at most so many, none (0). */
static void left_out(struct sp_pen *pen, const json_t *points, const char *fate, const char *text, int most)
{
    const json_t *point;
    size_t i, n = 0;
    char cell[CELL];
    int n_named = 0;
    json_array_foreach(points, i, point) n += strcmp(fate_of(point), fate) == 0;
    if (n == 0)
        return;
    sp_pen_put(pen, SP_INK_PLAIN, " %zu left out:", n);
    pen->indent = 5;
    sp_pen_words(pen, SP_INK_PLAIN, text);
    sp_pen_end(pen);
    json_array_foreach(points, i, point)
    {
        const double bound = sp_item_number(point, "bound_s");
        const char *why = sp_item_text(point, "why");
        if (strcmp(fate_of(point), fate) != 0 || n_named++ >= most)
            continue;
        sp_pen_put(pen, SP_INK_DIM, "     %s", change_of(point));
        if (isfinite(bound))
            sp_pen_put(pen, SP_INK_DIM, ": at least %s", sp_text_seconds(cell, sizeof cell, bound));
        if (why)
            sp_pen_put(pen, SP_INK_DIM, ": %s", why);
        sp_pen_end(pen);
    }
    if (most > 0 && n_named > most)
        sp_print(pen->out, "     ... and %d more (-v)\n", n_named - most);
}

void sp_report_sweep(const struct sp_record *record, const struct sp_report_style *style, FILE *out)
{
    struct sp_pen pen;
    const json_t *points = sp_record_node(record, SP_F_SWEEP_POINTS), *point;
    const struct sp_value base = sp_record_value(record, SP_F_SWEEP_BASE_TIME);
    const struct sp_scale scale = sp_scale_of_seconds(sp_value_known(base) ? base.value : 1);
    const char *command = NULL;
    double combinations = 0;
    size_t i;
    int rank = 0, n_tied = 0;
    bool run_is_tied = false, run_is_measured = false, has_setup = false;
    const int all = style->verbosity >= 1 ? INT_MAX : 0;
    sp_pen_open(&pen, style, out);
    head(&pen, record);
    json_array_foreach(points, i, point) if (is_measured(point))
    {
        const char *what = sp_item_text(point, "change");
        if (rank++ == 0)
            column_heads(&pen, scale);
        run_is_measured |= !what || !*what;
        has_setup |= isfinite(sp_item_number(json_object_get(point, "trial"), "setup_executions"));
        if (json_is_true(json_object_get(point, "tied"))) {
            const char *change = sp_item_text(point, "change");
            n_tied++;
            run_is_tied |= !change || !*change;
        }
        if (rank <= SHOWN || style->verbosity >= 1)
            point_line(&pen, point, rank, base.value, scale);
    }
    if (rank > SHOWN && style->verbosity < 1)
        sp_print(out, " ... and %d slower ones (-v shows them)\n", rank - SHOWN);
    if (n_tied > 1)
        sp_print(out, " = tied with the best: %d of them differ by no more than the noise\n", n_tied);
    if (has_setup)
        sp_print(out, " * in executions of the run\n");
    if (rank > 0 && !run_is_measured)
        sp_print(out, " the run itself has no row; each row is compared with executions of it in turn\n");
    map(&pen, points, base.value, scale);
    fputc('\n', out);
    left_out(
        &pen, points, "disturbed",
        "fewer than three of their samples were undisturbed, so they have no figure:", all > 0 ? all : NAMED);
    left_out(&pen, points, "cannot be faster",
             "max(V/b_S, W/P_core) of the model is above the best time (-v lists them)", all);
    left_out(
        &pen, points, "no time left",
        "the others took several times the budget; a longer " SP_O_BUDGET " reaches:", all > 0 ? all : NAMED);
    left_out(&pen, points, "impossible", "they do not go together, or not here (-v says why)", all);
    left_out(&pen, points, "failed", "they were begun and could not be measured:", INT_MAX);
    sp_record_number(record, SP_F_SWEEP_COMBINATIONS, &combinations);
    const double rest = combinations - (double)json_array_size(points);
    if (rest > 0)
        sp_print(out,
                 " %.0f combinations were not walked: groups of options are scanned around the\n"
                 "     best so far (" SP_O_EXHAUSTIVE " walks all)\n",
                 rest);
    if (sp_record_text(record, SP_F_SWEEP_BEST_COMMAND, &command)) {
        sp_pen_put(&pen, SP_INK_BOLD, "best  ");
        sp_pen_put(&pen, SP_INK_CYAN, "%s", command);
        sp_pen_end(&pen);
        if (run_is_tied && rank > 1)
            sp_print(out, "      the run itself: nothing here is faster for certain\n");
    } else {
        sp_pen_put(&pen, SP_INK_BOLD, "best  ");
        sp_pen_put(&pen, SP_INK_PLAIN, "not known: nothing has an undisturbed sample");
        sp_pen_end(&pen);
    }
}

static void csv_number(FILE *out, double x)
{
    if (isfinite(x))
        sp_print(out, ",%.9g", x);
    else
        fputc(',', out);
}

void sp_report_sweep_csv(const struct sp_record *record, FILE *out)
{
    const struct sp_value base = sp_record_value(record, SP_F_SWEEP_BASE_TIME);
    const char *state = sp_words_text(record, SP_F_CONDITIONS_STATE, NULL); /* older records do not say it */
    const json_t *point;
    size_t i;
    fputs("change,fate,time_s,gain,gain_lo,gain_hi,tied,bound_s,setup_executions,kernel,state\n", out);
    json_array_foreach(sp_record_node(record, SP_F_SWEEP_POINTS), i, point)
    {
        const struct sp_value gain = sp_record_value_of(json_object_get(point, "gain"));
        const json_t *trial = json_object_get(point, "trial");
        const bool known = sp_value_known(gain);
        const char *kernel = sp_item_text(trial, "kernel"), *change = sp_item_text(point, "change");
        sp_csv_text(out, change ? change : "");
        fputc(',', out);
        sp_csv_field(out, fate_of(point));
        csv_number(out, known ? time_of(point, base.value) : NAN);
        csv_number(out, known ? gain.value : NAN);
        csv_number(out, known ? gain.lo : NAN);
        csv_number(out, known ? gain.hi : NAN);
        sp_print(out, ",%s", known ? json_is_true(json_object_get(point, "tied")) ? "true" : "false" : "");
        csv_number(out, sp_item_number(point, "bound_s"));
        csv_number(out, sp_item_number(trial, "setup_executions"));
        fputc(',', out);
        sp_csv_field(out, kernel ? kernel : "");
        fputc(',', out);
        sp_csv_field(out, state ? state : "");
        fputc('\n', out);
    }
}
