/* Private to faults: what a fault model holds. */
#ifndef FL_FAULTS_PRIVATE_H
#define FL_FAULTS_PRIVATE_H

#include "core/hash_map.h"
#include "faults/faults.h"

typedef enum fl_fault_kind {
    FL_FAULT_LINKS,
    FL_FAULT_SWITCHES,
    FL_FAULT_BUNDLES,
    FL_FAULT_NEIGHBOURS,
    FL_FAULT_LIST
} fl_fault_kind;

enum { FL_CLASSES_MAX = 64 };

struct fl_fault_model {
    const fl_network *network;
    fl_fault_kind kind;
    bool independent;
    unsigned size;          /* of bundles and of neighbourhoods */
    bool restricted;        /* only `may_fail` classes can fail */
    bool says_switch_links; /* the spec names them so, also where they are one class */
    bool may_fail[FL_CLASSES_MAX];
    uint64_t components;
    uint32_t fault_points;
    uint64_t *thresholds; /* a component with this place or a lower one is down: place <
                             thresholds[fault point] */
    double *rates;        /* as shown */
    uint32_t *guide;      /* [place >> guide_shift]: the fault point of the first such place */
    unsigned guide_shift;
    fl_hash_map listed; /* explicit list: link code -> first fault point */
    char *spec;
};

struct fl_order_memory {
    fl_hash_map links;     /* hashed orders */
    uint64_t *taken;       /* bit set of places in use, for models with few components */
    fl_hash_map taken_far; /* else: the same as a table */
    uint32_t *taken_words; /* words of `taken` that are not 0 */
    uint32_t taken_word_count;
    fl_hash_map
        components; /* component -> first fault point, for models whose components are not links */
    uint32_t *free_numbers; /* [components] fault points to be dealt; made when an order is first
                               completed */
    bool pool_failed;
};

/* First fault point whose threshold is above the place; FL_NEVER_FAILS if none is. */
FL_INLINE uint32_t fl_fault_model_fault_point_of(const fl_fault_model *model, uint64_t place)
{
    uint32_t fault_point = model->guide[place >> model->guide_shift];
    if (model->guide_shift == 0)
        return fault_point;
    while (fault_point < model->fault_points && model->thresholds[fault_point] <= place)
        fault_point++;
    return fault_point < model->fault_points ? fault_point : FL_NEVER_FAILS;
}

FL_INLINE bool fl_fault_model_can_fail(const fl_fault_model *model, fl_link link)
{
    return !model->restricted ||
           model->may_fail[model->network->type->link_class(model->network, link)];
}

#endif
