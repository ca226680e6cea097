/* How long work below cli tells what it is doing, and learns that the user has had enough. */
#ifndef SP_BASE_PROGRESS_H
#define SP_BASE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Borrowed by whoever is given it; both functions may be NULL. Called from one thread at a time. */
struct sp_progress {
    /* `what` in the present participle ("reading kkt_power.mtx"); done in [0, 1] of this step, negative:
     * unknown. */
    void (*step)(void *context, const char *what, double done);
    bool (*interrupted)(void *context);
    void *context;
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

#endif
