#include "base/xml_text.h"

#include "base/utf8.h"

void sp_xml_text(FILE *out, const char *text)
{
    while (*text) {
        const char *from = text;
        const uint32_t code = sp_utf8_next(&text);
        const char *escaped = code == '<'                                    ? "&lt;"
                              : code == '>'                                  ? "&gt;"
                              : code == '&'                                  ? "&amp;"
                              : code == '"'                                  ? "&quot;"
                              : code == '\''                                 ? "&#39;"
                              : code == SP_UTF8_INVALID                      ? "\xef\xbf\xbd"
                              : code == '\n' || code == '\t'                 ? NULL
                              : code < 0x20 || (code >= 0x7f && code < 0xa0) ? ""
                              : (code & 0xfffe) == 0xfffe                    ? "\xef\xbf\xbd"
                                                                             : NULL;
        if (escaped)
            fputs(escaped, out);
        else
            fwrite(from, 1, (size_t)(text - from), out);
    }
}
