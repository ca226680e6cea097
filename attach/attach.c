#include "attach/attach.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of each thread: where the cells are of the products that it made last. Initial-exec, so that no
 * call of the dynamic linker stands in the way. */
enum { REMEMBERED = 256 }; /* each in one of two neighbouring places */
struct remembered {
    const void *matrix;
    int64_t version[2];
    uint32_t row, width, bits, op, generation, epoch;
    uint32_t lost, step;         /* calls until it is looked at again, where the log had no room */
    struct sp_attach_cell *cell; /* NULL: not ours to count, or lost */
};
static __thread struct {
    int depth; /* calls that are being counted */
    int row;   /* of the outermost one, from 1 */
    uint32_t random;
    bool registered;
    struct remembered of[REMEMBERED];
} own __attribute__((tls_model("initial-exec")));

/* Where a matrix of the log is found by its content, and its cells. Under the lock. */
enum { INDEX = 2 * SP_ATTACH_MATRICES };
static uint16_t by_content[INDEX];              /* place + 1 */
static uint16_t first_cell[SP_ATTACH_MATRICES]; /* place + 1 */
static uint16_t next_cell[SP_ATTACH_CELLS];     /* place + 1 */
static pthread_t owner[SP_ATTACH_CELLS];
static bool owned[SP_ATTACH_CELLS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t thread_end;
static uint32_t n_threads_seen;

static uint32_t epoch; /* after which addresses are looked at again */

void sp_attach_forget(void)
{
    __atomic_add_fetch(&epoch, 1, __ATOMIC_RELEASE);
}

int sp_attach_omp_threads(void)
{
    int (*most)(void) = (int (*)(void))sp_attach_function("omp_get_max_threads");
    const int n = most ? most() : 1;
    return n > 0 ? n : 1;
}

bool sp_attach_is_on(void)
{
    return own.depth == 0 && sp_attach_is_active();
}

/* ---- the log's entries: under the lock ---- */

static bool is_same(const struct sp_attach_matrix *m, const struct sp_attach_view *v, uint64_t hash,
                    const char *library)
{
    return m->hash == hash && m->n_r == v->n_r && m->n_c == v->n_c && m->n_nz == v->n_nz &&
           m->type == (uint32_t)v->type && strcmp(m->library, library) == 0;
}

static int matrix_of(const struct sp_attach_view *v, const char *library)
{
    const uint64_t hash = sp_attach_hash(v);
    uint32_t at = (uint32_t)(hash % INDEX);
    for (; by_content[at]; at = (at + 1) % INDEX)
        if (is_same(&sp_attach_log.matrix[by_content[at] - 1], v, hash, library))
            return by_content[at] - 1;
    struct sp_attach_matrix *m = sp_attach_log_matrix();
    if (!m)
        return -1;
    *m = (struct sp_attach_matrix){.n_r = v->n_r,
                                   .n_c = v->n_c,
                                   .n_nz = v->n_nz,
                                   .hash = hash,
                                   .type = v->type,
                                   .row_ptr_B = (uint32_t)v->row_ptr_B,
                                   .col_B = (uint32_t)v->col_B,
                                   .base = (uint32_t)v->base,
                                   .n_c_own = v->n_parts > 1 ? v->part[0].n_c : v->n_c};
    snprintf(m->library, sizeof m->library, "%s", library);
    snprintf(m->kind, sizeof m->kind, "%s", v->kind);
    sp_attach_keep(v, m);
    __atomic_store_n(&m->valid, 1, __ATOMIC_RELEASE);
    by_content[at] = (uint16_t)(m - sp_attach_log.matrix + 1);
    return (int)(m - sp_attach_log.matrix);
}

static bool fits(const struct sp_attach_cell *c, const struct sp_attach_product *p, uint32_t bits)
{
    return c->symbol_row == (uint32_t)p->row && c->op == (uint32_t)p->op && c->width == p->width &&
           c->bits == bits;
}

/* This thread's cell, or one that a thread left which has ended. */
static struct sp_attach_cell *cell_of(int matrix, const struct sp_attach_product *p, uint32_t bits)
{
    const pthread_t self = pthread_self();
    int left = 0;
    for (int k = first_cell[matrix]; k; k = next_cell[k - 1]) {
        struct sp_attach_cell *c = &sp_attach_log.cell[k - 1];
        if (!fits(c, p, bits))
            continue;
        if (owned[k - 1] && pthread_equal(owner[k - 1], self))
            return c;
        left = owned[k - 1] ? left : k;
    }
    struct sp_attach_cell *c = left ? &sp_attach_log.cell[left - 1] : sp_attach_log_cell();
    if (!c)
        return NULL;
    const long at = c - sp_attach_log.cell;
    owner[at] = self;
    owned[at] = true;
    if (left)
        return c;
    c->matrix = (uint32_t)matrix;
    c->op = p->op;
    c->width = p->width;
    c->bits = bits;
    c->symbol_row = p->row;
    c->thread = n_threads_seen;
    c->n_threads = (uint32_t)(p->threads ? p->threads() : 1);
    c->min_ns = UINT64_MAX;
    snprintf(c->symbol, sizeof c->symbol, "%s", sp_attach_symbol(p->row));
    next_cell[at] = first_cell[matrix];
    first_cell[matrix] = (uint16_t)(at + 1);
    __atomic_store_n(&c->valid, 1, __ATOMIC_RELEASE);
    return c;
}

/* A child has one from its first product on: many are forked that make none. */
static bool has_log(void)
{
    static uint32_t failed; /* in this generation */
    if (!sp_attach_log.header && failed != sp_attach_log.generation &&
        !sp_attach_log_open(sp_attach_log.folder))
        failed = sp_attach_log.generation;
    return sp_attach_log.header != NULL;
}

/* The first call of this thread on this matrix. */
static struct sp_attach_cell *find_cell(const struct sp_attach_product *p, bool *ours)
{
    struct sp_attach_view view = {0};
    struct sp_attach_cell *cell = NULL;
    *ours = p->look(p, &view);
    if (!*ours)
        return NULL;
    pthread_mutex_lock(&lock);
    if (sp_attach_log.generation && has_log()) {
        if (!own.registered) {
            own.registered = true;
            pthread_setspecific(thread_end, &own);
            n_threads_seen++;
        }
        const int matrix = matrix_of(&view, sp_attach_library(p->row));
        cell = matrix >= 0 ? cell_of(matrix, p, p->bits | view.bits) : NULL;
        if (cell)
            sp_attach_note_called(p->row);
    }
    pthread_mutex_unlock(&lock);
    if (view.release)
        view.release(&view);
    return cell;
}

/* ---- a call ---- */

static uint32_t place_of(const struct sp_attach_product *p)
{
    const uint64_t x = ((uint64_t)(uintptr_t)p->matrix >> 4) * 0x9e3779b97f4a7c15ULL + p->width * 31 +
                       (uint64_t)p->row * 7 + p->op;
    return (uint32_t)(x ^ (x >> 29)) % REMEMBERED;
}

static bool is_remembered(const struct remembered *r, const struct sp_attach_product *p, uint32_t now,
                          uint32_t seen)
{
    return r->matrix == p->matrix && r->generation == now && r->epoch == seen && r->row == (uint32_t)p->row &&
           r->width == p->width && r->bits == p->bits && r->op == (uint32_t)p->op &&
           r->version[0] == p->version[0] && r->version[1] == p->version[1];
}

/* Calls between two looks for room in the log, at most. */
enum { LOOKS_APART = 1 << 20 };

static void count_lost(void)
{
    if (sp_attach_log.header)
        __atomic_add_fetch(&sp_attach_log.header->n_lost, 1, __ATOMIC_RELAXED);
}

void sp_attach_begin(struct sp_attach_call *call, const struct sp_attach_product *p)
{
    const uint32_t now = __atomic_load_n(&sp_attach_log.generation, __ATOMIC_ACQUIRE),
                   seen = __atomic_load_n(&epoch, __ATOMIC_ACQUIRE);
    struct remembered *r = &own.of[place_of(p)], *other = &own.of[place_of(p) ^ 1];
    *call = (struct sp_attach_call){.generation = now};
    bool known = is_remembered(r, p, now, seen);
    if (!known && is_remembered(other, p, now, seen)) {
        r = other;
        known = true;
    }
    if (known && r->lost > 0) {
        r->lost--;
        count_lost();
        return;
    }
    if (!known || r->step > 0) {
        const uint32_t step = !known ? 1 : r->step < LOOKS_APART ? 2 * r->step : r->step;
        if (!known)
            *other = *r;
        const int saved = errno;
        bool ours;
        own.depth++; /* a library that is asked about its matrix may multiply */
        struct sp_attach_cell *cell = find_cell(p, &ours);
        own.depth--;
        errno = saved;
        const bool lost = ours && !cell;
        if (lost)
            count_lost();
        *r = (struct remembered){.matrix = p->matrix,
                                 .version = {p->version[0], p->version[1]},
                                 .row = p->row,
                                 .width = p->width,
                                 .bits = p->bits,
                                 .op = p->op,
                                 .generation = now,
                                 .epoch = seen,
                                 .lost = lost ? step : 0,
                                 .step = lost ? step : 0, /* a look may cost as much as many products */
                                 .cell = cell};
    }
    call->cell = r->cell;
    if (!r->cell)
        return;
    call->inside = true;
    if (own.depth++ == 0)
        own.row = (int)p->row + 1;
    call->start_ns = sp_attach_now_ns();
}

/* Written by its thread alone; whoever reads does so when the process is gone. */
static void add(struct sp_attach_cell *c, double ns)
{
    const uint64_t whole = ns > 0 ? (uint64_t)ns : 0, n = c->n_timed;
    c->total_ns += whole;
    c->min_ns = whole < c->min_ns ? whole : c->min_ns;
    c->max_ns = whole > c->max_ns ? whole : c->max_ns;
    if (n == 0)
        c->first_ns = whole;
    if (n < SP_ATTACH_SAMPLES) {
        c->sample_ns[n] = (float)ns;
    } else { /* Vitter's reservoir: the n-th stays with probability SP_ATTACH_SAMPLES/n */
        own.random = own.random ? own.random : (uint32_t)(uintptr_t)&own | 1;
        own.random ^= own.random << 13;
        own.random ^= own.random >> 17;
        own.random ^= own.random << 5;
        const uint64_t at = ((uint64_t)own.random * (n + 1)) >> 32;
        if (at < SP_ATTACH_SAMPLES)
            c->sample_ns[at] = (float)ns;
    }
    c->n_timed = n + 1;
}

void sp_attach_end(struct sp_attach_call *call, bool counts)
{
    if (!call->inside)
        return;
    const int64_t end = sp_attach_now_ns();
    own.depth--;
    if (!counts || call->generation != __atomic_load_n(&sp_attach_log.generation, __ATOMIC_ACQUIRE))
        return;
    add(call->cell, (double)(end - call->start_ns));
    call->cell->last_ns = end;
    call->cell->count++;
}

void sp_attach_end_untimed(struct sp_attach_call *call)
{
    if (!call->inside)
        return;
    own.depth--;
    if (call->generation != __atomic_load_n(&sp_attach_log.generation, __ATOMIC_ACQUIRE))
        return;
    call->cell->last_ns = sp_attach_now_ns();
    call->cell->count++;
}

void sp_attach_add_time(struct sp_attach_cell *cell, uint32_t of, double time_ns)
{
    if (of == __atomic_load_n(&sp_attach_log.generation, __ATOMIC_ACQUIRE))
        add(cell, time_ns);
}

/* For libspmodel-pmpi.so, which finds them by name: in which product this thread is, 0 in none, and
 * its function's name. */
SP_EXPORT int spmodel_attach_inside(void);
SP_EXPORT int spmodel_attach_inside(void)
{
    return own.depth > 0 ? own.row : 0;
}

SP_EXPORT const char *spmodel_attach_inside_name(int row);
SP_EXPORT const char *spmodel_attach_inside_name(int row)
{
    return row > 0 && row <= SP_N_ROWS ? sp_attach_symbol((enum sp_attach_row)(row - 1)) : "";
}

/* ---- the process ---- */

static void leave_cells(void *unused)
{
    const pthread_t self = pthread_self();
    (void)unused;
    pthread_mutex_lock(&lock);
    if (sp_attach_log.header)
        for (uint32_t k = 0; k < sp_attach_log.header->n_cells; k++)
            owned[k] = owned[k] && !pthread_equal(owner[k], self);
    own.registered = false;
    pthread_mutex_unlock(&lock);
}

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

/* A child begins anew: what is in the log of its parent was its parent's. */
static void in_child(void)
{
    sp_attach_log_leave();
    memset(by_content, 0, sizeof by_content);
    memset(first_cell, 0, sizeof first_cell);
    memset(owned, 0, sizeof owned);
    n_threads_seen = 0;
    own.registered = false;
    if (sp_attach_log.generation)
        __atomic_store_n(&sp_attach_log.generation, sp_attach_log.generation + 1, __ATOMIC_RELEASE);
    after_fork();
}

__attribute__((constructor)) static void begin(void)
{
    const char *folder = getenv(SP_ATTACH_FOLDER_VARIABLE);
    if (!folder || *folder != '/' || pthread_key_create(&thread_end, leave_cells) != 0)
        return;
    if (sp_attach_log_open(folder) && pthread_atfork(before_fork, after_fork, in_child) == 0)
        __atomic_store_n(&sp_attach_log.generation, 1, __ATOMIC_RELEASE);
}

__attribute__((destructor)) static void end(void)
{
    if (pthread_mutex_trylock(&lock) != 0) /* an exit inside a call that is looked at */
        return;
    sp_attach_note_libraries();
    sp_attach_log_close();
    pthread_mutex_unlock(&lock);
}
