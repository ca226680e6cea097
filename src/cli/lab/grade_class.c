#include "cli/lab/grade_class.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/print.h"
#include "base/reading.h"
#include "io/json_text.h"

enum sp_status sp_grade_class_new(struct sp_grade_class *c, struct sp_error *err)
{
    c->holders = json_object();
    c->folders = json_array();
    c->submissions = json_array();
    if (c->holders && c->folders && c->submissions)
        return SP_OK;
    sp_grade_class_free(c);
    return sp_fail(err, SP_MEMORY, "free memory", "no memory to compare folders");
}

void sp_grade_class_free(struct sp_grade_class *c)
{
    json_decref(c->holders);
    json_decref(c->folders);
    json_decref(c->submissions);
    memset(c, 0, sizeof *c);
}

/* ---- what each folder holds ---- */

static void key_of(char key[96], const char *kind, const char *text, size_t size)
{
    struct sp_sha256 s;
    char hex[65];
    sp_sha256_start(&s);
    sp_sha256_add(&s, text, size);
    sp_sha256_finish(&s, hex);
    snprintf(key, 96, "%s:%s", kind, hex);
}

/* That the folder `here`, the last one so far, holds what the key stands for. */
static void hold(struct sp_grade_class *c, const char *key, int here)
{
    json_t *list = json_object_get(c->holders, key);
    if (!list) {
        list = json_array();
        json_object_set_new(c->holders, key, list);
    }
    const size_t n = json_array_size(list);
    if (n == 0 || json_integer_value(json_array_get(list, n - 1)) != here)
        json_array_append_new(list, json_integer(here));
}

/* One thing of a folder, under one key or two that each tell it from others. */
static void note(struct sp_grade_class *c, json_t *things, const char *what, const char *key,
                 const char *other_key, int here)
{
    if (*key)
        hold(c, key, here);
    if (*other_key)
        hold(c, other_key, here);
    json_t *thing = json_pack("{s:s, s:s}", "key", *key ? key : other_key, "other_key", other_key);
    json_object_set_new(thing, "what", sp_json_string(what));
    json_array_append_new(things, thing);
}

/* The samples of a record, as text for a key; free(). NULL: it has none that tell it from another
 * one. */
