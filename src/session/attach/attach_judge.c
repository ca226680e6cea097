#include "session/attach/attach_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option/option_words.h"
#include "base/text.h"
#include "io/matrix/matrix_load.h"
#include "io/record/record.h"
#include "session/record/recording.h"
#include "sparse/csr/csr.h"
#include "sparse/reorder/orders.h"
#include "sys/machine/pages.h"

static const uint32_t triangles = SP_ATTACH_LOWER | SP_ATTACH_UPPER;

static bool is_transposed(const struct sp_captured_product *p)
{
    return p->op == SP_ATTACH_TRANSPOSE || (p->bits & SP_ATTACH_SIDE_T);
}

enum sp_attach_walk sp_attach_walk_of(const struct sp_captured_product *p)
{
    return p->bits & SP_ATTACH_TRIANGLE ? SP_WALK_HALF
           : p->bits & triangles        ? SP_WALK_TRIANGLE
           : is_transposed(p)           ? SP_WALK_TRANSPOSED
                                        : SP_WALK_ROWS;
}

const char *sp_attach_walk_name(enum sp_attach_walk walk)
{
    static const char *const name[] = {"rows", "transposed", "triangle", "half"};
    return name[walk];
}

const char *sp_attach_walk_text(enum sp_attach_walk walk)
{
    static const char *const text[] = {
        NULL, "simulated as if the rows of A^T were stored; a library that adds into y row by row moves more",
        "simulated as the rows of the triangle alone",
        "simulated as half storage, one triangle for both; how the library walks it is not known"};
    return text[walk];
}

/* Is the entry in what counts of row i? */
static bool counts(uint32_t bits, int64_t i, int64_t j)
{
    return i == j  ? !(bits & SP_ATTACH_UNIT)
           : j < i ? (bits & SP_ATTACH_LOWER) != 0
                   : (bits & SP_ATTACH_UPPER) != 0;
}

static void set_ones(struct sp_csr *a)
{
    for (int64_t k = 0; k < a->n_nz; k++)
        a->val[k] = 1;
}

