/* What your kernels are written with.
 *
 * Each file is compiled twice: once as it stands, which is timed and checked, and once so that every access is
 * told to the cache simulation. Both come from the same lines because arrays are reached through three words:
 *
 *     GET(place)          the value of an array's element:  GET(a->val[k])
 *     PUT(place, value)   a plain store:                    PUT(y[i], sum)
 *     PUT_NT(place, value) a non-temporal store, which does not read the line first
 *
 * Memory that you reach without them is loaded all the same, but nobody counts it. */
#ifndef LAB_KERNEL_H
#define LAB_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Compressed rows: row i has the nonzeros row_ptr[i] ... row_ptr[i + 1] - 1. */
struct crs {
    int32_t n_r;
    const int32_t *row_ptr; /* [n_r + 1] */
    const int32_t *col;     /* [n_nz] */
    const double *val;      /* [n_nz] */
};

/* SELL-C-1 with C = CHUNK: rows c CHUNK ... c CHUNK + CHUNK - 1 are chunk c, as wide as its longest row. Element j
 * of the chunk's row r is at begin[c] + j CHUNK + r; what a row lacks is 0, in any column that exists. */
enum { CHUNK = 8 };
struct sell {
    int32_t n_r, n_chunks;
    int32_t *begin; /* [n_chunks + 1] */
    int32_t *col;   /* [begin[n_chunks]] */
    double *val;    /* likewise */
};

#ifdef LAB_TRACED
void lab_told(const void *address, size_t size_B, int how);
#define GET(place)           (lab_told(&(place), sizeof(place), 0), (place))
#define PUT(place, value)    ((void)(value), lab_told(&(place), sizeof(place), 1))
#define PUT_NT(place, value) ((void)(value), lab_told(&(place), sizeof(place), 2))
#define rows                 rows_traced
#define chunks               chunks_traced
#define convert              convert_traced
#define triad                triad_traced
#define dot                  dot_traced
#else
#define GET(place)        (place)
#define PUT(place, value) ((void)((place) = (value)))
#if defined __x86_64__
#include <emmintrin.h>
static inline void lab_stream(double *place, double value)
{
    long long bits;
    memcpy(&bits, &value, sizeof bits);
    _mm_stream_si64((long long *)place, bits);
}
#define PUT_NT(place, value) lab_stream(&(place), (value))
#elif defined __clang__
#define PUT_NT(place, value) __builtin_nontemporal_store((value), &(place))
#else
#define PUT_NT(place, value) lab_no_non_temporal_stores_here(&(place), (value)) /* take clang: CC=clang */
#endif
#endif

/* Lab 0, the elements first ... stop - 1: a[i] = b[i] c[i], and the sum of b[i] c[i]. */
void triad(double *a, const double *b, const double *c, int32_t first, int32_t stop);
double dot(const double *b, const double *c, int32_t first, int32_t stop);
/* Lab 10. y = A x for the rows first ... stop - 1. */
void rows(const struct crs *a, const double *x, double *y, int32_t first, int32_t stop);
/* The chunks of a; memory by malloc(). 0, or another number where there is none. */
int convert(const struct crs *a, struct sell *s);
/* y = A x for the chunks first ... stop - 1. */
void chunks(const struct sell *s, const double *x, double *y, int32_t first, int32_t stop);

#endif
