/* How long work below cli tells what it is doing, and learns that the user has had enough. */
#ifndef SP_BASE_PROGRESS_H
#define SP_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Borrowed by whoever is given it; both functions may be NULL. Called from one thread at a time. */
struct sp_progress {
    /* `what` such as "reading kkt_power.mtx"; done in [0, 1] of this step, negative: unknown. */
    void (*step)(void *context, const char *what, double done);
    bool (*interrupted)(void *context);
    void *context;
    /* A sentence for the user, without final stop; a detail is for those who asked. May be NULL. */
    void (*remark)(void *context, bool is_detail, const char *text);
};

static inline void sp_progress_step(const struct sp_progress *p, const char *what, double done)
{
    if (p && p->step)
        p->step(p->context, what, done);
}

static inline bool sp_progress_interrupted(const struct sp_progress *p)
{
    return p && p->interrupted && p->interrupted(p->context);
}

/* To remark(), where there is one. */
void sp_progress_remark(const struct sp_progress *p, bool is_detail, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One named step with what reading and writing take: sp_watch_show, sp_watch_stop and &watch. */
struct sp_watch {
    const struct sp_progress *progress;
    const char *what; /* "reading the matrix" */
};
void sp_watch_show(void *watch, double fraction);
bool sp_watch_stop(void *watch);

#endif
