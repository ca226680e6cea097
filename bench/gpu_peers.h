/* Libraries that our GPU kernels are timed beside: cuSPARSE and cuBLAS. They are opened when they
 * are asked for, by a shared object of their own (libspmodel-peers.so), so that nothing links them;
 * this is all that it shows. Peers have copies of the layout's arrays on the same device, in the
 * same precision; their results are fetched as those of kernels are, and checked.
 *
 * SDDMM of cuSPARSE leaves the product with S out, which is made when the result is fetched: in its
 * favour. */
#ifndef SP_BENCH_GPU_PEERS_H
#define SP_BENCH_GPU_PEERS_H

#include "kernels/kernel.h"
#include "sparse/formats/layout.h"

#define GPU_PEERS_FILE   "libspmodel-peers.so"
#define GPU_PEERS_SYMBOL "gpu_peers"
#define GPU_PEERS_ABI    2

struct gpu_peer {
    const char *name; /* "cuSPARSE CSR ALG1, column-major" */
    enum sp_op op;
    int format;                 /* of the layout that it takes; SELL: sigma = 1 */
    enum sp_order order;        /* of X and Y */
    int algorithm;              /* the library's number */
    bool preprocesses, is_gemm; /* GEMM: takes S as a dense matrix */
};

struct gpu_peers {
    int abi;
    size_t layout_size; /* sizeof(struct sp_layout) */
    int n;
    const struct gpu_peer *peer; /* [n] */
    /* Opens the libraries and finds what is needed in them; needs no GPU. SP_ABSENT with the
     * loader's words where there is no cuSPARSE. */
    enum sp_status (*find)(struct sp_error *err);
    /* After find and open: why there is no cuBLAS, NULL: it is there. Its peers cannot be prepared
     * then. */
    const char *(*without_blas)(void);
    /* The device first (a library without a driver prints), then a handle of each library. Once. */
    enum sp_status (*open)(struct sp_error *err);
    /* *preprocess_s: what the library did once for all runs [s]. SP_ABSENT: it does not take
     * this. */
    enum sp_status (*prepare)(const struct gpu_peer *peer, const struct sp_workload *workload,
                              const struct sp_layout *layout, const struct sp_operands *operands,
                              void **state, double *preprocess_s, struct sp_error *err);
    /* *seconds of all repetitions, by the device's clock. */
    enum sp_status (*run)(void *state, int64_t repetitions, double *seconds, struct sp_error *err);
    enum sp_status (*fetch)(void *state, double *result, struct sp_error *err);
    void (*release)(void *state); /* accepts NULL */
    void (*close)(void);
};

typedef const struct gpu_peers *gpu_peers_of(void);

#endif
