/* The state of a search in a file, to go on from. */
#include "experiments/search/private.h"

#include <string.h>

/* A header, the bytes of all chains, and a hash of both. A file may come from anywhere: every
 * number in it is checked before it is used. */
typedef struct header {
    char format[24], version[24];
    fl_search_spec spec;
    double seconds;
    uint64_t rounds_done;
    uint64_t start; /* hash of the network to begin with; 0: none */
} header;

static header header_of(const fl_search *search)
{
    header h;
    memset(&h, 0, sizeof h);
    snprintf(h.format, sizeof h.format, "faultline search 1\n");
    snprintf(h.version, sizeof h.version, "%s", FL_VERSION);
    h.spec = search->spec;
    h.seconds = search->seconds;
    h.rounds_done = search->rounds_done;
    h.start = search->start ? fl_text_hash(search->start->spec, strlen(search->start->spec)) ^
                                  search->start->content
                            : 0;
    return h;
}

void fl_search_checkpoint(const fl_search *search, const fl_text *chains, fl_text *out)
{
    header h = header_of(search);
    size_t start = out->length;
    fl_text_append_bytes(out, (const char *)&h, sizeof h);
    fl_text_append_bytes(out, chains->data, chains->length);
    out->failed |= chains->failed;
    if (out->failed)
        return;
    uint64_t hash = fl_text_hash(out->data + start, out->length - start);
    fl_text_append_bytes(out, (const char *)&hash, sizeof hash);
}

static bool same_spec(const fl_search_spec *a, const fl_search_spec *b)
{
    return a->hosts == b->hosts && a->radix == b->radix && a->switches == b->switches &&
           a->symmetry == b->symmetry && a->chains == b->chains && a->steps == b->steps &&
           a->seconds == b->seconds && a->hottest == b->hottest && a->coldest == b->coldest &&
           a->seed == b->seed;
}

static bool is_whole(const char *bytes, size_t length)
{
    uint64_t hash;
    if (length < sizeof(header) + sizeof hash)
        return false;
    memcpy(&hash, bytes + length - sizeof hash, sizeof hash);
    return hash == fl_text_hash(bytes, length - sizeof hash);
}

static bool is_size_of_spec(const fl_search *search, const fl_chain *chain)
{
    return chain->size.nodes == search->spec.hosts && chain->size.radix == search->spec.radix;
}

fl_status fl_search_resume(fl_search *search, const char *bytes, size_t length, fl_error *error)
{
    header h, own = header_of(search);
    if (!is_whole(bytes, length))
        return fl_fail(error, FL_ERR_INVALID,
                       "it is no complete checkpoint of a search (leave out --resume)");
    memcpy(&h, bytes, sizeof h);
    if (memcmp(h.format, own.format, sizeof h.format) != 0 ||
        memcmp(h.version, own.version, sizeof h.version) != 0)
        return fl_fail(error, FL_ERR_INVALID, "it was written by another program than Faultline %s",
                       FL_VERSION);
    if (!same_spec(&h.spec, &search->spec) || h.start != own.start)
        return fl_fail(error, FL_ERR_INVALID,
                       "it belongs to a search with other options (leave out --resume)");
    if (h.rounds_done >= FL_SEARCH_ROUNDS || !(h.seconds >= 0))
        return fl_fail(error, FL_ERR_INVALID, "it is no checkpoint of a search");
    const char *at = bytes + sizeof h, *end = bytes + length - sizeof(uint64_t);
    for (uint64_t c = 0; c < search->spec.chains; c++) {
        fl_chain passed,
            *chain = c % search->stride == search->first ? &search->chains[c] : &passed;
        size_t used;
        fl_status status = fl_chain_read(chain, at, (size_t)(end - at), &used, error);
        if (!status && !is_size_of_spec(search, chain))
            status = fl_fail(error, FL_ERR_INVALID, "a graph in it has other numbers");
        if (chain == &passed)
            fl_chain_clear(&passed);
        if (status)
            return status;
        at += used;
    }
    search->rounds_done = (unsigned)h.rounds_done;
    search->seconds = h.seconds;
    return FL_OK;
}
