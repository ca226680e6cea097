/* Text in documents of XML and HTML. */
#ifndef SP_BASE_XML_TEXT_H
#define SP_BASE_XML_TEXT_H

#include <stdio.h>

/* Text with what XML and HTML would take for markup escaped, what is no character of XML as U+FFFD, and
 * control characters, line ends among them, and bytes that are no UTF-8 visible (base/visible.h): the
 * document stays well-formed whatever the text is, and none of its lines begins with it. */
void sp_xml_text(FILE *out, const char *text);

#endif
