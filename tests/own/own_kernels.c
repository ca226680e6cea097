/* Kernels of users, right and wrong, as they may come: a symbol each. Built as a shared library,
 * for spmodel analyze --kernel and for tests/test_own.c. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "include/spmodel.h"

/* ---- plain functions ---- */

#define ROWS(INDEX, ROW_PTR, REAL)                                                                           \
    for (INDEX i = 0; i < n_r; i++) {                                                                        \
        REAL sum = 0;                                                                                        \
        for (ROW_PTR k = row_ptr[i]; k < row_ptr[i + 1]; k++)                                                \
            sum += values[k] * x[col[k]];                                                                    \
        y[i] = sum;                                                                                          \
    }

void csr32(int32_t n_r, const int32_t *row_ptr, const int32_t *col, const double *values, const double *x,
           double *y)
{
    ROWS(int32_t, int32_t, double)
}

void csr64(int64_t n_r, const int64_t *row_ptr, const int64_t *col, const double *values, const double *x,
           double *y)
{
    ROWS(int64_t, int64_t, double)
}

void csr32_ptr64(int32_t n_r, const int64_t *row_ptr, const int32_t *col, const double *values,
                 const double *x, double *y)
{
    ROWS(int32_t, int64_t, double)
}

void csr32_f32(int32_t n_r, const int32_t *row_ptr, const int32_t *col, const float *values, const float *x,
               float *y)
{
    ROWS(int32_t, int32_t, float)
}

void csr64_f32(int64_t n_r, const int64_t *row_ptr, const int64_t *col, const float *values, const float *x,
               float *y)
{
    ROWS(int64_t, int64_t, float)
}

void csr32_c128(int32_t n_r, const int32_t *row_ptr, const int32_t *col, const double _Complex *values,
                const double _Complex *x, double _Complex *y)
{
    ROWS(int32_t, int32_t, double _Complex)
}

#define SEVERAL(INDEX)                                                                                       \
    for (INDEX i = 0; i < n_r; i++)                                                                          \
        for (INDEX v = 0; v < r; v++) {                                                                      \
            double sum = 0;                                                                                  \
            for (INDEX k = row_ptr[i]; k < row_ptr[i + 1]; k++)                                              \
                sum += values[k] * x[col[k] * r + v];                                                        \
            y[i * r + v] = sum;                                                                              \
        }

void csr32_rhs(int32_t n_r, int32_t r, const int32_t *row_ptr, const int32_t *col, const double *values,
               const double *x, double *y)
{
    SEVERAL(int32_t)
}

void csr64_rhs(int64_t n_r, int64_t r, const int64_t *row_ptr, const int64_t *col, const double *values,
               const double *x, double *y)
{
    SEVERAL(int64_t)
}

/* As a subroutine of Fortran is called. */
#define FROM_1(INDEX, REAL)                                                                                  \
    for (INDEX i = 1; i <= *n_r; i++) {                                                                      \
        REAL sum = 0;                                                                                        \
        for (INDEX k = row_ptr[i - 1]; k < row_ptr[i]; k++)                                                  \
            sum += values[k - 1] * x[col[k - 1] - 1];                                                        \
        y[i - 1] = sum;                                                                                      \
    }

void fortran32(const int32_t *n_r, const int32_t *row_ptr, const int32_t *col, const double *values,
               const double *x, double *y)
{
    FROM_1(int32_t, double)
}

void fortran64(const int64_t *n_r, const int64_t *row_ptr, const int64_t *col, const double *values,
               const double *x, double *y)
{
    FROM_1(int64_t, double)
}

void fortran32_f32(const int32_t *n_r, const int32_t *row_ptr, const int32_t *col, const float *values,
                   const float *x, float *y)
{
    FROM_1(int32_t, float)
}

/* ---- structures ---- */

static int rows(void *state, const void *x_, void *y_)
{
    const struct spmodel_matrix *m = state;
    const double *values = m->values, *x = x_;
    const int32_t *row_ptr = m->row_ptr, *col = m->col;
    double *y = y_;
    const int32_t n_r = (int32_t)m->n_r;
    ROWS(int32_t, int32_t, double)
    return 0;
}

