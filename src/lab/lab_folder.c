#include "lab/lab_folder.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/option/option_words.h"
#include "base/text.h"
#include "io/files/input_file.h"
#include "io/files/part_file.h"

void sp_lab_now(char text[32])
{
    struct tm utc;
    const time_t now = time(NULL);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
}

bool sp_lab_file_digest(const char *path, char hex[65])
{
    FILE *f;
    char block[1 << 14];
    struct sp_sha256 s;
    if (sp_input_open(path, &f, NULL) != SP_OK)
        return false;
    sp_sha256_start(&s);
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        sp_sha256_add(&s, block, n);
    const bool good = !ferror(f);
    fclose(f);
    sp_sha256_finish(&s, hex);
    return good;
}

void sp_lab_record_path(const struct sp_lab_folder *folder, const char *run, char *path, size_t size)
{
    snprintf(path, size, "%s/records/%s.json", folder->path, run);
}

void sp_lab_pictures_path(const struct sp_lab_folder *folder, const char *run, char *path, size_t size)
{
    snprintf(path, size, "%s/pictures/%s", folder->path, run);
}

static enum sp_status write_file(const struct sp_lab_folder *folder, const char *name, const char *text,
                                 struct sp_error *err)
{
    char path[1024];
    struct sp_atomic_file file;
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    fputs(text, file.stream);
    return sp_atomic_commit(&file, err);
}

static enum sp_status write_json(const struct sp_lab_folder *folder, const char *name, const json_t *json,
                                 struct sp_error *err)
{
    char *text = json ? json_dumps(json, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) : NULL;
    if (!text)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for %s", name);
    enum sp_status status = write_file(folder, name, text, err);
    free(text);
    return status;
}

/* The sheet with the student's numbers; free(). */
static enum sp_status fill_sheet(const struct sp_lab_folder *folder, char **filled, struct sp_error *err)
{
    char path[1100], *text;
    size_t size;
    *filled = NULL;
    snprintf(path, sizeof path, "%s/sheet.md", folder->lab.folder);
    enum sp_status status = sp_input_bytes(path, SP_LAB_MOST_FILE_B, &text, &size, err);
    if (status != SP_OK)
        return status;
    status = sp_lab_fill(&folder->the_case, text, true, filled, err);
    free(text);
    return status;
}

/* Over `before`, a sheet that the program wrote (NULL: none): what a student noted in it stays.
 * SP_USAGE. */
static enum sp_status write_sheet(const struct sp_lab_folder *folder, const char *before,
                                  struct sp_error *err)
{
    char path[1100], *now = NULL, *filled;
    size_t size;
    snprintf(path, sizeof path, "%s/sheet.md", folder->path);
    enum sp_status status = fill_sheet(folder, &filled, err);
    if (status == SP_OK && access(path, F_OK) == 0)
        status = sp_input_bytes(path, SP_LAB_MOST_FILE_B, &now, &size, err);
    if (now && strcmp(now, filled) != 0 && !(before && strcmp(now, before) == 0))
        status = sp_fail_at(err, SP_USAGE, path, 0, 0, "move it away, or name another folder with " SP_O_DIR,
                            "somebody wrote in it, and it would be lost");
    if (status == SP_OK)
        status = write_file(folder, "sheet.md", filled, err);
    free(filled);
    free(now);
    return status;
}

/* One file of the lab, or of those that all labs share, into the student's folder, unless it is
 * there. */
static enum sp_status copy_one(const struct sp_lab_folder *folder, const char *name, struct sp_error *err)
{
    char from[1200], to[1200], *text;
    size_t size;
    snprintf(to, sizeof to, "%s/%s", folder->path, name);
    if (access(to, F_OK) == 0)
        return SP_OK;
    snprintf(from, sizeof from, "%s/%s", folder->lab.folder, name);
    if (access(from, F_OK) != 0)
        snprintf(from, sizeof from, "%s/../common/%s", folder->lab.folder, name);
    enum sp_status status = sp_input_bytes(from, SP_LAB_MOST_FILE_B, &text, &size, err);
    if (status != SP_OK)
        return status;
    status = write_file(folder, name, text, err);
    free(text);
    return status;
}

