/* Workloads as text (docs/workloads.md):
 *
 *   faultline workload 1
 *   processes 4
 *   0 0 1 1024
 *   1 1 2 1024 delay 50 after 0
 *
 * A message a line: id, source, destination, bytes. Messages may come after later lines. */
#include "sim/workload/private.h"

#include "core/array.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct token {
    const char *text;
    size_t length;
} token;

/* Message `later` comes after the message with that id. */
typedef struct relation {
    uint64_t id;
    uint32_t later;
} relation;

typedef struct reader {
    const char *where;
    const char *at, *end; /* of the text that is left; `line_end` of the line under way */
    const char *line_end;
    uint64_t line;
    fl_error *error;
    fl_sim_builder builder;
    char name[FL_SIM_NAME_MAX];
    uint64_t processes;
    uint64_t *id, *line_of; /* [message_room] by message */
    uint64_t message_room;
    FL_ARRAY(relation) relations;
} reader;

#define FAIL(r, ...) fail_at(r, (r)->line, __VA_ARGS__)
static fl_status fail_at(reader *r, uint64_t line, const char *format, ...) FL_PRINTF(3, 4);

static fl_status fail_at(reader *r, uint64_t line, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fl_fail(r->error, FL_ERR_INVALID, "%.300s, line %llu: %s", r->where,
                   (unsigned long long)line, text);
}

/* ---- words ---- */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of the line; an empty one at its end, where a comment begins too. */
static token next_word(reader *r)
{
    while (r->at < r->line_end && is_space(*r->at))
        r->at++;
    const char *start = r->at;
    if (start < r->line_end && *start == '#')
        return (token){start, 0};
    while (r->at < r->line_end && !is_space(*r->at))
        r->at++;
    return (token){start, (size_t)(r->at - start)};
}

/* The next line that has a word; false at the end of the text. */
static bool next_line(reader *r, token *first)
{
    while (
        r->line_end < r->end &&
        !(r->line > 0 && r->line_end + 1 == r->end)) { /* no line begins behind the last newline */
        r->at = r->line == 0 ? r->line_end : r->line_end + 1;
        const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->line_end = newline ? newline : r->end;
        r->line++;
        *first = next_word(r);
        if (first->length > 0)
            return true;
    }
    return false;
}

static bool is_word(token t, const char *word)
{
    return t.length == strlen(word) && memcmp(t.text, word, t.length) == 0;
}

static bool to_number(token t, uint64_t *out)
{
    char digits[24];
    if (t.length == 0 || t.length >= sizeof digits)
        return false;
    for (size_t i = 0; i < t.length; i++)
        if (t.text[i] < '0' || t.text[i] > '9')
            return false;
    memcpy(digits, t.text, t.length);
    digits[t.length] = 0;
    return fl_text_to_u64(digits, out);
}

static int shown(token t)
{
    return t.length > 40 ? 40 : (int)t.length;
}

static fl_status read_number(reader *r, token t, const char *what, uint64_t least, uint64_t most,
                             uint64_t *out)
{
    if (t.length == 0)
        return FAIL(
            r,
            "the %s is missing; a message is: id source destination bytes [delay CYCLES] [after ID...]",
            what);
    if (!to_number(t, out) || *out < least || *out > most)
        return FAIL(r, "the %s must be a whole number from %llu to %llu, not '%.*s'", what,
                    (unsigned long long)least, (unsigned long long)most, shown(t), t.text);
    return FL_OK;
}

/* ---- the head ---- */

static fl_status read_first_line(reader *r)
{
    token words[3] = {{NULL, 0}};
    if (!next_line(r, &words[0]))
        return fail_at(r, 1, "it is empty; the first line must be 'faultline workload 1'");
    words[1] = next_word(r);
    words[2] = next_word(r);
    if (!is_word(words[0], "faultline") || !is_word(words[1], "workload") || words[2].length == 0 ||
        next_word(r).length > 0)
        return FAIL(r, "the first line must be 'faultline workload 1'");
    if (!is_word(words[2], "1"))
        return FAIL(r, "this is version '%.*s' of the format; version 1 can be read",
                    shown(words[2]), words[2].text);
    return FL_OK;
}

/* The rest of the line, without a comment and the spaces at its ends. A '#' within a word is part
 * of it, as in other lines. */
