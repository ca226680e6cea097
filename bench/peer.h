/* Other people's SpMV, y = A x in double with 32-bit indices, to be compared in the same run. */
#ifndef SP_BENCH_PEER_H
#define SP_BENCH_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct peer_matrix {
    int32_t n_r, n_c, n_nz;
    const int32_t *row_ptr; /* [n_r + 1] */
    const int32_t *col;     /* [n_nz] */
    const double *val;      /* [n_nz] */
    const double *x;        /* [n_c], aligned to 64 bytes */
    double *y;              /* [n_r], aligned to 64 bytes */
};

struct peer {
    const char *name;
    const char *absent;                                             /* NULL, or why it is not there */
    void *(*open)(const struct peer_matrix *matrix, int n_threads); /* NULL: it refused */
    void (*run)(void *state);
    void (*close)(void *state);
};

extern const struct peer peer_eigen, peer_librsb;

#ifdef __cplusplus
}
#endif

#endif
