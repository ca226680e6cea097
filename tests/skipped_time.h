/* Time that passes at once. In a program that includes this, CLOCK_MONOTONIC runs on by what is skipped, and
 * sleeping skips it, too: logic that waits is tested in no time. One thread at a time may skip. */
#ifndef SP_TEST_SKIPPED_TIME_H
#define SP_TEST_SKIPPED_TIME_H

#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double skipped_s;

static inline void skip_time(double seconds)
{
    skipped_s += seconds;
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
    if (syscall(SYS_clock_gettime, clock, t) != 0)
        return -1;
    if (clock == CLOCK_MONOTONIC) {
        const double ns = (double)t->tv_nsec + 1e9 * (skipped_s - floor(skipped_s));
        t->tv_sec += (time_t)floor(skipped_s) + (ns >= 1e9);
        t->tv_nsec = (long)(ns >= 1e9 ? ns - 1e9 : ns);
    }
    return 0;
}

int nanosleep(const struct timespec *asked, struct timespec *left)
{
    (void)left;
    skip_time((double)asked->tv_sec + 1e-9 * (double)asked->tv_nsec);
    return 0;
}

#endif
