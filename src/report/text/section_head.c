/* What a report begins with: six lines, and with -v the matrix, the machine and the kernel. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/text.h"
#include "io/record/record_losses.h"
#include "report/report_words.h"
#include "report/text/sections.h"
#include "report/verdict/verdict.h"

/* The six lines that a report begins with, and the one for a disturbed machine. */

static const char *text_of(const json_t *line, const char *key)
{
    const char *text = sp_item_text(line, key);
    return text ? text : "";
}

static int columns_of(const struct sp_pen *pen, const json_t *line, const char *key)
{
    return sp_pen_columns(pen, text_of(line, key));
}

/* What and where on the left, the state of the machine on the right; the longest of both that fit.
 * Returns whether the state had to be shortened. */
static bool title(struct sp_pen *pen, const json_t *subject, const json_t *state)
{
    const char *word = text_of(state, "word"), *all = text_of(subject, "text");
    const enum sp_ink ink = strcmp(word, "clean") == 0                                     ? SP_INK_GREEN
                            : strcmp(word, "unusable") == 0 || strcmp(word, "failed") == 0 ? SP_INK_RED
                            : strcmp(word, "assumed") == 0                                 ? SP_INK_PLAIN
                                                                                           : SP_INK_YELLOW;
    char without[1024]; /* the processor, which comes last */
    const size_t n = strlen(all), processor = strlen(text_of(subject, "processor"));
    snprintf(without, sizeof without, "%.*s",
             (int)(processor > 0 && n > processor + 2 ? n - processor - 2 : n), all);
    enum { GAP = 3, WAYS = 5 };
    const char *const left[WAYS] = {all, all, without, without, text_of(subject, "short")},
                      *const right[WAYS] = {text_of(state, "text"), text_of(state, "short"),
                                            text_of(state, "text"), text_of(state, "short"),
                                            text_of(state, "short")};
    const int most = pen->width < 120 ? pen->width : 120;
    int way = 0;
    while (way < WAYS - 1 && sp_pen_columns(pen, left[way]) + GAP + sp_pen_columns(pen, right[way]) > most)
        way++;
    sp_pen_put(pen, SP_INK_BOLD, "%s", left[way]);
    const int column = most - sp_pen_columns(pen, right[way]);
    sp_pen_put(pen, SP_INK_PLAIN, "%*s", column > pen->column + GAP ? column - pen->column : GAP, "");
    sp_pen_put(pen, ink, "%s", right[way]);
    sp_pen_end(pen);
    return strcmp(right[way], text_of(state, "text")) != 0;
}

static void label(struct sp_pen *pen, const char *word)
{
    sp_pen_put(pen, SP_INK_BOLD, "%s", word);
    sp_pen_tab(pen, SP_VERDICT_LABEL);
    pen->indent = SP_VERDICT_LABEL;
}

/* The longer text where it fits, else the shorter one, broken only where that is too long. */
static void put(struct sp_pen *pen, const char *word, const json_t *line)
{
    label(pen, word);
    const char *text = text_of(line, "text"), *brief = text_of(line, "short");
    const bool is_known = strncmp(text, "not known", 9) != 0;
    if (pen->column + sp_pen_columns(pen, text) > pen->width)
        text = brief;
    if (pen->column + sp_pen_columns(pen, text) > pen->width)
        sp_pen_words(pen, SP_INK_PLAIN, text);
    else
        sp_pen_put(pen, is_known ? SP_INK_PLAIN : SP_INK_YELLOW, "%s", text);
    sp_pen_end(pen);
}

/* The largest causes that fit, and last what is not explained, where there is any. */
static void lost(struct sp_pen *pen, const json_t *list)
{
    const size_t n = json_array_size(list);
    const json_t *last = json_array_get(list, n - 1);
    const bool has_rest = strcmp(text_of(last, "cause"), "rest") == 0;
    if (n <= 1) {
        put(pen, "lost", last);
        return;
    }
    label(pen, "lost");
    int room = pen->width - SP_VERDICT_LABEL + 3 - (has_rest ? columns_of(pen, last, "text") + 3 : 0);
    for (size_t i = 0; i < n - has_rest; i++) {
        room -= columns_of(pen, json_array_get(list, i), "text") + 3;
        if (i > 0 && room < 0)
            break;
        sp_pen_put(pen, SP_INK_PLAIN, "%s%s", i > 0 ? " · " : "", text_of(json_array_get(list, i), "text"));
    }
    if (has_rest)
        sp_pen_put(pen, SP_INK_PLAIN, " · %s", text_of(last, "text"));
    sp_pen_end(pen);
}

