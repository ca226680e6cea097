#include "io/attach/capture.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/files/input_file.h"
#include "io/json_text.h"

enum { BEFORE_CELLS = SP_ATTACH_HEADER_B + SP_ATTACH_MATRICES * SP_ATTACH_MATRIX_B };
/* No product takes longer than a day, no program longer than some years. */
static const double longest_ns = 86400e9, longest_wall_s = 3e8;
static const char again[] = "run spmodel attach again";

/* ---- one log ---- */

/* Text of a file: ended, whatever it holds. */
static void copy_text(char *to, size_t size, const char *from, size_t from_size)
{
    const size_t n = strnlen(from, from_size < size - 1 ? from_size : size - 1);
    memcpy(to, from, n);
    to[n] = '\0';
}

static enum sp_status fail(const char *path, const char *what, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, path, 0, 0, again, "this log of attach is unusable: %s", what);
}

static enum sp_status read_header(const char *path, const char *bytes, int64_t n, struct sp_attach_header *h,
                                  struct sp_error *err)
{
    if (n < (int64_t)sizeof *h || memcmp(bytes, SP_ATTACH_LOG_MAGIC, sizeof h->magic) != 0)
        return fail(path, "it does not begin like one", err);
    memcpy(h, bytes, sizeof *h);
    if (h->version != SP_ATTACH_VERSION)
        return fail(path, "it is of another version", err);
    if (h->header_B != SP_ATTACH_HEADER_B || h->matrix_B != SP_ATTACH_MATRIX_B ||
        h->cell_B != SP_ATTACH_CELL_B || (n < BEFORE_CELLS && n > SP_ATTACH_HEADER_B))
        return fail(path, "its header is damaged, or it was cut off", err);
    return SP_OK;
}

static void take_process(const struct sp_attach_header *h, struct sp_captured_process *p)
{
    *p = (struct sp_captured_process){.pid = h->pid,
                                      .parent = h->parent,
                                      .begun_at_ns = h->begun_at_ns,
                                      .ended = h->ended_ns > h->began_ns,
                                      .n_lost = h->n_lost < INT64_MAX ? (int64_t)h->n_lost : INT64_MAX,
                                      .n_cpus = h->n_cpus <= 65536 ? (int)h->n_cpus : 0};
    copy_text(p->host, sizeof p->host, h->host, sizeof h->host);
    copy_text(p->program, sizeof p->program, h->program, sizeof h->program);
    copy_text(p->lost, sizeof p->lost, h->lost, sizeof h->lost);
    copy_text(p->idle, sizeof p->idle, h->idle, sizeof h->idle);
    copy_text(p->second, sizeof p->second, h->second, sizeof h->second);
}

/* The name of a pattern as attach gives it, and no other file. */
static bool is_pattern_name(const char *name)
{
    static const char head[] = "pattern-", tail[] = ".sppat";
    return strlen(name) == sizeof head - 1 + 16 + sizeof tail - 1 &&
           strncmp(name, head, sizeof head - 1) == 0 &&
           strspn(name + sizeof head - 1, "0123456789abcdef") == 16 &&
           strcmp(name + sizeof head - 1 + 16, tail) == 0;
}

static bool take_matrix(const struct sp_attach_matrix *from, int process, struct sp_captured_matrix *m)
{
    if (from->valid != 1 || from->n_r < 0 || from->n_c < 0 || from->n_nz < 0)
        return false;
    *m = (struct sp_captured_matrix){.process = process,
                                     .n_r = from->n_r,
                                     .n_c = from->n_c,
                                     .n_nz = from->n_nz,
                                     .n_c_own = from->n_c_own,
                                     .type = from->type <= SP_ATTACH_C128 ? (enum sp_attach_type)from->type
                                                                          : SP_ATTACH_TYPE_UNKNOWN,
                                     .row_ptr_B = from->row_ptr_B == 8 ? 8 : 4,
                                     .col_B = from->col_B == 8 ? 8 : 4,
                                     .base = from->base == 1};
    copy_text(m->library, sizeof m->library, from->library, sizeof from->library);
    copy_text(m->kind, sizeof m->kind, from->kind, sizeof from->kind);
    copy_text(m->why, sizeof m->why, from->why, sizeof from->why);
    copy_text(m->file, sizeof m->file, from->file, sizeof from->file);
    if (from->pattern != SP_ATTACH_PATTERN || !is_pattern_name(m->file)) {
        m->file[0] = '\0';
        if (!*m->why)
            snprintf(m->why, sizeof m->why, "its pattern was not written to the end");
    }
    return true;
}

