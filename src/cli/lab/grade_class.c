#include "cli/lab/grade_class.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/print.h"
#include "base/samples.h"
#include "io/json_text.h"

enum sp_status sp_grade_class_new(struct sp_grade_class *c, struct sp_error *err)
{
    c->seen = json_object();
    c->students = json_object();
    c->submissions = json_array();
    if (c->seen && c->students && c->submissions)
        return SP_OK;
    sp_grade_class_free(c);
    return sp_fail(err, SP_MEMORY, "free memory", "no memory to compare folders");
}

void sp_grade_class_free(struct sp_grade_class *c)
{
    json_decref(c->seen);
    json_decref(c->students);
    json_decref(c->submissions);
    memset(c, 0, sizeof *c);
}

/* ---- copies ---- */

/* The folder that had it first, -1: this one, which is noted. */
static int first_with(json_t *seen, const char *key, int here)
{
    const json_t *first = json_object_get(seen, key);
    if (first)
        return (int)json_integer_value(first);
    json_object_set_new(seen, key, json_integer(here));
    return -1;
}

static void key_of(char key[96], const char *kind, const char *text, size_t size)
{
    struct sp_sha256 s;
    char hex[65];
    sp_sha256_start(&s);
    sp_sha256_add(&s, text, size);
    sp_sha256_finish(&s, hex);
    snprintf(key, 96, "%s:%s", kind, hex);
}

/* What is shared with one folder. */
struct shared {
    int folder, n;
    char runs[200];
};

struct sharing {
    int n;
    struct shared with[SP_LAB_MOST_RUNS];
};

static void share(struct sharing *s, int folder, const char *run)
{
    int i = 0;
    while (i < s->n && s->with[i].folder != folder)
        i++;
    if (i == s->n) {
        if (s->n == SP_LAB_MOST_RUNS)
            return;
        s->with[s->n++] = (struct shared){.folder = folder};
    }
    struct shared *with = &s->with[i];
    const size_t used = strlen(with->runs);
    with->n++;
    if (used + strlen(run) + 3 < sizeof with->runs)
        snprintf(with->runs + used, sizeof with->runs - used, "%s%s", used ? ", " : "", run);
}

/* The samples of a record, as text for a key; free(). NULL: it has none that tell it from another
 * one. */
static char *samples_of(const json_t *root)
{
    const json_t *list = sp_lab_node(sp_lab_field(root, SP_F_RUNS), "0.time_s");
    return json_array_size(list) >= 3 ? json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
}

/* Which folder had this record first: by its id or its samples; `here` also for one under another
 * name. */
static int record_of(struct sp_grade_class *c, const struct sp_lab_result *r, int here, bool *is_compared)
{
    char key[96];
    const char *id = json_string_value(json_object_get(r->root, "id"));
    char *samples = samples_of(r->root);
    int by_id = -1, by_samples = -1;
    if (id) {
        key_of(key, "record", id, strlen(id));
        by_id = first_with(c->seen, key, here);
    }
    if (samples) {
        key_of(key, "samples", samples, strlen(samples));
        by_samples = first_with(c->seen, key, here);
    }
    *is_compared = id || samples;
    free(samples);
    return by_id >= 0 ? by_id : by_samples;
}

static void find_records(struct sp_grade_class *c, const char *const *name, int here,
                         const struct sp_lab_results *results, struct sp_lab_audit *audit)
{
    struct sharing s = {0};
    int n = 0;
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        bool is_compared;
        const int first = record_of(c, r, here, &is_compared);
        n += is_compared;
        if (first == here)
            sp_lab_audit_add(audit, r->run, SP_FLAG_REPEATED,
                             "the same record is in %.200s, under another name", name[here]);
        else if (first >= 0)
            share(&s, first, r->run);
    }
    for (int i = 0; i < s.n; i++) {
        const struct shared *with = &s.with[i];
        const char *run = with->n == 1 ? with->runs : "";
        if (with->n == n && n > 1)
            sp_lab_audit_add(audit, "", SP_FLAG_REPEATED, "all %d records are also in %.200s", n,
                             name[with->folder]);
        else
            sp_lab_audit_add(audit, run, SP_FLAG_REPEATED, "%d of %d records %s also in %.100s: %s", with->n,
                             n, with->n == 1 ? "is" : "are", name[with->folder], with->runs);
    }
}

/* Letters and digits alone, small: how a text is set out does not matter. */
static size_t bare(const char *text, char *out, size_t size)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++)
        if (isalnum((unsigned char)*text) || (unsigned char)*text >= 0x80)
            out[n++] = (char)tolower((unsigned char)*text);
    out[n] = '\0';
    return n;
}

