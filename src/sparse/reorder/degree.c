#include "sparse/reorder/degree.h"

#include <stdlib.h>

static int64_t degree(const struct sp_pattern *a, int64_t i)
{
    return a->row_ptr[i + 1] - a->row_ptr[i];
}

enum sp_status sp_degree_order(const struct sp_pattern *a, uint64_t number, int32_t *perm,
                               struct sp_error *err)
{
    (void)number;
    int64_t most = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        most = degree(a, i) > most ? degree(a, i) : most;
    void *p;
    enum sp_status status = sp_new_array(most + 2, sizeof(int64_t), "vertices of each degree", &p, err);
    if (status != SP_OK)
        return status;
    int64_t *place = p; /* place[most - d]: where the next of degree d goes */
    for (int64_t i = 0; i < a->n_r; i++)
        place[most - degree(a, i) + 1]++;
    for (int64_t k = 0; k < most; k++)
        place[k + 1] += place[k];
    for (int64_t i = 0; i < a->n_r; i++)
        perm[place[most - degree(a, i)]++] = (int32_t)i;
    free(place);
    return SP_OK;
}

enum sp_status sp_hub_order(const struct sp_pattern *a, uint64_t number, int32_t *perm, struct sp_error *err)
{
    (void)number;
    (void)err;
    const double mean = a->n_r > 0 ? (double)a->n_nz / (double)a->n_r : 0;
    int64_t next = 0;
    for (int hubs = 1; hubs >= 0; hubs--)
        for (int64_t i = 0; i < a->n_r; i++)
            if (((double)degree(a, i) > mean) == hubs)
                perm[next++] = (int32_t)i;
    return SP_OK;
}
