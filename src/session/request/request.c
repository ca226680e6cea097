#include "session/request/request.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kernels/gpu_module.h"
#include "session/measure/machine.h"
#include "session/own/own.h"
#include "session/trial/tries.h"
#include "sys/machine/pages.h"
#include "sys/noise.h"

/* "--store takes auto, nt, plain, not 'x'". */
static enum sp_status takes(enum sp_option option, const char *what, const char *value, struct sp_error *err)
{
    return sp_fail(err, SP_USAGE, NULL, "%s takes %s, not '%s'", sp_run_options[option].typed, what, value);
}

static enum sp_status pick(enum sp_option option, const char *value, int *place, struct sp_error *err)
{
    return sp_word_pick(sp_run_options[option].typed, sp_run_options[option].words, value, place, err);
}

static enum sp_status count(enum sp_option option, const char *value, int64_t lo, int64_t hi, int *out,
                            struct sp_error *err)
{
    int64_t n = 0;
    if (sp_parse_count(value, &n) || n < lo || n > hi)
        return sp_fail(err, SP_USAGE, NULL, "%s takes a whole number from %lld to %lld, not '%s'",
                       sp_run_options[option].typed, (long long)lo, (long long)hi, value);
    *out = (int)n;
    return SP_OK;
}

/* ---- what is computed ---- */

static enum sp_status take_widths(struct sp_op_options *o, enum sp_option option, const char *value,
                                  struct sp_error *err)
{
    if (o->width_option && o->width_option != option)
        return sp_fail(err, SP_USAGE, NULL,
                       SP_O_RHS " is for spmmv, " SP_O_INNER
                                " for spmm, sddmm and fusedmm: give one of the two");
    o->width_option = option;
    o->n_widths = 0;
    for (const char *rest = value; rest;) {
        char number[16];
        size_t length = strcspn(rest, ",");
        int64_t n = 0;
        if (length < sizeof number) {
            memcpy(number, rest, length);
            number[length] = '\0';
        }
        if (length >= sizeof number || o->n_widths == SP_MOST_WIDTHS || sp_parse_count(number, &n) || n < 1 ||
            n > SP_MAX_WIDTH)
            return sp_fail(err, SP_USAGE, NULL,
                           "%s takes at most %d numbers from 1 to %d, for example 1,2,4,8, not '%s'",
                           sp_run_options[option].typed, (int)SP_MOST_WIDTHS, (int)SP_MAX_WIDTH, value);
        bool again = false;
        for (int i = 0; i < o->n_widths; i++)
            again = again || o->width[i] == n;
        if (!again)
            o->width[o->n_widths++] = (int32_t)n;
        rest = rest[length] == ',' ? rest + length + 1 : NULL;
    }
    return SP_OK;
}

enum sp_status sp_op_take(struct sp_op_options *o, enum sp_option option, const char *value,
                          struct sp_error *err)
{
    switch (option) {
    case SP_OPTION_OP:
        if (sp_op_from_name(value) < 0)
            return takes(option, "spmv, spmmv, spmm, sddmm or fusedmm", value, err);
        o->op = (enum sp_op)sp_op_from_name(value);
        o->op_given = true;
        return SP_OK;
    case SP_OPTION_RHS:
    case SP_OPTION_INNER:
        return take_widths(o, option, value, err);
    case SP_OPTION_ORDER:
        if (strcmp(value, "row") != 0 && strcmp(value, "column") != 0)
            return takes(option, "row or column", value, err);
        o->order = strcmp(value, "column") == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
        return SP_OK;
    default:
        return SP_NO;
    }
}

