#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "attach/attach.h"

/* Of each array so many elements are hashed, evenly over it. */
enum { SAMPLES = 64, BUFFER_B = 1 << 18 };

static int64_t index_at(const void *array, int width_B, int64_t i)
{
    int64_t wide;
    int32_t narrow;
    if (width_B == 8) {
        memcpy(&wide, (const char *)array + i * 8, sizeof wide);
        return wide;
    }
    memcpy(&narrow, (const char *)array + i * 4, sizeof narrow);
    return narrow;
}

static int64_t row_begin(const struct sp_attach_view *v, int part, int64_t i)
{
    return index_at(v->part[part].row_ptr, v->row_ptr_B, i) - v->base;
}

static int64_t row_end(const struct sp_attach_view *v, int part, int64_t i)
{
    const struct sp_attach_part *p = &v->part[part];
    return (p->row_end ? index_at(p->row_end, v->row_ptr_B, i) : index_at(p->row_ptr, v->row_ptr_B, i + 1)) -
           v->base;
}

static uint64_t mix(uint64_t hash, uint64_t x)
{
    hash ^= x + 0x9e3779b97f4a7c15ULL;
    hash *= 0xff51afd7ed558ccdULL;
    return hash ^ (hash >> 32);
}

/* A row without entries between others says nothing, but neither is it a fault. */
uint64_t sp_attach_hash(const struct sp_attach_view *v)
{
    uint64_t hash =
        mix(mix(mix(0x5350415454414348ULL, (uint64_t)v->n_r), (uint64_t)v->n_c), (uint64_t)v->n_nz);
    for (int part = 0; part < v->n_parts; part++) {
        const int64_t n = v->n_r < SAMPLES ? v->n_r : SAMPLES;
        for (int64_t k = 0; k < n; k++) {
            const int64_t i = n == v->n_r ? k : (int64_t)((double)k / (double)n * (double)v->n_r);
            const int64_t begin = row_begin(v, part, i), end = row_end(v, part, i);
            hash = mix(mix(hash, (uint64_t)begin), (uint64_t)end);
            if (begin < end) /* somewhere in the row, another place for each */
                hash = mix(hash, (uint64_t)index_at(v->part[part].col, v->col_B, begin + k % (end - begin)));
        }
    }
    return hash ? hash : 1;
}

/* ---- writing ---- */

struct writer {
    int fd;
    char *buffer;
    size_t used;
    bool ok;
};

static void flush_out(struct writer *w)
{
    size_t done = 0;
    while (w->ok && done < w->used) {
        const ssize_t n = write(w->fd, w->buffer + done, w->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            w->ok = false;
    }
    w->used = 0;
}

static void put(struct writer *w, const void *data, size_t size)
{
    if (w->used + size > BUFFER_B)
        flush_out(w);
    memcpy(w->buffer + w->used, data, size);
    w->used += size;
}

/* Row pointers and columns as the file has them; false: they are no matrix. */
static bool put_pattern(const struct sp_attach_view *v, struct writer *w)
{
    int64_t sum = 0;
    put(w, &sum, sizeof sum);
    for (int64_t i = 0; i < v->n_r; i++) {
        for (int part = 0; part < v->n_parts; part++) {
            const int64_t n = row_end(v, part, i) - row_begin(v, part, i);
            if (n < 0 || n > v->n_nz - sum)
                return false;
            sum += n;
        }
        put(w, &sum, sizeof sum);
    }
    if (sum != v->n_nz)
        return false;
    for (int64_t i = 0; i < v->n_r; i++) {
        int64_t before = 0;
        for (int part = 0; part < v->n_parts; part++) {
            const int64_t end = row_end(v, part, i);
            for (int64_t k = row_begin(v, part, i); k < end; k++) {
                const int64_t j = index_at(v->part[part].col, v->col_B, k) - v->base;
                if (j < 0 || j >= v->part[part].n_c)
                    return false;
                const int32_t col = (int32_t)(before + j);
                put(w, &col, sizeof col);
            }
            before += v->part[part].n_c;
        }
    }
    return true;
}

static const char *write_pattern(const struct sp_attach_view *v, uint64_t hash, const char *path)
{
    char part[1200];
    struct sp_attach_pattern head = {.version = SP_ATTACH_VERSION,
                                     .header_B = sizeof head,
                                     .n_r = v->n_r,
                                     .n_c = v->n_c,
                                     .n_nz = v->n_nz,
                                     .hash = hash};
    memcpy(head.magic, SP_ATTACH_PATTERN_MAGIC, sizeof head.magic);
    if (snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid()) >= (int)sizeof part)
        return "the path of its file is too long";
    struct writer w = {.fd = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600),
                       .ok = true};
    if (w.fd < 0)
        return "its file could not be made";
    const char *why = "no memory to write it";
    w.buffer = mmap(NULL, BUFFER_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (w.buffer != MAP_FAILED) {
        put(&w, &head, sizeof head);
        why = put_pattern(v, &w) ? NULL : "its arrays are not what they were taken for";
        flush_out(&w);
        munmap(w.buffer, BUFFER_B);
        if (!why && (!w.ok || rename(part, path) != 0))
            why = "its file could not be written (is the disk full?)";
    }
    close(w.fd);
    if (why)
        unlink(part);
    return why;
}

static const char *room_for(const struct sp_attach_view *v)
{
    struct statvfs disk;
    const double size_B =
        (double)sizeof(struct sp_attach_pattern) + ((double)v->n_r + 1) * 8 + (double)v->n_nz * 4;
    if (size_B > 1e18 || !sp_attach_is_within_limit((int64_t)size_B))
        return "it would be larger than files may be (ulimit -f)";
    if (statvfs(sp_attach_log.folder, &disk) == 0 &&
        size_B > (double)disk.f_bavail * (double)disk.f_frsize / 4)
        return "it would take more than a quarter of what is free on the disk";
    return NULL;
}

void sp_attach_keep(const struct sp_attach_view *v, struct sp_attach_matrix *entry)
{
    char path[1200];
    const int saved = errno;
    const char *why = v->n_parts > 0 ? NULL : v->why ? v->why : "its arrays are not known";
    if (!why && (v->n_r > INT32_MAX || v->n_c > INT32_MAX || v->n_r < 0 || v->n_c < 0 || v->n_nz < 0))
        why = "its sizes are beyond what spmodel takes";
    if (!why) {
        snprintf(entry->file, sizeof entry->file, "pattern-%016llx.sppat", (unsigned long long)entry->hash);
        snprintf(path, sizeof path, "%s/%s", sp_attach_log.folder, entry->file);
        if (access(path, F_OK) != 0) /* another process may have had the same */
            why = room_for(v);
        if (!why && access(path, F_OK) != 0)
            why = write_pattern(v, entry->hash, path);
    }
    snprintf(entry->why, sizeof entry->why, "%s", why ? why : "");
    entry->pattern = why ? SP_ATTACH_REFUSED : SP_ATTACH_PATTERN;
    errno = saved;
}
