#include "session/measure/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/option/option_words.h"
#include "base/reading.h"
#include "base/text.h"
#include "io/files/part_file.h"
#include "io/machine/machine_file.h"
#include "model/gpu/gpu_time.h"
#include "probes/cuda/gpu_counters.h"
#include "session/measure/measure_plan.h"

enum {
    MOST_CASES = 24,
    MOST_SAMPLES = 32,
    QUICK_ROUNDS = 5,
    FULL_ROUNDS = 15,
    SIZES_AN_OCTAVE = 4,
    COUNTED_LOADS = 64,
    CHAIN_IN_L2_B =
        1 << 20, /* more than an L1, whose loads pass it anyway; less than a partition of any L2 */
    MOST_SIZES = 24
};
static const double fill_s = 5e-3; /* a sample repeats its work until it lasts so long */

/* One ceiling with its samples. */
struct gpu_case {
    const char *name, *level, *precision;
    struct sp_gpu_ceiling_case what;
    bool cached; /* a pass before each sample brings its data into the L2, where others left theirs */
    double sample[MOST_SAMPLES];
    int n_samples;
};

struct measurement {
    const struct sp_measure_options *options;
    const struct sp_progress *progress;
    const struct sp_gpu_ceilings *ceilings;
    struct sp_gpu_device device;
    void *arena;
    size_t arena_B;
    double start, budget_s;
    int n_cases;
    struct gpu_case one[MOST_CASES];
};

/* NVIDIA's CUDA C++ Programming Guide, technical specifications: L1 and shared memory together. */
static int64_t L1_of(int major, int minor)
{
    if (major == 7)
        return (minor == 5 ? 96 : 128) << 10;
    if (major == 8)
        return (minor == 0 || minor == 7 ? 192 : 128) << 10;
    return (major == 12 ? 128 : 256) << 10;
}

/* Caches and limits of a device by what it says of itself; the size of the L1, which no device
 * says, by its compute capability. No ceilings. */
static void machine_of(const struct sp_gpu_device *d, struct sp_machine *m)
{
    const struct sp_cache L1 = {.level = 1,
                                .size_B = L1_of(d->major, d->minor),
                                .line_B = 128,
                                .sector_B = 32,
                                .cores_sharing = 1,
                                .effective_B = sp_value_none("not measured")};
    struct sp_cache L2 = L1;
    memset(m, 0, sizeof *m);
    m->kind = SP_GPU;
    if (*d->interface)
        snprintf(m->cpu, sizeof m->cpu, "%.80s, OpenCL %d.%d", d->name, d->major, d->minor);
    else
        snprintf(m->cpu, sizeof m->cpu, "%.80s, compute capability %d.%d", d->name, d->major, d->minor);
    sp_measure_name(d->name, 0, m->name, sizeof m->name);
    snprintf(m->memory, sizeof m->memory, "%.1f GB", (double)d->memory_B / 1e9);
    m->n_sockets = m->n_numa = m->n_domains = m->threads_per_core = 1;
    m->n_cores = d->n_cores;
    L2.level = 2;
    L2.size_B = (int64_t)d->L2_B;
    L2.cores_sharing = d->n_cores;
    if (*d->interface) { /* of one cache, and nothing of sectors: the model of levels does not know it */
        L2.line_B = d->line_B > 0 ? d->line_B : 64;
        L2.sector_B = 0;
    } else {
        m->cache[m->n_caches++] = L1;
    }
    m->cache[m->n_caches++] = L2;
    m->gpu = (struct sp_gpu_limits){.threads = *d->interface ? 0 : d->core_threads,
                                    .blocks = d->core_blocks,
                                    .registers = d->core_registers,
                                    .wave = d->wave,
                                    .shared_B = (int64_t)d->shared_core_B,
                                    .block_shared_B = d->major >= 8 ? 1024 : 0,
                                    .launch_s = sp_value_none("not measured"),
                                    .latency_s = sp_value_none("not measured"),
                                    .L2_latency_s = sp_value_none("not measured")};
    snprintf(m->gpu.source, sizeof m->gpu.source, "%s's properties of the device",
             *d->interface ? "OpenCL" : "CUDA");
}

static enum sp_status take(struct measurement *m, struct sp_gpu_ceiling_case *c, double *value,
                           struct sp_error *err)
{
    double seconds;
    if (sp_progress_interrupted(m->progress))
        return sp_fail(err, SP_INTERRUPTED, NULL, "the measurement of the GPU was interrupted");
    for (;;) {
        enum sp_status status = m->ceilings->sample(m->arena, c, value, &seconds, err);
        if (status != SP_OK || seconds >= fill_s / 2 || c->repetitions >= INT64_C(1) << 20)
            return status;
        c->repetitions *= seconds < fill_s / 64 ? 16 : 2;
    }
}

