/* CG with BoomerAMG on a 3-D Laplacian of N x N x N points, by hypre alone: hypre_amg [N]. */
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "median.h"

enum { CALLS = 600 };

static void fill(HYPRE_IJMatrix A, HYPRE_IJVector b, HYPRE_IJVector x, int n, HYPRE_BigInt begin,
                 HYPRE_BigInt end)
{
    for (HYPRE_BigInt i = begin; i <= end; i++) {
        const HYPRE_BigInt at[3] = {i % n, i / n % n, i / n / n}, step[3] = {1, n, n * n};
        HYPRE_BigInt col[7] = {i};
        double value[7] = {6}, one = 1, zero = 0;
        HYPRE_Int count = 1;
        for (int d = 0; d < 3; d++)
            for (int side = -1; side <= 1; side += 2)
                if (at[d] + side >= 0 && at[d] + side < n) {
                    col[count] = i + side * step[d];
                    value[count++] = -1;
                }
        HYPRE_IJMatrixSetValues(A, 1, &count, &i, col, value);
        HYPRE_IJVectorSetValues(b, 1, &i, &one);
        HYPRE_IJVectorSetValues(x, 1, &i, &zero);
    }
    HYPRE_IJMatrixAssemble(A);
    HYPRE_IJVectorAssemble(b);
    HYPRE_IJVectorAssemble(x);
}

int main(int argc, char **argv)
{
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 40;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    HYPRE_Init();
    const HYPRE_BigInt N = (HYPRE_BigInt)n * n * n, begin = N * rank / size, end = N * (rank + 1) / size - 1;
    HYPRE_IJMatrix A;
    HYPRE_IJVector b, x;
    HYPRE_IJMatrixCreate(MPI_COMM_WORLD, begin, end, begin, end, &A);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, begin, end, &b);
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, begin, end, &x);
    HYPRE_IJMatrixSetObjectType(A, HYPRE_PARCSR);
    HYPRE_IJVectorSetObjectType(b, HYPRE_PARCSR);
    HYPRE_IJVectorSetObjectType(x, HYPRE_PARCSR);
    HYPRE_IJMatrixInitialize(A);
    HYPRE_IJVectorInitialize(b);
    HYPRE_IJVectorInitialize(x);
    fill(A, b, x, n, begin, end);
    void *matrix, *right, *left;
    HYPRE_IJMatrixGetObject(A, &matrix);
    HYPRE_IJVectorGetObject(b, &right);
    HYPRE_IJVectorGetObject(x, &left);
    HYPRE_Solver cg, amg;
    HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg);
    HYPRE_PCGSetMaxIter(cg, 100);
    HYPRE_PCGSetTol(cg, 1e-10);
    HYPRE_BoomerAMGCreate(&amg);
    HYPRE_BoomerAMGSetTol(amg, 0);
    HYPRE_BoomerAMGSetMaxIter(amg, 1);
    HYPRE_PCGSetPrecond(cg, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                        (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, amg);
    HYPRE_ParCSRPCGSetup(cg, matrix, right, left);
    HYPRE_ParCSRPCGSolve(cg, matrix, right, left);
    HYPRE_Int iterations;
    HYPRE_PCGGetNumIterations(cg, &iterations);
    static double time[CALLS];
    for (int k = 0; k < CALLS; k++) {
        const double t0 = MPI_Wtime();
        HYPRE_ParCSRMatrixMatvec(1, matrix, left, 0, right);
        time[k] = MPI_Wtime() - t0;
    }
    if (rank == 0)
        printf("iterations %d seconds %.9f\n", (int)iterations, median(time, CALLS));
    HYPRE_ParCSRPCGDestroy(cg);
    HYPRE_BoomerAMGDestroy(amg);
    HYPRE_IJMatrixDestroy(A);
    HYPRE_IJVectorDestroy(b);
    HYPRE_IJVectorDestroy(x);
    HYPRE_Finalize();
    return MPI_Finalize();
}
