#!/usr/bin/env bash
# Builds and runs the tests, then says in a few lines what came out.
#
# Arguments are passed on to `swift test`. Without any, samples of the longer checks run after the
# tests, with as many simulated worlds as HEARTH_WORLDS says. All output is kept in .build/test.log.
set -euo pipefail
cd "$(dirname "$0")/.."

log=.build/test.log
mkdir -p .build

# A build of its own first: its progress is readable, and a compile error is not lost among tests.
echo "== Building the tests"
swift build --build-tests

echo "== Running the tests"
started=$(date +%s)
status=0
swift test "$@" 2>&1 | tee "$log" || status=$?

# A little of each longer check, unless some tests were asked for by name.
bin=$(swift build --show-bin-path)
worlds=${HEARTH_WORLDS:-2000}
sample() {
  [ "$status" -eq 0 ] || return 0
  echo
  echo "== $1"
  shift
  "$@" 2>&1 | tee -a "$log" || status=$?
}
if [ "$#" -eq 0 ]; then
  sample "Crash states and faults of files and memory, a sample" "$bin/hearth-faults" sample
  sample "Faults of disks, a sample" "$bin/hearth-disk-faults" sample
  [ "$worlds" -eq 0 ] || sample "Simulated worlds" "$bin/HearthSimulator" --seeds "$worlds"
fi
ended=$(date +%s)

echo
echo "== Summary ($((ended - started)) s, whole output in $log)"
# XCTest says "Executed n tests", Swift Testing "Test run with n tests".
grep -E 'Test run with [0-9]|Executed [1-9][0-9]* tests?' "$log" | sed 's/^[[:space:]]*//' |
  sort -u || true
grep -E '^simulated ' "$log" || true
if [ "$status" -ne 0 ]; then
  echo
  echo "Failures:"
  grep -E '(: error: |FAILED: |recorded an issue|failed after|Fatal error|Sanitizer|^FOUND|NOT FOUND)' \
    "$log" | head -40 ||
    true
  echo
  echo "Seeds of random tests (set HEARTH_SEED to one to replay it):"
  grep -E 'HEARTH_SEED=[0-9]+' "$log" | sort -u | head -40 || true
  echo "The tests FAILED."
else
  echo "The tests passed."
fi
exit "$status"
