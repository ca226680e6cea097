#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/option/option_words.h"
#include "base/samples.h"
#include "session/record/imports.h"

/* The kernels that are taken: launches of one name belong together. */
enum { MOST_KERNELS = 32 };
struct kernels {
    int n;
    const char *name[MOST_KERNELS];
    int64_t n_launches[MOST_KERNELS];
    int64_t n_products;
};

static bool is_wanted(const struct sp_ncu_launch *l, const char *region)
{
    return !region || strstr(l->kernel, region);
}

/* Without its arguments. */
static int short_length(const char *kernel)
{
    return (int)strcspn(kernel, "(");
}

static enum sp_status find_kernels(const struct sp_ncu_csv *csv, const char *path,
                                   const struct sp_import_options *o, struct kernels *k, struct sp_error *err)
{
    char list[400] = "";
    int n_named = 0;
    for (int64_t i = 0; i < csv->n_launches; i++) {
        const struct sp_ncu_launch *l = &csv->launch[i];
        int at = 0;
        bool again = false;
        for (int64_t j = 0; j < i && !again && n_named < MOST_KERNELS; j++)
            again = strcmp(csv->launch[j].kernel, l->kernel) == 0;
        if (!again && n_named++ < MOST_KERNELS && strlen(list) + 70 < sizeof list)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.*s", *list ? ", " : "",
                     short_length(l->kernel) < 60 ? short_length(l->kernel) : 60, l->kernel);
        if (!is_wanted(l, o->region))
            continue;
        while (at < k->n && strcmp(k->name[at], l->kernel) != 0)
            at++;
        if (at == MOST_KERNELS)
            return sp_fail_at(err, SP_USAGE, path, 0, 0, "name a longer part of one's name with " SP_O_REGION,
                              "more than %d kernels are taken", MOST_KERNELS);
        k->n += at == k->n;
        k->name[at] = l->kernel;
        k->n_launches[at]++;
    }
    if (k->n == 0)
        return sp_fail_at(err, SP_USAGE, path, 0, 0, list, "there is no kernel with '%s' in its name",
                          o->region ? o->region : "");
    if (k->n > 1 && !o->region)
        return sp_fail_at(err, SP_USAGE, path, 0, 0,
                          "name a part of those that make the product with " SP_O_REGION,
                          "several kernels are in it: %s", list);
    k->n_products = o->executions;
    for (int i = 0; i < k->n && o->executions == 0; i++)
        k->n_products = i == 0 || k->n_launches[i] < k->n_products ? k->n_launches[i] : k->n_products;
    return SP_OK;
}

/* The metric in one product: medians over the launches of each kernel. NAN: a kernel has it not. */
static double of_product(const struct sp_ncu_csv *csv, const struct kernels *k, const char *metric,
                         double *work)
{
    double sum = 0;
    for (int i = 0; i < k->n; i++) {
        int64_t n = 0;
        for (int64_t v = 0; v < csv->n_values; v++)
            if (strcmp(csv->value[v].metric, metric) == 0 &&
                strcmp(csv->launch[csv->value[v].launch].kernel, k->name[i]) == 0)
                work[n++] = csv->value[v].value;
        if (n == 0)
            return NAN;
        sum += sp_median(work, n) * (double)k->n_launches[i] / (double)k->n_products;
    }
    return sum;
}

/* Names beside those that live counting asks for, of which one is enough. */
static const struct {
    const char *name;
    enum sp_gpu_count count;
    double scale;
} others[] = {{"lts__t_bytes_srcunit_tex_op_read.sum", SP_GPU_L2_READ, 1},
              {"lts__t_bytes_srcunit_tex_op_write.sum", SP_GPU_L2_WRITE, 1},
              {"dram__sectors_read.sum", SP_GPU_DRAM_READ, 32},
              {"dram__sectors_write.sum", SP_GPU_DRAM_WRITE, 32},
              {"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum", SP_GPU_L1_LOAD, 1.0 / 32},
              {"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum", SP_GPU_L1_STORE, 1.0 / 32}};

static void add(struct sp_gpu_counts *counts, enum sp_gpu_count count, double x, enum sp_origin origin)
{
    const struct sp_value before = counts->of[count];
    counts->of[count] = sp_value_of((sp_value_known(before) ? before.value : 0) + x, origin);
}

