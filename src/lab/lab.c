#include "lab/lab.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/hash.h"
#include "base/option/option_words.h"
#include "base/print.h"
#include "base/text.h"
#include "io/files/input_file.h"

const json_t *sp_lab_item(const json_t *list, const char *id)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)list, i, item)
    {
        if (strcmp(sp_lab_text(item, "id"), id) == 0)
            return item;
    }
    return NULL;
}

const char *sp_lab_text(const json_t *item, const char *key)
{
    const char *text = json_string_value(json_object_get(item, key));
    return text ? text : "";
}

static enum sp_status check_description(struct sp_lab *lab, const char *path, struct sp_error *err)
{
    static const char *const lists[] = {"parameters", "runs", "questions", "checks"};
    static const char remedy[] = "docs/labs.md describes the file";
    const char *schema = sp_lab_text(lab->root, "schema");
    const json_t *run;
    size_t i;
    if (strcmp(schema, SP_LAB_SCHEMA) != 0)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "it is no lab of schema " SP_LAB_SCHEMA);
    lab->id = sp_lab_text(lab->root, "id");
    lab->title = sp_lab_text(lab->root, "title");
    lab->number = (int)json_integer_value(json_object_get(lab->root, "number"));
    lab->minutes = (int)json_integer_value(json_object_get(lab->root, "minutes"));
    if (!*lab->id || !*lab->title)
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "it has no id or no title");
    for (i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!json_is_array(json_object_get(lab->root, lists[i])))
            return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "it has no list '%s'", lists[i]);
    json_array_foreach(json_object_get(lab->root, "runs"), i, run)
    {
        if (!sp_is_file_stem(sp_lab_text(run, "id")))
            return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "the id of run %zu names no file", i + 1);
        if (*sp_lab_text(run, "code") &&
            (!sp_is_file_stem(sp_lab_text(run, "code")) || !sp_is_file_stem(sp_lab_text(run, "with"))))
            return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "the code of run %zu names no file", i + 1);
    }
    return SP_OK;
}

enum sp_status sp_lab_read(const char *folder, struct sp_lab *lab, struct sp_error *err)
{
    char path[1100];
    memset(lab, 0, sizeof *lab);
    snprintf(path, sizeof path, "%s/lab.json", folder);
    enum sp_status status =
        sp_input_json(path, SP_LAB_MOST_FILE_B, "docs/labs.md describes the file", &lab->root, err);
    if (status != SP_OK)
        return status;
    snprintf(lab->folder, sizeof lab->folder, "%s", folder);
    status = check_description(lab, path, err);
    if (status != SP_OK)
        sp_lab_free(lab);
    return status;
}

void sp_lab_free(struct sp_lab *lab)
{
    json_decref(lab->root);
    memset(lab, 0, sizeof *lab);
}

/* "1", "01", "crs-balance" and "01-crs-balance" all name the folder 01-crs-balance. */
static bool is_named(const char *folder, const char *name)
{
    char *rest;
    const long number = strtol(folder, &rest, 10);
    if (rest == folder || *rest != '-')
        return false;
    char *end;
    const long wanted = strtol(name, &end, 10);
    if (end != name && *end == '\0')
        return wanted == number;
    return strcmp(folder, name) == 0 || strcmp(rest + 1, name) == 0;
}

enum sp_status sp_lab_find(const char *const *directory, int n, const char *name, struct sp_lab *lab,
                           struct sp_error *err)
{
    memset(lab, 0, sizeof *lab);
    for (int i = 0; i < n; i++) {
        DIR *d = opendir(directory[i]);
        if (!d && errno == ENOMEM)
            return sp_fail(err, SP_MEMORY, "free memory", "no memory to look for lab '%s'", name);
        char folder[1024] = "";
        for (struct dirent *entry; d && (entry = readdir(d));)
            if (is_named(entry->d_name, name))
                snprintf(folder, sizeof folder, "%s/%s", directory[i], entry->d_name);
        if (d)
            closedir(d);
        if (*folder)
            return sp_lab_read(folder, lab, err);
    }
    return sp_fail(err, SP_USAGE, "spmodel lab list shows them", "there is no lab '%s'", name);
}

/* Without outer blanks: its length. */
static size_t trim(const char **name)
{
    *name += strspn(*name, " \t");
    size_t n = strlen(*name);
    while (n > 0 && isspace((unsigned char)(*name)[n - 1]))
        n--;
    return n;
}

int64_t sp_lab_seed(const char *student, const char *lab_id)
{
    struct sp_sha256 s;
    char hex[65];
    const size_t n = trim(&student);
    sp_sha256_start(&s);
    sp_sha256_add(&s, SP_LAB_SCHEMA " ", strlen(SP_LAB_SCHEMA " "));
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)tolower((unsigned char)student[i]);
        sp_sha256_add(&s, &c, 1);
    }
    sp_sha256_add(&s, "\n", 1);
    sp_sha256_add(&s, lab_id, strlen(lab_id));
    sp_sha256_finish(&s, hex);
    hex[8] = '\0';
    return (int64_t)(strtoul(hex, NULL, 16) & 0x7fffffff);
}

