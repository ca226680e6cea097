#include "cli/manual/manual.h"

#include <stdlib.h>
#include <string.h>

static void fill(const struct sp_command *c, const struct sp_verb *v, struct sp_manual_entry *e)
{
    *e = (struct sp_manual_entry){.arguments = v ? v->arguments : c->arguments,
                                  .summary = v ? v->summary : c->summary,
                                  .page = v ? &v->page : &c->page,
                                  .family = v ? NULL : c->family,
                                  .command = c,
                                  .run = v ? v->run : c->run};
    snprintf(e->name, sizeof e->name, "%s%s%s", c->name, v ? " " : "", v ? v->name : "");
}

bool sp_manual_get(int i, struct sp_manual_entry *entry)
{
    for (const struct sp_command *const *c = sp_command_table; *c; c++) {
        if (i-- == 0) {
            fill(*c, NULL, entry);
            return true;
        }
        for (const struct sp_verb *const *v = (*c)->family ? (*c)->family->verb : NULL; v && *v; v++)
            if (i-- == 0) {
                fill(*c, *v, entry);
                return true;
            }
    }
    return false;
}

bool sp_manual_find(const char *name, struct sp_manual_entry *entry)
{
    for (int i = 0; sp_manual_get(i, entry); i++)
        if (strcmp(entry->name, name) == 0)
            return true;
    return false;
}

const struct sp_example *sp_manual_examples(const struct argp *argp)
{
    struct sp_manual_entry e;
    for (int i = 0; sp_manual_get(i, &e); i++)
        if (e.page->argp == argp)
            return e.page->examples;
    return NULL;
}

bool sp_manual_exits_with(const struct sp_page *page, int code)
{
    static const int every[] = {0, 2, 3, 4, 7, 130};
    for (size_t i = 0; i < sizeof every / sizeof *every; i++)
        if (every[i] == code)
            return true;
    for (const char *p = page->exits; p && *p;) {
        char *end;
        if (strtol(p, &end, 10) == code)
            return true;
        p = *end ? end + 1 : end;
    }
    return false;
}
