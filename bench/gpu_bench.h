/* What bench_gpu is made of: candidates (gpu_candidates.c), what they take in turn (gpu_rounds.c), and the
 * command itself (bench_gpu.c). */
#ifndef SP_BENCH_GPU_BENCH_H
#define SP_BENCH_GPU_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu_peers.h"
#include "kernels/gpu_module.h"
#include "kernels/kernel.h"
#include "model/machine.h"
#include "sparse/product/workload.h"

enum {
    MAX_ROUNDS = 101,
    MAX_FORMS = 8,
    MAX_ROWS = 64,
    MAX_MATRICES = 256,
    MAX_KERNELS = 16,
    MOST_SECONDS = 86400,
    EXIT_USAGE = 2,
    EXIT_ABSENT = 4
};

struct settings {
    struct sp_workload workload;
    const char *formats[MAX_FORMS], *matrices[MAX_MATRICES];
    int n_formats, n_matrices, n_rounds;
    double seconds;      /* no round of a matrix begins later; 0: all do */
    const char *machine; /* file; NULL: measured in the beginning */
    bool with_peers, with_parts, only_libraries;
};

struct device {
    const struct sp_gpu_module *module;
    const struct gpu_peers *peers; /* NULL: without */
    struct sp_gpu_device facts;
    void *arena;
    size_t arena_B;
    double roof;               /* [B/s] */
    struct sp_machine machine; /* what the model goes by */
};

/* A layout that several rows share. */
struct form {
    struct sp_workload workload;
    struct sp_layout layout;
};

struct row {
    char name[112];
    const struct form *form;
    const struct sp_kernel *kernel; /* ours, by the table */
    const struct gpu_peer *peer;    /* else by the module, with parts left away */
    void *state;
    double preprocess_s;
    double expected_s; /* by the model, warm; NAN: not modelled */
    int64_t repetitions;
    double warm_s[MAX_ROUNDS], cold_s[MAX_ROUNDS];
};

struct bench {
    const struct settings *settings;
    const struct device *device;
    struct sp_csr matrix;
    struct sp_dense_arrays arrays;
    struct form forms[MAX_FORMS];
    struct row rows[MAX_ROWS];
    int n_forms, n_rows;
    int n_rounds;    /* that were run */
    double begun_at; /* by sp_now() */
};

/* Says the error and ends: exit 4 where something is not there. */
_Noreturn void bench_fail(const struct sp_error *err);

/* All candidates of the settings' formats, each of which has run and given the right result; of the others a
 * line says why not. */
void bench_add_forms(struct bench *bench);
/* n times; *seconds of one. */
enum sp_status bench_run_row(const struct bench *bench, struct row *row, int64_t n, double *seconds,
                             struct sp_error *err);
/* All candidates, layouts, the matrix, and `bench` itself. */
void bench_release(struct bench *bench);

/* All rounds, warm and cold. */
void bench_measure(struct bench *bench);
void bench_print_row(const struct bench *bench, const struct row *row);
/* The best peer's time by ours, also printed; NAN: one of them is missing. */
double bench_print_ratio(const struct bench *bench, bool cold);

#endif
