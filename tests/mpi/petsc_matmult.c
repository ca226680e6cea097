/* PETSc's MatMult of matrices in PETSc's binary format, each in a phase of its own for whoever
 * counts messages: 2, 4, ... Usage: petsc_matmult PRODUCTS MATRIX[:ROWS,...]...: a number of rows
 * for each rank, else as PETSC_DECIDE divides them. */
#include <petscmat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n_rows: of this rank. */
static PetscErrorCode run(const char *file, int n_products, PetscInt n_rows, int phase)
{
    Mat A;
    Vec x, y;
    PetscViewer in;
    PetscReal norm;
    PetscFunctionBeginUser;
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &in));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetType(A, MATAIJ));
    if (n_rows != PETSC_DECIDE)
        PetscCall(MatSetSizes(A, n_rows, n_rows, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatLoad(A, in));
    PetscCall(PetscViewerDestroy(&in));
    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(VecSet(x, 1.0));
    PetscCall(MatMult(A, x, y)); /* the first one also tells who needs what (PetscSFSetUp) */
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    MPI_Pcontrol(phase);
    for (int k = 0; k < n_products; k++)
        PetscCall(MatMult(A, x, y));
    MPI_Pcontrol(phase + 1);
    PetscCall(VecNorm(y, NORM_2, &norm));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "norm %.17g\n", (double)norm));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

/* Cuts the numbers off MATRIX:ROWS,... and returns that of a rank. */
static PetscInt rows_of(char *matrix, int rank)
{
    char *at = strchr(matrix, ':');
    if (!at)
        return PETSC_DECIDE;
    *at++ = '\0';
    for (; rank > 0 && at; rank--)
        at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    return at ? atoi(at) : PETSC_DECIDE;
}

int main(int argc, char **argv)
{
    PetscErrorCode code = PetscInitialize(&argc, &argv, NULL, NULL);
    int rank = 0;
    if (code || argc < 3)
        return 2;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    for (int i = 2; i < argc; i++) {
        const PetscInt n_rows = rows_of(argv[i], rank);
        if (run(argv[i], atoi(argv[1]), n_rows, 2 * (i - 1)))
            return 1;
    }
    return PetscFinalize() != 0;
}
