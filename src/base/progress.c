#include "base/progress.h"

#include <stdarg.h>
#include <stdio.h>

void sp_progress_remark(const struct sp_progress *p, bool is_detail, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (!p || !p->remark)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    p->remark(p->context, is_detail, text);
}

void sp_watch_show(void *watch, double fraction)
{
    const struct sp_watch *w = watch;
    sp_progress_step(w->progress, w->what, fraction);
}

bool sp_watch_stop(void *watch)
{
    return sp_progress_interrupted(((const struct sp_watch *)watch)->progress);
}
