/* The texts of contract violations. */
#include "faults/violation.h"

const char *fl_violation_text(fl_violation violation)
{
#define TEXT(name, text) [name] = text,
    static const char *const texts[FL_VIOLATION_KINDS] = {FL_VIOLATIONS(TEXT)};
    return texts[violation];
}
