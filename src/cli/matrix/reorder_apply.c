#include "cli/matrix/reorder_apply.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/matrix/array_text.h"

enum sp_status sp_reorder_apply(const char *vector, const char *permutation, const char *to, bool inverse,
                                struct sp_error *err)
{
    struct sp_array_text x;
    int32_t *perm;
    int64_t n;
    enum sp_status status = sp_permutation_read(permutation, &perm, &n, err);
    if (status != SP_OK)
        return status;
    status = sp_array_text_read(vector, &x, err);
    if (status == SP_OK && x.n_r != n)
        status = sp_fail_at(err, SP_INPUT, vector, 0, 0, "take the permutation of this side of the matrix",
                            "the vector has %lld elements, the permutation of %s has %lld", (long long)x.n_r,
                            permutation, (long long)n);
    if (status == SP_OK)
        status = sp_array_text_write(
            to, &x, perm, inverse,
            inverse ? "back in the order before a reordering" : "in the order of a reordering", err);
    sp_array_text_free(&x);
    free(perm);
    return status;
}