void sp_section_verdict(struct sp_pen *pen, const struct sp_record *record)
{
    json_t *v = sp_verdict_of(record);
    const json_t *state = json_object_get(v, "state");
    const bool is_short = title(pen, json_object_get(v, "subject"), state);
    put(pen, "possible", json_object_get(v, "possible"));
    put(pen, "reached", json_object_get(v, "reached"));
    lost(pen, json_object_get(v, "lost"));
    put(pen, "do", json_object_get(v, "do"));
    put(pen, "trust", json_object_get(v, "trust"));
    const char *advice = text_of(state, "advice"), *all = text_of(state, "text");
    if (*advice) {
        const bool in_doubt = strcmp(advice, sp_verdict_doubt(record)) == 0;
        label(pen, in_doubt ? "doubt" : text_of(state, "word"));
        if (is_short && strchr(all, ' ')) {
            sp_pen_words(pen, SP_INK_PLAIN, strchr(all, ' ') + 1);
            sp_pen_put(pen, SP_INK_PLAIN, ";");
        }
        sp_pen_words(pen, SP_INK_PLAIN, advice);
        sp_pen_end(pen);
    }
    json_decref(v);
}

enum { HEAD = 9 };

static void head(struct sp_pen *pen, const char *word)
{
    pen->indent = 0;
    sp_pen_put(pen, SP_INK_BOLD, "%s", word);
    sp_pen_tab(pen, HEAD);
    pen->indent = HEAD;
}

/* What a reader must know before anything else: an interrupted or invented record. */
static void status_line(struct sp_pen *pen, const struct sp_record *record)
{
    const char *status, *meaning = sp_status_text(record, &status);
    if (!meaning)
        return;
    head(pen, "STATUS");
    sp_pen_put(pen, SP_INK_RED, "%s", status);
    sp_pen_part(pen, SP_INK_PLAIN, 3, "%s", meaning);
    sp_pen_end(pen);
}

/* The state of the machine, said once: what a verdict is worth on a busy one. */
static void conditions_line(struct sp_pen *pen, const struct sp_record *record)
{
    const char *state = sp_words_text(record, SP_F_CONDITIONS_STATE, ""), *doubt;
    const bool has_doubt = sp_record_text(record, SP_F_CONDITIONS_DOUBT, &doubt);
    if (!*state)
        return;
    head(pen, "STATE");
    sp_pen_part(pen,
                strcmp(state, "clean") == 0      ? SP_INK_GREEN
                : strcmp(state, "unusable") != 0 ? SP_INK_YELLOW
                                                 : SP_INK_RED,
                0, "%s", state);
    sp_pen_put(pen, SP_INK_PLAIN, ":");
    sp_pen_words(pen, SP_INK_PLAIN, sp_words_text(record, SP_F_CONDITIONS_TEXT, "no words"));
    sp_pen_end(pen);
    if (!has_doubt)
        return;
    pen->indent = HEAD;
    sp_pen_tab(pen, HEAD);
    sp_pen_put(pen, SP_INK_RED, "no verdict:");
    if (strcmp(state, "unusable") != 0) {
        sp_pen_words(pen, SP_INK_PLAIN, doubt);
        sp_pen_put(pen, SP_INK_PLAIN, ";");
    }
    sp_pen_words(pen, SP_INK_PLAIN,
                 strcmp(state, "unusable") == 0
                     ? "structure and bytes hold, times do not; a quieter machine (`spmodel doctor` says who "
                       "computes) or more time (" SP_O_BUDGET " 10s) may help"
                     : "structure holds, no share of the roof is given");
    sp_pen_end(pen);
}

/* Nothing below is right without this: the roofs are of one machine, the times of another. */
void sp_section_foreign(struct sp_pen *pen, const struct sp_record *record)
{
    bool foreign = false;
    if (!sp_record_flag(record, SP_F_MACHINE_FOREIGN, &foreign) || !foreign)
        return;
    head(pen, "NOTE");
    sp_pen_words(pen, SP_INK_YELLOW, "caches and ceilings of");
    sp_pen_words(pen, SP_INK_YELLOW, sp_words_text(record, SP_F_MACHINE_NAME, "another machine"));
    sp_pen_words(pen, SP_INK_YELLOW, "(" SP_O_MACHINE "), but the kernel ran on another machine:");
    sp_pen_words(pen, SP_INK_YELLOW, sp_words_text(record, SP_F_MACHINE_RAN_ON, "this one"));
    sp_pen_end(pen);
}

