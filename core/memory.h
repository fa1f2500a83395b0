/* How much memory there is. */
#ifndef FL_CORE_MEMORY_H
#define FL_CORE_MEMORY_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Refuses work that needs more memory than there is: FL_ERR_INVALID, naming both figures, when
 * `bytes` (an estimate) exceed the machine's memory, a resource limit or that of the control group.
 * `what` begins the text. */
fl_status fl_memory_check(double bytes, const char *what, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
