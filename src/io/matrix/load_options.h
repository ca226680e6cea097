/* What all readers of matrices are told, and what they tell. */
#ifndef SP_IO_LOAD_OPTIONS_H
#define SP_IO_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "sparse/csr/csr.h"

enum sp_cache_mode {
    SP_CACHE_NONE,
    SP_CACHE_BESIDE,    /* NAME.mtx.spm beside NAME.mtx */
    SP_CACHE_DIRECTORY, /* in cache_dir, under a name made of the file's name and its path's hash */
};

/* What the caller makes of the matrix, as far as memory counts. */
enum sp_load_use {
    SP_LOAD_ALONE,    /* nothing: it is written, or counted */
    SP_LOAD_FIGURES,  /* info: its structure */
    SP_LOAD_MODEL,    /* model: layouts without values, one after the other */
    SP_LOAD_ORDER,    /* reorder IN OUT: one order is found, without METIS, and applied */
    SP_LOAD_ORDERS,   /* reorder IN: all orders are found, in turn; or one by METIS */
    SP_LOAD_ANALYSIS, /* analyze, sweep, import */
};

/* Zero-initialised: one thread, plain pages, no limit but the system's, no cache, silent. */
struct sp_load_options {
    int n_threads;
    const struct sp_allocator *allocator; /* of the matrix; also of large temporary arrays */
    double memory_limit_B; /* [B] that loading and `use` may take; 0: what the system says is available */
    enum sp_load_use use;
    enum sp_cache_mode cache;
    const char *cache_dir; /* for SP_CACHE_DIRECTORY; made when missing */
    int64_t block_B;       /* [B] of text that a stream is parsed in, 0: 4 MiB; tests take small ones */
    bool drop_zeros;       /* entries of value 0 are left out; a cache keeps them */

    /* Called now and then by the calling thread; each may be NULL. */
    void (*progress)(void *context, double fraction);
    bool (*interrupted)(void *context); /* true: give up with SP_INTERRUPTED */
    void *context;
};

struct sp_load_facts {
    char name[128];  /* for people: the file's name without directory and endings, or the generator's text */
    char format[96]; /* "Matrix Market coordinate real symmetric, gzip", "binary cache", "generated" */
    double file_B;   /* size of the file as it lies on disk, 0: stream or generated */
    double text_B;   /* Matrix Market text that was parsed, 0: none */
    int64_t n_entries; /* entries that the file lists, before symmetry is expanded and duplicates are added */
    int64_t n_duplicates, n_zeros; /* as in struct sp_csr, before zeros are dropped */
    int64_t n_dropped;             /* zeros left out */
    int n_threads;                 /* that worked */
    double peak_B;                 /* memory taken at the same time, the matrix included, a mapped file not */

    /* Seconds: all; opening and mapping; first pass over the text; second pass (numbers, placing,
     * with the first touch of the matrix' memory), for streams the only one; sorting rows and
     * adding duplicates; digest; writing the cache. */
    double total_s, open_s, survey_s, parse_s, finish_s, digest_s, cache_s;

    bool cache_used, cache_written;
    char cache_path[1024]; /* of the cache that was used or written, "": none */
    char remark[512]; /* one thing that a person should know (a damaged cache that was made anew), "": none */
    char sha256[65];  /* identity of the canonical matrix: sp_csr_digest() */
};

/* How much memory a command will need for a matrix, known from sizes alone, and whether it may be
 * taken. Every reader and generator of matrices asks here before it takes memory. */

/* Sizes as a header or a formula states them; of a symmetric file what is listed is the least there
 * will be. */
struct sp_load_size {
    int64_t n_r, n_c, n_nz;
    enum sp_field field;
    bool symmetric; /* n_nz has both triangles of a symmetric matrix */
};

/* Bytes at the peak of a command's use of a matrix, the matrix itself included:
 *
 *     need = (1 + M) B_csr + e n_nz + r n_r + c n_c + f,    B_csr = sp_csr_bytes()
 *
 * with M further copies, and bytes by entry, row, column and of fixed size from the table in
 * entries.c, which names what they are for. Known before the matrix is made, so it is an
 * estimate: what depends on the pattern is counted as for meshes (fill), or, where METIS may run,
 * as for random graphs: no pattern takes more. */
double sp_load_need(enum sp_load_use use, const struct sp_load_size *size);

/* SP_MEMORY where either `reading_B` (what reading or making it takes at its peak, the matrix
 * included) or what options->use will need exceeds options->memory_limit_B, with both figures, what
 * limits, and the remedy. `what`: "the matrix ...", for reading_B. */
enum sp_status sp_load_check_memory(const char *path, const struct sp_load_options *options,
                                    const struct sp_load_size *size, double reading_B, const char *what,
                                    struct sp_error *err);

#endif
