#include "sys/own_place.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sp_own_folder(char *folder, size_t size, bool *is_library)
{
    static const char own; /* an address in here */
    char program[PATH_MAX] = "", holder[PATH_MAX] = "";
    Dl_info info;
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    *is_library = dladdr(&own, &info) && info.dli_fname && strchr(info.dli_fname, '/') &&
                  realpath(info.dli_fname, holder) && strstr(holder, ".so") && strcmp(holder, program) != 0;
    const char *path = *is_library ? holder : program, *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    if (!slash || length >= size)
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return true;
}
