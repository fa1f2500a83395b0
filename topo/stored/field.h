/* Private to topo: arithmetic in the finite field of q elements, q a prime power. Elements are
 * 0..q-1: polynomials over the integers modulo p, their coefficients the digits base p. */
#ifndef FL_TOPO_STORED_FIELD_H
#define FL_TOPO_STORED_FIELD_H

#include "core/core.h"

typedef struct fl_field {
    uint32_t q, p, degree;
    uint32_t *power;     /* [q - 1] powers of a generator */
    uint32_t *logarithm; /* [q] of the elements but 0 */
} fl_field;

/* FL_ERR_INVALID unless q is a prime power of 2 to 65521. */
fl_status fl_field_create(fl_field *out, uint32_t q, fl_error *error);
/* Frees its tables. */
void fl_field_destroy(fl_field *field);

/* a + b, of elements below q. */
uint32_t fl_field_add(const fl_field *, uint32_t a, uint32_t b);
/* -a. */
uint32_t fl_field_negative(const fl_field *, uint32_t a);
/* a b. */
uint32_t fl_field_times(const fl_field *, uint32_t a, uint32_t b);
/* 1 / a, where a is not 0. */
uint32_t fl_field_inverse(const fl_field *, uint32_t a);

#endif
