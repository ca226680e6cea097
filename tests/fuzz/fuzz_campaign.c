/* The files of campaigns. */
#include "fuzz.h"
#include "track/campaign/campaign_file.h"

const char *const fuzz_words[] = {"matrix", "matrices", "run", "node", "nodes",     "--",       "*", "?",
                                  "#",      "'",        "\\",  "gen:", "--threads", "--format", "=", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_campaign campaign = {0};
    struct sp_error err = {0};
    const enum sp_status status = sp_campaign_read(fuzz_path(data, size), "r1", "node1", &campaign, &err);
    if (status != SP_OK)
        fuzz_require_refusal(status, &err);
    sp_campaign_free(&campaign);
    return 0;
}
