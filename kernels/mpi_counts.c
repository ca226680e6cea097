#include "kernels/mpi_counts.h"

#include <dlfcn.h>
#include <stddef.h>

static void (*sent)(int phase, int to, int64_t *messages, int64_t *bytes);

bool sp_mpi_counts_open(void)
{
    void (*be_quiet)(void);
    *(void **)&sent = dlsym(RTLD_DEFAULT, "spmodel_pmpi_sent");
    if (sent)
        return true;
    void *handle = dlopen("libspmodel-pmpi.so", RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    if (!handle)
        return false;
    *(void **)&sent = dlsym(handle, "spmodel_pmpi_sent");
    *(void **)&be_quiet = dlsym(handle, "spmodel_pmpi_be_quiet");
    if (be_quiet)
        be_quiet();
    return sent != NULL;
}

bool sp_mpi_counts_are_there(void)
{
    return sent != NULL;
}

void sp_mpi_counts_sent(int phase, int to, int64_t *messages, int64_t *bytes)
{
    *messages = *bytes = 0;
    if (sent)
        sent(phase, to, messages, bytes);
}
