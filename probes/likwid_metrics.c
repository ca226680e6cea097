#include "probes/likwid_metrics.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *words, *level;
    enum sp_direction direction;
    int part;
} table[] = {
    {"Memory read data volume", "MEM", SP_READS, 0},
    {"Memory load data volume", "MEM", SP_READS, 0},
    {"Memory write data volume", "MEM", SP_WRITES, 0},
    {"Memory writeback data volume", "MEM", SP_WRITES, 0},
    {"Memory evict data volume", "MEM", SP_WRITES, 0},
    {"Memory data volume", "MEM", SP_READS_AND_WRITES, 0},
    {"HBM read data volume", "MEM", SP_READS, 1},
    {"HBM write data volume", "MEM", SP_WRITES, 1},
    {"HBM data volume", "MEM", SP_READS_AND_WRITES, 1},
    {"MCDRAM Memory read data volume", "MEM", SP_READS, 1},
    {"MCDRAM Memory writeback data volume", "MEM", SP_WRITES, 1},
    {"MCDRAM Memory write data volume", "MEM", SP_WRITES, 1},
    {"MCDRAM data volume", "MEM", SP_READS_AND_WRITES, 1},
    {"L3 load data volume", "L3", SP_READS, 0},
    {"L3 evict data volume", "L3", SP_WRITES, 0},
    {"L3 data volume", "L3", SP_READS_AND_WRITES, 0},
    {"L2D load data volume", "L2", SP_READS, 0},
    {"L2D evict data volume", "L2", SP_WRITES, 0},
    {"L2 load data volume", "L2", SP_READS, 0},
    {"L2 evict data volume", "L2", SP_WRITES, 0},
    {"L2 data volume", "L2", SP_READS_AND_WRITES, 0},
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

bool sp_likwid_metric_of(const char *name, struct sp_likwid_metric *m)
{
    memset(m, 0, sizeof *m);
    m->first_channel = m->last_channel = -1;
    m->B = unit_of(name);
    for (size_t i = 0; m->B > 0 && i < sizeof table / sizeof *table; i++) {
        size_t n = strlen(table[i].words);
        if (strncmp(name, table[i].words, n) != 0)
            continue;
        snprintf(m->level, sizeof m->level, "%s", table[i].level);
        m->direction = table[i].direction;
        m->part = table[i].part;
        const char *channels = strstr(name + n, "(channel");
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

const char *sp_likwid_choose(int n, const struct sp_likwid_metric *metrics, const int *group, bool *keep)
{
    for (int i = 0; i < n; i++) {
        const struct sp_likwid_metric *m = &metrics[i];
        bool apart = has(n, metrics, m, SP_READS) && has(n, metrics, m, SP_WRITES);
        keep[i] = apart == (m->direction != SP_READS_AND_WRITES) || !has(n, metrics, m, SP_READS_AND_WRITES);
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