/* The student's own copies: code that a run is made of, and the lab's "files". */
static enum sp_status copy_files(const struct sp_lab_folder *folder, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(folder->lab.root, "runs"), i, item)
    {
        if (status == SP_OK && *sp_lab_text(item, "code"))
            status = copy_one(folder, sp_lab_text(item, "code"), err);
    }
    json_array_foreach(json_object_get(folder->lab.root, "files"), i, item)
    {
        if (status == SP_OK && json_is_string(item) && sp_is_file_stem(json_string_value(item)))
            status = copy_one(folder, json_string_value(item), err);
    }
    return status;
}

static enum sp_status make_directories(const char *path, struct sp_error *err)
{
    char records[1024];
    snprintf(records, sizeof records, "%s/records", path);
    const int failed = sp_make_directories(records);
    if (failed)
        return sp_fail_at(err, SP_OUTPUT, records, 0, 0, "name a folder that can be made with " SP_O_DIR,
                          "cannot make the folder: %s", strerror(failed));
    return SP_OK;
}

enum sp_status sp_lab_folder_make(const char *path, struct sp_lab *lab, const char *student, bool small,
                                  struct sp_lab_folder *folder, struct sp_error *err)
{
    char state[1024], description[1100], now[32], hex[65] = "";
    memset(folder, 0, sizeof *folder);
    if (snprintf(folder->path, sizeof folder->path, "%s", path) >= (int)sizeof folder->path)
        return sp_fail(err, SP_USAGE, NULL, "the folder's name is too long");
    snprintf(state, sizeof state, "%s/state.json", path);
    if (access(state, F_OK) == 0)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, "go on there, or name another folder with " SP_O_DIR,
                          "a lab was started in it before");
    folder->lab = *lab;
    memset(lab, 0, sizeof *lab);
    enum sp_status status = sp_lab_case_make(&folder->lab, student, small, &folder->the_case, err);
    if (status == SP_OK)
        status = make_directories(path, err);
    sp_lab_now(now);
    folder->state = json_pack("{s:s, s:s, s:s, s:b, s:s, s:{}}", "schema", SP_LAB_SCHEMA, "lab",
                              folder->lab.id, "student", student, "small", small, "started", now, "runs");
    snprintf(description, sizeof description, "%s/lab.json", folder->lab.folder);
    if (sp_lab_file_digest(description, hex))
        json_object_set_new(folder->state, "lab_sha256", json_string(hex));
    folder->predictions = json_array();
    if (status == SP_OK)
        status = write_sheet(folder, NULL, err);
    if (status == SP_OK)
        status = copy_files(folder, err);
    if (status == SP_OK)
        status = write_json(folder, "predictions.json", folder->predictions, err);
    if (status == SP_OK)
        status = write_json(folder, "state.json", folder->state, err);
    if (status != SP_OK)
        sp_lab_folder_close(folder);
    return status;
}

static const char wrong_type[] = "it is no ";

/* A JSON file of a folder, which may be of somebody else: at most SP_LAB_MOST_FILE_B, an array
 * where `type` is JSON_ARRAY, else an object. Control characters in its texts, which would command
 * the terminal, become blanks. SP_INPUT. */
static enum sp_status load_json(const char *path, json_type type, const char *remedy, json_t **root,
                                struct sp_error *err)
{
    enum sp_status status = sp_input_json(path, SP_LAB_MOST_FILE_B, remedy, root, err);
    if (status != SP_OK)
        return status;
    if (json_typeof(*root) != type) {
        json_decref(*root);
        *root = NULL;
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "%s%s of JSON", wrong_type,
                          type == JSON_ARRAY ? "list" : "object");
    }
    return SP_OK;
}

/* Was it a file of its own, but no JSON of that kind: cut off, or edited by hand? What is no file,
 * or too large, is refused with its folder. */
static bool is_damage(enum sp_status status, const struct sp_error *why)
{
    return status == SP_INPUT && (why->line > 0 || strncmp(why->what, wrong_type, strlen(wrong_type)) == 0);
}

static enum sp_status load(const char *path, const char *name, json_type type, json_t **out,
                           struct sp_error *err)
{
    char file[1024];
    snprintf(file, sizeof file, "%s/%s", path, name);
    if (access(file, F_OK) != 0 && errno == ENOENT)
        return sp_fail_at(err, SP_USAGE, path, 0, 0,
                          "spmodel lab start N begins one; " SP_O_DIR " names its folder",
                          "no lab was started here: there is no %s", name);
    return load_json(file, type, NULL, out, err);
}

