#include "io/record/record_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/option/run_option.h"
#include "io/record/record_words.h"

enum { REQUEST_VERSION = 1 };

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
    return sp_option_of_field(field) < SP_N_OPTIONS || strcmp(field, "version") == 0;
}

static enum sp_status check(const struct sp_record *r, const json_t *request, struct sp_error *err)
{
    const char *field, *bytes = sp_words_text(r, "config.bytes", "");
    json_t *value;
    if (!json_is_object(request) || sp_record_node(r, "sweep"))
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
    if (!json_is_object(sp_record_node(r, "env")) || strcmp(bytes, "replay") == 0)
        return sp_fail(err, SP_INPUT, NULL, "its run was recorded elsewhere, not made by spmodel analyze");
    return SP_OK;
}

/* The source of bytes that the record has: another one would be another metric. */
static const char *byte_source(const struct sp_record *r, bool on_gpu)
{
    const char *bytes = sp_words_text(r, "config.bytes", "sim");
    return on_gpu && strcmp(bytes, "cupti") != 0 ? "sim" : bytes;
}

/* An option without value, by what the record says: a word, or how many entries it left out. */
static bool was_given(const struct sp_run_option *o, const char *text)
{
    return *o->otherwise ? strcmp(text, o->otherwise) == 0 : strtod(text, NULL) > 0;
}

/* As it was given, if it was. What equals its default is left out, as is what may not be given on a
 * GPU. */
static void add_option(struct sp_arguments *a, const struct sp_record *r, enum sp_option option, bool on_gpu)
{
    const struct sp_run_option *o = &sp_run_options[option];
    const char *op = sp_words_text(r, "request.op", "spmv");
    char text[1024];
    if (!o->path || (on_gpu && !(o->bits & SP_ON_GPU)))
        return;
    value_text(sp_record_node(r, o->path), text, sizeof text);
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
    const json_t *request = sp_record_node(r, "request");
    const enum sp_status status = check(r, request, err);
    char text[1024];
    if (status != SP_OK)
        return status;
    const bool on_gpu = strcmp(value_text(json_object_get(request, "device"), text, sizeof text), "gpu") == 0;
    sp_arguments_add(a, "analyze");
    sp_arguments_add(a, matrix);
    for (int i = 0; i < SP_N_OPTIONS; i++)
        add_option(a, r, (enum sp_option)i, on_gpu);
    return a->n <= SP_MOST_ARGUMENTS ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for a command line");
}
