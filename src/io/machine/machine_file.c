#include "io/machine/machine_file.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/files/part_file.h"
#include "model/cache/partition.h"

static bool ends_in_json(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum sp_status sp_machine_file_list(const char *directory, char ***paths, int *n, struct sp_error *err)
{
    *paths = NULL;
    *n = 0;
    DIR *d = opendir(directory);
    if (!d)
        return SP_OK;
    bool failed = false;
    for (struct dirent *entry; !failed && (entry = readdir(d));) {
        if (!ends_in_json(entry->d_name) || entry->d_name[0] == '.')
            continue;
        char **grown = realloc(*paths, (size_t)(*n + 1) * sizeof **paths), *path = NULL;
        if (grown) {
            *paths = grown;
            failed = asprintf(&path, "%s/%s", directory, entry->d_name) < 0;
        }
        failed = failed || !grown;
        if (!failed)
            (*paths)[(*n)++] = path;
    }
    closedir(d);
    if (failed) {
        sp_machine_file_unlist(*paths, *n);
        *paths = NULL;
        *n = 0;
        return sp_fail(err, SP_MEMORY, "free memory", "no memory for the list of machines");
    }
    if (*n > 1)
        sp_sort_by(*paths, *n, sizeof **paths, by_name);
    return SP_OK;
}

void sp_machine_file_unlist(char **paths, int n)
{
    for (int i = 0; i < n; i++)
        free(paths[i]);
    free(paths);
}

/* "a, b, c": the names in all directories, for the error message. */
static void names_of(const char *const *directories, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; directories && directories[i]; i++) {
        char **paths;
        int n;
        if (sp_machine_file_list(directories[i], &paths, &n, NULL) != SP_OK)
            continue;
        for (int k = 0; k < n && used + 80 < size; k++) {
            const char *name = strrchr(paths[k], '/') + 1;
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "",
                                     (int)strlen(name) - 5, name);
        }
        sp_machine_file_unlist(paths, n);
    }
}

/* Machines whose names begin so: how many, the path of the first, and all as ", a, b, " in text. Of
 * two directories that have a name the first counts. */
static int find_by_prefix(const char *prefix, const char *const *directories, char *path, size_t size,
                          char *text, size_t text_size)
{
    int n_found = 0;
    snprintf(text, text_size, ", ");
    for (int i = 0; directories && directories[i]; i++) {
        char **paths;
        int n;
        if (sp_machine_file_list(directories[i], &paths, &n, NULL) != SP_OK)
            continue;
        for (int k = 0; k < n; k++) {
            char name[128];
            const char *file = strrchr(paths[k], '/') + 1;
            snprintf(name, sizeof name, ", %.*s, ", (int)strlen(file) - 5, file);
            size_t used = strlen(text);
            if (strncmp(file, prefix, strlen(prefix)) != 0 || strstr(text, name) ||
                used + sizeof name > text_size)
                continue;
            snprintf(text + used, text_size - used, "%s", name + 2);
            if (n_found++ == 0)
                snprintf(path, size, "%s", paths[k]);
        }
        sp_machine_file_unlist(paths, n);
    }
    return n_found;
}

enum sp_status sp_machine_file_find(const char *name, const char *const *directories, char *path, size_t size,
                                    struct sp_error *err)
{
    path[0] = '\0';
    if (strchr(name, '/') || ends_in_json(name)) {
        if (strlen(name) >= size)
            return sp_fail(err, SP_USAGE, NULL, "the name of the machine file is too long");
        if (access(name, R_OK) != 0)
            return sp_fail_at(err, SP_ABSENT, name, 0, 0,
                              "spmodel machine list names the machines that there are",
                              "the machine file cannot be read");
        snprintf(path, size, "%s", name);
        return SP_OK;
    }
    for (int i = 0; directories && directories[i]; i++) {
        if ((size_t)snprintf(path, size, "%s/%s.json", directories[i], name) < size &&
            access(path, R_OK) == 0)
            return SP_OK;
    }
    char names[480];
    int n = *name ? find_by_prefix(name, directories, path, size, names, sizeof names) : 0;
    if (n == 1)
        return SP_OK;
    path[0] = '\0';
    if (n > 1)
        return sp_fail(err, SP_USAGE, "write more of the name", "several machines begin with '%s': %.*s",
                       name, (int)strlen(names) - 4, names + 2);
    names_of(directories, names, sizeof names);
    return sp_fail(err, SP_ABSENT,
                   "give one of those, a FILE.json, or measure this machine: spmodel machine measure",
                   "no machine is called '%s'; there are: %s", name, *names ? names : "none");
}

/* One cache and one ceiling a line, so that people can read and compare files. */
static const size_t dump_flags =
    JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(10);