enum sp_status sp_op_settle(struct sp_op_options *o, struct sp_error *err)
{
    enum { DEFAULT_RHS = 8, DEFAULT_INNER = 64 };
    if (o->width_option == SP_OPTION_RHS && !o->op_given)
        o->op = SP_OP_SPMMV;
    const enum sp_option wanted = o->op == SP_OP_SPMV    ? SP_OPTION_OP
                                  : o->op == SP_OP_SPMMV ? SP_OPTION_RHS
                                                         : SP_OPTION_INNER;
    if (o->width_option && o->width_option != wanted)
        return sp_fail(
            err, SP_USAGE,
            SP_O_RHS " is for " SP_O_OP " spmmv, " SP_O_INNER " for " SP_O_OP " spmm, sddmm and fusedmm",
            "%s does not go with " SP_O_OP " %s", sp_run_options[o->width_option].typed, sp_op_name(o->op));
    if (o->n_widths == 0)
        o->width[o->n_widths++] = o->op == SP_OP_SPMV    ? 1
                                  : o->op == SP_OP_SPMMV ? DEFAULT_RHS
                                                         : DEFAULT_INNER;
    return SP_OK;
}

/* ---- how it is run and observed ---- */

static int count_between(const char *text)
{
    static const struct {
        const char *name;
        int vectors;
    } ops[] = {{"axpy", 2}, {"dot", 2}, {"norm", 1}, {"scale", 1}, {"copy", 2}};
    int n = 0;
    while (*text) {
        size_t length = strcspn(text, ","), i;
        for (i = 0; i < sizeof ops / sizeof *ops; i++)
            if (strlen(ops[i].name) == length && strncmp(ops[i].name, text, length) == 0)
                break;
        if (i == sizeof ops / sizeof *ops)
            return -1;
        n += ops[i].vectors;
        text += length + (text[length] == ',');
    }
    return n > 0 ? n : -1;
}

static enum sp_status take_between(struct sp_analyze_options *o, const char *value, struct sp_error *err)
{
    o->n_between = count_between(value);
    if (o->n_between < 0)
        return takes(SP_OPTION_BETWEEN, "a list of axpy, dot, norm, scale, copy", value, err);
    o->between = value;
    return SP_OK;
}

/* --cold and --between exclude each other. */
static enum sp_status take_state(struct sp_analyze_options *o, enum sp_cache_state state,
                                 struct sp_error *err)
{
    if (o->state != SP_WARM && o->state != state)
        return sp_fail(err, SP_USAGE, NULL, SP_O_COLD " and " SP_O_BETWEEN " exclude each other");
    o->state = state;
    return SP_OK;
}

static enum sp_status take_bytes(struct sp_request *r, const char *value, struct sp_error *err)
{
    static const char known[] = "auto, "
#define LIBRARY_COUNTER(NAME, ...) #NAME ", "
#define KERNEL_COUNTER             LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
                                "cupti, sim or replay:FILE";
    if (!sp_byte_source_knows(value) && strcmp(value, "cupti") != 0)
        return takes(SP_OPTION_BYTES, known, value, err);
    r->bytes = value;
    return SP_OK;
}

static enum sp_status take_device(struct sp_request *r, const char *value, struct sp_error *err)
{
    int64_t n = 0;
    r->on_gpu = false;
    r->gpu = 0;
    for (int i = 0; i < SP_N_GPU_APIS && !r->on_gpu; i++) {
        const char *device = sp_gpu_interfaces[i].device, *number = value + strlen(device);
        if (strncmp(value, device, strlen(device)) != 0 ||
            (*number && (*number != ':' || sp_parse_count(number + 1, &n) || n < 0 || n > 1023)))
            continue;
        r->on_gpu = true;
        r->analyze.gpu_api = (enum sp_gpu_api)i;
        r->gpu = r->analyze.gpu_number = (int)n;
    }
    return r->on_gpu || strcmp(value, "cpu") == 0
               ? SP_OK
               : takes(SP_OPTION_DEVICE, "cpu, gpu, gpu:N, opencl or opencl:N", value, err);
}

/* Whose kernels the name of a variant is of; NULL: of a CPU. */
static const struct sp_gpu_interface *interface_of(const char *isa)
{
    for (int i = 0; i < SP_N_GPU_APIS; i++)
        if (strncmp(isa, sp_gpu_interfaces[i].isa, strlen(sp_gpu_interfaces[i].isa)) == 0)
            return &sp_gpu_interfaces[i];
    return NULL;
}

