#include "track/attribution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RECORDS = 64 };

static double median_metric(const struct sp_entry *const *list, int n, enum sp_tracked metric)
{
    double x[MOST_RECORDS];
    int kept = 0;
    for (int i = 0; i < n && kept < MOST_RECORDS; i++)
        if (list[i]->metric[metric] > 0)
            x[kept++] = list[i]->metric[metric];
    if (kept == 0)
        return NAN;
    for (int i = 1; i < kept; i++)
        for (int k = i; k > 0 && x[k - 1] > x[k]; k--) {
            const double t = x[k];
            x[k] = x[k - 1];
            x[k - 1] = t;
        }
    return kept % 2 ? x[kept / 2] : 0.5 * (x[kept / 2 - 1] + x[kept / 2]);
}

static double change_of(const struct sp_entry *const *before, int n_before,
                        const struct sp_entry *const *after, int n_after, enum sp_tracked metric)
{
    return log(median_metric(after, n_after, metric) / median_metric(before, n_before, metric));
}

/* What the newest record and the one before it differ in besides bytes and bandwidth. */
static void find_evidence(const struct sp_entry *was, const struct sp_entry *is, struct sp_attribution *a)
{
    static const double pages = 0.2, busy = 0.05;
    const double lambda[2] = {was->metric[SP_TRACKED_LAMBDA], is->metric[SP_TRACKED_LAMBDA]};
    size_t used = 0;
    if (fabs(is->huge_share - was->huge_share) > pages)
        used += (size_t)snprintf(a->also, sizeof a->also,
                                 "%.0f %% of its arrays are on huge pages, before it were %.0f %%; ",
                                 100 * is->huge_share, 100 * was->huge_share);
    if (fabs(lambda[1] - lambda[0]) > busy && used < sizeof a->also)
        used += (size_t)snprintf(a->also + used, sizeof a->also - used,
                                 "threads are busy for unequal times: max/mean %.2f, before it was %.2f; ",
                                 lambda[1], lambda[0]);
    if (strcmp(was->kernel, is->kernel) != 0 && used < sizeof a->also)
        used += (size_t)snprintf(a->also + used, sizeof a->also - used,
                                 "another kernel was chosen: %s instead of %s; ", is->kernel, was->kernel);
    if (used > 2 && used < sizeof a->also)
        a->also[used - 2] = '\0'; /* the last "; " */
}

static char *percent(char *text, size_t size, double change)
{
    if (isnan(change))
        snprintf(text, size, "unknown");
    else
        snprintf(text, size, "%+.1f %%", 100 * expm1(change));
    return text;
}

/* The part with the largest share of the change gives the sentence. */
static void write_sentence(const struct sp_entry *was, const struct sp_entry *is, struct sp_attribution *a)
{
    static const double same = 0.01, other_pages = 0.2;
    const double sign = a->time > 0 ? 1 : -1;
    const double traffic = isnan(a->bytes) ? 0 : sign * a->bytes,
                 machine = isnan(a->roof) ? 0 : -sign * a->roof;
    const double kernel = fabs(a->time) - traffic - machine;
    const bool moves_as_much = isnan(a->bytes) || fabs(a->bytes) < same;
    char bytes[32], bandwidth[32], roof[32];
    percent(bytes, sizeof bytes, a->bytes);
    percent(bandwidth, sizeof bandwidth, a->bandwidth);
    percent(roof, sizeof roof, a->roof);
    if (isnan(a->bytes) && isnan(a->roof))
        snprintf(a->text, sizeof a->text, "neither bytes nor a roof are known, so the cause is not either");
    else if (traffic >= machine && traffic >= kernel)
        snprintf(a->text, sizeof a->text, "%s traffic%s: bytes %s (%s), bandwidth %s",
                 sign > 0 ? "more" : "less", fabs(a->bandwidth) <= 0.5 * fabs(a->bytes) ? ", same speed" : "",
                 bytes, is->origin[SP_TRACKED_BYTES], bandwidth);
    else if (machine >= kernel)
        snprintf(a->text, sizeof a->text, "%s: the load-only roof beside the kernel %s, bytes %s",
                 fabs(is->huge_share - was->huge_share) > other_pages ? "its arrays lie on other pages"
                                                                      : "the machine drifted",
                 roof, bytes);
    else
        snprintf(a->text, sizeof a->text, "%s%s bandwidth at the kernel: bandwidth %s, the roof beside it %s",
                 isnan(a->bytes) ? "traffic unknown, "
                 : moves_as_much ? "same traffic, "
                                 : "",
                 sign > 0 ? "less" : "more", isnan(a->bytes) ? "unknown" : bandwidth, roof);
}

/* Delta ln time = Delta ln bytes - Delta ln bandwidth; the load-only roof beside the kernel tells the
 * machine's part of the bandwidth from the kernel's. */
void sp_attribute(const struct sp_entry *const *before, int n_before, const struct sp_entry *const *after,
                  int n_after, struct sp_attribution *a)
{
    static const double same = 0.01;
    memset(a, 0, sizeof *a);
    a->time = change_of(before, n_before, after, n_after, SP_TRACKED_TIME);
    a->bytes = change_of(before, n_before, after, n_after, SP_TRACKED_BYTES);
    a->bandwidth = a->bytes - a->time;
    a->roof = change_of(before, n_before, after, n_after, SP_TRACKED_ROOF);
    const struct sp_entry *was = before[n_before - 1], *is = after[n_after - 1];
    a->is_resolved_otherwise = strcmp(was->resolved, is->resolved) != 0;
    find_evidence(was, is, a);
    if (!isnan(a->time) && fabs(a->time) >= same)
        write_sentence(was, is, a);
}
