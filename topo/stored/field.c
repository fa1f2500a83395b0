/* Finite fields of q elements. */
#include "topo/stored/field.h"

#include <stdlib.h>

/* Multiplication by logarithms to a generator. The generator is x modulo a monic polynomial of the
 * field's degree over the integers modulo p; polynomials are tried until x has order q - 1, which
 * is the case for some (the primitive ones), and makes them irreducible at once. */

static uint32_t smallest_factor(uint32_t q)
{
    for (uint32_t p = 2; p * p <= q; p++)
        if (q % p == 0)
            return p;
    return q;
}

uint32_t fl_field_add(const fl_field *f, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t place = 1; place < f->q; place *= f->p)
        sum += (a / place + b / place) % f->p * place;
    return sum;
}

uint32_t fl_field_negative(const fl_field *f, uint32_t a)
{
    uint32_t negative = 0;
    for (uint32_t place = 1; place < f->q; place *= f->p)
        negative += (f->p - a / place % f->p) % f->p * place;
    return negative;
}

/* x times a, modulo x^degree = low (the polynomial's other coefficients, negated). */
static uint32_t times_x(const fl_field *f, uint32_t a, uint32_t low)
{
    uint32_t highest = f->q / f->p, lead = a / highest, product = a % highest * f->p;
    for (uint32_t i = 0; i < lead; i++)
        product = fl_field_add(f, product, low);
    return product;
}

/* Fills the table of powers; true if x has order q - 1. */
static bool fill_powers(fl_field *f, uint32_t low)
{
    uint32_t a = 1;
    for (uint32_t i = 0; i < f->q - 1; i++) {
        f->power[i] = a;
        a = f->degree == 1 ? (uint32_t)((uint64_t)a * low % f->p) : times_x(f, a, low);
        if (a == 0 || (a == 1 && i + 1 < f->q - 1))
            return false;
    }
    return a == 1;
}

fl_status fl_field_create(fl_field *out, uint32_t q, fl_error *error)
{
    *out = (fl_field){.q = q, .p = q >= 2 ? smallest_factor(q) : 0};
    uint32_t rest = q;
    for (; out->p >= 2 && rest % out->p == 0; rest /= out->p)
        out->degree++;
    if (q < 2 || q > 65521 || rest != 1)
        return fl_fail(error, FL_ERR_INVALID,
                       "q=%u is not a prime power (2, 3, 4, 5, 7, 8, 9, 11, 13, 16, ...)", q);
    out->power = malloc(q * sizeof *out->power);
    out->logarithm = calloc(q, sizeof *out->logarithm);
    if (!out->power || !out->logarithm) {
        fl_field_destroy(out);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a field");
    }
    uint32_t low = 1;
    while (low < q && !fill_powers(out, low))
        low++;
    for (uint32_t i = 0; i < q - 1; i++)
        out->logarithm[out->power[i]] = i;
    return FL_OK;
}

void fl_field_destroy(fl_field *f)
{
    free(f->power);
    free(f->logarithm);
}

uint32_t fl_field_times(const fl_field *f, uint32_t a, uint32_t b)
{
    return a == 0 || b == 0 ? 0 : f->power[(f->logarithm[a] + f->logarithm[b]) % (f->q - 1)];
}

uint32_t fl_field_inverse(const fl_field *f, uint32_t a)
{
    return f->power[(f->q - 1 - f->logarithm[a]) % (f->q - 1)];
}