static fl_status read_name(reader *r)
{
    while (r->at < r->line_end && is_space(*r->at))
        r->at++;
    const char *end = r->at;
    while (end < r->line_end && !(*end == '#' && is_space(end[-1])))
        end++;
    while (end > r->at && is_space(end[-1]))
        end--;
    size_t length = (size_t)(end - r->at);
    if (r->name[0])
        return FAIL(r, "a second name; the first was '%s'", r->name);
    if (length == 0 || length >= sizeof r->name)
        return FAIL(r, "the name has %zu bytes; it must have 1 to %d", length, FL_SIM_NAME_MAX - 1);
    for (size_t i = 0; i < length;) {
        size_t bytes = fl_text_utf8_length(r->at + i, length - i);
        if (bytes == 0 || (unsigned char)r->at[i] < 32 || r->at[i] == 127)
            return FAIL(r, "the name has a byte, %u, that is not text", (unsigned char)r->at[i]);
        i += bytes;
    }
    memcpy(r->name, r->at, length);
    fl_error reason;
    return fl_text_check_label(r->name, "the name", &reason) ? FAIL(r, "%s", reason.text) : FL_OK;
}

static fl_status read_processes(reader *r)
{
    if (r->processes)
        return FAIL(r, "'processes' stands here for the second time");
    fl_status status =
        read_number(r, next_word(r), "number of processes", 2, FL_SIM_NODE - 1, &r->processes);
    token more = next_word(r);
    if (!status && more.length > 0)
        status = FAIL(r, "'%.*s' after the number of processes", shown(more), more.text);
    return status;
}

/* ---- messages ---- */

static fl_status out_of_memory(reader *r)
{
    return fl_fail(r->error, FL_ERR_MEMORY, "out of memory for the messages of %.300s", r->where);
}

static fl_status note_message(reader *r, uint32_t m, uint64_t id)
{
    if (m >= r->message_room) {
        uint64_t room = r->message_room ? r->message_room + r->message_room / 2 : 64;
        if (!FL_RESIZE(&r->id, room) || !FL_RESIZE(&r->line_of, room))
            return out_of_memory(r);
        r->message_room = room;
    }
    r->id[m] = id;
    r->line_of[m] = r->line;
    return FL_OK;
}

static fl_status note_relation(reader *r, uint32_t m, uint64_t id)
{
    if (r->relations.count >= UINT32_MAX)
        return FAIL(r, "more than 2^32 - 1 messages to come after, in all");
    return FL_ARRAY_PUSH(&r->relations, (relation){id, m}) ? FL_OK : out_of_memory(r);
}

static fl_status read_after(reader *r, uint32_t m)
{
    fl_status status = FL_OK;
    unsigned count = 0;
    for (token t; !status && (t = next_word(r)).length > 0; count++) {
        uint64_t id;
        if (!to_number(t, &id))
            return FAIL(r, "'after' names messages by their ids, whole numbers; '%.*s' is none",
                        shown(t), t.text);
        status = note_relation(r, m, id);
    }
    if (!status && count == 0)
        status = FAIL(r, "'after' names no message");
    return status;
}

static fl_status read_message(reader *r, token first)
{
    uint64_t id, source, destination, bytes, delay = 0;
    if (!r->processes)
        return FAIL(r, "the line 'processes N' must come before the messages");
    fl_status status;
    if ((status = read_number(r, first, "id", 0, UINT64_MAX, &id)) ||
        (status = read_number(r, next_word(r), "source", 0, r->processes - 1, &source)) ||
        (status = read_number(r, next_word(r), "destination", 0, r->processes - 1, &destination)) ||
        (status = read_number(r, next_word(r), "number of bytes", 1, UINT32_MAX, &bytes)))
        return status;
    if (source == destination)
        return FAIL(r, "message %llu goes from process %llu to itself; that takes no network",
                    (unsigned long long)id, (unsigned long long)source);
    uint32_t m = fl_sim_builder_message(&r->builder, (uint32_t)source, (uint32_t)destination,
                                        (uint32_t)bytes);
    if (r->builder.too_many)
        return FAIL(r, "more than %u messages", FL_SIM_MESSAGES_MAX);
    if (r->builder.out_of_memory)
        return out_of_memory(r);
    if ((status = note_message(r, m, id)))
        return status;
    token word = next_word(r);
    if (is_word(word, "delay")) {
        if ((status = read_number(r, next_word(r), "delay", 0, FL_SIM_CYCLES_MAX, &delay)))
            return status;
        fl_sim_builder_delay(&r->builder, m, (uint32_t)delay);
        word = next_word(r);
    }
    if (is_word(word, "after"))
        return read_after(r, m);
    if (word.length > 0)
        return FAIL(r, "'%.*s' after the %s; there may be 'delay CYCLES', then 'after ID...'",
                    shown(word), word.text, delay ? "delay" : "bytes");
    return FL_OK;
}

static fl_status read_line(reader *r, token first)
{
    if (is_word(first, "processes"))
        return read_processes(r);
    if (is_word(first, "name"))
        return read_name(r);
    if (first.text[0] < '0' || first.text[0] > '9')
        return FAIL(
            r, "a line begins with 'name', 'processes', '#' or the id of a message, not '%.*s'",
            shown(first), first.text);
    return read_message(r, first);
}