void sp_section_matrix(struct sp_pen *pen, const struct sp_record *record)
{
    int64_t rows, cols, nnz, n;
    char a[32], b[32];
    head(pen, "MATRIX");
    sp_pen_part(pen, SP_INK_BOLD, 0, "%s", sp_words_text(record, SP_F_PROBLEM_NAME, "unnamed"));
    if (sp_record_count(record, SP_F_PROBLEM_ROWS, &rows) &&
        sp_record_count(record, SP_F_PROBLEM_COLS, &cols))
        sp_pen_part(pen, SP_INK_PLAIN, 3, "%s x %s", sp_text_count(a, sizeof a, rows),
                    sp_text_count(b, sizeof b, cols));
    const char *field = sp_words_text(record, SP_F_PROBLEM_FIELD, "real");
    const char *symmetry = sp_words_text(record, SP_F_PROBLEM_SYMMETRY, "general");
    bool expanded = false;
    sp_record_flag(record, SP_F_PROBLEM_SYMMETRIC_EXPANDED, &expanded);
    if (strcmp(field, "real") != 0)
        sp_pen_put(pen, SP_INK_PLAIN, ", %s", field);
    if (strcmp(symmetry, "general") != 0)
        sp_pen_put(pen, SP_INK_PLAIN, ", %s file%s", symmetry, expanded ? ", expanded" : "");
    const char *reorder = sp_words_text(record, SP_F_PROBLEM_REORDER, "none");
    if (strcmp(reorder, "none") != 0)
        sp_pen_part(pen, SP_INK_PLAIN, 3, "reordered by %s", reorder);
    sp_pen_end(pen);

    pen->indent = HEAD;
    sp_pen_tab(pen, HEAD);
    if (sp_record_count(record, SP_F_PROBLEM_NNZ, &nnz))
        sp_pen_part(pen, SP_INK_PLAIN, 0, "%s nonzero%s", sp_text_count(a, sizeof a, nnz),
                    nnz == 1 ? "" : "s");
    if (sp_record_count(record, SP_F_PROBLEM_ZEROS, &n) && n > 0)
        sp_pen_part(pen, SP_INK_PLAIN, 1, "(%s explicit zeros)", sp_text_count(a, sizeof a, n));
    if (sp_record_count(record, SP_F_PROBLEM_DUPLICATES, &n) && n > 0)
        sp_pen_part(pen, SP_INK_YELLOW, 1, "(%s duplicates summed)", sp_text_count(a, sizeof a, n));
    static const struct {
        enum sp_record_field field;
        const char *word;
    } lengths[] = {{SP_F_STRUCTURE_N_NZR_MEAN, "mean"},
                   {SP_F_STRUCTURE_N_NZR_MEDIAN, "median"},
                   {SP_F_STRUCTURE_N_NZR_P99, "p99"},
                   {SP_F_STRUCTURE_N_NZR_MAX, "max"}};
    char line[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        double x;
        if (sp_record_number(record, lengths[i].field, &x) && used < sizeof line)
            used += (size_t)snprintf(
                line + used, sizeof line - used, "%s %s %s", used ? "," : "per row:", lengths[i].word,
                x == floor(x) ? sp_text_whole(a, sizeof a, x) : sp_figure(a, sizeof a, x, 3));
    }
    if (used)
        sp_pen_part(pen, SP_INK_PLAIN, 3, "%s", line);
    if (sp_record_count(record, SP_F_STRUCTURE_EMPTY_ROWS, &n) && n > 0)
        sp_pen_part(pen, SP_INK_PLAIN, 3, "%s empty rows", sp_text_count(a, sizeof a, n));
    sp_pen_end(pen);
}

