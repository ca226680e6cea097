/* The layers of a network in one file, mapped and used one after the other. The file holds the arrays of each
 * layer's layout in format STAGED, every layer from a page boundary on. */
#ifndef SP_EXAMPLES_LAYER_FILE_H
#define SP_EXAMPLES_LAYER_FILE_H

#include <stdint.h>

#include "base/status.h"
#include "sparse/formats/layout.h"

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
