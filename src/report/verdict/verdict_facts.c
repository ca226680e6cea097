/* Facts of a record that several lines of the verdict rest on. */
#include "report/verdict/verdict_parts.h"

json_t *sp_verdict_line(const char *text, const char *brief)
{
    return json_pack("{s:s, s:s}", "text", text, "short", brief);
}

json_t *sp_verdict_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *sp_verdict_text(const char *text)
{
    return text && *text ? json_string(text) : json_null();
}

/* "not known: WHY", cut where the short line ends: the long one has all of it. */
json_t *sp_verdict_not_known(const char *why, const char *brief)
{
    char text[SP_VERDICT_TEXT], less[SP_VERDICT_TEXT];
    snprintf(text, sizeof text, "not known: %.300s", why);
    snprintf(less, sizeof less, "not known: %.300s", brief ? brief : why);
    return sp_verdict_line(text, less);
}
