/* Labels that are lists of numbers: printing and reading. */
#include "topo/label.h"

#include <ctype.h>

void fl_label_print(const uint64_t *numbers, unsigned count, char *out, size_t size)
{
    size_t at = 0;
    for (unsigned i = 0; i < count; i++)
        at += (size_t)snprintf(out + at, size - at, "%c%llu", i ? ',' : '<',
                               (unsigned long long)numbers[i]);
    snprintf(out + at, size - at, ">");
}

unsigned fl_label_scan(const char *label, uint64_t *numbers, unsigned most)
{
    unsigned count = 0;
    char before = '<';
    while (*label == before) {
        uint64_t value = 0;
        unsigned length = 0;
        if (count == most)
            return 0;
        for (label++; isdigit((unsigned char)*label) && length < 18; length++)
            value = value * 10 + (uint64_t)(*label++ - '0');
        if (length == 0)
            return 0;
        numbers[count++] = value;
        before = ',';
    }
    return label[0] == '>' && label[1] == 0 ? count : 0;
}
