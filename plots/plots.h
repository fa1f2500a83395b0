/* Figures of data series as PNG and SVG, and drawings of networks as SVG, PDF and PNG.
 *
 * Figures are drawn by gnuplot, which is a program, not a library: it must be in PATH (Debian and
 * Ubuntu: package gnuplot-nox). Nothing else in the project needs it. Drawings are drawn by Cairo.
 * The same input gives the same bytes with the same gnuplot or Cairo, and the same fonts: there is
 * no date and no random number in them. */
#ifndef FL_PLOTS_PLOTS_H
#define FL_PLOTS_PLOTS_H

#include "plots/charts.h"
#include "plots/drawings.h"

#endif
