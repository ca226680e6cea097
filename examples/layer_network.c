#include "layer_network.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "sparse/csr/permute.h"
#include "sparse/generate/generate.h"

double network_bias(const struct network *network)
{
    const int64_t n = network->n_neurons;
    return n >= 65536 ? -0.45 : n >= 16384 ? -0.4 : n >= 4096 ? -0.35 : -0.3;
}

static enum sp_status generate(const struct network *network, int layer, struct sp_csr *w,
                               struct sp_error *err)
{
    char spec[96], modifier[32] = "";
    if (network->shuffle)
        snprintf(modifier, sizeof modifier, "+permuted:%d", network->shuffle);
    snprintf(spec, sizeof spec, "layer:%lld:%d%s", (long long)network->n_neurons, layer, modifier);
    return sp_generate(spec, NULL, w, err);
}

/* The neurons of a layer by their remainders modulo its stride, which is the step between the first inputs of
 * neuron 0: those of one remainder listen to the same ones. */
static enum sp_status group(const struct network *network, int layer, int32_t **order, struct sp_error *err)
{
    struct sp_csr w;
    void *p = NULL;
    enum sp_status status = generate(network, layer, &w, err);
    if (status == SP_OK)
        status = sp_new_array(w.n_r, sizeof **order, "the order of neurons", &p, err);
    *order = p;
    if (status == SP_OK) {
        const int64_t stride = w.col[1] - w.col[0];
        int64_t n = 0;
        for (int64_t remainder = 0; remainder < stride; remainder++)
            for (int64_t i = remainder; i < w.n_r; i += stride)
                (*order)[n++] = (int32_t)i;
    }
    sp_csr_free(&w);
    return status;
}

enum sp_status network_layer(const struct network *network, int layer, struct sp_csr *w, struct sp_error *err)
{
    if (!network->grouped || network->shuffle)
        return generate(network, layer, w, err);
    int32_t *rows = NULL, *columns = NULL;
    struct sp_csr plain = {0};
    enum sp_status status = group(network, layer, &rows, err);
    if (status == SP_OK && layer > 0)
        status = group(network, layer - 1, &columns, err);
    if (status == SP_OK)
        status = generate(network, layer, &plain, err);
    if (status == SP_OK)
        status = sp_csr_permute(&plain, rows, columns, NULL, w, err);
    sp_csr_free(&plain);
    free(rows);
    free(columns);
    return status;
}

float network_input(int64_t neuron, int64_t input)
{
    struct sp_random share = {sp_random_at(11, (uint64_t)input)};
    struct sp_random coin = {sp_random_at((uint64_t)input + 1000, (uint64_t)neuron)};
    return sp_random_unit(&coin) < 0.6 * sp_random_unit(&share) ? 1 : 0;
}
