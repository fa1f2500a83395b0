/* Networks and the names of their vertices, links and classes. The first line is a network spec;
 * every other line is tried as a label, a link, a link class and a router. Accepted input comes
 * back unchanged from its canonical form. */
#define _POSIX_C_SOURCE 200809L

#include "fuzz.h"
#include "routing/routing.h"

#include <string.h>

const char *const fuzz_tokens[] = {"mikant:k=3,n=3",
                                   "kary-ntree:k=16,n=3",
                                   "k=",
                                   "n=",
                                   ",",
                                   ":",
                                   "=",
                                   "\n",
                                   "<",
                                   ">",
                                   "<0,",
                                   ".",
                                   "-",
                                   " ",
                                   "<0,0,00>",
                                   "<1,1,22>",
                                   "<0,000>",
                                   "<0,1.15>",
                                   "node-links",
                                   "level-0-links",
                                   "cross-links",
                                   "shortest",
                                   "gns",
                                   "gdl",
                                   "three-turn",
                                   "x-turns",
                                   "adaptive-up",
                                   "+",
                                   "clos:k=2,n=3",
                                   "thintree:k=4,up=2,n=3",
                                   "cat:k=3,n=2",
                                   "micat:k=2,n=3",
                                   "fattree3:K=4",
                                   "mesh:k=4,n=2,p=2",
                                   "torus:k=3,n=3",
                                   "fbfly:k=12,n=2",
                                   "hypercube:k=5",
                                   "kns:k=4,n=2,s=2,sub=fattree",
                                   "kns:k=4,n=2,s=2,sub=ruft",
                                   "dragonfly:a=4,wiring=palmtree",
                                   "clique:m=3,r=5",
                                   "xyclique:m=9,r=6",
                                   "star:r=4",
                                   "biclique:m1=2,m2=3,r=5",
                                   "polarity:q=4,r=6",
                                   "wk:K=3,L=2,r=4",
                                   "rdn:k=1,B=3,r=5",
                                   "random:n=9,m=4,r=6,seed=1",
                                   "erdos-renyi:m=9,probability=0.5",
                                   "configuration:m=9,degrees=3:2+4",
                                   "watts-strogatz:m=9,k=4,rewire=0.3",
                                   "scale-free:m=40,gamma=2.5",
                                   "barabasi-albert:m=9,k=2",
                                   "grid-graph:k=4,degree=3,length=2,steps=9",
                                   ",nodes=7",
                                   "<1,2,3>",
                                   "<0,12,001>",
                                   "<1,1,001,2>",
                                   "<1,0,1,1>",
                                   "<2,1>",
                                   "<11>",
                                   "<1,111>",
                                   "<3.11>",
                                   "file:",
                                   NULL};

/* Stored networks must not be built with large numbers here. Files are left to other tests. */
static bool may_be_stored(const char *spec)
{
    static const char *const never[] = {
        "mikant:",    "kary-ntree:", "clos:",      "thintree:", "cat:",
        "micat:",     "fattree3:",   "mesh:",      "torus:",    "fbfly:",
        "hypercube:", "kns:",        "dragonfly:", "clique:",   "xyclique:"};
    if (strncmp(spec, "file:", 5) == 0)
        return true;
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (strncmp(spec, never[i], strlen(never[i])) == 0)
            return false;
    for (const char *c = spec; *c; c++)
        if (strspn(c, "0123456789") > 2)
            return true;
    return false;
}

static void check_address(const fl_network *network, fl_address address)
{
    char label[FL_LABEL_MAX];
    fl_address back;
    bool node = fl_address_is_node(address);
    uint64_t index = node ? network->type->node_index(network, address)
                          : network->type->switch_index(network, address);
    MUST_HOLD(index < (node ? network->nodes : network->switches));
    MUST_HOLD((node ? network->type->node_address(network, index)
                    : network->type->switch_address(network, index)) == address);
    network->type->label(network, address, label, sizeof label);
    MUST_HOLD(network->type->parse_label(network, label, &back) && back == address);
    for (unsigned port = 0; port < (node ? 1 : network->radix); port++) {
        fl_hop hop, way_back;
        if (!fl_network_step(network, address, (fl_port)port, &hop) || network->one_way)
            continue;
        fl_link_ends ends;
        MUST_HOLD(hop.link < network->link_codes);
        network->type->link_ends(network, hop.link, &ends);
        MUST_HOLD((ends.a == address && ends.b == hop.to) ||
                  (ends.b == address && ends.a == hop.to));
        MUST_HOLD(fl_network_step(network, hop.to, ends.a == address ? ends.port_b : ends.port_a,
                                  &way_back));
        MUST_HOLD(way_back.to == address && way_back.link == hop.link);
        if (port == 8)
            port = network->radix - 2; /* the last one, in networks with many */
    }
}