#define KERNEL(NAME, ...)                                                                                    \
    const struct spmodel_kernel NAME = {.size = sizeof(struct spmodel_kernel), .name = #NAME, __VA_ARGS__}

KERNEL(spmodel_kernel, .run = rows);

/* Each row as often as it takes to be much slower, and right. */
static int slow_run(void *state, const void *x, void *y)
{
    for (int i = 0; i < 8; i++)
        rows(state, x, y);
    return 0;
}
KERNEL(slow, .run = slow_run);

/* Its own loop over threads, as OpenMP has it. */
static int parallel_run(void *state, const void *x_, void *y_)
{
    const struct spmodel_matrix *m = state;
    const double *values = m->values, *x = x_;
    const int32_t *row_ptr = m->row_ptr, *col = m->col;
    double *y = y_;
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < (int32_t)m->n_r; i++) {
        double sum = 0;
        for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++)
            sum += values[k] * x[col[k]];
        y[i] = sum;
    }
    return 0;
}
KERNEL(parallel, .run = parallel_run);

/* The accesses of the rows as CRS has them, rows in shares of equal nonzeros as the analysis deals
 * them. */
static int32_t n_threads;
static int traced_prepare(void *context, const struct spmodel_matrix *m, int32_t threads, int32_t r,
                          void **state)
{
    (void)context;
    (void)r;
    n_threads = threads;
    *state = (void *)m;
    return 0;
}
static int64_t begin_of(const struct spmodel_matrix *m, int32_t thread)
{
    const int32_t *row_ptr = m->row_ptr;
    const int64_t target = m->n_nz * thread / n_threads;
    int64_t row = 0;
    for (int64_t i = 1; i <= m->n_r && thread > 0; i++)
        if (llabs(row_ptr[i] - target) < llabs(row_ptr[row] - target))
            row = i;
    return thread == n_threads ? m->n_r : row;
}
static int told(void *state, const void *x_, const void *y_, int32_t thread, int how_y,
                spmodel_access *access, void *walker)
{
    const struct spmodel_matrix *m = state;
    const double *values = m->values, *x = x_, *y = y_;
    const int32_t *row_ptr = m->row_ptr, *col = m->col;
    const int64_t first = begin_of(m, thread), end = begin_of(m, thread + 1);
    for (int64_t i = first; i < end; i++) {
        if (i == first)
            access(walker, &row_ptr[i], sizeof *row_ptr, 0);
        access(walker, &row_ptr[i + 1], sizeof *row_ptr, 0);
        for (int32_t k = row_ptr[i]; k < row_ptr[i + 1]; k++) {
            access(walker, &values[k], sizeof *values, 0);
            access(walker, &col[k], sizeof *col, 0);
            access(walker, &x[col[k]], sizeof *x, 0);
        }
        access(walker, &y[i], sizeof *y, how_y);
    }
    return 0;
}
static int traced(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                  void *walker)
{
    return told(state, x, y, thread, 1, access, walker);
}
KERNEL(walking, .prepare = traced_prepare, .run = rows, .trace = traced);
static int traced_streams(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                          void *walker)
{
    return told(state, x, y, thread, SPMODEL_STREAMS, access, walker);
}
KERNEL(streaming, .prepare = traced_prepare, .run = rows, .trace = traced_streams);

static int trace_outside(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                         void *walker)
{
    static const double elsewhere;
    (void)x;
    access(walker, &elsewhere, sizeof elsewhere, 0);
    return traced(state, &elsewhere, y, thread, access, walker);
}
KERNEL(lost_walk, .prepare = traced_prepare, .run = rows, .trace = trace_outside);

static int trace_nothing(void *state, const void *x, const void *y, int32_t thread, spmodel_access *access,
                         void *walker)
{
    (void)state, (void)x, (void)y, (void)thread, (void)access, (void)walker;
    return 0;
}
KERNEL(silent_walk, .prepare = traced_prepare, .run = rows, .trace = trace_nothing);