static enum sp_status keep_triangle(uint32_t bits, struct sp_csr *a, struct sp_error *err)
{
    struct sp_csr kept;
    enum sp_status status = sp_csr_take_rows(a->n_r, a->n_c, a->field, a->allocator, &kept, err);
    for (int64_t i = 0; status == SP_OK && i < a->n_r; i++) {
        int64_t n = 0;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            n += counts(bits, i, a->col[k]);
        kept.row_ptr[i + 1] = n;
    }
    if (status == SP_OK)
        status = sp_csr_take_entries(&kept, err);
    if (status != SP_OK)
        return status;
    int64_t at = 0;
    for (int64_t i = 0; i < a->n_r; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            if (counts(bits, i, a->col[k]))
                kept.col[at++] = a->col[k];
    set_ones(&kept);
    sp_csr_free(a);
    *a = kept;
    return SP_OK;
}

/* A^T, or the pattern of A + A^T. */
static enum sp_status turn(bool symmetric, struct sp_csr *a, struct sp_error *err)
{
    struct sp_graph graph;
    struct sp_csr turned;
    const struct sp_pattern pattern = sp_csr_pattern(a);
    a->symmetry = SP_GENERAL; /* else it is believed to be whole */
    enum sp_status status =
        symmetric ? sp_graph_make(a, &graph, err) : sp_graph_transpose(&pattern, &graph, err);
    if (status != SP_OK)
        return status;
    const struct sp_pattern *g = &graph.pattern;
    status = sp_csr_alloc(g->n_r, g->n_c, g->n_nz, a->field, a->allocator, &turned, err);
    if (status == SP_OK) {
        memcpy(turned.row_ptr, g->row_ptr, (size_t)(g->n_r + 1) * sizeof *turned.row_ptr);
        if (g->n_nz > 0)
            memcpy(turned.col, g->col, (size_t)g->n_nz * sizeof *turned.col);
        set_ones(&turned);
        turned.symmetry = symmetric ? SP_SYMMETRIC : SP_GENERAL;
    }
    sp_graph_free(&graph);
    if (status != SP_OK)
        return status;
    sp_csr_free(a);
    *a = turned;
    return SP_OK;
}

enum sp_status sp_attach_walked(const struct sp_captured_product *p, struct sp_csr *a, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    const uint32_t which = p->bits & triangles;
    if (which && which != triangles)
        status = keep_triangle(p->bits, a, err);
    if (status == SP_OK && ((p->bits & SP_ATTACH_TRIANGLE) || is_transposed(p)))
        status = turn((p->bits & SP_ATTACH_TRIANGLE) != 0, a, err);
    if (status != SP_OK)
        sp_csr_free(a);
    return status;
}

static bool is_on_gpu(const struct sp_captured_product *p)
{
    return (p->bits & SP_ATTACH_ON_GPU) != 0;
}

/* Of the kind of product, whatever the matrix. */
static const char *why_not_of_kind(const struct sp_captured_matrix *m, const struct sp_captured_product *p,
                                   bool has_gpu)
{
    const bool is_half = (p->bits & SP_ATTACH_TRIANGLE) != 0,
               is_complex = m->type == SP_ATTACH_C64 || m->type == SP_ATTACH_C128;
    if (is_on_gpu(p) && !has_gpu)
        return "it ran on a GPU, and none is named";
    if (is_half && !(p->bits & (SP_ATTACH_LOWER | SP_ATTACH_UPPER)))
        return "a diagonal or blocks of the matrix alone: there is no model of it";
    if (is_half && (p->op == SP_ATTACH_SPMM || is_complex || m->n_r != m->n_c))
        return "one triangle stands for both: modelled of real numbers with one vector alone";
    if (p->op == SP_ATTACH_SDDMM && !is_on_gpu(p))
        return "this operation is modelled of GPUs alone";
    if (is_on_gpu(p) && p->op == SP_ATTACH_SPMM && p->width > 1 && (p->bits & SP_ATTACH_COLUMNS))
        return "its dense operands lie column by column: modelled of processors alone";
    if (m->type == SP_ATTACH_C64 || (is_complex && (p->width > 1 || is_on_gpu(p))))
        return "numbers of this kind are not simulated here";
    return NULL;
}

const char *sp_attach_why_not(const struct sp_capture *c, const struct sp_captured_product *p, bool has_gpu)
{
    const struct sp_captured_matrix *m = &c->matrix[p->matrix];
    const char *why = why_not_of_kind(m, p, has_gpu);
    if (why)
        return why;
    if (p->width > SP_MAX_WIDTH)
        return "it is too wide";
    if (!*m->file)
        return *m->why ? m->why : "its pattern is not known";
    if (p->n_samples == 0)
        return "none of its calls could be timed";
    return NULL;
}

static double begin_of(const struct sp_captured_process *p)
{
    return (double)p->begun_at_ns * 1e-9;
}

static bool multiplies(const struct sp_capture *c, int process)
{
    for (int64_t i = 0; i < c->n_products; i++)
        if (c->product[i].process == process && !(c->product[i].bits & SP_ATTACH_ON_GPU))
            return true;
    return false;
}

/* Processes that multiplied while this one ran, itself included: they share the memory. */
static int processes_beside(const struct sp_capture *c, int process)
{
    const struct sp_captured_process *own = &c->process[process];
    int n = 1;
    for (int64_t i = 0; i < c->n_processes; i++) {
        const struct sp_captured_process *p = &c->process[i];
        const double begin = fmax(begin_of(own), begin_of(p)),
                     end = fmin(begin_of(own) + own->wall_s, begin_of(p) + p->wall_s);
        if (i != process && strcmp(own->host, p->host) == 0 && strcmp(own->program, p->program) == 0 &&
            end - begin > 0.5 * own->wall_s && multiplies(c, (int)i))
            n++;
    }
    return n;
}

double sp_attach_share(const struct sp_capture *c, const struct sp_captured_product *p)
{
    const double wall_s = c->process[p->process].wall_s * p->n_callers;
    const double share = wall_s > 0 && p->n_timed > 0 ? sp_captured_total_s(p) / wall_s : NAN;
    return share <= 1 ? share : share <= 1.05 ? 1 : NAN;
}

double sp_attach_least_B(const struct sp_capture *c, const struct sp_captured_product *p)
{
    static const int bytes_of[] = {
        [SP_ATTACH_F64] = 8, [SP_ATTACH_F32] = 4, [SP_ATTACH_C128] = 16, [SP_ATTACH_C64] = 8};
    const struct sp_captured_matrix *m = &c->matrix[p->matrix];
    const int value_B = m->type < sizeof bytes_of / sizeof *bytes_of ? bytes_of[m->type] : 0;
    if (value_B == 0 || m->row_ptr_B == 0 || m->col_B == 0)
        return NAN;
    const double width = p->width > 0 ? (double)p->width : 1;
    double n_nz = (double)m->n_nz;
    if (p->bits & (SP_ATTACH_TRIANGLE | SP_ATTACH_LOWER | SP_ATTACH_UPPER)) /* the other may be there */
        n_nz = n_nz < (double)m->n_r ? 0 : 0.5 * (n_nz - (double)m->n_r);
    /* SDDMM reads the pattern only, and writes a value an entry; y = z + A x reads y, too. */
    const double n_vectors = (double)m->n_r + (double)m->n_c + (p->op == SP_ATTACH_ADD ? (double)m->n_r : 0);
    return n_nz * (value_B + m->col_B) + ((double)m->n_r + 1) * m->row_ptr_B + value_B * width * n_vectors;
}

/* Threads with which a product is judged. */
static int threads_of(const struct sp_attach_request *request, const struct sp_captured_product *p)
{
    const struct sp_topology *t = request->analyze->topology;
    const int most =
        t && t->n_cores > 0 ? t->n_cores * (t->threads_per_core > 1 ? t->threads_per_core : 1) : p->n_threads;
    return request->n_threads > 0 ? request->n_threads : p->n_threads < most ? p->n_threads : most;
}

/* Each of n processes side by side has its part of what all of them together can have of memory. */
static enum sp_status share_roofs(const struct sp_machine *whole, int n_threads, int n,
                                  struct sp_machine *part, struct sp_error *err)
{
    const enum sp_status status = sp_machine_copy(whole, part, err);
    for (int i = 0; status == SP_OK && n > 1 && i < part->n_ceilings; i++) {
        struct sp_ceiling *c = &part->ceiling[i];
        bool exact;
        if (strcmp(c->level, "MEM") != 0 || c->n_threads != n_threads || !sp_value_known(c->value))
            continue;
        const struct sp_ceiling *all =
            sp_machine_ceiling(whole, c->name, c->level, c->precision, n * n_threads, NULL, &exact);
        if (!all || !sp_value_known(all->value) || all->n_threads <= n_threads)
            continue;
        c->value = all->value;
        c->value.value /= n;
        c->value.lo /= n;
        c->value.hi /= n;
        snprintf(c->how, sizeof c->how, "1/%d of that of %d threads: %d processes side by side", n,
                 all->n_threads, n);
    }
    return status;
}

/* Of a last-level cache that several of them must share [B]; 0: each may have one. */
static double share_of_cache(const struct sp_machine *m, int n_processes)
{
    const int n_domains = m->n_domains > 0 ? m->n_domains : 1,
              sharing = (n_processes + n_domains - 1) / n_domains;
    return sharing > 1 && m->n_caches > 0 ? (double)sp_cache_believed_B(&m->cache[m->n_caches - 1]) / sharing
                                          : 0;
}

static enum sp_precision precision_of(const struct sp_captured_matrix *m)
{
    return m->type == SP_ATTACH_F32 ? SP_F32 : m->type == SP_ATTACH_C128 ? SP_C128 : SP_F64;
}

static void set_options(const struct sp_captured_matrix *m, const struct sp_captured_product *p,
                        struct sp_analyze_options *o)
{
    o->op = p->op == SP_ATTACH_SDDMM                  ? SP_OP_SDDMM
            : p->op == SP_ATTACH_SPMM && p->width > 1 ? SP_OP_SPMMV
                                                      : SP_OP_SPMV;
    o->r = o->op == SP_OP_SPMV ? 1 : (int32_t)p->width;
    o->order = o->op == SP_OP_SPMMV && (p->bits & SP_ATTACH_COLUMNS) ? SP_COLUMN_MAJOR : SP_ROW_MAJOR;
    o->format = sp_attach_walk_of(p) == SP_WALK_HALF ? "half" : "crs";
    o->no_hints = o->no_hints || sp_attach_walk_of(p) != SP_WALK_ROWS; /* commands name the pattern as kept */
    o->precision = precision_of(m);
    o->index = m->col_B == 8 ? SP_I64 : SP_I32;
    o->row_ptr_B = m->row_ptr_B;
}

static void record_attach(const struct sp_capture *c, const struct sp_captured_product *p, int side_by_side,
                          struct sp_record *r)
{
    const struct sp_captured_process *process = &c->process[p->process];
    const struct sp_captured_matrix *m = &c->matrix[p->matrix];
    const double share = sp_attach_share(c, p);
    const long long n_others = m->n_c - m->n_c_own;
    char matrix[120], remark[120];
    snprintf(matrix, sizeof matrix, "%s", m->kind);
    if (n_others > 0) {
        snprintf(matrix, sizeof matrix, "%s, %lld of its columns are of other processes", m->kind, n_others);
        snprintf(remark, sizeof remark,
                 "its time includes the exchange of %lld element%s of x with other processes", n_others,
                 n_others == 1 ? "" : "s");
        sp_record_append(r, SP_F_REMARKS, json_string(remark));
    }
    sp_record_set_text(r, SP_F_ATTACH_PROGRAM, sp_text_file_name(process->program));
    sp_record_set_count(r, SP_F_ATTACH_PROCESS, process->pid);
    sp_record_set_count(r, SP_F_ATTACH_SIDE_BY_SIDE, side_by_side);
    sp_record_set_text(r, SP_F_ATTACH_LIBRARY, m->library);
    sp_record_set_text(r, SP_F_ATTACH_SYMBOL, p->symbol);
    sp_record_set_text(r, SP_F_ATTACH_OPERATION, sp_captured_op_text(p));
    sp_record_set_text(r, SP_F_ATTACH_MATRIX, matrix);
    sp_record_set_text(r, SP_F_ATTACH_WALK, sp_attach_walk_name(sp_attach_walk_of(p)));
    if (sp_attach_walk_text(sp_attach_walk_of(p)))
        sp_record_append(r, SP_F_REMARKS, json_string(sp_attach_walk_text(sp_attach_walk_of(p))));
    sp_record_set_count(r, SP_F_ATTACH_CALLS, p->count);
    sp_record_set_count(r, SP_F_ATTACH_CALLERS, p->n_callers);
    sp_record_set_number(r, SP_F_ATTACH_TOTAL_S, sp_captured_total_s(p));
    sp_record_set_number(r, SP_F_ATTACH_FIRST_S, p->first_s);
    sp_record_set_number(r, SP_F_ATTACH_LEAST_S, p->min_s);
    sp_record_set_number(r, SP_F_ATTACH_MOST_S, p->max_s);
    sp_record_set_number(r, SP_F_ATTACH_PROGRAM_S, process->wall_s);
    if (share >= 0)
        sp_record_set_number(r, SP_F_ATTACH_SHARE, share);
    else
        sp_record_set_object(r, SP_F_ATTACH_SHARE, json_null());
}

static enum sp_status take_times(const struct sp_captured_product *p, int n_threads,
                                 struct sp_recording *recording, struct sp_error *err)
{
    const struct sp_timed_run run = {
        .from = "what attach has timed", .kernel = p->symbol, .origin = SP_MEASURED};
    return sp_recording_of_times(p->time_s, p->n_samples, n_threads, &run, recording, err);
}

/* What the product walks over, as the subject of an analysis. */
static enum sp_status open_subject(const struct sp_captured_product *p, const char *path,
                                   const struct sp_analyze_options *o, const struct sp_progress *progress,
                                   struct sp_subject *subject, struct sp_error *err)
{
    struct sp_watch watch = {progress, "reading the pattern"};
    const struct sp_load_options load = {.n_threads = sp_topology_default_threads(o->topology),
                                         .allocator = &sp_allocator_huge,
                                         .use = SP_LOAD_ANALYSIS,
                                         .memory_limit_B = o->memory_B,
                                         .progress = sp_watch_show,
                                         .interrupted = sp_watch_stop,
                                         .context = &watch};
    struct sp_load_facts facts;
    struct sp_csr matrix;
    if (sp_attach_walk_of(p) == SP_WALK_ROWS)
        return sp_subject_open(path, &load, NULL, progress, subject, err);
    enum sp_status status = sp_matrix_load(path, &load, &matrix, &facts, err);
    if (status == SP_OK)
        status = sp_attach_walked(p, &matrix, err);
    if (status != SP_OK)
        return status;
    facts.n_entries = matrix.n_nz;
    status = sp_csr_digest(&matrix, load.n_threads, facts.sha256, err);
    if (status == SP_OK)
        status = sp_subject_take(path, &matrix, &facts, NULL, load.allocator, progress, subject, err);
    else
        sp_csr_free(&matrix);
    return status;
}

static enum sp_status judge_on_cpu(const struct sp_capture *c, const struct sp_captured_product *p,
                                   struct sp_analyze_options *o, const struct sp_subject *subject,
                                   const struct sp_progress *progress, struct sp_record *record,
                                   struct sp_error *err)
{
    const int n_processes = processes_beside(c, p->process);
    struct sp_byte_source source = {0};
    struct sp_machine machine = {0};
    struct sp_recording recording;
    enum sp_status status = take_times(p, o->n_threads, &recording, err);
    if (status == SP_OK)
        status = sp_byte_source_of_recording(&recording, &source, err);
    if (status == SP_OK)
        status = share_roofs(o->machine, o->n_threads, n_processes, &machine, err);
    if (status == SP_OK) {
        o->llc_B = share_of_cache(&machine, n_processes);
        o->bytes = &source;
        o->machine = &machine;
        status = sp_analyze(subject, o, progress, record, err);
    }
    if (record->root)
        record_attach(c, p, n_processes, record);
    sp_machine_free(&machine);
    sp_byte_source_close(&source);
    return status;
}

/* The model's bytes, and the bandwidth that the GPU's description states or somebody measured. */
static enum sp_status judge_on_gpu(const struct sp_capture *c, const struct sp_captured_product *p,
                                   const struct sp_machine *gpu, struct sp_analyze_options *o,
                                   const struct sp_subject *subject, const struct sp_progress *progress,
                                   struct sp_record *record, struct sp_error *err)
{
    struct sp_gpu_recorded recorded = {.source = "attach"};
    snprintf(recorded.kernel, sizeof recorded.kernel, "%s", p->symbol);
    snprintf(recorded.how, sizeof recorded.how, "%lld calls of %s, timed by events of their stream",
             (long long)p->n_timed, p->symbol);
    sp_gpu_counts_none(&recorded.counts, "spmodel attach counts no bytes");
    enum sp_status status = take_times(p, 1, &recorded.times, err);
    if (status == SP_OK) {
        o->gpu_recorded = &recorded;
        o->gpu_api = SP_GPU_CUDA; /* kernels of either stand for the library's */
        o->machine = gpu;
        status = sp_analyze_gpu(subject, o, progress, record, err);
    }
    if (record->root)
        record_attach(c, p, 1, record);
    sp_gpu_recorded_free(&recorded);
    return status;
}

enum sp_status sp_attach_judge(const struct sp_capture *c, const struct sp_captured_product *p,
                               const char *name, const struct sp_attach_request *request,
                               const struct sp_progress *progress, struct sp_record *record,
                               struct sp_error *err)
{
    const struct sp_captured_matrix *m = &c->matrix[p->matrix];
    struct sp_analyze_options o = *request->analyze;
    struct sp_subject subject = {0};
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", request->folder ? request->folder : c->folder, m->file);
    set_options(m, p, &o);
    o.n_threads = threads_of(request, p);
    enum sp_status status = open_subject(p, path, &o, progress, &subject, err);
    subject.no_values = true;
    if (status == SP_OK) {
        snprintf(subject.name, sizeof subject.name, "%s", name);
        status = is_on_gpu(p) ? judge_on_gpu(c, p, request->gpu, &o, &subject, progress, record, err)
                              : judge_on_cpu(c, p, &o, &subject, progress, record, err);
    }
    sp_subject_free(&subject);
    return status;
}