static void check_link(const fl_network *network, fl_link link)
{
    char name[2 * FL_LABEL_MAX + 2], second[FL_LABEL_MAX];
    fl_link_ends ends;
    fl_link back;
    fl_error error;
    MUST_HOLD(link < network->link_codes);
    uint64_t index = network->type->link_index(network, link);
    MUST_HOLD(index < network->links && network->type->link_code(network, index) == link);
    MUST_HOLD(network->type->link_class(network, link) < network->classes);
    network->type->link_ends(network, link, &ends);
    network->type->label(network, ends.a, name, FL_LABEL_MAX);
    network->type->label(network, ends.b, second, sizeof second);
    strcat(strcat(name, "-"), second);
    MUST_HOLD(fl_network_parse_link(network, name, &back, &error) == FL_OK && back == link);
}

static void check_class(const fl_network *network, unsigned class)
{
    char name[64];
    unsigned back;
    fl_error error;
    MUST_HOLD(class < network->classes);
    network->type->class_name(network, class, name, sizeof name);
    MUST_HOLD(fl_network_parse_class(network, name, &back, &error) == FL_OK && back == class);
}

static void try_line(const fl_network *network, const char *line)
{
    fl_address address;
    fl_link link;
    unsigned class;
    fl_router *router;
    fl_error error = {.text = ""};
    if (network->type->parse_label(network, line, &address))
        check_address(network, address);
    if (fl_network_parse_link(network, line, &link, &error) == FL_OK)
        check_link(network, link);
    else
        MUST_HOLD(error.text[0]);
    if (fl_network_parse_class(network, line, &class, &error) == FL_OK)
        check_class(network, class);
    if (fl_router_create(&router, network, line, FL_SCOPE_DETOUR, &error) == FL_OK) {
        uint64_t bound = fl_router_length_bound(router); /* 0: unknown */
        MUST_HOLD(bound != 1);
        fl_router_destroy(router);
    }
}

static void check_network(const fl_network *network)
{
    fl_network *again;
    fl_error error;
    MUST_HOLD(fl_network_create(&again, network->spec, &error) == FL_OK);
    MUST_HOLD(strcmp(again->spec, network->spec) == 0 && again->links == network->links &&
              again->nodes == network->nodes);
    fl_network_destroy(again);
    MUST_HOLD(network->nodes >= 2 && network->links >= network->nodes &&
              network->link_codes >= network->links);
    uint64_t of_classes = 0;
    for (unsigned class = 0; class < network->classes; class ++)
        of_classes += network->type->class_size(network, class);
    MUST_HOLD(of_classes == network->links);
    check_address(network, network->type->node_address(network, network->nodes - 1));
    check_address(network, network->type->switch_address(network, network->switches - 1));
    check_link(network, network->type->link_code(network, network->links - 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_network *network = NULL;
    fl_error error = {.text = ""};
    char *text = fuzz_text(data, size);
    char *line = strchr(text, '\n');
    if (line)
        *line++ = 0;
    if (may_be_stored(text)) {
        free(text);
        return 0;
    }
    if (fl_network_create(&network, text, &error) == FL_OK) {
        check_network(network);
        for (char *next; line; line = next) {
            next = strchr(line, '\n');
            if (next)
                *next++ = 0;
            try_line(network, line);
        }
        fl_network_destroy(network);
    } else {
        MUST_HOLD(!network && error.text[0]);
    }
    free(text);
    return 0;
}