static void add(struct measurement *m, const char *name, const char *level, const char *precision,
                enum sp_gpu_ceiling kind, size_t bytes, int warps)
{
    struct sp_gpu_ceiling_case c = {.kind = kind, .bytes = bytes, .warps = warps, .repetitions = 1};
    m->one[m->n_cases++] = (struct gpu_case){.name = name, .level = level, .precision = precision, .what = c};
}

/* Memory over resident warps shows how many a core needs. */
static void plan(struct measurement *m)
{
    const size_t in_L2 = m->device.L2_B / 4 < m->arena_B ? m->device.L2_B / 4 : m->arena_B;
    const size_t chain_B = in_L2 < CHAIN_IN_L2_B ? in_L2 / 4096 * 4096 : CHAIN_IN_L2_B;
    add(m, "load", "MEM", "f64", SP_GPU_CEILING_LOAD, m->arena_B, 0);
    add(m, "copy", "MEM", "f64", SP_GPU_CEILING_COPY, m->arena_B, 0);
    add(m, "triad", "MEM", "f64", SP_GPU_CEILING_TRIAD, m->arena_B, 0);
    add(m, "load", "L2", "f64", SP_GPU_CEILING_LOAD, in_L2, 0);
    add(m, "fma", "core", "f64", SP_GPU_CEILING_FMA_F64, 4096, 0);
    add(m, "fma", "core", "f32", SP_GPU_CEILING_FMA_F32, 4096, 0);
    add(m, "launch", "", "", SP_GPU_CEILING_LAUNCH, 4096, 0);
    add(m, "latency", "", "", SP_GPU_CEILING_LATENCY, m->arena_B < 512 << 20 ? m->arena_B : 512 << 20, 0);
    if (chain_B > 0) {
        add(m, "latency", "L2", "", SP_GPU_CEILING_LATENCY, chain_B, 0);
        m->one[m->n_cases - 1].cached = true;
    }
    for (int warps = 8; !m->options->quick && warps <= 32; warps *= 2)
        add(m, "warps", "", "", SP_GPU_CEILING_LOAD, m->arena_B, warps);
}

/* Drivers load, or make, code when it first runs: that is no sample. */
static enum sp_status warm_up(struct measurement *m, struct sp_error *err)
{
    double value, seconds;
    enum sp_status status = SP_OK;
    for (int i = 0; i < m->n_cases && status == SP_OK; i++)
        status = m->ceilings->sample(m->arena, &m->one[i].what, &value, &seconds, err);
    return status;
}

static enum sp_status sample_all(struct measurement *m, double until, struct sp_error *err)
{
    const int rounds = m->options->quick ? QUICK_ROUNDS : FULL_ROUNDS;
    for (int round = 0; round < rounds && (round < 3 || sp_now() < until); round++)
        for (int i = 0; i < m->n_cases; i++) {
            struct gpu_case *c = &m->one[i];
            sp_progress_step(m->progress, "measuring the GPU",
                             (double)(round * m->n_cases + i) / (rounds * m->n_cases));
            enum sp_status status = take(m, &c->what, &c->sample[c->n_samples], err);
            if (status == SP_OK && c->cached)
                status = take(m, &c->what, &c->sample[c->n_samples], err);
            if (status != SP_OK)
                return status;
            c->n_samples++;
        }
    return SP_OK;
}

/* The effective L2: between the last size that is loaded (nearly) as fast as small ones and the
 * first that is (nearly) as slow as memory. */
static enum sp_status find_L2(struct measurement *m, struct sp_value *effective, struct sp_error *err)
{
    double size[MOST_SIZES], each[MOST_SIZES];
    int n = 0;
    for (int i = 0; n < MOST_SIZES; i++) {
        struct sp_gpu_ceiling_case c = {.kind = SP_GPU_CEILING_LOAD, .repetitions = 1};
        double rate;
        size[n] = (double)m->device.L2_B / 8 * exp2((double)i / SIZES_AN_OCTAVE);
        if (size[n] > (double)m->arena_B || size[n] > 4 * (double)m->device.L2_B)
            break;
        c.bytes = (size_t)size[n] / 4096 * 4096;
        enum sp_status status = take(m, &c, &rate, err);
        if (status == SP_OK) /* the repetitions are known now */
            status = take(m, &c, &rate, err);
        if (status != SP_OK)
            return status;
        each[n++] = 1 / rate;
    }
    *effective = sp_value_none("no step in bandwidth over size was seen");
    if (n < 4 || each[n - 1] < 1.2 * each[0])
        return SP_OK;
    const double step = each[n - 1] - each[0];
    int last = 0, first = n - 1;
    while (last + 1 < n && each[last + 1] < each[0] + 0.2 * step)
        last++;
    while (first > 0 && each[first - 1] > each[0] + 0.8 * step)
        first--;
    if (first > last)
        *effective = sp_value_between(sqrt(size[last] * size[first]), size[last], size[first], SP_MEASURED);
    return SP_OK;
}

