/* CG with Jacobi on a 3-D Laplacian of N x N x N points, by PETSc alone: petsc_cg [-n N]. */
#include <petscksp.h>
#include <stdlib.h>

#include "median.h"

enum { CALLS = 600 };

static PetscErrorCode fill(Mat A, PetscInt n)
{
    PetscInt begin, end;
    MatGetOwnershipRange(A, &begin, &end);
    for (PetscInt i = begin; i < end; i++) {
        const PetscInt x = i % n, y = i / n % n, z = i / n / n;
        const PetscInt other[6] = {x > 0 ? i - 1 : -1,     x < n - 1 ? i + 1 : -1,
                                   y > 0 ? i - n : -1,     y < n - 1 ? i + n : -1,
                                   z > 0 ? i - n * n : -1, z < n - 1 ? i + n * n : -1};
        for (int k = 0; k < 6; k++)
            if (other[k] >= 0)
                MatSetValue(A, i, other[k], -1, INSERT_VALUES);
        MatSetValue(A, i, i, 6, INSERT_VALUES);
    }
    MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY);
    return MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
}

int main(int argc, char **argv)
{
    PetscInt n = 60, iterations;
    Mat A;
    Vec x, b;
    KSP ksp;
    PC pc;
    PetscInitialize(&argc, &argv, NULL, NULL);
    PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL);
    MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n * n, n * n * n, 7, NULL, 3, NULL, &A);
    MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE);
    fill(A, n);
    MatCreateVecs(A, &x, &b);
    VecSet(b, 1);
    KSPCreate(PETSC_COMM_WORLD, &ksp);
    KSPSetOperators(ksp, A, A);
    KSPSetType(ksp, KSPCG);
    KSPGetPC(ksp, &pc);
    PCSetType(pc, PCJACOBI);
    KSPSetFromOptions(ksp);
    KSPSolve(ksp, b, x);
    KSPGetIterationNumber(ksp, &iterations);
    static double time[CALLS];
    for (int k = 0; k < CALLS; k++) {
        PetscLogDouble t0, t1;
        PetscTime(&t0);
        MatMult(A, x, b);
        PetscTime(&t1);
        time[k] = t1 - t0;
    }
    PetscPrintf(PETSC_COMM_WORLD, "iterations %d seconds %.9f\n", (int)iterations, median(time, CALLS));
    KSPDestroy(&ksp);
    MatDestroy(&A);
    VecDestroy(&x);
    VecDestroy(&b);
    return PetscFinalize();
}
