#include "lab/lab_audit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sp_lab_flag_name(enum sp_lab_flag_code code)
{
    static const char *const names[SP_N_LAB_FLAGS] = {
        [SP_FLAG_LAB] = "lab",           [SP_FLAG_SKIPPED] = "skipped", [SP_FLAG_MATRIX] = "matrix",
        [SP_FLAG_COMMAND] = "command",   [SP_FLAG_EDITED] = "edited",   [SP_FLAG_ARITHMETIC] = "arithmetic",
        [SP_FLAG_BYTES] = "bytes",       [SP_FLAG_ORDER] = "order",     [SP_FLAG_MACHINES] = "machines",
        [SP_FLAG_REPEATED] = "repeated", [SP_FLAG_SECOND] = "second",   [SP_FLAG_FOLDER] = "folder",
    };
    return names[code];
}

void sp_lab_audit_add(struct sp_lab_audit *audit, const char *run, enum sp_lab_flag_code code,
                      const char *format, ...)
{
    va_list list;
    if (audit->n++ >= SP_LAB_MOST_FLAGS)
        return;
    struct sp_lab_flag *f = &audit->flag[audit->n - 1];
    snprintf(f->run, sizeof f->run, "%s", run);
    f->code = sp_lab_flag_name(code);
    va_start(list, format);
    vsnprintf(f->text, sizeof f->text, format, list);
    va_end(list);
}

/* Other sizes and questions make other flags: this one stands before them. */
static void audit_version(const struct sp_lab_folder *folder, struct sp_lab_audit *audit)
{
    char path[1100], hex[65];
    const char *noted = sp_lab_text(folder->state, "lab_sha256");
    snprintf(path, sizeof path, "%s/lab.json", folder->lab.folder);
    if (sp_lab_file_digest(path, hex) && strcmp(hex, noted) != 0)
        sp_lab_audit_add(audit, "", SP_FLAG_LAB,
                         "the lab has changed since it was begun: grade with the version that was used");
}

/* Is the file still the one that `lab run` wrote? */
static void audit_digest(const struct sp_lab_folder *folder, const char *run, struct sp_lab_audit *audit)
{
    char path[1200], hex[65];
    const json_t *noted = json_object_get(json_object_get(folder->state, "runs"), run);
    sp_lab_record_path(folder, run, path, sizeof path);
    if (!noted)
        sp_lab_audit_add(audit, run, SP_FLAG_EDITED, "state.json knows of no such run");
    else if (sp_lab_file_digest(path, hex) && strcmp(hex, sp_lab_text(noted, "sha256")) != 0)
        sp_lab_audit_add(audit, run, SP_FLAG_EDITED, "the file is not the one that lab run wrote");
}

/* Predictions between the start and the first result; `first` may be NULL: there is none. */
static void audit_predictions(const struct sp_lab_folder *folder, const char *begun, const char *first,
                              struct sp_lab_audit *audit)
{
    const json_t *after = NULL, *before = NULL;
    size_t i;
    json_t *p;
    int n = 0;
    json_array_foreach(folder->predictions, i, p)
    {
        const char *time = sp_lab_text(p, "time");
        if (json_is_true(json_object_get(p, "late")))
            continue;
        if (strcmp(time, begun) < 0)
            before = p;
        else if (first && strcmp(time, first) > 0) {
            after = p;
            n++;
        }
    }
    if (after)
        sp_lab_audit_add(audit, "", SP_FLAG_ORDER,
                         "predicted after the run of %s: %d, for example '%.60s' at %.40s", first, n,
                         sp_lab_text(after, "question"), sp_lab_text(after, "time"));
    if (before)
        sp_lab_audit_add(audit, "", SP_FLAG_ORDER,
                         "'%.60s' was predicted at '%.40s', before the lab was begun at %.40s",
                         sp_lab_text(before, "question"), sp_lab_text(before, "time"), begun);
}

/* Predictions before results, results after the start. ISO 8601 in UTC compares as text. */
static void audit_order(const struct sp_lab_results *results, struct sp_lab_audit *audit)
{
    const struct sp_lab_folder *folder = results->folder;
    const char *first = NULL, *begun = sp_lab_text(folder->state, "started");
    if (!*begun)
        sp_lab_audit_add(audit, "", SP_FLAG_ORDER, "state.json does not say when the lab was begun");
    for (int i = 0; i < results->n; i++) {
        const struct sp_lab_result *r = &results->result[i];
        const char *start = json_string_value(sp_lab_node(r->root, "time.start"));
        if (!start)
            continue;
        if (strcmp(start, begun) < 0)
            sp_lab_audit_add(audit, r->run, SP_FLAG_ORDER, "it was run at %s, before the lab was begun at %s",
                             start, begun);
        if (!first || strcmp(start, first) < 0)
            first = start;
    }
    audit_predictions(folder, begun, first, audit);
}

static void audit_machines(const struct sp_lab_results *results, struct sp_lab_audit *audit)
{
    const char *key = NULL;
    for (int i = 0; i < results->n; i++) {
        const char *here = json_string_value(sp_lab_node(results->result[i].root, "env.key"));
        if (here && key && strcmp(here, key) != 0) {
            sp_lab_audit_add(audit, results->result[i].run, SP_FLAG_MACHINES,
                             "it was run on another machine than the runs before it");
            return;
        }
        key = here ? here : key;
    }
}

enum sp_status sp_lab_audit_folder(const struct sp_lab_results *results, struct sp_lab_audit *audit,
                                   struct sp_error *err)
{
    enum sp_status status = SP_OK;
    audit_version(results->folder, audit);
    for (int i = 0; i < results->n && status == SP_OK; i++) {
        const struct sp_lab_result *r = &results->result[i];
        if (r->claimed)
            sp_lab_audit_add(audit, r->run, SP_FLAG_SKIPPED,
                             "it needs nothing that may be absent, but is noted as skipped: %.200s",
                             r->claimed);
        if (!r->root)
            continue;
        audit_digest(results->folder, r->run, audit);
        status = sp_lab_audit_identity(results->folder, r->run, r->root, audit, err);
        sp_lab_audit_arithmetic(r->run, r->root, audit);
    }
    audit_order(results, audit);
    audit_machines(results, audit);
    return status;
}
