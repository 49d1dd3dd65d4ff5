#!/usr/bin/env bash
# The step of the action that verifies: each file has a SARIF file in .erelong-results, and a
# section in the summary of the job. It fails with the first exit code that is not 0.
set -uo pipefail
program=${PROGRAM:-erelong}
[ -n "$program" ] || program=erelong
mkdir -p .erelong-results
worst=0
n=0
for file in $FILES; do
  n=$((n + 1))
  # shellcheck disable=SC2086  # options are words
  text=$("$program" verify --quiet --sarif ".erelong-results/$n.sarif" $OPTIONS "$file" 2>&1)
  code=$?
  printf '%s\n' "$text"
  {
    printf '### `%s`: exit code %d\n\n' "$file" "$code"
    printf '%s\n' "$text" | sed 's/^/    /'
    printf '\n'
  } >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
  [ "$worst" -ne 0 ] || worst=$code
done
[ "$n" -gt 0 ] || { echo "erelong: no files: $FILES"; exit 2; }
exit "$worst"
