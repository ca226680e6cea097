#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"

/* Names of files and strings of records in `what` and `remedy`: each is one line. */
static void fill(struct sp_error *err, enum sp_status status, const char *remedy, const char *format,
                 va_list args)
{
    char text[sizeof err->what];
    memset(err, 0, sizeof *err);
    err->status = status;
    vsnprintf(text, sizeof text, format, args);
    sp_visible(text, err->what, sizeof err->what);
    sp_visible(remedy ? remedy : "", err->remedy, sizeof err->remedy);
}

enum sp_status(sp_fail)(struct sp_error *err, enum sp_status status, const char *remedy, const char *format,
                        ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    fill(err, status, remedy, format, args);
    va_end(args);
    return status;
}

enum sp_status(sp_fail_at)(struct sp_error *err, enum sp_status status, const char *path, int64_t line,
                           int64_t column, const char *remedy, const char *format, ...)
{
    if (!err)
        return status;
    va_list args;
    va_start(args, format);
    fill(err, status, remedy, format, args);
    va_end(args);
    err->line = line;
    err->column = column;
    snprintf(err->path, sizeof err->path, "%s", path ? path : "");
    return status;
}

void sp_error_text(const struct sp_error *err, char *text, size_t size)
{
    char path[sizeof err->path], place[sizeof path + 48] = "";
    sp_visible(err->path, path, sizeof path);
    if (path[0] && err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, "%s:%lld:%lld: ", path, (long long)err->line, (long long)err->column);
    else if (path[0] && err->line > 0)
        snprintf(place, sizeof place, "%s:%lld: ", path, (long long)err->line);
    else if (path[0])
        snprintf(place, sizeof place, "%s: ", path);
    snprintf(text, size, "%s%s%s%s", place, err->what, err->remedy[0] ? "\n  remedy: " : "", err->remedy);
}

const char *sp_status_name(enum sp_status status)
{
    static const char *const names[SP_N_STATUS] = {
        [SP_OK] = "ok",
        [SP_NO] = "no",
        [SP_USAGE] = "usage",
        [SP_INPUT] = "input",
        [SP_ABSENT] = "absent",
        [SP_MEMORY] = "memory",
        [SP_OUTPUT] = "output",
        [SP_UNDECIDED] = "undecided",
        [SP_WRONG] = "wrong result",
        [SP_BUG] = "bug",
        [SP_SKIPPED] = "skipped",
        [SP_INTERRUPTED] = "interrupted",
    };
    return status < SP_N_STATUS ? names[status] : "unknown";
}

int sp_exit_code(enum sp_status status)
{
    static const int codes[SP_N_STATUS] = {
        [SP_OK] = 0,        [SP_NO] = 1,     [SP_USAGE] = 2,    [SP_INPUT] = 3,
        [SP_ABSENT] = 4,    [SP_MEMORY] = 4, [SP_OUTPUT] = 4,   [SP_WRONG] = 6,
        [SP_UNDECIDED] = 5, [SP_BUG] = 7,    [SP_SKIPPED] = 77, [SP_INTERRUPTED] = 130,
    };
    return codes[status];
}