static enum sp_status take_isa(struct sp_analyze_options *o, const char *value, struct sp_error *err)
{
    int place;
    enum sp_status status =
        interface_of(value) ? SP_OK : sp_word_pick(SP_O_ISA, "avx512 avx2 portable", value, &place, err);
    if (status == SP_OK)
        o->isa = value;
    return status;
}

static enum sp_status take_index(struct sp_request *r, const char *value, struct sp_error *err)
{
    const int index = sp_index_from_name(value);
    if (index < 0)
        return takes(SP_OPTION_INDEX, "i32, i64 or d16", value, err);
    r->analyze.index = (enum sp_index)index;
    r->index_given = true;
    return SP_OK;
}

static enum sp_status take_precision(struct sp_analyze_options *o, const char *value, struct sp_error *err)
{
    const int precision = sp_precision_from_name(value);
    if (precision < 0)
        return takes(SP_OPTION_PRECISION, "f64, f32, mixed, c128, f16 or bf16", value, err);
    o->precision = precision;
    return SP_OK;
}

static enum sp_status take_prefetch(struct sp_analyze_options *o, const char *value, struct sp_error *err)
{
    int64_t n;
    if (sp_parse_count(value, &n) || n < 0 || n > SP_MAX_PREFETCH)
        return sp_fail(err, SP_USAGE, NULL, SP_O_PREFETCH " takes a number of entries from 0 to %d, not '%s'",
                       (int)SP_MAX_PREFETCH, value);
    o->prefetch = (int32_t)n;
    o->prefetch_given = true;
    return SP_OK;
}

static enum sp_status take_skew(struct sp_analyze_options *o, const char *value, struct sp_error *err)
{
    double skew;
    if (sp_parse_number(value, &skew) || skew < 0 || skew > 1)
        return takes(SP_OPTION_SIM_SKEW, "a number from 0 to 1", value, err);
    o->skew = skew;
    return SP_OK;
}

static enum sp_status take_seconds(enum sp_option option, const char *such, const char *value, double *out,
                                   struct sp_error *err)
{
    double seconds;
    if (sp_parse_seconds(value, &seconds) || seconds <= 0)
        return takes(option, such, value, err);
    *out = seconds;
    return SP_OK;
}

static enum sp_status take_policy(struct sp_analyze_options *o, const char *value, struct sp_error *err)
{
    if (sp_policy_from_name(value) < 0)
        return takes(SP_OPTION_SIM_POLICY, "lru, random or rrip", value, err);
    o->policy = value;
    return SP_OK;
}

static enum sp_status take_llc(struct sp_analyze_options *o, const char *value, struct sp_error *err)
{
    double llc_B;
    if (sp_parse_bytes(value, &llc_B) || llc_B < 4096)
        return takes(SP_OPTION_SIM_LLC, "a size such as 20MiB", value, err);
    o->llc_B = llc_B;
    return SP_OK;
}

struct sp_request sp_request_begin(void)
{
    return (struct sp_request){
        .bytes = "auto",
        .analyze = {.format = "crs", .schedule = "nnz", .precision = -1, .budget_s = 1.5, .max_samples = 60}};
}

