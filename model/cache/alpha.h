/* alpha: bytes of the gathered operand x that move through a level's interface, per s_x n_nz
 * [THEORY 2].
 *
 * 0: x stays in cache · alpha_min: every line that a cache domain touches is loaded once · 1: no
 * reuse, but full use of lines · alpha_max(r): a whole line for every gathered row of r values.
 * alpha/alpha_min is how many times x is loaded. */
#ifndef SP_MODEL_ALPHA_H
#define SP_MODEL_ALPHA_H

#include <stddef.h>
#include <stdint.h>

#include "base/reading.h"
#include "base/status.h"
#include "sparse/formats/layout.h"

struct sp_alpha_min {
    double alpha;       /* sum over domains of line (distinct lines of x touched)/sp_layout_gather_bytes() */
    double alpha_once;  /* the same for one domain with all threads: alpha - alpha_once is duplication */
    int64_t lines;      /* distinct (domain, line) pairs */
    int64_t lines_once; /* distinct lines */
};

/* The lines that the layout's own accesses touch, fill and guard entries included, so that the
 * figure is what an infinite cache per domain would load. domain_of_thread[partition.n_threads] in
 * [0, n_domains), or NULL: all in domain 0. x_offset_B: where x[0] starts inside a line.
 * lines_of[n_domains] receives the distinct lines of each domain, NULL: not wanted. Zero for a
 * matrix without entries. Fails with SP_MEMORY only. */
enum sp_status sp_alpha_min_layout(const struct sp_layout *layout, int n_domains, const int *domain_of_thread,
                                   int line_B, size_t x_offset_B, int64_t *lines_of, struct sp_alpha_min *out,
                                   struct sp_error *err);

/* The columns that the layout's accesses touch, from which sp_alpha_min_layout() follows for any
 * width without another walk over the entries. Zero-initialise; sp_touched_columns_free(). */
struct sp_touched_columns {
    unsigned char *map; /* [n_domains][n] */
    int n_domains;
    int64_t n, guard; /* n_c + 2 guard: columns in front of x and behind it */
};

/* SP_MEMORY. */
enum sp_status sp_touched_columns_make(const struct sp_layout *layout, int n_domains,
                                       const int *domain_of_thread, struct sp_touched_columns *out,
                                       struct sp_error *err);
void sp_touched_columns_free(struct sp_touched_columns *columns);

/* As sp_alpha_min_layout(), of `layout`, which has the columns of the one they were made of and may
 * differ in operation, r and order. */
enum sp_status sp_alpha_min_touched(const struct sp_touched_columns *columns, const struct sp_layout *layout,
                                    int line_B, size_t x_offset_B, struct sp_alpha_min *out,
                                    struct sp_error *err);

/* 1/n_nzc: one domain, no empty columns, full lines. 0 for n_nz = 0. */
double sp_alpha_min_sizes(int64_t n_c, int64_t n_nz);

/* line ceil(r s_x/line)/(r s_x) for aligned rows of r values: 8, 4, 2, 1 for fp64, r = 1, 2, 4, 8,
 * 64-byte lines. Prefetching can exceed it. */
double sp_alpha_max(int64_t r, double s_x, double line_B);

/* What alpha follows from. */
struct sp_alpha_source {
    double matrix_B;         /* values (fill included), indices, pointers, permutation, a row operand */
    double y_B;              /* bytes of the result: s_y n_r for one vector */
    double x_B;              /* bytes gathered at alpha = 1: s_x n_nz for one vector; > 0 */
    struct sp_value w;       /* with its interval: an error of 1 in w shifts alpha by 1/n_nzr */
    struct sp_value read_B;  /* V_read; SP_NONE: only the sum is known */
    struct sp_value total_B; /* V; used where V_read is not known */
};

struct sp_alpha_reading {
    struct sp_value alpha; /* origin as the bytes'; SP_NONE with the reason where V is below V(alpha = 0) */
    double zero_B;         /* V_read or V at alpha = 0, to be printed beside it */
    double seen_B;         /* the V_read or V that was used */
};

/* alpha = (V_read - matrix - (w - 1) s_y n_r)/(s_x n_nz), or from V with w instead of w - 1.
 * Absorbs prefetching and background traffic. The interval contains those of V and of w, cut at
 * 0. */
struct sp_alpha_reading sp_alpha_from_bytes(const struct sp_alpha_source *source);

#endif
