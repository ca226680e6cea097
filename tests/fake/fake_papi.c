/* A library in place of libpapi that misbehaves as FAKE_PAPI says: exits, hangs, prints, crashes, old
 * (refuses every version), zeros (memory events that count nothing), halves (of one channel), works (threads too). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char *mode)
{
    const char *told = getenv("FAKE_PAPI");
    return told && strcmp(told, mode) == 0;
}

int PAPI_library_init(int version)
{
    if (is("exits"))
        exit(0);
    if (is("hangs"))
        pause();
    if (is("crashes"))
        abort();
    if (is("prints")) {
        fprintf(stderr, "PAPI Error: all is lost\n");
        printf("and here too\n");
    }
    return is("old") ? -1 : version == 0x07000000 ? version : -1;
}

int PAPI_create_eventset(int *set)
{
    *set = 1;
    return 0;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    *code = 1;
    if (is("works") && (strcmp(name, "PAPI_DP_OPS") == 0 || strcmp(name, "PAPI_L3_TCM") == 0))
        return 0;
    if (is("halves") && strncmp(name, "gnr_unc_imc0::UNC_M_CAS_COUNT_SCH", 33) == 0)
        return 0;
    return is("zeros") && strncmp(name, "icx_unc_imc", 11) == 0 ? 0 : -7;
}

int PAPI_add_event(int set, int code)
{
    (void)set;
    (void)code;
    return 0;
}

int PAPI_attach(int set, unsigned long thread)
{
    (void)set;
    (void)thread;
    return 0;
}

int PAPI_assign_eventset_component(int set, int component)
{
    (void)set;
    (void)component;
    return 0;
}

int PAPI_start(int set)
{
    (void)set;
    return 0;
}

int PAPI_stop(int set, long long *value)
{
    (void)set;
    value[0] = is("works") ? 1000 : 0;
    if (is("works"))
        value[1] = 5000;
    return 0;
}

int PAPI_cleanup_eventset(int set)
{
    (void)set;
    return 0;
}

int PAPI_destroy_eventset(int *set)
{
    *set = -1;
    return 0;
}

const char *PAPI_strerror(int code)
{
    return code == -7 ? "Event does not exist" : "another error";
}

int PAPI_num_components(void)
{
    return 1;
}

const char *PAPI_get_component_info(int component)
{
    (void)component;
    return "fake_component";
}