/* Damaged ones are none. */
static enum sp_status load_predictions(const char *path, struct sp_lab_folder *folder, struct sp_error *err)
{
    struct sp_error why = {0};
    enum sp_status status = load(path, "predictions.json", JSON_ARRAY, &folder->predictions, &why);
    if (is_damage(status, &why)) {
        snprintf(folder->fault, sizeof folder->fault, "predictions.json cannot be read: %.250s", why.what);
        folder->predictions = json_array();
        return SP_OK;
    }
    if (status != SP_OK && err)
        *err = why;
    return status;
}

/* The lab and the case that state.json names. SP_USAGE: it cannot name these. */
static enum sp_status use_state(struct sp_lab_folder *folder, const char *const *directory, int n,
                                struct sp_error *err)
{
    const json_t *state = folder->state;
    if (strcmp(sp_lab_text(state, "schema"), SP_LAB_SCHEMA) != 0)
        return sp_fail(err, SP_USAGE, NULL, "it is not of schema " SP_LAB_SCHEMA);
    if (!json_is_object(json_object_get(state, "runs")))
        return sp_fail(err, SP_USAGE, NULL, "it has no object 'runs'");
    enum sp_status status = sp_lab_find(directory, n, sp_lab_text(state, "lab"), &folder->lab, err);
    return status != SP_OK
               ? status
               : sp_lab_case_make(&folder->lab, sp_lab_text(state, "student"),
                                  json_is_true(json_object_get(state, "small")), &folder->the_case, err);
}

enum sp_status sp_lab_folder_open(const char *path, const char *const *directory, int n,
                                  struct sp_lab_folder *folder, struct sp_error *err)
{
    struct sp_error why;
    memset(folder, 0, sizeof *folder);
    if (snprintf(folder->path, sizeof folder->path, "%s", path) >= (int)sizeof folder->path)
        return sp_fail(err, SP_USAGE, NULL, "the folder's name is too long");
    enum sp_status status = load(path, "state.json", JSON_OBJECT, &folder->state, err);
    if (status == SP_OK)
        status = load_predictions(path, folder, err);
    if (status == SP_OK) {
        status = use_state(folder, directory, n, &why);
        if (status == SP_USAGE) /* the folder's fault, not that of who typed */
            status = sp_fail_at(err, SP_INPUT, path, 0, 0, "begin it again: spmodel lab start",
                                "its state.json: %s", why.what);
        else if (status != SP_OK && err)
            *err = why;
    }
    if (status != SP_OK)
        sp_lab_folder_close(folder);
    return status;
}

void sp_lab_folder_close(struct sp_lab_folder *folder)
{
    json_decref(folder->state);
    json_decref(folder->predictions);
    sp_lab_free(&folder->lab);
    memset(folder, 0, sizeof *folder);
}

enum sp_status sp_lab_folder_save(const struct sp_lab_folder *folder, struct sp_error *err)
{
    return write_json(folder, "state.json", folder->state, err);
}

bool sp_lab_has_run(const struct sp_lab_folder *folder)
{
    return json_object_size(json_object_get(folder->state, "runs")) > 0;
}

enum sp_status sp_lab_folder_make_small(struct sp_lab_folder *folder, struct sp_error *err)
{
    if (folder->the_case.small)
        return SP_OK;
    if (json_array_size(folder->predictions) > 0 || sp_lab_has_run(folder))
        return sp_fail(err, SP_USAGE,
                       "start it in another folder: spmodel lab start N " SP_O_SMALL " " SP_O_DIR " DIR",
                       "what was predicted or run in %s is for the large matrices", folder->path);
    char student[sizeof folder->the_case.student], *before;
    strcpy(student, folder->the_case.student);
    enum sp_status status = fill_sheet(folder, &before, err);
    if (status == SP_OK)
        status = sp_lab_case_make(&folder->lab, student, true, &folder->the_case, err);
    json_object_set_new(folder->state, "small", json_true());
    if (status == SP_OK)
        status = write_sheet(folder, before, err);
    if (status == SP_OK)
        status = write_json(folder, "state.json", folder->state, err);
    free(before);
    return status;
}

bool sp_lab_interval(const char *text, double *lo, double *hi)
{
    char low[48];
    const char *dots = strstr(text, "..");
    if (!dots || dots - text >= (ptrdiff_t)sizeof low)
        return false;
    snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    dots += dots[2] == '.' ? 3 : 2;
    return !sp_parse_number(low, lo) && !sp_parse_number(dots, hi) && *lo > 0 && *lo <= *hi;
}

