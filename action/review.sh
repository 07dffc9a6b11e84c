#!/usr/bin/env bash
# Reviews the checked-out change and leaves the results in a folder; the exit code of the review is an output.
set -euo pipefail

python="${PLAIT_PYTHON:-python}"
folder="${RUNNER_TEMP:-${TMPDIR:-.}}/plait-review"
mkdir -p "$folder"

if ! "$python" -c 'import plait' 2>/dev/null; then
  "$python" -m pip install --quiet --disable-pip-version-check "${PLAIT_SOURCE:?}[pytest]"
fi

base="${PLAIT_BASE:-}"
if [ -z "$base" ] && [ -n "${GITHUB_BASE_REF:-}" ]; then
  base="origin/$GITHUB_BASE_REF"
fi

# Checkouts are shallow unless asked otherwise: the point where the branches parted must be there.
if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
  git fetch --quiet --unshallow --no-tags origin || true
fi
if [ -n "$base" ] && ! git rev-parse --verify --quiet "$base^{commit}" >/dev/null; then
  branch="${base#origin/}"
  git fetch --quiet --no-tags origin "+refs/heads/$branch:refs/remotes/origin/$branch" || true
fi

read -r -a arguments <<<"${PLAIT_ARGUMENTS:-}"
code=0
"$python" -m plait review ${base:+--base "$base"} --budget "${PLAIT_BUDGET:-3m}" ${arguments[@]+"${arguments[@]}"} \
  --json "$folder/review.json" --markdown "$folder/review.md" --sarif "$folder/review.sarif" \
  --junit "$folder/review.xml" --html "$folder/review.html" --badge "$folder/badge.json" || code=$?

verdict=""
if [ -f "$folder/review.json" ] && [ "$code" != 2 ]; then
  verdict="$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1], encoding="utf-8"))["verdict"])' "$folder/review.json")"
  cat "$folder/review.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
{
  echo "exit-code=$code"
  echo "verdict=$verdict"
  echo "folder=$folder"
  echo "sarif=$folder/review.sarif"
} >>"${GITHUB_OUTPUT:-/dev/stdout}"