/* ---- which message is meant ---- */

typedef struct entry {
    uint64_t id;
    uint32_t message;
} entry;

static int by_id(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->message < y->message ? -1 : x->message > y->message;
}

static bool ids_are_places(const reader *r, uint32_t count)
{
    for (uint32_t m = 0; m < count; m++)
        if (r->id[m] != m)
            return false;
    return true;
}

/* Ids in their order; NULL where they are 0, 1, 2, ... */
static fl_status sort_ids(reader *r, entry **out, uint32_t count)
{
    *out = NULL;
    if (ids_are_places(r, count))
        return FL_OK;
    entry *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return out_of_memory(r);
    for (uint32_t m = 0; m < count; m++)
        sorted[m] = (entry){r->id[m], m};
    qsort(sorted, count, sizeof *sorted, by_id);
    for (uint32_t i = 1; i < count; i++)
        if (sorted[i].id == sorted[i - 1].id) {
            uint64_t line = r->line_of[sorted[i].message],
                     earlier = r->line_of[sorted[i - 1].message], id = sorted[i].id;
            free(sorted);
            return fail_at(r, line, "message %llu is there already, in line %llu: ids must differ",
                           (unsigned long long)id, (unsigned long long)earlier);
        }
    *out = sorted;
    return FL_OK;
}

static uint32_t find_id(const entry *sorted, uint32_t count, uint64_t id)
{
    if (!sorted)
        return id < count ? (uint32_t)id : UINT32_MAX;
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && sorted[low].id == id ? sorted[low].message : UINT32_MAX;
}

static fl_status check_relation(reader *r, uint32_t m, uint32_t earlier)
{
    const fl_sim_workload *w = r->builder.workload;
    unsigned long long id = r->id[m], other = r->id[earlier];
    if (m == earlier)
        return fail_at(r, r->line_of[m], "message %llu comes after itself", id);
    if (!fl_sim_knows(w, w->source[m], earlier))
        return fail_at(
            r, r->line_of[m],
            "message %llu leaves process %u, which neither sends nor receives message %llu (from %u to %u): a process "
            "can wait only for what it knows of",
            id, w->source[m], other, w->source[earlier], w->destination[earlier]);
    return FL_OK;
}

static fl_status resolve(reader *r)
{
    uint32_t count = r->builder.workload->count;
    entry *sorted;
    fl_status status = sort_ids(r, &sorted, count);
    for (size_t i = 0; i < r->relations.count && !status; i++) {
        uint64_t id = r->relations.data[i].id;
        uint32_t earlier = find_id(sorted, count, id), m = r->relations.data[i].later;
        if (earlier == UINT32_MAX)
            status = fail_at(r, r->line_of[m],
                             "message %llu comes after message %llu, which there is not",
                             (unsigned long long)r->id[m], (unsigned long long)id);
        else if (!(status = check_relation(r, m, earlier)))
            fl_sim_builder_after(&r->builder, m, earlier);
    }
    free(sorted);
    return status;
}

/* ---- do they wait for each other in a circle? ---- */

static fl_status name_circle(reader *r, const fl_sim_workload *w, const uint32_t *missing,
                             uint32_t start)
{
    /* From a message that never becomes ready to one that it waits for: after `count` steps that is
     * in a circle. */
    enum { NAMED_MAX = 12 };
    uint32_t at = start;
    fl_text text = {0};
    for (uint32_t steps = 0; steps < w->count; steps++)
        for (uint32_t j = w->after_first[at]; j < w->after_first[at + 1]; j++)
            if (missing[w->after[j]] > 0) {
                at = w->after[j];
                break;
            }
    uint32_t first = at, length = 0;
    do {
        if (length < NAMED_MAX)
            fl_text_append(&text, "%llu (line %llu), ", (unsigned long long)r->id[at],
                           (unsigned long long)r->line_of[at]);
        else if (length == NAMED_MAX)
            fl_text_append(&text, "..., ");
        length++;
        for (uint32_t j = w->after_first[at]; j < w->after_first[at + 1]; j++)
            if (missing[w->after[j]] > 0) {
                at = w->after[j];
                break;
            }
    } while (at != first);
    fl_status status =
        fail_at(r, r->line_of[first], "%u messages come after each other in a circle: %s%llu again",
                length, text.data ? text.data : "", (unsigned long long)r->id[first]);
    fl_text_clear(&text);
    return status;
}

/* Takes away, one after the other, messages that come after none that is left. What cannot be taken
 * away is in a circle, or waits for one. */
