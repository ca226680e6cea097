/* A program that multiplies through the fakes: attach_app WHAT. tests/test_attach.c says what must have been
 * seen. */
#include <complex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void fake_petsc_time(long ns);
void *fake_petsc_make(const char *type, int n_r, int n_c, int each);
void *fake_petsc_join(const char *type, void *first, void *second);
void fake_petsc_free(void *A);
const char *fake_who_is_next(void);
int MatMult(void *A, void *x, void *y);
int MatMultAdd(void *A, void *x, void *y, void *z);
int MatMultTranspose(void *A, void *x, void *y);

void *fake_hypre_make(int n_r, int n_c, int each);
int hypre_CSRMatrixMatvecOutOfPlace(double alpha, void *A, void *x, double beta, void *b, void *y,
                                    int offset);
int hypre_CSRMatrixMatvec(double alpha, void *A, void *x, double beta, void *y);
int hypre_CSRMatrixMatvecT(double alpha, void *A, void *x, double beta, void *y);

struct matrix_descr {
    int type, mode, diag;
};
int fake_mkl_convert(void **A, int rows, int cols, int *begin, int *end, int *col);
int mkl_sparse_destroy(void *A);
int mkl_sparse_s_create_csr(void **A, int indexing, int rows, int cols, int *begin, int *end, int *col,
                            float *values);
int mkl_sparse_d_create_csr(void **A, int indexing, int rows, int cols, int *begin, int *end, int *col,
                            double *values);
int mkl_sparse_c_create_csr(void **A, int indexing, int rows, int cols, int *begin, int *end, int *col,
                            float complex *values);
int mkl_sparse_z_create_csr(void **A, int indexing, int rows, int cols, int *begin, int *end, int *col,
                            double complex *values);
int mkl_sparse_s_mv(int op, float alpha, void *A, struct matrix_descr d, const float *x, float beta,
                    float *y);
int mkl_sparse_d_mv(int op, double alpha, void *A, struct matrix_descr d, const double *x, double beta,
                    double *y);
int mkl_sparse_c_mv(int op, float complex alpha, void *A, struct matrix_descr d, const float complex *x,
                    float complex beta, float complex *y);
int mkl_sparse_z_mv(int op, double complex alpha, void *A, struct matrix_descr d, const double complex *x,
                    double complex beta, double complex *y);
int mkl_sparse_d_mm(int op, double alpha, void *A, struct matrix_descr d, int layout, const double *x,
                    int columns, int ldx, double beta, double *y, int ldy);
int mkl_sparse_z_mm(int op, double complex alpha, void *A, struct matrix_descr d, int layout,
                    const double complex *x, int columns, int ldx, double complex beta, double complex *y,
                    int ldy);

void *fake_rsb_make(int n_r, int n_c, int each);
int fake_rsb_looks(void);
int rsb_spmv(int t, const void *alpha, const void *A, const void *x, int inc_x, const void *beta, void *y,
             int inc_y);
int rsb_spmm(int t, const void *alpha, const void *A, int width, int order, const void *x, int ld_x,
             const void *beta, void *y, int ld_y);
void *rsb_mtx_free(void *A);

void *fake_gpu_make(int n_r, int n_c, int each);
void *fake_gpu_dense(int64_t rows, int64_t cols);
int cusparseSpMV(void *h, int op, const void *alpha, const void *A, const void *x, const void *beta, void *y,
                 int type, int algorithm, void *buffer);
int cusparseSpMM(void *h, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                 const void *beta, void *C, int type, int algorithm, void *buffer);
int cusparseSDDMM(void *h, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                  const void *beta, void *C, int type, int algorithm, void *buffer);
int cusparseDestroySpMat(const void *A);
int rocsparse_spmv(void *h, int op, const void *alpha, const void *A, const void *x, const void *beta,
                   const void *y, int type, int algorithm, int stage, size_t *size, void *buffer);
int rocsparse_spmm(void *h, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                   const void *beta, const void *C, int type, int algorithm, int stage, size_t *size,
                   void *buffer);
int rocsparse_sddmm(void *h, int op_a, int op_b, const void *alpha, const void *A, const void *B,
                    const void *beta, const void *C, int type, int algorithm, void *buffer);

static int failed; /* calls whose arguments did not arrive, or whose result did not come back */

