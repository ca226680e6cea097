#include "io/attach/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/files/input_file.h"
#include "io/json_text.h"

static const char schema[] = "spmodel.messages/1";
enum { MOST_RANKS = 1 << 20 };

static const char *const kind_name[SP_N_MESSAGE_KINDS] = {"message", "persistent", "neighbour", "one-sided"};

const char *sp_message_kind_name(enum sp_message_kind kind)
{
    return kind_name[kind];
}

void sp_message_counts_free(struct sp_message_counts *m)
{
    for (int64_t i = 0; i < m->n_phases; i++)
        free(m->phase[i].pair);
    free(m->phase);
    free(m->host);
    memset(m, 0, sizeof *m);
}

static enum sp_status fail(const char *path, const char *what, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, path, 0, 0, "give the record that libspmodel-pmpi.so wrote",
                      "this is no record of messages: %s", what);
}

/* A whole number from 0 to `most`; -1: it is none. */
static int64_t count_of(const json_t *o, const char *key, int64_t most)
{
    const json_t *value = json_object_get(o, key);
    const json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
    return n >= 0 && n <= most ? (int64_t)n : -1;
}

static void copy_text(char *to, size_t size, const json_t *text)
{
    snprintf(to, size, "%s", json_is_string(text) ? json_string_value(text) : "");
}

