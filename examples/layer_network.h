/* The network of the Graph Challenge, layer by layer: made, and kept in one file. */
#ifndef SP_EXAMPLES_LAYER_NETWORK_H
#define SP_EXAMPLES_LAYER_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "sparse/csr/csr.h"
#include "sparse/formats/layout.h"

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

/* The layers of a network in one file, mapped and used one after the other. The file holds the arrays of each
 * layer's layout in format STAGED, every layer from a page boundary on. */
struct layer_file {
    int descriptor, n_layers;
    char path[4096];
    struct layer {
        struct sp_layout layout; /* its arrays lie in the map, only the partition is owned */
        int64_t offset, size;    /* in the file [B]; size in whole pages */
    } * layer;                   /* [n_layers] */
    char *map;                   /* NULL until layer_file_map() */
    int64_t size;
};

/* Creates `path` for so many layers. SP_OUTPUT where the system refuses, here and below. */
enum sp_status layer_file_create(const char *path, int n_layers, struct layer_file *file,
                                 struct sp_error *err);

/* Appends a layer in the order of calls and takes over the layout, whose arrays are freed. */
enum sp_status layer_file_add(struct layer_file *file, int layer, struct sp_layout *layout,
                              struct sp_error *err);

/* Writes all to the medium, asks the system to forget its copy in memory, and maps the file. */
enum sp_status layer_file_map(struct layer_file *file, struct sp_error *err);

/* Asks for a layer beforehand; drops one that is finished. Both do nothing for layers that do not exist. */
void layer_file_want(const struct layer_file *file, int layer);
void layer_file_drop(const struct layer_file *file, int layer);

/* Unmaps, closes and, where asked, removes the file. */
void layer_file_close(struct layer_file *file, bool remove_it);

#endif