static void find_words(struct sp_grade_class *c, const char *const *name, int here, const char *lab,
                       const struct sp_lab_answers *answers, struct sp_lab_audit *audit)
{
    enum { LEAST = 30 }; /* shorter ones agree by chance */
    char text[4096], key[96];
    int n = 0, with = -1;
    for (int i = 0; i < answers->n; i++) {
        const size_t used = (size_t)snprintf(text, sizeof text, "%s %d ", lab, i);
        const size_t size = bare(answers->answer[i].text, text + used, sizeof text - used);
        if (size < LEAST)
            continue;
        key_of(key, "words", text, used + size);
        const int first = first_with(c->seen, key, here);
        if (first < 0 || first == here)
            continue;
        n++;
        with = first;
    }
    if (n > 0)
        sp_lab_audit_add(audit, "", SP_FLAG_REPEATED, "%d of %d answers in words are also in %.200s", n,
                         answers->n_given, name[with]);
}

/* The same student and lab in a folder before; which one counts is not said. */
static void find_second(struct sp_grade_class *c, const char *const *name, int here,
                        const struct sp_lab_folder *folder, struct sp_lab_audit *audit)
{
    char key[64], seed[40];
    /* the seed is what a name is told apart by */
    snprintf(seed, sizeof seed, "%lld", (long long)sp_lab_seed(folder->the_case.student, folder->lab.id));
    snprintf(key, sizeof key, "%d %s", folder->lab.number, seed);
    const int first = first_with(c->students, key, here);
    if (first >= 0)
        sp_lab_audit_add(audit, "", SP_FLAG_SECOND, "%s has handed in this lab in %.200s, too",
                         folder->the_case.student, name[first]);
}

/* Code that is not the lab's own, letter by letter. */
static void find_code(struct sp_grade_class *c, const char *const *name, int here,
                      const struct sp_lab_results *results, struct sp_lab_audit *audit)
{
    char key[96], list[200] = "";
    int n = 0, with = -1;
    for (int i = 0; i < results->n; i++) {
        const char *hex = sp_lab_text(
            json_object_get(json_object_get(results->folder->state, "runs"), results->result[i].run),
            "code_sha256");
        const json_t *run =
            sp_lab_item(json_object_get(results->folder->lab.root, "runs"), results->result[i].run);
        if (!*hex || !*sp_lab_text(run, "code"))
            continue;
        key_of(key, "code", hex, strlen(hex));
        const int first = first_with(c->seen, key, here);
        if (first < 0 || first == here)
            continue;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%.40s", n > 0 ? ", " : "", sp_lab_text(run, "code"));
        n++;
        with = first;
    }
    if (n > 0)
        sp_lab_audit_add(audit, "", SP_FLAG_REPEATED, "letter by letter also in %.100s: %s", name[with],
                         list);
}

void sp_grade_find_copies(struct sp_grade_class *c, const char *const *name, int here,
                          const struct sp_lab_results *results, const struct sp_lab_answers *answers,
                          struct sp_lab_audit *audit)
{
    find_records(c, name, here, results, audit);
    find_code(c, name, here, results, audit);
    find_words(c, name, here, results->folder->lab.id, answers, audit);
    find_second(c, name, here, results->folder, audit);
}

/* ---- what is kept of a folder ---- */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *verdict_json(const struct sp_lab_verdict *v)
{
    const char *how = v->state == SP_LAB_OPEN ? "open"
                      : v->given_up           ? "given up"
                      : v->changed            ? "changed"
                      : v->missing            ? "missing"
                      : v->late               ? "late"
                                              : sp_lab_state_name(v->state);
    const double earned = v->state == SP_LAB_PASS ? v->points : 0;
    const bool counts = v->state != SP_LAB_OPEN && v->state != SP_LAB_SKIPPED;
    json_t *item = json_pack("{s:s, s:s, s:s, s:s, s:s}", "kind", v->is_prediction ? "prediction" : "check",
                             "id", v->id, "verdict", sp_lab_state_name(v->state), "how",
                             v->is_prediction ? how : sp_lab_state_name(v->state), "unit", v->unit);
    json_object_set_new(item, "got", sp_json_string(v->got));
    json_object_set_new(item, "points", json_real(earned));
    json_object_set_new(item, "of", json_real(counts ? v->points : 0));
    if (!isnan(v->ratio))
        json_object_set_new(item, "ratio", number(v->ratio));
    if (v->mistake)
        json_object_set_new(item, "mistake", json_string(v->mistake));
    if (*v->reason)
        json_object_set_new(item, "reason", sp_json_string(v->reason));
    return item;
}