enum sp_status sp_lab_case_name(void *context, const char *name, struct sp_quantity *out,
                                struct sp_error *err)
{
    const struct sp_lab_case *c = context;
    for (int i = 0; i < c->n_parameters; i++)
        if (strcmp(c->parameter[i].name, name) == 0) {
            const double x = c->parameter[i].value;
            *out = (struct sp_quantity){x, x, x};
            return SP_OK;
        }
    return sp_fail(err, SP_INPUT, NULL, "the lab has no parameter '%s'", name);
}

enum sp_status sp_lab_case_number(const struct sp_lab_case *c, const char *formula, double *out,
                                  struct sp_error *err)
{
    const struct sp_formula_source source = {sp_lab_case_name, NULL, (void *)c};
    struct sp_quantity q;
    enum sp_status status = sp_formula_evaluate(formula, &source, &q, err);
    *out = q.value;
    return status;
}

static bool is_name(const char *student)
{
    bool good =
        strlen(student) < sizeof((struct sp_lab_case *)0)->student && student[strspn(student, " \t")] != '\0';
    for (const char *p = student; good && *p; p++)
        good = *p != '"' && !iscntrl((unsigned char)*p);
    return good;
}

enum sp_status sp_lab_case_make(const struct sp_lab *lab, const char *student, bool small,
                                struct sp_lab_case *out, struct sp_error *err)
{
    memset(out, 0, sizeof *out);
    if (!is_name(student))
        return sp_fail(err, SP_USAGE, SP_O_STUDENT " NAME",
                       "a student's name has 1 to %d bytes, no double quotes, no control characters",
                       (int)sizeof out->student - 1);
    out->lab = lab;
    out->small = small;
    strcpy(out->student, student);
    out->parameter[out->n_parameters++] =
        (struct sp_lab_parameter){"seed", (double)sp_lab_seed(student, lab->id)};
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(lab->root, "parameters"), i, item)
    {
        const char *formula = sp_lab_text(item, small ? "small" : "full");
        struct sp_lab_parameter *p = &out->parameter[out->n_parameters];
        if (out->n_parameters == SP_LAB_MOST_PARAMETERS)
            return sp_fail(err, SP_INPUT, NULL, "lab %s has more than %d parameters", lab->id,
                           SP_LAB_MOST_PARAMETERS - 1);
        p->name = sp_lab_text(item, "name");
        enum sp_status status =
            sp_lab_case_number(out, *formula ? formula : sp_lab_text(item, "is"), &p->value, err);
        if (status != SP_OK)
            return status;
        out->n_parameters++;
    }
    return SP_OK;
}

/* Texts with the numbers of a student put in. */

static void put_number(FILE *out, double x, bool for_people)
{
    char text[48];
    if (floor(x) == x && fabs(x) < 9e15)
        fputs(for_people ? sp_text_count(text, sizeof text, (int64_t)x)
                         : (snprintf(text, sizeof text, "%lld", (long long)x), text),
              out);
    else
        sp_print(out, "%.4g", x);
}

/* One {formula} at `at`, of which `length` characters are the formula. */
static enum sp_status put_formula(const struct sp_lab_case *c, const char *at, size_t length, bool for_people,
                                  FILE *out, struct sp_error *err)
{
    char formula[400];
    double x;
    if (length >= sizeof formula)
        return sp_fail(err, SP_INPUT, NULL, "a formula in lab %s is too long", c->lab->id);
    memcpy(formula, at, length);
    formula[length] = '\0';
    enum sp_status status = sp_lab_case_number(c, formula, &x, err);
    if (status == SP_OK)
        put_number(out, x, for_people);
    return status;
}

/* In Markdown's code, which is to be typed: behind four blanks, or between backquotes. */
static bool is_code(const char *text, const char *at)
{
    const char *line = at;
    int n = 0;
    while (line > text && line[-1] != '\n')
        line--;
    for (const char *p = line; p < at; p++)
        n += *p == '`';
    return n % 2 == 1 || strncmp(line, "    ", 4) == 0;
}

static enum sp_status fill(const struct sp_lab_case *c, const char *text, bool double_braces, FILE *out,
                           struct sp_error *err)
{
    const char *const open = double_braces ? "{{" : "{", *const close = double_braces ? "}}" : "}";
    enum sp_status status = SP_OK;
    for (const char *at = text; status == SP_OK && *at;) {
        const char *begin = strstr(at, open), *end = begin ? strstr(begin, close) : NULL;
        if (!end) {
            fputs(at, out);
            break;
        }
        fwrite(at, 1, (size_t)(begin - at), out);
        const bool for_people = double_braces && !is_code(text, begin);
        begin += strlen(open);
        status = put_formula(c, begin, (size_t)(end - begin), for_people, out, err);
        at = end + strlen(close);
    }
    return status;
}

enum sp_status sp_lab_fill(const struct sp_lab_case *c, const char *text, bool double_braces, char **out,
                           struct sp_error *err)
{
    size_t size;
    *out = NULL;
    FILE *f = open_memstream(out, &size);
    if (!f)
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for a text");
    enum sp_status status = fill(c, text, double_braces, f, err);
    if (fclose(f) != 0 && status == SP_OK)
        status = sp_fail(err, SP_MEMORY, "free memory", "no memory for a text");
    if (status != SP_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}
