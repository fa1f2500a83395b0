/* The catalogue: what is published beside what is found. */
#ifndef FL_EXPERIMENTS_CATALOGUE_CATALOGUE_H
#define FL_EXPERIMENTS_CATALOGUE_CATALOGUE_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Every entry of experiments/published is judged at every instance of its parameters: the value as
 * published, by a closed form, and measured. */
typedef enum fl_verdict {
    FL_VERDICT_GIVEN,   /* a price or a simulated value: nothing to check */
    FL_VERDICT_DERIVED, /* not published: a derivation of this project's, and the measured value
                           agrees */
    FL_VERDICT_AGREES,
    FL_VERDICT_AS_READ,    /* it agrees when it is read as the entry says */
    FL_VERDICT_BOUND,      /* it is published as a bound, and the bound holds */
    FL_VERDICT_UNMEASURED, /* it agrees with the closed form; not measured, and why */
    FL_VERDICT_UNDECIDED,  /* there is no closed form, and what was measured is an upper bound that
                              decides nothing */
    FL_VERDICT_DIFFERS,    /* the source is wrong */
    FL_VERDICT_BROKEN, /* closed form and measurement contradict each other: Faultline is wrong */
    FL_VERDICTS
} fl_verdict;
extern const char *const fl_verdict_names[FL_VERDICTS];

typedef struct fl_catalogue_instance {
    char *label;                      /* its networks, or its parameters */
    double published, form, measured; /* NAN: none */
    bool upper_bound;                 /* `measured` is the best cut of a search */
    char *why_not;                    /* measured; NULL */
    fl_verdict verdict;
} fl_catalogue_instance;

/* Texts belong to the catalogue; NULL where there is none. */
typedef struct fl_catalogue_entry {
    const char *row, *column;
    const char *published; /* as printed: a number, or a formula; NULL: it is not */
    const char *unit;
    const char *form;     /* a formula; NULL: that of the network, or none */
    const char *quantity; /* what is measured, as a formula of properties */
    const char *reading;  /* how it has to be read to agree */
    const char *why;      /* the derivation, where the source is wrong */
    fl_catalogue_instance *instances;
    size_t instance_count;
    fl_verdict verdict;
} fl_catalogue_entry;

typedef struct fl_catalogue_table {
    const char *paper, *source, *id, *title, *about;
    fl_catalogue_entry *entries;
    size_t entry_count;
} fl_catalogue_table;

typedef struct fl_catalogue {
    fl_catalogue_table *tables;
    size_t table_count;
    size_t entries[FL_VERDICTS], instances[FL_VERDICTS]; /* how many have the verdict */
    unsigned networks;                                   /* measured */
    uint64_t largest;
    struct cJSON **documents;
    size_t document_count;
} fl_catalogue;

#define FL_CATALOGUE_LARGEST 1200000  /* half a minute: all of the KNS paper's Table 4 */
#define FL_CATALOGUE_ALL     12000000 /* what takes minutes and some GB, for the night */

typedef struct fl_catalogue_options {
    uint64_t largest; /* networks with more links are not measured; 0: FL_CATALOGUE_LARGEST */
    bool (*should_stop)(void *user); /* NULL, or asked now and then; true: FL_ERR_STOPPED */
    void (*progress)(void *user, uint64_t done, uint64_t entries); /* NULL */
    void *user;
} fl_catalogue_options;

fl_status fl_catalogue_create(fl_catalogue **out, const fl_catalogue_options *options,
                              fl_error *error);
/* Of one text in the form of experiments/published; `where` names it in messages. */
fl_status fl_catalogue_read(fl_catalogue **out, const char *text, const char *where,
                            const fl_catalogue_options *options, fl_error *error);
void fl_catalogue_destroy(fl_catalogue *catalogue);

/* Append the page in four forms, and a few lines to look at. */
void fl_catalogue_html(const fl_catalogue *catalogue, fl_text *out);
void fl_catalogue_markdown(const fl_catalogue *catalogue, fl_text *out);
void fl_catalogue_csv(const fl_catalogue *catalogue, fl_text *out);
void fl_catalogue_json(const fl_catalogue *catalogue, fl_text *out); /* a list of instances */
void fl_catalogue_summary(const fl_catalogue *catalogue, fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
