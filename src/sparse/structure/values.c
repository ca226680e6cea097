#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "sparse/structure/parts.h"

/* Different values by their bits, up to SP_STRUCTURE_DISTINCT of them: open addressing, never more than half
 * full. A real value has 0 as its second half. */
enum { SLOTS = 4 * SP_STRUCTURE_DISTINCT };

struct values {
    int64_t n; /* SP_STRUCTURE_DISTINCT + 1: too many, no longer counted */
    bool taken[SLOTS];
    uint64_t key[SLOTS][2];
};

static void add_value(struct values *v, uint64_t re, uint64_t im)
{
    size_t slot = sp_random_at(re, im) % SLOTS;
    while (v->taken[slot]) {
        if (v->key[slot][0] == re && v->key[slot][1] == im)
            return;
        slot = (slot + 1) % SLOTS;
    }
    if (++v->n > SP_STRUCTURE_DISTINCT)
        return;
    v->taken[slot] = true;
    v->key[slot][0] = re;
    v->key[slot][1] = im;
}

static uint64_t bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static bool survives_f32(double x)
{
    return fabs(x) <= 0x1.fffffep127 ? (double)(float)x == x : isinf(x) || isnan(x);
}

enum sp_status sp_structure_values(const struct sp_csr *a, struct sp_structure *s, struct sp_error *err)
{
    bool is_complex = sp_csr_is_complex(a), no_memory = false;
    int64_t n_zeros = 0, n_inexact = 0;
    void *p;
    enum sp_status status = sp_new_array(1, sizeof(struct values), "different values", &p, err);
    if (status != SP_OK)
        return status;
    struct values *all = p;
#pragma omp parallel reduction(+ : n_zeros, n_inexact)
    {
        struct values *own = calloc(1, sizeof *own);
        if (!own) {
#pragma omp atomic write
            no_memory = true;
        }
        uint64_t last[2] = {0, 0};
        bool any = false;
#pragma omp for schedule(static)
        for (int64_t k = 0; k < a->n_nz; k++) {
            double re = is_complex ? a->val[2 * k] : a->val[k], im = is_complex ? a->val[2 * k + 1] : 0;
            n_zeros += re == 0 && im == 0;
            n_inexact += !survives_f32(re) || !survives_f32(im);
            uint64_t key[2] = {bits(re), bits(im)};
            if (!own || own->n > SP_STRUCTURE_DISTINCT || (any && key[0] == last[0] && key[1] == last[1]))
                continue;
            add_value(own, key[0], key[1]);
            last[0] = key[0];
            last[1] = key[1];
            any = true;
        }
#pragma omp critical
        if (own) {
            for (int i = 0; i < SLOTS && all->n <= SP_STRUCTURE_DISTINCT; i++)
                if (own->taken[i])
                    add_value(all, own->key[i][0], own->key[i][1]);
            if (own->n > SP_STRUCTURE_DISTINCT)
                all->n = SP_STRUCTURE_DISTINCT + 1;
        }
        free(own);
    }
    s->n_zeros = n_zeros;
    s->n_inexact_f32 = n_inexact;
    s->distinct_at_least = all->n > SP_STRUCTURE_DISTINCT;
    s->n_distinct = s->distinct_at_least ? SP_STRUCTURE_DISTINCT : all->n;
    free(all);
    if (no_memory)
        return sp_fail(err, SP_MEMORY, "free memory, or take a smaller matrix",
                       "no memory for counting values");
    return SP_OK;
}
