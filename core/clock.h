/* Time. */
#ifndef FL_CORE_CLOCK_H
#define FL_CORE_CLOCK_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds of a clock that never goes back. */
double fl_seconds_now(void);

/* The present as `2026-01-31T23:59:59Z`. */
void fl_time_stamp(char out[32]);

#ifdef __cplusplus
}
#endif
#endif