static json_t *flags_json(const struct sp_lab_audit *audit)
{
    json_t *list = json_array();
    for (int i = 0; i < audit->n && i < SP_LAB_MOST_FLAGS; i++) {
        json_t *item = json_pack("{s:s}", "flag", audit->flag[i].code);
        json_object_set_new(item, "run", sp_json_string(audit->flag[i].run));
        json_object_set_new(item, "text", sp_json_string(audit->flag[i].text));
        json_array_append_new(list, item);
    }
    return list;
}

void sp_grade_keep(struct sp_grade_class *c, const char *name, const struct sp_lab_results *results,
                   const struct sp_lab_verdicts *verdicts, const struct sp_lab_answers *answers,
                   const struct sp_lab_audit *audit)
{
    const struct sp_lab_folder *folder = results->folder;
    const struct sp_lab_points p = sp_lab_points_of(verdicts);
    json_t *list = json_array(), *words = json_array();
    for (int i = 0; i < verdicts->n; i++)
        json_array_append_new(list, verdict_json(&verdicts->verdict[i]));
    for (int i = 0; i < answers->n; i++) {
        json_t *item = json_pack("{s:s}", "question", answers->answer[i].question);
        json_object_set_new(item, "answer", sp_json_string(answers->answer[i].text));
        json_array_append_new(words, item);
    }
    json_t *one = json_object();
    json_object_set_new(one, "folder", sp_json_string(name));
    json_object_set_new(one, "student", sp_json_string(folder->the_case.student));
    json_object_set_new(one, "lab", json_string(folder->lab.id));
    json_object_set_new(one, "small", json_boolean(folder->the_case.small));
    json_object_set_new(one, "points", json_real(p.earned));
    json_object_set_new(one, "points_undecided", json_real(p.undecided));
    json_object_set_new(one, "points_of", json_real(p.of));
    json_object_set_new(one, "questions", list);
    json_object_set_new(one, "answers", words);
    json_object_set_new(one, "records_simulated", json_integer(audit->n_simulated));
    json_object_set_new(one, "n_flags", json_integer(audit->n));
    json_object_set_new(one, "flags", flags_json(audit));
    json_array_append_new(c->submissions, one);
}

void sp_grade_keep_unread(struct sp_grade_class *c, const char *name, const char *why)
{
    json_t *one = json_object(), *flag = json_object(), *flags = json_array();
    json_object_set_new(flag, "flag", json_string(sp_lab_flag_name(SP_FLAG_FOLDER)));
    json_object_set_new(flag, "run", json_string(""));
    json_object_set_new(flag, "text", sp_json_string(why));
    json_array_append_new(flags, flag);
    json_object_set_new(one, "folder", sp_json_string(name));
    json_object_set_new(one, "n_flags", json_integer(1));
    json_object_set_new(one, "flags", flags);
    json_array_append_new(c->submissions, one);
}

/* ---- statistics ---- */

static void count(json_t *counts, const char *key)
{
    json_object_set_new(counts, key, json_integer(json_integer_value(json_object_get(counts, key)) + 1));
}

/* What a wrong answer is called: the lab's words, the choice, or its ratio to the right one. */
static const char *mistake_of(const json_t *q, char text[200])
{
    const char *named = json_string_value(json_object_get(q, "mistake"));
    const json_t *ratio = json_object_get(q, "ratio");
    if (named)
        snprintf(text, 200, "%s", named);
    else if (json_is_number(ratio))
        snprintf(text, 200, "%.3g times the right value", json_number_value(ratio));
    else
        snprintf(text, 200, "'%.100s'", sp_lab_text(q, "got"));
    return text;
}

/* One folder's verdict into the row of its question. */
static void add_verdict(json_t *rows, json_t *order, const json_t *q)
{
    char key[120], text[200];
    snprintf(key, sizeof key, "%s %.100s", sp_lab_text(q, "kind"), sp_lab_text(q, "id"));
    json_t *row = json_object_get(rows, key);
    if (!row) {
        row = json_pack("{s:s, s:s, s:{}, s:{}}", "kind", sp_lab_text(q, "kind"), "id", sp_lab_text(q, "id"),
                        "how", "wrong");
        json_object_set_new(rows, key, row);
        json_array_append(order, row);
    }
    const char *how = sp_lab_text(q, "how");
    count(json_object_get(row, "how"), how);
    if (strcmp(how, "fail") == 0 && strcmp(sp_lab_text(q, "kind"), "prediction") == 0)
        count(json_object_get(row, "wrong"), mistake_of(q, text));
}