/* What has no place of its own: bandwidth over resident warps, and of a device without limits of
 * its cores what a launch and a load take. */
static void note_rest(const struct measurement *m, struct sp_machine *out)
{
    size_t used = 0;
    if (out->gpu.threads == 0)
        used += (size_t)snprintf(out->note, sizeof out->note,
                                 "a launch takes %.1f us, a load from memory %.0f ns",
                                 1e6 * out->gpu.launch_s.value, 1e9 * out->gpu.latency_s.value);
    for (int i = 0; i < m->n_cases; i++)
        if (strcmp(m->one[i].name, "warps") == 0 && used < sizeof out->note)
            used += (size_t)snprintf(
                out->note + used, sizeof out->note - used, "%s%.0f GB/s with %d warps a core",
                used ? ", " : "memory load: ", sp_median(m->one[i].sample, m->one[i].n_samples) / 1e9,
                m->one[i].what.warps);
}

static enum sp_status conclude(const struct measurement *m, struct sp_machine *out, struct sp_error *err)
{
    for (int i = 0; i < m->n_cases; i++) {
        const struct gpu_case *one = &m->one[i];
        const struct sp_value value = sp_median_interval(one->sample, one->n_samples, SP_MEASURED);
        struct sp_ceiling c = {
            .n_domains = 1, .value = value, .sample = (double *)one->sample, .n_samples = one->n_samples};
        if (strcmp(one->name, "launch") == 0) {
            out->gpu.launch_s = value;
            snprintf(out->gpu.launch_how, sizeof out->gpu.launch_how, "empty kernels in a queue of %lld",
                     (long long)one->what.repetitions);
            continue;
        }
        if (strcmp(one->name, "latency") == 0) {
            char size[32], *how = one->cached ? out->gpu.L2_latency_how : out->gpu.latency_how;
            *(one->cached ? &out->gpu.L2_latency_s : &out->gpu.latency_s) = value;
            snprintf(how, sizeof out->gpu.latency_how, "one warp in a random cycle through lines of %s",
                     sp_text_bytes(size, sizeof size, (double)one->what.bytes));
            continue;
        }
        if (strcmp(one->name, "warps") == 0)
            continue;
        snprintf(c.name, sizeof c.name, "%s", one->name);
        snprintf(c.level, sizeof c.level, "%s", one->level);
        snprintf(c.precision, sizeof c.precision, "%s", one->precision);
        snprintf(c.mode, sizeof c.mode, "unknown");
        c.n_threads = m->device.n_cores;
        snprintf(c.how, sizeof c.how, "median of %d, %.0f MiB, by the GPU's clock", one->n_samples,
                 (double)one->what.bytes / (1 << 20));
        sp_measure_now(c.when, sizeof c.when);
        enum sp_status status = sp_machine_add_ceiling(out, &c, err);
        if (status != SP_OK)
            return status;
    }
    note_rest(m, out);
    return SP_OK;
}

/* Counts of one warp's loads tell which of its lanes have their sectors counted together. */

struct warp_loads {
    struct measurement *m;
    struct sp_gpu_ceiling_case what;
};

static enum sp_status load_in_a_warp(void *context, struct sp_error *err)
{
    const struct warp_loads *loads = context;
    double value, seconds;
    return loads->m->ceilings->sample(loads->m->arena, &loads->what, &value, &seconds, err);
}

