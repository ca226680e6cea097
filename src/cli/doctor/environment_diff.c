#include "cli/doctor/environment_diff.h"

#include <string.h>

#include "base/print.h"
#include "io/record/record_words.h"
#include "track/judge/difference.h"

bool sp_is_record_file(const char *name)
{
    struct sp_record record = {0};
    const bool is = sp_record_read(name, &record, NULL) == SP_OK;
    sp_record_free(&record);
    return is;
}

static void print_side(FILE *out, char letter, const struct sp_record *r)
{
    sp_print(out, "%c  %s\n   environment %s, %s", letter, sp_words_text(r, "id", "?"),
             sp_words_text(r, "env.key", "unknown"), sp_words_text(r, "env.identity.cpu", "CPU unknown"));
    const char *host = sp_words_text(r, "env.detail.host", "");
    sp_print(out, "%s%s; ceilings of %s\n", *host ? ", host " : "", host,
             sp_words_text(r, "machine.name", "?"));
}

/* The facts behind the key first, then those that may differ. Returns how many of the key's differ. */
static int print_facts(FILE *out, const struct sp_differences *d)
{
    static const char *const parts[] = {"env.identity.", "env.detail."};
    int n = 0;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < d->n; i++) {
            const size_t length = strlen(parts[k]);
            if (strncmp(d->one[i].field, parts[k], length) != 0)
                continue;
            n += k == 0;
            sp_print(out, "%-12s %-24s %s -> %s\n", k == 0 ? "differs" : "detail", d->one[i].field + length,
                     d->one[i].a, d->one[i].b);
        }
    return n;
}

static enum sp_status print_both(const struct sp_record *a, const struct sp_record *b, FILE *out,
                                 struct sp_error *err)
{
    struct sp_differences d;
    const enum sp_status status = sp_differences_find(a, b, false, &d, err);
    if (status != SP_OK)
        return status;
    print_side(out, 'A', a);
    print_side(out, 'B', b);
    const int n = print_facts(out, &d);
    sp_differences_free(&d);
    const char *key_a = sp_words_text(a, "env.key", ""), *key_b = sp_words_text(b, "env.key", "");
    if (!*key_a || !*key_b)
        fputs("a record does not say where it was measured: not comparable\n", out);
    else if (strcmp(key_a, key_b) == 0)
        fputs("the same environment: measurements can be compared\n", out);
    else if (n > 0)
        sp_print(out, "%d fact%s differ%s: not comparable\n", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
    else
        fputs("the keys differ, of facts that the records do not list: not comparable\n", out);
    return *key_a && strcmp(key_a, key_b) == 0 ? SP_OK : SP_UNDECIDED;
}

enum sp_status sp_environment_diff(const char *a, const char *b, FILE *out, struct sp_error *err)
{
    struct sp_record record[2] = {{0}, {0}};
    enum sp_status status = sp_record_read(a, &record[0], err);
    if (status == SP_OK)
        status = sp_record_read(b, &record[1], err);
    if (status == SP_OK)
        status = print_both(&record[0], &record[1], out, err);
    sp_record_free(&record[0]);
    sp_record_free(&record[1]);
    return status;
}