static enum sp_status take_one(struct sp_request *r, enum sp_option option, const char *value,
                               struct sp_error *err)
{
    struct sp_analyze_options *o = &r->analyze;
    enum sp_status status;
    int place = 0;
    switch (option) {
    case SP_OPTION_FORMAT:
        o->format = value;
        r->format_given = true;
        return SP_OK;
    case SP_OPTION_PRECISION:
        return take_precision(o, value, err);
    case SP_OPTION_INDEX:
        return take_index(r, value, err);
    case SP_OPTION_ROW_PTR:
        status = pick(option, value, &place, err);
        o->row_ptr_B = status != SP_OK ? o->row_ptr_B : place == 1 ? 8 : 4;
        return status;
    case SP_OPTION_PREFETCH:
        return take_prefetch(o, value, err);
    case SP_OPTION_SCHEDULE:
        o->schedule = value;
        r->schedule_given = true;
        return SP_OK;
    case SP_OPTION_STORE:
        status = pick(option, value, &place, err);
        o->store_nt = (enum sp_wish)place;
        return status;
    case SP_OPTION_REORDER:
        r->reorder = value;
        return SP_OK;
    case SP_OPTION_COLD:
        return take_state(o, SP_COLD, err);
    case SP_OPTION_MACHINE:
        r->machine = o->machine_name = value;
        return SP_OK;
    case SP_OPTION_NO_HINTS:
        o->no_hints = true;
        return SP_OK;
    case SP_OPTION_DEVICE:
        return take_device(r, value, err);
    case SP_OPTION_THREADS:
        return count(option, value, 1, SP_MAX_THREADS, &o->n_threads, err);
    case SP_OPTION_ISA:
        return take_isa(o, value, err);
    case SP_OPTION_BYTES:
        return take_bytes(r, value, err);
    case SP_OPTION_REQUIRE_BYTES:
        r->require_bytes = true;
        return SP_OK;
    case SP_OPTION_BUDGET:
        return take_seconds(option, "a time such as 5s, 200ms or 1m", value, &o->budget_s, err);
    case SP_OPTION_SAMPLES:
        return count(option, value, 1, 100000, &o->max_samples, err);
    case SP_OPTION_RUNS:
        return count(option, value, 1, 100, &o->n_runs, err);
    case SP_OPTION_BETWEEN:
        status = take_state(o, SP_BETWEEN, err);
        return status == SP_OK ? take_between(o, value, err) : status;
    case SP_OPTION_PAGES:
        status = pick(option, value, &place, err);
        o->small_pages = place == 1;
        return status;
    case SP_OPTION_NO_PIN:
        o->not_pinned = true;
        return SP_OK;
    case SP_OPTION_CACHE:
        status = pick(option, value, &place, err);
        r->cache = (enum sp_cache_mode)place;
        return status;
    case SP_OPTION_DROP_ZEROS:
        r->drop_zeros = true;
        return SP_OK;
    case SP_OPTION_SIM_SKEW:
        return take_skew(o, value, err);
    case SP_OPTION_SIM_POLICY:
        return take_policy(o, value, err);
    case SP_OPTION_SIM_LLC:
        return take_llc(o, value, err);
    case SP_OPTION_TRY_HINTS:
        r->try_hints = true;
        return SP_OK;
    case SP_OPTION_KERNEL:
        o->own.library = value;
        return SP_OK;
    case SP_OPTION_SIGNATURE:
        o->own.signature = value;
        return SP_OK;
    case SP_OPTION_KERNEL_LIMIT:
        return take_seconds(option, "a time such as 30s, 500ms or 2m", value, &o->own.limit_s, err);
    default:
        return sp_op_take(&r->op, option, value, err);
    }
}

enum sp_status sp_request_take(struct sp_request *r, enum sp_option option, const char *value,
                               struct sp_error *err)
{
    const enum sp_status status = take_one(r, option, value, err);
    if (status == SP_OK && !(sp_run_options[option].bits & SP_ON_GPU))
        r->cpu_option = sp_run_options[option].typed;
    return status;
}

