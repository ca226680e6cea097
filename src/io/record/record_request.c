#include "io/record/record_request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/option/run_option.h"
#include "io/record/record.h"

enum { REQUEST_VERSION = 1 };

enum sp_record_field sp_option_field(enum sp_option option)
{
    static const enum sp_record_field fields[SP_N_OPTIONS] = {
#define ROW(id, key, argument, words, field, ...) [SP_OPTION_##id] = field,
#define OP_OPTION                                 ROW
#define RUN_OPTION                                ROW
#define ANALYZE_OPTION                            ROW
#define OTHER_OPTION                              ROW
#include "base/option/run_options.inc"
    };
    return fields[option];
}

const char *sp_request_key(enum sp_option option)
{
    return sp_field_within(sp_option_field(option), SP_F_REQUEST);
}

enum sp_option sp_request_option(const char *key)
{
    int i = 0;
    for (const char *its; i < SP_N_OPTIONS; i++)
        if ((its = sp_request_key((enum sp_option)i)) && strcmp(its, key) == 0)
            break;
    return (enum sp_option)i;
}

void sp_arguments_add(struct sp_arguments *a, const char *word)
{
    if (a->n > SP_MOST_ARGUMENTS)
        return;
    char *copy = a->n < SP_MOST_ARGUMENTS ? strdup(word) : NULL;
    if (copy)
        a->word[a->n++] = copy;
    else {
        sp_arguments_free(a);
        a->n = SP_MOST_ARGUMENTS + 1;
    }
}

void sp_arguments_free(struct sp_arguments *a)
{
    for (int i = 0; i < a->n && i < SP_MOST_ARGUMENTS; i++)
        free(a->word[i]);
    memset(a, 0, sizeof *a);
}

char *sp_arguments_text(const struct sp_arguments *a, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < a->n && i < SP_MOST_ARGUMENTS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "", a->word[i]);
    return text;
}

/* A text as it is, a number with the digits that it needs, true or false; "" for null. */
static char *value_text(const json_t *value, char *text, size_t size)
{
    const double x = json_number_value(value);
    text[0] = '\0';
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_boolean(value))
        snprintf(text, size, "%s", json_is_true(value) ? "true" : "false");
    else if (json_is_number(value) && snprintf(text, size, "%.15g", x) > 0 && strtod(text, NULL) != x)
        snprintf(text, size, "%.17g", x);
    return text;
}

static bool is_known(const char *field)
{
    return sp_request_option(field) < SP_N_OPTIONS || strcmp(field, "version") == 0;
}

static enum sp_status check(const struct sp_record *r, const json_t *request, struct sp_error *err)
{
    const char *field, *bytes = sp_words_text(r, SP_F_CONFIG_BYTES, "");
    json_t *value;
    if (!json_is_object(request) || sp_record_node(r, SP_F_SWEEP))
        return sp_fail(err, SP_INPUT, NULL, "the record does not say what was asked for");
    if (json_integer_value(json_object_get(request, "version")) != REQUEST_VERSION)
        return sp_fail(err, SP_INPUT, "take a newer version of spmodel",
                       "the record's request is of a version that is not known here");
    json_object_foreach((json_t *)request, field, value)
    {
        if (!is_known(field) && !json_is_null(value))
            return sp_fail(err, SP_INPUT, "take a newer version of spmodel",
                           "the record's request has '%s', which is not known here", field);
    }
    if (!json_is_object(sp_record_node(r, SP_F_ENV)) || strcmp(bytes, "replay") == 0)
        return sp_fail(err, SP_INPUT, NULL, "its run was recorded elsewhere, not made by spmodel analyze");
    return SP_OK;
}

/* The source of bytes that the record has: another one would be another metric. */
static const char *byte_source(const struct sp_record *r, bool on_gpu)
{
    const char *bytes = sp_words_text(r, SP_F_CONFIG_BYTES, "sim");
    return on_gpu && strcmp(bytes, "cupti") != 0 ? "sim" : bytes;
}

/* An option without value, by what the record says: a word, or how many entries it left out. */
static bool was_given(const struct sp_run_option *o, const char *text)
{
    return *o->otherwise ? strcmp(text, o->otherwise) == 0 : strtod(text, NULL) > 0;
}

