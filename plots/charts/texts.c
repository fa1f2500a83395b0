/* Texts of users in a gnuplot script: quoting, wrapping, numbers. */
#include "plots/charts/private.h"

#include <string.h>

#define REPLACEMENT_CHARACTER "\xEF\xBF\xBD"
#define JOINED_QUOTE          "'.\"\\047\".'"

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

/* Code points that UTF-8 must not spell (overlong forms, surrogates, above U+10FFFF) and two
 * that XML forbids and that would make the SVG unreadable. */
static bool is_allowed(uint32_t code, size_t bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code >= least[bytes] && code <= 0x10FFFF && !surrogate && code != 0xFFFE &&
           code != 0xFFFF;
}

static size_t announced_bytes(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead < 0xE0)
        return 2;
    if (lead >= 0xE0 && lead < 0xF0)
        return 3;
    return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/* Bytes of the UTF-8 character at `words`; 0 when there is none. */
static size_t character_bytes(const char *words, size_t length)
{
    size_t bytes = announced_bytes((unsigned char)words[0]);
    if (bytes == 0 || bytes > length)
        return 0;
    uint32_t code =
        bytes == 1 ? (unsigned char)words[0] : (unsigned char)words[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (!is_continuation(words[i]))
            return 0;
        code = code << 6 | ((unsigned char)words[i] & 0x3Fu);
    }
    return is_allowed(code, bytes) ? bytes : 0;
}

/* Between single quotes gnuplot knows no escapes, no backquotes, no macros; only the quote itself
 * cannot stand there (doubling it, as the manual says, fails at the beginning of a string) and is
 * joined on by its number: a bare one in double quotes makes gnuplot lose count and expand macros.
 * Nor can a newline stand there: control characters become blanks. */
void fl_plots_quote(fl_text *script, const char *words, size_t length)
{
    fl_text_append_bytes(script, "'", 1);
    for (size_t at = 0; at < length;) {
        size_t bytes = character_bytes(words + at, length - at);
        unsigned char byte = (unsigned char)words[at];
        if (bytes == 0)
            fl_text_append_bytes(script, REPLACEMENT_CHARACTER, strlen(REPLACEMENT_CHARACTER));
        else if (byte == '\'')
            fl_text_append_bytes(script, JOINED_QUOTE, strlen(JOINED_QUOTE));
        else if (byte < 0x20 || byte == 0x7F)
            fl_text_append_bytes(script, " ", 1);
        else
            fl_text_append_bytes(script, words + at, bytes);
        at += bytes == 0 ? 1 : bytes;
    }
    fl_text_append_bytes(script, "'", 1);
}

size_t fl_plots_width(const char *words)
{
    size_t characters = 0;
    for (; *words != '\0'; words++)
        characters += !is_continuation(*words);
    return characters;
}

/* Where the line must end at the latest: at a newline, at the end, or when it is full. */
static size_t full_line(const char *words, size_t columns)
{
    size_t at = 0, characters = 0;
    while (words[at] != '\0' && words[at] != '\n') {
        if (!is_continuation(words[at]) && ++characters > columns)
            break;
        at++;
    }
    return at;
}

/* The last good place to break in the first `length` bytes: before a space, else after a sign
 * that joins parts of a name; 0 when there is none. */
static size_t good_break(const char *words, size_t length)
{
    for (size_t at = length; at > 0; at--)
        if (words[at] == ' ')
            return at;
    for (size_t at = length; at > 1; at--)
        if (strchr("+,;/", words[at - 1]) != NULL)
            return at;
    return 0;
}

size_t fl_plots_wrap(const char *words, size_t columns, const char **next)
{
    size_t length = full_line(words, columns);
    if (words[length] != '\0' && words[length] != '\n') {
        size_t better = good_break(words, length);
        length = better > 0 ? better : length;
    }
    *next = words + length;
    if (**next == '\n')
        (*next)++;
    else
        *next += strspn(*next, " ");
    return length;
}

void fl_plots_say(fl_text *script, const char *words)
{
    fl_text_append_bytes(script, words, strlen(words));
}

void fl_plots_say_number(fl_text *script, const char *before, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.12g", value);
    char *comma = strchr(digits, ','); /* the decimal point of many locales, never of gnuplot */
    if (comma != NULL)
        *comma = '.';
    fl_plots_say(script, before);
    fl_plots_say(script, digits);
}