static void take_counts(const struct sp_ncu_csv *csv, const struct kernels *k, double *work,
                        struct sp_gpu_counts *counts)
{
    const enum sp_origin origin = csv->constructed ? SP_CONSTRUCTED : SP_MEASURED;
    sp_gpu_counts_none(counts, "the file has no such metric");
    static const enum sp_gpu_set_name sets[] = {SP_GPU_SET_TRAFFIC, SP_GPU_SET_UPDATES};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        const struct sp_gpu_set *set = &sp_gpu_sets[sets[s]];
        for (int m = 0; m < set->n_metrics; m++) {
            const double x = of_product(csv, k, set->metric[m].name, work);
            const bool is_time = set->metric[m].count == SP_GPU_TIME; /* in seconds already */
            if (isfinite(x))
                add(counts, set->metric[m].count, (is_time ? 1 : set->metric[m].scale) * x, origin);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const double x = of_product(csv, k, others[i].name, work);
        if (isfinite(x) && !sp_value_known(counts->of[others[i].count]))
            add(counts, others[i].count, others[i].scale * x, origin);
    }
}

static enum sp_status check(const char *path, const struct sp_import_options *o,
                            const struct sp_gpu_counts *counts, struct sp_error *err)
{
    static const char remedy[] = "profile with the metrics gpu__time_duration.sum, dram__bytes_read.sum, "
                                 "dram__bytes_write.sum";
    if (!sp_value_known(counts->of[SP_GPU_DRAM_READ]))
        return sp_fail_at(
            err, SP_INPUT, path, 0, 0, remedy,
            "bytes read from memory are not in it (their sum with those written is not enough)");
    if (!sp_value_known(counts->of[SP_GPU_DRAM_WRITE]))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy,
                          "bytes written to memory are not in it for each kernel");
    if (!o->time_s && !(counts->of[SP_GPU_TIME].value > 0))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "no time is in it");
    return SP_OK;
}

/* Times of the launches of the only kernel, else of the product as a whole. */
static enum sp_status take_times(const struct sp_ncu_csv *csv, const char *path, const struct kernels *k,
                                 const struct sp_import_options *o, double *work, struct sp_gpu_recorded *out,
                                 struct sp_error *err)
{
    const struct sp_timed_run run = {
        .from = path, .kernel = out->kernel, .origin = o->time_s ? SP_STATED : SP_MEASURED};
    int64_t n = 0;
    if (o->time_s)
        return sp_recording_of_times(o->time_s, o->n_times, 1, &run, &out->times, err);
    for (int64_t v = 0; k->n == 1 && v < csv->n_values; v++)
        if (strcmp(csv->value[v].metric, "gpu__time_duration.sum") == 0 &&
            strcmp(csv->launch[csv->value[v].launch].kernel, k->name[0]) == 0)
            work[n++] = csv->value[v].value * (double)k->n_launches[0] / (double)k->n_products;
    if (n == 0)
        work[n++] = out->counts.of[SP_GPU_TIME].value;
    return sp_recording_of_times(work, n, 1, &run, &out->times, err);
}

enum sp_status sp_import_ncu(const struct sp_ncu_csv *csv, const char *path,
                             const struct sp_import_options *o, struct sp_gpu_recorded *out,
                             struct sp_error *err)
{
    struct kernels k = {0};
    void *work = NULL;
    memset(out, 0, sizeof *out);
    enum sp_status status = find_kernels(csv, path, o, &k, err);
    if (status == SP_OK)
        status = sp_new_array(csv->n_values + 1, sizeof(double), "metrics", &work, err);
    if (status != SP_OK)
        return status;
    snprintf(out->source, sizeof out->source, "ncu");
    snprintf(out->kernel, sizeof out->kernel, "%.*s%s",
             short_length(k.name[0]) < 200 ? short_length(k.name[0]) : 200, k.name[0],
             k.n > 1 ? " and others" : "");
    snprintf(out->how, sizeof out->how, "kernel %.60s, %lld product%s%s%.60s", out->kernel,
             (long long)k.n_products, k.n_products == 1 ? "" : "s, medians", *csv->gpu ? ", on " : "",
             csv->gpu);
    out->constructed = csv->constructed;
    take_counts(csv, &k, work, &out->counts);
    status = check(path, o, &out->counts, err);
    if (status == SP_OK)
        status = take_times(csv, path, &k, o, work, out, err);
    free(work);
    return status;
}
