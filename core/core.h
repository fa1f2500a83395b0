/* core: what every other room stands on: status and error texts, random numbers,
 * statistics, text and file helpers, JSON reading with duplicate-key refusal.
 *
 * Nothing here knows about networks. The library never prints and never exits. */
#ifndef FL_CORE_CORE_H
#define FL_CORE_CORE_H

#include "core/clock.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/statistics.h"
#include "core/status.h"
#include "core/text/json.h"
#include "core/text/json_writer.h"
#include "core/text/lines.h"
#include "core/text/names.h"
#include "core/text/table.h"
#include "core/text/text.h"
#include "core/utf8.h"

#endif