static void put_value(json_t *o, struct sp_value v, const char *unit)
{
    json_object_set_new(o, "value", json_real(v.value));
    if (v.lo < v.value || v.hi > v.value) {
        json_object_set_new(o, "lo", json_real(v.lo));
        json_object_set_new(o, "hi", json_real(v.hi));
    }
    json_object_set_new(o, "unit", json_string(unit));
    json_object_set_new(o, "origin", json_string(sp_origin_name(v.origin)));
}

static void put_draws(json_t *effective, const struct sp_cache *c)
{
    json_t *list = json_array();
    for (int i = 0; i < c->n_draws; i++)
        json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:s}", "value", c->draw[i].value, "lo",
                                              c->draw[i].lo, "hi", c->draw[i].hi, "when", c->draw[i].when));
    if (c->n_draws > 0)
        json_object_set_new(effective, "measurements", list);
    else
        json_decref(list);
}

static json_t *cache_object(const struct sp_cache *c)
{
    json_t *o = json_object(), *effective = json_null();
    json_object_set_new(o, "level", json_integer(c->level));
    json_object_set_new(o, "size_B", json_integer(c->size_B));
    json_object_set_new(o, "line_B", json_integer(c->line_B));
    if (c->sector_B > 0)
        json_object_set_new(o, "sector_B", json_integer(c->sector_B));
    json_object_set_new(o, "ways", json_integer(c->ways));
    json_object_set_new(o, "cores_sharing", json_integer(c->cores_sharing));
    json_object_set_new(o, "victim", json_boolean(c->victim));
    json_object_set_new(o, "policy", json_string(sp_policy_name(c->policy)));
    char partition[128];
    if (*sp_partition_cache_text(partition, sizeof partition, c))
        json_object_set_new(o, "partition", json_string(partition));
    if (sp_value_known(c->effective_B)) {
        effective = json_object();
        put_value(effective, c->effective_B, "B");
        put_draws(effective, c);
    }
    json_object_set_new(o, "effective_B", effective);
    if (sp_value_known(c->cycle_B)) {
        json_t *cycle = json_object();
        put_value(cycle, c->cycle_B, "B");
        json_object_set_new(cycle, "law", json_string(sp_keeping_name(c->keeping)));
        json_object_set_new(o, "cycle_B", cycle);
    }
    return o;
}

static json_t *ceiling_object(const struct sp_ceiling *c)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(c->name));
    json_object_set_new(o, "level", json_string(c->level));
    json_object_set_new(o, "precision", json_string(c->precision));
    json_object_set_new(o, "threads", json_integer(c->n_threads));
    json_object_set_new(o, "domains", json_integer(c->n_domains));
    json_object_set_new(o, "mode", json_string(c->mode));
    if (sp_value_known(c->value))
        put_value(o, c->value, sp_ceiling_unit(c));
    else
        json_object_set_new(o, "value", json_null());
    json_object_set_new(o, sp_value_known(c->value) ? "how" : "why", json_string(c->how));
    json_object_set_new(o, "when", json_string(c->when));
    if (c->set_B > 0)
        json_object_set_new(o, "set_B", json_real(c->set_B));
    if (c->n_samples > 0) {
        json_t *samples = json_array();
        for (int64_t i = 0; i < c->n_samples; i++)
            json_array_append_new(samples, json_real(c->sample[i]));
        json_object_set_new(o, "samples", samples);
    }
    return o;
}

static json_t *sourced_object(struct sp_value v, const char *unit, const char *how)
{
    json_t *o = json_object();
    if (sp_value_known(v))
        put_value(o, v, unit);
    else
        json_object_set_new(o, "value", json_null());
    json_object_set_new(o, sp_value_known(v) ? "how" : "why", json_string(how));
    return o;
}

static void put_fitted(json_t *gpu, const char *key, struct sp_value v, const char *unit, const char *how)
{
    if (*how)
        json_object_set_new(gpu, key, sourced_object(v, unit, how));
}

static json_t *lanes_object(const struct sp_gpu_sector_lanes *lanes)
{
    return lanes->origin == SP_NONE
               ? json_pack("{s:n, s:n, s:s}", "lanes_8B", "lanes_16B", "why", lanes->how)
               : json_pack("{s:i, s:i, s:s, s:s}", "lanes_8B", lanes->of_8B, "lanes_16B", lanes->of_16B,
                           "origin", sp_origin_name(lanes->origin), "how", lanes->how);
}