/* As it was given, if it was, without what equals its default or may not go to a GPU. */
static void add_option(struct sp_arguments *a, const struct sp_record *r, enum sp_option option, bool on_gpu)
{
    const struct sp_run_option *o = &sp_run_options[option];
    const char *op = sp_words_text(r, SP_F_REQUEST_OP, "spmv");
    char text[1024];
    if (!sp_option_field(option) || (on_gpu && !(o->bits & SP_ON_GPU)))
        return;
    value_text(sp_record_node(r, sp_option_field(option)), text, sizeof text);
    if (option == SP_OPTION_BYTES)
        snprintf(text, sizeof text, "%s", byte_source(r, on_gpu));
    if (option == SP_OPTION_RHS && strcmp(op, "spmv") == 0)
        text[0] = '\0';
    if (option == SP_OPTION_RHS && strcmp(op, "spmmv") != 0)
        o = &sp_run_options[SP_OPTION_INNER];
    if (!*text || (o->argument ? strcmp(text, o->otherwise) == 0 : !was_given(o, text)))
        return;
    sp_arguments_add(a, o->typed);
    if (o->argument)
        sp_arguments_add(a, text);
}

enum sp_status sp_record_request_arguments(const struct sp_record *r, const char *matrix,
                                           struct sp_arguments *a, struct sp_error *err)
{
    const json_t *request = sp_record_node(r, SP_F_REQUEST);
    const enum sp_status status = check(r, request, err);
    char text[1024];
    if (status != SP_OK)
        return status;
    const bool on_gpu = strcmp(value_text(json_object_get(request, "device"), text, sizeof text), "cpu") != 0;
    sp_arguments_add(a, "analyze");
    sp_arguments_add(a, matrix);
    for (int i = 0; i < SP_N_OPTIONS; i++)
        add_option(a, r, (enum sp_option)i, on_gpu);
    return a->n <= SP_MOST_ARGUMENTS ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for a command line");
}

enum { MOST_SECRETS = 6, SHORT_HASH = 12 };
static const char analyze_words[] = "spmodel analyze ";

/* What is replaced in all texts, longest first where one contains another. */
struct secrets {
    int n;
    struct secret {
        char text[1100];
        const char *instead;
        bool is_bare; /* a word like any other: replaced in sentences, never where a code stands alone */
    } of[MOST_SECRETS];
    char matrix[64], machine[32];
    bool renamed; /* the matrix has a name to hide */
};

static void short_hash(const char *text, char hash[SHORT_HASH + 1])
{
    struct sp_sha256 s;
    char hex[65];
    sp_sha256_start(&s);
    sp_sha256_add(&s, text, strlen(text));
    sp_sha256_finish(&s, hex);
    snprintf(hash, SHORT_HASH + 1, "%.*s", (int)SHORT_HASH, hex);
}

/* Below this a secret may be any word: "a", "L3". */
enum { PLAIN_LENGTH = 3 };

static void add_secret(struct secrets *s, const char *text, const char *instead, bool is_bare)
{
    if (!text || !*text || s->n == MOST_SECRETS)
        return;
    struct secret *one = &s->of[s->n++];
    snprintf(one->text, sizeof one->text, "%s", text);
    one->instead = instead;
    one->is_bare = is_bare || strlen(text) < PLAIN_LENGTH;
}

static void find_secrets(const struct sp_record *r, struct secrets *s)
{
    const char *path = sp_words_text(r, SP_F_PROBLEM_PATH, ""),
               *name = sp_words_text(r, SP_F_PROBLEM_NAME, "");
    const char *sha = sp_words_text(r, SP_F_PROBLEM_SHA256, ""), *slash = strrchr(path, '/');
    const char *file = sp_words_text(r, SP_F_REQUEST_MACHINE, ""),
               *host = sp_words_text(r, SP_F_ENV_DETAIL_HOST, "");
    int64_t rows = 0, cols = 0, nnz = 0;
    sp_record_count(r, SP_F_PROBLEM_ROWS, &rows);
    sp_record_count(r, SP_F_PROBLEM_COLS, &cols);
    sp_record_count(r, SP_F_PROBLEM_NNZ, &nnz);
    s->renamed = *name && strncmp(name, "gen:", 4) != 0;
    if (*sha)
        snprintf(s->matrix, sizeof s->matrix, "matrix-%.12s", sha);
    else
        snprintf(s->matrix, sizeof s->matrix, "matrix-%lldx%lld-%lld", (long long)rows, (long long)cols,
                 (long long)nnz);
    snprintf(s->machine, sizeof s->machine, "machine-%.8s", sp_words_text(r, SP_F_ENV_KEY, "unknown"));
    if (s->renamed) {
        add_secret(s, path, s->matrix, false);
        add_secret(s, slash ? slash + 1 : NULL, s->matrix, false);
        add_secret(s, name, s->matrix, true);
    }
    if (strpbrk(file, "/.")) { /* the user's own file, not one of the described machines */
        add_secret(s, file, s->machine, false);
        add_secret(s, sp_words_text(r, SP_F_MACHINE_NAME, ""), s->machine, false);
    }
    add_secret(s, host, "(host)", false);
}

