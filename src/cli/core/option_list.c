#include "cli/core/option_list.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
/* Where lines of a parser stand: argp gives each line a group, and a child with a title or a group is a
 * cluster of its own inside a group of its parent. */
struct place {
    int at[SP_OPTION_DEPTH], depth;
};

/* argp's order of groups: 0, 1, 2, ..., then the negative ones, -1 last. */
static struct place in_group(const struct place *outer, int group)
{
    enum { BEHIND = 1000000 };
    struct place p = *outer;
    if (p.depth < SP_OPTION_DEPTH)
        p.at[p.depth++] = group >= 0 ? group : BEHIND + group;
    return p;
}

static void add(struct sp_option_list *list, const struct place *p, struct sp_option_line line)
{
    if (list->n == SP_MOST_OPTIONS)
        return;
    memcpy(line.place, p->at, sizeof line.place);
    line.depth = p->depth;
    list->line[list->n++] = line;
}

static void walk(const struct argp *argp, const struct place *outer, struct sp_option_list *list)
{
    int group = 0, n_clusters = 0;
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc || o->group); o++) {
        const bool is_header = !o->name && !o->key;
        group = o->group ? o->group : is_header ? group + 1 : group;
        const struct place p = in_group(outer, group);
        if (o->flags & OPTION_HIDDEN)
            continue;
        if (is_header)
            add(list, &p, (struct sp_option_line){.header = o->doc});
        else
            add(list, &p,
                (struct sp_option_line){.name = o->name,
                                        .letter =
                                            o->key > 0 && o->key < 128 && isgraph(o->key) ? (char)o->key : 0,
                                        .arg = o->arg,
                                        .arg_optional = (o->flags & OPTION_ARG_OPTIONAL) != 0,
                                        .doc = o->doc});
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        struct place p = *outer;
        if (c->header || c->group) {
            const struct place around = in_group(outer, c->group);
            p = in_group(&around, ++n_clusters);
            if (c->header)
                add(list, &p, (struct sp_option_line){.header = c->header});
        }
        walk(c->argp, &p, list);
    }
}

static int by_place(const void *x, const void *y)
{
    const struct sp_option_line *a = x, *b = y;
    for (int i = 0; i < a->depth && i < b->depth; i++)
        if (a->place[i] != b->place[i])
            return a->place[i] < b->place[i] ? -1 : 1;
    if ((a->header != NULL) != (b->header != NULL))
        return a->header ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return a->header ? 0 : strcasecmp(a->name ? a->name : "", b->name ? b->name : "");
}

void sp_option_list_make(const struct argp *argp, struct sp_option_list *list)
{
    const struct place root = {.depth = 0};
    list->n = 0;
    if (!argp)
        return;
    walk(argp, &root, list);
    const struct place last = in_group(&root, -1);
    add(list, &last, (struct sp_option_line){.name = "help", .letter = '?', .doc = "Give this help list"});
    add(list, &last, (struct sp_option_line){.name = "usage", .doc = "Give a short usage message"});
    sp_sort_by(list->line, list->n, sizeof *list->line, by_place);
}
