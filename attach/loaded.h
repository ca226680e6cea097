/* All objects that the process has loaded, also those that were opened for somebody alone
 * (RTLD_LOCAL), as Python's modules are: dlsym(RTLD_NEXT) does not see these. */
#ifndef SP_ATTACH_LOADED_H
#define SP_ATTACH_LOADED_H

#include <link.h>
#include <stddef.h>

enum { SP_MOST_LOADED = 1024 };

struct sp_loaded {
    int n;
    const char *name[SP_MOST_LOADED]; /* borrowed from the linker */
};

static int sp_loaded_add(struct dl_phdr_info *info, size_t size, void *context)
{
    struct sp_loaded *all = context;
    (void)size;
    if (info->dlpi_name && *info->dlpi_name && all->n < SP_MOST_LOADED)
        all->name[all->n++] = info->dlpi_name;
    return 0;
}

static inline void sp_loaded_list(struct sp_loaded *all)
{
    all->n = 0;
    dl_iterate_phdr(sp_loaded_add, all);
}

#endif
