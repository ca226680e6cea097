#include "lab/lab_results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum sp_status read_one(const struct sp_lab_folder *folder, struct sp_lab_result *result,
                               struct sp_error *err)
{
    char path[1200];
    sp_lab_record_path(folder, result->run, path, sizeof path);
    if (result->skipped || (access(path, F_OK) != 0 && errno == ENOENT))
        return SP_OK;
    return sp_lab_load(path, JSON_OBJECT, "spmodel lab run writes it again", &result->root, err);
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

const json_t *sp_lab_result_of(const struct sp_lab_results *results, const char *run)
{
    const struct sp_lab_result *r = find(results, run);
    return r ? r->root : NULL;
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

enum sp_status sp_lab_results_field(void *context, const char *run, const char *path, struct sp_quantity *out,
                                    struct sp_error *err)
{
    const struct sp_lab_result *r = find(context, run);
    if (!r)
        return sp_fail(err, SP_INPUT, NULL, "the lab has no run '%s'", run);
    if (r->skipped)
        return sp_fail(err, SP_SKIPPED, NULL, "%s", r->skipped);
    if (!r->root)
        return sp_fail(err, SP_UNDECIDED, "spmodel lab run", "the run '%s' has left nothing yet", run);
    const json_t *node = sp_lab_node(r->root, path), *value = json_object_get(node, "value");
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
    const char *why = json_string_value(json_object_get(node, "why"));
    return sp_fail(err, SP_UNDECIDED, NULL, "'%s' of the run '%s' is unknown%s%s", path, run, why ? ": " : "",
                   why ? why : "");
}