static void check(int bad)
{
    failed += bad != 0;
}

static void use_petsc(void)
{
    void *A = fake_petsc_make("seqaij", 100, 100, 5);
    void *M =
        fake_petsc_join("mpiaij", fake_petsc_make("seqaij", 50, 60, 3), fake_petsc_make("seqaij", 50, 7, 1));
    void *S = fake_petsc_join("shell", A, NULL);
    for (int k = 0; k < 10; k++)
        check(MatMult(A, A, A));
    for (int k = 0; k < 3; k++)
        check(MatMultTranspose(A, A, A));
    for (int k = 0; k < 2; k++)
        check(MatMultAdd(A, A, A, A));
    for (int k = 0; k < 4; k++)
        check(MatMult(M, A, A));
    for (int k = 0; k < 5; k++)
        check(MatMult(S, A, A));
    fake_petsc_free(A);
    check(strcmp(fake_who_is_next(), "hypre") != 0);
}

/* The next one of the same size at the same address is another one. */
static void use_again(void)
{
    for (int k = 0; k < 3; k++) {
        void *A = fake_petsc_make("seqaij", 64, 64, 3 + k);
        check(MatMult(A, A, A));
        fake_petsc_free(A);
    }
}

static void use_hypre(void)
{
    void *A = fake_hypre_make(80, 90, 4);
    for (int k = 0; k < 6; k++)
        check(hypre_CSRMatrixMatvecOutOfPlace(1, A, A, 0, A, A, 0));
    for (int k = 0; k < 4; k++)
        check(hypre_CSRMatrixMatvec(1, A, A, 1, A));
    for (int k = 0; k < 2; k++)
        check(hypre_CSRMatrixMatvecT(1, A, A, 0, A));
}

static void use_mkl(void)
{
    static int row_ptr[] = {0, 2, 3, 5}, col[] = {0, 1, 1, 0, 2};
    const struct matrix_descr general = {20, 40, 50}, symmetric = {21, 40, 50}, upper = {23, 41, 51},
                              diagonal = {24, 40, 50};
    void *A, *B;
    double d[2];
    float s[2];
    float complex c[2];
    double complex z[2];
    check(mkl_sparse_d_create_csr(&A, 0, 3, 3, row_ptr, row_ptr + 1, col, NULL));
    for (int k = 0; k < 7; k++)
        check(mkl_sparse_d_mv(10, 1.5, A, general, d, 2.5, d) || d[0] != 1.5 || d[1] != 2.5);
    for (int k = 0; k < 5; k++)
        check(mkl_sparse_d_mm(10, 1.5, A, general, 102, d, 3, -7, 2.5, d, -9) || d[0] != 1.5 || d[1] != 2.5);
    check(mkl_sparse_d_mv(10, 1.5, A, symmetric, d, 2.5, d));
    check(mkl_sparse_d_mv(10, 1.5, A, upper, d, 2.5, d));
    check(mkl_sparse_d_mv(10, 1.5, A, diagonal, d, 2.5, d));
    check(mkl_sparse_d_mv(11, 1.5, A, general, d, 2.5, d));
    check(mkl_sparse_destroy(A));
    check(fake_mkl_convert(&B, 2, 3, row_ptr, row_ptr + 1, col));
    for (int k = 0; k < 2; k++)
        check(mkl_sparse_d_mv(10, 1, B, general, d, 0, d));
    check(mkl_sparse_destroy(B));
    check(mkl_sparse_s_create_csr(&A, 0, 3, 3, row_ptr, row_ptr + 1, col, NULL));
    check(mkl_sparse_s_mv(10, 1.5F, A, general, s, 2.5F, s) || s[0] != 1.5F || s[1] != 2.5F);
    check(mkl_sparse_destroy(A));
    check(mkl_sparse_c_create_csr(&A, 0, 3, 3, row_ptr, row_ptr + 1, col, NULL));
    check(mkl_sparse_c_mv(10, 1 + 2 * I, A, general, c, 3 + 4 * I, c) || c[0] != 1 + 2 * I ||
          c[1] != 3 + 4 * I);
    check(mkl_sparse_destroy(A));
    check(mkl_sparse_z_create_csr(&A, 0, 3, 3, row_ptr, row_ptr + 1, col, NULL));
    check(mkl_sparse_z_mv(10, 1 + 2 * I, A, general, z, 3 + 4 * I, z) || z[0] != 1 + 2 * I ||
          z[1] != 3 + 4 * I);
    check(mkl_sparse_z_mm(10, 1 + 2 * I, A, general, 101, z, 2, -7, 3 + 4 * I, z, -9) || z[0] != 1 + 2 * I ||
          z[1] != 3 + 4 * I);
    check(mkl_sparse_destroy(A));
}