/* Converts to a format of its own: each row's length as 16 bits, values in f32. */
struct narrow {
    int64_t n_r, n_nz;
    uint16_t *length;
    int32_t *col;
    float *values;
};
static int narrow_prepare(void *context, const struct spmodel_matrix *m, int32_t threads, int32_t r,
                          void **state)
{
    const int32_t *row_ptr = m->row_ptr;
    struct narrow *s = malloc(sizeof *s);
    (void)context;
    (void)threads;
    (void)r;
    *s = (struct narrow){m->n_r, m->n_nz, malloc((size_t)m->n_r * sizeof *s->length),
                         malloc((size_t)m->n_nz * sizeof *s->col),
                         malloc((size_t)m->n_nz * sizeof *s->values)};
    for (int64_t i = 0; i < m->n_r; i++)
        s->length[i] = (uint16_t)(row_ptr[i + 1] - row_ptr[i]);
    memcpy(s->col, m->col, (size_t)m->n_nz * sizeof *s->col);
    for (int64_t k = 0; k < m->n_nz; k++)
        s->values[k] = (float)((const double *)m->values)[k];
    *state = s;
    return 0;
}
static int narrow_run(void *state, const void *x_, void *y_)
{
    const struct narrow *s = state;
    const double *x = x_;
    double *y = y_;
    for (int64_t i = 0, k = 0; i < s->n_r; i++) {
        double sum = 0;
        for (int64_t end = k + s->length[i]; k < end; k++)
            sum += (double)s->values[k] * x[s->col[k]];
        y[i] = sum;
    }
    return 0;
}
static void narrow_finish(void *state)
{
    struct narrow *s = state;
    free(s->length);
    free(s->col);
    free(s->values);
    free(s);
}
static int narrow_stores(void *state, struct spmodel_array *array)
{
    const struct narrow *s = state;
    array[0] = (struct spmodel_array){"values", s->values, (size_t)s->n_nz * sizeof *s->values};
    array[1] = (struct spmodel_array){"indices", s->col, (size_t)s->n_nz * sizeof *s->col};
    array[2] = (struct spmodel_array){"lengths", s->length, (size_t)s->n_r * sizeof *s->length};
    return 3;
}
KERNEL(narrow, .prepare = narrow_prepare, .run = narrow_run, .finish = narrow_finish,
       .stores = narrow_stores);

static int too_many_stores(void *state, struct spmodel_array *array)
{
    const struct spmodel_matrix *m = state;
    for (int i = 0; i < SPMODEL_MAX_ARRAYS + 4; i++)
        array[i] = (struct spmodel_array){"values", m->values, sizeof(double)};
    return SPMODEL_MAX_ARRAYS;
}
KERNEL(too_many, .run = rows, .stores = too_many_stores);

static int lost_stores(void *state, struct spmodel_array *array)
{
    (void)state;
    array[0] = (struct spmodel_array){"lengths", (const void *)(uintptr_t)16, sizeof(double)};
    return 1;
}
KERNEL(lost, .run = rows, .stores = lost_stores);

/* Prints, as many do. */
static int talking_run(void *state, const void *x, void *y)
{
    printf("a kernel that talks\n");
    return rows(state, x, y);
}
KERNEL(talking, .run = talking_run);

/* ---- wrong in one way each ---- */

static int wrong_run(void *state, const void *x, void *y)
{
    rows(state, x, y);
    ((double *)y)[2] += 1;
    return 0;
}
KERNEL(wrong, .run = wrong_run);

static int lazy_run(void *state, const void *x, void *y)
{
    struct spmodel_matrix m = *(const struct spmodel_matrix *)state;
    m.n_r--;
    return rows(&m, x, y);
}
KERNEL(lazy, .run = lazy_run);

/* Right as long as nobody looks again. */
static int stale_run(void *state, const void *x, void *y)
{
    static int n;
    return n++ == 0 ? rows(state, x, y) : wrong_run(state, x, y);
}
KERNEL(stale, .run = stale_run);

/* Computes once, and leaves y alone from then on. */
static int once_run(void *state, const void *x, void *y)
{
    static int n;
    return n++ == 0 ? rows(state, x, y) : 0;
}
KERNEL(once, .run = once_run);

/* Keeps x from the time when it was made ready. */
static int keeping_run(void *state, const void *x, void *y)
{
    static double *kept;
    const struct spmodel_matrix *m = state;
    if (!kept) {
        kept = malloc((size_t)(m->n_c + 1) * sizeof *kept);
        memcpy(kept, x, (size_t)m->n_c * sizeof *kept);
    }
    return rows(state, kept, y);
}
KERNEL(keeping, .run = keeping_run);

static int closing_run(void *state, const void *x, void *y)
{
    for (int i = 3; i < 256; i++)
        close(i);
    for (;;)
        pause();
    return rows(state, x, y);
}
KERNEL(closing, .run = closing_run);