enum sp_status sp_request_check_device(const struct sp_request *r, struct sp_error *err)
{
    const struct sp_analyze_options *o = &r->analyze;
    const struct sp_gpu_interface *own = &sp_gpu_interfaces[o->gpu_api], *of_isa = NULL;
    if (o->isa)
        of_isa = interface_of(o->isa);
    if (!r->on_gpu) {
        if (of_isa || strcmp(r->bytes, "cupti") == 0)
            return sp_fail(err, SP_USAGE, NULL, "%s is for GPUs: add " SP_O_DEVICE " %s",
                           of_isa ? o->isa : SP_O_BYTES " cupti", of_isa ? of_isa->device : "gpu");
        return SP_OK;
    }
    if (o->isa && !of_isa)
        return sp_fail(err, SP_USAGE, NULL, SP_O_ISA " %s is for CPUs; on a GPU %s-thread, %s-lanes ...",
                       o->isa, own->isa, own->isa);
    if (of_isa && of_isa != own)
        return sp_fail(err, SP_USAGE, NULL, "%s is for " SP_O_DEVICE " %s", o->isa, of_isa->device);
    if (o->gpu_api != SP_GPU_CUDA && strcmp(r->bytes, "cupti") == 0)
        return sp_fail(err, SP_USAGE, NULL, SP_O_BYTES " cupti is for " SP_O_DEVICE " gpu");
    if (r->cpu_option)
        return sp_fail(err, SP_USAGE, NULL, "%s is for CPUs, not for " SP_O_DEVICE " %s", r->cpu_option,
                       own->device);
    if (strcmp(r->bytes, "auto") != 0 && strcmp(r->bytes, "cupti") != 0 && strcmp(r->bytes, "sim") != 0)
        return sp_fail(err, SP_USAGE, NULL, SP_O_BYTES " %s is for CPUs; on a GPU auto, cupti or sim",
                       r->bytes);
    return SP_OK;
}

enum sp_status sp_request_settle(struct sp_request *r, struct sp_error *err)
{
    enum sp_status status = sp_op_settle(&r->op, err);
    if (status != SP_OK)
        return status;
    r->analyze.op = r->op.op;
    r->analyze.order = r->op.order;
    r->all_formats = strcmp(r->analyze.format, "all") == 0;
    /* Where nothing can be counted nothing is simulated either: that is why bytes are modelled. */
    r->analyze.count_on_gpu =
        r->on_gpu && (strcmp(r->bytes, "sim") != 0 || r->analyze.gpu_api != SP_GPU_CUDA);
    r->analyze.require_gpu_counts = r->on_gpu && (r->require_bytes || strcmp(r->bytes, "cupti") == 0);
    if (r->try_hints && (r->on_gpu || r->analyze.no_hints || strncmp(r->bytes, "replay:", 7) == 0))
        return sp_fail(err, SP_USAGE, "leave one of the two out", SP_O_TRY_HINTS " and %s exclude each other",
                       r->on_gpu             ? SP_O_DEVICE " gpu"
                       : r->analyze.no_hints ? SP_O_NO_HINTS
                                             : SP_O_BYTES " replay:FILE");
    if (sp_own_is_asked(&r->analyze.own) && (r->on_gpu || r->try_hints || r->all_formats))
        return sp_fail(err, SP_USAGE, "leave one of the two out", SP_O_KERNEL " and %s exclude each other",
                       r->on_gpu      ? SP_O_DEVICE " gpu"
                       : r->try_hints ? SP_O_TRY_HINTS
                                      : SP_O_FORMAT " all");
    if (r->require_bytes && strcmp(r->bytes, "sim") == 0)
        return sp_fail(err, SP_USAGE, "leave one of the two out",
                       SP_O_REQUIRE_BYTES " and " SP_O_BYTES " sim exclude each other");
    if (r->all_formats && strncmp(r->analyze.schedule, "merge", 5) == 0)
        return sp_fail(err, SP_USAGE, "leave " SP_O_SCHEDULE " out, or name " SP_O_FORMAT " crs",
                       SP_O_FORMAT " all has chunks of SELL, which the schedule merge cannot split");
    struct sp_workload tried = {0};
    return r->all_formats || strcmp(r->analyze.format, "auto") == 0
               ? SP_OK
               : sp_workload_set_format(&tried, r->analyze.format, err);
}

/* ---- what a recording says ---- */

static enum sp_status unknown(const struct sp_recording *r, const char *key, const char *text,
                              struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "name it on the command line, or mend the recording",
                      "its %s.%s '%s' is not known here", sp_field_path(SP_F_CONFIG), key, text);
}

