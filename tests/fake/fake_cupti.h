/* How the library in place of CUPTI behaves, and what it saw. A test opens it by its path, finds `fake_cupti`
 * by dlsym, writes the first part and reads the second. */
#ifndef SP_TESTS_FAKE_CUPTI_H
#define SP_TESTS_FAKE_CUPTI_H

#include <cuda.h>
#include <cupti_profiler_target.h>
#include <stdbool.h>

struct fake_cupti {
    /* Written by the test; all zero: works, one pass, every value is 1000. */
    bool no_driver;        /* calls that crash without a driver end the process */
    const char *fails;     /* function that is refused, "" or NULL: none */
    int fails_at;          /* its n-th call, from 0 */
    CUptiResult with;      /* the refusal */
    int more_passes;       /* than one */
    bool never_complete;   /* asks for passes without end */
    size_t dropped;        /* ranges */
    const char *missing;   /* metric that the chip has not */
    const char *nan;       /* metric whose value is none */
    const char *untouched; /* metric whose value is not written */
    CUpti_Profiler_Support_Level vgpu, wsl,
        unsaid; /* other than SUPPORTED where not 0; `unsaid`: no part tells why */

    /* Read by the test. */
    char log[8192];   /* the calls, each followed by a blank, without the prefix cupti */
    char fault[256];  /* the first call that breaks CUPTI's rules, "" none */
    int n_open;       /* initialised + hosts + profilers + sessions started + ranges pushed */
    int n_failed;     /* how often a call was refused */
    int n_passes_run; /* ranges that were counted */
};

#endif
