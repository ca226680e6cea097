#include "sys/fault.h"

#include <stdlib.h>
#include <string.h>

const char *sp_faults(void)
{
    const char *text = getenv("SPMODEL_FAULT");
    return text ? text : "";
}

bool sp_fault(const char *name, double *level)
{
    const size_t n = strlen(name);
    for (const char *p = sp_faults(); *p;) {
        const size_t length = strcspn(p, ",");
        if (strncmp(p, name, n) == 0 && (length == n || p[n] == ':')) {
            const double x = length > n ? atof(p + n + 1) : 0;
            if (level)
                *level = x > 0 ? x : 1;
            return true;
        }
        p += length + (p[length] == ',');
    }
    return false;
}

enum sp_status sp_fault_check(struct sp_error *err)
{
    static const char *const known[] = {"pages", "straggler", "order"};
    for (const char *p = sp_faults(); *p;) {
        const size_t length = strcspn(p, ","), name = strcspn(p, ",:");
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found = found || (strlen(known[i]) == name && strncmp(p, known[i], name) == 0);
        if (!found)
            return sp_fail(err, SP_USAGE, "faults are pages, straggler:0.2 and order",
                           "SPMODEL_FAULT names '%.*s', which is no fault", (int)length, p);
        p += length + (p[length] == ',');
    }
    return SP_OK;
}
