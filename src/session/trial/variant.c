#include "session/trial/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct sp_variant sp_variant_none(void)
{
    return (struct sp_variant){
        .precision = -1, .index = -1, .store_nt = -1, .small_pages = -1, .not_pinned = -1, .prefetch = -1};
}

/* One of two words, as 0 or 1; -1: neither. */
static int which(const char *word, const char *zero, const char *one)
{
    return strcmp(word, zero) == 0 ? 0 : strcmp(word, one) == 0 ? 1 : -1;
}

static bool set_text(char *field, size_t size, const char *value)
{
    return snprintf(field, size, "%s", value) < (int)size;
}

static bool set_count(int32_t *field, const char *value)
{
    int64_t n;
    bool good = sp_parse_count(value, &n) == 0 && n >= 1 && n <= INT32_MAX;
    *field = good ? (int32_t)n : 0;
    return good;
}

static bool set_prefetch(struct sp_variant *v, const char *value)
{
    int64_t n;
    bool good = sp_parse_count(value, &n) == 0 && n >= 0 && n <= SP_MAX_PREFETCH;
    v->prefetch = good ? (int)n : -1;
    return good;
}

/* Does it stand alone, without a value? */
static bool is_flag(const char *option)
{
    return strcmp(option, "--drop-zeros") == 0;
}

/* False: the option does not take this value, or is not known. A flag's is "". */
static bool set_option(struct sp_variant *v, const char *option, const char *value)
{
    if (is_flag(option))
        return v->drop_zeros = true;
    if (strcmp(option, "--reorder") == 0)
        return set_text(v->reorder, sizeof v->reorder, value);
    if (strcmp(option, "--format") == 0)
        return set_text(v->format, sizeof v->format, value);
    if (strcmp(option, "--schedule") == 0)
        return set_text(v->schedule, sizeof v->schedule, value);
    if (strcmp(option, "--isa") == 0)
        return set_text(v->isa, sizeof v->isa, value);
    if (strcmp(option, "--precision") == 0)
        return (v->precision = sp_precision_from_name(value)) >= 0;
    if (strcmp(option, "--index") == 0)
        return (v->index = sp_index_from_name(value)) >= 0;
    if (strcmp(option, "--prefetch") == 0)
        return set_prefetch(v, value);
    if (strcmp(option, "--threads") == 0)
        return set_count(&v->n_threads, value);
    if (strcmp(option, "--rhs") == 0 || strcmp(option, "--inner") == 0)
        return set_count(&v->r, value);
    if (strcmp(option, "--pages") == 0)
        return (v->small_pages = which(value, "huge", "small")) >= 0;
    if (strcmp(option, "--pin") == 0)
        return (v->not_pinned = which(value, "yes", "no")) >= 0;
    if (strcmp(option, "--store") == 0) {
        const int nt = which(value, "plain", "nt");
        v->store_nt = nt == 1 ? SP_CHOICE_ON : SP_CHOICE_OFF;
        return nt >= 0;
    }
    return false;
}

/* The option and its value in `change`; NULL: it is not there. */
static const char *find_option(const char *change, const char *option)
{
    const size_t length = strlen(option);
    for (const char *p = change; (p = strstr(p, option)); p += length)
        if (p[length] == ' ' || p[length] == '\0')
            return p;
    return NULL;
}

static void remove_option(char *change, const char *option)
{
    char *at = (char *)find_option(change, option);
    if (!at)
        return;
    const char *end = at + strlen(option);
    if (!is_flag(option))
        end += 1 + strcspn(end + 1, " ");
    end += *end == ' ';
    memmove(at, end, strlen(end) + 1);
    const size_t left = strlen(change);
    if (left > 0 && change[left - 1] == ' ')
        change[left - 1] = '\0';
}

