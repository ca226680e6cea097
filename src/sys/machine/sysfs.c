#include "sys/machine/sysfs.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, MAX_CPU = 1 << 16 };

static bool read_text(const char *root, char *text, size_t size, const char *format, va_list arguments)
{
    char path[PATH_SIZE];
    int n = snprintf(path, sizeof path, "%s", root ? root : "");
    vsnprintf(path + n, sizeof path - (size_t)n, format, arguments);
    text[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t got = fread(text, 1, size - 1, file);
    bool failed = ferror(file);
    fclose(file);
    while (got > 0 && isspace((unsigned char)text[got - 1]))
        got--;
    text[got] = '\0';
    return !failed;
}

bool sp_sysfs_text(const char *root, char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    bool good = read_text(root, text, size, format, arguments);
    va_end(arguments);
    return good;
}

bool sp_sysfs_count(const char *root, int64_t *value, const char *format, ...)
{
    char text[64], *end;
    va_list arguments;
    va_start(arguments, format);
    bool good = read_text(root, text, sizeof text, format, arguments);
    va_end(arguments);
    *value = 0;
    if (!good)
        return false;
    *value = strtoll(text, &end, 10);
    return end != text;
}

char *sp_sysfs_file(const char *root, const char *path)
{
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%s%s", root ? root : "", path);
    FILE *file = fopen(name, "re");
    if (!file)
        return NULL;
    size_t size = 0, room = 4096;
    char *text = malloc(room);
    while (text) {
        size += fread(text + size, 1, room - size - 1, file);
        if (size < room - 1)
            break;
        room *= 2;
        char *grown = realloc(text, room);
        if (!grown)
            free(text);
        text = grown;
    }
    if (text)
        text[size] = '\0';
    fclose(file);
    return text;
}

bool sp_sysfs_list(const char *text, void (*visit)(void *context, int cpu), void *context)
{
    const char *p = text;
    while (*p) {
        char *end;
        long first = strtol(p, &end, 10), last = first;
        if (end == p)
            return false;
        if (*end == '-') {
            p = end + 1;
            last = strtol(p, &end, 10);
            if (end == p)
                return false;
        }
        if (first < 0 || last < first || last >= MAX_CPU || (*end && *end != ','))
            return false;
        for (long cpu = first; cpu <= last; cpu++)
            visit(context, (int)cpu);
        p = *end ? end + 1 : end;
    }
    return true;
}