/* The value as JSON: one of the question's choices, an interval, or a number. */
static enum sp_status prediction_value(const json_t *question, const char *value, json_t **out,
                                       struct sp_error *err)
{
    const json_t *choices = json_object_get(question, "choices");
    char list[300] = "";
    size_t i;
    json_t *choice;
    double x;
    json_array_foreach((json_t *)choices, i, choice)
    {
        const char *word = json_is_string(choice) ? json_string_value(choice) : "";
        if (strcmp(word, value) == 0) {
            *out = json_string(value);
            return SP_OK;
        }
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", word);
    }
    if (choices)
        return sp_fail(err, SP_USAGE, NULL, "the answer to '%s' is one of %s, not '%s'",
                       sp_lab_text(question, "id"), list, value);
    if (json_object_get(question, "interval")) {
        double lo, hi;
        if (!sp_lab_interval(value, &lo, &hi))
            return sp_fail(err, SP_USAGE,
                           "spmodel lab predict N QUESTION=LEAST...MOST, for example 1.2...1.5",
                           "the answer to '%s' is an interval in %s, not '%s'", sp_lab_text(question, "id"),
                           sp_lab_text(question, "unit"), value);
        *out = json_string(value);
        return SP_OK;
    }
    const char *unit = sp_lab_text(question, "unit");
    const bool has_unit = *unit && strcmp(unit, "1") != 0;
    if (sp_parse_number(value, &x))
        return sp_fail(err, SP_USAGE, "spmodel lab predict N QUESTION=NUMBER, for example alpha=0.14",
                       "the answer to '%s' is a number%s%s, not '%s'", sp_lab_text(question, "id"),
                       has_unit ? " in " : "", has_unit ? unit : "", value);
    *out = json_real(x);
    return SP_OK;
}

enum sp_status sp_lab_predict(struct sp_lab_folder *folder, const char *question, const char *value,
                              bool *late, struct sp_error *err)
{
    const json_t *q = sp_lab_item(json_object_get(folder->lab.root, "questions"), question);
    json_t *number = NULL;
    char now[32];
    *late = sp_lab_has_run(folder);
    if (folder->fault[0])
        return sp_fail_at(err, SP_INPUT, folder->path, 0, 0,
                          "restore the file, or begin the lab in another folder", "%s", folder->fault);
    if (!q)
        return sp_fail(err, SP_USAGE, "the sheet lists its questions", "lab %d has no question '%s'",
                       folder->lab.number, question);
    enum sp_status status = prediction_value(q, value, &number, err);
    if (status != SP_OK)
        return status;
    sp_lab_now(now);
    json_array_append_new(folder->predictions,
                          json_pack("{s:s, s:o, s:s, s:s, s:b}", "question", question, "value", number,
                                    "unit", sp_lab_text(q, "unit"), "time", now, "late", *late));
    return write_json(folder, "predictions.json", folder->predictions, err);
}

static bool is_prediction_of(const json_t *item, const char *question)
{
    const json_t *value = json_object_get(item, "value");
    return strcmp(sp_lab_text(item, "question"), question) == 0 &&
           (json_is_number(value) || json_is_string(value));
}

const json_t *sp_lab_prediction(const json_t *predictions, const char *question)
{
    const json_t *early = NULL, *late = NULL;
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)predictions, i, item)
    {
        if (!is_prediction_of(item, question))
            continue;
        if (!json_is_true(json_object_get(item, "late")))
            early = item;
        else if (!late)
            late = item;
    }
    return early ? early : late;
}

bool sp_lab_has_late(const json_t *predictions, const char *question)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)predictions, i, item)
    {
        if (is_prediction_of(item, question) && json_is_true(json_object_get(item, "late")))
            return true;
    }
    return false;
}