static void use_rsb(void)
{
    void *A = fake_rsb_make(70, 75, 2);
    const double one = 1;
    for (int k = 0; k < 8; k++)
        check(rsb_spmv('N', &one, A, &one, 1, &one, A, 1));
    check(rsb_spmv('T', &one, A, &one, 1, &one, A, 1));
    for (int k = 0; k < 3; k++)
        check(rsb_spmm('N', &one, A, 4, 0x4000000, &one, -7, &one, A, -9));
    check(rsb_mtx_free(A) != NULL);
}

static void use_cusparse(void)
{
    void *A = fake_gpu_make(30, 40, 3), *B = fake_gpu_dense(40, 6), *C = fake_gpu_dense(30, 6),
         *T = fake_gpu_dense(5, 30), *stream = (void *)1, *recorded = (void *)2, *buffer = (void *)6;
    for (int k = 0; k < 200; k++)
        check(cusparseSpMV(stream, 0, A, A, A, A, A, 1, 5, buffer));
    check(cusparseSpMV(recorded, 0, A, A, A, A, A, 1, 5, buffer)); /* into a graph: not now */
    for (int k = 0; k < 4; k++)
        check(cusparseSpMM(stream, 0, 0, A, A, B, A, C, 1, 5, buffer));
    for (int k = 0; k < 3; k++)
        check(cusparseSDDMM(stream, 1, 0, A, T, B, A, A, 1, 5, buffer));
    check(cusparseSpMV(stream, 0, A, A, A, A, A, 1, 9, buffer) == 0); /* fails, and is none */
    check(cusparseDestroySpMat(A));
    free(B);
    free(C);
    free(T);
}

static void use_rocsparse(void)
{
    void *A = fake_gpu_make(30, 41, 3), *B = fake_gpu_dense(41, 6), *C = fake_gpu_dense(30, 6);
    size_t size = 0;
    check(rocsparse_spmv(A, 111, A, A, A, A, A, 152, 5, 1, &size, NULL) || size != 16);
    check(rocsparse_spmv(A, 111, A, A, A, A, A, 152, 5, 2, &size, B));
    for (int k = 0; k < 20; k++)
        check(rocsparse_spmv(A, 111, A, A, A, A, A, 152, 5, 3, &size, B));
    for (int k = 0; k < 4; k++)
        check(rocsparse_spmm(A, 111, 111, A, A, B, A, C, 152, 5, 3, &size, B));
    for (int k = 0; k < 3; k++)
        check(rocsparse_sddmm(A, 111, 111, A, C, B, A, A, 152, 5, B));
    free(B);
    free(C);
}

/* As long as a real product takes that comes from memory. */
static void use_large(void)
{
    void *A = fake_petsc_make("seqaij", 200000, 200000, 5);
    fake_petsc_time(2000000);
    for (int k = 0; k < 20; k++)
        check(MatMult(A, A, A));
}

enum { THREADS = 8, EACH = 400 };
static void *shared[2];

static void *work(void *context)
{
    void *own = fake_petsc_make("seqaij", 40, 40, 1 + (int)(intptr_t)context);
    for (int k = 0; k < EACH; k++) {
        MatMult(shared[k % 2], own, own);
        if (k % 4 == 0)
            MatMult(own, own, own);
    }
    return NULL;
}

/* Twice, so that threads find what others left. */
static void use_threads(void)
{
    pthread_t thread[THREADS];
    fake_petsc_time(1000);
    shared[0] = fake_petsc_make("seqaij", 33, 33, 2);
    shared[1] = fake_petsc_make("seqaij", 34, 34, 2);
    for (int round = 0; round < 2; round++) {
        for (intptr_t t = 0; t < THREADS; t++)
            check(pthread_create(&thread[t], NULL, work, (void *)t));
        for (int t = 0; t < THREADS; t++)
            check(pthread_join(thread[t], NULL));
    }
}

