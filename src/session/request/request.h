/* What is asked for: the options of a run, taken one by one by their names, with the words of a
 * command line. The program and the library (include/spmodel.h) both fill a request, so that both
 * understand the same. */
#ifndef SP_SESSION_REQUEST_H
#define SP_SESSION_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option/run_option.h"
#include "io/matrix/load_options.h"
#include "session/analyze/analyze.h"
#include "session/record/recording.h"
#include "sparse/product/workload.h"

/* What is computed: --op, --rhs, --inner, --order. Zero-initialise. */
enum { SP_MOST_WIDTHS = 32 };

struct sp_op_options {
    enum sp_op op;
    enum sp_order order;
    int32_t width[SP_MOST_WIDTHS]; /* ascending or not, as typed; SpMV: a single 1 */
    int n_widths;
    bool op_given;
    enum sp_option width_option; /* SP_OPTION_RHS or _INNER, where one was given; SP_OPTION_OP (0): none */
};

/* SP_USAGE says what the option takes. */
enum sp_status sp_op_take(struct sp_op_options *options, enum sp_option option, const char *value,
                          struct sp_error *err);
/* After the last: the widths' default where none was given (8 right-hand sides, a width of 64), and
 * --rhs alone means spmmv. SP_USAGE where the option is not one of the operation. */
enum sp_status sp_op_settle(struct sp_op_options *options, struct sp_error *err);

/* Begins with sp_request_begin(). Texts are borrowed. */
struct sp_request {
    struct sp_analyze_options analyze; /* without what a stage has, and without seed */
    struct sp_op_options op;
    const char *reorder, *machine, *bytes;
    enum sp_cache_mode cache;
    bool drop_zeros, all_formats, require_bytes, try_hints;
    bool format_given, schedule_given, index_given;
    bool on_gpu;
    int gpu;                  /* among those that the process may see */
    const char *cpu_option;   /* "--threads": one was given that has a meaning on CPUs only; or NULL */
    char recorded_format[48]; /* as typed, where a recording says it */
};

/* The defaults of `spmodel analyze`. */
struct sp_request sp_request_begin(void);
/* An option of a run; value NULL where it takes none. SP_USAGE says what it takes; SP_NO, without
 * an error: it is not one of a request, but of what becomes of the result. */
enum sp_status sp_request_take(struct sp_request *request, enum sp_option option, const char *value,
                               struct sp_error *err);
/* After the last: what belongs to the other device, and what excludes each other. SP_USAGE. */
enum sp_status sp_request_check_device(const struct sp_request *request, struct sp_error *err);
enum sp_status sp_request_settle(struct sp_request *request, struct sp_error *err);

/* Operation and width, format, schedule, precision, index, stores, pages, order, threads and the
 * state of the caches, each where the recording says it and the request does not. SP_INPUT: what it
 * says is not known here. Texts are borrowed from the recording or kept in the request. */
enum sp_status sp_request_follow(struct sp_request *request, const struct sp_recording *recording,
                                 struct sp_error *err);

/* One analysis of the request, on the device and with the trials that are asked for. */
enum sp_status sp_request_run(const struct sp_request *request, const struct sp_subject *subject,
                              const char *format, int32_t width, const struct sp_progress *progress,
                              struct sp_record *record, struct sp_error *err);

/* What a run stands on: this machine's topology and memory, and the machine of the ceilings. */
enum sp_stage_kind { SP_STAGE_CPU, SP_STAGE_GPU };

/* Zero-initialise; sp_stage_close(). */
struct sp_stage {
    struct sp_topology topology;
    struct sp_machine machine;
};

/* Opens all of it; machine_name NULL: this one, measured once (as sp_this_machine() and
 * sp_this_gpu()). Sets options->topology, memory_B and machine, borrowed from the stage. */
enum sp_status sp_stage_open(enum sp_stage_kind kind, const char *machine_name,
                             const struct sp_progress *progress, struct sp_analyze_options *options,
                             struct sp_stage *stage, struct sp_error *err);
void sp_stage_close(struct sp_stage *stage);

/* What reading a matrix for the request takes; `watch` must outlive it. */
struct sp_load_options sp_request_loading(const struct sp_request *request, const char *cache_dir,
                                          struct sp_watch *watch);

#endif