enum sp_status sp_lab_note_run(struct sp_lab_folder *folder, const char *run, const char *start,
                               const struct sp_lab_end *end, struct sp_error *err)
{
    char path[1200], hex[65] = "", now[32];
    sp_lab_now(now);
    json_t *item = json_pack("{s:s, s:s}", "start", start, "end", now);
    sp_lab_record_path(folder, run, path, sizeof path);
    if (end && end->skipped)
        json_object_set_new(item, "skipped", json_string(end->skipped));
    else if (end && end->failed)
        json_object_set_new(item, "failed", json_string(end->failed));
    else if (sp_lab_file_digest(path, hex))
        json_object_set_new(item, "sha256", json_string(hex));
    if (end && *end->code_sha256)
        json_object_set_new(item, "code_sha256", json_string(end->code_sha256));
    json_object_set_new(json_object_get(folder->state, "runs"), run, item);
    return sp_lab_folder_save(folder, err);
}

static enum sp_status read_one(const struct sp_lab_folder *folder, struct sp_lab_result *result,
                               struct sp_error *err)
{
    char path[1200];
    struct sp_error why = {0};
    sp_lab_record_path(folder, result->run, path, sizeof path);
    if (result->skipped || (access(path, F_OK) != 0 && errno == ENOENT))
        return SP_OK;
    enum sp_status status =
        load_json(path, JSON_OBJECT, "spmodel lab run writes it again", &result->root, &why);
    if (is_damage(status, &why)) {
        snprintf(result->fault, sizeof result->fault, "records/%.60s.json cannot be read: %.200s",
                 result->run, why.what);
        return SP_OK;
    }
    if (status != SP_OK && err)
        *err = why;
    return status;
}

enum sp_status sp_lab_results_read(const struct sp_lab_folder *folder, struct sp_lab_results *results,
                                   struct sp_error *err)
{
    size_t i;
    json_t *run;
    memset(results, 0, sizeof *results);
    results->folder = folder;
    json_array_foreach(json_object_get(folder->lab.root, "runs"), i, run)
    {
        if (results->n == SP_LAB_MOST_RUNS) {
            sp_lab_results_free(results);
            return sp_fail(err, SP_INPUT, NULL, "lab %s has more than %d runs", folder->lab.id,
                           SP_LAB_MOST_RUNS);
        }
        struct sp_lab_result *r = &results->result[results->n++];
        r->run = sp_lab_text(run, "id");
        const json_t *noted = json_object_get(json_object_get(folder->state, "runs"), r->run);
        const char *skipped = json_string_value(json_object_get(noted, "skipped"));
        *(*sp_lab_text(run, "needs") ? &r->skipped : &r->claimed) = skipped; /* a folder is the student's */
        r->failed = json_string_value(json_object_get(noted, "failed"));
        enum sp_status status = read_one(folder, r, err);
        if (status != SP_OK) {
            sp_lab_results_free(results);
            return status;
        }
    }
    return SP_OK;
}

void sp_lab_results_free(struct sp_lab_results *results)
{
    for (int i = 0; i < results->n; i++)
        json_decref(results->result[i].root);
    memset(results, 0, sizeof *results);
}

static const struct sp_lab_result *find(const struct sp_lab_results *results, const char *run)
{
    for (int i = 0; i < results->n; i++)
        if (strcmp(results->result[i].run, run) == 0)
            return &results->result[i];
    return NULL;
}

/* The item of a list by its number, or by the text that one of its keys has. */
static const json_t *list_item(const json_t *list, const char *word)
{
    const char *equals = strchr(word, '=');
    char key[64], *end;
    size_t i;
    json_t *item;
    if (!equals) {
        const unsigned long n = strtoul(word, &end, 10);
        return *end || end == word ? NULL : json_array_get(list, n);
    }
    snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
    json_array_foreach((json_t *)list, i, item)
    {
        if (strcmp(sp_lab_text(item, key), equals + 1) == 0)
            return item;
    }
    return NULL;
}

const json_t *sp_lab_node(const json_t *root, const char *path)
{
    const json_t *node = root;
    while (node && *path) {
        char word[128];
        const size_t n = strcspn(path, ".");
        snprintf(word, sizeof word, "%.*s", (int)n, path);
        node = json_is_array(node) ? list_item(node, word) : json_object_get(node, word);
        path += n + (path[n] == '.');
    }
    return node;
}

const json_t *sp_lab_field(const json_t *root, enum sp_record_field field)
{
    return sp_lab_node(root, sp_field_path(field));
}

double sp_lab_number(const json_t *root, const char *path, double otherwise)
{
    const json_t *node = sp_lab_node(root, path);
    return json_is_number(node) ? json_number_value(node) : otherwise;
}

