/* Monotonic time. */
#ifndef SP_BASE_CLOCK_H
#define SP_BASE_CLOCK_H

#include <time.h>

/* [s] since an arbitrary point; never goes backwards. */
static inline double sp_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void sp_sleep(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&t, NULL);
}

#endif
