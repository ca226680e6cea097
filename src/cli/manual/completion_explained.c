/* Apart from completion_values.c because plots have an enum of the same name as the terms of explain. */
#include <string.h>

#include "cli/explain/terms/terms.h"
#include "cli/manual/completion.h"
#include "model/hints/hints.h"

void sp_explained_words(FILE *out)
{
    for (const struct sp_theme *theme = sp_themes; theme->title; theme++)
        for (const struct sp_term *t = theme->terms; t->name; t++)
            if (!strchr(t->name, ' '))
                fprintf(out, "%s ", t->name);
    for (const struct sp_hint_rule *const *rule = sp_hint_table; *rule; rule++)
        fprintf(out, "%s ", (*rule)->id);
    for (const struct sp_flag_meaning *f = sp_flag_meanings; f->code; f++)
        fprintf(out, "%s ", f->code);
}
