#include "base/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 60, MOST_WORD = 160 };

struct parser {
    const char *text, *at;
    const struct sp_formula_source *source;
    struct sp_error *err;
    enum sp_status status;
    int depth;
};

static const struct sp_quantity nothing = {NAN, NAN, NAN};

static struct sp_quantity parse_sum(struct parser *p);

static struct sp_quantity refuse(struct parser *p, const char *what)
{
    if (p->status == SP_OK)
        p->status =
            sp_fail(p->err, SP_INPUT, "formulas are described in docs/labs.md",
                    "%s at character %d of the formula '%s'", what, (int)(p->at - p->text) + 1, p->text);
    return nothing;
}

static void skip_blanks(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool take(struct parser *p, char c)
{
    skip_blanks(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static struct sp_quantity exactly(double x)
{
    return (struct sp_quantity){x, x, x};
}

/* The hull of the results at the ends of both intervals: holds every outcome where the operation is
 * monotone in each operand. */
static struct sp_quantity combine(struct sp_quantity a, struct sp_quantity b, double (*f)(double, double))
{
    const double end[4] = {f(a.lo, b.lo), f(a.lo, b.hi), f(a.hi, b.lo), f(a.hi, b.hi)};
    struct sp_quantity q = exactly(f(a.value, b.value));
    for (int i = 0; i < 4; i++) {
        q.lo = fmin(q.lo, end[i]);
        q.hi = fmax(q.hi, end[i]);
    }
    return q;
}

static double add(double a, double b)
{
    return a + b;
}
static double subtract(double a, double b)
{
    return a - b;
}
static double multiply(double a, double b)
{
    return a * b;
}
static double divide(double a, double b)
{
    return a / b;
}

/* Anything: the formula then has no finite value. */
static struct sp_quantity unbounded(double value)
{
    return (struct sp_quantity){value, -INFINITY, INFINITY};
}

/* Monotone on either side of a divisor of 0, not across it. */
static struct sp_quantity quotient(struct sp_quantity a, struct sp_quantity b)
{
    return b.lo < b.hi && b.lo <= 0 && b.hi >= 0 ? unbounded(a.value / b.value) : combine(a, b, divide);
}

/* Monotone for bases of one sign. */
static struct sp_quantity power(struct sp_quantity a, struct sp_quantity b)
{
    return a.lo < 0 && a.hi > 0 ? unbounded(pow(a.value, b.value)) : combine(a, b, pow);
}

/* Goes up and down: of what is uncertain only its bounds are known. */
static struct sp_quantity remainder_of(struct sp_quantity a, struct sp_quantity b)
{
    const double most = fmax(fabs(b.lo), fabs(b.hi)), x = fmod(a.value, b.value);
    return a.lo < a.hi || b.lo < b.hi ? (struct sp_quantity){x, a.lo < 0 ? -most : 0, a.hi > 0 ? most : 0}
                                      : exactly(x);
}

static double raise_two(double a, double b)
{
    (void)b;
    return ceil(a);
}
static double lower_two(double a, double b)
{
    (void)b;
    return floor(a);
}
static double root_two(double a, double b)
{
    (void)b;
    return sqrt(a);
}
static double log_two(double a, double b)
{
    (void)b;
    return log2(a);
}

/* Functions of one argument look at the first only; those that fold go on over all. */
static const struct function {
    const char *name;
    bool folds;
    double (*of)(double, double);
} functions[] = {{"min", true, fmin},         {"max", true, fmax},       {"ceil", false, raise_two},
                 {"floor", false, lower_two}, {"sqrt", false, root_two}, {"log2", false, log_two}};

static struct sp_quantity call(struct parser *p, const char *word)
{
    const struct function *f = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && !f; i++)
        if (strcmp(functions[i].name, word) == 0)
            f = &functions[i];
    if (!f)
        return refuse(p, "an unknown function stands");
    struct sp_quantity q = parse_sum(p);
    if (!f->folds)
        q = combine(q, exactly(0), f->of);
    while (f->folds && p->status == SP_OK && take(p, ','))
        q = combine(q, parse_sum(p), f->of);
    return take(p, ')') ? q : refuse(p, "a ')' is missing");
}

static struct sp_quantity parse_name(struct parser *p)
{
    char word[MOST_WORD];
    size_t n = 0;
    while (isalnum((unsigned char)*p->at) || *p->at == '_') {
        if (n + 1 >= sizeof word)
            return refuse(p, "a name is too long");
        word[n++] = *p->at++;
    }
    word[n] = '\0';
    if (take(p, '('))
        return call(p, word);
    struct sp_quantity q = nothing;
    if (p->status == SP_OK)
        p->status = p->source->name(p->source->context, word, &q, p->err);
    return q;
}

static struct sp_quantity parse_field(struct parser *p)
{
    char run[MOST_WORD], path[MOST_WORD];
    const size_t all = strcspn(p->at, "]"), first = strcspn(p->at, ":");
    if (p->at[all] != ']' || first >= all || first >= sizeof run || all - first >= sizeof path)
        return refuse(p, "a field has the form [run:path], which is not found");
    snprintf(run, sizeof run, "%.*s", (int)first, p->at);
    snprintf(path, sizeof path, "%.*s", (int)(all - first - 1), p->at + first + 1);
    struct sp_quantity q = nothing;
    if (!p->source->field)
        return refuse(p, "records cannot be asked here, but a field stands");
    p->at += all + 1;
    if (p->status == SP_OK)
        p->status = p->source->field(p->source->context, run, path, &q, p->err);
    return q;
}

static struct sp_quantity parse_factor(struct parser *p)
{
    if (p->status != SP_OK)
        return nothing;
    if (take(p, '-')) {
        if (++p->depth > MOST_DEPTH)
            return refuse(p, "the nesting is too deep");
        const struct sp_quantity q = parse_factor(p);
        p->depth--;
        return combine(exactly(0), q, subtract);
    }
    if (take(p, '(')) {
        struct sp_quantity q = parse_sum(p);
        return take(p, ')') ? q : refuse(p, "a ')' is missing");
    }
    if (take(p, '['))
        return parse_field(p);
    if (isalpha((unsigned char)*p->at))
        return parse_name(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        char *end;
        double x = strtod(p->at, &end);
        if (end != p->at) {
            p->at = end;
            return exactly(x);
        }
    }
    return refuse(p, "a number or a name is expected");
}

static struct sp_quantity parse_power(struct parser *p)
{
    struct sp_quantity q = parse_factor(p);
    if (++p->depth > MOST_DEPTH)
        return refuse(p, "the nesting is too deep");
    if (p->status == SP_OK && take(p, '^'))
        q = power(q, parse_power(p));
    p->depth--;
    return q;
}

static struct sp_quantity parse_product(struct parser *p)
{
    struct sp_quantity q = parse_power(p);
    while (p->status == SP_OK) {
        if (take(p, '*'))
            q = combine(q, parse_power(p), multiply);
        else if (take(p, '/'))
            q = quotient(q, parse_power(p));
        else if (take(p, '%'))
            q = remainder_of(q, parse_power(p));
        else
            break;
    }
    return q;
}

static struct sp_quantity parse_sum(struct parser *p)
{
    if (++p->depth > MOST_DEPTH)
        return refuse(p, "the nesting is too deep");
    struct sp_quantity q = parse_product(p);
    while (p->status == SP_OK) {
        if (take(p, '+'))
            q = combine(q, parse_product(p), add);
        else if (take(p, '-'))
            q = combine(q, parse_product(p), subtract);
        else
            break;
    }
    p->depth--;
    return q;
}

enum sp_status sp_formula_evaluate(const char *text, const struct sp_formula_source *source,
                                   struct sp_quantity *out, struct sp_error *err)
{
    text = text ? text : ""; /* what is no text in a lab's JSON is no formula */
    struct parser p = {text, text, source, err, SP_OK, 0};
    *out = parse_sum(&p);
    skip_blanks(&p);
    if (p.status == SP_OK && *p.at)
        refuse(&p, "something follows the end");
    if (p.status == SP_OK && !(isfinite(out->value) && isfinite(out->lo) && isfinite(out->hi)))
        p.status = sp_fail(err, SP_UNDECIDED, NULL, "the formula '%s' has no finite value here", text);
    if (p.status != SP_OK)
        memset(out, 0, sizeof *out);
    return p.status;
}
