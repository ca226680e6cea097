/* A program that knows its library at run time alone: attach_bare LIBRARY [SECOND]. Opened for itself only,
 * asked by handle, opened again; a symbol that no library has is not there. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int spmv(int t, const void *alpha, const void *A, const void *x, int inc_x, const void *beta, void *y,
                 int inc_y);
typedef void *make(int n_r, int n_c, int each);

static int use(const char *path, int n, int keep)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return 1;
    spmv *multiply = (spmv *)dlsym(library, "rsb_spmv");
    make *new_matrix = (make *)dlsym(library, "fake_rsb_make");
    int bad = !multiply || !new_matrix || dlsym(library, "mkl_sparse_d_mv") != NULL;
    void *A = bad ? NULL : new_matrix(70, 75, 2);
    for (int k = 0; k < n && !bad; k++)
        bad = multiply('N', A, A, A, 1, A, A, 1);
    if (!keep)
        dlclose(library);
    return bad;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    int bad = dlsym(RTLD_DEFAULT, "MatMult") != NULL || dlsym(RTLD_DEFAULT, "strlen") == NULL ||
              dlsym(RTLD_NEXT, "strlen") == NULL;
    bad |= use(argv[1], 6, 0);
    bad |= use(argv[1], 5, 1);
    if (argc > 2)
        bad |= use(argv[2], 4, 1);
    return bad;
}
