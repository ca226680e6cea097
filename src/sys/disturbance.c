#include "sys/disturbance.h"

#include <fcntl.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* As of ceilings and sentinels: what is lost below that is less than neighbours take. */
static const double harmless = 0.05;

/* Time of the calling thread in a processor's queue [s], by the kernel's scheduler. */
static double queued(void)
{
    char text[96];
    double on_ns, queued_ns;
    const int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    const ssize_t n = file >= 0 ? read(file, text, sizeof text - 1) : -1;
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
    return sscanf(text, "%lf %lf", &on_ns, &queued_ns) == 2 ? 1e-9 * queued_ns : -1;
}

static void look(struct sp_thread_clock *clock)
{
    struct rusage usage;
    struct timespec processor;
    const double queued_s = queued();
    getrusage(RUSAGE_THREAD, &usage);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &processor);
    *clock =
        (struct sp_thread_clock){.wall_s = sp_now(),
                                 .processor_s = (double)processor.tv_sec + 1e-9 * (double)processor.tv_nsec,
                                 .queued_s = queued_s,
                                 .involuntary = usage.ru_nivcsw,
                                 .voluntary = usage.ru_nvcsw,
                                 .cpu = sched_getcpu()};
}

void sp_thread_clocks(int n_threads, struct sp_thread_clock *clock)
{
    for (int t = 0; t < n_threads; t++)
        clock[t] = (struct sp_thread_clock){.cpu = -1};
    if (n_threads == 1) {
        look(clock);
        return;
    }
#pragma omp parallel num_threads(n_threads)
    look(&clock[omp_get_thread_num()]);
}

struct sp_disturbance sp_disturbance_between(const struct sp_thread_clock *before,
                                             const struct sp_thread_clock *after, int n_threads)
{
    struct sp_disturbance d = {0};
    for (int t = 0; t < n_threads; t++) {
        const struct sp_thread_clock *b = &before[t], *a = &after[t];
        const double wall = a->wall_s - b->wall_s, ran = a->processor_s - b->processor_s;
        const int64_t taken_off = a->involuntary - b->involuntary;
        d.taken_off += taken_off;
        d.n_moved += a->cpu != b->cpu;
        if (wall > 0 && (taken_off > 0 || a->voluntary == b->voluntary))
            d.lost_share = fmax(d.lost_share, (wall - ran) / wall);
        if (wall > 0 && b->queued_s >= 0)
            d.lost_share = fmax(d.lost_share, (a->queued_s - b->queued_s) / wall);
    }
    d.disturbed = d.n_moved > 0 || d.lost_share > harmless;
    return d;
}

bool sp_disturbance_is_ignored(void)
{
    const char *assumed = getenv("SPMODEL_ASSUME");
    return assumed && strcmp(assumed, "clean") == 0;
}
