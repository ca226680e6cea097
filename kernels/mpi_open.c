#include "kernels/mpi_module.h"

#include <dlfcn.h>

#include "sys/machine/gpu_files.h"

enum sp_status sp_mpi_module_open(const struct sp_mpi **mpi, struct sp_error *err)
{
    union {
        void *address;
        sp_mpi_module_of *function;
    } symbol;
    struct sp_error why;
    *mpi = NULL;
    if (sp_module_file_symbol(SP_MPI_MODULE_FILE, SP_MPI_MODULE_SYMBOL, &symbol.address, &why) != SP_OK)
        return sp_fail(err, SP_ABSENT,
                       "install MPI (Debian: libopenmpi-dev and openmpi-bin), then build spmodel again",
                       "this build has no MPI: %s", why.what);
    const struct sp_mpi *found = symbol.function();
    if (found->abi != SP_MPI_MODULE_ABI)
        return sp_fail(err, SP_ABSENT, "build and install both together",
                       "%s is of another build than this program", SP_MPI_MODULE_FILE);
    *mpi = found;
    return SP_OK;
}

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
