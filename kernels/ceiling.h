/* Ceilings: how fast this machine moves data and computes when nothing else stands in the way.
 *
 * One arena of memory serves all of them, because fresh memory is expensive to touch. A ceiling is
 * prepared on the arena, which costs nothing, and sampled as often as one likes, so that samples of
 * ceilings and of kernels can alternate in time [THEORY 8]:
 *
 *     sp_ceiling_arena_open(&sp_allocator_huge, 256 << 20, n_threads, &arena, err);
 *     sp_ceiling_prepare(&run, &arena, SP_CEILING_LOAD, 256 << 20, n_threads, 2, NULL, err);
 *     sp_ceiling_sample(&run, repetitions, &sample);
 *     sp_ceiling_arena_close(&arena);
 *
 * work / seconds of a sample is a rate in B/s, flop/s or, of gathers, 1/s. */
#ifndef SP_KERNELS_CEILING_H
#define SP_KERNELS_CEILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/job.h"
#include "base/memory.h"
#include "base/status.h"
#include "sparse/formats/layout.h"

enum sp_ceiling_kind {
    SP_CEILING_LOAD,     /* one stream is read */
    SP_CEILING_LOAD_MIX, /* two streams of which one is twice as long are read in step: 8 B + 4 B as CRS reads
                          */
    SP_CEILING_COPY,     /* c = a */
    SP_CEILING_COPY_NT,
    SP_CEILING_TRIAD, /* c = a + s b, f64 */
    SP_CEILING_TRIAD_NT,
    SP_CEILING_GATHER,       /* x[col[k]] of random lines, by gather instructions */
    SP_CEILING_GATHER_LOADS, /* the same by scalar loads */
    SP_CEILING_SCALAR_F64,   /* one multiplication and one addition at a time */
    SP_CEILING_SIMD_F64,     /* the same on vectors, not fused */
    SP_CEILING_FMA_F64,      /* fused on vectors */
    SP_CEILING_SCALAR_F32,
    SP_CEILING_SIMD_F32,
    SP_CEILING_FMA_F32,
    SP_N_CEILING_KINDS
};
/* "load", "load_mix", ..., "scalar", "simd", "fma" as in model/machine.h. */
const char *sp_ceiling_kind_name(enum sp_ceiling_kind kind);
const char *sp_ceiling_kind_precision(enum sp_ceiling_kind kind); /* "f64" or "f32" */
static inline bool sp_ceiling_kind_is_flops(enum sp_ceiling_kind kind)
{
    return kind >= SP_CEILING_SCALAR_F64;
}
/* Their work is loaded elements, not bytes. The working set of each thread is rounded down to a
 * power of two, all of whose lines are visited in a random order before one comes again: none stays
 * in a cache that is smaller. There is no index stream: SP_CEILING_GATHER_LIST indices stand in the
 * L1 and, where the set has more lines, are moved on after each use, an addition a vector. One
 * repetition is one such list. */
static inline bool sp_ceiling_kind_is_gather(enum sp_ceiling_kind kind)
{
    return kind == SP_CEILING_GATHER || kind == SP_CEILING_GATHER_LOADS;
}

struct sp_ceiling_arena {
    void *memory;
    size_t bytes;       /* touched and usable */
    size_t allocated_B; /* at least `bytes` */
    int n_threads;
    const struct sp_allocator *allocator;
    double touch_s; /* seconds that the first touch took */
};

/* Allocates and touches: thread k of n_threads the k-th part. Fresh memory of a virtual machine can
 * cost many seconds per GiB: when the whole would take longer than touch_budget_s (0: no limit),
 * only a front part is touched, by all threads in turns, and `bytes` is its size. SP_MEMORY as
 * usual. allocator NULL: plain pages. */
enum sp_status sp_ceiling_arena_open(const struct sp_allocator *allocator, size_t bytes, int n_threads,
                                     double touch_budget_s, struct sp_ceiling_arena *arena,
                                     struct sp_error *err);
void sp_ceiling_arena_close(struct sp_ceiling_arena *arena); /* safe twice */

struct sp_ceiling_isa; /* kernels/cpu/ceiling/ceiling_isa.h */