static fl_status check_circles(reader *r, const fl_sim_workload *w)
{
    if (!w->after)
        return FL_OK;
    uint32_t *missing = malloc(w->count * sizeof *missing),
             *ready = malloc(w->count * sizeof *ready), done = 0, count = 0;
    fl_status status = missing && ready ? FL_OK : out_of_memory(r);
    for (uint32_t m = 0; m < w->count && !status; m++) {
        missing[m] = w->after_first[m + 1] - w->after_first[m];
        if (missing[m] == 0)
            ready[count++] = m;
    }
    for (; done < count && !status; done++)
        for (uint32_t j = w->next_first[ready[done]]; j < w->next_first[ready[done] + 1]; j++)
            if (--missing[w->next[j]] == 0)
                ready[count++] = w->next[j];
    for (uint32_t m = 0; m < w->count && !status && count < w->count; m++)
        if (missing[m] > 0)
            status = name_circle(r, w, missing, m);
    free(missing);
    free(ready);
    return status;
}

static fl_status check_named_twice(reader *r, const fl_sim_workload *w)
{
    for (uint32_t m = 0; w->after && m < w->count; m++)
        for (uint32_t j = w->after_first[m] + 1; j < w->after_first[m + 1]; j++)
            if (w->after[j] == w->after[j - 1])
                return fail_at(r, r->line_of[m], "message %llu comes after message %llu twice",
                               (unsigned long long)r->id[m],
                               (unsigned long long)r->id[w->after[j]]);
    return FL_OK;
}

/* ---- reading ---- */

static fl_status read_all(reader *r, fl_sim_workload **out)
{
    token first;
    fl_status status = read_first_line(r);
    while (!status && next_line(r, &first))
        status = read_line(r, first);
    if (!status && r->builder.workload->count == 0)
        status = FAIL(r, "it has no messages");
    if (!status)
        status = resolve(r);
    if (status)
        return status;
    fl_sim_workload *w;
    r->builder.workload->processes = (uint32_t)r->processes;
    snprintf(r->builder.workload->name, sizeof r->builder.workload->name, "%s",
             r->name[0] ? r->name : "trace");
    status = fl_sim_builder_end(&r->builder, &w, r->error);
    if (status)
        return status;
    status = check_named_twice(r, w);
    if (!status)
        status = check_circles(r, w);
    if (status) {
        fl_sim_workload_destroy(w);
        return status;
    }
    if (!ids_are_places(r, w->count)) {
        w->id = r->id;
        r->id = NULL;
    }
    *out = w;
    return FL_OK;
}

fl_status fl_sim_workload_parse(fl_sim_workload **out, const char *text, size_t length,
                                const char *where, fl_error *error)
{
    reader r = {.where = where, .at = text, .end = text + length, .line_end = text, .error = error};
    fl_sim_builder_begin(&r.builder, 0, "trace");
    fl_status status = r.builder.workload ? read_all(&r, out) : out_of_memory(&r);
    fl_sim_builder_clear(&r.builder);
    free(r.id);
    free(r.line_of);
    FL_ARRAY_CLEAR(&r.relations);
    return status;
}

/* ---- writing ---- */

static unsigned put_number(char *to, uint64_t value)
{
    char digits[20];
    unsigned count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    for (unsigned i = 0; i < count; i++)
        to[i] = digits[count - 1 - i];
    return count;
}

/* By hand: an all-to-all has millions of lines. */
static void write_message(const fl_sim_workload *w, uint32_t place, fl_text *out)
{
    fl_sim_message m = fl_sim_workload_message(w, place);
    const uint64_t numbers[] = {m.id, m.source, m.destination, m.bytes};
    char line[128];
    unsigned length = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0)
            line[length++] = ' ';
        length += put_number(line + length, numbers[i]);
    }
    fl_text_append_bytes(out, line, length);
    if (m.delay > 0)
        fl_text_append(out, " delay %u", m.delay);
    for (uint32_t i = 0; i < m.after_count; i++)
        fl_text_append(out, "%s %llu", i == 0 ? " after" : "",
                       (unsigned long long)(w->id ? w->id[m.after[i]] : m.after[i]));
    fl_text_append_bytes(out, "\n", 1);
}

static void write_head(const fl_sim_workload *w, fl_text *out)
{
    fl_text_append(
        out,
        "faultline workload 1\nname %s\nprocesses %u\n# id source destination bytes [delay CYCLES] [after ID...]\n",
        w->name, w->processes);
}

void fl_sim_workload_write(const fl_sim_workload *w, fl_text *out)
{
    fl_sim_workload_write_some(w, 0, w->count, out);
}

uint32_t fl_sim_workload_write_some(const fl_sim_workload *w, uint32_t first, uint32_t count,
                                    fl_text *out)
{
    uint32_t left = w->count - (first < w->count ? first : w->count);
    count = count < left ? count : left;
    if (first == 0)
        write_head(w, out);
    for (uint32_t m = first; m < first + count && !out->failed; m++)
        write_message(w, m, out);
    return count;
}
