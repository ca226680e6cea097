/* Clocks and the power limit, told, refused, and where nobody is there to tell them; nothing stays started.
 */
#include <check.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/nvml_clocks.h"
#include "run_suite.h"

static struct sp_gpu_clocks ask(const char *mood, const char *bus_id)
{
    struct sp_gpu_clocks c;
    union {
        void *address;
        int (*call)(void);
    } started = {dlsym(dlopen(SP_FAKE_NVML, RTLD_NOW), "fake_nvml_started")};
    setenv("FAKE_NVML", mood, 1);
    sp_nvml_clocks(SP_FAKE_NVML, bus_id, &c);
    ck_assert_int_eq(started.call(), 0);
    return c;
}

static void check_none(const struct sp_gpu_clocks *c, const char *why)
{
    ck_assert(!sp_value_known(c->sm_Hz) && strstr(c->sm_Hz.why, why));
    ck_assert(!sp_value_known(c->memory_Hz) && !sp_value_known(c->power_limit_W));
}

START_TEST(clocks_are_told)
{
    struct sp_gpu_clocks c = ask("", "0000:18:00.0");
    ck_assert(c.sm_Hz.value == 1980e6 && c.memory_Hz.value == 3201e6 && c.power_limit_W.value == 700);
    ck_assert(c.sm_Hz.origin == SP_MEASURED);
}
END_TEST

START_TEST(silence_has_a_reason)
{
    struct sp_gpu_clocks c = ask("asleep", "0000:18:00.0");
    check_none(&c, "does not start");
    c = ask("", "0000:19:00.0");
    check_none(&c, "does not know");
    c = ask("secretive", "0000:18:00.0");
    check_none(&c, "does not tell");
    sp_nvml_clocks("libno-such-thing.so.1", "0000:18:00.0", &c);
    check_none(&c, "cannot be opened");
}
END_TEST

START_TEST(others_and_limits_are_told)
{
    struct sp_gpu_clocks c = ask("", "0000:18:00.0"); /* idle is no limit */
    ck_assert(c.n_others == 0 && !c.held_back);
    c = ask("shared", "0000:18:00.0");
    ck_assert(c.n_others == 1 && c.other[0] == 4242);
    ck_assert_str_eq(c.held_back, "its power limit");
    c = ask("elsewhere", "0000:18:00.0"); /* one of the two is this process */
    ck_assert(c.n_others == 1 && c.other[0] == 0);
    c = ask("hot", "0000:18:00.0");
    ck_assert_str_eq(c.held_back, "its temperature");
    c = ask("secretive", "0000:18:00.0");
    ck_assert(c.n_others == 0 && !c.held_back);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("nvml");
    TCase *tcase = tcase_create("nvml");
    suite_add_tcase(suite, tcase);
    tcase_add_test(tcase, clocks_are_told);
    tcase_add_test(tcase, silence_has_a_reason);
    tcase_add_test(tcase, others_and_limits_are_told);
    return run_suite(suite);
}
