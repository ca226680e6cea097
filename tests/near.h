/* Numbers that must agree up to an absolute tolerance. */
#ifndef SP_TESTS_NEAR_H
#define SP_TESTS_NEAR_H

#include <check.h>
#include <math.h>

static inline void near(double x, double y, double tolerance)
{
    ck_assert_msg(fabs(x - y) <= tolerance, "%.12g is not %.12g within %g", x, y, tolerance);
}

#endif
