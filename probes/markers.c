#include "probes/markers.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "probes/helper_counter.h"

enum { INIT, THREAD_INIT, START, STOP, CLOSE, N_FUNCTIONS };

static const char *const symbols[N_FUNCTIONS] = {"likwid_markerInit", "likwid_markerThreadInit",
                                                 "likwid_markerStartRegion", "likwid_markerStopRegion",
                                                 "likwid_markerClose"};

typedef void (*nothing)(void);
typedef int (*with_region)(const char *);

/* The library's regions belong to the process, and so does this: opened once, closed at its end. */
static struct {
    bool tried, open;
    void *function[N_FUNCTIONS];
} markers;

bool sp_markers_wanted(void)
{
    return getenv("LIKWID_MODE") != NULL && getenv("LIKWID_FILEPATH") != NULL;
}

static void close_markers(void)
{
    ((nothing)markers.function[CLOSE])();
}

static bool is_open(int n_threads)
{
    static const char *const files[] = {"liblikwid.so.5", "liblikwid.so", NULL};
    if (markers.tried || !sp_markers_wanted())
        return markers.open;
    markers.tried = true;
    const char *named = sp_helper_library("likwid");
    void *library = named ? dlopen(named, RTLD_NOW) : NULL;
    for (const char *const *f = files; !library && !named && *f; f++)
        library = dlopen(*f, RTLD_NOW);
    for (int i = 0; library && i < N_FUNCTIONS; i++)
        if (!(markers.function[i] = dlsym(library, symbols[i])))
            library = NULL;
    if (!library)
        return false;
    ((nothing)markers.function[INIT])();
#pragma omp parallel num_threads(n_threads)
    ((nothing)markers.function[THREAD_INIT])();
    markers.open = atexit(close_markers) == 0;
    return markers.open;
}

/* "spmv/crs/avx512" -> "spmv_crs_avx512". */
static void region_name(const char *job, char *region, size_t size)
{
    snprintf(region, size, "%s", job);
    for (char *p = region; *p; p++)
        if (*p == '/' || *p == ' ' || *p == '-')
            *p = '_';
}

static void call(int function, const char *job, int n_threads)
{
    char region[64];
    region_name(job, region, sizeof region);
#pragma omp parallel num_threads(n_threads)
    ((with_region)markers.function[function])(region);
}

void sp_markers_enter(const char *job, int n_threads)
{
    if (is_open(n_threads))
        call(START, job, n_threads);
}

void sp_markers_leave(const char *job, int n_threads)
{
    if (markers.open)
        call(STOP, job, n_threads);
}
