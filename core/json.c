#include "core/core.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

enum { JSON_DEPTH_MAX = 64 };

static fl_status fail_at(fl_error *error, const char *where, const char *text, const char *at, const char *what)
{
    unsigned line = 1, column = 1;
    for (const char *c = text; c < at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return fl_fail(error, FL_ERR_INVALID, "%s: line %u, column %u: %s", where, line, column, what);
}

/* cJSON recurses once a level, takes any bytes inside strings, and ends a string at an escaped
 * NUL: all of it is checked before it sees the text. Each returns NULL or the first byte that is
 * not wanted. */
static const char *find_too_deep(const char *text, size_t length)
{
    int depth = 0;
    bool inside = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (inside) {
            if (c == '\\')
                i++;
            else if (c == '"')
                inside = false;
        } else if (c == '"') {
            inside = true;
        } else if (c == '{' || c == '[') {
            if (++depth > JSON_DEPTH_MAX)
                return text + i;
        } else if (c == '}' || c == ']') {
            depth--;
        }
    }
    return NULL;
}

/* Length of the UTF-8 sequence at c, 0 if it is none (overlong forms, surrogates and values
 * above U+10FFFF are none). */
static size_t utf8_length(const unsigned char *c, size_t left)
{
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
        bool valid = value >= shapes[size - 1].least && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
        return valid ? size : 0;
    }
    return 0;
}

static const char *find_bad_utf8(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t size = text[i] ? utf8_length((const unsigned char *)text + i, length - i) : 0;
        if (size == 0)
            return text + i;
        i += size;
    }
    return NULL;
}

static const char *find_escaped_nul(const char *text, size_t length)
{
    for (size_t i = 0; i + 6 <= length; i++) {
        if (memcmp(text + i, "\\u0000", 6) == 0)
            return text + i;
        i += text[i] == '\\'; /* an escaped backslash does not escape what follows */
    }
    return NULL;
}

static const char *find_duplicate_key(const cJSON *item)
{
    for (const cJSON *child = item->child; child; child = child->next) {
        if (cJSON_IsObject(item))
            for (const cJSON *later = child->next; later; later = later->next)
                if (strcmp(child->string, later->string) == 0)
                    return child->string;
        const char *deeper = find_duplicate_key(child);
        if (deeper)
            return deeper;
    }
    return NULL;
}

fl_status fl_json_parse(cJSON **out, const char *text, size_t length, const char *where, fl_error *error)
{
    const char *bad = find_bad_utf8(text, length);
    if (bad)
        return fail_at(error, where, text, bad, "not UTF-8 text");
    bad = find_escaped_nul(text, length);
    if (bad)
        return fail_at(error, where, text, bad, "\\u0000 cannot stand in a text here");
    bad = find_too_deep(text, length);
    if (bad)
        return fail_at(error, where, text, bad, "nested more than 64 levels deep");
    const char *end = text;
    cJSON *json = cJSON_ParseWithLengthOpts(text, length + 1, &end, 1);
    if (!json) {
        bool truncated = end >= text + length || strspn(end, " \t\r\n") >= (size_t)(text + length - end);
        return fail_at(error, where, text, end, truncated ? "the JSON text ends too early" : "not valid JSON here");
    }
    const char *twice = find_duplicate_key(json);
    if (twice) {
        fl_status status = fl_fail(error, FL_ERR_INVALID, "%s: the key '%.100s' stands twice in one object", where, twice);
        cJSON_Delete(json);
        return status;
    }
    *out = json;
    return FL_OK;
}

fl_status fl_json_check_keys(const cJSON *object, const char *const *keys, const char *where, fl_error *error)
{
    for (const cJSON *child = object->child; child; child = child->next) {
        bool known = false;
        for (const char *const *key = keys; *key; key++)
            known |= strcmp(*key, child->string) == 0;
        if (known)
            continue;
        const char *nearest = fl_text_nearest(child->string, keys);
        if (nearest)
            return fl_fail(error, FL_ERR_INVALID, "%s: unknown key '%.100s'; did you mean '%s'?", where, child->string, nearest);
        fl_text all = {0};
        for (const char *const *key = keys; *key; key++)
            fl_text_append(&all, "%s%s", all.length ? ", " : "", *key);
        fl_status status = fl_fail(error, FL_ERR_INVALID, "%s: unknown key '%.100s'; valid keys are %s", where, child->string,
                                   all.failed ? "?" : all.data);
        fl_text_clear(&all);
        return status;
    }
    return FL_OK;
}

fl_status fl_json_u64(uint64_t *out, const cJSON *item, const char *where, fl_error *error)
{
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    /* 2^53 itself is refused: 2^53 + 1 reads as the same number. */
    if (!(value >= 0 && value < 9007199254740992.0 && floor(value) == value)) {
        char shown[40] = "something else";
        if (cJSON_IsNumber(item))
            snprintf(shown, sizeof shown, "%.17g", value);
        return fl_fail(error, FL_ERR_INVALID, "%s: expected a whole number from 0 to 2^53 - 1, not %s", where, shown);
    }
    *out = (uint64_t)value;
    return FL_OK;
}

void fl_json_append_string(fl_text *text, const char *value)
{
    fl_text_append_bytes(text, "\"", 1);
    for (const char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\')
            fl_text_append(text, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            fl_text_append(text, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            fl_text_append_bytes(text, c, 1);
    }
    fl_text_append_bytes(text, "\"", 1);
}
