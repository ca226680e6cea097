/* Reads two streams in step, in blocks whose sizes are in the ratio of the streams' lengths;
 * compiled for each instruction set. Four sums in registers, as wide as the target's: wider ones,
 * or sums in an array that a function is given, are kept on the stack by gcc, and one core then
 * reads 17 GB/s even from its L2. */
#include "kernels/cpu/ceiling/ceiling_isa.h"
#include "kernels/cpu/isa.h"

#if SP_LEVEL == 2
enum { SCAN_WIDTH = 64 };
#elif SP_LEVEL == 1
enum { SCAN_WIDTH = 32 };
#else
enum { SCAN_WIDTH = 16 };
#endif
typedef uint64_t scan_vector __attribute__((vector_size(SCAN_WIDTH), aligned(SCAN_WIDTH), may_alias));

enum { SCAN_LINE = 64, SCAN_BLOCK = 2048 / SCAN_LINE /* lines of the first stream in a block */ };

struct scan_sums {
    scan_vector of[4];
};

/* n lines from `from` on; the sums come and go by value. */
static inline __attribute__((always_inline)) struct scan_sums scan_lines(const char *from, int64_t n,
                                                                         struct scan_sums sums)
{
    const scan_vector *v = (const scan_vector *)from, *end = v + n * (SCAN_LINE / SCAN_WIDTH);
    const scan_vector *whole = end - (end - v) % 4;
    scan_vector a = sums.of[0], b = sums.of[1], c = sums.of[2], d = sums.of[3];
    for (; v < whole; v += 4) {
        a += v[0];
        b += v[1];
        c += v[2];
        d += v[3];
    }
    for (; v < end; v++)
        a += *v;
    return (struct scan_sums){{a, b, c, d}};
}

uint64_t OF_ISA(sp_scan)(const void *a, int64_t n_a, const void *b, int64_t n_b)
{
    if (n_a + n_b == 0)
        return 0;
    const char *from_a = n_a > 0 ? a : b, *from_b = n_b > 0 ? b : a; /* what is absent may be NULL */
    const int64_t n_blocks = n_a / SCAN_BLOCK, in_b = n_blocks > 0 ? n_b / n_blocks : 0;
    struct scan_sums s = {0};
    for (int64_t k = 0; k < n_blocks; k++) {
        s = scan_lines(from_a + k * SCAN_BLOCK * SCAN_LINE, SCAN_BLOCK, s);
        s = scan_lines(from_b + k * in_b * SCAN_LINE, in_b, s);
    }
    s = scan_lines(from_a + n_blocks * SCAN_BLOCK * SCAN_LINE, n_a - n_blocks * SCAN_BLOCK, s);
    s = scan_lines(from_b + n_blocks * in_b * SCAN_LINE, n_b - n_blocks * in_b, s);
    const scan_vector sum = s.of[0] + s.of[1] + s.of[2] + s.of[3];
    uint64_t total = 0;
    for (int i = 0; i < SCAN_WIDTH / 8; i++)
        total += sum[i];
    return total;
}
