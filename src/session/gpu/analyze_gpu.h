/* The main job on a GPU. */
#ifndef SP_SESSION_ANALYZE_GPU_H
#define SP_SESSION_ANALYZE_GPU_H

#include "session/analyze/analyze.h"

/* As sp_analyze() on the first GPU: the kernel that the model expects to be fastest in the format ("auto": of
 * CRS and SELL) is run, checked and timed by the GPU's clock, its bytes counted by CUPTI or modelled.
 * options->machine describes the GPU; options for threads and pages have no meaning. SP_ABSENT says what is
 * missing. */
enum sp_status sp_analyze_gpu(const struct sp_subject *subject, const struct sp_analyze_options *options,
                              const struct sp_progress *progress, struct sp_record *record,
                              struct sp_error *err);

/* The formats of "all" on a GPU; ends with NULL. */
const char *const *sp_gpu_format_every(enum sp_op op);

#endif
