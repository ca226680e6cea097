/* A kernel of one's own, y = A x in compressed rows, analysed: how fast it is, how fast it could be, and the
 * built-in one beside it. The matrix is a file's, or generated.
 *
 *     cc -O2 -fopenmp own_kernel.c $(pkg-config --cflags --libs spmodel) -o own_kernel
 *     ./own_kernel matrix.mtx
 */
#include <spmodel.h>
#include <stdio.h>

/* All that is timed. Without prepare() the state is the matrix, here with 4-byte pointers and columns. */
static int run(void *state, const void *vector, void *result)
{
    const struct spmodel_matrix *a = state;
    const int32_t *row_ptr = a->row_ptr, *col = a->col;
    const double *values = a->values, *x = vector;
    double *y = result;
#pragma omp parallel for
    for (int64_t i = 0; i < a->n_r; i++) {
        double sum = 0;
        for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
            sum += values[k] * x[col[k]];
        y[i] = sum;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct spmodel_kernel mine = {.size = sizeof mine, .name = "my rows", .run = run};
    struct spmodel_matrix *a = NULL;
    spmodel_result *r = NULL;
    spmodel *s = spmodel_new();
    int status = spmodel_set(s, "row-ptr", "4");
    if (status == SPMODEL_OK)
        status = spmodel_read(s, argc > 1 ? argv[1] : "gen:laplace3d:40", &a);
    if (status == SPMODEL_OK)
        status = spmodel_analyze(s, a, &mine, &r);
    if (status != SPMODEL_OK)
        fprintf(stderr, "%s\n", spmodel_message(s));
    if (r)
        puts(spmodel_text(r, SPMODEL_REPORT));
    spmodel_result_free(r);
    spmodel_matrix_free(a);
    spmodel_free(s);
    return status;
}
