#include "layer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