static int scribbling_run(void *state, const void *x, void *y)
{
    static const char garbage[4096] = "what nobody asked for";
    struct stat at;
    for (int i = 3; i < 256; i++) /* pipes: one is the way to the program that waits */
        if (fstat(i, &at) == 0 && S_ISFIFO(at.st_mode) && write(i, garbage, sizeof garbage) < 0)
            continue;
    return rows(state, x, y);
}
KERNEL(scribbling, .run = scribbling_run);

static int behind_run(void *state, const void *x, void *y)
{
    rows(state, x, y);
    ((double *)y)[((const struct spmodel_matrix *)state)->n_r] = 1;
    return 0;
}
KERNEL(behind, .run = behind_run);

static int far_behind_run(void *state, const void *x, void *y)
{
    rows(state, x, y);
    ((double *)y)[((const struct spmodel_matrix *)state)->n_r + 8] = 1;
    return 0;
}
KERNEL(far_behind, .run = far_behind_run);

static int before_run(void *state, const void *x, void *y)
{
    rows(state, x, y);
    ((double *)y)[-1] = 1;
    return 0;
}
KERNEL(before, .run = before_run);

static int into_matrix_run(void *state, const void *x, void *y)
{
    int32_t *col = (int32_t *)((const struct spmodel_matrix *)state)->col;
    rows(state, x, y);
    col[1] = 0;
    return 0;
}
KERNEL(into_matrix, .run = into_matrix_run);

static int into_x_run(void *state, const void *x, void *y)
{
    rows(state, x, y);
    ((double *)x)[0] = 0;
    return 0;
}
KERNEL(into_x, .run = into_x_run);

static int crash_run(void *state, const void *x, void *y)
{
    static int *volatile nothing;
    (void)state;
    (void)x;
    (void)y;
    return *nothing;
}
KERNEL(crash, .run = crash_run);

static int abort_run(void *state, const void *x, void *y)
{
    (void)state;
    (void)x;
    (void)y;
    abort();
}
KERNEL(aborting, .run = abort_run);

static int (*volatile deeper)(void *state, const void *x, void *y);
static int deep_run(void *state, const void *x, void *y)
{
    volatile char room[4096];
    room[0] = 0;
    deeper = deep_run;
    return deeper(state, x, y) + room[0];
}
KERNEL(deep, .run = deep_run);

static int wide_run(void *state, const void *x, void *y)
{
    static volatile size_t size_B = (size_t)1 << 30;
    volatile char *room = __builtin_alloca(size_B);
    (void)state;
    (void)x;
    (void)y;
    room[size_B / 2] = 0;
    return room[0];
}
KERNEL(wide, .run = wide_run);

/* The same on a thread's stack, where no handler of signals can run. */
static void *deep_thread(void *state)
{
    deep_run(state, NULL, NULL);
    return NULL;
}

static int deep_beside_run(void *state, const void *x, void *y)
{
    pthread_t thread;
    (void)x, (void)y;
    return pthread_create(&thread, NULL, deep_thread, state) || pthread_join(thread, NULL);
}
KERNEL(deep_beside, .run = deep_beside_run);

static int hang_run(void *state, const void *x, void *y)
{
    (void)state;
    (void)x;
    (void)y;
    while (pause() != 0)
        ;
    return 0;
}
KERNEL(hanging, .run = hang_run);

static int hang_prepare(void *context, const struct spmodel_matrix *m, int32_t threads, int32_t r,
                        void **state)
{
    (void)threads;
    (void)r;
    *state = (void *)m;
    return hang_run(context, m, state);
}
KERNEL(never_ready, .prepare = hang_prepare, .run = rows);

static int exit_run(void *state, const void *x, void *y)
{
    (void)state;
    (void)x;
    (void)y;
    exit(3);
}
KERNEL(leaving, .run = exit_run);

static int quick_exit_run(void *state, const void *x, void *y)
{
    (void)state;
    (void)x;
    (void)y;
    _exit(0);
}
KERNEL(leaving_at_once, .run = quick_exit_run);

static int thread_exit_run(void *state, const void *x, void *y)
{
    (void)state;
    (void)x;
    (void)y;
    pthread_exit(NULL);
}
KERNEL(ending_thread, .run = thread_exit_run);

