#include "sparse/reorder.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sparse/permute.h"
#include "sparse/reorder_jaccard.h"
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

/* Blocks of size x size. */
static enum sp_status make_jaccard(const struct sp_csr *a, uint64_t size, int32_t *perm, struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(a);
    int32_t b = size < 1 ? 1 : size > 64 ? 64 : (int32_t)size;
    return sp_jaccard_rows(&pattern, b, b, SP_JACCARD_THRESHOLD, perm, err);
}

static enum sp_status make_jaccard_columns(const struct sp_csr *a, uint64_t size, int32_t *perm,
                                           struct sp_error *err)
{
    struct sp_pattern pattern = sp_csr_pattern(a);
    int32_t b = size < 1 ? 1 : size > 64 ? 64 : (int32_t)size;
    return sp_jaccard_columns(&pattern, b, b, SP_JACCARD_THRESHOLD, perm, err);
}

static const char same_order[] = "rows and columns take the same new order";

const struct sp_reordering sp_reordering_table[] = {
    {.name = "rcm",
     .form = "rcm",
     .summary = "reverse Cuthill-McKee: small bandwidth, for meshes",
     .square_because = "it walks the graph in which rows and columns are the same vertices",
     .make = sp_rcm},
    {.name = "random",
     .form = "random[:SEED]",
     .summary = "a random order: what no locality costs",
     .takes_number = true,
     .number = 1,
     .square_because = same_order,
     .make = make_random},
    {.name = "reversed",
     .form = "reversed",
     .summary = "from last to first",
     .square_because = same_order,
     .make = make_reversed},
    {.name = "jaccard",
     .form = "jaccard[:B]",
     .summary = "similar rows side by side, for blocks of B x B (8); columns stay",
     .takes_number = true,
     .number = 8,
     .side = SP_REORDER_ROWS,
     .make = make_jaccard},
    {.name = "jaccard2",
     .form = "jaccard2[:B]",
     .summary = "the same of rows, and of columns by their rows",
     .takes_number = true,
     .number = 8,
     .side = SP_REORDER_BOTH,
     .make = make_jaccard,
     .make_columns = make_jaccard_columns},
    {.name = "none", .form = "none", .summary = "the order of the input", .make = make_none},
    {0},
};

/* The row of the table that `method` names, and its number. */
static enum sp_status find_method(const char *method, const struct sp_csr *a,
                                  const struct sp_reordering **found, uint64_t *number, struct sp_error *err)
{
    char names[160] = "";
    size_t length = strcspn(method, ":");
    for (const struct sp_reordering *r = sp_reordering_table; r->name; r++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", r->form);
        if (strlen(r->name) != length || strncmp(r->name, method, length) != 0)
            continue;
        int64_t n = r->number;
        if (method[length] && (!r->takes_number || sp_parse_count(method + length + 1, &n) || n < 0))
            return sp_fail(err, SP_USAGE, NULL, "the reordering is written %s, not '%s'", r->form, method);
        if (r->square_because && a->n_r != a->n_c)
            return sp_fail(err, SP_USAGE, "leave the order as it is",
                           "%s needs a square matrix, because %s; this one is %lld x %lld", r->name,
                           r->square_because, (long long)a->n_r, (long long)a->n_c);
        *found = r;
        *number = (uint64_t)n;
        return SP_OK;
    }
    char remedy[192];
    snprintf(remedy, sizeof remedy, "say %s", names);
    return sp_fail(err, SP_USAGE, remedy, "no reordering '%s'", method);
}

enum sp_status sp_reorder_permutation(const char *method, const struct sp_csr *a, int32_t *perm,
                                      struct sp_error *err)
{
    const struct sp_reordering *r;
    uint64_t number;
    enum sp_status status = find_method(method, a, &r, &number, err);
    return status == SP_OK ? r->make(a, number, perm, err) : status;
}

enum sp_status sp_reorder_columns(const char *method, const struct sp_csr *a, const int32_t *row_perm,
                                  int32_t *perm, bool *kept, struct sp_error *err)
{
    const struct sp_reordering *r;
    uint64_t number;
    *kept = true;
    enum sp_status status = find_method(method, a, &r, &number, err);
    if (status != SP_OK)
        return status;
    *kept = r->side == SP_REORDER_ROWS || (r->side == SP_REORDER_SYMMETRIC && a->n_r != a->n_c);
    if (r->side == SP_REORDER_BOTH)
        return r->make_columns(a, number, perm, err);
    if (!*kept)
        memcpy(perm, row_perm, (size_t)a->n_c * sizeof *perm);
    return SP_OK;
}

/* Symmetric permutations must be the same array, so that the mark of symmetry is kept. */
static enum sp_status permute(const char *method, const struct sp_csr *a,
                              const struct sp_allocator *allocator, const int32_t *perm, struct sp_csr *b,
                              struct sp_error *err)
{
    void *p;
    bool kept;
    enum sp_status status = sp_large_alloc(NULL, a->n_c, sizeof(int32_t), "a permutation", &p, err);
    if (status != SP_OK)
        return status;
    int32_t *columns = p;
    status = sp_reorder_columns(method, a, perm, columns, &kept, err);
    if (status == SP_OK) {
        bool same = !kept && a->n_r == a->n_c && memcmp(columns, perm, (size_t)a->n_c * sizeof *perm) == 0;
        status = sp_csr_permute(a, perm, kept ? NULL : same ? perm : columns, allocator, b, err);
    }
    sp_large_free(NULL, columns, a->n_c, sizeof *columns);
    return status;
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
        status = permute(method, a, allocator, perm, b, err);
    sp_large_free(NULL, own, a->n_r, sizeof *own);
    return status;
}
