#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "io/machine/machine_file.h"

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

/* Machines whose names begin so: how many, the path of the first, and all as ", a, b, " in text. Of two
 * directories that have a name the first counts. */
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