/* Sectors of each load, as the counter has them. */
static enum sp_status count_loads(struct measurement *m, const struct sp_gpu_counters *counters, int access_B,
                                  int together, double *sectors, struct sp_error *err)
{
    struct warp_loads loads = {m,
                               {.kind = SP_GPU_CEILING_SECTORS, .access_B = access_B, .together = together}};
    const struct sp_gpu_work work = {load_in_a_warp, load_in_a_warp, &loads};
    struct sp_gpu_counts counts;
    loads.what.repetitions = COUNTED_LOADS;
    loads.what.bytes = COUNTED_LOADS * SP_GPU_SECTORS_ROW_B;
    enum sp_status status = counters->count(SP_GPU_SET_TRAFFIC, &work, &counts, err);
    const struct sp_value *loaded = &counts.of[SP_GPU_L1_LOAD];
    if (status == SP_OK && !sp_value_known(*loaded))
        return sp_fail(err, SP_ABSENT, NULL, "sectors of loads cannot be counted: %s", loaded->why);
    *sectors = status == SP_OK ? loaded->value / COUNTED_LOADS : 0;
    return status;
}

/* Lanes that are counted together, where 32, 16 and 8 neighbours share a sector. *of_warp: sectors
 * of a load by which all share one. SP_UNDECIDED: no number of neighbours gives these counts. */
static enum sp_status find_lanes(struct measurement *m, const struct sp_gpu_counters *counters, int access_B,
                                 int *lanes, double *of_warp, struct sp_error *err)
{
    enum { N = 3 };
    double sectors[N];
    for (int i = 0; i < N; i++) {
        enum sp_status status = count_loads(m, counters, access_B, SP_WARP >> i, &sectors[i], err);
        if (status != SP_OK)
            return status;
    }
    *of_warp = sectors[0];
    for (*lanes = SP_WARP; *lanes > 0; *lanes /= 2) {
        int n_right = 0;
        for (int i = 0; i < N; i++)
            n_right += sectors[i] == SP_WARP / fmin(*lanes, SP_WARP >> i);
        if (n_right == N)
            return SP_OK;
    }
    return sp_fail(err, SP_UNDECIDED, NULL,
                   "loads of %d bytes a lane from 1, 2 and 4 sectors were counted as %g, %g and %g", access_B,
                   sectors[0], sectors[1], sectors[2]);
}

/* What cannot be counted stays unknown, with the reason. */
static enum sp_status find_sector_lanes(struct measurement *m, struct sp_gpu_sector_lanes *out,
                                        struct sp_error *err)
{
    const struct sp_gpu_counters *counters;
    struct sp_error reason;
    double sectors[3];
    int lanes[3];
    sp_progress_step(m->progress, "counting sectors of a warp", -1);
    enum sp_status status = sp_gpu_counters_open(&counters, &reason);
    for (int i = 0; i < 3 && status == SP_OK; i++)
        status = sp_progress_interrupted(m->progress)
                     ? sp_fail(&reason, SP_INTERRUPTED, NULL, "the measurement of the GPU was interrupted")
                     : find_lanes(m, counters, 4 << i, &lanes[i], &sectors[i], &reason);
    if (status == SP_OK && lanes[0] != SP_WARP)
        status = sp_fail(&reason, SP_UNDECIDED, NULL,
                         "loads of 4 bytes a lane from one sector were counted as %g of them", sectors[0]);
    if (status == SP_INTERRUPTED && err)
        *err = reason;
    *out = (struct sp_gpu_sector_lanes){.origin = SP_NONE};
    if (status != SP_OK) {
        snprintf(out->how, sizeof out->how, "%.159s", reason.what);
        return status == SP_INTERRUPTED ? status : SP_OK;
    }
    *out = (struct sp_gpu_sector_lanes){.of_8B = lanes[1], .of_16B = lanes[2], .origin = SP_MEASURED};
    snprintf(out->how, sizeof out->how,
             "loads of a warp from one sector, of 4, 8 and 16 bytes a lane, count as %g, %g and %g",
             sectors[0], sectors[1], sectors[2]);
    return SP_OK;
}

/* Memory needs four times the L2; more of it hides the ends. */
static size_t arena_of(const struct measurement *m)
{
    const double asked = (double)m->options->arena_B, half = 0.5 * (double)m->device.free_B;
    double bytes = fmax(4 * (double)m->device.L2_B, m->options->quick ? 256 << 20 : 1 << 30);
    if (asked > 0)
        bytes = asked;
    return (size_t)fmin(bytes, half) / 4096 * 4096;
}

static void say_source(const struct sp_gpu_device *d, bool quick, char *text, size_t size)
{
    if (*d->interface) {
        snprintf(text, size, "measured by spmodel machine measure " SP_O_DEVICE " opencl%s; %s",
                 quick ? " " SP_O_QUICK : "", d->interface);
        return;
    }
    snprintf(text, size,
             "measured by spmodel machine measure " SP_O_DEVICE " gpu%s; CUDA %d.%d, driver %d.%d",
             quick ? " " SP_O_QUICK : "", d->runtime / 1000, d->runtime % 1000 / 10, d->driver / 1000,
             d->driver % 1000 / 10);
}

