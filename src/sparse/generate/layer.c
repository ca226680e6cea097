#include "sparse/generate/families.h"

/* Layers of a RadiX-Net [Kepner and Robinett 2019], as in the Graph Challenge for sparse networks: neuron i
 * of N listens to the neurons i + n s modulo N, n = 0 .. 31, with weights of 1/16. The stride s of a layer is
 * the place value of its digit in numbers of radix 32: 1, 32, 1024, ... below N/32, then N/32, and so on from
 * the start, so that after one round every neuron has heard of every input. */
enum { N, INDEX };
enum { INPUTS = SP_LAYER_INPUTS };

static int64_t stride_of(int64_t n, int64_t index)
{
    const int64_t last = n / INPUTS;
    int64_t n_strides = 1;
    for (int64_t s = 1; s < last; s *= INPUTS)
        n_strides++;
    int64_t s = 1;
    for (int64_t k = index % n_strides; k > 0; k--)
        s *= INPUTS;
    return s < last ? s : last;
}

enum sp_status sp_layer_shape(const struct sp_generator *g, const struct sp_generator_argument *arg,
                              struct sp_generator_shape *shape, struct sp_error *err)
{
    (void)g;
    (void)err;
    shape->n_r = shape->n_c = arg[N].size[0];
    shape->n_nz = INPUTS * shape->n_r;
    shape->symmetry = SP_GENERAL;
    return SP_OK;
}

void sp_layer_lengths(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                      int64_t end, int64_t *length)
{
    (void)g;
    (void)arg;
    for (int64_t i = first; i < end; i++)
        length[i - first] = INPUTS;
}

void sp_layer_rows(const struct sp_generator *g, const struct sp_generator_argument *arg, int64_t first,
                   int64_t end, int32_t *scratch, struct sp_csr *a)
{
    (void)g;
    (void)scratch;
    const int64_t n = arg[N].size[0], stride = stride_of(n, arg[INDEX].count);
    for (int64_t i = first; i < end; i++) {
        /* Ascending: those that wrap around come first. */
        const int64_t below = (n - i + stride - 1) / stride, straight = below < INPUTS ? below : INPUTS;
        int64_t to = a->row_ptr[i];
        for (int64_t k = 0; k < INPUTS; k++, to++) {
            const int64_t at = k < INPUTS - straight ? straight + k : k - (INPUTS - straight);
            a->col[to] = (int32_t)((i + at * stride) % n);
            a->val[to] = 1.0 / 16;
        }
    }
}
