/* Lines of text that fit a number of columns. */
#include "core/text/lines.h"

#include <string.h>

/* A character of UTF-8 has one byte that does not look like 10xxxxxx. */
static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

size_t fl_line_width(const char *text, size_t length)
{
    size_t width = 0;
    for (size_t i = 0; i < length; i++)
        width += begins_character(text[i]);
    return width;
}

/* Where a line may end, the best kind first: before a space, after a semicolon, after a comma. */
enum { BREAKS = 3 };

static size_t kind_of_break(char byte)
{
    return byte == ' ' ? 0 : byte == ';' ? 1 : byte == ',' ? 2 : BREAKS;
}

size_t fl_line_break(const char *text, size_t length, size_t columns)
{
    size_t place[BREAKS] = {0}, width = 0;
    for (size_t i = 0; i < length; i++) {
        size_t kind = kind_of_break(text[i]), before = width;
        width += begins_character(text[i]);
        bool none = !(place[0] || place[1] || place[2]);
        if (kind < BREAKS && ((kind ? width : before) <= columns || none))
            place[kind] = i + (kind > 0);
        for (size_t k = 0; k < BREAKS && width > columns; k++)
            if (place[k])
                return place[k];
    }
    return length;
}

void fl_line_append(fl_text *out, const char *text, size_t length, size_t first, size_t indent)
{
    size_t room = out->columns > first ? out->columns - first : 1;
    while (out->columns > 0) {
        size_t piece = fl_line_break(text, length, room);
        if (piece == length)
            break;
        size_t printed = piece;
        while (printed > 0 && text[printed - 1] == ' ')
            printed--;
        fl_text_append_bytes(out, text, printed);
        fl_text_append(out, "\n%*s", (int)indent, "");
        text += piece;
        length -= piece;
        for (; length > 0 && *text == ' '; length--)
            text++;
        room = out->columns > indent ? out->columns - indent : 1;
    }
    fl_text_append_bytes(out, text, length);
}

void fl_text_fit(fl_text *text)
{
    fl_text fitted = {.columns = text->columns};
    if (text->columns == 0 || text->failed || text->length == 0)
        return;
    for (const char *line = text->data, *end = text->data + text->length; line < end;) {
        size_t length = strcspn(line, "\n"), indent = strspn(line, " ");
        size_t more = indent + 2 < text->columns / 2 ? indent + 2 : text->columns / 2;
        indent = indent < length ? indent : length;
        fl_text_append_bytes(&fitted, line, indent);
        fl_line_append(&fitted, line + indent, length - indent, indent, more);
        line += length;
        if (*line == '\n')
            fl_text_append_bytes(&fitted, line++, 1);
    }
    fl_text_clear(text);
    *text = fitted;
}
