#include "cli/core/out_of_memory.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/core/options.h"
#include "io/files/part_file.h"

static _Noreturn void end(void)
{
    static const char text[] = "spmodel: error: no memory is left for a record or a report\n"
                               "  remedy: free memory, or raise the limit of this process or its group\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        /* nothing can be said; the code tells */
    }
    sp_parts_end();
    _exit(sp_exit_code(SP_MEMORY));
}

static void *get(size_t n)
{
    void *p = malloc(n > 0 ? n : 1);
    if (!p)
        end();
    return p;
}

void sp_out_of_memory_begin(void)
{
    json_set_alloc_funcs(get, free);
}