enum sp_status sp_lab_results_name(void *context, const char *name, struct sp_quantity *out,
                                   struct sp_error *err)
{
    const struct sp_lab_results *results = context;
    return sp_lab_case_name((void *)&results->folder->the_case, name, out, err);
}

/* "...arrays.NAME.read_B" of a level that knows its arrays: one that is not listed has moved
 * nothing. */
static bool is_unmoved(const json_t *root, const char *path)
{
    static const char mark[] = ".arrays.";
    char level[200];
    const char *at = strstr(path, mark);
    if (!at || at - path + sizeof mark > sizeof level)
        return false;
    snprintf(level, sizeof level, "%.*s", (int)(at - path + (ptrdiff_t)strlen(mark) - 1), path);
    return json_object_size(sp_lab_node(root, level)) > 0;
}

/* "LIST.least" or "LIST.most": of its numbers. False: it is no such path. */
static bool is_extreme(const json_t *root, const char *path, double *out)
{
    char list_path[200];
    const char *word = strrchr(path, '.');
    const bool least = word && strcmp(word, ".least") == 0;
    size_t i;
    json_t *x;
    if (!word || (!least && strcmp(word, ".most") != 0) || word - path >= (ptrdiff_t)sizeof list_path)
        return false;
    snprintf(list_path, sizeof list_path, "%.*s", (int)(word - path), path);
    const json_t *list = sp_lab_node(root, list_path);
    bool any = false;
    json_array_foreach((json_t *)list, i, x)
    {
        const double value = json_number_value(x);
        if (json_is_number(x) && (!any || (least ? value < *out : value > *out))) {
            *out = value;
            any = true;
        }
    }
    return any;
}

enum sp_status sp_lab_results_field(void *context, const char *run, const char *path, struct sp_quantity *out,
                                    struct sp_error *err)
{
    const struct sp_lab_result *r = find(context, run);
    if (!r)
        return sp_fail(err, SP_INPUT, NULL, "the lab has no run '%s'", run);
    if (r->skipped)
        return sp_fail(err, SP_SKIPPED, NULL, "%s", r->skipped);
    if (r->fault[0] || r->failed)
        return sp_fail(err, SP_NO, "spmodel lab run", "%s", r->fault[0] ? r->fault : r->failed);
    if (!r->root)
        return sp_fail(err, SP_UNDECIDED, "spmodel lab run", "the run '%s' has left nothing yet", run);
    const json_t *node = sp_lab_node(r->root, path), *value = json_object_get(node, "value");
    double extreme = 0;
    if (!node && is_extreme(r->root, path, &extreme)) {
        *out = (struct sp_quantity){extreme, extreme, extreme};
        return SP_OK;
    }
    if (!node && is_unmoved(r->root, path)) {
        *out = (struct sp_quantity){0, 0, 0};
        return SP_OK;
    }
    if (json_is_number(node)) {
        const double x = json_number_value(node);
        *out = (struct sp_quantity){x, x, x};
        return SP_OK;
    }
    if (json_is_number(value)) {
        const json_t *lo = json_object_get(node, "lo"), *hi = json_object_get(node, "hi");
        const double x = json_number_value(value);
        *out = (struct sp_quantity){x, json_is_number(lo) ? json_number_value(lo) : x,
                                    json_is_number(hi) ? json_number_value(hi) : x};
        return SP_OK;
    }
    const char *why = json_string_value(json_object_get(node, "why")),
               *doubt = json_string_value(sp_lab_field(r->root, SP_F_CONDITIONS_DOUBT));
    if (!why && doubt) /* what needs a quiet machine was left out */
        return sp_fail(err, SP_UNDECIDED, NULL, SP_LAB_NO_VERDICT, run, doubt);
    return sp_fail(err, SP_UNDECIDED, NULL, "'%s' of the run '%s' is unknown%s%s", path, run, why ? ": " : "",
                   why ? why : "");
}

static enum sp_status add(struct sp_lab_command *c, const char *text, struct sp_error *err)
{
    if (c->n == SP_LAB_MOST_ARGUMENTS)
        return sp_fail(err, SP_INPUT, NULL, "a run of the lab has more than %d arguments", c->n);
    c->argument[c->n] = strdup(text);
    if (!c->argument[c->n])
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for a command");
    c->argument[++c->n] = NULL;
    return SP_OK;
}

