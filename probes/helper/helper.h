/* The helper: a program of its own in which LIKWID or PAPI lives. What these libraries print, fork,
 * exit or hang stays there; the job that is counted runs in the program that started the helper.
 *
 * It reads lines from standard input and answers on file descriptor SP_HELPER_REPLY, every answer
 * ended by a line "ok" or "absent WHAT\tREMEDY":
 *
 *     look                          is the library there, and whole?   -> how TEXT
 *     open ARGUMENT CPU:SOCKET,...  what can be counted                -> how TEXT, event ... (one a line)
 *     start PASS TID,...
 *     stop                          -> count EVENT VALUE SECONDS RUNNING_SECONDS
 *     quit
 *
 * ARGUMENT "-" : none. event PASS DOMAIN CHANNEL LEVEL DIRECTION B_PER_COUNT NAME (to the end of
 * the line). */
#ifndef SP_PROBES_HELPER_HELPER_H
#define SP_PROBES_HELPER_HELPER_H

#include <stdbool.h>

enum { SP_HELPER_REPLY = 3, SP_HELPER_MAX_CPUS = 4096, SP_HELPER_MAX_THREADS = 1024 };

/* Writes to the parent, past stdio: a child that the library forks must have nothing to flush. */
void sp_helper_reply(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends an answer with the reason why it cannot be; returns false. */
bool sp_helper_absent(const char *remedy, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct sp_helper_cpus {
    int n;
    int cpu[SP_HELPER_MAX_CPUS], socket[SP_HELPER_MAX_CPUS];
};

/* One library. Its functions end their answer when they fail (sp_helper_absent()), else main(). */
struct sp_helper_backend {
    const char *name;
    bool (*look)(const char *path);
    bool (*open)(const char *argument, const struct sp_helper_cpus *cpus);
    bool (*start)(int pass, int n_threads, const int *threads);
    bool (*stop)(void);
    void (*close)(void);
};

#define LIBRARY_COUNTER(NAME, ...) extern const struct sp_helper_backend sp_helper_##NAME;
#include "base/option/byte_counters.inc"

/* Opens the first of the names that is there (path not NULL: that one) and looks up n symbols; says
 * sp_helper_absent() with the loader's words. */
void *sp_helper_load(const char *what, const char *path, const char *const *names, int n,
                     const char *const *symbols, void **function);

#endif
