/* A back end (probes/counting.h) over the helper: LIKWID and PAPI differ in the helper only. */
#ifndef SP_PROBES_HELPER_COUNTER_H
#define SP_PROBES_HELPER_COUNTER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "probes/counting.h"

/* Talks to the helper program in which LIKWID or PAPI lives (probes/helper/helper.h has the
 * protocol): starts it, gives each answer a time limit, and kills it with all that its library may
 * have forked. */

struct sp_helper {
    char library[16];   /* "likwid", "papi" */
    pid_t pid;          /* 0: not running */
    int to, from, said; /* pipes; a file with what the library printed */
    char buffer[4096];
    int used;
};

/* Starts it for a library, or for the file that the environment names for it (SPMODEL_LIKWID,
 * SPMODEL_PAPI). SP_ABSENT where the helper is not installed: looked for at SPMODEL_HELPER, beside
 * this program, and in ../libexec/spmodel. Zeroed on failure. */
enum sp_status sp_helper_start(const char *library, struct sp_helper *helper, struct sp_error *err);

/* Sends a line and gives each line of the answer, but for the closing one, to `take` (may be NULL).
 * SP_ABSENT where the helper says that it cannot, ends, or does not answer within `limit_s`; it is
 * then ended here too. */
enum sp_status sp_helper_ask(struct sp_helper *helper, double limit_s, const char *line,
                             void (*take)(void *context, const char *line), void *context,
                             struct sp_error *err);

/* Lets it end, and ends it; safe twice. */
void sp_helper_stop(struct sp_helper *helper);

/* The counter's name is the library's. */
enum sp_status sp_helper_counter_open(const struct sp_counter *self, const char *argument, void **state,
                                      struct sp_count_log *log, struct sp_error *err);
enum sp_status sp_helper_counter_start(void *state, int pass, struct sp_error *err);
enum sp_status sp_helper_counter_stop(void *state, struct sp_count *count, struct sp_error *err);
void sp_helper_counter_close(void *state);

/* Would it work? Looks first whether this machine counts anything at all, for the libraries take
 * seconds to find out; a library that the environment names is taken at its word. Less than a
 * second. */
enum sp_status sp_helper_counter_available(const char *library, struct sp_error *err);
/* The same in at most limit_s. */
enum sp_status sp_helper_counter_look(const char *library, double limit_s, struct sp_error *err);

/* Opens the library's counters on one processor and closes them again, in at most limit_s. */
enum sp_status sp_helper_counter_try(const char *library, double limit_s, struct sp_error *err);

#define LIBRARY_COUNTER(NAME, ...) extern const struct sp_counter sp_##NAME##_counter;
#include "base/option/byte_counters.inc"

/* LIKWID's marker regions around each sample of a kernel, so that `likwid-perfctr -m spmodel
 * analyze M` tells what its groups count in the kernel alone. Without likwid-perfctr -m around this
 * program nothing happens and nothing is loaded. Regions are named after the kernel:
 * spmv_crs_avx512. */

/* Is likwid-perfctr -m around this program (LIKWID_MODE, LIKWID_FILEPATH)? */
bool sp_markers_wanted(void);
/* Each thread of a team enters or leaves the region of the job. Not thread-safe, not nested. */
void sp_markers_enter(const char *job, int n_threads);
void sp_markers_leave(const char *job, int n_threads);

#endif