/* "crs", "sell:32,256" as it was typed, or from its three fields. */
static enum sp_status follow_format(const struct sp_recording *r, struct sp_request *run,
                                    struct sp_error *err)
{
    const char *format = sp_recording_config(r, "format"), *option = sp_recording_config(r, "format_option");
    struct sp_workload tried = {0};
    int64_t C, sigma;
    if (!format || run->format_given)
        return SP_OK;
    if (option)
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s", option);
    else if (sp_record_count(&r->record, SP_F_CONFIG_C, &C) &&
             sp_record_count(&r->record, SP_F_CONFIG_SIGMA, &sigma) &&
             strcmp(format, sp_run_options[SP_OPTION_FORMAT].otherwise) != 0)
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s:%lld,%lld", format, (long long)C,
                 (long long)sigma);
    else
        snprintf(run->recorded_format, sizeof run->recorded_format, "%s", format);
    if (sp_workload_set_format(&tried, run->recorded_format, NULL) != SP_OK)
        return unknown(r, "format", run->recorded_format, err);
    run->analyze.format = run->recorded_format;
    return SP_OK;
}

static enum sp_status follow_words(const struct sp_recording *r, struct sp_request *run, struct sp_error *err)
{
    const char *schedule = sp_recording_config(r, "schedule"),
               *precision = sp_recording_config(r, "precision"), *index = sp_recording_config(r, "index");
    struct sp_workload tried = {0};
    if (schedule && !run->schedule_given) {
        if (sp_workload_set_schedule(&tried, schedule, NULL) != SP_OK)
            return unknown(r, "schedule", schedule, err);
        run->analyze.schedule = schedule;
    }
    if (precision && run->analyze.precision < 0) {
        run->analyze.precision = sp_precision_from_name(precision);
        if (run->analyze.precision < 0)
            return unknown(r, "precision", precision, err);
    }
    if (index && !run->index_given) {
        int known = sp_index_from_name(index);
        if (known < 0)
            return unknown(r, "index", index, err);
        run->analyze.index = (enum sp_index)known;
    }
    return SP_OK;
}

/* Operation, width and order of the operands, where the request names no operation. */
static enum sp_status follow_op(const struct sp_recording *r, struct sp_op_options *o, struct sp_error *err)
{
    const char *op = sp_recording_config(r, "op"), *order = sp_recording_config(r, "order");
    int64_t width = 1;
    if (!op || o->op_given || o->width_option)
        return SP_OK;
    if (sp_op_from_name(op) < 0)
        return unknown(r, "op", op, err);
    o->op = (enum sp_op)sp_op_from_name(op);
    if (!sp_record_count(&r->record, SP_F_CONFIG_INNER, &width))
        sp_record_count(&r->record, SP_F_CONFIG_RHS, &width);
    if (width < 1 || width > SP_MAX_WIDTH)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "mend the recording",
                          "its width of the dense operands, %lld, is impossible", (long long)width);
    o->width[0] = (int32_t)width;
    o->n_widths = 1;
    o->order = order && strcmp(order, sp_order_name(SP_COLUMN_MAJOR)) == 0 ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
    return SP_OK;
}

static enum sp_status follow_caches(const struct sp_recording *r, struct sp_request *run,
                                    struct sp_error *err)
{
    const char *cache = sp_recording_config(r, "cache");
    if (!cache || run->analyze.state != SP_WARM || strcmp(cache, "warm") == 0)
        return SP_OK;
    if (strcmp(cache, "between") == 0)
        return sp_fail_at(err, SP_INPUT, r->path, 0, 0, "give the same " SP_O_BETWEEN " as then",
                          "it was recorded with vectors streamed between executions, and does not say which");
    if (strcmp(cache, "cold") != 0)
        return unknown(r, "cache", cache, err);
    run->analyze.state = SP_COLD;
    return SP_OK;
}