/* Of figures that were measured: how old they are, and what speaks against them. */
static void measured_part(struct sp_pen *pen, const struct sp_record *record)
{
    const bool busy = strcmp(sp_words_text(record, SP_F_MACHINE_MEASURED_STATE, "clean"), "busy") == 0;
    const char *doubt;
    double age_s = 0;
    char age[32];
    if (!sp_record_node(record, SP_F_MACHINE_MEASURED))
        return;
    if (sp_record_number(record, SP_F_MACHINE_MEASURED_AGE_S, &age_s))
        sp_pen_part(pen, SP_INK_PLAIN, 3, "measured %s ago", sp_text_age(age, sizeof age, age_s));
    if (busy)
        sp_pen_words(pen, SP_INK_YELLOW, "beside other programs");
    if (sp_record_text(record, SP_F_MACHINE_MEASURED_DOUBT, &doubt)) {
        sp_pen_put(pen, SP_INK_YELLOW, ",");
        sp_pen_words(pen, SP_INK_YELLOW, "low confidence:");
        sp_pen_words(pen, SP_INK_YELLOW, doubt);
    }
}

void sp_section_machine(struct sp_pen *pen, const struct sp_record *record)
{
    head(pen, "MACHINE");
    sp_pen_part(pen, SP_INK_BOLD, 0, "%s", sp_words_text(record, SP_F_MACHINE_NAME, "unnamed"));
    const char *cpu = sp_words_text(record, SP_F_MACHINE_CPU, "");
    int64_t threads, domains;
    double hertz;
    if (*cpu)
        sp_pen_part(pen, SP_INK_PLAIN, 3, "%s", cpu);
    const bool on_gpu = strcmp(sp_words_text(record, SP_F_CONFIG_DEVICE, "cpu"), "gpu") == 0;
    if (on_gpu && sp_record_count(record, SP_F_CONFIG_THREADS, &threads)) {
        char cores[48];
        snprintf(cores, sizeof cores, "%lld %s%s", (long long)threads, sp_words_core(record),
                 threads == 1 ? "" : "s");
        if (!strstr(cpu, cores)) { /* described machines have it in their names */
            sp_pen_put(pen, SP_INK_PLAIN, ",");
            sp_pen_part(pen, SP_INK_PLAIN, 1, "%s%s", strstr(cpu, " SMs") ? "ran on " : "", cores);
        }
    } else if (sp_record_count(record, SP_F_CONFIG_THREADS, &threads)) {
        const json_t *pin = sp_record_node(record, SP_F_CONFIG_PIN);
        bool pinned = json_is_array(pin) && json_array_size(pin) > 0;
        /* a recording may not say */
        bool told = pinned || json_is_null(pin) || sp_record_flag(record, SP_F_CONFIG_PINNED, &pinned);
        sp_pen_put(pen, SP_INK_PLAIN, ",");
        sp_pen_part(pen, SP_INK_PLAIN, 1, "%lld thread%s%s", (long long)threads, threads == 1 ? "" : "s",
                    !told    ? ""
                    : pinned ? " pinned"
                             : " not pinned");
        if (pinned && sp_record_count(record, SP_F_MACHINE_N_DOMAINS, &domains) && domains > 0) {
            sp_pen_put(pen, SP_INK_PLAIN, ",");
            sp_pen_part(pen, SP_INK_PLAIN, 1, "%lld cache domain%s", (long long)domains,
                        domains == 1 ? "" : "s");
        }
    }
    if (sp_record_number(record, SP_F_MACHINE_FREQUENCY_HZ, &hertz) && hertz > 0) {
        sp_pen_put(pen, SP_INK_PLAIN, ",");
        sp_pen_part(pen, SP_INK_PLAIN, 1, "%.1f GHz", hertz / 1e9);
    }
    const json_t *caches = sp_record_node(record, SP_F_MACHINE_CACHES);
    const json_t *last = json_array_get(caches, json_array_size(caches) - 1);
    double size = sp_item_number(last, "size_B"), level = sp_item_number(last, "level");
    if (last && size > 0) {
        char stated[32], found[32], lo[32], hi[32], ends[80] = "";
        struct sp_value effective = sp_record_value_of(json_object_get(last, "effective_B"));
        sp_text_bytes(stated, sizeof stated, size);
        if (sp_value_known(effective) && effective.hi > 1.5 * effective.lo) /* wide enough to matter */
            snprintf(ends, sizeof ends, " (%s … %s)", sp_text_bytes(lo, sizeof lo, effective.lo),
                     sp_text_bytes(hi, sizeof hi, effective.hi));
        if (sp_value_known(effective))
            sp_pen_part(pen, SP_INK_PLAIN, 3, "L%.0f %s%s effective %s, %s stated", level,
                        sp_text_bytes(found, sizeof found, effective.value), ends,
                        sp_origin_name(effective.origin), stated);
        else
            sp_pen_part(pen, SP_INK_PLAIN, 3, "L%.0f %s stated", level, stated);
    }
    measured_part(pen, record);
    sp_pen_end(pen);
}