static int by_place(const void *left, const void *right)
{
    const struct sp_message_pair *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static bool take_pair(const json_t *o, int n_ranks, struct sp_message_pair *pair)
{
    const char *kind = json_string_value(json_object_get(o, "kind"));
    int k = 0;
    while (k < SP_N_MESSAGE_KINDS && (!kind || strcmp(kind, kind_name[k]) != 0))
        k++;
    *pair = (struct sp_message_pair){.from = (int32_t)count_of(o, "from", n_ranks - 1),
                                     .to = (int32_t)count_of(o, "to", n_ranks - 1),
                                     .kind = (enum sp_message_kind)k,
                                     .messages = count_of(o, "messages", INT64_C(1) << 53),
                                     .bytes = count_of(o, "bytes", INT64_C(1) << 53)};
    return k < SP_N_MESSAGE_KINDS && pair->from >= 0 && pair->to >= 0 && pair->messages >= 0 &&
           pair->bytes >= 0;
}

/* Equal ones, of which one was put and the other fetched, become one. */
static void join(struct sp_message_phase *p)
{
    int64_t n = 0;
    sp_sort_by(p->pair, p->n_pairs, sizeof *p->pair, by_place);
    for (int64_t i = 0; i < p->n_pairs; i++) {
        if (n > 0 && by_place(&p->pair[n - 1], &p->pair[i]) == 0) {
            p->pair[n - 1].messages += p->pair[i].messages;
            p->pair[n - 1].bytes += p->pair[i].bytes;
        } else {
            p->pair[n++] = p->pair[i];
        }
    }
    p->n_pairs = n;
}

static enum sp_status take_phase(const json_t *o, const char *path, int n_ranks, struct sp_message_phase *p,
                                 struct sp_error *err)
{
    const json_t *pairs = json_object_get(o, "pairs");
    void *memory;
    p->level = count_of(o, "phase", INT32_MAX);
    p->collective_calls = count_of(o, "collective_calls", INT64_C(1) << 53);
    copy_text(p->inside, sizeof p->inside, json_object_get(o, "inside"));
    if (p->level < 0 || p->collective_calls < 0 || !json_is_array(pairs))
        return fail(path, "a phase is not as it should be", err);
    const enum sp_status status =
        sp_new_array((int64_t)json_array_size(pairs), sizeof *p->pair, "pairs of ranks", &memory, err);
    if (status != SP_OK)
        return status;
    p->pair = memory;
    for (size_t i = 0; i < json_array_size(pairs); i++)
        if (!take_pair(json_array_get(pairs, i), n_ranks, &p->pair[p->n_pairs++]))
            return fail(path, "a pair of ranks is not as it should be", err);
    join(p);
    return SP_OK;
}

static int by_level(const void *left, const void *right)
{
    const struct sp_message_phase *a = left, *b = right;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return strcmp(a->inside, b->inside);
}

static enum sp_status take_all(const json_t *root, const char *path, struct sp_message_counts *m,
                               struct sp_error *err)
{
    const char *form = json_string_value(json_object_get(root, "schema"));
    const json_t *hosts = json_object_get(root, "hosts"), *phases = json_object_get(root, "phases");
    void *memory;
    if (!form || strcmp(form, schema) != 0)
        return fail(path, "its schema is not spmodel.messages/1", err);
    m->n_ranks = (int)count_of(root, "ranks", MOST_RANKS);
    m->n_incomplete = (int)count_of(root, "ranks_incomplete", MOST_RANKS);
    copy_text(m->program, sizeof m->program, json_object_get(root, "program"));
    copy_text(m->begun, sizeof m->begun, json_object_get(root, "begun"));
    if (m->n_ranks < 1 || m->n_incomplete < 0 || !json_is_array(hosts) || !json_is_array(phases) ||
        json_array_size(hosts) != (size_t)m->n_ranks)
        return fail(path, "its ranks are not as they should be", err);
    enum sp_status status = sp_new_array(m->n_ranks, sizeof *m->host, "names of nodes", &memory, err);
    m->host = memory;
    for (int r = 0; r < m->n_ranks && status == SP_OK; r++)
        copy_text(m->host[r], sizeof m->host[r], json_array_get(hosts, (size_t)r));
    if (status == SP_OK) {
        status = sp_new_array((int64_t)json_array_size(phases), sizeof *m->phase, "phases", &memory, err);
        m->phase = memory;
    }
    for (size_t i = 0; status == SP_OK && i < json_array_size(phases); i++)
        status = take_phase(json_array_get(phases, i), path, m->n_ranks, &m->phase[m->n_phases++], err);
    if (status == SP_OK)
        sp_sort_by(m->phase, m->n_phases, sizeof *m->phase, by_level);
    return status;
}

enum sp_status sp_message_counts_take(const json_t *root, const char *path, struct sp_message_counts *m,
                                      struct sp_error *err)
{
    memset(m, 0, sizeof *m);
    const enum sp_status status = take_all(root, path, m, err);
    if (status != SP_OK)
        sp_message_counts_free(m);
    return status;
}

enum sp_status sp_message_counts_read(const char *path, struct sp_message_counts *m, struct sp_error *err)
{
    json_t *root;
    memset(m, 0, sizeof *m);
    enum sp_status status =
        sp_input_json(path, SP_INPUT_MOST_B, "give the record that libspmodel-pmpi.so wrote", &root, err);
    if (status != SP_OK)
        return status;
    status = sp_message_counts_take(root, path, m, err);
    json_decref(root);
    return status;
}

json_t *sp_message_counts_json(const struct sp_message_counts *m)
{
    json_t *root = json_object(), *hosts = json_array(), *phases = json_array();
    json_object_set_new(root, "schema", json_string(schema));
    json_object_set_new(root, "program", sp_json_string(m->program));
    json_object_set_new(root, "begun", sp_json_string(m->begun));
    json_object_set_new(root, "ranks", json_integer(m->n_ranks));
    json_object_set_new(root, "ranks_incomplete", json_integer(m->n_incomplete));
    for (int r = 0; r < m->n_ranks; r++)
        json_array_append_new(hosts, sp_json_string(m->host[r]));
    json_object_set_new(root, "hosts", hosts);
    for (int64_t i = 0; i < m->n_phases; i++) {
        const struct sp_message_phase *p = &m->phase[i];
        json_t *o = json_object(), *pairs = json_array();
        json_object_set_new(o, "phase", json_integer(p->level));
        if (*p->inside)
            json_object_set_new(o, "inside", sp_json_string(p->inside));
        for (int64_t k = 0; k < p->n_pairs; k++)
            json_array_append_new(
                pairs, json_pack("{s:i, s:i, s:s, s:I, s:I}", "from", (int)p->pair[k].from, "to",
                                 (int)p->pair[k].to, "kind", kind_name[p->pair[k].kind], "messages",
                                 (json_int_t)p->pair[k].messages, "bytes", (json_int_t)p->pair[k].bytes));
        json_object_set_new(o, "pairs", pairs);
        json_object_set_new(o, "collective_calls", json_integer(p->collective_calls));
        json_array_append_new(phases, o);
    }
    json_object_set_new(root, "phases", phases);
    return root;
}
