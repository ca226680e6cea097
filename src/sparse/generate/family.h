/* Inside the generators: what a family of matrices supplies. A new kind is one row in table.c and
 * its functions in a file FAMILY.c. */
#ifndef SP_SPARSE_FAMILY_H
#define SP_SPARSE_FAMILY_H

#include "base/hash.h"
#include "sparse/csr/csr.h"

enum { SP_GENERATOR_PARAMETERS = 5 };

/* SIZE takes N or NxM or NxMxK, up to `dimensions` numbers; missing ones repeat the first. */
enum sp_generator_kind { SP_PARAMETER_NONE, SP_PARAMETER_SIZE, SP_PARAMETER_COUNT, SP_PARAMETER_REAL };

struct sp_generator_parameter {
    const char *name; /* for errors: "SCALE" */
    enum sp_generator_kind kind;
    int dimensions; /* SIZE only */
    double min, max;
    double fallback; /* optional parameters; required ones have `required` */
    bool required;
};

struct sp_generator_argument {
    int64_t size[3]; /* SIZE */
    int64_t count;   /* COUNT */
    double real;     /* REAL */
};

struct sp_generator_shape {
    int64_t n_r, n_c;
    int64_t n_nz;      /* upper bound */
    double work_bytes; /* [B] taken beside the matrix while it is made */
    enum sp_symmetry symmetry;
};

struct sp_generator;

/* How a family is made. */
struct sp_generator_way {
    /* Sizes, and SP_USAGE for parameters that do not fit each other; may set dimensions above
     * SP_MAX_DIMENSION, which the caller refuses. */
    enum sp_status (*shape)(const struct sp_generator *g, const struct sp_generator_argument *arg,
                            struct sp_generator_shape *shape, struct sp_error *err);
    /* Either a matrix that can be written row by row. Rows [first, end): length[i - first] of each;
     * then entries from position row_ptr[i] on. Called from several threads for disjoint rows; both
     * calls must agree. `scratch` is the thread's own, scratch_items(arg) int32_t. */
    void (*lengths)(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                    int64_t end, int64_t *length);
    void (*rows)(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                 int64_t end, int32_t *scratch, struct sp_csr *a);
    int64_t (*scratch_items)(const struct sp_generator_argument *arg); /* NULL: none needed */
    /* or the whole at once. */
    enum sp_status (*make)(const struct sp_generator *g, const struct sp_generator_argument *arg,
                           const struct sp_generator_shape *shape, const struct sp_allocator *allocator,
                           struct sp_csr *a, struct sp_error *err);
};

struct sp_generator {
    const char *name, *form, *summary, *example;
    struct sp_generator_parameter parameter[SP_GENERATOR_PARAMETERS];
    const struct sp_generator_way *way;
    const void *detail; /* the family's own constant data */
};

extern const struct sp_generator sp_generator_table[]; /* ends with name NULL */

/* A matrix of a collection and what rebuilds the places of its entries. */
struct sp_generator_alias {
    const char *group, *name, *spec;
};
extern const struct sp_generator_alias sp_generator_aliases[]; /* ends with name NULL */

/* One value for entry (i, j) of a seeded matrix, uniform in [-1, 1] without 0. */
static inline double sp_generator_value(uint64_t seed, int64_t i, int64_t j)
{
    uint64_t bits = sp_random_at(seed + (uint64_t)i * UINT64_C(0x9fb21c651e98df25), (uint64_t)j);
    double u = (double)((bits >> 11) + 1) * 0x1p-53;
    return bits & 1 ? u : -u;
}

/* regular.c: neighbours on a grid of 1, 2 or 3 dimensions; open boundaries, or periodic ones where
 * disorder has a fourth argument of 1 */
enum { SP_STENCIL_POINTS = 27 };
struct sp_stencil {
    int dimensions;
    int n_points;
    signed char offset[SP_STENCIL_POINTS][3]; /* dx, dy, dz; in ascending order of (dz, dy, dx) */
    double diagonal, neighbour;               /* values */
    bool disorder; /* argument 1 is W, argument 2 a seed: W (u - 1/2) is added to the diagonal */
};
extern const struct sp_stencil sp_stencil_5_point, sp_stencil_9_point, sp_stencil_7_point,
    sp_stencil_27_point, sp_stencil_anderson;

enum { SP_LAYER_INPUTS = 32 };

/* Each family's file defines its own. */
extern const struct sp_generator_way sp_stencil_way, sp_band_way, sp_arrow_way, sp_layer_way, /* regular.c */
    sp_uniform_way, sp_block_way, sp_powerlaw_way,                                            /* random.c */
    sp_debruijn_way, sp_mycielskian_way;                                                      /* regular.c */

#endif
