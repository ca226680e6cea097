#include "probes/likwid_metrics.h"

#include <stdio.h>
#include <string.h>

/* What a metric's name begins with in LIKWID's groups (RRZE-HPC/likwid groups/), and which part of
 * the memory that is. The first that fits is taken. */
static const struct {
    const char *words, *level;
    int part;
} volumes[] = {
    {"Memory ", "MEM", 0}, {"DDR Memory ", "MEM", 0}, {"DDR ", "MEM", 0}, {"MCDRAM Memory ", "MEM", 1},
    {"MCDRAM ", "MEM", 1}, {"HBM ", "MEM", 1},        {"L3 ", "L3", 0},   {"L2D ", "L2", 0},
    {"L2 ", "L2", 0},
};
/* How it goes on. */
static const struct {
    const char *words;
    enum sp_direction direction;
    bool of_memory; /* not of a cache, whose "read" and "write" are between others than these levels */
} ways[] = {
    {"load data volume", SP_READS, false},       {"evict data volume", SP_WRITES, false},
    {"data volume", SP_READS_AND_WRITES, false}, {"read data volume", SP_READS, true},
    {"write data volume", SP_WRITES, true},      {"writeback data volume", SP_WRITES, true},
};

static double unit_of(const char *name)
{
    static const struct {
        const char *label;
        double B;
    } units[] = {{"[GBytes]", 1e9}, {"[MBytes]", 1e6}, {"[KBytes]", 1e3}, {"[Bytes]", 1}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strstr(name, units[i].label))
            return units[i].B;
    return 0;
}

static bool begins(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0;
}

bool sp_likwid_metric_of(const char *group, const char *name, struct sp_likwid_metric *m)
{
    memset(m, 0, sizeof *m);
    m->first_channel = m->last_channel = -1;
    m->B = unit_of(name);
    for (size_t v = 0; m->B > 0 && v < sizeof volumes / sizeof *volumes; v++)
        for (size_t w = 0; begins(name, volumes[v].words) && w < sizeof ways / sizeof *ways; w++) {
            const char *rest = name + strlen(volumes[v].words);
            bool memory = strcmp(volumes[v].level, "MEM") == 0;
            if (!begins(rest, ways[w].words) || (ways[w].of_memory && !memory))
                continue;
            snprintf(m->level, sizeof m->level, "%s", volumes[v].level);
            m->direction = ways[w].direction;
            /* Knights Landing's HBM calls it Memory, as MEM does */
            m->part = memory && begins(group, "HBM") && v == 0 ? 1 : volumes[v].part;
            const char *channels = strstr(rest, "(channel");
            if (channels && sscanf(channels, "(channels %d-%d", &m->first_channel, &m->last_channel) != 2 &&
                sscanf(channels, "(channel %d", &m->first_channel) == 1)
                m->last_channel = m->first_channel;
            return true;
        }
    return false;
}

static bool same_volume(const struct sp_likwid_metric *a, const struct sp_likwid_metric *b)
{
    return strcmp(a->level, b->level) == 0 && a->part == b->part && a->first_channel == b->first_channel;
}

/* Is this direction of the same volume in the list? */
static bool has(int n, const struct sp_likwid_metric *metrics, const struct sp_likwid_metric *like,
                enum sp_direction direction)
{
    for (int i = 0; i < n; i++)
        if (same_volume(&metrics[i], like) && metrics[i].direction == direction)
            return true;
    return false;
}

/* Channels follow each other from 0, in at least two parts. */
static bool all_channels(int n, const struct sp_likwid_metric *metrics, const bool *keep,
                         const struct sp_likwid_metric *like)
{
    int next = 0, parts = 0;
    for (bool found = true; found;) {
        found = false;
        for (int i = 0; i < n && !found; i++)
            if (keep[i] && metrics[i].first_channel == next && metrics[i].direction == like->direction &&
                metrics[i].part == like->part && strcmp(metrics[i].level, like->level) == 0) {
                next = metrics[i].last_channel + 1;
                parts++;
                found = true;
            }
    }
    return parts >= 2;
}

/* A part of the channels of what another group counts as a whole (MEM beside MEM1 and MEM2)? */
static bool is_in_whole(int n, const struct sp_likwid_metric *metrics, const struct sp_likwid_metric *m)
{
    struct sp_likwid_metric whole = *m;
    whole.first_channel = -1;
    return m->first_channel >= 0 &&
           (has(n, metrics, &whole, SP_READS_AND_WRITES) ||
            (has(n, metrics, &whole, SP_READS) && has(n, metrics, &whole, SP_WRITES)));
}

const char *sp_likwid_choose(int n, const struct sp_likwid_metric *metrics, const int *group, bool *keep)
{
    for (int i = 0; i < n; i++) {
        const struct sp_likwid_metric *m = &metrics[i];
        bool apart = has(n, metrics, m, SP_READS) && has(n, metrics, m, SP_WRITES);
        keep[i] = !is_in_whole(n, metrics, m) && (apart == (m->direction != SP_READS_AND_WRITES) ||
                                                  !has(n, metrics, m, SP_READS_AND_WRITES));
        /* the same volume in another group: the first group stands for it */
        for (int k = 0; k < i && keep[i]; k++)
            keep[i] = !(keep[k] && group[k] != group[i] && same_volume(&metrics[k], m) &&
                        metrics[k].direction == m->direction);
    }
    for (int i = 0; i < n; i++)
        if (keep[i] && metrics[i].first_channel >= 0 && !all_channels(n, metrics, keep, &metrics[i]))
            return "only a part of the memory channels was measured: the group of the others (MEM2 beside "
                   "MEM1) is missing";
    return NULL;
}
