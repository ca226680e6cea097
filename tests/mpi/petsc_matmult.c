/* PETSc's MatMult of a matrix in PETSc's binary format, in a phase of its own for whoever counts
 * messages. Usage: petsc_matmult MATRIX PRODUCTS. Rows as PETSC_DECIDE divides them. */
#include <petscmat.h>
#include <stdio.h>
#include <stdlib.h>

static PetscErrorCode run(const char *file, int n_products)
{
    Mat A;
    Vec x, y;
    PetscViewer in;
    PetscReal norm;
    PetscFunctionBeginUser;
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file, FILE_MODE_READ, &in));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetType(A, MATAIJ));
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
    if (code || argc < 3)
        return 2;
    code = run(argv[1], atoi(argv[2]));
    if (code)
        return 1;
    return PetscFinalize() != 0;
}
