#include "io/matrix/matrix_formats.h"

#include <fnmatch.h>
#include <string.h>

#include "io/files/zip_file.h"
#include "io/matrix/matrix_market.h"
#include "io/matrix/npz_file.h"
#include "io/matrix/petsc_file.h"
#include "io/matrix/rb_file.h"

const struct sp_matrix_format sp_matrix_formats[] = {
    {"petsc", "*.petsc", false, false, sp_petsc_is, sp_petsc_read, sp_petsc_write},
    {"npz", "*.npz", false, true, sp_zip_is, sp_npz_read, sp_npz_write},
    {"rb", "*.@(rb|hb|[rcpi][suhzr][ae])", true, true, sp_rb_is, sp_rb_read, sp_rb_write},
    {"mtx", "*.mtx", true, true, NULL, sp_mtx_read_text, sp_mtx_write},
    {0},
};

const struct sp_matrix_format *sp_matrix_format_of(const char *text, int64_t n)
{
    const struct sp_matrix_format *f = sp_matrix_formats;
    while (f->is && (n == 0 || !f->is(text, n)))
        f++;
    return f;
}

const struct sp_matrix_format *sp_matrix_format_named(const char *name)
{
    for (const struct sp_matrix_format *f = sp_matrix_formats; f->word; f++)
        if (fnmatch(f->names, name, FNM_CASEFOLD | FNM_EXTMATCH) == 0)
            return f;
    return NULL;
}

bool sp_matrix_format_cut(char *name)
{
    char *dot = strrchr(name, '.');
    if (!dot || dot == name || !sp_matrix_format_named(name))
        return false;
    *dot = '\0';
    return true;
}
