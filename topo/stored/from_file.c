/* A host-switch graph from a text file, in the format of the order/radix competition: a line
 * `n m r` (nodes, switches, radix), then one line `u v` a link. 0..n-1 are nodes, n..n+m-1
 * switches. Every node has exactly one link, to a switch. Empty lines, and lines that begin with
 * '#', mean nothing. */
#include "topo/stored/explicit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 28 };

typedef struct reader {
    const char *path, *at;
    uint64_t line;
} reader;

/* The numbers of the next line that has any; how many, or -1 if it is something else. 0: the end.
 */
static int read_line(reader *r, uint64_t *numbers, int most)
{
    while (*r->at) {
        int count = 0;
        r->line++;
        bool comment = *r->at == '#';
        while (*r->at && *r->at != '\n') {
            if (comment || isspace((unsigned char)*r->at)) {
                r->at++;
                continue;
            }
            uint64_t value = 0;
            int digits = 0;
            for (; isdigit((unsigned char)*r->at) && digits < 12; digits++)
                value = value * 10 + (uint64_t)(*r->at++ - '0');
            if (digits == 0 || digits == 12 || count == most ||
                (*r->at && !isspace((unsigned char)*r->at)))
                return -1;
            numbers[count++] = value;
        }
        r->at += *r->at == '\n';
        if (count > 0)
            return count;
    }
    return 0;
}

static fl_status bad_line(const reader *r, const char *what, fl_error *error)
{
    return fl_fail(error, FL_ERR_INVALID, "%s, line %llu: %s", r->path, (unsigned long long)r->line,
                   what);
}

static fl_status read_link(const reader *r, fl_explicit_graph *graph, const uint64_t *v,
                           fl_error *error)
{
    uint64_t n = graph->nodes, all = n + graph->switches, a = v[0] < v[1] ? v[0] : v[1],
             b = v[0] < v[1] ? v[1] : v[0];
    if (b >= all)
        return bad_line(r, "a number is beyond the last switch, n + m - 1", error);
    if (b < n)
        return bad_line(r, "two nodes are linked; a node can only be linked to a switch", error);
    if (a >= n) {
        fl_explicit_link(graph, (uint32_t)(a - n), (uint32_t)(b - n));
        return FL_OK;
    }
    if (graph->home[a] != UINT32_MAX)
        return bad_line(r, "a node has a second link; each has exactly one", error);
    graph->home[a] = (uint32_t)(b - n);
    return FL_OK;
}

static fl_status read_links(reader *r, fl_explicit_graph *graph, uint64_t most, fl_error *error)
{
    uint64_t v[2];
    int count;
    fl_status status = FL_OK;
    for (uint32_t node = 0; node < graph->nodes; node++)
        graph->home[node] = UINT32_MAX;
    while (!status && (count = read_line(r, v, 2)) != 0) {
        if (count != 2)
            status = bad_line(r, "expected a link, two whole numbers", error);
        else if (graph->links >= most)
            status = bad_line(r, "more links than m switches with r ports can have", error);
        else
            status = read_link(r, graph, v, error);
    }
    for (uint32_t node = 0; !status && node < graph->nodes; node++)
        if (graph->home[node] == UINT32_MAX)
            status = fl_fail(error, FL_ERR_INVALID, "%s: node %u has no link", r->path, node);
    return status;
}

static fl_status create(fl_network *network, const uint64_t *values, fl_error *error)
{
    (void)values;
    reader r = {.path = fl_network_text(network)};
    char *text;
    size_t length;
    uint64_t v[3];
    fl_status status = fl_file_read(&text, &length, r.path, FILE_MAX, error);
    if (status)
        return status;
    r.at = text;
    network->content = fl_text_hash(text, length);
    fl_explicit_graph graph = {0};
    uint64_t most = 0;
    if (read_line(&r, v, 3) != 3 || v[0] < 1 || v[1] < 1 || v[2] < 1 || v[2] > UINT16_MAX)
        status = fl_fail(
            error, FL_ERR_INVALID,
            "%s, line %llu: expected 'n m r': numbers of nodes and switches, and the radix (%d at most)",
            r.path, (unsigned long long)(r.line ? r.line : 1), UINT16_MAX);
    if (!status) {
        most = v[1] > UINT64_MAX / v[2] / 2 ? UINT64_MAX : v[1] * v[2] / 2;
        /* No more links than lines: a header alone cannot ask for memory. */
        most = most < length ? most : length;
        status = v[0] > length ? bad_line(&r, "there are fewer lines than nodes", error)
                               : fl_explicit_begin(&graph, network, v[0], v[1], most, error);
    }
    if (!status) {
        status = read_links(&r, &graph, most, error);
        if (status)
            fl_explicit_abandon(&graph);
        else
            status = fl_explicit_finish(network, &graph, (unsigned)v[2], error);
    }
    free(text);
    return status;
}

const fl_network_type fl_network_file = {
    .name = "file",
    .summary =
        "a host-switch graph from a file: a line 'n m r', then a line 'u v' a link; nodes 0..n-1, switches n..n+m-1",
    .source = "format of the order/radix competition (docs/networks.md)",
    .text = "PATH",
    .create = create,
    .closed_forms = fl_explicit_closed_forms,
    FL_EXPLICIT_FUNCTIONS,
};
