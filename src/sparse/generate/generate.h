/* Matrices from formulas and seeds: "laplace3d:240+permuted:7" and the like.
 *
 * A specification is KIND:PARAMETER:...[+MODIFIER[:ARGUMENT]]...; the same text gives the same
 * matrix on every machine and for any number of threads. The results are canonical
 * (sp_csr_check). */
#ifndef SP_SPARSE_GENERATE_H
#define SP_SPARSE_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "sparse/csr/csr.h"

struct sp_generator;

/* What `spmodel generate` and `spmodel help` list. */
struct sp_generator_info {
    const char *name;    /* "laplace3d" */
    const char *form;    /* "laplace3d:NX[xNYxNZ]" */
    const char *summary; /* one line */
    const char *example; /* a small instance that works, as `spec` */
};
/* i = 0, 1, ...: the kinds, then false. */
bool sp_generator_get(int i, struct sp_generator_info *info);
/* Likewise for the modifiers: name, form ("+permuted[:SEED]"), summary, example ("+permuted:7"). */
bool sp_generator_modifier_get(int i, struct sp_generator_info *info);

/* Sizes before anything is allocated. n_nz is an upper bound, mostly exact; kinds with a random
 * number of entries exceed it with a probability below 1e-15. SP_USAGE: no such kind, a parameter
 * out of range. */
enum sp_status sp_generate_estimate(const char *spec, int64_t *n_r, int64_t *n_c, int64_t *n_nz,
                                    struct sp_error *err);
/* Will its matrix be symmetric? False for what is no such text. */
bool sp_generate_is_symmetric(const char *spec);

/* The most memory that sp_generate takes at any moment [B], the matrix included. */
enum sp_status sp_generate_bytes(const char *spec, double *bytes, struct sp_error *err);

/* `spec` is the text after "gen:". allocator NULL: plain. SP_USAGE names the specification and the
 * right form; SP_MEMORY when the system refuses. */
enum sp_status sp_generate(const char *spec, const struct sp_allocator *allocator, struct sp_csr *matrix,
                           struct sp_error *err);

#endif
