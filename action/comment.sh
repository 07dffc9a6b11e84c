#!/usr/bin/env bash
# Writes the review as a comment on the pull request, or renews the one that an earlier run has written.
set -euo pipefail

comments="repos/${GITHUB_REPOSITORY:?}/issues/${PLAIT_PULL_REQUEST:?}/comments"
earlier="$(gh api --paginate "$comments" --jq '.[] | select(.body | startswith("<!-- plait review -->")) | .id' | head -n 1)"
if [ -n "$earlier" ]; then
  gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$earlier" --field body=@"${PLAIT_COMMENT:?}"
else
  gh api --silent --method POST "$comments" --field body=@"${PLAIT_COMMENT:?}"
fi
