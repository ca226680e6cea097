#include "cli/core/find_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *sp_find_program(const char *name, char *path, size_t size)
{
    const char *p = getenv("PATH");
    while (p && *p) {
        size_t length = strcspn(p, ":");
        snprintf(path, size, "%.*s/%s", (int)length, p, name);
        if (access(path, X_OK) == 0)
            return path;
        p += length + (p[length] == ':');
    }
    return NULL;
}
