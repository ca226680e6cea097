#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from ? from : "");
}

enum sp_status(sp_fail)(struct sp_error *err, enum sp_status status, const char *remedy, const char *format,
                        ...)
{
    if (!err)
        return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    copy_text(err->remedy, sizeof err->remedy, remedy);
    va_list args;
    va_start(args, format);
    vsnprintf(err->what, sizeof err->what, format, args);
    va_end(args);
    return status;
}

enum sp_status(sp_fail_at)(struct sp_error *err, enum sp_status status, const char *path, int64_t line,
                           int64_t column, const char *remedy, const char *format, ...)
{
    if (!err)
        return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    err->line = line;
    err->column = column;
    copy_text(err->path, sizeof err->path, path);
    copy_text(err->remedy, sizeof err->remedy, remedy);
    va_list args;
    va_start(args, format);
    vsnprintf(err->what, sizeof err->what, format, args);
    va_end(args);
    return status;
}

void sp_error_text(const struct sp_error *err, char *text, size_t size)
{
    char place[1100] = "";
    if (err->path[0] && err->line > 0 && err->column > 0)
        snprintf(place, sizeof place, "%s:%lld:%lld: ", err->path, (long long)err->line,
                 (long long)err->column);
    else if (err->path[0] && err->line > 0)
        snprintf(place, sizeof place, "%s:%lld: ", err->path, (long long)err->line);
    else if (err->path[0])
        snprintf(place, sizeof place, "%s: ", err->path);
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