/* The wrong value that most have given, where at least two have. */
static void name_typical(json_t *row)
{
    const char *key, *best = NULL;
    json_t *n;
    json_int_t most = 1;
    json_object_foreach(json_object_get(row, "wrong"), key, n)
    {
        if (json_integer_value(n) > most) {
            most = json_integer_value(n);
            best = key;
        }
    }
    if (best)
        json_object_set_new(row, "typical", json_pack("{s:I, s:s}", "n", most, "is", best));
}

static json_t *statistics_of(const json_t *submissions, const char *lab)
{
    json_t *rows = json_object(), *order = json_array(), *one, *q;
    size_t i, k;
    int n = 0;
    double of = 0, *points = calloc(json_array_size(submissions) + 1, sizeof *points);
    json_array_foreach((json_t *)submissions, i, one)
    {
        if (strcmp(sp_lab_text(one, "lab"), lab) != 0)
            continue;
        if (points)
            points[n] = json_number_value(json_object_get(one, "points"));
        of = fmax(of, json_number_value(json_object_get(one, "points_of")));
        n++;
        json_array_foreach(json_object_get(one, "questions"), k, q) add_verdict(rows, order, q);
    }
    json_array_foreach(order, i, one) name_typical(one);
    json_decref(rows);
    json_t *out = json_pack("{s:s, s:i, s:f, s:o}", "lab", lab, "n", n, "points_of", of, "questions", order);
    if (points && n > 0)
        json_object_set_new(out, "points",
                            json_pack("{s:f, s:f, s:f}", "least", sp_quantile(points, n, 0), "median",
                                      sp_median(points, n), "most", sp_quantile(points, n, 1)));
    free(points);
    return out;
}

json_t *sp_grade_statistics(const struct sp_grade_class *c)
{
    json_t *labs = json_object(), *list = json_array(), *one, *n;
    const char *lab;
    size_t i;
    json_array_foreach(c->submissions, i, one)
    {
        if (*sp_lab_text(one, "lab"))
            count(labs, sp_lab_text(one, "lab"));
    }
    json_object_foreach(labs, lab, n)
    {
        if (json_integer_value(n) > 1)
            json_array_append_new(list, statistics_of(c->submissions, lab));
    }
    json_decref(labs);
    return list;
}

static int counted(const json_t *row, const char *how)
{
    return (int)json_integer_value(json_object_get(json_object_get(row, "how"), how));
}

static void print_row(const json_t *row, FILE *out)
{
    const json_t *typical = json_object_get(row, "typical");
    const int right = counted(row, "pass"), wrong = counted(row, "fail"),
              undecided = counted(row, "undecided"),
              none = counted(row, "missing") + counted(row, "late") + counted(row, "given up") +
                     counted(row, "changed");
    if (right + wrong + none == 0)
        return; /* open, skipped or undecided for all */
    sp_print(out, "  %-18s %4d right %4d wrong", sp_lab_text(row, "id"), right, wrong);
    if (none > 0)
        sp_print(out, " %4d not in time", none);
    if (undecided > 0)
        sp_print(out, " %4d undecided", undecided);
    if (typical)
        sp_print(out, "   %d x %s", (int)json_integer_value(json_object_get(typical, "n")),
                 sp_lab_text(typical, "is"));
    fputc('\n', out);
}

void sp_grade_print_statistics(const json_t *statistics, FILE *out)
{
    size_t i, k;
    json_t *lab, *row;
    json_array_foreach((json_t *)statistics, i, lab)
    {
        const json_t *p = json_object_get(lab, "points");
        sp_print(out, "CLASS    %s: %d folders, %g ... %g of %g points, median %g\n", sp_lab_text(lab, "lab"),
                 (int)json_integer_value(json_object_get(lab, "n")), sp_lab_number(p, "least", 0),
                 sp_lab_number(p, "most", 0), sp_lab_number(lab, "points_of", 0),
                 sp_lab_number(p, "median", 0));
        json_array_foreach(json_object_get(lab, "questions"), k, row) print_row(row, out);
    }
}

void sp_grade_write_json(const struct sp_grade_class *c, const json_t *statistics, FILE *out)
{
    json_t *root = json_pack("{s:s, s:O, s:O}", "schema", SP_LAB_SCHEMA, "submissions", c->submissions,
                             "classes", statistics);
    json_dumpf(root, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(root);
}