static int satisfied_run(void *state, const void *x, void *y)
{
    rows(state, x, y);
    exit(0);
}
KERNEL(satisfied, .run = satisfied_run);

/* As a whole number over 0 does on processors that have a trap for it. */
static int raising_run(void *state, const void *x, void *y)
{
    rows(state, x, y);
    return raise(SIGFPE);
}
KERNEL(raising, .run = raising_run);

/* Nothing ends it any more but SIGKILL. */
static int deaf_run(void *state, const void *x, void *y)
{
    (void)state;
    (void)x;
    (void)y;
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_IGN);
    for (;;)
        pause();
}
KERNEL(deaf, .run = deaf_run);

/* Signals that it ignores, and handlers of its own. */
static void on_nothing(int number)
{
    (void)number;
}
static int handling_run(void *state, const void *x, void *y)
{
    for (int i = 1; i < NSIG; i++)
        signal(i, i % 2 == 0 ? SIG_IGN : on_nothing);
    return rows(state, x, y);
}
KERNEL(handling, .run = handling_run);

/* Takes memory until there is none (here 64 MB, since others need theirs), and ends as C++ does then. */
static int hungry_run(void *state, const void *x, void *y)
{
    enum { PIECE_B = 1 << 20, MOST_B = 1 << 26 };
    struct rlimit limit = {MOST_B, MOST_B};
    (void)state;
    (void)x;
    (void)y;
    setrlimit(RLIMIT_DATA, &limit);
    for (;;) {
        char *piece = mmap(NULL, PIECE_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED)
            abort();
        memset(piece, 1, PIECE_B);
    }
}
KERNEL(hungry, .run = hungry_run);

/* As the system does where no memory is left: it takes this process first. */
static int killed_run(void *state, const void *x, void *y)
{
    char text[8] = "";
    FILE *file = fopen("/proc/self/oom_score_adj", "r");
    if (file && fgets(text, sizeof text, file) && atoi(text) == 1000)
        return raise(SIGKILL);
    return rows(state, x, y);
}
KERNEL(killed, .run = killed_run);

/* Two of them multiply from then on, and four. */
static int forking_run(void *state, const void *x, void *y)
{
    if (fork() > 0) {
        int status;
        wait(&status);
    }
    return rows(state, x, y);
}
KERNEL(forking, .run = forking_run);

/* One that nobody waits for, out of the session and the group of who began it. */
static int leaving_one_run(void *state, const void *x, void *y)
{
    static int n;
    if (n++ == 0 && fork() == 0) {
        setsid();
        if (fork() == 0)
            for (;;)
                sleep(100);
        _exit(0);
    }
    return rows(state, x, y);
}
KERNEL(leaving_one, .run = leaving_one_run);

static int returning_run(void *state, const void *x, void *y)
{
    (void)state;
    (void)x;
    (void)y;
    return 7;
}
KERNEL(returning, .run = returning_run);

static int refusing_prepare(void *context, const struct spmodel_matrix *m, int32_t threads, int32_t r,
                            void **state)
{
    (void)context;
    (void)m;
    (void)threads;
    (void)r;
    (void)state;
    return -2;
}
KERNEL(refusing, .prepare = refusing_prepare, .run = rows);

static void crash_finish(void *state)
{
    (void)state;
    *(volatile int *)16 = 1;
}
KERNEL(crash_at_end, .prepare = traced_prepare, .run = rows, .finish = crash_finish);

/* Leaves a thread behind that works, and binds itself elsewhere. */
static void *work(void *nothing)
{
    for (;;)
        sched_yield();
    return nothing;
}
static int busy_prepare(void *context, const struct spmodel_matrix *m, int32_t threads, int32_t r,
                        void **state)
{
    pthread_t one;
    (void)context;
    (void)threads;
    (void)r;
    *state = (void *)m;
    return pthread_create(&one, NULL, work, NULL);
}
static int busy_run(void *state, const void *x, void *y)
{
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    return rows(state, x, y);
}
KERNEL(busy, .prepare = busy_prepare, .run = busy_run);

/* What is no structure of this version. */
const struct spmodel_kernel other_size = {.size = 4000, .name = "other_size", .run = rows};
const struct spmodel_kernel no_run = {.size = sizeof(struct spmodel_kernel), .name = "no_run"};
