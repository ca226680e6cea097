/* What the model knows of a format, one row each, called sp_format_model_NAME: in
 * model/formats/NAME.c, or beside its trace in model/trace. base/option/formats.inc lists the
 * formats. */
#ifndef SP_MODEL_FORMAT_H
#define SP_MODEL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/reading.h"
#include "sparse/formats/format.h"
#include "sparse/formats/layout.h"

struct sp_trace_kind;

/* A run, of which a format may say whether another storage would be better. */
struct sp_storage_case {
    const struct sp_layout *layout; /* in use */
    double alpha, alpha_min, V_B;   /* of the run */
    double cache_B;                 /* the last-level cache of one of n_domains */
    int n_domains;
    bool in_memory; /* the data are */
    bool symmetric;
};

/* V from alpha `least` with kept_B of partial results in caches to alpha `most` with none there. */
struct sp_volume_bounds {
    double least, kept_B, most;
};

struct sp_format_model {
    /* How its addresses are traced with one right-hand side, with dense operands, and with FusedMM;
     * NULL: it cannot be. */
    const struct sp_trace_kind *spmv, *dense, *fused;
    /* sp_layout_w() of formats that update y. */
    double (*w)(const struct sp_layout *layout, double alpha, double kept_B);
    /* Is it worth a look for this run? Then what is to be typed into option[size]. NULL: never. */
    bool (*propose)(const struct sp_storage_case *now, char *option, size_t size);
    /* Between what V of its layout lies, of the run. */
    struct sp_volume_bounds (*bounds)(const struct sp_storage_case *now, const struct sp_layout *layout);
    bool simulated; /* V is simulated where that takes no longer than a moment */
};

/* [sp_n_formats]. */
extern const struct sp_format_model *const sp_format_models[];

/* w by formula, of plain stores, where the last-level caches in use keep kept_B of partial results:
 * 2, y read and written once, if they keep them all (INFINITY: they do). Else (0: they do not) what
 * the format says. */
double sp_layout_w(const struct sp_layout *layout, double alpha, double kept_B);

/* V between these bounds. */
struct sp_value sp_volume_between(const struct sp_layout *layout, const struct sp_volume_bounds *bounds);

#endif