static void roof_line(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *roofs = sp_record_node(record, SP_F_ROOFS), *roof;
    size_t i;
    if (json_array_size(roofs) == 0)
        return;
    head(pen, "ROOFS");
    json_array_foreach(roofs, i, roof)
    {
        char name[64], value[160], age[64];
        sp_roof_age_text(roof, age, sizeof age);
        if (roof == sp_record_roof(record) && sp_verdict_disturbed(record)) {
            sp_pen_part(pen, SP_INK_YELLOW, 3, "%s unknown (disturbed)",
                        sp_words_roof(name, sizeof name, record, roof));
            continue;
        }
        sp_pen_part(pen, SP_INK_PLAIN, 3, "%s %s%s", sp_words_roof(name, sizeof name, record, roof),
                    sp_words_roof_value(value, sizeof value, roof), age);
    }
    sp_pen_end(pen);
}

static void sample_part(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *runs = sp_record_node(record, SP_F_RUNS), *run;
    size_t n_runs = json_array_size(runs), n_samples = 0, first = 0, i;
    bool equal = true;
    int64_t dropped = 0;
    json_array_foreach(runs, i, run)
    {
        size_t n = json_array_size(json_object_get(run, "time_s"));
        double d = sp_item_number(run, "dropped");
        first = i == 0 ? n : first;
        equal = equal && n == first;
        n_samples += n;
        dropped += d > 0 ? (int64_t)d : 0;
    }
    if (n_samples == 0)
        return;
    if (equal)
        sp_pen_part(pen, SP_INK_PLAIN, 3, "%zu run%s x %zu samples", n_runs, n_runs == 1 ? "" : "s", first);
    else
        sp_pen_part(pen, SP_INK_PLAIN, 3, "%zu runs, %zu samples", n_runs, n_samples);
    if (dropped > 0)
        sp_pen_part(pen, SP_INK_PLAIN, 1, "(%lld dropped)", (long long)dropped);
}

static void verify_part(struct sp_pen *pen, const struct sp_record *record)
{
    bool ok;
    double error;
    if (!sp_record_flag(record, SP_F_VERIFY_OK, &ok)) {
        sp_pen_part(pen, SP_INK_YELLOW, 3, "result not checked (%s)",
                    sp_words_text(record, SP_F_VERIFY_WHY, "not in the record"));
        return;
    }
    char text[64] = "";
    if (sp_record_number(record, SP_F_VERIFY_MAX_REL_ERR, &error))
        snprintf(text, sizeof text, ": max. rel. error %.0e", error);
    if (ok)
        sp_pen_part(pen, SP_INK_GREEN, 3, "result checked%s", text);
    else
        sp_pen_part(pen, SP_INK_RED, 3, "RESULT WRONG%s, against %s", text,
                    sp_words_text(record, SP_F_VERIFY_REFERENCE, "the reference"));
}

/* "the fastest of 14 tried; next sellu:8,1 avx512, +4 %" */
static void choice_part(struct sp_pen *pen, const struct sp_record *record)
{
    const json_t *list = sp_record_node(record, SP_F_CHOICE_TRIED), *one, *next = NULL;
    const char *format = sp_words_text(record, SP_F_CONFIG_FORMAT_OPTION, ""),
               *kernel = sp_words_text(record, SP_F_CONFIG_KERNEL, "");
    int64_t ahead = 0;
    size_t i;
    sp_record_count(record, SP_F_CONFIG_PREFETCH, &ahead);
    json_array_foreach(list, i, one)
    {
        const char *its = sp_item_text(one, "format"), *by = sp_item_text(one, "kernel");
        const double time = sp_item_number(one, "time"), its_ahead = sp_item_number(one, "prefetch");
        const bool is_own =
            its && by && strcmp(its, format) == 0 && strcmp(by, kernel) == 0 && its_ahead == (double)ahead;
        if (its && by && !is_own && time > 0 && (!next || time < sp_item_number(next, "time")))
            next = one;
    }
    if (!next)
        return;
    const double slower = fmax(0, sp_item_number(next, "time") - 1),
                 its_ahead = sp_item_number(next, "prefetch");
    const char *slash = strrchr(sp_item_text(next, "kernel"), '/');
    char prefetched[48] = "";
    if (its_ahead > 0)
        snprintf(prefetched, sizeof prefetched, ", x prefetched %.0f ahead", its_ahead);
    sp_pen_part(pen, SP_INK_DIM, 3, "the fastest of %zu tried; next %s %s%s: +%.0f %%", json_array_size(list),
                sp_item_text(next, "format"), slash ? slash + 1 : sp_item_text(next, "kernel"), prefetched,
                100 * slower);
}