/* A prepared ceiling; owns nothing, valid while its arena is. */
struct sp_ceiling_run {
    enum sp_ceiling_kind kind;
    int n_threads;
    const struct sp_ceiling_isa *isa;
    char *memory;      /* the arena's */
    size_t distance;   /* from one thread's part of the arena to the next one's [B] */
    int64_t stream;    /* bytes of the longest stream of one thread, a multiple of 1024 */
    int64_t offset[3]; /* of the streams a, b, c in a thread's part [B] */
    double work; /* bytes moved, elements gathered or operations done by all threads in one repetition */
    int64_t bytes_used; /* working set of all threads [B]; 0 for flops */
    const char *isa_name;
};

/* Prepares `kind` on a working set of `bytes` (all threads and streams together; flops: ignored) in
 * the arena, thread k in the part that thread k of n_threads touched. `w`: bytes counted per byte
 * stored: 2 where a plain store first reads the line (all levels outside L1), 1 in L1; non-temporal
 * stores always count 1. `isa`: "avx512", "avx2", "portable" or NULL for the best here. SP_ABSENT
 * where the instruction set or the kind (FMA, non-temporal stores) is not there; SP_USAGE for a
 * working set above the arena or below 4 KiB a thread. */
enum sp_status sp_ceiling_prepare(struct sp_ceiling_run *run, const struct sp_ceiling_arena *arena,
                                  enum sp_ceiling_kind kind, size_t bytes, int n_threads, int w,
                                  const char *isa, struct sp_error *err);

struct sp_ceiling_sample {
    double seconds; /* from the first start to the last end */
    double work;    /* what all threads have done [B], [flop] or gathers */
    double busy;    /* the least share of a thread's time that it held a processor, 0 ... 1: below ~0.95 other
                       programs disturbed the sample */
    double cpu_s;   /* the most processor time of a thread [s] */
};

/* One sample: every thread does `repetitions` passes. Allocates nothing. */
void sp_ceiling_sample(const struct sp_ceiling_run *run, int64_t repetitions,
                       struct sp_ceiling_sample *sample);

/* Repetitions in which a gather visits each line of its working set at least once. */
int64_t sp_ceiling_gather_pass(const struct sp_ceiling_run *run);

/* Repetitions that take about `target_s` of processor time, at least 1; runs a quarter of that. */
int64_t sp_ceiling_calibrate(const struct sp_ceiling_run *run, double target_s);

/* Seconds of a thread's time that a gather takes from n_lines of 64 bytes (a power of two, at least
 * 1024) that lie scattered over the pages of memory[bytes], a power of two and at least n_lines
 * lines: all caches see the same whatever `bytes` is, each set of theirs as often. All threads
 * gather from the same memory, each line once in n_lines. */
double sp_ceiling_scattered(const void *memory, size_t bytes, int64_t n_lines, int n_threads,
                            int64_t repetitions);

/* A random cyclic walk over the 64-byte lines of bytes (at most the arena), for latencies: building
 * it costs a random store a line. */
void sp_ceiling_chase_build(const struct sp_ceiling_arena *arena, size_t bytes, uint64_t seed);
/* Seconds a step of `steps` dependent loads along the walk, by the calling thread. *position keeps
 * the place, 0 at first. */
double sp_ceiling_chase(const struct sp_ceiling_arena *arena, int64_t steps, int64_t *position);

/* The roof of a kernel, measured on its own data: the threads read the layout's value and index
 * arrays in step as the kernel reads them, then the rows of entries where they are stored and the
 * dense operands of the job, from end to end, and do next to nothing else. Same pages, same
 * placement, same mix of streams, same size; what an ideal kernel without gathers and stores would
 * take [THEORY 8]. */

/* Reads the arrays of a job `repetitions` times, in equal shares, with n_threads of the layout's
 * partition. *checksum depends on every byte, so that no read can be left out. */
void sp_scan_job(const struct sp_job *job, int64_t repetitions, uint64_t *checksum);

/* Bytes that one repetition reads [B]. */
double sp_scan_bytes(const struct sp_job *job);

#endif