static void use_fork(void)
{
    void *A = fake_petsc_make("seqaij", 100, 100, 5);
    for (int k = 0; k < 5; k++)
        check(MatMult(A, A, A));
    const pid_t child = fork(), idle = child > 0 ? fork() : 0;
    for (int k = 0; k < 7 && child == 0; k++)
        check(MatMult(A, A, A));
    if (child == 0)
        exit(failed);
    if (idle == 0)
        exit(0);
    int state;
    check(waitpid(child, &state, 0) != child || state != 0);
    check(waitpid(idle, &state, 0) != idle || state != 0);
    check(MatMult(A, A, A));
}

static void use_and(int signal_number)
{
    void *A = fake_petsc_make("seqaij", 100, 100, 5);
    for (int k = 0; k < 9; k++)
        check(MatMult(A, A, A));
    raise(signal_number);
    pause();
}

/* A small matrix and a large one, with a limit of the system on files that are written or open. */
static void use_limited(int resource, rlim_t most)
{
    void *A = fake_petsc_make("seqaij", 100, 100, 5), *B = fake_petsc_make("seqaij", 200000, 200000, 5);
    const struct rlimit limit = {most, most};
    check(setrlimit(resource, &limit));
    for (int k = 0; k < 9; k++)
        check(MatMult(k % 3 ? A : B, A, A));
}

/* Nothing can be written: each look at the matrix costs what the library takes to give its rows. */
static void use_in_vain(int n_products)
{
    enum { MOST_LOOKS = 12 };
    double x[1] = {1};
    void *A = fake_rsb_make(70, 70, 3);
    const struct rlimit limit = {4096, 4096};
    check(setrlimit(RLIMIT_FSIZE, &limit));
    for (int k = 0; k < n_products; k++)
        check(rsb_spmv('N', x, A, x, 1, x, x, 1));
    check(fake_rsb_looks() > MOST_LOOKS);
}

/* Least mean time of batches of products that take each_ns [s]: what else computes here disturbs some of
 * them. */
static void time_them(int n_batches, long each_ns)
{
    enum { BATCH = 50 };
    struct timespec begin, end;
    double least = 1;
    void *A = fake_petsc_make("seqaij", 1000, 1000, 5);
    fake_petsc_time(each_ns);
    for (int i = 0; i < n_batches; i++) {
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int k = 0; k < BATCH; k++)
            MatMult(A, A, A);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double s =
            ((double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec)) / BATCH;
        least = s < least ? s : least;
    }
    printf("%.9f\n", least);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } what[] = {{"petsc", use_petsc},
                {"again", use_again},
                {"hypre", use_hypre},
                {"mkl", use_mkl},
                {"rsb", use_rsb},
                {"cusparse", use_cusparse},
                {"rocsparse", use_rocsparse},
                {"threads", use_threads},
                {"large", use_large},
                {"fork", use_fork}};
    if (argc < 2)
        return 2;
    for (size_t i = 0; i < sizeof what / sizeof *what; i++)
        if (strcmp(argv[1], what[i].name) == 0 ||
            (strcmp(argv[1], "all") == 0 && what[i].run != use_large && what[i].run != use_threads))
            what[i].run();
    if (strcmp(argv[1], "crash") == 0)
        use_and(SIGSEGV);
    if (strcmp(argv[1], "kill") == 0)
        use_and(SIGKILL);
    if (strcmp(argv[1], "wait") == 0)
        use_and(SIGCONT);
    if (strcmp(argv[1], "files-of") == 0 && argc == 3)
        use_limited(RLIMIT_FSIZE, (rlim_t)atol(argv[2]));
    if (strcmp(argv[1], "open-files") == 0 && argc == 3)
        use_limited(RLIMIT_NOFILE, (rlim_t)atol(argv[2]));
    if (strcmp(argv[1], "in-vain") == 0 && argc == 3)
        use_in_vain(atoi(argv[2]));
    if (strcmp(argv[1], "time") == 0 && argc == 4)
        time_them(atoi(argv[2]), atol(argv[3]));
    if (strcmp(argv[1], "exit") == 0 && argc == 3) {
        use_rsb();
        return atoi(argv[2]);
    }
    return failed;
}