/* May not be a part of a longer word: a host "n1" is not in "n12". */
static bool is_word_end(char c)
{
    return !isalnum((unsigned char)c) && c != '_';
}

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

/* Does the secret stand at p? A single letter only where it is quoted. */
static bool stands_at(const char *text, const char *p, const struct secret *secret, size_t n)
{
    if (strncmp(p, secret->text, n) != 0)
        return false;
    if (n == 1)
        return p > text && is_quote(p[-1]) && is_quote(p[1]);
    return (p == text || is_word_end(p[-1])) && is_word_end(p[n]);
}

static void put_replaced(FILE *out, const char *text, const struct secret *secret)
{
    const size_t n = strlen(secret->text);
    if (secret->is_bare && !strchr(text, ' ')) {
        fputs(text, out);
        return;
    }
    for (const char *p = text; *p;) {
        if (stands_at(text, p, secret, n)) {
            fputs(secret->instead, out);
            p += n;
        } else {
            fputc(*p++, out);
        }
    }
}

/* Of the system, the same everywhere: remedies name files there. */
static bool is_system_path(const char *p)
{
    static const char *const known[] = {"/proc/", "/sys/", "/dev/", "/usr/", "/etc/"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(p, known[i], strlen(known[i])) == 0)
            return true;
    return false;
}

/* Absolute paths: a slash at the start of a word, with a name behind it. */
static void put_without_paths(FILE *out, const char *text, const struct secret *unused)
{
    (void)unused;
    for (const char *p = text; *p;) {
        const bool starts = p == text || strchr(" \t'\"=(:,", p[-1]);
        if (*p == '/' && starts && (isalnum((unsigned char)p[1]) || p[1] == '.' || p[1] == '_') &&
            !is_system_path(p)) {
            fputs("(path)", out);
            const bool quoted = p > text && is_quote(p[-1]);
            p += quoted ? strcspn(p, "'\"") : strcspn(p, " \t'\",);");
        } else {
            fputc(*p++, out);
        }
    }
}

/* The matrix is the first word of a command that hints propose, in quotes where it needs them, cut
 * off where the command was too long. */
static void put_command(FILE *out, const char *text, const struct secret *matrix)
{
    const size_t n = sizeof analyze_words - 1;
    if (strncmp(text, analyze_words, n) != 0) {
        fputs(text, out);
        return;
    }
    bool quoted = false;
    const char *p = text + n;
    for (; *p && (quoted || *p != ' '); p++)
        if (*p == '\'')
            quoted = !quoted;
        else if (*p == '\\' && !quoted && p[1])
            p++;
    fprintf(out, "%s%s%s", analyze_words, matrix->instead, p);
}

/* The text as `put` writes it; the old one is freed. NULL: no memory. */
static char *rewritten(char *text, void (*put)(FILE *, const char *, const struct secret *),
                       const struct secret *secret)
{
    char *now = NULL;
    size_t size = 0;
    FILE *out = text ? open_memstream(&now, &size) : NULL;
    if (out)
        put(out, text, secret);
    free(text);
    if (out && fclose(out) == 0)
        return now;
    free(now);
    return NULL;
}

static json_t *cleaned(const char *old, const struct secrets *s)
{
    const struct secret matrix = {.instead = s->matrix};
    char *text = strdup(old);
    if (s->renamed)
        text = rewritten(text, put_command, &matrix);
    for (int i = 0; i < s->n; i++)
        text = rewritten(text, put_replaced, &s->of[i]);
    text = rewritten(text, put_without_paths, NULL);
    json_t *string = text ? json_string(text) : NULL;
    free(text);
    return string;
}

/* Every text below a node, which is an object or an array. */
static bool clean_below(json_t *node, const struct secrets *s)
{
    const char *key;
    void *next;
    json_t *value;
    size_t i;
    bool good = true;
    if (json_is_array(node))
        json_array_foreach(node, i, value)
        {
            if (json_is_string(value))
                good = json_array_set_new(node, i, cleaned(json_string_value(value), s)) == 0 && good;
            else
                good = clean_below(value, s) && good;
        }
    else if (json_is_object(node))
        json_object_foreach_safe(node, next, key, value)
        {
            if (json_is_string(value))
                good = json_object_set_new(node, key, cleaned(json_string_value(value), s)) == 0 && good;
            else
                good = clean_below(value, s) && good;
        }
    return good;
}

