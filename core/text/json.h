/* JSON: strict reading, and strings with escapes. core/text/json_writer.h writes complete texts. */
#ifndef FL_CORE_JSON_H
#define FL_CORE_JSON_H

#include "core/text/text.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/* Parses a JSON text: refuses whatever RFC 8259 does not allow, duplicate keys in one object,
 * nesting deeper than 64 and escaped NULs, and says the line and column. Reads `length` bytes and
 * nothing behind them: the text needs no 0 at its end. The caller deletes *out. */
fl_status fl_json_parse(struct cJSON **out, const char *text, size_t length, const char *where,
                        fl_error *error);

/* Refuses keys of `object` that are not in `keys` (ended by NULL), naming the nearest valid one. */
fl_status fl_json_check_keys(const struct cJSON *object, const char *const *keys, fl_error *error);

/* Whole number 0..FL_JSON_U64_MAX: those that JSON can carry without becoming another. */
#define FL_JSON_U64_MAX (UINT64_C(9007199254740992) - 1) /* 2^53 - 1 */
fl_status fl_json_u64(uint64_t *out, const struct cJSON *item, const char *where, fl_error *error);

/* Appends a JSON string literal, quotes included. Every text that is not a constant of the program
 * goes through here into JSON: names of files and what plug-ins provide may hold quotes and control
 * characters. Bytes that are no UTF-8, which names that are read back never have (fl_text_is_utf8),
 * become U+FFFD. */
void fl_json_append_string(fl_text *text, const char *value);

#ifdef __cplusplus
}
#endif
#endif
