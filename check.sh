#!/bin/sh
# All tests, from a bare Debian 12: installs what is missing, builds with gcc (warnings are
# errors), runs ctest; then the same tests under the address and undefined-behaviour sanitizers,
# the threaded ones under the thread sanitizer, and a build with clang.
set -eu
cd "$(dirname "$0")"
. cmake/prepare.sh

need_to_build g++ clang libcriterion-dev libpcg-cpp-dev gnuplot-nox fonts-dejavu-core python3 python3-jsonschema pkg-config libasan8 libubsan1 libtsan2 libopenmpi-dev openmpi-bin
say "building: gcc, release"
build ci-gcc -DFAULTLINE_TESTS=ON -DFAULTLINE_BENCHMARKS=ON
say "building: clang, release"
build ci-clang -DFAULTLINE_TESTS=ON -DFAULTLINE_BENCHMARKS=ON
say "building: gcc, debug, address and undefined-behaviour sanitizers"
build debug -DFAULTLINE_BENCHMARKS=OFF
say "building: gcc, debug, thread sanitizer"
build tsan -DFAULTLINE_BENCHMARKS=OFF

jobs=$(nproc)
say "testing: address and undefined-behaviour sanitizers"
ctest --preset debug --parallel "$jobs" --timeout 900
say "testing: thread sanitizer"
ctest --preset tsan --parallel "$jobs" --timeout 900 --tests-regex '^(unit.sweep|cli.threads)$'
say "testing: release"
ctest --preset ci-gcc --parallel "$jobs" --timeout 900