/* The same new id for the same old one, so that `confirms` still names its record. */
static void rename_id(struct sp_record *r, enum sp_record_field field, const struct secrets *s)
{
    const char *id = sp_words_text(r, field, "");
    const size_t n = strlen(id);
    char hash[SHORT_HASH + 1], now[160];
    if (n == 0 && field != SP_F_ID)
        return;
    short_hash(id, hash);
    if (n > 26 && id[16] == '-' && id[n - 9] == '-')
        snprintf(now, sizeof now, "%.16s-%s-%s", id, s->matrix, id + n - 8);
    else
        snprintf(now, sizeof now, "19700101T000000Z-%s-%.8s", s->matrix, hash);
    sp_record_set_text(r, field, now);
}

static json_t *object_of(const struct sp_record *r, enum sp_record_field field)
{
    const char *path = sp_field_path(field), *dot = strrchr(path, '.');
    char object[128];
    if (!dot)
        return r->root;
    snprintf(object, sizeof object, "%.*s", (int)(dot - path), path);
    return (json_t *)sp_record_node_at(r, object);
}

static void hash_text(struct sp_record *r, enum sp_record_field field)
{
    const char *old = sp_words_text(r, field, NULL);
    char hash[SHORT_HASH + 1], text[SHORT_HASH + 8];
    if (!old)
        return;
    short_hash(old, hash);
    snprintf(text, sizeof text, "anon-%s", hash);
    sp_record_set_text(r, field, text);
}

/* What the field's row says; once more (`done`) what may have come since, which a campaign adds. */
static void mask(struct sp_record *r, enum sp_record_field field, const struct secrets *s, bool done)
{
    const enum sp_mask how = sp_record_fields[field].mask;
    json_t *object = how != SP_MASK_NAMES ? object_of(r, field) : NULL;
    switch (how) {
    case SP_MASK_OUT:
        json_object_del(object, sp_field_key(field));
        break;
    case SP_MASK_AGAIN:
        if (!done)
            json_object_del(object, sp_field_key(field));
        break;
    case SP_MASK_NULL:
        if (object)
            sp_record_set_object(r, field, json_null());
        break;
    case SP_MASK_HASH:
        if (!done)
            hash_text(r, field);
        break;
    case SP_MASK_ID:
        if (s->renamed)
            rename_id(r, field, s);
        break;
    case SP_MASK_NAME:
        if (s->renamed)
            sp_record_set_text(r, field, s->matrix);
        break;
    case SP_MASK_PATH:
        if (s->renamed)
            sp_record_set_object(r, field, json_null());
        break;
    case SP_MASK_COMMAND: /* when all else is done */
    case SP_MASK_NAMES:
        break;
    }
}

/* What was asked for, said again without names of files. */
static void say_command(struct sp_record *r)
{
    struct sp_arguments a = {0};
    char text[2000] = "";
    const char *name = sp_words_text(r, SP_F_PROBLEM_NAME, "MATRIX");
    sp_arguments_add(&a, "spmodel");
    if (sp_record_request_arguments(r, name, &a, NULL) == SP_OK)
        sp_arguments_text(&a, text, sizeof text);
    else
        snprintf(text, sizeof text, "spmodel %s %s", sp_record_node(r, SP_F_SWEEP) ? "sweep" : "analyze",
                 name);
    sp_record_set_text(r, SP_F_COMMAND, text);
    sp_arguments_free(&a);
}

/* All that is done once. */
static bool clean_all(struct sp_record *r, const struct secrets *s)
{
    const bool good = clean_below(r->root, s);
    if (sp_record_node(r, SP_F_COMMAND))
        say_command(r);
    sp_record_set_flag(r, SP_F_ANONYMOUS, true);
    return good;
}

enum sp_status sp_record_anonymise(struct sp_record *r, struct sp_error *err)
{
    bool done = false;
    struct secrets *s = calloc(1, sizeof *s);
    if (!s)
        return sp_fail(err, SP_MEMORY, NULL, "no memory to make the record anonymous");
    find_secrets(r, s);
    sp_record_flag(r, SP_F_ANONYMOUS, &done);
    for (int i = SP_F_NONE + 1; i < SP_N_FIELDS; i++)
        mask(r, (enum sp_record_field)i, s, done);
    const bool good = (done || clean_all(r, s)) && !r->failed;
    free(s);
    return good ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory to make the record anonymous");
}
