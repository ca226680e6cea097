#include "probes/helper/helper.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static void reply_text(const char *text, size_t n)
{
    while (n > 0) {
        ssize_t done = write(SP_HELPER_REPLY, text, n);
        if (done <= 0)
            _exit(1); /* nobody listens */
        text += done;
        n -= (size_t)done;
    }
}

void sp_helper_reply(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (n >= (int)sizeof text) {
        n = sizeof text - 1;
        text[n - 1] = '\n';
    }
    for (int i = 0; i + 1 < n; i++) /* a name of the library's must not look like an answer */
        if ((unsigned char)text[i] < ' ' && text[i] != '\t')
            text[i] = ' ';
    reply_text(text, (size_t)n);
}

bool sp_helper_absent(const char *remedy, const char *format, ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *p = text; *p; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    sp_helper_reply("absent %s\t%s\n", text, remedy);
    return false;
}

void *sp_helper_load(const char *what, const char *path, const char *const *names, int n,
                     const char *const *symbols, void **function)
{
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    const char *said = path && !library ? dlerror() : NULL;
    for (; !library && !path && *names; names++)
        library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        sp_helper_absent(path ? "look at the path" : "install it, or name the file (spmodel help counters)",
                         "%s: %s", what, said ? said : "its library is not installed");
        return NULL;
    }
    for (int i = 0; i < n; i++) {
        function[i] = dlsym(library, symbols[i]);
        if (!function[i]) {
            sp_helper_absent("another version is needed", "%s: its library has no function %s", what,
                             symbols[i]);
            return NULL;
        }
    }
    return library;
}
