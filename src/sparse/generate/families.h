/* The functions that table.c puts into rows; each family's file defines its own. */
#ifndef SP_SPARSE_GENERATE_FAMILIES_H
#define SP_SPARSE_GENERATE_FAMILIES_H

#include "sparse/generate/family.h"

/* stencil.c: neighbours on a grid of 1, 2 or 3 dimensions; open boundaries, or periodic ones where disorder
 * has a fourth argument of 1 */
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
enum sp_status sp_stencil_shape(const struct sp_generator *, const struct sp_generator_argument *,
                                struct sp_generator_shape *, struct sp_error *);
void sp_stencil_lengths(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                        int64_t end, int64_t *length);
void sp_stencil_rows(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                     int64_t end, int32_t *scratch, struct sp_csr *a);

/* band.c */
enum sp_status sp_band_shape(const struct sp_generator *, const struct sp_generator_argument *,
                             struct sp_generator_shape *, struct sp_error *);
void sp_band_lengths(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                     int64_t end, int64_t *length);
void sp_band_rows(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                  int64_t end, int32_t *scratch, struct sp_csr *a);

/* random.c: K distinct columns a row, and the same with blocks, dense or filled in part, for entries
 */
enum sp_status sp_uniform_shape(const struct sp_generator *, const struct sp_generator_argument *,
                                struct sp_generator_shape *, struct sp_error *);
void sp_uniform_lengths(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                        int64_t end, int64_t *length);
void sp_uniform_rows(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                     int64_t end, int32_t *scratch, struct sp_csr *a);
int64_t sp_uniform_scratch(const struct sp_generator_argument *);
enum sp_status sp_block_shape(const struct sp_generator *, const struct sp_generator_argument *,
                              struct sp_generator_shape *, struct sp_error *);
void sp_block_lengths(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                      int64_t end, int64_t *length);
void sp_block_rows(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                   int64_t end, int32_t *scratch, struct sp_csr *a);
int64_t sp_block_scratch(const struct sp_generator_argument *);

/* powerlaw.c */
enum sp_status sp_powerlaw_shape(const struct sp_generator *, const struct sp_generator_argument *,
                                 struct sp_generator_shape *, struct sp_error *);
enum sp_status sp_powerlaw_make(const struct sp_generator *, const struct sp_generator_argument *,
                                const struct sp_generator_shape *, const struct sp_allocator *,
                                struct sp_csr *, struct sp_error *);

/* arrow.c */
enum sp_status sp_arrow_shape(const struct sp_generator *, const struct sp_generator_argument *,
                              struct sp_generator_shape *, struct sp_error *);
void sp_arrow_lengths(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                      int64_t end, int64_t *length);
void sp_arrow_rows(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                   int64_t end, int32_t *scratch, struct sp_csr *a);

/* known_graphs.c: De Bruijn's and Mycielski's graphs */
enum sp_status sp_debruijn_shape(const struct sp_generator *, const struct sp_generator_argument *,
                                 struct sp_generator_shape *, struct sp_error *);
void sp_debruijn_lengths(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                         int64_t end, int64_t *length);
void sp_debruijn_rows(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                      int64_t end, int32_t *scratch, struct sp_csr *a);
enum sp_status sp_mycielskian_shape(const struct sp_generator *, const struct sp_generator_argument *,
                                    struct sp_generator_shape *, struct sp_error *);
void sp_mycielskian_lengths(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                            int64_t end, int64_t *length);
void sp_mycielskian_rows(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                         int64_t end, int32_t *scratch, struct sp_csr *a);
int64_t sp_mycielskian_scratch(const struct sp_generator_argument *);

/* layer.c */
enum { SP_LAYER_INPUTS = 32 };
enum sp_status sp_layer_shape(const struct sp_generator *, const struct sp_generator_argument *,
                              struct sp_generator_shape *, struct sp_error *);
void sp_layer_lengths(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                      int64_t end, int64_t *length);
void sp_layer_rows(const struct sp_generator *, const struct sp_generator_argument *, int64_t first,
                   int64_t end, int32_t *scratch, struct sp_csr *a);

#endif
