/* The ways in which a GPU's threads can share a kernel's work, as points of a roofline. */
#ifndef SP_PLOTS_LEVELS_FRAME_H
#define SP_PLOTS_LEVELS_FRAME_H

#include "io/record/record.h"

enum sp_way_level { SP_WAY_L1, SP_WAY_L2, SP_WAY_MEM, SP_N_WAY_LEVELS };

struct sp_way_point {
    double x, lo, hi; /* [flop/B] work over the bytes of the level; x 0: there is none */
};

struct sp_gpu_way_drawn {
    char text[160];       /* "CRS lanes 8  219 Gflop/s, memory bandwidth" */
    int number;           /* from 1 */
    double y, y_lo, y_hi; /* [Gflop/s] */
    bool measured;
    bool is_bound; /* all stays in the L2, whose bandwidth is not known: the rate is a lower bound */
    struct sp_way_point at[SP_N_WAY_LEVELS];
};

enum { SP_MOST_WAYS_DRAWN = 13 };

/* The modelled ways in the record's order, then the kernel that ran; how many, 0: no levels. */
int sp_gpu_ways_read(const struct sp_record *record, struct sp_gpu_way_drawn way[SP_MOST_WAYS_DRAWN]);

/* Where the points of a GPU's levels, their numbers and the names of the roofs go in a picture. */

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
/* Ends of a way's line: as far as its bytes are uncertain. Where nearly none may come, the line
 * ends at three times the intensity. */
void sp_levels_ends(const struct sp_levels_picture *picture, const struct sp_gpu_way_drawn *way, double *lo,
                    double *hi);

/* Ranges of the axes in a panel of `width` and `height`: around the points and the upper ends of
 * the roofs, with room for the names of these above the points; with_peak: up to the peak instead.
 * The roof of memory must be known. */
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