static char *samples_of(const json_t *root)
{
    const json_t *list = sp_lab_node(sp_lab_field(root, SP_F_RUNS), "0.time_s");
    return json_array_size(list) >= 3 ? json_dumps(list, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
}

static json_t *note_records(struct sp_grade_class *c, int here, const struct sp_lab_results *results)
{
    json_t *things = json_array();
    for (int i = 0; i < results->n; i++) {
        char key[96] = "", other_key[96] = "";
        const struct sp_lab_result *r = &results->result[i];
        const json_t *run = sp_lab_item(json_object_get(results->folder->lab.root, "runs"), r->run);
        const char *id = json_string_value(json_object_get(r->root, "id"));
        /* samples of a recording are everybody's */
        char *samples = json_is_true(json_object_get(run, "recorded")) ? NULL : samples_of(r->root);
        if (id)
            key_of(key, "record", id, strlen(id));
        if (samples)
            key_of(other_key, "samples", samples, strlen(samples));
        if (id || samples)
            note(c, things, r->run, key, other_key, here);
        free(samples);
    }
    return things;
}

/* The file as the lab hands it out: all begin with the same. */
static bool is_starter(const struct sp_lab *lab, const char *code, const char *hex)
{
    char path[1200], handed_out[65];
    snprintf(path, sizeof path, "%s/%s", lab->folder, code);
    return sp_lab_file_digest(path, handed_out) && strcmp(hex, handed_out) == 0;
}

static json_t *note_code(struct sp_grade_class *c, int here, const struct sp_lab_results *results)
{
    json_t *things = json_array(), *seen = json_object();
    for (int i = 0; i < results->n; i++) {
        char key[96];
        const char *run = results->result[i].run;
        const char *hex =
            sp_lab_text(json_object_get(json_object_get(results->folder->state, "runs"), run), "code_sha256");
        const char *code =
            sp_lab_text(sp_lab_item(json_object_get(results->folder->lab.root, "runs"), run), "code");
        if (!*hex || !*code || is_starter(&results->folder->lab, code, hex))
            continue;
        key_of(key, "code", hex, strlen(hex));
        if (!json_object_get(seen, key)) /* code of several runs */
            note(c, things, code, key, "", here);
        json_object_set_new(seen, key, json_true());
    }
    json_decref(seen);
    return things;
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

static json_t *note_words(struct sp_grade_class *c, int here, const char *lab,
                          const struct sp_lab_answers *answers)
{
    enum { LEAST = 30 }; /* shorter ones agree by chance */
    json_t *things = json_array();
    for (int i = 0; i < answers->n; i++) {
        char text[4096], key[96], number[16];
        const size_t used = (size_t)snprintf(text, sizeof text, "%s %d ", lab, i);
        const size_t size = bare(answers->answer[i].text, text + used, sizeof text - used);
        if (size < LEAST)
            continue;
        key_of(key, "words", text, used + size);
        snprintf(number, sizeof number, "%d", i + 1);
        note(c, things, number, key, "", here);
    }
    return things;
}

/* When `lab run` first ran something, as it noted; "": it did not. */
static const char *first_run(const struct sp_lab_folder *folder)
{
    const char *first = "", *run;
    json_t *noted;
    json_object_foreach(json_object_get(folder->state, "runs"), run, noted)
    {
        const char *start = sp_lab_text(noted, "start");
        if (*start && (!*first || strcmp(start, first) < 0))
            first = start;
    }
    return first;
}

void sp_grade_note(struct sp_grade_class *c, const struct sp_lab_results *results,
                   const struct sp_lab_answers *answers)
{
    const int here = (int)json_array_size(c->folders);
    json_t *folder = json_object();
    if (results) {
        const struct sp_lab_folder *f = results->folder;
        char student[96];
        /* the seed is what a name is told apart by */
        snprintf(student, sizeof student, "student:%d %lld", f->lab.number,
                 (long long)sp_lab_seed(f->the_case.student, f->lab.id));
        hold(c, student, here);
        json_object_set_new(folder, "student", json_string(student));
        json_object_set_new(folder, "first_run", sp_json_string(first_run(f)));
        json_object_set_new(folder, "n_answers", json_integer(answers->n_given));
        json_object_set_new(folder, "records", note_records(c, here, results));
        json_object_set_new(folder, "code", note_code(c, here, results));
        json_object_set_new(folder, "answers", note_words(c, here, f->lab.id, answers));
    }
    json_array_append_new(c->folders, folder);
}

/* ---- copies ---- */

static const json_t *folder_of(const struct sp_grade_class *c, int number)
{
    return json_array_get(c->folders, (size_t)number);
}

/* All folders that hold it, in their order: by the key that most have in common. */
static const json_t *holders_of(const struct sp_grade_class *c, const json_t *thing)
{
    const json_t *a = json_object_get(c->holders, sp_lab_text(thing, "key")),
                 *b = json_object_get(c->holders, sp_lab_text(thing, "other_key"));
    return json_array_size(b) > json_array_size(a) ? b : a;
}

/* The first folder of a list but for this one, -1: there is none. */
static int another(const json_t *holders, int here)
{
    for (size_t i = 0; i < json_array_size(holders) && i < 2; i++) {
        const int number = (int)json_integer_value(json_array_get(holders, i));
        if (number != here)
            return number;
    }
    return -1;
}

/* What is shared with one folder, and with how many more. */
struct shared {
    int folder, n, n_more;
    bool same_more; /* each thing with as many */
    char what[200];
};

struct sharing {
    int n;
    struct shared with[SP_LAB_MOST_RUNS];
};

static void share(struct sharing *s, int folder, int n_more, const char *what)
{
    int i = 0;
    while (i < s->n && s->with[i].folder != folder)
        i++;
    if (i == s->n) {
        if (s->n == SP_LAB_MOST_RUNS)
            return;
        s->with[s->n++] = (struct shared){.folder = folder, .n_more = n_more, .same_more = true};
    }
    struct shared *with = &s->with[i];
    const size_t used = strlen(with->what);
    with->n++;
    with->same_more &= with->n_more == n_more;
    if (used + strlen(what) + 3 < sizeof with->what)
        snprintf(with->what + used, sizeof with->what - used, "%s%s", used ? ", " : "", what);
}

/* What of the things of a folder others hold, too. */
static struct sharing sharing_of(const struct sp_grade_class *c, int here, const char *kind)
{
    struct sharing s = {0};
    size_t i;
    json_t *thing;
    json_array_foreach(json_object_get(folder_of(c, here), kind), i, thing)
    {
        const json_t *holders = holders_of(c, thing);
        const int other = another(holders, here);
        if (other >= 0)
            share(&s, other, (int)json_array_size(holders) - 2, sp_lab_text(thing, "what"));
    }
    return s;
}

/* "NAME and 2 more" */
static const char *with_whom(const struct shared *with, const char *const *name, char text[140])
{
    const int used = snprintf(text, 140, "%.100s", name[with->folder]);
    if (with->n_more > 0 && with->same_more)
        snprintf(text + used, 140 - (size_t)used, " and %d more", with->n_more);
    return text;
}

/* "; first run here at TIME, there at TIME": who copied is not for a program to say. */
static const char *when_run(const struct sp_grade_class *c, int here, int there, char text[120])
{
    const char *a = sp_lab_text(folder_of(c, here), "first_run"),
               *b = sp_lab_text(folder_of(c, there), "first_run");
    *text = '\0';
    if (*a && strcmp(a, b) == 0)
        snprintf(text, 120, "; both were first run at %.30s", a);
    else if (*a && *b)
        snprintf(text, 120, "; first run here at %.30s, there at %.30s", a, b);
    return text;
}

/* One document handed in for two runs. */
static void find_twice(const json_t *records, const char *name, struct sp_lab_audit *audit)
{
    static const char *const keys[] = {"key", "other_key"};
    json_t *seen = json_object(), *record;
    size_t i;
    json_array_foreach((json_t *)records, i, record)
    {
        bool twice = false;
        for (size_t k = 0; k < 2; k++)
            twice |=
                *sp_lab_text(record, keys[k]) && json_object_get(seen, sp_lab_text(record, keys[k])) != NULL;
        for (size_t k = 0; k < 2; k++)
            json_object_set_new(seen, sp_lab_text(record, keys[k]), json_true());
        if (twice)
            sp_lab_audit_add(audit, sp_lab_text(record, "what"), SP_FLAG_REPEATED,
                             "the same record is in %.200s, under another name", name);
    }
    json_decref(seen);
}

static void find_records(const struct sp_grade_class *c, const char *const *name, int here,
                         struct sp_lab_audit *audit)
{
    const json_t *records = json_object_get(folder_of(c, here), "records");
    const int n = (int)json_array_size(records);
    const struct sharing s = sharing_of(c, here, "records");
    char whom[140], when[120];
    find_twice(records, name[here], audit);
    for (int i = 0; i < s.n; i++) {
        const struct shared *with = &s.with[i];
        with_whom(with, name, whom);
        when_run(c, here, with->folder, when);
        if (with->n == n && n > 1)
            sp_lab_audit_add(audit, "", SP_FLAG_REPEATED, "all %d records are also in %s%s", n, whom, when);
        else
            sp_lab_audit_add(audit, with->n == 1 ? with->what : "", SP_FLAG_REPEATED,
                             "%d of %d records %s also in %s: %.100s%s", with->n, n,
                             with->n == 1 ? "is" : "are", whom, with->what, when);
    }
}

static void find_code_and_words(const struct sp_grade_class *c, const char *const *name, int here,
                                struct sp_lab_audit *audit)
{
    const struct sharing code = sharing_of(c, here, "code"), words = sharing_of(c, here, "answers");
    char whom[140], when[120];
    for (int i = 0; i < code.n; i++)
        sp_lab_audit_add(audit, "", SP_FLAG_REPEATED, "letter by letter also in %s: %.100s%s",
                         with_whom(&code.with[i], name, whom), code.with[i].what,
                         when_run(c, here, code.with[i].folder, when));
    for (int i = 0; i < words.n; i++)
        sp_lab_audit_add(audit, "", SP_FLAG_REPEATED, "%d of %d answers in words %s also in %s%s",
                         words.with[i].n, (int)sp_lab_number(folder_of(c, here), "n_answers", 0),
                         words.with[i].n == 1 ? "is" : "are", with_whom(&words.with[i], name, whom),
                         when_run(c, here, words.with[i].folder, when));
}

/* The same student and lab in another folder; which one counts is not said. */
static void find_second(const struct sp_grade_class *c, const char *const *name, int here,
                        const char *student, struct sp_lab_audit *audit)
{
    const int other = another(json_object_get(c->holders, sp_lab_text(folder_of(c, here), "student")), here);
    if (other >= 0)
        sp_lab_audit_add(audit, "", SP_FLAG_SECOND, "%s has handed in this lab in %.200s, too", student,
                         name[other]);
}

void sp_grade_find_copies(const struct sp_grade_class *c, const char *const *name, int here,
                          const char *student, struct sp_lab_audit *audit)
{
    find_records(c, name, here, audit);
    find_code_and_words(c, name, here, audit);
    find_second(c, name, here, student, audit);
}

/* Does the folder hold it, too, as holders_of() would find it? */
static bool is_held(const json_t *things, const json_t *thing)
{
    const char *other_key = sp_lab_text(thing, "other_key");
    return json_object_get(things, sp_lab_text(thing, "key")) ||
           (*other_key && json_object_get(things, other_key));
}

/* The keys of what a folder has of one kind. */
static json_t *keys_of(const struct sp_grade_class *c, int number, const char *kind)
{
    json_t *keys = json_object(), *thing;
    size_t i;
    json_array_foreach(json_object_get(folder_of(c, number), kind), i, thing)
    {
        json_object_set_new(keys, sp_lab_text(thing, "key"), json_true());
        json_object_set_new(keys, sp_lab_text(thing, "other_key"), json_true());
    }
    return keys;
}

/* What the first of the holders has of this kind and all others have, too; `of`: the most that one
 * of them has. */
static json_t *in_common(const struct sp_grade_class *c, const json_t *holders, const char *kind, int *of)
{
    const json_t *first =
        json_object_get(folder_of(c, (int)json_integer_value(json_array_get(holders, 0))), kind);
    json_t *common = json_array(), *number, *thing;
    size_t i, k;
    *of = (int)json_array_size(first);
    json_array_foreach((json_t *)first, i, thing)
    {
        json_array_append(common, thing);
    }
    json_array_foreach((json_t *)holders, k, number)
    {
        json_t *keys = keys_of(c, (int)json_integer_value(number), kind);
        const int n =
            (int)json_array_size(json_object_get(folder_of(c, (int)json_integer_value(number)), kind));
        *of = n > *of ? n : *of;
        for (i = json_array_size(common); i > 0; i--)
            if (!is_held(keys, json_array_get(common, i - 1)))
                json_array_remove(common, i - 1);
        json_decref(keys);
    }
    return common;
}

/* The folders that hold a thing, what they have in common, and of how many. */
static json_t *group_of(const struct sp_grade_class *c, const char *const *name, const json_t *holders,
                        const char *kind)
{
    int of;
    size_t i;
    json_t *folders = json_array(), *what = json_array(), *number, *thing,
           *common = in_common(c, holders, kind, &of);
    json_array_foreach((json_t *)holders, i, number)
    {
        json_array_append_new(folders, sp_json_string(name[json_integer_value(number)]));
    }
    json_array_foreach(common, i, thing)
    {
        json_array_append(what, json_object_get(thing, "what"));
    }
    json_decref(common);
    return json_pack("{s:s, s:o, s:o, s:i}", "kind", kind, "folders", folders, "what", what, "of", of);
}

json_t *sp_grade_copies(const struct sp_grade_class *c, const char *const *name)
{
    static const char *const kinds[] = {"records", "code", "answers"};
    json_t *list = json_array(), *told = json_object(), *folder, *thing;
    size_t i, k, t;
    json_array_foreach(c->folders, i, folder) for (k = 0; k < sizeof kinds / sizeof *kinds; k++)
    {
        json_array_foreach(json_object_get(folder, kinds[k]), t, thing)
        {
            const json_t *holders = holders_of(c, thing);
            if (json_array_size(holders) < 2 || json_integer_value(json_array_get(holders, 0)) != (int)i)
                continue;
            char *numbers = json_dumps(holders, JSON_COMPACT), key[96];
            key_of(key, kinds[k], numbers ? numbers : "", numbers ? strlen(numbers) : 0);
            free(numbers);
            if (json_object_get(told, key))
                continue;
            json_object_set_new(told, key, json_true());
            json_array_append_new(list, group_of(c, name, holders, kinds[k]));
        }
    }
    json_decref(told);
    return list;
}

static void print_list(const json_t *list, FILE *out)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)list, i, item)
    {
        sp_print(out, "%s%s", i > 0 ? ", " : "", json_string_value(item));
    }
}

