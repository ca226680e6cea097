#include "sparse/formats/format.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sparse/formats/format_ids.h"

#define SPMV_FORMAT(ID, NAME, ...) extern const struct sp_format_kind sp_format_##NAME;
#define DENSE_FORMAT               SPMV_FORMAT
#include "base/option/formats.inc"

const struct sp_format_kind *const sp_format_kinds[] = {
#define SPMV_FORMAT(ID, NAME, ...) [SP_FORMAT_##ID] = &sp_format_##NAME,
#define DENSE_FORMAT               SPMV_FORMAT
#include "base/option/formats.inc"
};
const int sp_n_formats = SP_N_FORMATS;
_Static_assert((int)SP_N_FORMATS <= (int)SP_MAX_FORMATS, "sets of formats are bits of an unsigned");

const char *sp_format_name(int format)
{
    return sp_format_of(format)->name;
}

static void join(char *text, size_t size, unsigned formats, const char *last, bool with_numbers)
{
    const size_t before = strlen(text);
    for (int i = 0; i < SP_N_FORMATS; i++) {
        if (!(formats & 1u << i))
            continue;
        const char *between = text[before] == '\0' ? "" : formats >> i == 1 ? last : ", ";
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", between,
                 with_numbers ? sp_format_kinds[i]->form : sp_format_kinds[i]->name);
    }
}

char *sp_format_list(unsigned formats, const char *last, char *text, size_t size)
{
    *text = '\0';
    join(text, size, formats, last, false);
    return text;
}

/* "say crs, sell:C,SIGMA, ... or staged:T_I,T_K, for example sell:32,256" */
static const char *forms(char *text, size_t size)
{
    snprintf(text, size, "say ");
    join(text, size, (1u << SP_N_FORMATS) - 1, " or ", true);
    snprintf(text + strlen(text), size - strlen(text), ", for example sell:32,256");
    return text;
}

enum sp_status sp_workload_set_format(struct sp_workload *w, const char *text, struct sp_error *err)
{
    char remedy[256];
    size_t length = strcspn(text, ":");
    int format = -1;
    for (int i = 0; i < SP_N_FORMATS; i++)
        if (strlen(sp_format_kinds[i]->name) == length &&
            strncmp(sp_format_kinds[i]->name, text, length) == 0)
            format = i;
    if (format < 0)
        return sp_fail(err, SP_USAGE, forms(remedy, sizeof remedy), "unknown format '%s'", text);
    const struct sp_format_kind *kind = sp_format_kinds[format];
    const char *numbers = text + length;
    if (*numbers && !kind->set)
        return sp_fail(err, SP_USAGE, forms(remedy, sizeof remedy),
                       "format %s takes no numbers, but '%s' has some", kind->name, text);
    struct sp_workload here = *w;
    here.format = format;
    here.C = 1;
    here.sigma = 1;
    here.b_h = here.b_w = here.T_i = here.T_k = here.W = 0;
    enum sp_status status = kind->set ? kind->set(&here, text, numbers, err) : SP_OK;
    if (status == SP_OK)
        *w = here;
    return status;
}

static char *print(const struct sp_workload *w, const char *word, char before, char between, char *text,
                   size_t size)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    int64_t number[2];
    const int n = kind->numbers ? kind->numbers(w, number) : 0;
    if (n == 0)
        snprintf(text, size, "%s", word);
    else if (n == 1)
        snprintf(text, size, "%s%c%lld", word, before, (long long)number[0]);
    else
        snprintf(text, size, "%s%c%lld%c%lld", word, before, (long long)number[0], between,
                 (long long)number[1]);
    return text;
}

char *sp_workload_format_text(const struct sp_workload *w, char *text, size_t size)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    return print(w, kind->title, '-', kind->between == 'x' ? 'x' : '-', text, size);
}

char *sp_workload_format_option(const struct sp_workload *w, char *text, size_t size)
{
    const struct sp_format_kind *kind = sp_format_of(w->format);
    return print(w, kind->name, ':', kind->between, text, size);
}
