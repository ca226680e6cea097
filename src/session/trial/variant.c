#include "session/trial/variant.h"

#include <string.h>

#include "base/text.h"

static bool set_count(int32_t *field, const char *value, int64_t least, int64_t most)
{
    int64_t n;
    const bool good = sp_parse_count(value, &n) == 0 && n >= least && n <= most;
    *field = good ? (int32_t)n : *field;
    return good;
}

static bool set_index(enum sp_index *field, int index)
{
    *field = index >= 0 ? (enum sp_index)index : *field;
    return index >= 0;
}

/* False: the option does not take this value; each one of SP_OF_CHANGE takes some. */
static bool set_option(struct sp_analyze_options *o, enum sp_option option, const char *value)
{
    const int word = sp_word_among(sp_run_options[option].words, value);
    switch (option) {
    case SP_OPTION_REORDER:
    case SP_OPTION_DROP_ZEROS: /* of the matrix */
        return true;
    case SP_OPTION_FORMAT:
        o->format = value;
        return true;
    case SP_OPTION_SCHEDULE:
        o->schedule = value;
        return true;
    case SP_OPTION_ISA:
        o->isa = value;
        return true;
    case SP_OPTION_PRECISION:
        return (o->precision = sp_precision_from_name(value)) >= 0;
    case SP_OPTION_INDEX:
        return set_index(&o->index, sp_index_from_name(value));
    case SP_OPTION_PREFETCH:
        return set_count(&o->prefetch, value, 0, SP_MAX_PREFETCH);
    case SP_OPTION_THREADS:
        return set_count(&o->n_threads, value, 1, INT32_MAX);
    case SP_OPTION_RHS:
    case SP_OPTION_INNER:
        return set_count(&o->r, value, 1, INT32_MAX);
    case SP_OPTION_PAGES:
        o->small_pages = word == 1;
        return word >= 0;
    case SP_OPTION_PIN:
        o->not_pinned = word == 1;
        return word >= 0;
    case SP_OPTION_STORE:
        o->store_nt = (enum sp_choice)word;
        return word > SP_CHOICE_AUTO;
    default:
        return false;
    }
}

enum sp_status sp_variant_add(struct sp_variant *variant, const struct sp_change *change,
                              struct sp_error *err)
{
    struct sp_variant v = *variant;
    struct sp_analyze_options scratch = {0};
    for (int k = 0; k < change->n; k++) {
        const struct sp_run_option *o = &sp_run_options[change->option[k]];
        const char *value = sp_change_value(change, change->option[k]);
        if (!(o->bits & SP_OF_CHANGE) || !set_option(&scratch, change->option[k], value))
            return sp_fail(err, SP_USAGE, NULL, "'%s%s%s' cannot be tried", o->typed, *value ? " " : "",
                           value);
    }
    if (!sp_change_add_all(&v.change, change))
        return sp_fail(err, SP_USAGE, NULL, "too many options at once");
    v.kernel = NULL;
    *variant = v;
    return SP_OK;
}

enum sp_status sp_variant_check(const struct sp_change *change, struct sp_error *err)
{
    struct sp_variant v = {0};
    struct sp_workload w = {0};
    const char *format = sp_change_value(change, SP_OPTION_FORMAT),
               *schedule = sp_change_value(change, SP_OPTION_SCHEDULE);
    enum sp_status status = sp_variant_add(&v, change, err);
    if (status == SP_OK && format)
        status = sp_workload_set_format(&w, format, err);
    if (status == SP_OK && schedule)
        status = sp_workload_set_schedule(&w, schedule, err);
    return status;
}

const char *sp_variant_order(const struct sp_variant *v)
{
    const char *order = sp_change_value(&v->change, SP_OPTION_REORDER);
    return order ? order : "";
}

bool sp_variant_drops_zeros(const struct sp_variant *v)
{
    return sp_change_value(&v->change, SP_OPTION_DROP_ZEROS) != NULL;
}

bool sp_variant_is_same(const struct sp_variant *a, const struct sp_variant *b,
                        const struct sp_analyze_options *run)
{
    const struct sp_analyze_options p = sp_variant_options(a, run), q = sp_variant_options(b, run);
    const char *isa[2] = {p.isa ? p.isa : "", q.isa ? q.isa : ""};
    return sp_variant_drops_zeros(a) == sp_variant_drops_zeros(b) &&
           strcmp(sp_variant_order(a), sp_variant_order(b)) == 0 && strcmp(p.format, q.format) == 0 &&
           strcmp(p.schedule, q.schedule) == 0 && strcmp(isa[0], isa[1]) == 0 && p.precision == q.precision &&
           p.index == q.index && p.store_nt == q.store_nt && p.small_pages == q.small_pages &&
           p.not_pinned == q.not_pinned && p.prefetch == q.prefetch && p.n_threads == q.n_threads &&
           p.op == q.op && p.r == q.r;
}

struct sp_analyze_options sp_variant_options(const struct sp_variant *v, const struct sp_analyze_options *run)
{
    struct sp_analyze_options o = *run;
    for (int k = 0; k < v->change.n; k++)
        set_option(&o, v->change.option[k], sp_change_value(&v->change, v->change.option[k]));
    return o;
}