static json_t *gpu_object(const struct sp_gpu_limits *gpu)
{
    json_t *o = json_object();
    json_object_set_new(o, "threads", json_integer(gpu->threads));
    json_object_set_new(o, "blocks", json_integer(gpu->blocks));
    json_object_set_new(o, "registers", json_integer(gpu->registers));
    if (gpu->wave > 32)
        json_object_set_new(o, "wave", json_integer(gpu->wave));
    json_object_set_new(o, "shared_B", json_integer(gpu->shared_B));
    json_object_set_new(o, "block_shared_B", json_integer(gpu->block_shared_B));
    json_object_set_new(o, "source", json_string(gpu->source));
    json_object_set_new(o, "launch_s", sourced_object(gpu->launch_s, "s", gpu->launch_how));
    json_object_set_new(o, "latency_s", sourced_object(gpu->latency_s, "s", gpu->latency_how));
    put_fitted(o, "L2_latency_s", gpu->L2_latency_s, "s", gpu->L2_latency_how);
    put_fitted(o, "wait_s", gpu->wait_s, "s", gpu->wait_how);
    put_fitted(o, "step_s", gpu->step_s, "s", gpu->step_how);
    put_fitted(o, "row_s", gpu->row_s, "s", gpu->row_how);
    put_fitted(o, "crs_share", gpu->crs_share, "1", gpu->crs_how);
    put_fitted(o, "sell_share", gpu->sell_share, "1", gpu->sell_how);
    if (*gpu->sector_lanes.how)
        json_object_set_new(o, "duplicate_sectors", lanes_object(&gpu->sector_lanes));
    return o;
}

static json_t *measured_object(const struct sp_machine_measured *m)
{
    json_t *o = json_pack("{s:s, s:i, s:i, s:i}", "when", m->when, "times", m->n_times, "samples",
                          m->n_samples, "disturbed", m->n_disturbed);
    if (m->core_width > 0)
        json_object_set_new(o, "core_width", json_real(m->core_width));
    if (*m->doubt)
        json_object_set_new(o, "doubt", json_string(m->doubt));
    return o;
}

/* A share or a relative error, or null with the reason. */
static json_t *ratio_object(struct sp_value v, const char *why)
{
    json_t *o = json_object();
    if (sp_value_known(v)) {
        put_value(o, v, "1");
        return o;
    }
    json_object_set_new(o, "value", json_null());
    json_object_set_new(o, "why", json_string(*why ? why : "not known"));
    return o;
}

static json_t *ecm_object(const struct sp_machine_ecm *e)
{
    json_t *o = json_object(), *list = json_array();
    json_object_set_new(o, "overlap", ratio_object(e->overlap, e->how));
    if (sp_value_known(e->overlap))
        json_object_set_new(o, "how", json_string(e->how));
    if (sp_value_known(e->error))
        json_object_set_new(o, "error", ratio_object(e->error, ""));
    for (int i = 0; i < e->n_interfaces; i++) {
        json_t *one = json_object(), *interface = json_object();
        put_value(one, e->interface[i].one_Bps, "B/s");
        json_object_set_new(interface, "level", json_string(e->interface[i].level));
        json_object_set_new(interface, "one_thread", one);
        if (sp_value_known(e->interface[i].write_weight))
            json_object_set_new(interface, "write_weight", ratio_object(e->interface[i].write_weight, ""));
        json_array_append_new(list, interface);
    }
    json_object_set_new(o, "interfaces", list);
    return o;
}

static json_t *numbers(const double *x, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, json_real(x[i]));
    return list;
}

static json_t *unit_object(const struct sp_unit_costs *c)
{
    json_t *o = json_pack("{s:s, s:s, s:i, s:i}", "kernel", c->kernel, "precision", c->precision,
                          "rows_of_chunk", c->C, "threads", c->n_threads);
    if (c->unit_stride)
        json_object_set_new(o, "unit_stride", json_true());
    json_object_set_new(o, "start_s", json_real(c->start_s));
    json_object_set_new(o, "length", numbers(c->length, c->n_lengths));
    json_object_set_new(o, "seconds", numbers(c->seconds, c->n_lengths));
    json_object_set_new(o, "sequence", numbers(c->sequence, c->n_sequences));
    json_object_set_new(o, "surprise_s", numbers(c->surprise_s, c->n_sequences));
    if (c->lo > 0)
        json_object_set_new(o, "lo", json_real(c->lo));
    if (c->hi > 0)
        json_object_set_new(o, "hi", json_real(c->hi));
    if (*c->how)
        json_object_set_new(o, "how", json_string(c->how));
    return o;
}

static json_t *page_object(const struct sp_page_costs *c)
{
    json_t *o = json_pack("{s:b, s:i, s:f}", "huge", c->huge, "threads", c->n_threads, "reach_B", c->reach_B),
           *walk = json_object();
    put_value(walk, c->walk_s, "s");
    json_object_set_new(o, "walk", walk);
    return o;
}

