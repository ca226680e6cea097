#include "cli/track/confirm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analyze/measure_again.h"
#include "io/files/part_file.h"
#include "io/files/scratch_folder.h"
#include "io/record/record_words.h"

static enum sp_status keep(struct sp_confirming *c, const struct sp_entry *entry, struct sp_error *err)
{
    struct sp_entry **more = realloc(c->entry, (size_t)(c->n + 1) * sizeof *more);
    struct sp_entry *copy = malloc(sizeof *copy);
    if (more)
        c->entry = more;
    if (!more || !copy) {
        free(copy);
        return sp_fail(err, SP_MEMORY, NULL, "no memory for another record");
    }
    *copy = *entry;
    c->entry[c->n++] = copy;
    return SP_OK;
}

void sp_confirming_free(struct sp_confirming *c)
{
    for (int i = 0; i < c->n; i++)
        free(c->entry[i]);
    free(c->entry);
    c->entry = NULL;
    c->n = 0;
}

/* A matrix that has changed under its name makes another series. */
static enum sp_status check_series(const struct sp_entry *was, const struct sp_entry *is,
                                   struct sp_error *err)
{
    if (strcmp(was->series, is->series) == 0)
        return SP_OK;
    return sp_fail(err, SP_ABSENT, NULL,
                   "what was measured again belongs to another series: the matrix behind its "
                   "name is another one");
}

/* One more session: measured, put into the store, and its entry kept. */
static enum sp_status measure_round(struct sp_confirming *c, const struct sp_record *record,
                                    const struct sp_entry *newest, struct sp_error *err)
{
    char folder[1024], path[4096] = "", stored[4096];
    struct sp_record again = {0};
    struct sp_entry entry;
    bool added;
    if (sp_scratch_folder("again", folder, sizeof folder, err) != SP_OK)
        return SP_ABSENT; /* err says why */
    enum sp_status status = sp_measure_again(record, folder, c->progress, c->verbosity, &again, path, err);
    if (status == SP_OK) {
        sp_entry_of(&again, &entry);
        status = check_series(newest, &entry, err);
    }
    if (status == SP_OK)
        status = sp_store_add(c->store, path, &added, stored, err);
    if (status == SP_OK)
        status = keep(c, &entry, err);
    sp_record_free(&again);
    sp_part_remove(folder);
    return status;
}

/* The series with what was measured since the verdict. */
static enum sp_status judge_again(const struct sp_confirming *c, int first_new,
                                  const struct sp_entry *const *list, int n,
                                  const struct sp_entry *const *pinned, int n_pinned,
                                  const struct sp_judgement *first, struct sp_judgement *j,
                                  struct sp_error *err)
{
    const int n_new = c->n - first_new;
    const struct sp_entry **all = calloc((size_t)n + (size_t)n_new, sizeof *all);
    if (!all)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the verdict on %d records", n);
    memcpy(all, list, (size_t)n * sizeof *all);
    for (int i = 0; i < n_new; i++)
        all[n + i] = c->entry[first_new + i];
    *j = *first;
    const enum sp_status status = sp_judge_again(all, n + n_new, n_new, pinned, n_pinned, c->judge, j, err);
    free(all);
    return status;
}

/* Not being able to is no failure of the check: the verdict says so. */
static enum sp_status say_why(enum sp_status status, const struct sp_error *why, struct sp_judgement *j)
{
    if (status != SP_ABSENT && status != SP_INPUT && status != SP_OUTPUT)
        return status;
    if (status == SP_OUTPUT)
        snprintf(j->confirmation, sizeof j->confirmation,
                 "cannot be confirmed here: the store takes no record: %.120s: %.120s", why->path, why->what);
    else
        snprintf(j->confirmation, sizeof j->confirmation, "cannot be confirmed here: %.250s", why->what);
    return SP_OK;
}

enum sp_status sp_track_confirm(struct sp_confirming *c, const struct sp_entry *const *list, int n,
                                const struct sp_entry *const *pinned, int n_pinned, struct sp_judgement *j,
                                struct sp_error *err)
{
    const struct sp_judgement first = *j;
    const int first_new = c->n;
    struct sp_record record = {0};
    struct sp_error why = {0};
    enum sp_status status = sp_record_read(c->index->path[first.newest - c->index->entry], &record, &why);
    if (status == SP_OK)
        status = sp_can_measure_again(&record,
                                      first.is_exact && *sp_words_text(&record, "request.machine", ""), &why);
    if (status == SP_OK)
        status = sp_store_check_writable(c->store, &why);
    for (int i = 0;
         status == SP_OK && i < c->rounds && sp_judge_wants_confirmation(j) && j->confirmed != SP_CONFIRMED;
         i++) {
        status = measure_round(c, &record, first.newest, &why);
        if (status == SP_OK)
            status = judge_again(c, first_new, list, n, pinned, n_pinned, &first, j, &why);
    }
    sp_record_free(&record);
    status = status == SP_OK ? SP_OK : say_why(status, &why, j);
    if (status != SP_OK && err)
        *err = why;
    return status;
}
