#include "core/core.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH_MAX = 64 };

static fl_status fail_at(fl_error *error, const char *where, const char *text, const char *at,
                         const char *what)
{
    unsigned line = 1, column = 1;
    for (const char *c = text; c < at; c++) {
        column = *c == '\n' ? 1 : column + 1;
        line += *c == '\n';
    }
    return fl_fail(error, FL_ERR_INVALID, "%s: line %u, column %u: %s", where, line, column, what);
}

static const char *find_bad_utf8(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t size = text[i] ? fl_text_utf8_length(text + i, length - i) : 0;
        if (size == 0)
            return text + i;
        i += size;
    }
    return NULL;
}

/* ---- what cJSON takes and RFC 8259 does not ----
 *
 * cJSON recurses once a level, ends a string at an escaped NUL, and takes numbers such as 010,
 * control characters between values and inside strings. The text is checked before it sees it. */

typedef struct scanner {
    const char *at, *end;
    const char *what; /* is wrong at `at`; NULL so far */
} scanner;

static bool wrong(scanner *s, const char *what)
{
    if (!s->what)
        s->what = s->at >= s->end ? "the JSON text ends too early" : what;
    return false;
}

static void skip_space(scanner *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at))
        s->at++;
}

static bool scan_one_of(scanner *s, const char *characters)
{
    if (s->at >= s->end || !strchr(characters, *s->at))
        return false;
    s->at++;
    return true;
}

static bool scan_figures(scanner *s)
{
    const char *start = s->at;
    while (scan_one_of(s, "0123456789"))
        ;
    return s->at > start || wrong(s, "a digit should stand here");
}

static bool scan_number(scanner *s)
{
    scan_one_of(s, "-");
    const char *start = s->at;
    if (!scan_figures(s))
        return false;
    if (*start == '0' && s->at > start + 1) {
        s->at = start;
        return wrong(s, "a number does not begin with 0");
    }
    if (scan_one_of(s, ".") && !scan_figures(s))
        return false;
    if (scan_one_of(s, "eE")) {
        scan_one_of(s, "+-");
        return scan_figures(s);
    }
    return true;
}

/* Four hexadecimal digits behind `\\u`. */
static bool scan_code(scanner *s, unsigned *code)
{
    static const char figures[] = "0123456789abcdef";
    *code = 0;
    for (int i = 0; i < 4; i++) {
        const char *figure = s->at < s->end && *s->at ? strchr(figures, *s->at | 0x20) : NULL;
        if (!figure || !*figure)
            return wrong(s, "four hexadecimal digits should stand here");
        *code = *code << 4 | (unsigned)(figure - figures);
        s->at++;
    }
    return true;
}

static bool scan_escape(scanner *s)
{
    unsigned code, low;
    if (scan_one_of(s, "\"\\/bfnrt"))
        return true;
    if (!scan_one_of(s, "u"))
        return wrong(s, "not an escape");
    if (!scan_code(s, &code))
        return false;
    if (code == 0)
        return wrong(s, "an escaped NUL cannot stand in a text here");
    if (code < 0xd800 || code > 0xdfff)
        return true;
    bool pair = code < 0xdc00 && scan_one_of(s, "\\") && scan_one_of(s, "u") &&
                scan_code(s, &low) && low >= 0xdc00 && low <= 0xdfff;
    return pair || wrong(s, "half of a surrogate pair");
}

static bool scan_string(scanner *s)
{
    if (!scan_one_of(s, "\""))
        return wrong(s, "a text in double quotes should stand here");
    while (s->at < s->end && *s->at != '"') {
        if ((unsigned char)*s->at < 0x20)
            return wrong(s, "a control character inside a text");
        if (*s->at++ == '\\' && !scan_escape(s))
            return false;
    }
    return scan_one_of(s, "\"") || wrong(s, "");
}

static bool scan_value(scanner *s, int depth);

/* `{...}` or `[...]`, behind its bracket. */
static bool scan_members(scanner *s, char close, int depth)
{
    const char closing[] = {close, 0};
    if (depth > JSON_DEPTH_MAX) {
        s->at--;
        return wrong(s, "nested more than 64 levels deep");
    }
    skip_space(s);
    if (scan_one_of(s, closing))
        return true;
    for (;;) {
        skip_space(s);
        if (close == '}') {
            if (!scan_string(s))
                return false;
            skip_space(s);
            if (!scan_one_of(s, ":"))
                return wrong(s, "a colon should stand here");
        }
        if (!scan_value(s, depth))
            return false;
        skip_space(s);
        if (scan_one_of(s, closing))
            return true;
        if (!scan_one_of(s, ","))
            return wrong(s, close == '}' ? "a comma or } should stand here"
                                         : "a comma or ] should stand here");
        skip_space(s);
        if (s->at < s->end && *s->at == close)
            return wrong(s, "a comma behind the last one");
    }
}

