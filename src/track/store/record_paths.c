#include "track/store/record_paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum sp_status append(struct sp_record_paths *p, const char *path, struct sp_error *err)
{
    char *copy = strdup(path);
    if (copy && p->n == p->most) {
        const int most = p->most > 0 ? 2 * p->most : 64;
        char **more = realloc(p->path, (size_t)most * sizeof *more);
        if (more) {
            p->path = more;
            p->most = most;
        }
    }
    if (!copy || p->n == p->most) {
        free(copy);
        return sp_fail(err, SP_MEMORY, "name fewer of them", "no memory for the names of %d records", p->n);
    }
    p->path[p->n++] = copy;
    return SP_OK;
}

static bool ends_in_json(const char *name)
{
    const size_t n = strlen(name);
    return n > 5 && strcmp(name + n - 5, ".json") == 0;
}

static enum sp_status add_folder(struct sp_record_paths *p, const char *folder, struct sp_error *err)
{
    struct dirent **entry;
    const int n = scandir(folder, &entry, NULL, alphasort);
    enum sp_status status =
        n < 0 ? sp_fail(err, sp_input_status(errno), NULL, "'%s' cannot be read: %s", folder, strerror(errno))
              : SP_OK;
    for (int i = 0; i < n; i++) {
        char path[4096];
        struct stat facts;
        const char *name = entry[i]->d_name;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        if (status == SP_OK && name[0] != '.' && length < (int)sizeof path && stat(path, &facts) == 0 &&
            (S_ISDIR(facts.st_mode) || ends_in_json(name)))
            status = S_ISDIR(facts.st_mode) ? add_folder(p, path, err) : append(p, path, err);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return status;
}

enum sp_status sp_record_paths_add(struct sp_record_paths *p, const char *name, struct sp_error *err)
{
    struct stat facts;
    if (stat(name, &facts) != 0)
        return sp_fail_at(err, SP_INPUT, name, 0, 0, "name records, or a folder with records", "%s",
                          strerror(errno));
    return S_ISDIR(facts.st_mode) ? add_folder(p, name, err) : append(p, name, err);
}

void sp_record_paths_free(struct sp_record_paths *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->n; i++)
        free(p->path[i]);
    free(p->path);
    memset(p, 0, sizeof *p);
}
