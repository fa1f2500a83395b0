# Runs in blocks: precision, budgets, shards, checkpoints, ranks. Included by tests/cli/CMakeLists.txt.

faultline_test(runner ${CMAKE_SOURCE_DIR}/tests/runner.c)
set_tests_properties(unit.runner PROPERTIES LABELS threads)
