#include "lab/lab_bind.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* SHA-256 of the predictions that are not late, as compact JSON; false: no memory. */
static bool digest_of(const json_t *predictions, char hex[65])
{
    size_t i;
    json_t *item, *list = json_array();
    json_array_foreach((json_t *)predictions, i, item)
    {
        if (!json_is_true(json_object_get(item, "late")))
            json_array_append(list, item);
    }
    char *text = json_dumps(list, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(list);
    if (!text)
        return false;
    struct sp_sha256 s;
    sp_sha256_start(&s);
    sp_sha256_add(&s, text, strlen(text));
    sp_sha256_finish(&s, hex);
    free(text);
    return true;
}

/* The value that was predicted in time, NULL: none. */
static json_t *value_in_time(const json_t *predictions, const char *question)
{
    const json_t *p = sp_lab_prediction(predictions, question);
    return p && !json_is_true(json_object_get(p, "late")) ? json_object_get(p, "value") : NULL;
}

static const json_t *bound(const struct sp_lab_folder *folder)
{
    return json_object_get(folder->state, "bound");
}

enum sp_status sp_lab_bind(struct sp_lab_folder *folder, struct sp_error *err)
{
    char hex[65], now[32];
    size_t i;
    json_t *question, *values, *given_up;
    if (bound(folder) || sp_lab_has_run(folder))
        return SP_OK;
    if (!digest_of(folder->predictions, hex))
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for the digest of predictions");
    values = json_object();
    given_up = json_array();
    json_array_foreach(json_object_get(folder->lab.root, "questions"), i, question)
    {
        const char *id = sp_lab_text(question, "id");
        json_t *value = value_in_time(folder->predictions, id);
        if (value)
            json_object_set(values, id, value);
        else
            json_array_append_new(given_up, json_string(id));
    }
    sp_lab_now(now);
    json_object_set_new(folder->state, "bound",
                        json_pack("{s:s, s:s, s:o, s:o}", "time", now, "sha256", hex, "values", values,
                                  "given_up", given_up));
    return sp_lab_folder_save(folder, err);
}

static bool is_given_up(const struct sp_lab_folder *folder, const char *question)
{
    size_t i;
    json_t *id;
    json_array_foreach(json_object_get(bound(folder), "given_up"), i, id)
    {
        if (json_is_string(id) && strcmp(json_string_value(id), question) == 0)
            return true;
    }
    return false;
}

struct sp_lab_bound sp_lab_bound_of(const struct sp_lab_folder *folder, const char *question)
{
    struct sp_lab_bound b = {.given_up = is_given_up(folder, question),
                             .was = json_object_get(json_object_get(bound(folder), "values"), question)};
    const json_t *now = value_in_time(folder->predictions, question);
    b.changed = bound(folder) && !folder->fault[0] && (b.was ? !now || !json_equal(b.was, now) : now != NULL);
    return b;
}

int sp_lab_n_given_up(const struct sp_lab_folder *folder, int *n_late)
{
    size_t i;
    json_t *id;
    const json_t *list = json_object_get(bound(folder), "given_up");
    *n_late = 0;
    json_array_foreach((json_t *)list, i, id)
    {
        *n_late += json_is_string(id) && sp_lab_prediction(folder->predictions, json_string_value(id));
    }
    return (int)json_array_size(list);
}

bool sp_lab_is_bound(const struct sp_lab_folder *folder)
{
    return json_is_string(json_object_get(bound(folder), "sha256")) &&
           json_is_object(json_object_get(bound(folder), "values"));
}

bool sp_lab_is_as_bound(const struct sp_lab_folder *folder)
{
    char hex[65];
    const char *noted = json_string_value(json_object_get(bound(folder), "sha256"));
    return !noted || folder->fault[0] || !digest_of(folder->predictions, hex) || strcmp(hex, noted) == 0;
}