static bool scan_value(scanner *s, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    skip_space(s);
    if (scan_one_of(s, "{"))
        return scan_members(s, '}', depth + 1);
    if (scan_one_of(s, "["))
        return scan_members(s, ']', depth + 1);
    if (s->at < s->end && *s->at == '"')
        return scan_string(s);
    if (s->at < s->end && strchr("-0123456789", *s->at))
        return scan_number(s);
    for (int i = 0; i < 3; i++)
        if ((size_t)(s->end - s->at) >= strlen(words[i]) &&
            memcmp(s->at, words[i], strlen(words[i])) == 0) {
            s->at += strlen(words[i]);
            return true;
        }
    return wrong(s, "not valid JSON here");
}

static bool scan_text(scanner *s)
{
    if (!scan_value(s, 0))
        return false;
    skip_space(s);
    return s->at == s->end || wrong(s, "nothing should stand behind the value");
}

/* ---- duplicate keys ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A key that stands twice in this object, or NULL. */
static const char *find_twice(const cJSON *object, const char **keys)
{
    size_t count = 0;
    for (const cJSON *child = object->child; child; child = child->next)
        keys[count++] = child->string;
    if (count > 1)
        qsort(keys, count, sizeof *keys, compare_texts);
    for (size_t i = 1; i < count; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0)
            return keys[i];
    return NULL;
}

/* `keys` has room for the keys of any object in the text. */
static const char *find_duplicate_key(const cJSON *item, const char **keys)
{
    const char *twice = cJSON_IsObject(item) ? find_twice(item, keys) : NULL;
    for (const cJSON *child = item->child; child && !twice; child = child->next)
        twice = find_duplicate_key(child, keys);
    return twice;
}

fl_status fl_json_parse(cJSON **out, const char *text, size_t length, const char *where,
                        fl_error *error)
{
    const char *bad = find_bad_utf8(text, length);
    if (bad)
        return fail_at(error, where, text, bad, "not UTF-8 text");
    scanner s = {text, text + length, NULL};
    if (!scan_text(&s))
        return fail_at(error, where, text, s.at, s.what);
    cJSON *json = cJSON_ParseWithLength(text, length);
    const char **keys =
        malloc((length / 4 + 1) * sizeof *keys); /* a member takes four characters at least */
    if (!json || !keys) {
        cJSON_Delete(json);
        free(keys);
        return fl_fail(error, FL_ERR_MEMORY, "%s: out of memory", where);
    }
    const char *twice = find_duplicate_key(json, keys);
    free(keys);
    if (twice) {
        fl_status status = fl_fail(error, FL_ERR_INVALID,
                                   "%s: the key '%.100s' stands twice in one object", where, twice);
        cJSON_Delete(json);
        return status;
    }
    *out = json;
    return FL_OK;
}

fl_status fl_json_check_keys(const cJSON *object, const char *const *keys, fl_error *error)
{
    for (const cJSON *child = object->child; child; child = child->next) {
        unsigned ignored;
        fl_status status = fl_names_find(&ignored, keys, child->string, "key", error);
        if (status)
            return status;
    }
    return FL_OK;
}

fl_status fl_json_u64(uint64_t *out, const cJSON *item, const char *where, fl_error *error)
{
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    /* 2^53 itself is refused: 2^53 + 1 reads as the same number. */
    if (!(value >= 0 && value < 9007199254740992.0 && floor(value) == value)) {
        fl_text shown = {0};
        if (cJSON_IsNumber(item))
            fl_text_append_double(&shown, value);
        fl_status status =
            fl_fail(error, FL_ERR_INVALID, "%s: expected a whole number from 0 to 2^53 - 1, not %s",
                    where, shown.data ? shown.data : "something else");
        fl_text_clear(&shown);
        return status;
    }
    *out = (uint64_t)value;
    return FL_OK;
}

void fl_json_append_string(fl_text *text, const char *value)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    fl_text_append_bytes(text, "\"", 1);
    for (size_t left = strlen(value), size; left > 0; value += size, left -= size) {
        unsigned char c = (unsigned char)*value;
        size = fl_text_utf8_length(value, left);
        if (c == '"' || c == '\\')
            fl_text_append(text, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fl_text_append(text, "\\u%04x", (unsigned)c);
        else if (size > 0)
            fl_text_append_bytes(text, value, size);
        else
            fl_text_append_bytes(text, replacement, sizeof replacement - 1);
        size += size == 0;
    }
    fl_text_append_bytes(text, "\"", 1);
}
