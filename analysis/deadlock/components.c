/* The components of a fault model as dense numbers, and which of them are down. */
#include "analysis/deadlock/checker.h"

#include <stdlib.h>

uint32_t fl_checker_answer(fl_order *order, fl_link link)
{
    const checker *c = order->user;
    return c->down_count[fl_checker_link_index(c, link)] > 0 ? 0 : FL_NEVER_FAILS;
}

void fl_checker_set_component(checker *c, uint32_t component, bool down)
{
    for (uint32_t i = c->component_links_from[component];
         i < c->component_links_from[component + 1]; i++) {
        uint32_t link = c->component_links[i];
        c->down_count[link] += down ? 1 : UINT32_MAX;
        if (c->order->direct_size && c->order->direct[c->code[link]] != FL_NOT_DRAWN)
            c->order->direct[c->code[link]] = c->down_count[link] > 0 ? 0 : FL_NEVER_FAILS;
    }
    if (!c->order->direct_size)
        fl_order_forget(c->order);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

uint32_t fl_checker_find_component(const checker *c, uint64_t name)
{
    const uint64_t *found =
        bsearch(&name, c->component_name, c->components, sizeof name, compare_numbers);
    return found ? (uint32_t)(found - c->component_name) : NO_COMPONENT;
}

bool fl_checker_number_components(checker *c)
{
    uint64_t names[FL_LINK_COMPONENTS_MAX], links = c->network->links;
    size_t total = 0, at = 0;
    c->code = malloc(links * sizeof *c->code);
    c->down_count = calloc(links, sizeof *c->down_count);
    c->link_components_from = malloc((links + 1) * sizeof *c->link_components_from);
    if (!c->code || !c->down_count || !c->link_components_from)
        return false;
    for (uint64_t link = 0; link < links; link++) {
        c->code[link] = c->network->type->link_code(c->network, link);
        c->link_components_from[link] = (uint32_t)total;
        total += fl_fault_model_components_of(c->model, c->code[link], names);
    }
    c->link_components_from[links] = (uint32_t)total;
    c->component_name = malloc((total + 1) * sizeof *c->component_name);
    c->link_components = malloc((total + 1) * sizeof *c->link_components);
    c->component_links = malloc((total + 1) * sizeof *c->component_links);
    if (!c->component_name || !c->link_components || !c->component_links)
        return false;
    for (uint64_t link = 0; link < links; link++)
        at += fl_fault_model_components_of(c->model, c->code[link], c->component_name + at);
    qsort(c->component_name, total, sizeof *c->component_name, compare_numbers);
    for (size_t i = 0; i < total; i++)
        if (c->components == 0 || c->component_name[i] != c->component_name[c->components - 1])
            c->component_name[c->components++] = c->component_name[i];
    c->component_words = c->components / 64 + 1;
    c->component_links_from = calloc((size_t)c->components + 2, sizeof *c->component_links_from);
    uint32_t *fill = calloc((size_t)c->components + 1, sizeof *fill);
    if (!c->component_links_from || !fill) {
        free(fill);
        return false;
    }
    for (uint64_t link = 0; link < links; link++) {
        unsigned count = fl_fault_model_components_of(c->model, c->code[link], names);
        for (unsigned i = 0; i < count; i++) {
            uint32_t component = fl_checker_find_component(c, names[i]);
            c->link_components[c->link_components_from[link] + i] = component;
            c->component_links_from[component + 1]++;
        }
    }
    for (uint32_t component = 0; component < c->components; component++)
        c->component_links_from[component + 1] += c->component_links_from[component];
    for (uint64_t link = 0; link < links; link++)
        for (uint32_t i = c->link_components_from[link]; i < c->link_components_from[link + 1];
             i++) {
            uint32_t component = c->link_components[i];
            c->component_links[c->component_links_from[component] + fill[component]++] =
                (uint32_t)link;
        }
    free(fill);
    return true;
}