static bool append(char *change, const char *option, const char *value)
{
    const size_t used = strlen(change);
    const int n = snprintf(change + used, SP_VARIANT_CHANGE - used, "%s%s%s%s", used ? " " : "", option,
                           *value ? " " : "", value);
    return n < (int)(SP_VARIANT_CHANGE - used);
}

enum sp_status sp_variant_add(struct sp_variant *variant, const char *change, struct sp_error *err)
{
    struct sp_variant v = *variant;
    char words[SP_VARIANT_CHANGE], *rest = words;
    bool fits = snprintf(words, sizeof words, "%s", change) < (int)sizeof words;
    for (char *option; fits && (option = strtok_r(rest, " ", &rest));) {
        const char *value = is_flag(option) ? "" : strtok_r(rest, " ", &rest);
        if (!value || !set_option(&v, option, value))
            return sp_fail(err, SP_USAGE, NULL, "'%s%s%s' cannot be tried", option, value ? " " : "",
                           value ? value : "");
        remove_option(v.change, option);
        fits = append(v.change, option, value);
    }
    if (!fits)
        return sp_fail(err, SP_USAGE, NULL, "too many options at once: %s %s", variant->change, change);
    v.kernel = NULL;
    *variant = v;
    return SP_OK;
}

enum sp_status sp_variant_check(const char *change, struct sp_error *err)
{
    struct sp_variant v = sp_variant_none();
    struct sp_workload w = {0};
    enum sp_status status = sp_variant_add(&v, change, err);
    if (status == SP_OK && v.format[0])
        status = sp_workload_set_format(&w, v.format, err);
    if (status == SP_OK && v.schedule[0])
        status = sp_workload_set_schedule(&w, v.schedule, err);
    return status;
}

bool sp_variant_has(const struct sp_variant *variant, const char *change)
{
    char words[SP_VARIANT_CHANGE], *rest = words;
    snprintf(words, sizeof words, "%s", change);
    for (char *option; (option = strtok_r(rest, " ", &rest));) {
        if (find_option(variant->change, option))
            return true;
        if (!is_flag(option))
            strtok_r(rest, " ", &rest);
    }
    return false;
}

bool sp_variant_is_same(const struct sp_variant *a, const struct sp_variant *b,
                        const struct sp_analyze_options *run)
{
    const struct sp_analyze_options p = sp_variant_options(a, run), q = sp_variant_options(b, run);
    const char *isa[2] = {p.isa ? p.isa : "", q.isa ? q.isa : ""};
    return a->drop_zeros == b->drop_zeros && strcmp(a->reorder, b->reorder) == 0 &&
           strcmp(p.format, q.format) == 0 && strcmp(p.schedule, q.schedule) == 0 &&
           strcmp(isa[0], isa[1]) == 0 && p.precision == q.precision && p.index == q.index &&
           p.store_nt == q.store_nt && p.small_pages == q.small_pages && p.not_pinned == q.not_pinned &&
           p.prefetch == q.prefetch && p.n_threads == q.n_threads && p.op == q.op && p.r == q.r;
}

struct sp_analyze_options sp_variant_options(const struct sp_variant *v, const struct sp_analyze_options *run)
{
    struct sp_analyze_options o = *run;
    if (v->format[0])
        o.format = v->format;
    if (v->schedule[0])
        o.schedule = v->schedule;
    if (v->isa[0])
        o.isa = v->isa;
    if (v->precision >= 0)
        o.precision = v->precision;
    if (v->index >= 0)
        o.index = (enum sp_index)v->index;
    if (v->prefetch >= 0)
        o.prefetch = v->prefetch;
    if (v->n_threads > 0)
        o.n_threads = v->n_threads;
    if (v->r > 0)
        o.r = v->r;
    if (v->store_nt >= 0)
        o.store_nt = (enum sp_choice)v->store_nt;
    if (v->small_pages >= 0)
        o.small_pages = v->small_pages == 1;
    if (v->not_pinned >= 0)
        o.not_pinned = v->not_pinned == 1;
    return o;
}
