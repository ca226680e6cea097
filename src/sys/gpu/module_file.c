#include "sys/gpu/module_file.h"

#include <dlfcn.h>
#include <stddef.h>

enum sp_status sp_module_file_symbol(const char *file, const char *symbol, void **address,
                                     struct sp_error *err)
{
    *address = NULL;
    enum sp_status status = SP_OK;
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle)
        *address = dlsym(handle, symbol);
    if (!*address) { /* before the loader is called again, which takes its words back */
        const char *words = dlerror();
        status = sp_fail(err, SP_ABSENT, "", "%s cannot be opened: %s", file, words ? words : "no reason");
    }
    if (handle)
        dlclose(handle);
    return status;
}