static bool is_same(const struct sp_captured_product *p, const struct sp_attach_cell *c, int process,
                    int matrix)
{
    return p->process == process && p->matrix == matrix && p->op == (enum sp_attach_op)c->op &&
           p->width == c->width && p->bits == c->bits &&
           strncmp(p->symbol, c->symbol, sizeof p->symbol - 1) == 0;
}

static bool is_cell(const struct sp_attach_cell *c, uint32_t n_matrices)
{
    return c->valid == 1 && c->matrix < n_matrices && c->op < SP_ATTACH_OPS && c->width >= 1 &&
           c->width <= INT32_MAX && c->count > 0 && c->count < (UINT64_C(1) << 53);
}

static enum sp_status add_samples(const struct sp_attach_cell *c, struct sp_captured_product *p,
                                  struct sp_error *err)
{
    const int64_t n = c->n_timed < SP_ATTACH_SAMPLES ? (int64_t)c->n_timed : (int64_t)SP_ATTACH_SAMPLES;
    double *more = realloc(p->time_s, (size_t)(p->n_samples + n + 1) * sizeof *more);
    if (!more)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for the times of a product");
    p->time_s = more;
    for (int64_t i = 0; i < n; i++) {
        const double ns = (double)c->sample_ns[i];
        if (ns > 0 && ns < longest_ns)
            p->time_s[p->n_samples++] = ns * 1e-9;
    }
    return SP_OK;
}

/* Sums that cannot be are left out, with their samples. */
static enum sp_status add_cell(const struct sp_attach_cell *c, struct sp_captured_product *p,
                               struct sp_error *err)
{
    const double total = (double)c->total_ns, least = (double)c->min_ns, most = (double)c->max_ns;
    p->count += (int64_t)c->count;
    p->n_callers++;
    const int n_threads = c->n_threads >= 1 && c->n_threads <= 4096 ? (int)c->n_threads : 1;
    p->n_threads = n_threads > p->n_threads ? n_threads : p->n_threads;
    if (c->n_timed == 0 || c->n_timed > c->count + 1 || least > most || most > longest_ns || total < least ||
        total > most * (double)c->n_timed * 1.001 + 1)
        return SP_OK;
    if (p->n_timed == 0)
        p->first_s = (double)c->first_ns < longest_ns ? (double)c->first_ns * 1e-9 : 0;
    p->min_s = p->n_timed == 0 || least * 1e-9 < p->min_s ? least * 1e-9 : p->min_s;
    p->max_s = most * 1e-9 > p->max_s ? most * 1e-9 : p->max_s;
    p->n_timed += (int64_t)(c->n_timed < c->count ? c->n_timed : c->count);
    p->total_s += total * 1e-9;
    return add_samples(c, p, err);
}

static enum sp_status grow(void **list, int64_t n, int64_t more, size_t size, struct sp_error *err)
{
    void *p = realloc(*list, (size_t)(n + more + 1) * size);
    if (!p)
        return sp_fail(err, SP_MEMORY, NULL, "no memory for what attach has seen");
    *list = p;
    return SP_OK;
}

struct reading {
    struct sp_attach_header header;
    const char *bytes;
    uint32_t n_matrices, n_cells;
    int process;
    int64_t first_matrix, first_product;
    int *place; /* of each matrix of the log among all; -1: it is none */
    int64_t last_ns;
};

static void take_matrices(struct reading *r, struct sp_capture *all)
{
    for (uint32_t i = 0; i < r->n_matrices; i++) {
        struct sp_attach_matrix m;
        memcpy(&m, r->bytes + SP_ATTACH_HEADER_B + (int64_t)i * SP_ATTACH_MATRIX_B, sizeof m);
        const bool good = take_matrix(&m, r->process, &all->matrix[all->n_matrices]);
        r->place[i] = good ? (int)all->n_matrices : -1;
        all->n_matrices += good;
    }
}

