#!/bin/sh
# From a bare Debian 12 to Figs. 8 and 9 of the Wang thesis: installs what is missing, builds,
# samples, and writes results/wang-2022-fig8-9/ (CSV, JSON, PNG, SVG).
# Leaves the program at build/faultline. Existing results are replaced.
set -eu
cd "$(dirname "$0")"
. cmake/prepare.sh

need_to_build gnuplot-nox fonts-dejavu-core
say "building build/faultline"
build release -DFAULTLINE_TESTS=OFF -DFAULTLINE_BENCHMARKS=OFF
spec=experiments/specs/wang-2022-fig8-9.json
out=results/wang-2022-fig8-9
say "running $spec"
build/faultline sweep "$spec" --out "$out" --force
say "figures: $out/success-ratio.png, $out/path-length.png, and both with adaptive-up"
