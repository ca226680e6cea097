#include <string.h>

#include "cli/manual/manual.h"
#include "io/files/atomic_file.h"

/* FOLDER/manN/NAME.N, NAME with hyphens for blanks. */
static enum sp_status open_page(const char *folder, const char *name, int section,
                                struct sp_atomic_file *file, struct sp_error *err)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/man%d", folder, section);
    const int failed = sp_make_directories(path);
    if (failed)
        return sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "%s", strerror(failed));
    const size_t used = strlen(path);
    snprintf(path + used, sizeof path - used, "/spmodel%s%s.%d", *name ? "-" : "", name, section);
    for (char *p = path + used; *p; p++)
        *p = *p == ' ' ? '-' : *p;
    return sp_atomic_open(path, file, err);
}

enum sp_status sp_manual_write_files(const char *folder, struct sp_error *err)
{
    struct sp_atomic_file file;
    struct sp_manual_entry e;
    enum sp_status status = open_page(folder, "", 1, &file, err);
    if (status != SP_OK)
        return status;
    sp_manual_write_overview(file.stream);
    status = sp_atomic_commit(&file, err);
    for (int i = 0; status == SP_OK && sp_manual_get(i, &e); i++) {
        status = open_page(folder, e.name, 1, &file, err);
        if (status != SP_OK)
            return status;
        sp_manual_write(&e, file.stream);
        status = sp_atomic_commit(&file, err);
    }
    for (const struct sp_help_topic *t = sp_help_topics; status == SP_OK && t->name; t++) {
        status = open_page(folder, t->name, 7, &file, err);
        if (status != SP_OK)
            return status;
        sp_manual_write_topic(t, file.stream);
        status = sp_atomic_commit(&file, err);
    }
    return status;
}