/* Writes and releases a value. */
static bool put(FILE *stream, const char *before, json_t *value)
{
    fputs(before, stream);
    bool good = value && json_dumpf(value, stream, dump_flags) == 0;
    json_decref(value);
    return good;
}

static json_t *validation_object(const struct sp_machine_validation *v)
{
    json_t *o =
        json_pack("{s:i, s:f, s:f, s:f, s:[f,f,f]}", "n", v->n, "mean", v->mean, "mean_abs", v->mean_abs,
                  "most_abs", v->most_abs, "quantiles", v->quantile[0], v->quantile[1], v->quantile[2]);
    json_object_set_new(o, "near", json_integer(v->n_near));
    json_object_set_new(o, "near_right", json_integer(v->n_near_right));
    json_object_set_new(o, "source", json_string(v->source));
    json_object_set_new(o, "when", json_string(v->when));
    json_object_set_new(o, "command", json_string(v->command));
    return o;
}

static bool put_machine(FILE *f, const struct sp_machine *m)
{
    bool good = put(f, "{\n \"schema\": ", json_string("spmodel.machine/1"));
    good &= put(f, ",\n \"name\": ", json_string(m->name));
    good &= put(f, ",\n \"kind\": ", json_string(sp_machine_kind_name(m->kind)));
    good &= put(f, ",\n \"cpu\": ", json_string(m->cpu));
    good &= put(f, ",\n \"source\": ", json_string(m->source));
    if (*m->memory)
        good &= put(f, ",\n \"memory\": ", json_string(m->memory));
    if (*m->note)
        good &= put(f, ",\n \"note\": ", json_string(m->note));
    good &= put(f, ",\n \"env_key\": ", json_string(m->env_key));
    good &= put(f, ",\n \"sockets\": ", json_integer(m->n_sockets));
    good &= put(f, ",\n \"numa\": ", json_integer(m->n_numa));
    good &= put(f, ",\n \"llc_domains\": ", json_integer(m->n_domains));
    good &= put(f, ",\n \"cores\": ", json_integer(m->n_cores));
    good &= put(f, ",\n \"threads_per_core\": ", json_integer(m->threads_per_core));
    good &= put(f, ",\n \"frequency_Hz\": ", json_real(m->frequency_Hz));
    good &= put(f, ",\n \"validated\": ", json_boolean(m->validated));
    if (m->validation.n > 0)
        good &= put(f, ",\n \"validation\": ", validation_object(&m->validation));
    if (*m->measured.when)
        good &= put(f, ",\n \"measured\": ", measured_object(&m->measured));
    if (m->gpu.threads > 0)
        good &= put(f, ",\n \"gpu\": ", gpu_object(&m->gpu));
    if (*m->ecm.how)
        good &= put(f, ",\n \"ecm\": ", ecm_object(&m->ecm));
    for (int i = 0; i < m->n_pages; i++)
        good &= put(f, i ? ",\n  " : ",\n \"pages\": [\n  ", page_object(&m->page[i]));
    if (m->n_pages > 0)
        fputs("\n ]", f);
    for (int i = 0; i < m->n_units; i++)
        good &= put(f, i ? ",\n  " : ",\n \"units\": [\n  ", unit_object(&m->unit[i]));
    fputs(m->n_units > 0 ? "\n ],\n \"caches\": [" : ",\n \"caches\": [", f);
    for (int i = 0; i < m->n_caches; i++)
        good &= put(f, i ? ",\n  " : "\n  ", cache_object(&m->cache[i]));
    fputs("\n ],\n \"ceilings\": [", f);
    for (int i = 0; i < m->n_ceilings; i++)
        good &= put(f, i ? ",\n  " : "\n  ", ceiling_object(&m->ceiling[i]));
    fputs("\n ]\n}\n", f);
    return good && !ferror(f);
}

enum sp_status sp_machine_to_json(const struct sp_machine *machine, char **text, struct sp_error *err)
{
    size_t size;
    *text = NULL;
    FILE *stream = open_memstream(text, &size);
    bool good = stream && put_machine(stream, machine);
    if (stream && fclose(stream) != 0)
        good = false;
    if (good)
        return SP_OK;
    free(*text);
    *text = NULL;
    return sp_fail(err, SP_MEMORY, "free memory; names and texts must be UTF-8",
                   "the machine \"%s\" cannot be put into JSON", machine->name);
}

enum sp_status sp_machine_file_write(const char *path, const struct sp_machine *machine, struct sp_error *err)
{
    char *text;
    enum sp_status status = sp_machine_to_json(machine, &text, err);
    if (status != SP_OK)
        return status;
    struct sp_atomic_file file;
    status = sp_atomic_open(path, &file, err);
    if (status == SP_OK) {
        fputs(text, file.stream);
        status = sp_atomic_commit(&file, err);
    }
    free(text);
    return status;
}
