#include "sparse/csr/csr_symmetry.h"

#include <stdlib.h>

/* a[k] = +-a[m] or its conjugate; two NaNs are alike. */
static bool alike(double x, double y)
{
    return x == y || (x != x && y != y);
}

static bool mirrored(const struct sp_csr *a, int64_t k, int64_t m)
{
    double sign = a->symmetry == SP_SKEW_SYMMETRIC ? -1 : 1;
    if (!sp_csr_is_complex(a))
        return alike(a->val[k], sign * a->val[m]);
    double sign_im = a->symmetry == SP_HERMITIAN ? -1 : sign;
    return alike(a->val[2 * k], sign * a->val[2 * m]) &&
           alike(a->val[2 * k + 1], sign_im * a->val[2 * m + 1]);
}

enum sp_status sp_csr_symmetry_holds(const struct sp_csr *a, bool *holds, struct sp_error *err)
{
    *holds = false;
    if (a->symmetry == SP_GENERAL || a->n_r != a->n_c)
        return SP_OK;
    void *p;
    enum sp_status status = sp_new_array(a->n_r, sizeof(int64_t), "positions in the upper triangle", &p, err);
    if (status != SP_OK)
        return status;
    /* next[j]: the entry of row j in the upper triangle that the next lower entry of column j must mirror;
     * rows are walked in order and columns ascend, so it only moves forward. */
    int64_t *next = p, n_lower = 0, n_upper = 0;
    bool ok = true;
    for (int64_t i = 0; i < a->n_r && ok; i++) {
        int64_t k = a->row_ptr[i], end = a->row_ptr[i + 1];
        for (; k < end && a->col[k] < i && ok; k++, n_lower++) {
            int32_t j = a->col[k];
            ok = next[j] < a->row_ptr[j + 1] && a->col[next[j]] == i && mirrored(a, k, next[j]);
            next[j]++;
        }
        if (k < end && a->col[k] == i) {
            ok = ok && a->symmetry != SP_SKEW_SYMMETRIC;
            k++;
        }
        next[i] = k;
        n_upper += end - k;
    }
    free(next);
    *holds = ok && n_lower == n_upper;
    return SP_OK;
}
