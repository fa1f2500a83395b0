/* Private to faults: what a fault model holds. */
#ifndef FL_FAULTS_MODEL_H
#define FL_FAULTS_MODEL_H

#include "faults/faults.h"
#include "faults/table.h"

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
    unsigned size;                    /* of bundles and of neighbourhoods */
    bool restricted;                  /* only `may_fail` classes can fail */
    bool may_fail[FL_CLASSES_MAX];
    uint64_t parts;
    uint32_t levels;
    uint64_t *thresholds;             /* a part with this place or a lower one is down: place < thresholds[level] */
    double *rates;                    /* as shown */
    uint32_t *level_of;               /* [parts] first level at which the part in this place is down; NULL: search */
    fl_table listed;                  /* explicit list: link code -> first level */
    char *spec;
};

struct fl_order_memory {
    fl_table links;                   /* hashed orders */
    uint64_t *taken;                  /* bit set of places in use, if `level_of` exists */
    fl_table taken_far;               /* else: the same as a table */
    uint32_t *taken_words;            /* words of `taken` that are not 0 */
    uint32_t taken_word_count;
    fl_table parts;                   /* part -> first level, for models whose parts are not links */
};

/* First level whose threshold is above the place; FL_NEVER_FAILS if none is. */
uint32_t fl_fault_model_level_of(const fl_fault_model *model, uint64_t place);

/* The draw function that serves the model. */
uint32_t (*fl_order_draw_for(const fl_fault_model *model))(fl_order *, fl_link);

#endif
