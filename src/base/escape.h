/* Text of others where a character may mean something: CSV, Markdown, XML, names of files. */
#ifndef SP_BASE_ESCAPE_H
#define SP_BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Text of others made visible: file names, strings of records, words of campaigns. What a terminal
 * would obey instead of showing it (C0 and C1 controls, DEL), what changes the order of the
 * characters that follow, and bytes that are no UTF-8 show as "\n", "\r", "\u001b", "\u202e",
 * "\x9b"; tabs and all else stay as they are. The result is one line of UTF-8. It is the spelling
 * of JSON, so a JSON document keeps its meaning. */

/* Characters of text that may be anything. */
enum { SP_UTF8_INVALID = 0xfffd };

/* The next character, at least one byte further; a byte that belongs to none is one of its own,
 * SP_UTF8_INVALID. 0 at the end, beyond which *text does not go. */
uint32_t sp_utf8_next(const char **text);

/* Would a terminal obey this character? Also of '\n', not of '\t'. */
bool sp_is_control(uint32_t code);

/* How many bytes, `most` at most, up to the first that is not printable ASCII or one of `but`. They
 * are visible as they are, one character each. */
size_t sp_plain_length(const char *text, size_t most, const char *but);

/* Room for one character in its visible form, with '\0'. */
enum { SP_VISIBLE_MOST = 8 };
/* The next character of *text in its visible form, its length in bytes; 0 at the end. */
size_t sp_visible_next(const char **text, char shown[SP_VISIBLE_MOST]);

/* Writes the visible form of `text` into out[size], cut behind a whole character, always
 * terminated. Returns the length that all of it has without '\0', as snprintf does. `out` may be
 * `text` only where sp_is_visible. */
size_t sp_visible(const char *text, char *out, size_t size);
/* Is `text` its own visible form? */
bool sp_is_visible(const char *text);

/* Text in CSV [RFC 4180], for programs and for spreadsheets.
 *
 * Spreadsheets take a cell that begins with = + - @, a tab or a carriage return for a formula,
 * quoted or not, and a formula can open programs and send other cells away. Such text gets an
 * apostrophe before it, by which they know text; what is a number altogether, or a single
 * character, computes nothing and stays as it is.
 *
 * Control characters, line ends among them, are made visible: a cell is part of
 * one line. */

/* In quotes, those inside doubled. */
void sp_csv_text(FILE *out, const char *text);
/* The same; without the quotes where it needs none. */
void sp_csv_field(FILE *out, const char *text);

/* Markdown [CommonMark 0.31, with the tables of GitHub]: text that shows as it is, in a paragraph,
 * an item or the cell of a table: what could begin emphasis, code, a link, HTML, an entity, a
 * formula, a cell, or at its begin a heading, a list or a rule gets a backslash; line ends become
 * blanks, other control characters visible. */
void sp_markdown_text(FILE *out, const char *text);

/* XML and HTML: markup is escaped, what is no character of XML is U+FFFD, control characters, line
 * ends among them, and bytes that are no UTF-8 are visible: the document stays
 * well-formed whatever the text is, and none of its lines begins with it. */
void sp_xml_text(FILE *out, const char *text);

/* Names of files made of names that come from elsewhere, of a matrix, a machine, a record: letters
 * and digits of ASCII and "._-"; other characters, and a '-' or '.' in front, become '_': no shell,
 * option parser or program sees more in it than a name in its folder. "_" for "". Cut to fit;
 * returns text. */
char *sp_file_stem(char *text, size_t size, const char *name);
/* It is one already. */
bool sp_is_file_stem(const char *name);

/* Shells: appends the word to text[size] after a blank, in single quotes where it needs them.
 * False: it does not fit, and text is as it was. */
bool sp_add_shell_word(char *text, size_t size, const char *word);

#endif