/* {lab}/ begins or follows a colon; all other braces but {code} hold formulas. */
static enum sp_status add_filled(const struct sp_lab_folder *folder, const char *run, const char *text,
                                 struct sp_lab_command *c, struct sp_error *err)
{
    static const char mark[] = "{lab}/";
    char whole[2200];
    const char *at = strstr(text, mark);
    if (strcmp(text, "{code}") == 0) {
        snprintf(whole, sizeof whole, "%s%s/records/%s.so" SP_LAB_KERNEL,
                 strchr(folder->path, '/') ? "" : "./", folder->path, run);
        return add(c, whole, err);
    }
    if (at) {
        snprintf(whole, sizeof whole, "%.*s%s/%s", (int)(at - text), text, folder->lab.folder,
                 at + strlen(mark));
        return add(c, whole, err);
    }
    char *filled;
    enum sp_status status = sp_lab_fill(&folder->the_case, text, false, &filled, err);
    if (status == SP_OK)
        status = add(c, filled, err);
    free(filled);
    return status;
}

static enum sp_status add_list(const struct sp_lab_folder *folder, const char *run, const json_t *list,
                               struct sp_lab_command *c, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (size_t i = 0; i < json_array_size(list) && status == SP_OK; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        status =
            text ? add_filled(folder, run, text, c, err)
                 : sp_fail(err, SP_INPUT, NULL, "an argument of a run of lab %s is no text", folder->lab.id);
    }
    return status;
}

static bool has(const struct sp_lab_command *c, const char *word)
{
    for (int i = 0; i < c->n; i++)
        if (strcmp(c->argument[i], word) == 0)
            return true;
    return false;
}

/* Samples of a small run: it is the bytes that are looked at. */
static enum sp_status add_analysis(const struct sp_lab_folder *folder, const char *run, const char *machine,
                                   struct sp_lab_command *c, struct sp_error *err)
{
    static const char *const quick[] = {SP_O_BUDGET, "60ms", SP_O_SAMPLES, "8", SP_O_NO_HINTS, NULL};
    char pictures[1100];
    enum sp_status status = add(c, "-v", err); /* sheets ask for lines of the whole report */
    for (int i = 0; folder->the_case.small && quick[i] && status == SP_OK; i++)
        status = add(c, quick[i], err);
    if (status == SP_OK && machine && !has(c, SP_O_MACHINE) && !has(c, "gpu")) {
        status = add(c, SP_O_MACHINE, err);
        if (status == SP_OK)
            status = add(c, machine, err);
    }
    sp_lab_pictures_path(folder, run, pictures, sizeof pictures);
    if (status == SP_OK)
        status = add(c, SP_O_OUT, err);
    return status == SP_OK ? add(c, pictures, err) : status;
}

enum sp_status sp_lab_command_make(const struct sp_lab_folder *folder, const json_t *run, const char *machine,
                                   struct sp_lab_command *c, struct sp_error *err)
{
    char json[1300] = SP_O_JSON "=";
    memset(c, 0, sizeof *c);
    enum sp_status status = add(c, "spmodel", err);
    if (status == SP_OK)
        status = add_list(folder, sp_lab_text(run, "id"), json_object_get(run, "arguments"), c, err);
    if (status == SP_OK && folder->the_case.small)
        status = add_list(folder, sp_lab_text(run, "id"), json_object_get(run, "small"), c, err);
    if (status == SP_OK && has(c, "analyze"))
        status = add_analysis(folder, sp_lab_text(run, "id"), machine, c, err);
    sp_lab_record_path(folder, sp_lab_text(run, "id"), json + strlen(json), sizeof json - strlen(json));
    if (status == SP_OK)
        status = add(c, json, err);
    if (status != SP_OK)
        sp_lab_command_free(c);
    return status;
}

void sp_lab_command_free(struct sp_lab_command *c)
{
    for (int i = 0; i < c->n; i++)
        free(c->argument[i]);
    memset(c, 0, sizeof *c);
}

char *sp_lab_command_text(const struct sp_lab_command *c, char *text, size_t size)
{
    *text = '\0';
    for (int i = 0; i < c->n; i++) {
        if (strncmp(c->argument[i], SP_O_JSON "=", 7) == 0)
            continue;
        if (strcmp(c->argument[i], SP_O_OUT) == 0) {
            i++;
            continue;
        }
        if (!sp_add_shell_word(text, size, c->argument[i]))
            break;
    }
    return text;
}
