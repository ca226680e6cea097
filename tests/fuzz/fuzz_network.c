/* Network files: what is accepted has times of messages that are numbers. */
#include <math.h>

#include "fuzz.h"
#include "io/ranks/rank_files.h"

const char *const fuzz_words[] = {"null",  "{}",      "\"value\"",      "\"latency\"",
                                  "\"s\"", "\"B/s\"", "\"rendezvous\"", "\"from_B\"",
                                  "1e308", "1e-320",  "\"stated\"",     NULL};

static void check(const struct sp_network_path *path)
{
    const struct sp_messages m = {2, 1, 1e6, 1e7};
    if (sp_value_known(path->latency_s))
        fuzz_require(!isnan(sp_messages_time(path, &m)) && sp_messages_time(path, &m) > 0, "a time is none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_network network;
    struct sp_error err = {0};
    const enum sp_status status = sp_network_file_read(fuzz_path(data, size), &network, &err);
    if (status == SP_OK) {
        check(&network.between);
        check(&network.within);
    } else {
        fuzz_require_refusal(status, &err);
    }
    return 0;
}
