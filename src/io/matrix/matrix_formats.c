#include "io/matrix/matrix_formats.h"

#include <string.h>
#include <strings.h>

#include "io/files/archive.h"
#include "io/matrix/matrix_market.h"

const struct sp_matrix_format sp_matrix_formats[] = {
    {"petsc", "petsc", false, false, sp_petsc_is, sp_petsc_read, sp_petsc_write},
    {"npz", "npz", false, true, sp_zip_is, sp_npz_read, sp_npz_write},
    {"rb", "rb hb rua rsa rha rza rra cua csa cha cza cra pua psa pha pza pra iua isa iha iza ira", true,
     true, sp_rb_is, sp_rb_read, sp_rb_write},
    {"sppat", "sppat", false, false, sp_pattern_is, sp_pattern_read, NULL},
    {"mtx", "mtx", true, true, NULL, sp_mtx_read_text, sp_mtx_write},
    {0},
};

const struct sp_matrix_format *sp_matrix_format_of(const char *text, int64_t n)
{
    const struct sp_matrix_format *f = sp_matrix_formats;
    while (f->is && (n == 0 || !f->is(text, n)))
        f++;
    return f;
}

static bool has_word(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *p = words; *p; p += strspn(p, " ")) {
        const size_t length = strcspn(p, " ");
        if (length == n && strncasecmp(p, word, n) == 0)
            return true;
        p += length;
    }
    return false;
}

const struct sp_matrix_format *sp_matrix_format_named(const char *name)
{
    const char *dot = strrchr(name, '.');
    for (const struct sp_matrix_format *f = sp_matrix_formats; dot && f->word; f++)
        if (has_word(f->endings, dot + 1))
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
