#include "analysis/reliability/exposure.h"

#include <stdlib.h>
#include <string.h>

bool fl_exposure_sums_create(fl_exposure_sums *s, uint32_t links, uint32_t distances)
{
    *s = (fl_exposure_sums){links, distances,
                            calloc((size_t)distances * (links + 1), sizeof *s->at)};
    return s->at != NULL;
}

void fl_exposure_sums_clear(fl_exposure_sums *s)
{
    for (size_t i = 0; i < (size_t)s->distances * (s->links + 1); i++) {
        free(s->at[i]);
        s->at[i] = NULL;
    }
}

void fl_exposure_sums_destroy(fl_exposure_sums *s)
{
    if (s->at)
        fl_exposure_sums_clear(s);
    free(s->at);
    *s = (fl_exposure_sums){0};
}

bool fl_exposure_sums_add(fl_exposure_sums *s, uint32_t distance, uint32_t left,
                          const long double *numbers, long double weight)
{
    uint32_t size = s->links - left + 1;
    long double **row = &s->at[(size_t)distance * (s->links + 1) + left];
    if (!*row && !(*row = calloc(size, sizeof **row)))
        return false;
    for (uint32_t i = 0; i < size; i++)
        (*row)[i] += weight * numbers[i];
    return true;
}

/* By Horner's rule, as a link that was left is free: a factor of 1 + z. */
void fl_exposure_sums_read(const fl_exposure_sums *s, uint32_t distance, uint32_t more,
                           long double *out)
{
    uint32_t size = 0;
    memset(out, 0, ((size_t)s->links + more + 1) * sizeof *out);
    for (uint32_t left = s->links + more + 1; left-- > 0;) {
        for (uint32_t i = size; i > 0; i--)
            out[i] += out[i - 1];
        size++;
        const long double *row =
            left < more ? NULL : s->at[(size_t)distance * (s->links + 1) + left - more];
        for (uint32_t i = 0; row && i < s->links - (left - more) + 1; i++)
            out[i] += row[i];
    }
}