static enum sp_status measure(struct measurement *m, struct sp_machine *out, struct sp_error *err)
{
    const struct sp_gpu_module *module;
    enum sp_status status = sp_gpu_module_open(m->options->gpu_api, &module, err);
    if (status == SP_OK)
        status = module->describe(&m->device, err);
    if (status != SP_OK)
        return status;
    machine_of(&m->device, out);
    say_source(&m->device, m->options->quick, out->source, sizeof out->source);
    if (m->options->name)
        snprintf(out->name, sizeof out->name, "%s", m->options->name);
    m->ceilings = module->ceilings;
    m->arena_B = arena_of(m);
    status = m->ceilings->open(m->arena_B, &m->arena, err);
    if (status != SP_OK)
        return status;
    plan(m);
    status = warm_up(m, err);
    if (status == SP_OK)
        status = sample_all(m, m->start + 0.8 * m->budget_s, err);
    if (status == SP_OK)
        status = find_L2(m, &out->cache[out->n_caches - 1].effective_B, err);
    if (status == SP_OK)
        status = conclude(m, out, err);
    if (status == SP_OK && sp_gpu_is_described(out))
        status = find_sector_lanes(m, &out->gpu.sector_lanes, err);
    m->ceilings->close(m->arena);
    return status;
}

enum sp_status sp_machine_measure_gpu(const struct sp_measure_options *options, struct sp_machine *out,
                                      struct sp_measure_notes *notes, const struct sp_progress *progress,
                                      struct sp_error *err)
{
    void *memory;
    memset(out, 0, sizeof *out);
    if (notes)
        *notes = (struct sp_measure_notes){.on_gpu = true, .huge_share = -1};
    enum sp_status status = sp_new_array(1, sizeof(struct measurement), "the ceilings", &memory, err);
    if (status != SP_OK)
        return status;
    struct measurement *m = memory;
    m->options = options;
    m->progress = progress;
    m->start = sp_now();
    m->budget_s = options->budget_s > 0 ? options->budget_s : options->quick ? 8 : 60;
    status = measure(m, out, err);
    if (notes) {
        notes->arena_B = (double)m->arena_B;
        notes->seconds = sp_now() - m->start;
        for (int i = 0; i < m->n_cases; i++)
            notes->n_samples += m->one[i].n_samples;
    }
    if (status != SP_OK)
        sp_machine_free(out);
    free(m);
    return status;
}

/* Of this device, by this driver: both stand in what the machine says of itself. */
static bool is_of(const struct sp_machine *kept, const struct sp_gpu_device *d)
{
    struct sp_machine now;
    char source[sizeof kept->source];
    machine_of(d, &now);
    say_source(d, true, source, sizeof source);
    return strcmp(kept->cpu, now.cpu) == 0 && kept->n_cores == now.n_cores &&
           strcmp(kept->source, source) == 0;
}

enum sp_status sp_gpu_machine_cached(enum sp_gpu_api api, const char *directory, struct sp_machine *out,
                                     const struct sp_progress *progress, struct sp_error *err)
{
    const struct sp_gpu_module *module;
    struct sp_gpu_device device;
    char path[1200] = "", name[64];
    memset(out, 0, sizeof *out);
    enum sp_status status = sp_gpu_module_open(api, &module, err);
    if (status == SP_OK)
        status = module->describe(&device, err);
    if (status != SP_OK)
        return status;
    sp_measure_name(device.name, 0, name, sizeof name);
    if (directory) {
        snprintf(path, sizeof path, "%s/machine-%s-%s.json", directory, sp_gpu_interfaces[api].device, name);
        if (sp_machine_file_read(path, out, NULL, 0, NULL) == SP_OK) {
            if (is_of(out, &device))
                return SP_OK;
            sp_machine_free(out);
        }
    }
    const struct sp_measure_options quick = {.quick = true, .gpu_api = api};
    status = sp_machine_measure_gpu(&quick, out, NULL, progress, err);
    if (status == SP_OK && directory) {
        snprintf(out->name, sizeof out->name, "machine-%s-%.48s", sp_gpu_interfaces[api].device,
                 name);                 /* a machine is named as its file */
        sp_make_directories(directory); /* what cannot be made, cannot be written to */
        sp_machine_file_write(path, out, NULL);
    }
    return status;
}