void sp_grade_print_copies(const json_t *copies, FILE *out)
{
    size_t i;
    json_t *group;
    json_array_foreach((json_t *)copies, i, group)
    {
        const char *kind = sp_lab_text(group, "kind");
        const json_t *what = json_object_get(group, "what");
        const int n = (int)json_array_size(what), of = (int)sp_lab_number(group, "of", 0);
        fputs("SHARED   ", out);
        print_list(json_object_get(group, "folders"), out);
        if (strcmp(kind, "code") == 0)
            fputs(" share their code: ", out);
        else if (strcmp(kind, "answers") == 0)
            sp_print(out, " share %s in words: ", n == 1 ? "an answer" : "answers");
        else if (n == of && n > 1)
            sp_print(out, " share all %d records", n);
        else
            sp_print(out, " share %d of %d records: ", n, of);
        if (strcmp(kind, "records") != 0 || n != of || n == 1)
            print_list(what, out);
        fputc('\n', out);
    }
}

/* ---- what is kept of a folder ---- */

static json_t *verdict_json(const struct sp_lab_verdict *v)
{
    const double earned = v->state == SP_LAB_PASS ? v->points : 0;
    const bool counts = v->state != SP_LAB_OPEN && v->state != SP_LAB_SKIPPED;
    json_t *item =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "kind", v->is_prediction ? "prediction" : "check", "id", v->id,
                  "verdict", sp_lab_state_name(v->state), "how", sp_lab_outcome(v), "unit", v->unit);
    if (v->sent_late)
        json_object_set_new(item, "late", json_true());
    json_object_set_new(item, "got", sp_json_string(v->got));
    json_object_set_new(item, "points", json_real(earned));
    json_object_set_new(item, "of", json_real(counts ? v->points : 0));
    if (!isnan(v->ratio))
        json_object_set_new(item, "ratio", sp_json_number(v->ratio));
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
    if (json_is_true(json_object_get(q, "late")))
        json_object_set_new(row, "late", json_integer(json_integer_value(json_object_get(row, "late")) + 1));
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

