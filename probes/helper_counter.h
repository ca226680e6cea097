/* A back end (probes/counting.h) over the helper: LIKWID and PAPI differ in the helper only. */
#ifndef SP_PROBES_HELPER_COUNTER_H
#define SP_PROBES_HELPER_COUNTER_H

#include "probes/counting.h"

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

#endif
