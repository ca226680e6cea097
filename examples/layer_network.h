/* The network of the Graph Challenge, layer by layer. */
#ifndef SP_EXAMPLES_LAYER_NETWORK_H
#define SP_EXAMPLES_LAYER_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"

struct network {
    int64_t n_neurons;
    int shuffle;  /* seed of new names for the neurons, 0: none */
    bool grouped; /* neurons of a layer that listen to the same ones stand next to each other; not with
                     shuffle */
};

/* The bias of all layers in the challenge's networks of this size. */
double network_bias(const struct network *network);

/* Weights of a layer, [neurons x neurons of the layer before], each in the order of its own layer: inputs
 * have their natural order. */
enum sp_status network_layer(const struct network *network, int layer, struct sp_csr *w,
                             struct sp_error *err);

/* Feature `neuron` of an input, 0 or 1, 1 with a probability below 0.6 that differs from input to input. */
float network_input(int64_t neuron, int64_t input);

#endif