static void residence_doubt(struct sp_pen *pen, const struct sp_record *record)
{
    const char *doubt;
    if (!sp_record_text(record, SP_F_BINDING_DOUBT, &doubt))
        return;
    sp_pen_put(pen, SP_INK_YELLOW, ";");
    sp_pen_words(pen, SP_INK_YELLOW, "residence not certain:");
    sp_pen_words(pen, SP_INK_YELLOW, doubt);
}

void sp_section_kernel(struct sp_pen *pen, const struct sp_record *record)
{
    const char *op = sp_words_text(record, SP_F_CONFIG_OP, "spmv"),
               *schedule = sp_words_text(record, SP_F_CONFIG_SCHEDULE, "");
    head(pen, "KERNEL");
    int64_t ahead;
    sp_pen_part(
        pen, SP_INK_BOLD, 0, "%s  %s", sp_words_op(op),
        sp_words_text(record, SP_F_CONFIG_FORMAT_TEXT, sp_words_text(record, SP_F_CONFIG_FORMAT, "?")));
    sp_pen_part(pen, SP_INK_PLAIN, 2, "%s/%s", sp_words_text(record, SP_F_CONFIG_PRECISION, "?"),
                sp_words_text(record, SP_F_CONFIG_INDEX, "?"));
    bool nt = false;
    int64_t width;
    if (sp_record_count(record, SP_F_CONFIG_INNER, &width) ||
        (sp_record_count(record, SP_F_CONFIG_RHS, &width) && width > 1))
        sp_pen_part(pen, SP_INK_PLAIN, 2, "r = %lld", (long long)width);
    if (strcmp(sp_words_text(record, SP_F_CONFIG_ORDER, "row"), "column") == 0)
        sp_pen_part(pen, SP_INK_PLAIN, 2, "column-major");
    if (strcmp(schedule, "rows") == 0 || strcmp(schedule, "nnz") == 0)
        sp_pen_part(pen, SP_INK_PLAIN, 2, "static %s", schedule);
    else if (*schedule)
        sp_pen_part(pen, SP_INK_PLAIN, 2, "%s", schedule);
    const char *kernel = sp_words_text(record, SP_F_CONFIG_KERNEL, ""), *slash = strrchr(kernel, '/');
    if (*kernel)
        sp_pen_part(pen, SP_INK_PLAIN, 2, "%s", slash ? slash + 1 : kernel);
    if (sp_record_count(record, SP_F_CONFIG_PREFETCH, &ahead))
        sp_pen_part(pen, SP_INK_PLAIN, 2, "x prefetched %lld ahead", (long long)ahead);
    if (sp_record_flag(record, SP_F_CONFIG_STORE_NT, &nt) && nt)
        sp_pen_part(pen, SP_INK_PLAIN, 2, "NT stores");
    const char *cache = sp_words_text(record, SP_F_CONFIG_CACHE, "");
    if (*cache)
        sp_pen_part(pen, SP_INK_PLAIN, 2, "%s", cache);
    sample_part(pen, record);
    verify_part(pen, record);
    choice_part(pen, record);
    sp_pen_end(pen);

    const char *term, *why;
    if (!sp_record_text(record, SP_F_BINDING_TERM, &term))
        return;
    head(pen, "BOUND BY");
    sp_pen_part(pen, SP_INK_BOLD, 0, "%s", term);
    if (sp_record_text(record, SP_F_BINDING_WHY, &why)) {
        sp_pen_put(pen, SP_INK_PLAIN, ":");
        sp_pen_words(pen, SP_INK_PLAIN, why);
    }
    residence_doubt(pen, record);
    sp_pen_end(pen);
}

void sp_section_head(struct sp_pen *pen, const struct sp_record *record)
{
    status_line(pen, record);
    sp_section_foreign(pen, record);
    conditions_line(pen, record);
    sp_section_matrix(pen, record);
    sp_section_machine(pen, record);
    roof_line(pen, record);
    sp_section_kernel(pen, record);
    sp_section_bytes(pen, record);
}
