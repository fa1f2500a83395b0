/* Bounds on the h-ASPL. */
#include "topo/search/bounds.h"

#include <math.h>

uint64_t fl_host_switch_hosts_max(uint64_t switches, uint64_t radix)
{
    uint64_t ports = switches * radix, links = switches > 0 ? 2 * (switches - 1) : 0;
    return ports > links ? ports - links : 0;
}

/* (radix - 1)^d, or `most` where that is larger. */
static uint64_t power(uint64_t radix, unsigned d, uint64_t most)
{
    uint64_t product = 1;
    while (d-- > 0 && product < most)
        product = product > most / (radix - 1) ? most : product * (radix - 1);
    return product < most ? product : most;
}

unsigned fl_host_switch_diameter_bound(uint64_t hosts, uint64_t radix)
{
    unsigned diameter = 2;
    while (hosts > radix && power(radix, diameter - 1, hosts) < hosts - 1)
        diameter++;
    return diameter;
}

/* A complete host-switch tree: from one host, all others are at the least diameter D, but for as
 * many at D - 1 as can stay there. */
double fl_host_switch_aspl_bound(uint64_t hosts, uint64_t radix)
{
    unsigned diameter = fl_host_switch_diameter_bound(hosts, radix);
    if (hosts <= radix)
        return 2;
    uint64_t nearer = power(radix, diameter - 2, hosts), beyond = hosts - 1 - nearer;
    uint64_t replaced = (beyond + radix - 3) / (radix - 2);
    return (double)diameter - (double)(nearer - replaced) / (double)(hosts - 1);
}

double fl_moore_bound(double vertices, double degree)
{
    double reached = 1, layer = degree, sum = 0;
    if (vertices <= 1)
        return 0;
    for (double distance = 1; reached < vertices; distance++) {
        if (!(layer > 0) || (degree <= 1 && distance > 1))
            return INFINITY;
        double next = fmin(layer, vertices - reached);
        sum += next * distance;
        reached += next;
        layer *= degree - 1;
        if (layer < 1e-9)
            layer = 0;
    }
    return sum / (vertices - 1);
}

double fl_host_switch_moore_bound(uint64_t hosts, uint64_t switches, uint64_t radix)
{
    double n = (double)hosts, m = (double)switches;
    if (switches == 1)
        return hosts <= radix ? 2 : INFINITY;
    if (switches == 0 || fl_host_switch_hosts_max(switches, radix) < hosts)
        return INFINITY;
    return fl_moore_bound(m, (double)radix - n / m) * (m * n - n) / (m * n - m) + 2;
}

uint64_t fl_host_switch_switches(uint64_t hosts, uint64_t radix)
{
    double best = INFINITY;
    uint64_t switches = 0;
    for (uint64_t m = 1; m <= hosts; m++) {
        double bound = fl_host_switch_moore_bound(hosts, m, radix);
        if (bound < best) {
            best = bound;
            switches = m;
        }
    }
    return switches;
}
