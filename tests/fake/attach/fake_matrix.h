/* A matrix that the fakes of libraries share, and the time that each of their products takes. */
#ifndef FAKE_MATRIX_H
#define FAKE_MATRIX_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define FAKE __attribute__((visibility("default")))

struct fake_rows {
    int n_r, n_c;
    int *row_ptr, *col;
};

/* `each` entries a row, at places that differ from row to row; n_c columns. */
static inline struct fake_rows fake_rows_make(int n_r, int n_c, int each)
{
    struct fake_rows m = {n_r, n_c, malloc(((size_t)n_r + 1) * sizeof(int)),
                          malloc(((size_t)n_r * (size_t)each + 1) * sizeof(int))};
    int n = 0;
    for (int i = 0; i < n_r; i++) {
        m.row_ptr[i] = n;
        for (int k = 0; k < each; k++)
            m.col[n++] = (int)(((int64_t)i + (int64_t)k * 7919) % n_c);
    }
    m.row_ptr[n_r] = n;
    return m;
}

static inline void fake_wait(long ns)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < ns);
}

#endif
