/* PETSc's MatMult of a matrix in PETSc's binary format, in a phase of its own for whoever counts
 * messages. Usage: petsc_matmult MATRIX PRODUCTS [ROWS...]: a number of rows for each rank, else as
 * PETSC_DECIDE divides them. */
#include <petscmat.h>
#include <stdio.h>
#include <stdlib.h>

/* n_rows: of this rank. */
static PetscErrorCode run(const char *file, int n_products, PetscInt n_rows)
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
    MPI_Pcontrol(2);
    for (int k = 0; k < n_products; k++)
        PetscCall(MatMult(A, x, y));
    MPI_Pcontrol(3);
    PetscCall(VecNorm(y, NORM_2, &norm));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "norm %.17g\n", (double)norm));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscErrorCode code = PetscInitialize(&argc, &argv, NULL, NULL);
    int rank = 0;
    if (code || argc < 3)
        return 2;
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    code = run(argv[1], atoi(argv[2]), argc > 3 + rank ? atoi(argv[3 + rank]) : PETSC_DECIDE);
    if (code)
        return 1;
    return PetscFinalize() != 0;
}
