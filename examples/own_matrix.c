/* A matrix of one's own, in memory: a Laplacian on a grid, analysed with a built-in kernel and explained with
 * times that this program takes of its own loop.
 *
 *     cc -O2 -fopenmp own_matrix.c $(pkg-config --cflags --libs spmodel) -o own_matrix && ./own_matrix
 */
#include <spmodel.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIDE = 400, N = SIDE * SIDE, REPEATS = 20 };
static int row_ptr[N + 1], col[5 * N];
static double values[5 * N], x[N], y[N];

static int make_laplacian(void)
{
    int n_nz = 0;
    for (int i = 0; i < N; i++) {
        const int neighbour[] = {i - SIDE, i % SIDE ? i - 1 : -1, i, i % SIDE < SIDE - 1 ? i + 1 : -1,
                                 i + SIDE};
        for (int k = 0; k < 5; k++)
            if (neighbour[k] >= 0 && neighbour[k] < N) {
                col[n_nz] = neighbour[k];
                values[n_nz++] = k == 2 ? 4 : -1;
            }
        row_ptr[i + 1] = n_nz;
        x[i] = 1;
    }
    return n_nz;
}

static double time_product(void)
{
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int k = row_ptr[i]; k < row_ptr[i + 1]; k++)
            sum += values[k] * x[col[k]];
        y[i] = sum;
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

static void show(spmodel *s, int status, spmodel_result *r)
{
    if (status != SPMODEL_OK)
        fprintf(stderr, "%s\n", spmodel_message(s));
    else
        puts(spmodel_text(r, SPMODEL_REPORT));
    spmodel_result_free(r);
}

int main(void)
{
    const int n_nz = make_laplacian();
    const struct spmodel_matrix a = {.size = sizeof a,
                                     .n_r = N,
                                     .n_c = N,
                                     .n_nz = n_nz,
                                     .row_ptr = row_ptr,
                                     .col = col,
                                     .values = values,
                                     .row_ptr_B = 4,
                                     .col_B = 4,
                                     .name = "laplacian"};
    double time_s[REPEATS];
    spmodel *s = spmodel_new();
    spmodel_result *r = NULL;
    for (int i = 0; i < REPEATS; i++)
        time_s[i] = time_product();
    int status = spmodel_analyze(s, &a, NULL, &r);
    show(s, status, r);
    if (status == SPMODEL_OK) {
        status = spmodel_explain(s, &a, time_s, REPEATS, &r);
        show(s, status, r);
    }
    spmodel_free(s);
    return status;
}
