#include "track/store/index.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "io/files/input_file.h"
#include "track/store/remembered.h"
#include "track/store/skim.h"

static int64_t modified_ns(const struct stat *facts)
{
    return (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
}

static int compare_path(const void *path, const void *one)
{
    return strcmp(path, ((const struct sp_remembered *)one)->path);
}

/* Can its bytes be read? If not, that may pass: permissions, a server that is away. */
static bool can_be_read(const char *path)
{
    char block[4096];
    FILE *f;
    if (sp_input_open(path, &f, NULL) != SP_OK)
        return false;
    while (fread(block, 1, sizeof block, f) == sizeof block)
        ;
    const bool good = !ferror(f);
    fclose(f);
    return good;
}

/* An entry, or why there is none; what is no record is remembered, what could not be read is read again. */
static void read_record(struct sp_remembered *one)
{
    struct sp_record record = {0};
    struct sp_error err;
    if (sp_record_skim(one->path, &record, &err) == SP_OK)
        sp_entry_of(&record, &one->entry);
    else
        snprintf(one->why, sizeof one->why, "%.255s", err.what);
    if (one->why[0] && !can_be_read(one->path))
        one->modified_ns = -1; /* the time of no file */
    sp_record_free(&record);
}

struct merging {
    const struct sp_record_paths *paths;
    size_t of_store; /* length of the store's name, however it was typed: the rest of a path is remembered */
    struct sp_remembered *old, *now; /* now [paths->n] */
    int64_t n_old, n_read;
};

/* What is remembered of a file that has not changed since; the others are marked by size_B -1. */
static void recall(struct merging *m)
{
    for (int i = 0; i < m->paths->n; i++) {
        struct stat facts;
        struct sp_remembered *one = &m->now[i];
        const char *name = m->paths->path[i] + m->of_store;
        const struct sp_remembered *was =
            m->n_old > 0 ? bsearch(name, m->old, (size_t)m->n_old, sizeof *m->old, compare_path) : NULL;
        one->path = m->paths->path[i];
        if (stat(one->path, &facts) != 0) {
            one->size_B = -1;
            continue;
        }
        if (was && was->modified_ns == modified_ns(&facts) && was->size_B == facts.st_size) {
            one->entry = was->entry;
            memcpy(one->why, was->why, sizeof one->why);
        } else {
            one->entry.id[0] = '\0';
            one->entry.n_runs = -1; /* to be read */
            m->n_read++;
        }
        one->modified_ns = modified_ns(&facts);
        one->size_B = facts.st_size;
    }
}

static enum sp_status read_new(struct merging *m, const struct sp_progress *progress, struct sp_error *err)
{
    int64_t done = 0;
    bool stopped = false;
#pragma omp parallel for schedule(dynamic, 16) shared(done, stopped)
    for (int i = 0; i < m->paths->n; i++) {
        struct sp_remembered *one = &m->now[i];
        bool skip;
#pragma omp atomic read
        skip = stopped;
        if (skip || one->entry.n_runs != -1)
            continue;
        one->entry.n_runs = 0;
        read_record(one);
        int64_t now;
#pragma omp atomic capture
        now = ++done;
        if (omp_get_thread_num() == 0) {
            sp_progress_step(progress, "reading records", (double)now / (double)m->n_read);
            if (sp_progress_interrupted(progress)) {
#pragma omp atomic write
                stopped = true;
            }
        }
    }
    return stopped ? sp_fail(err, SP_INTERRUPTED, NULL, "interrupted while reading records") : SP_OK;
}

static int by_start(const void *a, const void *b)
{
    const struct sp_remembered *x = a, *y = b;
    return sp_entry_order(&x->entry, &y->entry);
}

/* The list is in the order of its paths. */
static enum sp_status remember(const char *cache, struct merging *m, struct sp_error *err)
{
    for (int i = 0; i < m->paths->n; i++)
        m->now[i].path += m->of_store;
    const enum sp_status status = sp_remembered_write(cache, m->now, m->paths->n, err);
    for (int i = 0; i < m->paths->n; i++)
        m->now[i].path -= m->of_store;
    return status;
}

/* The entries and the files that are none into the index. */
static enum sp_status fill(struct sp_index *index, struct sp_remembered *list, int n, struct sp_error *err)
{
    const size_t most = (size_t)(n > 0 ? n : 1);
    sp_sort_by(list, n, sizeof *list, by_start);
    index->entry = calloc(most, sizeof *index->entry);
    index->path = calloc(most, sizeof *index->path);
    index->bad = calloc(most, sizeof *index->bad);
    if (!index->entry || !index->path || !index->bad)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", n);
    for (int i = 0; i < n; i++) {
        const struct sp_remembered *one = &list[i];
        if (one->size_B < 0)
            continue; /* it has gone meanwhile */
        if (one->why[0]) {
            struct sp_bad_record *bad = &index->bad[index->n_bad++];
            snprintf(bad->path, sizeof bad->path, "%s", one->path);
            memcpy(bad->why, one->why, sizeof bad->why);
            continue;
        }
        index->entry[index->n] = one->entry;
        index->path[index->n] = strdup(one->path);
        if (!index->path[index->n++])
            return sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", n);
    }
    return SP_OK;
}

enum sp_status sp_index_open(const struct sp_store *store, const char *cache, bool rebuild,
                             const struct sp_progress *progress, struct sp_index *index, struct sp_error *err)
{
    struct sp_record_paths paths = {0};
    struct merging m = {.paths = &paths, .of_store = strlen(store->path)};
    struct sp_error why = {0};
    memset(index, 0, sizeof *index);
    const bool remembers = cache && *cache;
    enum sp_status status = sp_store_list(store, &paths, err);
    if (status == SP_OK && remembers && !rebuild)
        status = sp_remembered_read(cache, &m.old, &m.n_old, err);
    if (status == SP_OK && !(m.now = calloc((size_t)paths.n + 1, sizeof *m.now)))
        status = sp_fail(err, SP_MEMORY, NULL, "no memory for %d records", paths.n);
    if (status == SP_OK) {
        recall(&m);
        index->n_read = m.n_read;
        status = read_new(&m, progress, err);
    }
    if (status == SP_OK && remembers && (m.n_read > 0 || m.n_old != paths.n) &&
        remember(cache, &m, &why) != SP_OK)
        snprintf(index->remark, sizeof index->remark, "%.200s", why.what);
    if (status == SP_OK)
        status = fill(index, m.now, paths.n, err);
    sp_remembered_free(m.old, m.n_old);
    free(m.now); /* its paths are those of `paths` */
    sp_record_paths_free(&paths);
    if (status != SP_OK)
        sp_index_free(index);
    return status;
}

void sp_index_free(struct sp_index *index)
{
    if (!index)
        return;
    for (int64_t i = 0; index->path && i < index->n; i++)
        free(index->path[i]);
    free(index->path);
    free(index->entry);
    free(index->bad);
    memset(index, 0, sizeof *index);
}

enum sp_status sp_index_export(const struct sp_index *index, const char *path, struct sp_error *err)
{
    return sp_remembered_export(path, index->entry, index->path, index->n, err);
}