enum sp_status sp_request_follow(struct sp_request *run, const struct sp_recording *r, struct sp_error *err)
{
    const char *order;
    bool nt;
    enum sp_status status = follow_format(r, run, err);
    if (status == SP_OK)
        status = follow_op(r, &run->op, err);
    run->analyze.op = run->op.op;
    run->analyze.order = run->op.order;
    if (status == SP_OK)
        status = follow_words(r, run, err);
    if (status == SP_OK)
        status = follow_caches(r, run, err);
    if (run->analyze.store_nt == SP_CHOICE_AUTO && sp_record_flag(&r->record, SP_F_CONFIG_STORE_NT, &nt))
        run->analyze.store_nt = nt ? SP_CHOICE_ON : SP_CHOICE_OFF;
    const char *pages = sp_recording_config(r, "pages");
    run->analyze.small_pages = run->analyze.small_pages || (pages && strcmp(pages, "small") == 0);
    if (!run->reorder && sp_record_text(&r->record, SP_F_PROBLEM_REORDER, &order))
        run->reorder = order;
    if (run->analyze.n_threads == 0)
        run->analyze.n_threads = sp_recording_threads(r);
    return status;
}

/* ---- the run ---- */

/* Trials take so many times the budget of samples and what reading took, which tells the size. */
enum { TRIES_BUDGETS = 20 };

enum sp_status sp_request_run(const struct sp_request *r, const struct sp_subject *subject,
                              const char *format, int32_t width, const struct sp_progress *progress,
                              struct sp_record *record, struct sp_error *err)
{
    struct sp_analyze_options o = r->analyze;
    o.format = format;
    o.r = width;
    if (r->on_gpu)
        return sp_analyze_gpu(subject, &o, progress, record, err);
    if (sp_own_is_asked(&o.own))
        return sp_analyze_own(subject, &o, progress, record, err);
    if (r->try_hints)
        return sp_analyze_and_try(subject, &o, TRIES_BUDGETS * (o.budget_s + subject->load_s), progress,
                                  record, err);
    return sp_analyze(subject, &o, progress, record, err);
}

static enum sp_status open_gpu(const struct sp_analyze_options *o, const char *machine_name,
                               const struct sp_progress *progress, struct sp_machine *machine,
                               struct sp_error *err)
{
    const struct sp_gpu_module *module;
    if (sp_gpu_module_open(o->gpu_api, &module, NULL) == SP_OK && module->choose) {
        const enum sp_status status = module->choose(o->gpu_number, err);
        if (status != SP_OK)
            return status;
    }
    return sp_this_gpu(o->gpu_api, machine_name, progress, machine, err);
}

enum sp_status sp_stage_open(enum sp_stage_kind kind, const char *machine_name,
                             const struct sp_progress *progress, struct sp_analyze_options *o,
                             struct sp_stage *s, struct sp_error *err)
{
    struct sp_meminfo memory;
    memset(s, 0, sizeof *s);
    enum sp_status status = sp_fault_check(err);
    if (status == SP_OK)
        status = sp_topology_read(&s->topology, err);
    if (status != SP_OK)
        return status;
    o->topology = &s->topology;
    if (sp_meminfo_read("", &memory, NULL) == SP_OK)
        o->memory_B = (double)memory.available_B;
    status = kind == SP_STAGE_GPU
                 ? open_gpu(o, machine_name, progress, &s->machine, err)
                 : sp_this_machine(machine_name, o->n_threads, o->budget_s, progress, &s->machine, err);
    o->machine = &s->machine;
    if (status != SP_OK)
        sp_topology_free(&s->topology);
    return status;
}

void sp_stage_close(struct sp_stage *s)
{
    sp_machine_free(&s->machine);
    sp_topology_free(&s->topology);
}

struct sp_load_options sp_request_loading(const struct sp_request *r, const char *cache_dir,
                                          struct sp_watch *watch)
{
    const struct sp_analyze_options *o = &r->analyze;
    return (struct sp_load_options){
        .n_threads = o->n_threads > 0 ? o->n_threads : sp_topology_default_threads(o->topology),
        .allocator = o->small_pages ? NULL : &sp_allocator_huge,
        .use = SP_LOAD_ANALYSIS,
        .memory_limit_B = o->memory_B,
        .cache = r->cache,
        .cache_dir = cache_dir,
        .drop_zeros = r->drop_zeros,
        .progress = sp_watch_show,
        .interrupted = sp_watch_stop,
        .context = watch,
    };
}
