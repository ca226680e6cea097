/* Runs the bodies of GPU kernels on a CPU: every thread of a block is a fibre, which runs until it has to
 * wait for others. It checks what a GPU would not: bounds of every access, two threads that touch a word of
 * shared memory without a barrier between them, two that store one element of the result, loads of what the
 * grid itself stores, accesses that are not at a multiple of their size, threads that never come to a
 * barrier. It records which addresses the lanes of each warp ask for together.
 *
 * Lanes ask together when they execute the same line for the same time since they last came together (a
 * barrier, an exchange, gpu::next_pass): what reconvergence after each pass of a loop does on the device. */
#ifndef SP_TESTS_GPU_EXECUTOR_H
#define SP_TESTS_GPU_EXECUTOR_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdint.h>

/* COPY: an asynchronous copy into shared memory. */
enum { SP_EXECUTOR_LOAD, SP_EXECUTOR_STORE, SP_EXECUTOR_ADD, SP_EXECUTOR_COPY };

/* One request: what lanes of a warp ask of one array together. */
struct sp_executor_request {
    int64_t grid;       /* which grid since the recording began */
    int64_t warp;       /* of the grid */
    int kind;           /* one of the above */
    int size;           /* bytes of an element */
    uint32_t lanes;     /* bit l: lane l takes part */
    const char *array;  /* the name that it was made with; valid while the array is there */
    int64_t offset[32]; /* bytes from the start of the array, of the lanes that take part */
};

/* A window of the L2 over an array from its first byte. */
struct sp_executor_window {
    const char *array; /* NULL: no launch had one */
    int64_t bytes, set_aside_B;
    double hits;
    int64_t set_aside_now_B;
};

/* All through one table, since the executor is in the shared object that stands in for the GPU module. */
struct sp_executor {
    /* Requests are kept from now on (1), or no longer. */
    void (*record)(int on);
    /* What was recorded, borrowed until the next call of any of these; *n of them. */
    const struct sp_executor_request *(*requests)(int64_t *n);
    /* Sets the order in which the threads of a block run; 0: ascending. */
    void (*seed)(uint64_t seed);
    /* Device memory that is there, for tests of what does not fit; 0: 1 GiB. */
    void (*memory)(int64_t bytes);
    /* Of it, the most that was taken at a time since then. */
    int64_t (*most_used)(void);
    /* The last launch that had one. */
    void (*window)(struct sp_executor_window *last);
};
#define SP_EXECUTOR_SYMBOL "sp_executor_table"
typedef const struct sp_executor *sp_executor_of(void);
const struct sp_executor *sp_executor_table(void);

#ifdef __cplusplus
}
#endif

#endif
