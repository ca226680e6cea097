/* Other people's SpMV and SpMM, Y = A X with X and Y row-major and 32-bit indices, to be compared in the same
 * run. */
#ifndef SP_BENCH_PEER_H
#define SP_BENCH_PEER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer_matrix {
    int32_t n_r, n_c, n_nz;
    int32_t r;              /* columns of X and Y; 1: SpMV */
    bool single_precision;  /* val, x and y are floats, else doubles */
    const int32_t *row_ptr; /* [n_r + 1] */
    const int32_t *col;     /* [n_nz] */
    const void *val;        /* [n_nz] */
    const void *x;          /* [n_c r], aligned to 64 bytes */
    void *y;                /* [n_r r], aligned to 64 bytes */
};

struct peer {
    const char *name;
    const char *absent;                                             /* NULL, or why it is not there */
    void *(*open)(const struct peer_matrix *matrix, int n_threads); /* NULL: it refused */
    void (*run)(void *state);
    void (*close)(void *state);
};

extern const struct peer peer_eigen, peer_librsb, peer_mkl;

#ifdef __cplusplus
}
#endif

#endif
