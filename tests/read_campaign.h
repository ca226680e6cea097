/* Campaigns from a text of a test. */
#ifndef SP_TESTS_READ_CAMPAIGN_H
#define SP_TESTS_READ_CAMPAIGN_H

#include "scratch_dir.h"
#include "track/campaign/campaign_file.h"

static inline struct sp_campaign read_campaign(const char *text, const char *round, const char *host)
{
    struct sp_campaign c;
    struct sp_error err = {0};
    const enum sp_status status = sp_campaign_read(write_file("c.txt", text), round, host, &c, &err);
    ck_assert_msg(status == SP_OK, "%s: %s", text, err.what);
    return c;
}

#endif