static enum sp_status take_cells(struct reading *r, struct sp_capture *all, struct sp_error *err)
{
    enum sp_status status = SP_OK;
    for (uint32_t i = 0; i < r->n_cells && status == SP_OK; i++) {
        struct sp_attach_cell c;
        memcpy(&c, r->bytes + BEFORE_CELLS + (int64_t)i * SP_ATTACH_CELL_B, sizeof c);
        if (!is_cell(&c, r->n_matrices) || r->place[c.matrix] < 0)
            continue;
        c.symbol[sizeof c.symbol - 1] = '\0';
        struct sp_captured_product *p = &all->product[r->first_product];
        while (p < &all->product[all->n_products] && !is_same(p, &c, r->process, r->place[c.matrix]))
            p++;
        if (p == &all->product[all->n_products]) {
            *p = (struct sp_captured_product){.process = r->process,
                                              .matrix = r->place[c.matrix],
                                              .op = (enum sp_attach_op)c.op,
                                              .width = c.width,
                                              .bits = c.bits,
                                              .n_threads = 1};
            copy_text(p->symbol, sizeof p->symbol, c.symbol, sizeof c.symbol);
            all->n_products++;
        }
        r->last_ns = c.last_ns > r->last_ns ? c.last_ns : r->last_ns;
        status = add_cell(&c, p, err);
    }
    return status;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double wall_of(const struct reading *r)
{
    const int64_t end = r->header.ended_ns > r->header.began_ns ? r->header.ended_ns : r->last_ns;
    const double s = ((double)end - (double)r->header.began_ns) * 1e-9;
    return s > 0 && s < longest_wall_s ? s : 0;
}

static void forget(struct sp_capture *all, const struct reading *r)
{
    for (int64_t i = r->first_product; i < all->n_products; i++)
        free(all->product[i].time_s);
    all->n_products = r->first_product;
    all->n_matrices = r->first_matrix;
}

enum sp_status sp_capture_add(const char *path, const char *bytes, int64_t n, struct sp_capture *all,
                              struct sp_error *err)
{
    struct reading *r;
    void *p = NULL;
    enum sp_status status = sp_new_array(1, sizeof *r, "a log", &p, err);
    if (status != SP_OK)
        return status;
    r = p;
    r->bytes = bytes;
    status = read_header(path, bytes, n, &r->header, err);
    if (status == SP_OK) {
        const int64_t room = n > BEFORE_CELLS ? (n - BEFORE_CELLS) / SP_ATTACH_CELL_B : 0;
        r->n_matrices = r->header.n_matrices < SP_ATTACH_MATRICES ? r->header.n_matrices : SP_ATTACH_MATRICES;
        r->n_cells = r->header.n_cells < SP_ATTACH_CELLS ? r->header.n_cells : SP_ATTACH_CELLS;
        r->n_matrices = n > BEFORE_CELLS ? r->n_matrices : 0; /* none without a cell */
        r->n_cells = r->n_cells < room ? r->n_cells : (uint32_t)room;
        r->process = (int)all->n_processes;
        r->first_matrix = all->n_matrices;
        r->first_product = all->n_products;
        status = sp_new_array(r->n_matrices, sizeof *r->place, "matrices of a log", &p, err);
        r->place = status == SP_OK ? p : NULL;
    }
    if (status == SP_OK)
        status = grow((void **)&all->process, all->n_processes, 1, sizeof *all->process, err);
    if (status == SP_OK)
        status = grow((void **)&all->matrix, all->n_matrices, r->n_matrices, sizeof *all->matrix, err);
    if (status == SP_OK)
        status = grow((void **)&all->product, all->n_products, r->n_cells, sizeof *all->product, err);
    if (status == SP_OK) {
        take_matrices(r, all);
        status = take_cells(r, all, err);
        if (status != SP_OK)
            forget(all, r);
    }
    if (status == SP_OK) {
        struct sp_captured_process *process = &all->process[all->n_processes++];
        take_process(&r->header, process);
        process->wall_s = wall_of(r);
        for (int64_t i = r->first_product; i < all->n_products; i++)
            sp_sort_by(all->product[i].time_s, all->product[i].n_samples, sizeof(double), compare_times);
    }
    free(r->place);
    free(r);
    return status;
}

/* ---- a folder ---- */

static int compare_products(const void *a, const void *b)
{
    const struct sp_captured_product *p = a, *q = b;
    const double x = sp_captured_total_s(p), y = sp_captured_total_s(q);
    return x > y                      ? -1
           : x < y                    ? 1
           : p->process != q->process ? p->process - q->process
                                      : p->matrix - q->matrix;
}

static bool is_log(const char *name)
{
    static const char ending[] = SP_ATTACH_LOG_ENDING;
    const size_t n = strlen(name);
    return n > sizeof ending - 1 && strcmp(name + n - (sizeof ending - 1), ending) == 0 && name[0] != '.';
}

static enum sp_status add_file(const char *folder, const char *name, struct sp_capture *all,
                               struct sp_error *err)
{
    char path[1400];
    char *bytes = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    enum sp_status status = sp_input_bytes(path, INT64_C(1) << 28, &bytes, &size, err);
    if (status == SP_OK)
        status = sp_capture_add(path, bytes, (int64_t)size, all, err);
    free(bytes);
    return status;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int wanted(const struct dirent *entry)
{
    return is_log(entry->d_name);
}

enum sp_status sp_capture_read(const char *folder, struct sp_capture *all, struct sp_error *err)
{
    struct dirent **entry = NULL;
    struct sp_error first;
    memset(all, 0, sizeof *all);
    if (snprintf(all->folder, sizeof all->folder, "%s", folder) >= (int)sizeof all->folder)
        return sp_fail(err, SP_INPUT, "use a shorter path", "the path of the folder is too long");
    const int n = scandir(folder, &entry, wanted, by_name);
    if (n < 0)
        return sp_fail_at(err, sp_input_status(errno), folder, 0, 0, NULL, "cannot read the folder: %s",
                          strerror(errno));
    enum sp_status status = SP_OK;
    for (int i = 0; i < n; i++) {
        if (status == SP_OK) {
            const enum sp_status one = add_file(folder, entry[i]->d_name, all, &first);
            if (one == SP_INPUT && all->n_damaged++ == 0)
                snprintf(all->damage, sizeof all->damage, "%.100s: %.150s", entry[i]->d_name, first.what);
            if (one != SP_OK && one != SP_INPUT) {
                status = one;
                if (err)
                    *err = first;
            }
        }
        free(entry[i]);
    }
    free(entry);
    if (status == SP_OK && n == 0)
        status =
            sp_fail_at(err, SP_ABSENT, folder, 0, 0,
                       "programs that are linked statically, or run as another user, cannot be attached to",
                       "no process has written anything here");
    else if (status == SP_OK && all->n_processes == 0)
        status = sp_fail_at(err, SP_INPUT, folder, 0, 0, again, "%s", all->damage);
    if (status == SP_OK)
        sp_sort_by(all->product, all->n_products, sizeof *all->product, compare_products);
    else
        sp_capture_free(all);
    return status;
}

void sp_capture_free(struct sp_capture *all)
{
    for (int64_t i = 0; i < all->n_products; i++)
        free(all->product[i].time_s);
    free(all->process);
    free(all->matrix);
    free(all->product);
    memset(all, 0, sizeof *all);
}

/* ---- what follows from it ---- */

double sp_captured_quantile(const struct sp_captured_product *p, double q)
{
    if (p->n_samples == 0)
        return 0;
    const double at = q * (double)(p->n_samples - 1);
    const int64_t i = (int64_t)floor(at), next = i + 1 < p->n_samples ? i + 1 : i;
    return p->time_s[i] + (at - (double)i) * (p->time_s[next] - p->time_s[i]);
}

double sp_captured_total_s(const struct sp_captured_product *p)
{
    return p->n_timed > 0 ? p->total_s / (double)p->n_timed * (double)p->count : 0;
}

const char *sp_captured_op_text(const struct sp_captured_product *p)
{
    static const char *const text[] = {[SP_ATTACH_SPMV] = "y = A x",
                                       [SP_ATTACH_ADD] = "y = z + A x",
                                       [SP_ATTACH_TRANSPOSE] = "y = A^T x",
                                       [SP_ATTACH_SPMM] = "Y = A X",
                                       [SP_ATTACH_SDDMM] = "P = S o (A B^T)"};
    static const char *const alone[2][2] = {{"y = L x", "y = L^T x"}, {"y = U x", "y = U^T x"}};
    const uint32_t part = p->bits & (SP_ATTACH_TRIANGLE | SP_ATTACH_LOWER | SP_ATTACH_UPPER);
    if (part && !(part & SP_ATTACH_TRIANGLE) && p->op != SP_ATTACH_SPMM)
        return alone[part == SP_ATTACH_UPPER][p->op == SP_ATTACH_TRANSPOSE];
    return p->op == SP_ATTACH_SPMM && (p->bits & SP_ATTACH_SIDE_T) ? "Y = A^T X" : text[p->op];
}

static const char schema[] = "spmodel.messages/1";
enum { MOST_RANKS = 1 << 20 };

static const char *const kind_name[SP_N_MESSAGE_KINDS] = {"message", "persistent", "neighbour", "one-sided"};

const char *sp_message_kind_name(enum sp_message_kind kind)
{
    return kind_name[kind];
}

void sp_message_counts_free(struct sp_message_counts *m)
{
    for (int64_t i = 0; i < m->n_phases; i++)
        free(m->phase[i].pair);
    free(m->phase);
    free(m->host);
    memset(m, 0, sizeof *m);
}

static enum sp_status fail_record(const char *path, const char *what, struct sp_error *err)
{
    return sp_fail_at(err, SP_INPUT, path, 0, 0, "give the record that libspmodel-pmpi.so wrote",
                      "this is no record of messages: %s", what);
}

/* A whole number from 0 to `most`; -1: it is none. */
static int64_t count_of(const json_t *o, const char *key, int64_t most)
{
    const json_t *value = json_object_get(o, key);
    const json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
    return n >= 0 && n <= most ? (int64_t)n : -1;
}

static void copy_string(char *to, size_t size, const json_t *text)
{
    snprintf(to, size, "%s", json_is_string(text) ? json_string_value(text) : "");
}

static int by_place(const void *left, const void *right)
{
    const struct sp_message_pair *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

static bool take_pair(const json_t *o, int n_ranks, struct sp_message_pair *pair)
{
    const char *kind = json_string_value(json_object_get(o, "kind"));
    int k = 0;
    while (k < SP_N_MESSAGE_KINDS && (!kind || strcmp(kind, kind_name[k]) != 0))
        k++;
    *pair = (struct sp_message_pair){.from = (int32_t)count_of(o, "from", n_ranks - 1),
                                     .to = (int32_t)count_of(o, "to", n_ranks - 1),
                                     .kind = (enum sp_message_kind)k,
                                     .messages = count_of(o, "messages", INT64_C(1) << 53),
                                     .bytes = count_of(o, "bytes", INT64_C(1) << 53)};
    return k < SP_N_MESSAGE_KINDS && pair->from >= 0 && pair->to >= 0 && pair->messages >= 0 &&
           pair->bytes >= 0;
}

/* Equal ones, of which one was put and the other fetched, become one. */
static void join(struct sp_message_phase *p)
{
    int64_t n = 0;
    sp_sort_by(p->pair, p->n_pairs, sizeof *p->pair, by_place);
    for (int64_t i = 0; i < p->n_pairs; i++) {
        if (n > 0 && by_place(&p->pair[n - 1], &p->pair[i]) == 0) {
            p->pair[n - 1].messages += p->pair[i].messages;
            p->pair[n - 1].bytes += p->pair[i].bytes;
        } else {
            p->pair[n++] = p->pair[i];
        }
    }
    p->n_pairs = n;
}

static enum sp_status take_phase(const json_t *o, const char *path, int n_ranks, struct sp_message_phase *p,
                                 struct sp_error *err)
{
    const json_t *pairs = json_object_get(o, "pairs");
    void *memory;
    p->level = count_of(o, "phase", INT32_MAX);
    p->collective_calls = count_of(o, "collective_calls", INT64_C(1) << 53);
    copy_string(p->inside, sizeof p->inside, json_object_get(o, "inside"));
    if (p->level < 0 || p->collective_calls < 0 || !json_is_array(pairs))
        return fail_record(path, "a phase is not as it should be", err);
    const enum sp_status status =
        sp_new_array((int64_t)json_array_size(pairs), sizeof *p->pair, "pairs of ranks", &memory, err);
    if (status != SP_OK)
        return status;
    p->pair = memory;
    for (size_t i = 0; i < json_array_size(pairs); i++)
        if (!take_pair(json_array_get(pairs, i), n_ranks, &p->pair[p->n_pairs++]))
            return fail_record(path, "a pair of ranks is not as it should be", err);
    join(p);
    return SP_OK;
}

static int by_level(const void *left, const void *right)
{
    const struct sp_message_phase *a = left, *b = right;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return strcmp(a->inside, b->inside);
}

static enum sp_status take_all(const json_t *root, const char *path, struct sp_message_counts *m,
                               struct sp_error *err)
{
    const char *form = json_string_value(json_object_get(root, "schema"));
    const json_t *hosts = json_object_get(root, "hosts"), *phases = json_object_get(root, "phases");
    void *memory;
    if (!form || strcmp(form, schema) != 0)
        return fail_record(path, "its schema is not spmodel.messages/1", err);
    m->n_ranks = (int)count_of(root, "ranks", MOST_RANKS);
    m->n_incomplete = (int)count_of(root, "ranks_incomplete", MOST_RANKS);
    copy_string(m->program, sizeof m->program, json_object_get(root, "program"));
    copy_string(m->begun, sizeof m->begun, json_object_get(root, "begun"));
    if (m->n_ranks < 1 || m->n_incomplete < 0 || !json_is_array(hosts) || !json_is_array(phases) ||
        json_array_size(hosts) != (size_t)m->n_ranks)
        return fail_record(path, "its ranks are not as they should be", err);
    enum sp_status status = sp_new_array(m->n_ranks, sizeof *m->host, "names of nodes", &memory, err);
    m->host = memory;
    for (int r = 0; r < m->n_ranks && status == SP_OK; r++)
        copy_string(m->host[r], sizeof m->host[r], json_array_get(hosts, (size_t)r));
    if (status == SP_OK) {
        status = sp_new_array((int64_t)json_array_size(phases), sizeof *m->phase, "phases", &memory, err);
        m->phase = memory;
    }
    for (size_t i = 0; status == SP_OK && i < json_array_size(phases); i++)
        status = take_phase(json_array_get(phases, i), path, m->n_ranks, &m->phase[m->n_phases++], err);
    if (status == SP_OK)
        sp_sort_by(m->phase, m->n_phases, sizeof *m->phase, by_level);
    return status;
}

enum sp_status sp_message_counts_take(const json_t *root, const char *path, struct sp_message_counts *m,
                                      struct sp_error *err)
{
    memset(m, 0, sizeof *m);
    const enum sp_status status = take_all(root, path, m, err);
    if (status != SP_OK)
        sp_message_counts_free(m);
    return status;
}

enum sp_status sp_message_counts_read(const char *path, struct sp_message_counts *m, struct sp_error *err)
{
    json_t *root;
    memset(m, 0, sizeof *m);
    enum sp_status status =
        sp_input_json(path, SP_INPUT_MOST_B, "give the record that libspmodel-pmpi.so wrote", &root, err);
    if (status != SP_OK)
        return status;
    status = sp_message_counts_take(root, path, m, err);
    json_decref(root);
    return status;
}

json_t *sp_message_counts_json(const struct sp_message_counts *m)
{
    json_t *root = json_object(), *hosts = json_array(), *phases = json_array();
    json_object_set_new(root, "schema", json_string(schema));
    json_object_set_new(root, "program", sp_json_string(m->program));
    json_object_set_new(root, "begun", sp_json_string(m->begun));
    json_object_set_new(root, "ranks", json_integer(m->n_ranks));
    json_object_set_new(root, "ranks_incomplete", json_integer(m->n_incomplete));
    for (int r = 0; r < m->n_ranks; r++)
        json_array_append_new(hosts, sp_json_string(m->host[r]));
    json_object_set_new(root, "hosts", hosts);
    for (int64_t i = 0; i < m->n_phases; i++) {
        const struct sp_message_phase *p = &m->phase[i];
        json_t *o = json_object(), *pairs = json_array();
        json_object_set_new(o, "phase", json_integer(p->level));
        if (*p->inside)
            json_object_set_new(o, "inside", sp_json_string(p->inside));
        for (int64_t k = 0; k < p->n_pairs; k++)
            json_array_append_new(
                pairs, json_pack("{s:i, s:i, s:s, s:I, s:I}", "from", (int)p->pair[k].from, "to",
                                 (int)p->pair[k].to, "kind", kind_name[p->pair[k].kind], "messages",
                                 (json_int_t)p->pair[k].messages, "bytes", (json_int_t)p->pair[k].bytes));
        json_object_set_new(o, "pairs", pairs);
        json_object_set_new(o, "collective_calls", json_integer(p->collective_calls));
        json_array_append_new(phases, o);
    }
    json_object_set_new(root, "phases", phases);
    return root;
}
