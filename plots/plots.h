/* plots: turns data series into figures, and networks into drawings, as PNG and SVG.
 *
 * Figures and PNG files are drawn by gnuplot, which is a program, not a library: it must be in PATH
 * (Debian and Ubuntu: package gnuplot-nox). Nothing else in the project needs it. The same plot
 * and the same gnuplot give the same SVG bytes: no dates, no random ids. The SVG of a drawing is
 * written here. */
#ifndef FL_PLOTS_PLOTS_H
#define FL_PLOTS_PLOTS_H

#include "plots/charts.h"
#include "plots/drawings.h"

#endif
