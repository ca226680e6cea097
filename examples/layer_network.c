#include "layer_network.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "sparse/csr/permute.h"
#include "sparse/generate/generate.h"

enum { ALIGNED_B = 64 };

static enum sp_status refuse(const struct layer_file *file, const char *what, struct sp_error *err)
{
    return sp_fail(err, SP_OUTPUT, "choose another --directory, with enough room", "%s %s: %s", what,
                   file->path, strerror(errno));
}

enum sp_status layer_file_create(const char *path, int n_layers, struct layer_file *file,
                                 struct sp_error *err)
{
    *file = (struct layer_file){.n_layers = n_layers};
    snprintf(file->path, sizeof file->path, "%s", path);
    file->descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file->descriptor < 0)
        return refuse(file, "cannot create", err);
    void *p;
    enum sp_status status = sp_new_array(n_layers, sizeof *file->layer, "the layers", &p, err);
    file->layer = p;
    return status;
}

/* The arrays of a layout in the order of the file. */
struct piece {
    void **array;
    int64_t size; /* [B] */
};
enum { N_PIECES = 6 };

static void pieces_of(struct sp_layout *l, struct piece piece[N_PIECES])
{
    const struct piece all[N_PIECES] = {
        {(void **)&l->block, (l->n_blocks + 1) * (int64_t)sizeof *l->block},
        {(void **)&l->list, l->n_list * (int64_t)sizeof *l->list},
        {(void **)&l->len, l->n_chunks * (int64_t)sizeof *l->len},
        {&l->ptr, l->n_ptr * (int64_t)l->s_p},
        {&l->col, l->n_indices * (int64_t)l->s_i},
        {&l->val, l->n_stored * (int64_t)l->s_a},
    };
    memcpy(piece, all, sizeof all);
}

static int64_t rounded(int64_t size, int64_t unit)
{
    return (size + unit - 1) / unit * unit;
}

static enum sp_status write_at(const struct layer_file *file, int64_t offset, const char *data, int64_t size,
                               struct sp_error *err)
{
    while (size > 0) {
        const ssize_t n = pwrite(file->descriptor, data, (size_t)size, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return refuse(file, "cannot write", err);
        data += n;
        offset += n;
        size -= n;
    }
    return SP_OK;
}

enum sp_status layer_file_add(struct layer_file *file, int layer, struct sp_layout *layout,
                              struct sp_error *err)
{
    struct layer *to = &file->layer[layer];
    struct piece piece[N_PIECES];
    enum sp_status status = SP_OK;
    to->offset = file->size;
    pieces_of(layout, piece);
    for (int i = 0; i < N_PIECES && status == SP_OK; i++) {
        status = write_at(file, file->size, *piece[i].array, piece[i].size, err);
        file->size += rounded(piece[i].size, ALIGNED_B);
    }
    file->size = rounded(file->size, sysconf(_SC_PAGESIZE));
    to->size = file->size - to->offset;
    to->layout = *layout;
    layout->partition = (struct sp_partition){0};
    sp_layout_free(layout);
    return status;
}

enum sp_status layer_file_map(struct layer_file *file, struct sp_error *err)
{
    if (ftruncate(file->descriptor, file->size) != 0 || fsync(file->descriptor) != 0)
        return refuse(file, "cannot write", err);
    posix_fadvise(file->descriptor, 0, 0, POSIX_FADV_DONTNEED);
    file->map = mmap(NULL, (size_t)file->size, PROT_READ, MAP_SHARED, file->descriptor, 0);
    if (file->map == MAP_FAILED) {
        file->map = NULL;
        return refuse(file, "cannot map", err);
    }
    for (int i = 0; i < file->n_layers; i++) {
        struct piece piece[N_PIECES];
        int64_t at = file->layer[i].offset;
        pieces_of(&file->layer[i].layout, piece);
        for (int k = 0; k < N_PIECES; k++) {
            *piece[k].array = file->map + at;
            at += rounded(piece[k].size, ALIGNED_B);
        }
    }
    return SP_OK;
}

static void advise(const struct layer_file *file, int layer, int advice)
{
    if (layer >= 0 && layer < file->n_layers)
        madvise(file->map + file->layer[layer].offset, (size_t)file->layer[layer].size, advice);
}

void layer_file_want(const struct layer_file *file, int layer)
{
    advise(file, layer, MADV_WILLNEED);
}

void layer_file_drop(const struct layer_file *file, int layer)
{
    advise(file, layer, MADV_DONTNEED);
}

void layer_file_close(struct layer_file *file, bool remove_it)
{
    if (file->map)
        munmap(file->map, (size_t)file->size);
    for (int i = 0; file->layer && i < file->n_layers; i++)
        sp_partition_free(&file->layer[i].layout.partition);
    free(file->layer);
    if (file->descriptor >= 0)
        close(file->descriptor);
    if (remove_it)
        unlink(file->path);
    *file = (struct layer_file){.descriptor = -1};
}

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
