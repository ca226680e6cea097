/* Numbers of a record that follow from others of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/samples.h"
#include "lab/lab_audit.h"

static double number(const json_t *record, const char *path)
{
    return sp_lab_number(record, path, NAN);
}

/* Where one of the two is not known there is nothing to compare. */
static void expect(const char *run, const char *what, double a, double b, double tolerance,
                   struct sp_lab_audit *audit)
{
    if (!isnan(a) && !isnan(b) && fabs(a - b) > tolerance * fmax(fabs(a), fabs(b)))
        sp_lab_audit_add(audit, run, SP_FLAG_ARITHMETIC, "%s: %.6g is not %.6g", what, a, b);
}

static double sum(const json_t *record, const char *const *path, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += number(record, path[i]);
    return s;
}

/* What all arrays of a level have read or written. */
static double of_arrays(const json_t *level, const char *key)
{
    const char *name;
    json_t *array;
    double s = 0;
    const json_t *arrays = json_object_get(level, "arrays");
    if (json_object_size(arrays) == 0)
        return NAN;
    json_object_foreach((json_t *)arrays, name, array)
    {
        s += json_number_value(json_object_get(array, key));
    }
    return s;
}

static double flops(const json_t *record)
{
    const char *op = json_string_value(sp_lab_node(record, "config.op"));
    const double nnz = number(record, "problem.nnz"), rhs = number(record, "config.rhs"),
                 inner = number(record, "config.inner");
    if (!op || strcmp(sp_lab_text(sp_lab_node(record, "config"), "precision"), "c128") == 0)
        return NAN;
    return strcmp(op, "spmv") == 0      ? 2 * nnz
           : strcmp(op, "spmmv") == 0   ? 2 * rhs * nnz
           : strcmp(op, "spmm") == 0    ? 2 * inner * nnz
           : strcmp(op, "sddmm") == 0   ? (2 * inner + 1) * nnz
           : strcmp(op, "fusedmm") == 0 ? 4 * inner * nnz
                                        : NAN;
}

/* Median of the samples of the only run; NAN where there are several. */
static double median_of_samples(const json_t *record)
{
    const json_t *list = sp_lab_node(record, "runs.0.time_s");
    const size_t n = json_array_size(list);
    double *sample = n > 0 ? malloc(n * sizeof *sample) : NULL, median = NAN;
    for (size_t i = 0; sample && i < n; i++)
        sample[i] = json_number_value(json_array_get(list, i));
    if (sample && json_array_size(json_object_get(record, "runs")) == 1)
        median = sp_median(sample, (int64_t)n);
    free(sample);
    return median;
}

static void audit_model(const char *run, const json_t *root, struct sp_lab_audit *audit)
{
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(root, "predictions"), i, row)
    {
        const char *name;
        json_t *array;
        double s = 0;
        if (strcmp(sp_lab_text(row, "kind"), "gpu") == 0)
            continue;
        json_object_foreach(json_object_get(row, "array_B"), name, array)
        {
            s += json_number_value(array);
        }
        expect(run, "the arrays' bytes and the volume", s, number(row, "bytes.value"), 1e-6, audit);
    }
}

void sp_lab_audit_arithmetic(const char *run, const json_t *record, struct sp_lab_audit *audit)
{
    static const char *const losses[] = {"losses.min_traffic", "losses.padding", "losses.extra_x",
                                         "losses.imbalance",   "losses.in_core", "losses.rest"};
    audit_model(run, record,
                audit); /* a record has no predictions, a model no metrics; who adds some has both */
    const double t = number(record, "metrics.time.value"), W = number(record, "metrics.flops.value"),
                 V = number(record, "metrics.bytes.value");
    size_t i;
    json_t *level;
    expect(run, "the operations and those of the matrix", W, flops(record), 1e-9, audit);
    expect(run, "time x performance and the operations", t * number(record, "metrics.performance.value"), W,
           1e-6, audit);
    expect(run, "balance x operations and the bytes", number(record, "metrics.balance.value") * W, V, 1e-6,
           audit);
    expect(run, "time x bandwidth and the bytes", t * number(record, "metrics.bandwidth.value"), V, 1e-6,
           audit);
    expect(run, "the sum of the losses and the time", sum(record, losses, 6), t, 1e-6, audit);
    expect(run, "the median of the samples and the time", median_of_samples(record), t, 1e-6, audit);
    json_array_foreach(json_object_get(record, "levels"), i, level)
    {
        expect(run, "what arrays read and the level's reads", of_arrays(level, "read_B"),
               number(level, "read_B"), 1e-6, audit);
        expect(run, "what arrays wrote and the level's writes", of_arrays(level, "write_B"),
               number(level, "write_B"), 1e-6, audit);
    }
}
