#include "cli/track/export_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_stem.h"
#include "io/files/atomic_file.h"
#include "io/record/record_anonymous.h"
#include "report/verdict/verdict.h"

static enum sp_status read_one(const char *path, bool anonymous, struct sp_record *record,
                               struct sp_error *err)
{
    enum sp_status status = sp_record_read(path, record, err);
    const bool has_verdict = status == SP_OK && sp_record_node(record, "verdict");
    if (status == SP_OK && anonymous)
        status = sp_record_anonymise(record, err);
    if (status == SP_OK && has_verdict)
        sp_verdict_put(record);
    return status;
}

enum sp_status sp_export_record(const char *path, const char *folder, bool anonymous, struct sp_error *err)
{
    struct sp_record record = {0};
    char name[4400];
    const char *id = "";
    enum sp_status status = read_one(path, anonymous, &record, err);
    if (status == SP_OK && (!sp_record_text(&record, "id", &id) || !sp_is_file_stem(id)))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, NULL, "the record has no usable id");
    const int failed = status == SP_OK ? sp_make_directories(folder) : 0;
    if (failed)
        status = sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "%s", strerror(failed));
    if (status == SP_OK && snprintf(name, sizeof name, "%s/%s.json", folder, id) >= (int)sizeof name)
        status = sp_fail_at(err, SP_OUTPUT, folder, 0, 0, NULL, "the name is too long");
    if (status == SP_OK)
        status = sp_record_write(&record, name, err);
    sp_record_free(&record);
    return status;
}

enum sp_status sp_export_anonymous(struct sp_index *index, const struct sp_entry *const *list, int64_t n,
                                   struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (int64_t k = 0; k < (list ? n : index->n) && status == SP_OK; k++) {
        const int64_t i = list ? list[k] - index->entry : k;
        struct sp_record record = {0};
        status = read_one(index->path[i], true, &record, err);
        if (status == SP_OK) {
            sp_entry_of(&record, &index->entry[i]);
            char *id = strdup(index->entry[i].id);
            if (id) {
                free(index->path[i]);
                index->path[i] = id;
            } else {
                status = sp_fail(err, SP_MEMORY, NULL, "no memory for the names of records");
            }
        }
        sp_record_free(&record);
    }
    return status;
}
