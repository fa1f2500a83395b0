/* Private to experiments: the value of a formula in a text, such as 2*n - 1/(k-1). */
#ifndef FL_EXPERIMENTS_CATALOGUE_FORMULA_H
#define FL_EXPERIMENTS_CATALOGUE_FORMULA_H

#include "core/core.h"

/* Numbers, names, a.b (name b of the network called a), ( ), + - * / ^ (right to left), == < <= >
 * >= (1 or 0), and log2 floor ceil round sqrt abs factorial(x)    mod(x, y)    if(c, x, y) sum min
 * max argmin argmax(i, from, to, x)      over the whole numbers i; the first of equal ones moore(N,
 * K)        least mean distance of a K-regular graph on N vertices, K need not be whole (Yasudo
 * thesis, 2.10, 3.4.2) */
typedef struct fl_formula_names {
    /* The value of a name; `of` is NULL without a dot. False: there is no such name. */
    bool (*find)(void *user, const char *of, const char *name, double *out);
    void *user;
} fl_formula_names;

/* FL_ERR_INVALID names the formula and the place. */
fl_status fl_formula_value(double *out, const char *formula, const fl_formula_names *names,
                           fl_error *error);

#endif
