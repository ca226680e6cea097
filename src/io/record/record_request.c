#include "io/record/record_request.h"

#include <stdlib.h>
#include <string.h>

#include "io/record/record_words.h"

enum { REQUEST_VERSION = 1 };

/* The option of each field of a request whose value is the option's. A field that equals `otherwise` is left
 * out: it is the option's default, and on a GPU it may not be given. */
static const struct {
    const char *field, *option, *otherwise;
    bool on_gpu; /* may be given there */
} options[] = {
    {"op", "--op", "spmv", true},
    {"order", "--order", "row", true},
    {"format", "--format", "crs", true},
    {"schedule", "--schedule", "nnz", false},
    {"precision", "--precision", "", true},
    {"index", "--index", "i32", true},
    {"prefetch", "--prefetch", "0", true},
    {"threads", "--threads", "0", false},
    {"isa", "--isa", "", true},
    {"store", "--store", "auto", false},
    {"pages", "--pages", "huge", false},
    {"between", "--between", "", false},
    {"reorder", "--reorder", "none", true},
    {"skew", "--sim-skew", "0", false},
    {"policy", "--sim-policy", "", false},
    {"llc", "--sim-llc", "0", false},
    {"machine", "--machine", "", true},
    {"device", "--device", "cpu", true},
};
/* Fields that are looked at one by one. */
static const char *const others[] = {"version", "width", "pin", "state"};

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

static void add_two(struct sp_arguments *a, const char *option, const char *value)
{
    sp_arguments_add(a, option);
    sp_arguments_add(a, value);
}

/* A text as it is, a number with the digits that it needs; "" for null. */
static char *value_text(const json_t *value, char *text, size_t size)
{
    const double x = json_number_value(value);
    text[0] = '\0';
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_number(value) && snprintf(text, size, "%.15g", x) > 0 && strtod(text, NULL) != x)
        snprintf(text, size, "%.17g", x);
    return text;
}

static bool is_known(const char *field)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(options[i].field, field) == 0)
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], field) == 0)
            return true;
    return false;
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

static void add_measurement(struct sp_arguments *a, const struct sp_record *r, bool on_gpu)
{
    static const struct {
        const char *path, *option;
        bool on_gpu;
    } counts[] = {{"config.runs", "--runs", false},
                  {"config.max_samples", "--samples", true},
                  {"config.budget_s", "--budget", true},
                  {"config.seed", "--seed", true}};
    char text[64];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if ((!on_gpu || counts[i].on_gpu) &&
            *value_text(sp_record_node(r, counts[i].path), text, sizeof text))
            add_two(a, counts[i].option, text);
    int64_t dropped = 0;
    if (sp_record_count(r, "problem.zeros_dropped", &dropped) && dropped > 0)
        sp_arguments_add(a, "--drop-zeros");
    add_two(a, "--bytes", byte_source(r, on_gpu));
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
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        value_text(json_object_get(request, options[i].field), text, sizeof text);
        if (*text && strcmp(text, options[i].otherwise) != 0 && (!on_gpu || options[i].on_gpu))
            add_two(a, options[i].option, text);
    }
    const char *op = sp_words_text(r, "request.op", "spmv");
    if (strcmp(op, "spmv") != 0 && *value_text(json_object_get(request, "width"), text, sizeof text))
        add_two(a, strcmp(op, "spmmv") == 0 ? "--rhs" : "--inner", text);
    if (json_is_false(json_object_get(request, "pin")) && !on_gpu)
        sp_arguments_add(a, "--no-pin");
    if (strcmp(sp_words_text(r, "request.state", "warm"), "cold") == 0)
        sp_arguments_add(a, "--cold");
    add_measurement(a, r, on_gpu);
    return a->n <= SP_MOST_ARGUMENTS ? SP_OK : sp_fail(err, SP_MEMORY, NULL, "no memory for a command line");
}
