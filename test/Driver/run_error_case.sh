#!/bin/bash
# run_error_case.sh TEENYC FOLDER: what teenyc says about the mistake in FOLDER, word for word.
#
# FOLDER/command holds the arguments, FOLDER/expected the exit code and then everything that was printed. The command
# runs in a copy of the folder, next to copies of the shipped kernels and anchors, and must leave no file behind.
# With TEENY_BLESS=1, writes `expected` anew instead.
set -euo pipefail
teenyc=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/case"
cp -r "$folder/." "$scratch/case"
cp -r "$here/../../kernels" "$scratch/kernels"
cp "$here/../../graphs/detect_decode/anchors.safetensors" "$scratch"
cd "$scratch/case"
find . -type f | sort >"$scratch/before"

code=0
# shellcheck disable=SC2046 # the file holds words
"$teenyc" $(cat command) >"$scratch/text" 2>&1 </dev/null || code=$?
{
  echo "exit $code"
  cat "$scratch/text"
} >"$scratch/actual"

find . -type f | sort | diff "$scratch/before" -
if [ -n "${TEENY_BLESS:-}" ]; then
  cp "$scratch/actual" "$folder/expected"
else
  diff -u "$folder/expected" "$scratch/actual"
fi
