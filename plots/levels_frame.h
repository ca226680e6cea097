/* Where the points of a GPU's levels, their numbers and the names of the roofs go in a picture. */
#ifndef SP_PLOTS_LEVELS_FRAME_H
#define SP_PLOTS_LEVELS_FRAME_H

#include "plots/gpu_ways.h"

struct sp_level_roof {
    const json_t *item;
    double rate; /* [GB/s] or [Gflop/s]; 0: not known */
};

struct sp_levels_picture {
    const struct sp_record *record;
    struct sp_gpu_way_drawn way[SP_MOST_WAYS_DRAWN];
    int n;
    struct sp_level_roof memory, L2, L1, peak;
    bool text;
    double x_min, x_max, y_min, y_max;
    double x_px, y_px; /* pixels in a decade; of text columns and lines */
};

/* Of several ceilings of a level the one that fractions are of, else the first. */
struct sp_level_roof sp_level_roof_of(const struct sp_record *record, const char *level);
/* "L2 load 5400 GB/s stated" */
char *sp_level_roof_text(const struct sp_level_roof *roof, char *text, size_t size);

/* The way has a point at this level; text leaves the L1 out. */
bool sp_levels_draws(const struct sp_levels_picture *picture, const struct sp_gpu_way_drawn *way, int level);
/* Ends of a way's line: as far as its bytes are uncertain. Where nearly none may come, the line ends at three
 * times the intensity. */
void sp_levels_ends(const struct sp_levels_picture *picture, const struct sp_gpu_way_drawn *way, double *lo,
                    double *hi);

/* Ranges of the axes in a panel of `width` and `height`: around the points and the upper ends of the roofs,
 * with room for the names of these above the points; with_peak: up to the peak instead. The roof of memory
 * must be known. */
void sp_levels_set_frame(struct sp_levels_picture *picture, bool with_peak, double width, double height);

/* Numbers of points that nearly coincide share a label. */
struct sp_point_group {
    double lo, hi, y; /* of its points [px], from 1 flop/B and 1 Gflop/s */
    unsigned ways;    /* bit i: way[i] */
    char text[64];    /* "2,3" */
};

/* Groups of a level's points, in which no two numbers would meet; returns how many. */
int sp_levels_group(const struct sp_levels_picture *picture, int level,
                    struct sp_point_group group[SP_MOST_WAYS_DRAWN]);

#endif