/* In the words of the line of a folder. */
static void print_row(const json_t *row, FILE *out)
{
    static const char *const more[] = {"missing", "changed", "given up", "undecided"};
    const json_t *typical = json_object_get(row, "typical");
    const bool is_check = strcmp(sp_lab_text(row, "kind"), "check") == 0;
    const int right = counted(row, "pass"), wrong = counted(row, "fail"),
              late = (int)json_integer_value(json_object_get(row, "late"));
    int none = 0;
    for (size_t i = 0; i + 1 < sizeof more / sizeof *more; i++)
        none += counted(row, more[i]);
    if (right + wrong + none + late == 0)
        return; /* open, skipped or undecided for all */
    sp_print(out, "  %-18s %4d %s %4d %s", sp_lab_text(row, "id"), right, is_check ? "pass" : "right", wrong,
             is_check ? "fail" : "wrong");
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (counted(row, more[i]) > 0)
            sp_print(out, " %4d %s", counted(row, more[i]), more[i]);
    if (late > 0)
        sp_print(out, "; %d late", late);
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

void sp_grade_write_json(const struct sp_grade_class *c, const json_t *statistics, const json_t *copies,
                         FILE *out)
{
    json_t *root = json_pack("{s:s, s:O, s:O, s:O}", "schema", SP_LAB_SCHEMA, "submissions", c->submissions,
                             "classes", statistics, "copies", copies);
    json_dumpf(root, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(root);
}
