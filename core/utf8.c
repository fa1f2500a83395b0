/* UTF-8. */
#include "core/utf8.h"

#include <stdint.h>
#include <string.h>

size_t fl_text_utf8_length(const char *text, size_t left)
{
    const unsigned char *c = (const unsigned char *)text;
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } shapes[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t size = 1; size <= 4; size++) {
        if ((c[0] & shapes[size - 1].mask) != shapes[size - 1].lead)
            continue;
        if (size > left)
            return 0;
        uint32_t value = c[0] & (unsigned char)~shapes[size - 1].mask;
        for (size_t i = 1; i < size; i++) {
            if ((c[i] & 0xc0) != 0x80)
                return 0;
            value = value << 6 | (c[i] & 0x3f);
        }
        bool valid = value >= shapes[size - 1].least && value <= 0x10ffff &&
                     (value < 0xd800 || value > 0xdfff);
        return valid ? size : 0;
    }
    return 0;
}

bool fl_text_is_utf8(const char *text)
{
    size_t left = strlen(text), size = 0;
    for (; left > 0; text += size, left -= size)
        if ((size = fl_text_utf8_length(text, left)) == 0)
            return false;
    return true;
}

void fl_text_make_printable(char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        size_t length = fl_text_utf8_length(text, left);
        bool control = (unsigned char)*text < 0x20 && *text != '\n';
        if (length == 0 || control || *text == 0x7f) {
            *text = '?';
            length = 1;
        }
        text += length;
        left -= length;
    }
}
