#include "sparse/reorder.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sparse/permute.h"
#include "sparse/reorder_rcm.h"

static enum sp_status make_random(const struct sp_csr *a, uint64_t seed, int32_t *perm, struct sp_error *err)
{
    return sp_permutation_random(a->n_r, seed, perm, err);
}

static enum sp_status make_reversed(const struct sp_csr *a, uint64_t seed, int32_t *perm,
                                    struct sp_error *err)
{
    (void)seed;
    (void)err;
    for (int64_t i = 0; i < a->n_r; i++)
        perm[i] = (int32_t)(a->n_r - 1 - i);
    return SP_OK;
}

static enum sp_status make_none(const struct sp_csr *a, uint64_t seed, int32_t *perm, struct sp_error *err)
{
    (void)seed;
    (void)err;
    for (int64_t i = 0; i < a->n_r; i++)
        perm[i] = (int32_t)i;
    return SP_OK;
}

static const char same_order[] = "rows and columns take the same new order";

const struct sp_reordering sp_reordering_table[] = {
    {"rcm", "rcm", "reverse Cuthill-McKee: small bandwidth, for meshes", false,
     "it walks the graph in which rows and columns are the same vertices", sp_rcm},
    {"random", "random[:SEED]", "a random order: what no locality costs", true, same_order, make_random},
    {"reversed", "reversed", "from last to first", false, same_order, make_reversed},
    {"none", "none", "the order of the input", false, NULL, make_none},
    {0},
};

enum sp_status sp_reorder_permutation(const char *method, const struct sp_csr *a, int32_t *perm,
                                      struct sp_error *err)
{
    char names[128] = "";
    size_t length = strcspn(method, ":");
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", r->form);
        if (strlen(r->name) != length || strncmp(r->name, method, length) != 0)
            continue;
        int64_t seed = 1;
        if (method[length] && (!r->takes_seed || sp_parse_count(method + length + 1, &seed) || seed < 0))
            return sp_fail(err, SP_USAGE, NULL, "the reordering is written %s, not '%s'", r->form, method);
        if (r->square_because && a->n_r != a->n_c)
            return sp_fail(err, SP_USAGE, "leave the order as it is",
                           "%s needs a square matrix, because %s; this one is %lld x %lld", r->name,
                           r->square_because, (long long)a->n_r, (long long)a->n_c);
        return r->make(a, (uint64_t)seed, perm, err);
    }
    char remedy[160];
    snprintf(remedy, sizeof remedy, "say %s", names);
    return sp_fail(err, SP_USAGE, remedy, "no reordering '%s'", method);
}

enum sp_status sp_reorder(const char *method, const struct sp_csr *a, const struct sp_allocator *allocator,
                          int32_t *perm, struct sp_csr *b, struct sp_error *err)
{
    int32_t *own = NULL;
    memset(b, 0, sizeof *b);
    if (!perm) {
        void *p;
        enum sp_status status = sp_large_alloc(NULL, a->n_r, sizeof *own, "a permutation", &p, err);
        if (status != SP_OK)
            return status;
        perm = own = p;
    }
    enum sp_status status = sp_reorder_permutation(method, a, perm, err);
    if (status == SP_OK)
        status = sp_csr_permute(a, perm, a->n_r == a->n_c ? perm : NULL, allocator, b, err);
    sp_large_free(NULL, own, a->n_r, sizeof *own);
    return status;
}
